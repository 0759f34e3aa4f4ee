"""How well players of Gallery play: one unit is one deal, one row for each player."""

import hashlib
import json
import time
from collections import Counter
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import AfterValidator, Field, field_validator
from pydantic_core import PydanticCustomError

from engines.gallery.catalog import BOUNDS, NAMES, play
from engines.gallery.deal import DealLine, parse_deal_line, random_deal
from engines.gallery.moves import parse_moves
from engines.gallery.pimc import ORIGINAL, PUBLISHED
from engines.gallery.players import Game, ReplayError, check_game
from engines.moves import IllegalMove
from jobs.columns import ID, UNIT, WORD, column
from jobs.job import (
    JobSpec,
    Row,
    RunView,
    VerificationError,
    all_units,
    no_artifacts,
    nothing_found,
    one_by_one,
    one_stage,
)
from jobs.reports import gallery_report
from results.report.parts import Section
from results.statistics import Metric, mean_of_counts, share

NAME = "gallery-pimc"
SUMMARY = "How few cards players of Gallery leave behind, on the same deals."
PAIRED_CONFIDENCE = 0.99
_ALWAYS = (PUBLISHED.name, ORIGINAL.name)


def _player(name: str) -> str:
    if name not in NAMES:
        raise PydanticCustomError("player", "expected {names}", {"names": ", ".join(NAMES)})
    return name


PlayerName = Annotated[str, AfterValidator(_player)]


class Spec(JobSpec):
    """The options of the job."""

    UNIT_FIELD: ClassVar[str] = "deals"
    GROWS: ClassVar[frozenset[str]] = frozenset({"deals"})

    deals: int = Field(200, ge=1, description="Number of deals.")
    player: PlayerName = Field(PUBLISHED.name, description=f"Who is measured: {', '.join(NAMES)}.")
    against: tuple[PlayerName, ...] = Field(
        ("random-uniform", "random-cards-first", "greedy", *BOUNDS),
        description="Who plays the same deals beside both PIMC players, with commas between: "
        "the random ones, greedy, and the bounds that are no fair play.",
    )

    @field_validator("against", mode="before")
    @classmethod
    def _split(cls, given: object) -> object:
        return given.split(",") if isinstance(given, str) else given

    @cached_property
    def players(self) -> list[str]:
        """All players of a deal, the measured one first."""
        return list(dict.fromkeys((self.player, *_ALWAYS, *self.against)))


SCHEMA = pa.schema(
    [
        UNIT,
        column("leg", pa.int8(), "which of the players of a deal, the measured one being 0"),
        ID,
        column("player", WORD, "the player"),
        column("score", pa.int8(), "the cards of 96 not in place at the end; 0 is solved"),
        column("tableau_cards", pa.int8(), "those of them on the tableau"),
        column("solved", pa.bool_(), "whether all cards are in place"),
        column("moves", pa.int16(), "moves, deals included"),
        column("solution", pa.string(), "the moves, as text of engines.gallery.moves.Move"),
        column("rollouts", pa.int64(), "random games that the player looked at"),
        column("error", pa.string(), "what went wrong"),
        column("seconds", pa.float64(), "wall time of the game"),
    ],
    metadata={"schema": f"{NAME}/1"},
)

compute_many, stages, found, artifacts = one_by_one, one_stage, nothing_found, no_artifacts
sequential = all_units

_BLANK: Row = dict.fromkeys(SCHEMA.names)
_SIGNATURE_UNITS = 2


def signature(spec: Spec) -> str:
    """A hash of the first deals of seed 0 and of games of the players on them."""
    digest = hashlib.sha256()
    for unit in range(_SIGNATURE_UNITS):
        deal = random_deal(0, unit)
        digest.update(json.dumps(deal.as_json()).encode())
    for name in spec.players:
        digest.update(" ".join(map(str, play(random_deal(0, 0), name, 0, 0).moves)).encode())
    return digest.hexdigest()[:16]


def read_line(text: str, spec: JobSpec) -> str:
    """The deal of a line in canonical JSON; raises ValueError."""
    del spec
    return json.dumps(parse_deal_line(text).as_json())


def compute(spec: Spec, unit: int, line: str | None) -> list[Row]:
    """The game of each player on the deal of a unit; every game is replayed."""
    given = deal_of(spec, unit, line)
    rows = []
    for leg, name in enumerate(spec.players):
        started = time.perf_counter()
        game = play(given.deal, name, spec.seed, unit)
        seconds = time.perf_counter() - started
        rows.append(
            {
                **_given_columns(unit, leg, given, name),
                "score": game.score,
                "tableau_cards": game.tableau_cards,
                "solved": game.score == 0,
                "moves": len(game.moves),
                "solution": " ".join(map(str, game.moves)),
                "rollouts": game.rollouts,
                "seconds": seconds,
            }
        )
    return rows


def deal_of(spec: JobSpec, unit: int, line: str | None) -> DealLine:
    """The deal of a unit."""
    return DealLine(random_deal(spec.seed, unit)) if line is None else parse_deal_line(line)


