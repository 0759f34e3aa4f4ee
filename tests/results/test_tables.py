"""How metrics are shown."""

import pytest

from results.statistics import bounds
from results.tables import estimate, interval


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
