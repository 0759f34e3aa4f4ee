from collections import Counter

import numpy as np
import pytest
from scipy import stats

from results.statistics import (
    Within,
    bounds,
    elo,
    mean_of,
    mean_of_counts,
    paired_share,
    share,
    wilson,
)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        (0, 10, 0.0, 27.75),
        (10, 10, 72.25, 100.0),
        (1_800, 3_000, 58.24, 61.74),
        (8_190, 10_000, 81.13, 82.64),
        (9_750, 10_000, 97.18, 97.79),
    ],
)
def test_published_wilson_intervals_in_percent(k, n, low, high):
    assert [round(100 * value, 2) for value in wilson(k, n)] == [low, high]


def test_nothing_known_is_an_interval_from_0_to_1():
    assert wilson(0, 0) == (0.0, 1.0)
    assert share("solved_share", 0, 0).estimate is None
    assert bounds("winnable_share", 0, 0, 0).estimate_high is None


def test_bounds_take_each_end_from_its_own_count():
    found = bounds("winnable_share", 8_100, 8_300, 10_000)
    assert (found.estimate_low, found.estimate_high) == (0.81, 0.83)
    assert found.low == wilson(8_100, 10_000)[0]
    assert found.high == wilson(8_300, 10_000)[1]
    assert [round(found.low, 4), round(found.high, 4)] == [0.8022, 0.8372]


@pytest.mark.parametrize(("k", "n"), [(3, 2), (-1, 2), (5, 0), (-1, 0), (0, -1)])
def test_a_share_of_more_than_all_or_less_than_none_is_refused(k, n):
    with pytest.raises(ValueError, match=f"expected k from 0 to n, got {k} of {n}"):
        wilson(k, n)
    with pytest.raises(ValueError):
        share("solved_share", k, n)


@pytest.mark.parametrize(("k_low", "k_high"), [(5, 3), (-1, 3), (3, 11)])
def test_bounds_that_are_none_are_refused(k_low, k_high):
    with pytest.raises(ValueError):
        bounds("winnable_share", k_low, k_high, 10)


@pytest.mark.parametrize(
    ("k", "band", "within"),
    [
        (600, (0.55, 0.65), Within.WHOLE),
        (640, (0.55, 0.65), Within.PART),
        (560, (0.55, 0.65), Within.PART),
        (700, (0.55, 0.65), Within.NONE),
        (500, (0.55, 0.65), Within.NONE),
    ],
)
def test_a_share_says_how_much_of_its_interval_is_in_the_band(k, band, within):
    assert share("expert over hard", k, 1000, band).within_band == within


def width(estimate):
    return estimate.high - estimate.low


def test_pairs_that_differ_as_independent_matches_do_have_the_interval_of_matches():
    # A quarter, a half and a quarter: the variance of two independent matches at 50 %.
    found = paired_share("a over b", (25_000, 50_000, 25_000))
    low, high = wilson(100_000, 200_000)
    assert (found.estimate, found.n) == (0.5, 100_000)
    assert found.low == pytest.approx(low, abs=1e-6)
    assert found.high == pytest.approx(high, abs=1e-6)


def test_pairs_that_split_are_more_certain_and_pairs_that_agree_less():
    independent = paired_share("a over b", (250, 500, 250))
    assert width(paired_share("a over b", (100, 800, 100))) < 0.7 * width(independent)
    assert width(paired_share("a over b", (500, 0, 500))) > 1.3 * width(independent)


def test_a_few_equal_pairs_do_not_look_like_certainty():
    low = paired_share("a over b", (0, 0, 5)).low
    assert low < 0.75
    assert width(paired_share("a over b", (0, 5, 0))) > 0.3
    assert paired_share("a over b", (0, 0, 0)).estimate is None


def test_the_paired_interval_covers_the_truth_about_as_often_as_it_says():
    random = np.random.Generator(np.random.Philox(7))
    for none, one, both in [(0.1, 0.6, 0.3), (0.005, 0.05, 0.945), (0.4, 0.2, 0.4)]:
        truth = one / 2 + both
        samples = random.multinomial(400, [none, one, both], size=1000)
        found = [paired_share("a over b", tuple(map(int, pairs))) for pairs in samples]
        covered = sum(each.low <= truth <= each.high for each in found)
        assert 925 <= covered <= 990


@pytest.mark.parametrize(
    ("pairs", "points"),
    [((25, 50, 25), 0.0), ((9, 2, 89), 381.7), ((0, 48, 52), 200.2)],
)
def test_elo_of_known_shares(pairs, points):
    assert elo("Elo", paired_share("a over b", pairs)).estimate == pytest.approx(points, abs=0.05)


def test_an_elo_without_bound_is_none():
    found = elo("Elo", paired_share("a over b", (0, 0, 50)))
    assert (found.estimate, found.high) == (None, None)
    assert found.low > 300


@pytest.mark.parametrize(("n", "centre", "width"), [(2, 0.0, 1.0), (50, -0.3, 0.01), (1000, 7, 30)])
def test_a_mean_from_sums_is_that_of_the_numbers(n, centre, width):
    numbers = np.random.Generator(np.random.Philox(n)).normal(centre, width, n)
    found = mean_of("a mean", n, numbers.sum(), (numbers**2).sum(), "points")
    assert (found.name, found.n, found.unit) == ("a mean", n, "points")
    assert found.estimate == pytest.approx(numbers.mean())
    low, high = stats.t.interval(0.95, n - 1, numbers.mean(), stats.sem(numbers))
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-6)
    counts = Counter(np.round(10 * numbers / width).astype(int).tolist())
    each = np.array(list(counts.elements()))
    wider = mean_of_counts("cards", counts, 0.99)
    low, high = stats.t.interval(0.99, n - 1, each.mean(), stats.sem(each))
    assert (wider.low, wider.high) == pytest.approx((low, high), rel=1e-6)


@pytest.mark.parametrize("value", [0.0, 0.1, -1 / 3, 1e-9, 12345.678])
@pytest.mark.parametrize("n", [2, 3, 60])
def test_equal_numbers_have_no_interval(value, n):
    # Rounding leaves a variance somewhat above or below 0: it is none.
    found = mean_of("a mean", n, n * value, n * value**2, "share")
    assert found.estimate == pytest.approx(value)
    assert (found.low, found.high) == (None, None)


@pytest.mark.parametrize("counts", [{0: 2}, {7: 1000}, {-3: 5, 4: 0}])
def test_equal_scores_have_no_interval(counts):
    found = mean_of_counts("a mean", counts)
    assert found.estimate == next(iter(counts))
    assert (found.low, found.high) == (None, None)


def test_one_other_score_among_very_many_is_enough_for_an_interval():
    found = mean_of_counts("a mean", {40: 10**9, 39: 1})
    assert 39.9 < found.low < found.estimate < found.high < 40.1


def test_a_number_alone_has_no_interval_and_none_has_no_mean():
    alone = mean_of("a mean", 1, 5.0, 25.0, "points")
    assert (alone.estimate, alone.low, alone.high) == (5.0, None, None)
    none = mean_of("a mean", 0, 0.0, 0.0, "points")
    assert (none.estimate, none.low, none.high) == (None, None, None)


def test_the_interval_of_a_mean_covers_it_about_as_often_as_it_says():
    random = np.random.Generator(np.random.Philox(8))
    samples = random.uniform(-1, 1, size=(1000, 60))
    found = [mean_of("a mean", 60, each.sum(), (each**2).sum(), "share") for each in samples]
    assert 925 <= sum(each.low <= 0 <= each.high for each in found) <= 975