def _given_columns(unit: int, leg: int, given: DealLine, name: str) -> Row:
    return {**_BLANK, "unit": unit, "leg": leg, "id": given.id, "player": name}


def failed_rows(spec: Spec, unit: int, line: str | None, error: str) -> list[Row]:
    """The rows of a deal on which a player failed."""
    given = deal_of(spec, unit, line)
    return [
        {**_given_columns(unit, leg, given, name), "error": error}
        for leg, name in enumerate(spec.players)
    ]


def verify(spec: Spec, row: Row, line: str | None) -> bool:
    """Replays a game on a fresh copy of its deal; raises VerificationError where it differs."""
    if row["solution"] is None:
        return False
    deal = deal_of(spec, row["unit"], line).deal
    where = f"unit {row['unit']}, {row['player']}"
    try:
        moves = parse_moves(row["solution"])
        check_game(deal, Game(tuple(moves), row["score"], row["tableau_cards"], 0))
    except (ReplayError, IllegalMove, ValueError) as error:
        raise VerificationError(f"{where}: {error}") from None
    if (len(moves), row["score"] == 0) != (row["moves"], row["solved"]):
        raise VerificationError(f"{where}: {len(moves)} moves, score {row['score']}: {row}")
    return True


TALLY_COLUMNS = ("unit", "leg", "player", "score")
_FAILED, _PLAYED = "failed", "played"
_MINUS = " minus "
_NONE = -1  # the score of a game that failed


def is_open(table: pa.Table) -> pa.ChunkedArray:
    """Games without a score."""
    return pc.is_null(table["score"])


def tally(table: pa.Table) -> Counter[str]:
    """How often each player had each score; and by how much the first differed from the others.

    Keys are "LEG PLAYER: SCORE" and "LEG PLAYER minus OTHER: DIFFERENCE".
    """
    counted: Counter[str] = Counter()
    if table.num_rows == 0:
        return counted
    legs = pc.max(table["leg"]).as_py() + 1
    names = table["player"].cast(pa.string()).slice(0, legs).to_pylist()
    filled = pc.fill_null(table["score"].cast(pa.int64()), _NONE)
    scores = np.asarray(filled).reshape(-1, legs)
    for leg, name in enumerate(names):
        mine = scores[:, leg]
        counted[_FAILED] += int((mine == _NONE).sum())
        _count(counted, f"{leg} {name}", mine[mine != _NONE])
        if leg:
            both = (mine != _NONE) & (scores[:, 0] != _NONE)
            _count(counted, f"{leg} {names[0]}{_MINUS}{name}", (scores[:, 0] - mine)[both])
    return counted


def _count(counted: Counter[str], key: str, values: np.ndarray) -> None:
    for value, number in zip(*np.unique(values, return_counts=True), strict=True):
        counted[f"{key}: {value}"] += int(number)


def counts(tally: Counter[str]) -> dict[str, int]:
    """Games played and failed."""
    played = sum(number for key, number in tally.items() if ": " in key and _MINUS not in key)
    return {_PLAYED: played, _FAILED: tally[_FAILED]}


def metrics(tally: Counter[str]) -> list[Metric]:
    """Of each player the mean score and the share solved; then the paired differences.

    A negative difference says that the measured player leaves fewer cards.
    """
    by_name: dict[tuple[int, str], dict[int, int]] = {}
    for key, number in tally.items():
        name, found, value = key.rpartition(": ")
        if found:
            leg, _, rest = name.partition(" ")
            by_name.setdefault((int(leg), rest), {})[int(value)] = number
    alone: list[Metric] = []
    paired: list[Metric] = []
    for (_, name), values in sorted(by_name.items()):
        if _MINUS in name:
            paired.append(mean_of_counts(f"{name}, paired", values, PAIRED_CONFIDENCE))
        else:
            alone.append(mean_of_counts(f"{name}, mean score", values))
            alone.append(share(f"{name}, solved", values.get(0, 0), sum(values.values())))
    return [*alone, *paired]


def remarks(tally: Counter[str]) -> list[str]:
    """Games that failed, and that bounds are no fair play."""
    names = {key.rpartition(": ")[0].partition(" ")[2] for key in tally}
    said = [f"{name} is a bound, not a fair player" for name in BOUNDS if name in names]
    if tally[_FAILED]:
        said.append(f"{tally[_FAILED]:,} games have no score")
    return said


def report_sections(spec: Spec, run: RunView) -> list[Section]:
    """Distributions of scores, paired differences, and the measured player's best game."""
    table = run.read(["unit", "leg", "player", "score", "moves", "seconds", "solution"])
    metrics = {metric.name: metric for metric in run.metrics()}
    found = gallery_report.score_sections(table, metrics, spec.players)
    games = table.filter(pc.and_(pc.equal(table["leg"], 0), table["solution"].is_valid()))
    if games.num_rows:
        best = games.slice(int(np.asarray(games["score"]).argmin()), 1).to_pylist()[0]
        lines = run.lines([best["unit"]])
        deal = deal_of(spec, best["unit"], lines[0] if lines else None).deal
        found.append(
            gallery_report.replay_section(deal, best["unit"], spec.players[0], best["solution"])
        )
    return found
