"""How many Gallery deals can be won with the stock known: one unit is one deal, one row."""

import hashlib
import time
from typing import ClassVar

import pyarrow as pa
from pydantic import Field

from engines.gallery import exact
from engines.gallery.deal import random_deal
from engines.gallery.moves import parse_moves
from engines.gallery.rules import Position, replay
from engines.limits import Limits
from jobs.columns import ID, UNIT, column
from jobs.gallery_pimc import deal_of, read_line
from jobs.job import (
    JobSpec,
    Row,
    RunView,
    all_units,
    no_artifacts,
    nothing_found,
    one_by_one,
    one_stage,
)
from jobs.reports import solvability_report
from jobs.solvability import (
    ERROR,
    EXPECTED,
    PROVED_OUTCOME,
    SECONDS,
    TALLY_COLUMNS,
    counts,
    failed_columns,
    given_columns,
    is_open,
    metrics,
    outcome_columns,
    remarks,
    tally,
    verify_solution,
)
from results.report.parts import Section

__all__ = ["TALLY_COLUMNS", "counts", "is_open", "metrics", "read_line", "remarks", "tally"]

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
        UNIT,
        ID,
        PROVED_OUTCOME,
        EXPECTED,
        column("nodes", pa.int64(), "positions searched; 0 where random games found a win"),
        column("states", pa.int64(), "different positions met"),
        column("moves", pa.int16(), "moves of the solution, deals included"),
        column("solution", pa.string(), "the moves, as text of engines.gallery.moves.Move"),
        ERROR,
        SECONDS,
    ],
    metadata={"schema": f"{NAME}/1"},
)

compute_many, stages, found, artifacts = one_by_one, one_stage, nothing_found, no_artifacts
sequential = all_units

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
    return [
        {
            **_BLANK,
            **given_columns(unit, given),
            **outcome_columns(result.outcome, result.moves),
            "nodes": result.nodes,
            "states": result.states,
            "seconds": time.perf_counter() - started,
        }
    ]


def failed_rows(spec: Spec, unit: int, line: str | None, error: str) -> list[Row]:
    """The row of a deal on which the solver failed."""
    given = given_columns(unit, deal_of(spec, unit, line))
    return [{**_BLANK, **given, **failed_columns(error)}]


def report_sections(spec: Spec, run: RunView) -> list[Section]:
    """Outcomes, distributions and undecided deals."""
    return solvability_report.sections("gallery", SCHEMA, spec, run)


def verify(spec: Spec, row: Row, line: str | None) -> bool:
    """Replays a solution on the rules; raises VerificationError where it does not win."""

    def play(solution: str) -> tuple[int, bool]:
        moves = parse_moves(solution)
        return len(moves), replay(deal_of(spec, row["unit"], line).deal, moves).solved

    return verify_solution(row, play)
