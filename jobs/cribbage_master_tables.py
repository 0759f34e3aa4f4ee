"""Makes the tables of which hands Expert keeps, and of what a kept hand brings in the play."""

import hashlib
import math
import time
from collections import Counter
from itertools import combinations_with_replacement
from typing import ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from engines.cribbage.fast_match import seated
from engines.cribbage.master_memory import idle_search
from engines.cribbage.master_table_kernel import sample_plays
from engines.cribbage.scoring_kernel import RANKS, SHOWS, show_index
from engines.cribbage.tiers import EXPERT
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
    no_metrics,
    no_sections,
    nothing_found,
    one_by_one,
    one_stage,
)
from results.benchmark import Benchmark
from results.table_file import rows_on_lines

NAME = "cribbage-master-tables"
SUMMARY = "Make Master's tables of kept hands and of what they bring in the play."
FILE = "master_tables.json"
PLAYS = 100_000
"""Plays of a unit."""
AT_RANDOM = 0.05
"""The share of hands that an opponent is thought to keep at random."""
SHRINKAGE = 30
"""Plays with the role's mean that are added to those of each hand, so that rare hands do not
stand out by chance."""


class Spec(JobSpec):
    """The options of the job."""

    UNIT_FIELD: ClassVar[str] = "rounds"
    GROWS: ClassVar[frozenset[str]] = frozenset()

    rounds: int = Field(600, ge=1, description=f"Rounds of {PLAYS:,} plays.")


_COUNTS = pa.list_(pa.int32())
SCHEMA = pa.schema(
    [
        column("unit", pa.int64(), "the round"),
        column(
            "keeps",
            _COUNTS,
            "how often Expert kept each four ranks, not all of a suit, as pone, then as dealer",
        ),
        column("flushes", _COUNTS, "how often it kept them all of a suit"),
        column("counts", _COUNTS, "how often they were kept at random"),
        column("margins", _COUNTS, "points in the play of those kept at random, less the other's"),
        column("throws", _COUNTS, "how often Expert threw each two ranks, the lower first"),
        column("error", pa.string(), "what went wrong, in a failed round"),
        column("seconds", pa.float64(), "wall time"),
    ],
    metadata={"schema": f"{NAME}/3"},
)
compute_many, stages, found, sequential = one_by_one, one_stage, nothing_found, all_units
report_sections = no_sections
read_line = no_deals(NAME)
_BLANK: Row = dict.fromkeys(SCHEMA.names)
_SUMS = {
    "keeps": (2, SHOWS),
    "flushes": (2, SHOWS),
    "counts": (2, SHOWS),
    "margins": (2, SHOWS),
    "throws": (2, RANKS, RANKS),
}
"""The sums of a round and their shapes, by role first."""


def signature(spec: Spec) -> str:
    """A hash of a few plays."""
    del spec
    digest = hashlib.sha256()
    for each in _sums(0, 0, 1_000):
        digest.update(each.tobytes())
    return digest.hexdigest()[:16]


def _sums(seed: int, unit: int, plays: int) -> list[np.ndarray]:
    """Those of _SUMS of a round, int64 each."""
    table = seated(EXPERT, open_stream(seed, unit, "cribbage master tables"))
    sums = [np.zeros(shape, np.int64) for shape in _SUMS.values()]
    sample_plays(table, idle_search(), plays, *sums)
    return sums


def compute(spec: Spec, unit: int, line: str | None) -> list[Row]:
    """One round."""
    del line
    started = time.perf_counter()
    sums = _sums(spec.seed, unit, PLAYS)
    columns = {name: each.reshape(-1).tolist() for name, each in zip(_SUMS, sums, strict=True)}
    return [{**_BLANK, "unit": unit, **columns, "seconds": time.perf_counter() - started}]


def failed_rows(spec: Spec, unit: int, line: str | None, error: str) -> list[Row]:
    """The row of a round that ended in an error."""
    del spec, line
    return [{**_BLANK, "unit": unit, "error": error}]


