"""Fast scoring. Ranks and suits are told apart: what ranks score is looked up in one table."""

import math
from functools import lru_cache

import numpy as np

from engines.kernel import inline, kernel

JACK = 10
RANKS = 13
SHOWS = 1820  # multisets of four ranks: C(16, 4)
ROW = 16
"""Columns of the table: points with a starter of rank 0 to 12, then their sum over four starters of
each rank as low and high byte, then 0."""
_SUM_LOW, _SUM_HIGH = 13, 14

# Multisets of four, three and two ranks that are all below a rank.
_BELOW_4 = np.array([math.comb(rank + 3, 4) for rank in range(RANKS)])
_BELOW_3 = np.array([math.comb(rank + 2, 3) for rank in range(RANKS)])
_BELOW_2 = np.array([math.comb(rank + 1, 2) for rank in range(RANKS)])


@inline
def show_index(a, b, c, d):
    """The row of four ranks a <= b <= c <= d: their place among all multisets of four."""
    return _BELOW_4[d] + _BELOW_3[c] + _BELOW_2[b] + a


@kernel
def _rank_points(counts, values):
    """What five cards score by their ranks: fifteens, pairs and runs.

    counts: int64[13]. values: int64[5], what each card counts.
    """
    points = 0
    for subset in range(1, 32):
        amount = 0
        for place in range(5):
            if subset >> place & 1:
                amount += values[place]
        if amount == 15:
            points += 2
    streak, ways = 0, 1
    for rank in range(RANKS + 1):
        copies = counts[rank] if rank < RANKS else 0
        points += copies * (copies - 1)
        if copies > 0:
            streak += 1
            ways *= copies
        else:
            if streak >= 3:
                points += streak * ways
            streak, ways = 0, 1
    return points


@kernel
def _fill(table, counts, values):
    for d in range(RANKS):
        for c in range(d + 1):
            for b in range(c + 1):
                for a in range(b + 1):
                    row = show_index(a, b, c, d)
                    together = 0
                    for starter in range(RANKS):
                        counts[:] = 0
                        for place, rank in enumerate((a, b, c, d, starter)):
                            counts[rank] += 1
                            values[place] = min(rank + 1, 10)
                        points = _rank_points(counts, values)
                        table[row, starter] = points
                        together += 4 * points
                    table[row, _SUM_LOW] = together & 255
                    table[row, _SUM_HIGH] = together >> 8


@lru_cache
def show_table() -> np.ndarray:
    """What four ranks score with each starter: uint8[SHOWS, ROW].

    A starter of a rank that is there four times cannot be; its entry is never used alone, and the
    sum takes it back with the four cards held.
    """
    table = np.zeros((SHOWS, ROW), np.uint8)
    _fill(table, np.zeros(RANKS, np.int64), np.zeros(5, np.int64))
    table.flags.writeable = False
    return table


@inline
def sum_over_all(table, row):
    """Points of a row summed over all 52 starters, those held included."""
    return np.int64(table[row, _SUM_LOW]) + (np.int64(table[row, _SUM_HIGH]) << 8)


@inline
def suit_points(a, b, c, d, starter, is_crib):
    """What four cards score with a starter by their suits: flush and nobs."""
    suit = a & 3
    points = 0
    if suit == b & 3 and suit == c & 3 and suit == d & 3:
        if suit == starter & 3:
            points = 5
        elif not is_crib:
            points = 4
    wanted = JACK * 4 + (starter & 3)
    if starter != wanted and (a == wanted or b == wanted or c == wanted or d == wanted):
        points += 1
    return points


@inline
def show_points(table, a, b, c, d, starter, is_crib):
    """What four cards a < b < c < d score in the show."""
    row = show_index(a >> 2, b >> 2, c >> 2, d >> 2)
    return np.int64(table[row, starter >> 2]) + suit_points(a, b, c, d, starter, is_crib)


@inline
def merged(a, b, c, d):
    """Four of which a <= b and c <= d, ascending."""
    first, last = min(a, c), max(b, d)
    middle, other = max(a, c), min(b, d)
    return first, min(middle, other), max(middle, other), last


@inline
def sort(cards, first, stop):
    """Sorts cards[first:stop] in place, for a handful of them."""
    for place in range(first + 1, stop):
        card = cards[place]
        hole = place
        while hole > first and cards[hole - 1] > card:
            cards[hole] = cards[hole - 1]
            hole -= 1
        cards[hole] = card


@kernel
def show_histogram(table, histogram):
    """Counts points over all 12,994,800 hands and starters into int64[2, 30]: hand, crib."""
    for d in range(52):
        for c in range(d):
            for b in range(c):
                for a in range(b):
                    for starter in range(52):
                        if starter != a and starter != b and starter != c and starter != d:
                            histogram[0, show_points(table, a, b, c, d, starter, False)] += 1
                            histogram[1, show_points(table, a, b, c, d, starter, True)] += 1
