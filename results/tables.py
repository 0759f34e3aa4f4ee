"""Markdown tables of published benchmarks, as the README shows them."""

from collections.abc import Iterable

from results.benchmark import Benchmark
from results.statistics import CONFIDENCE, Bounds, Estimate, Metric, Share

NO_INTERVAL = "no interval"
_DIGITS = 2
_MOST_DIGITS = 18


def percent(value: float, digits: int = _DIGITS) -> str:
    """A share as people write it: 81.94 %."""
    return f"{100 * value:.{digits}f} %"


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
    """The interval of a metric: 78.35 to 83.22 %; "no interval" where it has none."""
    if metric.low is None and metric.high is None:
        return NO_INTERVAL
    if isinstance(metric, Estimate) and metric.unit != "share":
        low, high = (_number(bound, metric.unit) for bound in (metric.low, metric.high))
        return f"{low} to {high}"
    low, high = (percent(bound, _digits(metric)) for bound in _ends(metric))
    return f"{low.removesuffix(' %')} to {high}"


def marked_interval(metric: Metric) -> str:
    """The interval as a column of 95 % intervals shows it: any other has its confidence behind."""
    shown = interval(metric)
    if metric.confidence == CONFIDENCE or shown == NO_INTERVAL:
        return shown
    return f"{shown} ({100 * metric.confidence:.0f} %)"


def _ends(metric: Metric) -> tuple[float, float]:
    """The interval of a share; from 0 to 1 where a bound is not known."""
    return metric.low or 0.0, 1.0 if metric.high is None else metric.high


def _digits(metric: Metric) -> int:
    """How many digits the percentages of a share need, so that it does not look like certainty.

    As many as tell the bounds of its interval from each other, and an estimate that is not 0 or
    100 % from these. Differences of shares, which may be negative, are not told from 0.
    """
    low, high = _ends(metric)
    if isinstance(metric, Bounds):
        shares = [metric.estimate_low, metric.estimate_high]
    else:
        shares = [metric.estimate] if low >= 0.0 else []
    within = [each for each in shares if each is not None and 0.0 < each < 1.0]
    for digits in range(_DIGITS, _MOST_DIGITS + 1):
        certain = {percent(0.0, digits), percent(1.0, digits)}
        if percent(low, digits) != percent(high, digits) and certain.isdisjoint(
            percent(each, digits) for each in within
        ):
            return digits
    return _DIGITS


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "unbounded"
    return {"Elo": f"{value:+.1f}", "cards": f"{value:.2f}"}.get(unit, f"{value:.3f}")


def estimate(metric: Metric) -> str:
    """The estimate of a metric, or both bounds where they differ; "none" without any units."""
    if isinstance(metric, Estimate) and metric.unit != "share":
        return f"{_number(metric.estimate, metric.unit)} {metric.unit}"
    digits = _digits(metric)
    if not isinstance(metric, Bounds):
        return "none" if metric.estimate is None else percent(metric.estimate, digits)
    if metric.estimate_low is None or metric.estimate_high is None:
        return "none"
    high = percent(metric.estimate_high, digits)
    if metric.k_low == metric.k_high:
        return high
    return f"{percent(metric.estimate_low, digits).removesuffix(' %')} to {high}"


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
        cells = [metric.name, f"{metric.n:,}", estimate(metric), marked_interval(metric)]
        rows.append([*cells, band(metric).removeprefix("band ")][: len(head)])
    lines = [f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in rows]
    return f"`{benchmark.command}`\n\n" + "\n".join(lines) + "\n"
