"""How many Klondike deals a solver wins: one unit is one deal, one row."""

import hashlib
import json
import time
from collections.abc import Callable
from typing import Any, ClassVar, Literal, Self

import pyarrow as pa
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from engines.deal_text import DealError, without_none
from engines.klondike import exact, skip_action
from engines.klondike.deal import (
    MAX_DRAW,
    Deal,
    DealLine,
    parse_deal_line,
    random_deal,
)
from engines.klondike.moves import parse_moves
from engines.klondike.rules import Rules, replay
from engines.limits import Limits
from jobs.columns import ID, UNIT, WORD, column
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

NAME = "klondike-solvability"
SUMMARY = "How many Klondike deals can be won with all cards known."
DEFAULT_DRAW = 3
_DEFAULT_LIMITS = {"exact": exact.DEFAULT_LIMITS, "skip-action": skip_action.DEFAULT_LIMITS}


class Spec(JobSpec):
    """The options of the job."""

    UNIT_FIELD: ClassVar[str] = "deals"
    GROWS: ClassVar[frozenset[str]] = frozenset({"deals", "limit_nodes"})
    METHOD: ClassVar[frozenset[str]] = frozenset({"solver", "keep_going"})

    deals: int = Field(1000, ge=1, description="Number of deals.")
    solver: Literal["exact", "skip-action"] = Field("exact", description="The solver.")
    draw: int | None = Field(
        None,
        ge=1,
        le=MAX_DRAW,
        description=f"Cards drawn at a time: what the deal's line says, else {DEFAULT_DRAW}.",
    )
    redeals: int | None = Field(
        None, ge=0, le=100, description="How often the waste may be turned over: without limit."
    )
    worrying_back: bool = Field(
        True, description="Whether a card may return from its foundation to the tableau."
    )
    limit_nodes: int | None = Field(
        None,
        ge=1,
        description="States (exact) or play-outs (skip-action) for each deal at most: "
        f"{exact.DEFAULT_LIMITS.nodes:,} or {skip_action.DEFAULT_LIMITS.nodes:,}.",
    )
    keep_going: bool = Field(
        False, description="Skip-action: go on up to the limit and keep the shortest solution."
    )

    @model_validator(mode="before")
    @classmethod
    def _fill_limit(cls, fields: dict[str, Any]) -> dict[str, Any]:
        """The limit that suits the solver, where none is given."""
        limits = _DEFAULT_LIMITS.get(fields.get("solver", "exact"))
        if fields.get("limit_nodes") is not None or limits is None:
            return fields
        return {**fields, "limit_nodes": limits.nodes}

    @model_validator(mode="after")
    def _check_solver(self) -> Self:
        if self.keep_going and self.solver != "skip-action":
            raise PydanticCustomError("keep_going", "only the skip-action solver can keep going")
        return self

    @property
    def limits(self) -> Limits:
        """The limits of the solver; that of nodes is never left open."""
        assert self.limit_nodes is not None
        return Limits(self.limit_nodes, _DEFAULT_LIMITS[self.solver].bytes)

    def rules(self) -> dict[str, Any]:
        """Draw, redeals and worrying back, of deals that do not name their own draw."""
        return {**super().rules(), "draw": self.draw or DEFAULT_DRAW}


