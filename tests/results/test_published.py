"""The published studies agree with what others found for the same games."""

from pathlib import Path

import pytest

from results.benchmark import load_benchmark
from results.statistics import Within

PUBLISHED = Path(__file__).parents[2] / "results" / "published"

# C. Blake and I. P. Gent, JAIR 85:21, 2026: percent of deals that can be won, and the half width of
# the 95 % interval.
REFERENCE = {
    "klondike-draw3-exact": (81.945, 0.084),
    "klondike-draw1-exact": (90.480, 0.116),
}


def published(name):
    return load_benchmark((PUBLISHED / f"{name}.json").read_text())


def shares(name):
    return {each.name: each for each in published(name).metrics if each.kind == "share"}


@pytest.mark.parametrize("name", REFERENCE)
def test_intervals_overlap_those_of_the_reference(name):
    found = next(metric for metric in published(name).metrics if metric.name == "winnable_share")
    estimate, half_width = REFERENCE[name]
    assert found.k_low == found.k_high, "an exact study leaves no deal open"
    assert 100 * found.low < estimate + half_width
    assert 100 * found.high > estimate - half_width


@pytest.mark.parametrize("name", ["cribbage-ladder-calibrated", "cribbage-calibration"])
def test_calibrated_tiers_are_as_strong_as_they_should_be(name):
    found = shares(name)
    for tier in ("easy", "normal", "hard"):
        share = found[f"expert over {tier}"]
        assert share.n == 30_000
        assert share.within_band == Within.WHOLE


# Expert's share by an independent program with the published temperatures, 10,000 matches each, and
# the half width of its 95 % interval.
BY_PUBLISHED_TEMPERATURES = {
    "expert over random": (99.20, 0.18),
    "expert over easy": (75.07, 0.85),
    "expert over normal": (58.87, 0.97),
    "expert over hard": (52.47, 0.98),
}


@pytest.mark.parametrize("pairing", BY_PUBLISHED_TEMPERATURES)
def test_published_temperatures_give_what_an_independent_program_found(pairing):
    estimate, half_width = BY_PUBLISHED_TEMPERATURES[pairing]
    found = shares("cribbage-ladder-published")[pairing]
    assert 100 * found.low < estimate + half_width
    assert 100 * found.high > estimate - half_width


def test_published_temperatures_miss_the_published_targets():
    found = shares("cribbage-ladder-published")
    for tier in ("easy", "normal", "hard"):
        assert found[f"expert over {tier}"].within_band == Within.NONE


def test_master_beats_expert_beyond_doubt():
    paired = next(m for m in published("cribbage-master").metrics if m.name.endswith("paired"))
    # The 99 % interval is 1.31 times as wide as that of 95 %.
    assert paired.estimate - 1.315 * (paired.estimate - paired.low) > 0.5
    assert paired.n == 10_000


def test_the_first_dealer_wins_as_often_as_others_found():
    # 55.5 % (Cribbage Pro, 2012) to 56 % (Colvert); an independent program 55.92 ±0.22 %.
    found = shares("cribbage-first-dealer")["first dealer, expert"]
    assert found.n == 200_000
    assert 55.4 < 100 * found.low < 100 * found.high < 56.4
