"""Markdown tables of published benchmarks, as the README shows them."""

from collections.abc import Iterable

from results.benchmark import Benchmark
from results.statistics import CONFIDENCE, Bounds, Estimate, Metric, Share


def percent(value: float) -> str:
    """A share as people write it: 81.94 %."""
    return f"{100 * value:.2f} %"


def number(value: int) -> str:
    """A whole number as people write it: 300,000."""
    return f"{value:,}"


def seconds(value: float) -> str:
    """A time with three digits: 412 µs, 3.61 ms, 12.5 s."""
    for factor, unit in ((1e6, "µs"), (1e3, "ms")):
        if value * factor < 999.5:
            return f"{value * factor:.3g} {unit}"
    return f"{value:.3g} s" if value < 999.5 else f"{value:,.0f} s"


def interval(metric: Metric) -> str:
    """The interval of a metric: 78.35 to 83.22 %."""
    if isinstance(metric, Estimate) and metric.unit != "share":
        low, high = (_number(bound, metric.unit) for bound in (metric.low, metric.high))
        return f"{low} to {high}"
    return (
        f"{100 * (metric.low or 0.0):.2f} to {percent(1.0 if metric.high is None else metric.high)}"
    )


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "unbounded"
    return {"Elo": f"{value:+.1f}", "cards": f"{value:.2f}"}.get(unit, f"{value:.3f}")


def estimate(metric: Metric) -> str:
    """The estimate of a metric, or both bounds where they differ; "none" without any units."""
    if isinstance(metric, Bounds):
        if metric.estimate_low is None or metric.estimate_high is None:
            return "none"
        if metric.k_low == metric.k_high:
            return percent(metric.estimate_low)
        return f"{100 * metric.estimate_low:.2f} to {percent(metric.estimate_high)}"
    if isinstance(metric, Estimate) and metric.unit != "share":
        return f"{_number(metric.estimate, metric.unit)} {metric.unit}"
    return "none" if metric.estimate is None else percent(metric.estimate)


def band(metric: Metric) -> str:
    """The band of a metric and how much of its interval is inside; nothing where it has none."""
    if not isinstance(metric, Share) or metric.band is None:
        return ""
    low, high = metric.band
    return f"band {100 * low:.0f} to {100 * high:.0f} %: {metric.within_band}"


def markdown(benchmarks: Iterable[Benchmark]) -> str:
    """For each benchmark its command and a table of shares, with bands if any, and mean cards."""
    return "\n".join(map(_table, benchmarks))


def _table(benchmark: Benchmark) -> str:
    shares = [
        metric
        for metric in benchmark.metrics
        if not isinstance(metric, Estimate) or metric.unit == "cards"
    ]
    means = any(isinstance(metric, Estimate) for metric in shares)
    head = ["figure" if means else "share", "n", "estimate", "95 % interval"]
    if any(map(band, shares)):
        head.append("band")
    rows = [head, ["---"] * len(head)]
    for metric in shares:
        shown = interval(metric)
        if metric.confidence != CONFIDENCE:
            shown += f" ({100 * metric.confidence:.0f} %)"
        cells = [metric.name, f"{metric.n:,}", estimate(metric), shown]
        rows.append([*cells, band(metric).removeprefix("band ")][: len(head)])
    lines = [f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in rows]
    return f"`{benchmark.command}`\n\n" + "\n".join(lines) + "\n"