SCHEMA = pa.schema(
    [
        UNIT,
        ID,
        column("solver", WORD, "the solver"),
        column("draw", pa.int8(), "cards drawn at a time"),
        column("outcome", WORD, "solved, unsolvable (proved), exhausted (no proof), ..."),
        EXPECTED,
        column("nodes", pa.int64(), "states explored (exact) or play-outs made (skip-action)"),
        column("states", pa.int64(), "exact: different states met"),
        column("check_points", pa.int64(), "skip-action: attempts that led to a new position"),
        column("deepest_level", pa.int32(), "skip-action: deepest recursion, 1 at the deal"),
        column("wins", pa.int64(), "skip-action: solutions met, each shorter than the last"),
        column("moves", pa.int32(), "moves of the solution, draws and redeals included"),
        column("solution", pa.string(), "the moves, as text of engines.klondike.moves.Move"),
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
    digest = hashlib.sha256()
    short = Spec(solver=spec.solver, limit_nodes=_SIGNATURE_NODES)
    for unit in range(_SIGNATURE_UNITS):
        deal = random_deal(0, unit)
        found = _SOLVERS[spec.solver](deal, Rules(), short)
        digest.update(json.dumps([deal.as_json(), found]).encode())
    return digest.hexdigest()[:16]


def read_line(text: str, spec: Spec) -> str:
    """The deal of a line in canonical JSON; raises ValueError, also for another draw than asked."""
    line = parse_deal_line(text)
    if spec.draw is not None and line.draw is not None and line.draw != spec.draw:
        raise DealError(f"the deal is for draw {line.draw}, but draw {spec.draw} was asked for")
    fields = {"id": line.id, "draw": line.draw, "verdict": line.verdict, **line.deal.as_json()}
    return json.dumps(without_none(fields))


def compute(spec: Spec, unit: int, line: str | None) -> list[Row]:
    """Solves the deal of a unit."""
    given, rules = position_of(spec, unit, line)
    started = time.perf_counter()
    found = _SOLVERS[spec.solver](given.deal, rules, spec)
    seconds = time.perf_counter() - started
    given_columns = _given_columns(spec, unit, given, rules)
    return [{**_BLANK, **given_columns, **found, "seconds": seconds}]


def _exact(deal: Deal, rules: Rules, spec: Spec) -> Row:
    found = exact.solve(deal, rules, spec.limits)
    return {
        **outcome_columns(found.outcome, found.moves),
        "nodes": found.nodes,
        "states": found.states,
    }


def _skip_action(deal: Deal, rules: Rules, spec: Spec) -> Row:
    found = skip_action.solve(deal, rules, spec.limits, keep_going=spec.keep_going)
    return {
        **outcome_columns(found.outcome, found.moves),
        "nodes": found.playouts,
        "check_points": found.check_points,
        "deepest_level": found.deepest_level,
        "wins": found.wins,
    }


_SOLVERS: dict[str, Callable[[Deal, Rules, Spec], Row]] = {
    "exact": _exact,
    "skip-action": _skip_action,
}


def position_of(spec: Spec, unit: int, line: str | None) -> tuple[DealLine, Rules]:
    """The deal of a unit and the rules it is played by."""
    given = DealLine(random_deal(spec.seed, unit)) if line is None else parse_deal_line(line)
    draw = given.draw or spec.draw or DEFAULT_DRAW
    return given, Rules(draw=draw, redeals=spec.redeals, worrying_back=spec.worrying_back)


def failed_rows(spec: Spec, unit: int, line: str | None, error: str) -> list[Row]:
    """The row of a deal on which the solver failed."""
    given, rules = position_of(spec, unit, line)
    return [{**_BLANK, **_given_columns(spec, unit, given, rules), **failed_columns(error)}]


def _given_columns(spec: Spec, unit: int, given: DealLine, rules: Rules) -> Row:
    return {**given_columns(unit, given), "solver": spec.solver, "draw": rules.draw}


def report_sections(spec: Spec, run: RunView) -> list[Section]:
    """Outcomes, distributions and undecided deals; the exact solver decides what a search left."""
    again = "--solver exact" if spec.solver == "skip-action" else ""
    return solvability_report.sections("klondike", SCHEMA, spec, run, again)


def verify(spec: Spec, row: Row, line: str | None) -> bool:
    """Replays a solution on the rules; raises VerificationError where it does not win."""

    def play(solution: str) -> tuple[int, bool]:
        given, rules = position_of(spec, row["unit"], line)
        moves = parse_moves(solution)
        return len(moves), replay(given.deal, rules, moves).won

    return verify_solution(row, play)
