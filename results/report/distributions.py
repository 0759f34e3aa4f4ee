"""Distributions with long tails: histograms on a log scale, and the tail by name."""

from collections.abc import Mapping

import numpy as np

from results.report.parts import Histogram, Table
from results.tables import number, seconds

_BINS = 30
_QUANTILES = (("median", 0.5), ("90 %", 0.9), ("99 %", 0.99), ("99.9 %", 0.999))
_MARKED = ("median", "99 %", "largest")


def tail(values: np.ndarray) -> list[tuple[str, float]]:
    """Named quantiles, each a value that occurred, and the largest.

    Only those with at least one value beyond. values: not empty.
    """
    found = [
        (name, float(np.quantile(values, share, method="inverted_cdf")))
        for name, share in _QUANTILES
        if len(values) * (1 - share) >= 1
    ]
    return [*found, ("largest", float(values.max()))]


def shown(value: float, is_time: bool) -> str:
    """A value as text: seconds, or a whole number."""
    return seconds(value) if is_time else number(int(value))


def tail_table(
    columns: Mapping[str, np.ndarray], what: str, head: str = "column", is_time: bool = False
) -> Table:
    """The quantiles of values by name, none of them empty; `what` they are values of.

    head: of the names. is_time: whether all are seconds; otherwise those called `seconds` are.
    """
    names = [name for name, _ in _QUANTILES] + ["largest"]
    rows = []
    for column, values in columns.items():
        found = dict(tail(values))
        cells = [
            shown(found[name], is_time or column == "seconds") if name in found else ""
            for name in names
        ]
        rows.append((column, number(len(values)), *cells))
    return Table(
        head=(head, what, *names),
        rows=tuple(rows),
        numeric=frozenset(range(1, len(names) + 2)),
        note="99 %: so many of the values are not larger.",
    )


def log_histogram(
    column: str, description: str, groups: Mapping[str, np.ndarray]
) -> Histogram | None:
    """How the values of a column are distributed, by group; None without one above 0.

    Values of 0 have no place on a log scale and are told in the note.
    """
    values = np.concatenate(list(groups.values()))
    positive = values[values > 0]
    if not len(positive):
        return None
    is_time = column == "seconds"
    edges = _edges(positive)
    zeros = len(values) - len(positive)
    note = f"{description}; {number(zeros)} of 0 are not drawn" if zeros else description
    return Histogram(
        title=column,
        axis=f"{'time' if is_time else column}, log scale",
        edges=tuple(edges.tolist()),
        groups=tuple(
            (name, tuple(np.histogram(of_group, edges)[0].tolist()))
            for name, of_group in groups.items()
        ),
        is_time=is_time,
        marks=tuple(
            (f"{name} {shown(value, is_time)}", value)
            for name, value in tail(values)
            if name in _MARKED and value > 0
        ),
        note=note,
    )


def _edges(values: np.ndarray) -> np.ndarray:
    """Edges that grow by a factor; between whole numbers, where the values are such."""
    low, high = float(values.min()), float(values.max())
    if np.issubdtype(values.dtype, np.integer):
        edges: np.ndarray = np.unique(np.round(np.geomspace(low, high + 1, _BINS + 1))) - 0.5
        return edges
    if low == high:
        low, high = low / 1.5, high * 1.5
    edges = np.geomspace(low, high, _BINS + 1)
    edges[0], edges[-1] = low, high  # rounding must not lose the ends
    return edges
