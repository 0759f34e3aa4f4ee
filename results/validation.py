"""Checks of benchmark files: what a file is, and whether its figures follow from its counts."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from results.ai_benchmark import AiBenchmark, Rung, load_ai_benchmark
from results.benchmark import Benchmark, BenchmarkError, load_benchmark, parse_document
from results.compare import SOLVED, UNSOLVABLE, Comparison, Verdicts
from results.paired import Difference, Speed
from results.peer_benchmark import Peer, PeerBenchmark, load_peer_benchmark
from results.statistics import CONFIDENCE, Bounds, Estimate, Metric, Share, bounds, elo, share

_TOLERANCE = 1e-9
_UNIT_LIMIT = 2**63  # of a column of 64 bits
_DECIDED = {SOLVED, UNSOLVABLE}

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
        _check_metrics(document.metrics)
        _check_outcomes(document)
    elif isinstance(document, PeerBenchmark):
        _check_span(document.units)
        for peer in document.peers:
            _check_peer(document, peer)
    elif isinstance(document, AiBenchmark):
        for rung in document.rungs:
            _check_rung(rung)
    return document


def _check_span(units: tuple[int, int]) -> int:
    """How many units there are; raises BenchmarkError where they are none."""
    first, stop = units
    if not 0 <= first <= stop <= _UNIT_LIMIT:
        raise BenchmarkError(f"units are from {first} up to {stop}")
    return stop - first


def _check_units(benchmark: Benchmark) -> None:
    total = _check_span(benchmark.units)
    first, stop = benchmark.units
    if benchmark.units_done > total:
        raise BenchmarkError(
            f"units_done is {benchmark.units_done}, of units {first} to {stop - 1}"
        )
    if benchmark.complete and benchmark.units_done < total:
        raise BenchmarkError(f"complete, but units_done is {benchmark.units_done} of {total}")


def _check_outcomes(benchmark: Benchmark) -> None:
    """Of solvers: the shares are of all units that are done, and of the outcomes counted."""
    solved, unsolvable = (benchmark.counts.get(word, 0) for word in (SOLVED, UNSOLVABLE))
    done = benchmark.units_done
    for metric in benchmark.metrics:
        if isinstance(metric, Share) and metric.name == "solved_share":
            expected = {"k": solved, "n": done}
            _compare(metric.name, metric.model_dump(), expected, "the file's counts")
        elif isinstance(metric, Bounds) and metric.name == "winnable_share":
            expected = {"k_low": solved, "k_high": done - unsolvable, "n": done}
            _compare(metric.name, metric.model_dump(), expected, "the file's counts")


# Metrics.


def _check_metrics(metrics: Sequence[Metric]) -> None:
    by_name = {metric.name: metric for metric in metrics}
    for metric in metrics:
        if isinstance(metric, Share):
            _check_share(metric)
        elif isinstance(metric, Bounds):
            _check_bounds(metric)
        else:
            _check_estimate(metric)
            paired = by_name.get(f"{metric.name.removesuffix(', Elo')}, paired")
            if metric.unit == "Elo" and isinstance(paired, Estimate) and paired.unit == "share":
                expected = elo(metric.name, paired).model_dump()
                _compare(metric.name, metric.model_dump(), expected, "its paired shares")


def _check_share(metric: Share) -> None:
    expected = _expected_share(metric.name, metric.k, metric.n, metric.band)
    _compare(metric.name, metric.model_dump(), expected.model_dump())


def _check_rung(rung: Rung) -> None:
    name = f"{rung.player} over {rung.opponent}"
    expected = _expected_share(name, rung.wins, rung.matches, rung.band).model_dump()
    figures = {name: expected[name] for name in ("low", "high", "within_band")}
    _compare(name, rung.model_dump(), {"share": expected["estimate"], **figures})


def _expected_share(name: str, k: int, n: int, band: tuple[float, float] | None) -> Share:
    """What a share of k of n must say; raises BenchmarkError."""
    if band is not None and not 0 <= band[0] <= band[1] <= 1:
        raise BenchmarkError(f"{name}: band is from {band[0]} to {band[1]}")
    try:
        return share(name, k, n, band)
    except ValueError:
        raise BenchmarkError(f"{name}: {k} of {n}") from None


def _check_bounds(metric: Bounds) -> None:
    try:
        expected = bounds(metric.name, metric.k_low, metric.k_high, metric.n)
    except ValueError:
        raise BenchmarkError(
            f"{metric.name}: k from {metric.k_low} to {metric.k_high} of n {metric.n}"
        ) from None
    _compare(metric.name, metric.model_dump(), expected.model_dump())


def _check_estimate(metric: Estimate) -> None:
    """That figures are in order and possible: the counts that they follow from are not told."""
    found = (metric.low, metric.estimate, metric.high)
    known = [value for value in found if value is not None]
    # Shares won lie from 0 to 1; a mean of differences of shares may be negative.
    paired = metric.unit == "share" and metric.method.startswith("wilson")
    if known != sorted(known) or (paired and not all(0.0 <= value <= 1.0 for value in known)):
        raise BenchmarkError(f"{metric.name}: low, estimate and high are {found}")
    if metric.unit == "share" and not -1.0 <= (metric.estimate or 0.0) <= 1.0:
        raise BenchmarkError(f"{metric.name}: estimate is {metric.estimate}")
    if metric.unit == "Elo":
        return
    if (metric.estimate is None) != (metric.n == 0):
        raise BenchmarkError(f"{metric.name}: estimate is {metric.estimate} of n {metric.n}")
    if (metric.low is None) != (metric.high is None):
        raise BenchmarkError(f"{metric.name}: low, estimate and high are {found}")
    if paired:
        _compare(metric.name, metric.model_dump(), {"confidence": CONFIDENCE}, "its other figures")


# Peers.


def _check_peer(benchmark: PeerBenchmark, peer: Peer) -> None:
    _check_metrics(peer.strength)
    if peer.absent is not None:
        if peer.comparison or peer.solver:
            raise BenchmarkError(f"{peer.name}: absent, but with a comparison")
        return
    ours = peer.ours or benchmark.ours
    if peer.comparison is None or peer.solver is None or ours is None:
        raise BenchmarkError(f"{peer.name}: expected a comparison with ours, or why it is absent")
    found, total = peer.comparison, benchmark.units[1] - benchmark.units[0]
    _compare(peer.name, {"units": found.units}, {"units": total}, "the file's units")
    if found.verdicts:
        _check_verdicts(peer.name, found.verdicts, total)
        for solver, by_outcome in zip(
            (peer.solver, ours), _by_outcome(found.verdicts), strict=True
        ):
            _compare(
                f"{peer.name}, {solver.name}",
                {"counts": dict(+Counter(solver.counts))},
                {"counts": dict(by_outcome)},
                "its outcomes",
            )
    for difference in found.differences:
        _check_difference(f"{peer.name}, {difference.name}", difference, found)
    for speed in found.speeds:
        _check_speed(f"{peer.name}, {speed.name}", speed, found)


def _by_outcome(verdicts: Verdicts) -> tuple[Counter[str], Counter[str]]:
    """Units by outcome in A, and in B."""
    in_a, in_b = Counter[str](), Counter[str]()
    for pair in verdicts.outcomes:
        in_a[pair.a] += pair.units
        in_b[pair.b] += pair.units
    return in_a, in_b


def _check_verdicts(name: str, verdicts: Verdicts, total: int) -> None:
    pairs = verdicts.outcomes
    if any(pair.units < 1 for pair in pairs):
        raise BenchmarkError(f"{name}: expected outcomes with 1 unit or more")
    half = sum(pair.units for pair in pairs if (pair.a in _DECIDED) != (pair.b in _DECIDED))
    _compare(name, {"n": verdicts.n}, {"n": total}, "the file's units")
    expected = {"n": sum(pair.units for pair in pairs), "half_decided": half}
    _compare(name, verdicts.model_dump(), expected, "its outcomes")
    both = [pair for pair in pairs if {pair.a, pair.b} == _DECIDED]
    _compare(
        name,
        {"contradictions": dict(Counter((each.a, each.b) for each in verdicts.contradictions))},
        {"contradictions": {(pair.a, pair.b): pair.units for pair in both}},
        "its outcomes",
    )


def _check_difference(name: str, found: Difference, comparison: Comparison) -> None:
    _check_cases(name, found.n, comparison)
    fields = found.model_dump()
    expected: dict[str, Any] = {"estimate": found.b - found.a, "confidence": CONFIDENCE}
    if comparison.verdicts and found.name == "solved_share":
        total = comparison.verdicts.n
        solved = (each[SOLVED] / total for each in _by_outcome(comparison.verdicts))
        expected |= {"n": total, **dict(zip("ab", solved, strict=True))}
    _compare(name, fields, expected, "its other figures")
    if found.unit == "share" and not (0 <= found.a <= 1 and 0 <= found.b <= 1):
        raise BenchmarkError(f"{name}: the shares are {found.a} and {found.b}")
    if found.p is not None and not 0 <= found.p <= 1:
        raise BenchmarkError(f"{name}: p is {found.p}")
    _check_interval(name, found.low, found.estimate, found.high)
    if found.low is not None and found.high is not None:
        middle = {"estimate": found.low / 2 + found.high / 2}
        _compare(name, fields, middle, "its bounds")


def _check_speed(name: str, found: Speed, comparison: Comparison) -> None:
    _check_cases(name, found.n, comparison)
    if not (found.seconds_a > 0 and found.seconds_b > 0):
        raise BenchmarkError(f"{name}: seconds are {found.seconds_a} and {found.seconds_b}")
    expected = {"by_totals": found.seconds_a / found.seconds_b, "confidence": CONFIDENCE}
    _compare(name, found.model_dump(), expected, "its other figures")
    _check_interval(name, found.low, found.by_units, found.high)
    if found.by_units is not None and found.low is not None and found.high is not None:
        if found.low <= 0:
            raise BenchmarkError(f"{name}: low is {found.low}")
        middle = math.sqrt(found.low) * math.sqrt(found.high)
        _compare(name, found.model_dump(), {"by_units": middle}, "its bounds")


def _check_cases(name: str, n: int, comparison: Comparison) -> None:
    if not 1 <= n <= comparison.units:
        raise BenchmarkError(f"{name}: n is {n} of {comparison.units} units")


def _check_interval(
    name: str, low: float | None, estimate: float | None, high: float | None
) -> None:
    """Both bounds or none, around the estimate."""
    known = [value for value in (low, estimate, high) if value is not None]
    if known != sorted(known) or (low is None) != (high is None):
        raise BenchmarkError(f"{name}: low, estimate and high are {(low, estimate, high)}")


def _compare(
    name: str, found: Mapping[str, Any], expected: Mapping[str, Any], source: str = "its counts"
) -> None:
    """Raises BenchmarkError for the first figure that differs from what its source gives."""
    for key, value in expected.items():
        told = found[key]
        if isinstance(told, float) and isinstance(value, float):
            same = math.isclose(told, value, abs_tol=_TOLERANCE)
        else:
            same = told == value
        if not same:
            raise BenchmarkError(f"{name}: {key} is {told}, {source} give {value}")
