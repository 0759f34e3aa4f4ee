"""Makes the board: how likely each side is to win from any scores, and how well it fits Master.

Stage 0 plays rounds of deals as Expert, each with either side far from the end or near it, and
solves the board of each round by dynamic programming over them; the board is their mean. Stage 1
plays deals of Master against itself by that board, from scores all over it: of a board that fits,
the chance to win does not move.
"""

import hashlib
import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from engines.cribbage.board import Board
from engines.cribbage.board_kernel import CUTS, ZONES, check_board, sample_deals, solve_board
from engines.cribbage.brain import ENDGAME_SCORE
from engines.cribbage.fast_match import seated
from engines.cribbage.master_memory import idle_search
from engines.cribbage.master_tables import default_master_tables
from engines.cribbage.scoring import GAME
from engines.cribbage.tiers import EXPERT, MASTER
from engines.kernel import constant
from engines.streams import open_stream
from jobs.columns import column
from jobs.job import (
    JobSpec,
    ReadRows,
    Row,
    VerificationError,
    all_units,
    failed_remarks,
    failed_rows_open,
    made_and_failed,
    no_deals,
    no_sections,
    one_by_one,
)
from results.benchmark import Benchmark
from results.statistics import Metric, mean_of
from results.table_file import rows_on_lines

NAME = "cribbage-board"
SUMMARY = "Make the table of how likely each side is to win from any scores."
FILE = "board_table.json"
DEALS = 20_000
"""Deals of a round of stage 0, each played four times."""
DEALS_PURPOSE = "cribbage board"
CHECKED = 50
"""Deals of a round of stage 1 from each zone of scores."""
ZONE_NAMES = [f"{first}-{stop - 1}" for first, stop in zip([0, *CUTS[:-1]], CUTS, strict=True)]


class Spec(JobSpec):
    """The options of the job."""

    UNIT_FIELD: ClassVar[str] = "rounds"
    GROWS: ClassVar[frozenset[str]] = frozenset()

    rounds: int = Field(200, ge=2, description=f"Rounds of {DEALS:,} deals.")
    checks: int = Field(
        60, ge=1, description=f"Rounds of {CHECKED * ZONES**2:,} deals of Master's own play."
    )

    @property
    def unit_count(self) -> int:
        """Rounds and checks."""
        return sum(stages(self))


_SUMS = pa.list_(pa.float64())
SCHEMA = pa.schema(
    [
        column("unit", pa.int64(), "the round"),
        column("deals", pa.int64(), "deals played"),
        column(
            "wins",
            pa.list_(pa.float32()),
            "stage 0: the dealer's chance to win by its score, then by the pone's",
        ),
        column("moved", _SUMS, "stage 1: sums of how far it moved, by zones of both scores"),
        column("squares", _SUMS, "stage 1: of its squares"),
        column("error", pa.string(), "what went wrong, in a failed round"),
        column("seconds", pa.float64(), "wall time"),
    ],
    metadata={"schema": f"{NAME}/1"},
)
compute_many, sequential, read_line = one_by_one, all_units, no_deals(NAME)
report_sections = no_sections
_BLANK: Row = dict.fromkeys(SCHEMA.names)


def stages(spec: Spec) -> Sequence[int]:
    """Rounds of deals, then checks."""
    return [spec.rounds, spec.checks]


def found(spec: Spec, stage: int, rows: pa.Table) -> dict[str, Any]:
    """The board, as float64[GAME, GAME] in lists."""
    del spec, stage
    return {"board": _board(rows)[0].round(4).tolist()}


