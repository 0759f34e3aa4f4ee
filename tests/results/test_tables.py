"""How metrics are shown."""

import pytest

from results.statistics import bounds, mean_of, mean_of_counts, paired_share, share
from results.tables import estimate, interval, marked_interval


@pytest.mark.parametrize(
    ("won", "possible", "total", "text", "range_text"),
    [
        (822, 822, 1000, "82.20 %", "79.71 to 84.45 %"),
        (822, 823, 1000, "82.20 to 82.30 %", "79.71 to 84.54 %"),
        (82_200, 82_201, 100_000, "82.20 to 82.20 %", "81.96 to 82.44 %"),  # one is open
        (0, 0, 0, "none", "0.00 to 100.00 %"),
    ],
)
def test_a_share_with_bounds_shows_both_while_a_deal_is_open(
    won, possible, total, text, range_text
):
    metric = bounds("winnable_share", won, possible, total)
    assert estimate(metric) == text
    assert interval(metric) == range_text


@pytest.mark.parametrize(
    ("k", "n", "text", "range_text"),
    [
        (8_150, 10_000, "81.50 %", "80.73 to 82.25 %"),
        (0, 1_000, "0.00 %", "0.00 to 0.38 %"),
        (0, 100_000, "0.000 %", "0.000 to 0.004 %"),
        (100_000, 100_000, "100.000 %", "99.996 to 100.000 %"),
        (3, 300_000, "0.001 %", "0.000 to 0.003 %"),
        (299_999, 300_000, "99.9997 %", "99.9981 to 99.9999 %"),
        (1, 2**52, "0.00000000000002 %", "0.00000000000000 to 0.00000000000013 %"),
        (5 * 10**9, 10**10, "50.000 %", "49.999 to 50.001 %"),
    ],
)
def test_no_share_looks_like_certainty(k, n, text, range_text):
    assert (estimate(share("a", k, n)), interval(share("a", k, n))) == (text, range_text)
    between = bounds("a", k, k, n)
    assert (estimate(between), interval(between)) == (text, range_text)


def test_neither_do_bounds_or_pairs():
    metric = bounds("a", 1, 300_000, 300_000)
    assert (estimate(metric), interval(metric)) == ("0.0003 to 100.0000 %", "0.0001 to 100.0000 %")
    metric = paired_share("a", (0, 1, 10**6))
    assert estimate(metric) == "99.99995 %"
    assert interval(metric).endswith(" to 99.99999 %")
    difference = mean_of("a", 100, 1e-9, 1.0, "share")  # which 0 is in the middle of
    assert interval(difference) == "-1.99 to 1.99 %"


def test_an_interval_of_another_confidence_is_marked():
    counts = {-2: 30, 0: 50, 1: 20}
    assert marked_interval(mean_of_counts("a", counts)) == "-0.62 to -0.18"
    assert marked_interval(mean_of_counts("a", counts, 0.99)) == "-0.69 to -0.11 (99 %)"


def test_what_has_no_interval_says_so():
    alone = mean_of_counts("a", {7: 1}, 0.99)
    assert (estimate(alone), interval(alone)) == ("7.00 cards", "no interval")
    assert marked_interval(alone) == "no interval"
