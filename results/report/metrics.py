"""Metrics as parts of a report: the table of all, intervals under each other, narrowing."""

from collections.abc import Iterable, Sequence

from results.report.parts import IntervalRow, Intervals, Narrowing, Point, Table
from results.statistics import Bounds, Estimate, Metric, Share
from results.tables import band, estimate, interval, number


def unit_of(metric: Metric) -> str:
    """What a metric counts: share, Elo, points or cards."""
    return metric.unit if isinstance(metric, Estimate) else "share"


def metrics_table(metrics: Iterable[Metric]) -> Table:
    """Every metric with its interval and how it was made."""
    metrics = list(metrics)
    bands = any(map(band, metrics))
    rows = []
    for metric in metrics:
        cells = [
            metric.name,
            number(metric.n),
            estimate(metric),
            interval(metric),
            f"{100 * metric.confidence:.0f} % {metric.method}",
        ]
        if bands:
            cells.append(band(metric).removeprefix("band "))
        rows.append(tuple(cells))
    head = ["figure", "n", "estimate", "interval", "method"]
    return Table(
        head=tuple([*head, "target band"] if bands else head),
        rows=tuple(rows),
        numeric=frozenset({1, 2, 3}),
    )


def intervals(
    title: str,
    named: Sequence[tuple[str, Metric]],
    zero: float | None = None,
    note: str = "",
) -> Intervals | None:
    """Labelled metrics of one unit under each other; None where none has an estimate."""
    rows = []
    for label, metric in named:
        if isinstance(metric, Bounds) or metric.estimate is None:
            continue
        target = metric.band if isinstance(metric, Share) else None
        rows.append(IntervalRow(label, metric.estimate, metric.low, metric.high, target))
    if not rows:
        return None
    return Intervals(title, unit_of(named[0][1]), tuple(rows), zero, note)


def narrowings(
    prefixes: Sequence[tuple[int, Sequence[Metric]]], at_most: int = 6
) -> list[Narrowing]:
    """How the headline, and what is like it, narrowed. prefixes: units done and their metrics."""
    if not prefixes:
        return []
    last = prefixes[-1][1]
    found: list[Narrowing] = []
    for metric in last:
        # A paired share says what the share says.
        paired = isinstance(metric, Estimate) and metric.unit == "share"
        if paired or unit_of(metric) != unit_of(last[0]) or len(found) == at_most:
            continue
        points = []
        for units, metrics in prefixes:
            same = next((each for each in metrics if each.name == metric.name), None)
            if same is not None and (point := _point(units, same)):
                points.append(point)
        if len(points) > 1 and all(tuple(points) != each.points for each in found):
            note = f"{estimate(metric)} ({interval(metric)})"
            found.append(Narrowing(metric.name, unit_of(metric), tuple(points), note))
    return found


def _point(units: int, metric: Metric) -> Point | None:
    """None where there is nothing to draw yet."""
    if isinstance(metric, Bounds):
        low, high = metric.estimate_low, metric.estimate_high
    else:
        low = high = metric.estimate
    if low is None or high is None or metric.low is None or metric.high is None:
        return None
    return Point(units, metric.low, metric.high, low, high)
