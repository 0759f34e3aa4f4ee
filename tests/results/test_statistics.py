import pytest

from results.statistics import bounds, share, wilson


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


def test_more_than_all_is_refused():
    with pytest.raises(ValueError):
        share("solved_share", 3, 2)
