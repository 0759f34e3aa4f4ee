"""How many Gallery deals can be won with the stock known: one unit is one deal, one row."""

import hashlib
import time
from collections import Counter
from typing import ClassVar

import pyarrow as pa
from pydantic import Field

from engines.gallery import exact
from engines.gallery.deal import random_deal
from engines.gallery.rules import Position, parse_moves, replay
from engines.limits import Limits, Outcome
from jobs.columns import WORD, column
from jobs.gallery_pimc import deal_of, read_line
from jobs.job import (
    JobSpec,
    Row,
    VerificationError,
    all_units,
    no_artifacts,
    nothing_found,
    one_by_one,
    one_stage,
)
from jobs.klondike_solvability import is_open, metrics

__all__ = ["is_open", "metrics", "read_line"]

NAME = "gallery-solvability"
SUMMARY = "How many Gallery deals can be won with the order of the stock known."


class Spec(JobSpec):
    """The options of the job."""

    UNIT_FIELD: ClassVar[str] = "deals"
    GROWS: ClassVar[frozenset[str]] = frozenset({"deals", "limit_nodes"})

    deals: int = Field(1000, ge=1, description="Number of deals.")
    limit_nodes: int = Field(
        exact.DEFAULT_LIMITS.nodes, ge=1, description="Positions searched for each deal at most."
    )


SCHEMA = pa.schema(
    [
        column("unit", pa.int64(), "the deal's number, or its line in the deal file"),
        column("id", pa.string(), "the deal's id in the deal file"),
        column("outcome", WORD, "solved, unsolvable (proved), node_limit, ..."),
        column("nodes", pa.int64(), "positions searched; 0 where random games found a win"),
        column("states", pa.int64(), "different positions met"),
        column("moves", pa.int16(), "moves of the solution, deals included"),
        column("solution", pa.string(), "the moves, as text of engines.gallery.rules.Move"),
        column("error", pa.string(), "what went wrong where the outcome is failed"),
        column("seconds", pa.float64(), "wall time spent on the deal"),
    ],
    metadata={"schema": f"{NAME}/1"},
)

compute_many, stages, found, artifacts = one_by_one, one_stage, nothing_found, no_artifacts
counts, sequential = dict, all_units

_BLANK: Row = dict.fromkeys(SCHEMA.names)
_SIGNATURE_UNITS = 8
_SIGNATURE_NODES = 500


def signature(spec: Spec) -> str:
    """A hash of the first deals of seed 0 and of what a short search makes of them."""
    del spec
    digest = hashlib.sha256()
    for unit in range(_SIGNATURE_UNITS):
        deal = random_deal(0, unit)
        result = exact.solve(Position.start(deal), Limits(_SIGNATURE_NODES))
        digest.update(f"{deal.as_json()} {result}".encode())
    return digest.hexdigest()[:16]


def compute(spec: Spec, unit: int, line: str | None) -> list[Row]:
    """Solves the deal of a unit."""
    given = deal_of(spec, unit, line)
    started = time.perf_counter()
    limits = Limits(spec.limit_nodes, exact.DEFAULT_LIMITS.bytes)
    result = exact.solve(Position.start(given.deal), limits)
    solved = result.outcome is Outcome.SOLVED
    return [
        {
            **_BLANK,
            "unit": unit,
            "id": given.id,
            "outcome": str(result.outcome),
            "nodes": result.nodes,
            "states": result.states,
            "moves": len(result.moves) if solved else None,
            "solution": " ".join(map(str, result.moves)) if solved else None,
            "seconds": time.perf_counter() - started,
        }
    ]


def failed_rows(spec: Spec, unit: int, line: str | None, error: str) -> list[Row]:
    """The row of a deal on which the solver failed."""
    given = deal_of(spec, unit, line)
    failed = {"outcome": str(Outcome.FAILED), "error": error}
    return [{**_BLANK, "unit": unit, "id": given.id, **failed}]


def verify(spec: Spec, row: Row, line: str | None) -> bool:
    """Replays a solution on the rules; raises VerificationError where it does not win."""
    solved = row["outcome"] == Outcome.SOLVED
    if solved != (row["solution"] is not None):
        raise VerificationError(f"unit {row['unit']}: {row['outcome']}, moves {row['solution']!r}")
    if not solved:
        return False
    try:
        moves = parse_moves(row["solution"])
        end = replay(deal_of(spec, row["unit"], line).deal, moves)
    except ValueError as error:
        raise VerificationError(f"unit {row['unit']}: {error}") from None
    if not end.solved or len(moves) != row["moves"]:
        raise VerificationError(
            f"unit {row['unit']}: {len(moves)} moves of {row['moves']} leave {end.score} cards"
        )
    return True


TALLY_COLUMNS = ("unit", "outcome")


def tally(table: pa.Table) -> Counter[str]:
    """Rows by outcome."""
    found = table["outcome"].cast(pa.string()).value_counts()
    return Counter(
        dict(zip(found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True))
    )


def remarks(tally: Counter[str]) -> list[str]:
    """Nothing beside the metrics."""
    del tally
    return []
