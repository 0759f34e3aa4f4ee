"""The mean worth of a crib by the two ranks thrown: exact, and with the other side discarding."""

import numpy as np

from engines.cards import PACK_SIZE
from engines.cribbage.brain_kernel import THROWS, best_throw, throw_values
from engines.cribbage.scoring_kernel import (
    JACK,
    show_index,
    show_points,
    sort,
    sum_over_all,
)
from engines.kernel import inline, kernel
from engines.streams import below, shuffle_end

COMPLETIONS = 58_800
"""Choices of two more crib cards and a starter from the other 50 cards: C(50, 2) * 48."""
CUTS_LEFT = PACK_SIZE - 8


@kernel
def sum_completions(first, second, shows, cards):
    """Points of a crib with two cards, summed over COMPLETIONS. cards: int8[4], scratch."""
    together = 0
    for third in range(PACK_SIZE):
        if third in (first, second):
            continue
        for fourth in range(third):
            if fourth in (first, second):
                continue
            cards[0], cards[1], cards[2], cards[3] = first, second, third, fourth
            sort(cards, 0, 4)
            a, b, c, d = cards[0], cards[1], cards[2], cards[3]
            for starter in range(PACK_SIZE):
                if starter != a and starter != b and starter != c and starter != d:
                    together += show_points(shows, a, b, c, d, starter, True)
    return together


@kernel
def sample_cribs(high, low, is_dealer, samples, stream, shows, cribs, pack, cards, values):
    """Points of `samples` cribs with two cards of these ranks, each summed over its 44 cuts.

    Returns their sum and the sum of their squares. The thrower is the dealer or the pone; its suits
    are uniform; the other seat is dealt six of the other 50 cards and throws its best two by the
    tables `cribs`. pack: int8[52], cards: int8[10], values: float64[15], all scratch.
    """
    together, squares = 0, 0
    for _ in range(samples):
        first = 4 * high + below(stream, 4)
        second = 4 * low + below(stream, 4 if high != low else 3)
        if high == low and second >= first:
            second += 1
        filled = 0
        for card in range(PACK_SIZE):
            if card not in (first, second):
                pack[filled] = card
                filled += 1
        shuffle_end(stream, pack[:filled], 6)
        six = cards[4:]
        for place in range(6):
            six[place] = pack[filled - 1 - place]
        sort(six, 0, 6)
        throw_values(six, not is_dealer, shows, cribs, values)
        throw = best_throw(six, not is_dealer, shows, values)
        cards[0], cards[1] = first, second
        cards[2], cards[3] = six[THROWS[throw, 0]], six[THROWS[throw, 1]]
        points = _sum_cuts(first, second, cards, shows)
        together += points
        squares += points * points
    return together, squares


@inline
def _sum_cuts(first, second, cards, shows):
    """Points of the crib cards[0..3], summed over the cuts left by it and the hand cards[4..9]."""
    sort(cards, 0, 4)
    row = show_index(cards[0] >> 2, cards[1] >> 2, cards[2] >> 2, cards[3] >> 2)
    points = sum_over_all(shows, row)
    points -= np.int64(shows[row, first >> 2]) + np.int64(shows[row, second >> 2])
    for place in range(4, 10):
        points -= np.int64(shows[row, cards[place] >> 2])
    for place in range(4):
        if cards[place] >> 2 == JACK:
            points += _cuts_of_suit(cards[place] & 3, first, second, cards)
    suit = cards[0] & 3
    if suit == cards[1] & 3 and suit == cards[2] & 3 and suit == cards[3] & 3:
        points += 5 * _cuts_of_suit(suit, first, second, cards)
    return points


@inline
def _cuts_of_suit(suit, first, second, cards):
    left = 13
    if first & 3 == suit:
        left -= 1
    if second & 3 == suit:
        left -= 1
    for place in range(4, 10):
        if cards[place] & 3 == suit:
            left -= 1
    return left
