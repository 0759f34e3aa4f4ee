import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engines.cribbage import brain_kernel
from engines.cribbage.tiers import (
    EXPERT_SHARE_TARGETS,
    PROFILES,
    Profile,
    Skill,
    Tier,
    TierError,
    pick,
    profile_named,
)

JUST_BELOW_1 = 1 - 2**-53
PUBLISHED = ((0.0, 2.0), (0.12, 1.2), (0.35, 0.5), (0.85, 0.15), (1.0, 0.0))

VALUES = st.floats(-20, 20)
ROLLS = st.floats(0, JUST_BELOW_1)
TEMPERATURES = st.sampled_from([0.01, 0.15, 0.6, 1.2, 5.0, 20.0])


def kernel_pick(values, temperature, roll):
    return brain_kernel.pick(np.array(values, np.float64), len(values), temperature, roll)


def test_the_levels_of_the_tiers():
    levels = {tier.value: tier.level for tier in Tier}
    assert levels == {"easy": 0.12, "normal": 0.35, "hard": 0.85, "expert": 1.0, "master": 1.0}


def test_the_targets_fall_as_the_tiers_rise():
    assert EXPERT_SHARE_TARGETS == {
        "easy": (0.95, 0.98),
        "normal": (0.75, 0.85),
        "hard": (0.55, 0.65),
    }


def test_the_published_anchors():
    assert PROFILES["published"].anchors == PUBLISHED


@pytest.mark.parametrize("profile", PROFILES.values(), ids=str)
def test_a_profile_falls_from_skill_0_to_no_errors_at_1(profile):
    levels, temperatures = zip(*profile.anchors, strict=True)
    assert (levels[0], levels[-1], temperatures[-1]) == (0.0, 1.0, 0.0)
    assert list(levels) == sorted(set(levels))
    assert list(temperatures) == sorted(set(temperatures), reverse=True)
    assert profile_named(profile.name) is profile


@pytest.mark.parametrize("profile", PROFILES.values(), ids=str)
def test_the_temperature_of_an_anchor(profile):
    for level, temperature in profile.anchors:
        assert profile.skill(level) == Skill(level, pytest.approx(temperature, abs=1e-15))
    # Not by an ulp more: at 0 the best is taken, above it there are errors.
    assert profile.tier(Tier.EXPERT) == Skill(1.0, 0.0)


@pytest.mark.parametrize(
    ("level", "temperature"),
    [
        (0.0, 2.0),
        (0.03, 1.8),  # a quarter of the way from 2 to 1.2
        (0.06, 1.6),
        (0.235, 0.85),
        (0.6, 0.325),
        (0.9, 0.1),  # a third of the way from 0.15 to 0
        (0.925, 0.075),
        (1.0, 0.0),
    ],
)
def test_the_temperature_between_the_published_anchors(level, temperature):
    skill = PROFILES["published"].skill(level)
    assert skill == Skill(level, pytest.approx(temperature, abs=1e-12))


@pytest.mark.parametrize(
    ("tier", "temperature"), [("easy", 1.2), ("normal", 0.5), ("hard", 0.15), ("expert", 0.0)]
)
def test_a_tier_of_the_published_profile(tier, temperature):
    skill = PROFILES["published"].tier(Tier(tier))
    assert (skill.level, skill.temperature) == (Tier(tier).level, pytest.approx(temperature))


def test_a_profile_of_two_anchors():
    line = Profile("line", ((0.0, 4.0), (1.0, 0.0)))
    assert [line.skill(level).temperature for level in (0.0, 0.25, 0.5, 1.0)] == [4, 3, 2, 0]


@pytest.mark.parametrize("level", [-0.001, 1.001, math.nan, math.inf, -math.inf])
def test_a_level_out_of_range(level):
    with pytest.raises(TierError) as error:
        PROFILES["published"].skill(level)
    assert str(error.value) == f"expected a skill level from 0 to 1, got {level}"


def test_a_profile_that_does_not_exist():
    with pytest.raises(TierError) as error:
        profile_named("hardest")
    assert str(error.value) == "expected a profile (published, calibrated), got 'hardest'"