def _board(rows: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard error of the boards of the rounds, float64[GAME, GAME] each."""
    if rows["wins"].null_count:
        raise ValueError("a round of the board failed: look at the rows' column `error`")
    boards = np.array(rows["wins"].to_pylist(), np.float64).reshape(len(rows), GAME, GAME)
    return boards.mean(axis=0), boards.std(axis=0, ddof=1) / math.sqrt(len(rows))


def signature(spec: Spec) -> str:
    """A hash of a few deals of each stage."""
    del spec
    wins = _round(0, 0, 200)
    digest = hashlib.sha256(wins.tobytes())
    for sums in _check(0, 0, 1, wins):
        digest.update(sums.tobytes())
    return digest.hexdigest()[:16]


def _round(seed: int, unit: int, deals: int) -> np.ndarray:
    """The board of a round, float64[GAME, GAME]."""
    when = np.zeros((2, 2, 2, GAME + 1, deals), np.uint8)
    gained = np.zeros((2, 2, deals, 2), np.int64)
    for late in np.ndindex(2, 2):
        # The same cards each time, so that the four differ by the play alone.
        table = seated(EXPERT, open_stream(seed, unit, DEALS_PURPOSE))
        scores = (ENDGAME_SCORE * side for side in late)
        sample_deals(table, idle_search(), *scores, when[late], gained[late])
    wins = np.zeros((GAME, GAME))
    solve_board(when, gained, wins)
    return wins


def _check(seed: int, unit: int, deals: int, wins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far the chance to win moved in so many deals from each zone: sums, and of squares."""
    board = Board(wins)
    master = replace(default_master_tables(), board=board, throw_board=board)
    table = seated(MASTER, open_stream(seed, unit, DEALS_PURPOSE), master.pegging)
    for seat in range(2):
        table.rolls[seat] = open_stream(seed, unit, f"cribbage board rolls of seat {seat}")
    counts = np.full((ZONES, ZONES), deals)
    moved, squares = np.zeros((ZONES, ZONES)), np.zeros((ZONES, ZONES))
    check_board(table, master.search(), constant(wins), counts, moved, squares)
    return moved, squares


def compute(spec: Spec, unit: int, line: str | None) -> list[Row]:
    """One round of deals, or one check."""
    del line
    started = time.perf_counter()
    row = {**_BLANK, "unit": unit, **_columns(spec, unit)}
    return [{**row, "seconds": time.perf_counter() - started}]


def _columns(spec: Spec, unit: int) -> Row:
    if unit < spec.rounds:
        wins = _round(spec.seed, unit, DEALS).astype(np.float32)
        return {"deals": DEALS, "wins": wins.reshape(-1).tolist()}
    moved, squares = _check(spec.seed, unit, CHECKED, np.array(spec.found["board"]))
    return {
        "deals": CHECKED * ZONES**2,
        "moved": moved.reshape(-1).tolist(),
        "squares": squares.reshape(-1).tolist(),
    }


def failed_rows(spec: Spec, unit: int, line: str | None, error: str) -> list[Row]:
    """The row of a round that ended in an error."""
    del spec, line
    return [{**_BLANK, "unit": unit, "error": error}]


def verify(spec: Spec, row: Row, line: str | None) -> bool:
    """Plays the round again; raises VerificationError where that gives other numbers."""
    del line
    if row["error"] is not None:
        return False
    for name, expected in _columns(spec, row["unit"]).items():
        if row[name] != expected:
            raise VerificationError(f"unit {row['unit']}: {name} differ from those played again")
    return True


TALLY_COLUMNS = ("unit", "moved", "squares", "error")


is_open, remarks = failed_rows_open, failed_remarks("rounds")


def tally(table: pa.Table) -> Counter[str]:
    """Rounds made and failed; of the checks, deals of a zone and the sums of each."""
    found, checks = made_and_failed(table, "rounds"), table.filter(table["moved"].is_valid())
    found["deals of a zone"] = CHECKED * len(checks)
    for name in ("moved", "squares"):
        sums = np.array(checks[name].to_pylist(), np.float64).reshape(-1, ZONES**2).sum(axis=0)
        found.update({f"{name} {zone}": float(each) for zone, each in enumerate(sums)})
    return found


def counts(tally: Counter[str]) -> dict[str, int]:
    """Rounds made and failed."""
    return {name: tally[name] for name in ("rounds", "failed")}


def metrics(tally: Counter[str]) -> list[Metric]:
    """How far the dealer's chance to win moves in a deal of Master's own play, by zones."""
    deals, zones = tally["deals of a zone"], range(ZONES**2)
    if not deals:
        return []
    whole: Metric = mean_of(
        "all scores",
        deals * len(zones),
        sum(tally[f"moved {zone}"] for zone in zones),
        sum(tally[f"squares {zone}"] for zone in zones),
        "share",
    )
    return [whole] + [
        mean_of(
            f"dealer {ZONE_NAMES[zone // ZONES]}, pone {ZONE_NAMES[zone % ZONES]}",
            deals,
            tally[f"moved {zone}"],
            tally[f"squares {zone}"],
            "share",
        )
        for zone in zones
    ]


def artifacts(spec: Spec, read: ReadRows, benchmark: Benchmark) -> dict[str, str]:
    """`board_table.json`, which the engine reads."""
    rows = read(["unit", "wins"])
    wins, error = _board(rows.filter(np.asarray(rows["unit"]) < spec.rounds))
    document = {
        "format": "dealfarm-board",
        "version": 1,
        "seed": spec.seed,
        "deals": spec.rounds * DEALS,
        "first_dealer_wins": round(float(wins[0, 0]), 5),
        "its_standard_error": round(float(error[0, 0]), 6),
        "largest_standard_error": round(float(error.max()), 6),
        "made_by": benchmark.command,
        "dealer_wins": wins.round(4).tolist(),
    }
    return {FILE: rows_on_lines(document)}
