"""Makes the tables of what a crib is worth by the ranks thrown into it.

Stage 0 enumerates every completion of each of the 91 pairs of ranks: the exact, uniform table. Each
further stage samples, for the dealer and for the pone, cribs to which the other side throws its
best two by the tables of the stage before; the last stage's are the seat tables.
"""

import hashlib
import json
import math
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from engines.cards import PACK_SIZE, RANKS
from engines.cribbage.brain_kernel import THROW_COUNT
from engines.cribbage.crib_table_kernel import (
    COMPLETIONS,
    CUTS_LEFT,
    sample_cribs,
    sum_completions,
)
from engines.cribbage.scoring_kernel import show_table
from engines.streams import open_stream
from jobs.columns import WORD, column
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
    no_metrics,
    no_sections,
    one_by_one,
)
from results.benchmark import Benchmark
from results.table_file import rows_on_lines

NAME = "cribbage-crib-tables"
SUMMARY = "Make the cribbage brain's tables of what two thrown cards are worth in the crib."
FILE = "crib_tables.json"

PAIRS = tuple((high, low) for high in range(len(RANKS)) for low in range(high + 1))
"""The 91 pairs of ranks, higher first."""
SEATS = ("pone", "dealer")
EXACT = "exact"


class Spec(JobSpec):
    """The options of the job."""

    UNIT_FIELD: ClassVar[str] = "passes"
    GROWS: ClassVar[frozenset[str]] = frozenset()

    passes: int = Field(6, ge=1, le=50, description="How often the tables are made anew.")
    samples: int = Field(200_000, ge=2, description="Cribs for each seat and pair of ranks.")

    @property
    def unit_count(self) -> int:
        """91 pairs of ranks, then in each pass these for both seats."""
        return sum(stages(self))


SCHEMA = pa.schema(
    [
        column("unit", pa.int64(), "pair of ranks, seat and pass"),
        column("pass", pa.int16(), "0 for the exact table, then the pass of the seat tables"),
        column("seat", WORD, "exact, or who throws the pair: pone or dealer"),
        column("high", pa.int8(), "the higher rank thrown, 0 an ace"),
        column("low", pa.int8(), "the lower rank thrown"),
        column("cribs", pa.int64(), "cribs counted, each with all its cuts"),
        column("points", pa.int64(), "their points in all"),
        column("mean", pa.float64(), "mean points of a crib"),
        column("standard_error", pa.float64(), "of the mean, in points; 0 where exact"),
        column("error", pa.string(), "what went wrong, in a failed unit"),
        column("seconds", pa.float64(), "wall time"),
    ],
    metadata={"schema": f"{NAME}/1"},
)

compute_many, sequential, read_line = one_by_one, all_units, no_deals(NAME)
report_sections = no_sections
_BLANK: Row = dict.fromkeys(SCHEMA.names)


def stages(spec: Spec) -> Sequence[int]:
    """The exact table, then each pass."""
    return [len(PAIRS)] + [len(SEATS) * len(PAIRS)] * spec.passes


def found(spec: Spec, stage: int, rows: pa.Table) -> dict[str, Any]:
    """The tables of the stage before, as float64[2, 13, 13] in lists: pone, dealer."""
    del spec, stage
    return {"tables": _tables(rows).tolist()}


def _tables(rows: pa.Table) -> np.ndarray:
    """float64[2, 13, 13] of the rows of one stage; the exact ones are for both seats."""
    tables = np.full((2, len(RANKS), len(RANKS)), np.nan)
    for row in rows.select(["seat", "high", "low", "mean"]).to_pylist():
        seats = [0, 1] if row["seat"] == EXACT else [SEATS.index(row["seat"])]
        for seat in seats:
            tables[seat, row["high"], row["low"]] = row["mean"]
            tables[seat, row["low"], row["high"]] = row["mean"]
    if np.isnan(tables).any():
        raise ValueError("a unit of the crib tables failed: look at the rows' column `error`")
    return tables


def signature(spec: Spec) -> str:
    """A hash of one exact entry and of a few sampled cribs."""
    del spec
    sums = [sum_completions(0, 17, show_table(), np.zeros(4, np.int8))]
    sums += _sample(0, 0, 1, (4, 4), 50, np.zeros((2, len(RANKS), len(RANKS))))
    return hashlib.sha256(json.dumps(list(map(int, sums))).encode()).hexdigest()[:16]


