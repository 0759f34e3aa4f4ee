"""What a report shows of a job that decides whether deals can be won."""

import shlex
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engines.limits import DECIDED, Outcome
from jobs.job import JobSpec, RunView
from jobs.solvability import is_open
from results.report.distributions import log_histogram, tail_table
from results.report.parts import Cell, Part, Section, Table
from results.statistics import share
from results.tables import estimate, interval, number, seconds

SLOWEST = 10
UNDECIDED_LISTED = 100
_LARGER = 10
"""How much larger the limit is that the commands suggest."""
_MEASURES = ("seconds", "nodes", "states", "check_points", "deepest_level", "wins", "moves")
_SHARES = (
    "solved_share is what the solver wins, winnable_share what the game allows: deals without a "
    "verdict widen its interval and are never counted as lost."
)
_DECIDED_FIRST = {Outcome.SOLVED: 0, Outcome.UNSOLVABLE: 1}


def sections(
    game: str, schema: pa.Schema, spec: JobSpec, run: RunView, again: str = ""
) -> list[Section]:
    """Outcomes, distributions with their tail, and the undecided deals.

    game: as `farm solve` calls it. again: its options that decide a deal left undecided; a larger
    limit where there are none.
    """
    measures = [name for name in _MEASURES if name in schema.names]
    table = run.read(["unit", "id", "outcome", "error", *measures])
    outcomes = np.asarray(table["outcome"].cast(pa.string()).to_pylist(), dtype=object)
    descriptions = {field.name: field.metadata[b"description"].decode() for field in schema}
    limit = _LARGER * int(getattr(spec, "limit_nodes", 0) or 0)
    return [
        Section("Outcomes", _SHARES, [_outcome_table(outcomes)]),
        Section(
            "Times, sizes and solutions",
            "Each bar counts deals; the dashed lines name the middle and the tail.",
            [
                *_histograms(table, measures, outcomes, descriptions),
                tail_table(_values(table, measures), "deals"),
                _slowest(table, game, run.location),
            ],
        ),
        _undecided(table, outcomes, game, run, again or f"--limit-nodes {limit}", limit),
    ]


def _in_order(outcomes: np.ndarray) -> list[str]:
    """The outcomes there are: solved, unsolvable, then the others by name."""
    return sorted(
        set(outcomes.tolist()), key=lambda name: (_DECIDED_FIRST.get(Outcome(name), 2), name)
    )


def _outcome_table(outcomes: np.ndarray) -> Table:
    rows = []
    for name in _in_order(outcomes):
        found = share(name, int((outcomes == name).sum()), len(outcomes))
        shown = Cell(estimate(found), bar=found.estimate)
        rows.append((name, number(found.k), shown, interval(found)))
    return Table(
        head=("outcome", "deals", "share", "95 % interval"),
        rows=tuple(rows),
        numeric=frozenset({1, 3}),
    )


def _values(table: pa.Table, measures: Sequence[str]) -> dict[str, np.ndarray]:
    """The columns that have values, without the rows that have none."""
    found = {name: table[name].drop_null().to_numpy() for name in measures}
    return {name: values for name, values in found.items() if len(values)}


def _histograms(
    table: pa.Table,
    measures: Sequence[str],
    outcomes: np.ndarray,
    descriptions: dict[str, str],
) -> list[Part]:
    found: list[Part] = []
    for name in measures:
        groups = {}
        for outcome in _in_order(outcomes):
            values = table.filter(pa.array(outcomes == outcome))[name].drop_null().to_numpy()
            if len(values):
                groups[outcome] = values
        different = {value for values in groups.values() for value in np.unique(values).tolist()}
        if len(different) > 1 and (histogram := log_histogram(name, descriptions[name], groups)):
            found.append(histogram)
    return found


def _slowest(table: pa.Table, game: str, location: str | None) -> Table:
    table = table.filter(table["seconds"].is_valid())
    order = pc.sort_indices(table, [("seconds", "descending")])
    rows = [
        (
            _unit(row),
            seconds(row["seconds"]),
            "" if row["nodes"] is None else number(row["nodes"]),
            row["outcome"],
            Cell(_solve(game, location, row["unit"]), code=True),
        )
        for row in table.take(order[:SLOWEST]).to_pylist()
    ]
    return Table(
        head=("slowest deals", "time", "nodes", "outcome", "look at it"),
        rows=tuple(rows),
        numeric=frozenset({1, 2}),
    )


def _unit(row: dict[str, Any]) -> Cell:
    return Cell(f"unit {row['unit']}", small=row["id"] or "")


def _solve(game: str, location: str | None, unit: int, options: str = "") -> str:
    """The command that takes up one deal of the run; nothing where it cannot be read there."""
    if location is None:
        return ""
    return f"farm solve {game} {shlex.quote(f'{location}:{unit}')} {options}".rstrip()


def _undecided(
    table: pa.Table, outcomes: np.ndarray, game: str, run: RunView, again: str, limit: int
) -> Section:
    undecided = ~np.isin(outcomes, [str(outcome) for outcome in DECIDED])
    total = int(undecided.sum())
    title = "Undecided deals"
    if not total:
        return Section(title, "None: every deal was solved or proved unsolvable.", [])
    listed = table.filter(pa.array(undecided)).slice(0, UNDECIDED_LISTED)
    text = f"{number(total)} of {number(len(outcomes))} deals have no verdict."
    if total > listed.num_rows:
        text += f" The first {listed.num_rows} are listed; the rows tell of all."
    commands: tuple[str, ...] = ()
    still_open = pc.sum(is_open(table)).as_py() or 0
    if still_open:
        text += f" A larger limit takes up again {number(still_open)} of them:"
        commands = (f"{run.resume} --limit-nodes {limit}",)
    return Section(title, text, [_deals(listed, game, run.location, again)], commands)


def _deals(table: pa.Table, game: str, location: str | None, again: str) -> Table:
    """Deals and the commands that take each up; without columns that would be empty."""
    failed = table["error"].null_count < table.num_rows
    rows = []
    for row in table.to_pylist():
        nodes = "" if row["nodes"] is None else number(row["nodes"])
        cells = [_unit(row), nodes, row["outcome"]]
        if failed:
            cells.append(row["error"] or "")
        if location is not None:
            cells.append(Cell(_solve(game, location, row["unit"], again), code=True))
        rows.append(tuple(cells))
    head = ["deal", "nodes", "outcome"]
    head += ["error"] * failed + ["take it up alone"] * (location is not None)
    return Table(head=tuple(head), rows=tuple(rows), numeric=frozenset({1}), has_prose=failed)
