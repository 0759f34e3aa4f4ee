"""Markdown tables of published benchmarks, as the README shows them."""

from collections.abc import Iterable

from results.benchmark import Benchmark
from results.statistics import Bounds, Metric


def percent(value: float) -> str:
    """A share as people write it: 81.94 %."""
    return f"{100 * value:.2f} %"


def interval(metric: Metric) -> str:
    """The interval of a metric: 78.35 to 83.22 %."""
    return f"{100 * metric.low:.2f} to {percent(metric.high)}"


def estimate(metric: Metric) -> str:
    """The estimate of a metric, or both bounds where it has two; "none" without any units."""
    if isinstance(metric, Bounds):
        if metric.estimate_low is None or metric.estimate_high is None:
            return "none"
        return f"{100 * metric.estimate_low:.2f} to {percent(metric.estimate_high)}"
    return "none" if metric.estimate is None else percent(metric.estimate)


def markdown(benchmarks: Iterable[Benchmark]) -> str:
    """A table with a row for each metric of each benchmark."""
    lines = ["| study | units | metric | estimate | 95 % interval |", "|---|---|---|---|---|"]
    for benchmark in benchmarks:
        for metric in benchmark.metrics:
            cells = (
                f"`{benchmark.command}`",
                f"{benchmark.units_done:,}",
                metric.name,
                estimate(metric),
                interval(metric),
            )
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