def place_of(unit: int) -> tuple[int, int | None, tuple[int, int]]:
    """The pass of a unit, its seat (0 pone, 1 dealer, None in the exact table), and its ranks."""
    if unit < len(PAIRS):
        return 0, None, PAIRS[unit]
    pass_index, place = divmod(unit - len(PAIRS), len(SEATS) * len(PAIRS))
    return pass_index + 1, place // len(PAIRS), PAIRS[place % len(PAIRS)]


def compute(spec: Spec, unit: int, line: str | None) -> list[Row]:
    """One entry of one table."""
    del line
    started = time.perf_counter()
    _, seat, (high, low) = place_of(unit)
    if seat is None:
        cribs, points = 4 * COMPLETIONS, _enumerate(high, low)
        mean, error = points / cribs, 0.0
    else:
        tables = np.array(spec.found["tables"])
        points, squares = _sample(spec.seed, unit, seat, (high, low), spec.samples, tables)
        cribs = spec.samples
        mean = points / cribs / CUTS_LEFT
        variance = (squares - points * points / cribs) / (cribs - 1)
        error = math.sqrt(variance / cribs) / CUTS_LEFT
    return [
        {
            **_BLANK,
            **_given_columns(unit),
            "cribs": cribs,
            "points": points,
            "mean": mean,
            "standard_error": error,
            "seconds": time.perf_counter() - started,
        }
    ]


def _given_columns(unit: int) -> Row:
    pass_index, seat, (high, low) = place_of(unit)
    name = EXACT if seat is None else SEATS[seat]
    return {"unit": unit, "pass": pass_index, "seat": name, "high": high, "low": low}


def _enumerate(high: int, low: int) -> int:
    """Points over all completions, a quarter of them with both cards of one suit if they can be."""
    cards = np.zeros(4, np.int8)
    off_suit = sum_completions(4 * high, 4 * low + 1, show_table(), cards)
    same_suit = off_suit if high == low else sum_completions(4 * high, 4 * low, show_table(), cards)
    return int(3 * off_suit + same_suit)


def _sample(
    seed: int, unit: int, seat: int, ranks: tuple[int, int], samples: int, tables: np.ndarray
) -> tuple[int, int]:
    """Sum and sum of squares of the points of `samples` cribs over their 44 cuts."""
    points, squares = sample_cribs(
        *ranks,
        bool(seat),
        samples,
        open_stream(seed, unit, "cribbage crib table"),
        show_table(),
        tables,
        np.zeros(PACK_SIZE, np.int8),
        np.zeros(10, np.int8),
        np.zeros(THROW_COUNT),
    )
    return int(points), int(squares)


def failed_rows(spec: Spec, unit: int, line: str | None, error: str) -> list[Row]:
    """The row of an entry that could not be made."""
    del spec, line
    return [{**_BLANK, **_given_columns(unit), "error": error}]


def verify(spec: Spec, row: Row, line: str | None) -> bool:
    """Counts again; raises VerificationError where that gives other points."""
    if row["error"] is not None:
        return False
    expected = compute(spec, row["unit"], line)[0]
    for name in ("points", "cribs", "mean"):
        if row[name] != expected[name]:
            raise VerificationError(
                f"unit {row['unit']}: {name} {row[name]}, but counted again {expected[name]}"
            )
    return True


TALLY_COLUMNS = ("unit", "pass", "error")


def tally(table: pa.Table) -> Counter[str]:
    """Entries made and failed."""
    return made_and_failed(table, "entries")


is_open, counts, metrics = failed_rows_open, dict, no_metrics
remarks = failed_remarks("entries")


def artifacts(spec: Spec, read: ReadRows, benchmark: Benchmark) -> dict[str, str]:
    """`crib_tables.json`, which the engine reads; the seat tables of each pass are in it."""
    rows = read(["unit", "pass", "seat", "high", "low", "mean", "standard_error"])
    passes = np.asarray(rows["pass"])
    tables = [_tables(rows.filter(passes == index)) for index in range(spec.passes + 1)]
    last = np.asarray(rows.filter(passes == spec.passes)["standard_error"])
    document = {
        "format": "dealfarm-crib-tables",
        "version": 1,
        "ranks": RANKS,
        "seed": spec.seed,
        "samples": spec.samples,
        "passes": spec.passes,
        "largest_standard_error": float(last.max()),
        "largest_change_in_last_pass": float(np.abs(tables[-1] - tables[-2]).max()),
        "made_by": benchmark.command,
        "exact": tables[0][0].round(6).tolist(),
        "pone": tables[-1][0].round(6).tolist(),
        "dealer": tables[-1][1].round(6).tolist(),
        "pone_before": tables[-2][0].round(6).tolist(),
        "dealer_before": tables[-2][1].round(6).tolist(),
    }
    return {FILE: rows_on_lines(document)}
