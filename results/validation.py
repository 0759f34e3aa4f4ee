"""Checks of benchmark files: what a file is, and whether its figures follow from its counts."""

import math
from collections.abc import Callable

from results.ai_benchmark import AiBenchmark, load_ai_benchmark
from results.benchmark import Benchmark, BenchmarkError, load_benchmark, parse_document
from results.peer_benchmark import PeerBenchmark, load_peer_benchmark
from results.statistics import Bounds, Metric, Share, bounds, share

_TOLERANCE = 1e-9

Document = Benchmark | AiBenchmark | PeerBenchmark

_LOADERS: dict[str, Callable[[str | bytes], Document]] = {
    Benchmark.model_fields["format"].default: load_benchmark,
    AiBenchmark.model_fields["format"].default: load_ai_benchmark,
    PeerBenchmark.model_fields["format"].default: load_peer_benchmark,
}


def validate(text: str | bytes) -> Document:
    """Reads a benchmark file of any kind and checks its figures; raises BenchmarkError."""
    found = parse_document(text).get("format")
    if not isinstance(found, str) or found not in _LOADERS:
        names = " or ".join(map(repr, _LOADERS))
        raise BenchmarkError(f"expected benchmark JSON with format {names}, got {found!r}")
    document = _LOADERS[found](text)
    if isinstance(document, Benchmark):
        _check_units(document)
        for metric in document.metrics:
            _check_metric(metric)
    elif isinstance(document, PeerBenchmark):
        for peer in document.peers:
            for metric in peer.strength:
                _check_metric(metric)
    elif isinstance(document, AiBenchmark):
        for rung in document.rungs:
            name = f"{rung.player} over {rung.opponent}"
            expected = _share(name, rung.wins, rung.matches)
            _compare(name, {"share": rung.share, "low": rung.low, "high": rung.high}, expected)
    return document


def _check_units(benchmark: Benchmark) -> None:
    first, stop = benchmark.units
    if not 0 <= benchmark.units_done <= stop - first:
        raise BenchmarkError(
            f"units_done is {benchmark.units_done}, of units {first} to {stop - 1}"
        )
    if benchmark.complete and benchmark.units_done < stop - first:
        raise BenchmarkError(
            f"complete, but units_done is {benchmark.units_done} of {stop - first}"
        )


def _check_metric(metric: Metric) -> None:
    if isinstance(metric, Share):
        _compare(metric.name, metric.model_dump(), _share(metric.name, metric.k, metric.n))
    elif isinstance(metric, Bounds):
        try:
            expected = bounds(metric.name, metric.k_low, metric.k_high, metric.n).model_dump()
        except ValueError:
            raise BenchmarkError(
                f"{metric.name}: k from {metric.k_low} to {metric.k_high} of n {metric.n}"
            ) from None
        names = ("estimate_low", "estimate_high", "low", "high")
        _compare(metric.name, metric.model_dump(), {name: expected[name] for name in names})
    else:
        found = (metric.low, metric.estimate, metric.high)
        known = [value for value in found if value is not None]
        if known != sorted(known):
            raise BenchmarkError(f"{metric.name}: low, estimate and high are {found}")


def _share(name: str, k: int, n: int) -> dict[str, float | None]:
    """What a share of k of n must say; raises BenchmarkError."""
    try:
        expected = share(name, k, n)
    except ValueError:
        raise BenchmarkError(f"{name}: {k} of {n}") from None
    return {
        "estimate": expected.estimate,
        "share": expected.estimate,
        "low": expected.low,
        "high": expected.high,
    }


def _compare(name: str, found: dict[str, float | None], expected: dict[str, float | None]) -> None:
    """Raises BenchmarkError for the first figure that its counts do not give."""
    for key, value in expected.items():
        if key not in found:
            continue
        told = found[key]
        same = (
            told is value
            if told is None or value is None
            else math.isclose(told, value, abs_tol=_TOLERANCE)
        )
        if not same:
            raise BenchmarkError(f"{name}: {key} is {told}, its counts give {value}")
