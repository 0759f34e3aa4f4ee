"""The published studies agree with what others found for the same games."""

from pathlib import Path

import pytest

from jobs import load_job
from results.benchmark import load_benchmark
from results.references import REFERENCES, check_rules, hold
from results.statistics import Within

PUBLISHED = Path(__file__).parents[2] / "results" / "published"

REFERENCE = {
    "klondike-draw3-exact": "klondike-draw3",
    "klondike-draw1-exact": "klondike-draw1",
    "cribbage-ladder-published": "cribbage-published",
    "cribbage-first-dealer": "cribbage-first-dealer",
}


def published(name):
    return load_benchmark((PUBLISHED / f"{name}.json").read_text())


def shares(name):
    return {each.name: each for each in published(name).metrics if each.kind == "share"}


@pytest.mark.parametrize("name", REFERENCE)
def test_intervals_overlap_those_of_the_reference(name):
    found, reference = published(name), REFERENCES[REFERENCE[name]]
    rules = load_job(found.job).Spec.model_validate(found.spec).rules()
    check_rules(reference, found.job, rules, given_deals=False)
    held = hold(reference, found.metrics)
    assert [each.metric for each in held] == list(reference.figures)
    assert all(each.overlap for each in held)


@pytest.mark.parametrize("name", ["klondike-draw3-exact", "klondike-draw1-exact"])
def test_an_exact_study_leaves_no_deal_open(name):
    found = next(metric for metric in published(name).metrics if metric.name == "winnable_share")
    assert found.k_low == found.k_high


@pytest.mark.parametrize("name", ["cribbage-ladder-calibrated", "cribbage-calibration"])
def test_calibrated_tiers_are_as_strong_as_they_should_be(name):
    found = shares(name)
    for tier in ("easy", "normal", "hard"):
        share = found[f"expert over {tier}"]
        assert share.n >= 30_000
        assert share.within_band == Within.WHOLE


def test_published_temperatures_miss_the_published_targets():
    found = shares("cribbage-ladder-published")
    for tier in ("easy", "normal", "hard"):
        assert found[f"expert over {tier}"].within_band == Within.NONE


def test_master_beats_expert_beyond_doubt():
    paired = next(m for m in published("cribbage-master").metrics if m.name.endswith("paired"))
    # The 99 % interval is 1.31 times as wide as that of 95 %.
    assert paired.estimate - 1.315 * (paired.estimate - paired.low) > 0.5
    assert paired.n >= 10_000


def test_the_first_dealer_wins_as_often_as_others_found():
    # 55.5 % (Cribbage Pro, 2012) to 56 % (Colvert).
    found = shares("cribbage-first-dealer")["first dealer, expert"]
    assert found.n >= 200_000
    assert 55.4 < 100 * found.low < 100 * found.high < 56.4