def verify(spec: Spec, row: Row, line: str | None) -> bool:
    """Plays the round again; raises VerificationError where that gives other sums."""
    del line
    if row["error"] is not None:
        return False
    for name, expected in zip(_SUMS, _sums(spec.seed, row["unit"], PLAYS), strict=True):
        if row[name] != expected.reshape(-1).tolist():
            raise VerificationError(f"unit {row['unit']}: {name} differ from those played again")
    return True


TALLY_COLUMNS = ("unit", "error")


def tally(table: pa.Table) -> Counter[str]:
    """Rounds made and failed."""
    return made_and_failed(table, "rounds")


is_open, counts, metrics = failed_rows_open, dict, no_metrics
remarks = failed_remarks("rounds")


def artifacts(spec: Spec, read: ReadRows, benchmark: Benchmark) -> dict[str, str]:
    """`master_tables.json`, which the engine reads."""
    rows = read(["unit", *_SUMS])
    keeps, flushes, at_random, margins, throws = (
        np.array(rows[name].to_pylist(), np.int64).sum(axis=0).reshape(shape)
        for name, shape in _SUMS.items()
    )
    keeps_more, flushes_more = kept_more_often(keeps, flushes)
    document = {
        "format": "dealfarm-master-tables",
        "version": 3,
        "seed": spec.seed,
        "plays": spec.rounds * PLAYS,
        "least_plays_of_a_hand": int(at_random.min()),
        "made_by": benchmark.command,
        "keeps": keeps_more.round(4).tolist(),
        "flushes": flushes_more.round(4).tolist(),
        "throws": [table.round(4).tolist() for table in thrown_more_often(throws)],
        "pegging": pegging_of(at_random, margins).round(4).tolist(),
    }
    return {FILE: rows_on_lines(document)}


def kept_more_often(keeps: np.ndarray, flushes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By role and four ranks, how much more often they are kept of more than one suit, and of one.

    A random hand is any four cards of the pack alike.
    """
    plain_ways, flush_ways = np.zeros(SHOWS, np.int64), np.zeros(SHOWS, np.int64)
    for ranks in combinations_with_replacement(range(RANKS), 4):
        copies = Counter(ranks).values()
        row, of_a_suit = show_index(*ranks), 4 if len(copies) == 4 else 0
        flush_ways[row] = of_a_suit
        plain_ways[row] = math.prod(math.comb(4, number) for number in copies) - of_a_suit
    ways = np.concatenate([plain_ways, flush_ways])
    found = more_often(np.concatenate([keeps, flushes], axis=1), ways)
    return found[:, :SHOWS], found[:, SHOWS:]


def thrown_more_often(throws: np.ndarray) -> np.ndarray:
    """The same for pairs of ranks, of which a random throw is any two cards of the pack alike."""
    ways = np.triu(np.full((RANKS, RANKS), 16), 1) + 6 * np.eye(RANKS, dtype=np.int64)
    return more_often(throws.reshape(2, -1), ways.reshape(-1)).reshape(throws.shape)


def more_often(counts: np.ndarray, ways: np.ndarray) -> np.ndarray:
    """By role, the ratio of the shares of such an opponent and of chance; 0 where there is no way.

    counts: int64[2, kinds], of Expert. ways: int64[kinds], in which chance takes each kind.
    """
    shares = counts / counts.sum(axis=1, keepdims=True)
    ratio = shares * ways.sum() / np.maximum(ways, 1)
    mixed: np.ndarray = ((1 - AT_RANDOM) * ratio + AT_RANDOM) * (ways > 0)
    return mixed


def pegging_of(at_random: np.ndarray, margins: np.ndarray) -> np.ndarray:
    """The mean margin of each hand less that of its role, drawn towards 0 where plays are few."""
    role = margins.sum(axis=1, keepdims=True) / at_random.sum(axis=1, keepdims=True)
    mean: np.ndarray = (margins - role * at_random) / (at_random + SHRINKAGE)
    return mean
