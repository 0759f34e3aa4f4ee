"""The published studies agree with what others found for the same games."""

from pathlib import Path

import pytest

from results.benchmark import load_benchmark

PUBLISHED = Path(__file__).parents[2] / "results" / "published"

# C. Blake and I. P. Gent, JAIR 85:21, 2026: percent of deals that can be won, and the half width of
# the 95 % interval.
REFERENCE = {
    "klondike-draw3-exact": (81.945, 0.084),
    "klondike-draw1-exact": (90.480, 0.116),
}


@pytest.mark.parametrize("name", REFERENCE)
def test_intervals_overlap_those_of_the_reference(name):
    benchmark = load_benchmark((PUBLISHED / f"{name}.json").read_text())
    found = next(metric for metric in benchmark.metrics if metric.name == "winnable_share")
    estimate, half_width = REFERENCE[name]
    assert found.k_low == found.k_high, "an exact study leaves no deal open"
    assert 100 * found.low < estimate + half_width
    assert 100 * found.high > estimate - half_width
