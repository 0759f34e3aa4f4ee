"""How many Shenzhen solitaire deals can be won: one unit is one deal, one row."""

import hashlib
import json
import time
from typing import ClassVar

import pyarrow as pa
from pydantic import Field

from engines.deal_text import without_none
from engines.limits import Limits
from engines.shenzhen import exact
from engines.shenzhen.deal import random_deal
from engines.shenzhen.moves import parse_moves
from engines.shenzhen.position_text import PositionLine, parse_position_line, position_json
from engines.shenzhen.rules import Position, replay
from jobs.columns import ID, UNIT, column
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

__all__ = ["TALLY_COLUMNS", "counts", "is_open", "metrics", "remarks", "tally"]

NAME = "shenzhen-solvability"
SUMMARY = "How many deals of Shenzhen solitaire can be won."


class Spec(JobSpec):
    """The options of the job."""

    UNIT_FIELD: ClassVar[str] = "deals"
    GROWS: ClassVar[frozenset[str]] = frozenset({"deals", "limit_nodes"})

    deals: int = Field(1000, ge=1, description="Number of deals.")
    limit_nodes: int = Field(
        exact.DEFAULT_LIMITS.nodes, ge=1, description="Positions explored for each deal at most."
    )

    @property
    def limits(self) -> Limits:
        """The limits of the solver."""
        return Limits(self.limit_nodes, exact.DEFAULT_LIMITS.bytes)


SCHEMA = pa.schema(
    [
        UNIT,
        ID,
        PROVED_OUTCOME,
        EXPECTED,
        column("nodes", pa.int64(), "positions explored"),
        column("states", pa.int64(), "different positions met, but for the order of piles"),
        column("moves", pa.int32(), "moves of the solution made by hand"),
        column("solution", pa.string(), "the moves, as text of engines.shenzhen.moves.Move"),
        ERROR,
        SECONDS,
    ],
    metadata={"schema": f"{NAME}/1"},
)

compute_many, stages, found, artifacts = one_by_one, one_stage, nothing_found, no_artifacts
sequential = all_units

_BLANK: Row = dict.fromkeys(SCHEMA.names)
_SIGNATURE_UNITS = 8
_SIGNATURE_NODES = 200


def signature(spec: Spec) -> str:
    """A hash of the first deals of seed 0 and of what a short search makes of them."""
    del spec
    digest = hashlib.sha256()
    for unit in range(_SIGNATURE_UNITS):
        deal = random_deal(0, unit)
        found = _solve(Position(deal.columns), Limits(_SIGNATURE_NODES))
        digest.update(json.dumps([deal.columns, found]).encode())
    return digest.hexdigest()[:16]


def read_line(text: str, spec: Spec) -> str:
    """The position of a line in canonical JSON; raises ValueError."""
    del spec
    line = parse_position_line(text)
    fields = {"id": line.id, "verdict": line.verdict, **position_json(line.position)}
    return json.dumps(without_none(fields))


def position_of(spec: Spec, unit: int, line: str | None) -> PositionLine:
    """The deal or position of a unit, before its automatic moves."""
    if line is None:
        return PositionLine(Position(random_deal(spec.seed, unit).columns))
    return parse_position_line(line)


def compute(spec: Spec, unit: int, line: str | None) -> list[Row]:
    """Solves the deal of a unit."""
    given = position_of(spec, unit, line)
    started = time.perf_counter()
    found = _solve(given.position, spec.limits)
    seconds = time.perf_counter() - started
    return [{**_BLANK, **given_columns(unit, given), **found, "seconds": seconds}]


def _solve(position: Position, limits: Limits) -> Row:
    found = exact.solve(position, limits)
    return {
        **outcome_columns(found.outcome, found.moves),
        "nodes": found.nodes,
        "states": found.states,
    }


def failed_rows(spec: Spec, unit: int, line: str | None, error: str) -> list[Row]:
    """The row of a deal on which the solver failed."""
    given = given_columns(unit, position_of(spec, unit, line))
    return [{**_BLANK, **given, **failed_columns(error)}]


def report_sections(spec: Spec, run: RunView) -> list[Section]:
    """Outcomes, distributions and undecided deals."""
    return solvability_report.sections("shenzhen", SCHEMA, spec, run)


def verify(spec: Spec, row: Row, line: str | None) -> bool:
    """Replays a solution on the rules; raises VerificationError where it does not win."""

    def play(solution: str) -> tuple[int, bool]:
        moves = parse_moves(solution)
        return len(moves), replay(position_of(spec, row["unit"], line).position, moves).won

    return verify_solution(row, play)