@pytest.mark.parametrize(
    ("values", "temperature", "shares"),
    [
        ([3.0, 3.0], 1.0, [1 / 2, 1 / 2]),
        ([1.0, 1.0 - math.log(2)], 1.0, [2 / 3, 1 / 3]),
        ([0.0, -2 * math.log(3), -2 * math.log(4)], 2.0, [12 / 19, 4 / 19, 3 / 19]),
        ([-5.0, -5.0 - 0.5 * math.log(4), -5.0], 0.5, [4 / 9, 1 / 9, 4 / 9]),
        ([0.0, -100.0, 0.0], 1.0, [1 / 2, 0, 1 / 2]),
        ([7.5], 0.1, [1]),
    ],
)
def test_values_are_drawn_in_proportion_to_their_weights(values, temperature, shares):
    rolls = 10_000
    drawn = Counter(pick(values, temperature, (roll + 0.5) / rolls) for roll in range(rolls))
    for index, share in enumerate(shares):
        assert abs(drawn[index] - share * rolls) <= 1


def test_shares_of_fifteen_values_are_those_of_the_exponentials():
    values = [5.1, 4.9, 3.2, 5.0, 1.1, 2.7, 4.4, 0.3, 3.3, 4.8, 2.2, 1.9, 3.8, 4.1, 2.9]
    rolls, temperature = 20_000, 0.5
    drawn = Counter(pick(values, temperature, (roll + 0.5) / rolls) for roll in range(rolls))
    whole = sum(math.exp(value / temperature) for value in values)
    for index, value in enumerate(values):
        assert abs(drawn[index] - rolls * math.exp(value / temperature) / whole) <= 1


def test_rolls_pass_through_the_values_in_their_order():
    picks = [pick([1.0, 3.0, 2.0, 3.0], 1.5, roll / 1_000) for roll in range(1_000)]
    assert picks == sorted(picks)
    assert set(picks) == {0, 1, 2, 3}


@pytest.mark.parametrize("choose", [pick, kernel_pick])
@pytest.mark.parametrize(
    ("values", "roll", "index"),
    [
        ([1.0, 2.0, 3.0], 0.0, 0),
        ([1.0, 2.0, 3.0], JUST_BELOW_1, 2),
        ([3.0, 2.0, 1.0], JUST_BELOW_1, 2),
        # At temperature 1, a value 1,000 below the best has a weight of exactly 0.
        ([-1_000.0, 2.0, 1.0], 0.0, 1),
        ([3.0, 2.0, -1_000.0], JUST_BELOW_1, 1),
        ([3.0, -1_000.0, -1_000.0], JUST_BELOW_1, 0),
        # No roll is 1: what rounding might do is shown by one that is.
        ([3.0, 2.0, -1_000.0], 1.0, 1),
        ([3.0, 2.0, 1.0], 1.0, 2),
        ([3.0, -1_000.0], 1.0, 0),
    ],
)
def test_rolls_at_both_ends(choose, values, roll, index):
    assert choose(values, 1.0, roll) == index


def test_a_worse_value_is_worth_its_weight_to_the_last_roll():
    # Weights 1 and 1/2: the first is drawn up to a roll of two thirds.
    values = [0.0, -math.log(2)]
    assert pick(values, 1.0, 0.6666) == 0
    assert pick(values, 1.0, 0.6667) == 1


@settings(deadline=None, max_examples=500)
@given(st.lists(VALUES, min_size=1, max_size=15), TEMPERATURES, ROLLS)
@example([0.0] * 15, 1.0, JUST_BELOW_1)
@example([-20.0] * 14 + [20.0], 0.01, 0.0)
def test_the_kernel_picks_the_same(values, temperature, roll):
    index = pick(values, temperature, roll)
    assert 0 <= index < len(values)
    assert kernel_pick(values, temperature, roll) == index


def test_the_kernel_picks_among_the_first_values_only():
    values = np.array([1.0, 1.0, 99.0])
    assert brain_kernel.pick(values, 2, 1.0, JUST_BELOW_1) == 1
