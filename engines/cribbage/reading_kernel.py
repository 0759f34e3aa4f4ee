"""What the opponent may hold and has thrown, as far as it is public and as Expert plays."""

import numpy as np

from engines.cards import PACK_SIZE
from engines.cribbage.brain_kernel import value_of_rank
from engines.cribbage.master_memory import (
    LAID,
    LEAST,
    MAX_SAMPLES,
    MOST_SHOWN,
    OTHERS,
    SEEN,
    STARTER,
    THROWN,
)
from engines.cribbage.scoring_kernel import RANKS, merged, show_index
from engines.kernel import inline

_ZERO, _ONE, _FOUR, _LOW = np.uint64(0), np.uint64(1), np.uint64(4), np.uint64(15)


@inline
def draw_hands(search, own_known, opponent_known, opponent_deals, samples, roll):
    """Hands of unseen cards that the opponent's gos allow, with their weights; how many.

    Hands of the same ranks are one: suits are nothing in the play. Where there are more than
    `samples`, so many are drawn with chances by weight, at even distances from a place that the
    roll gives (systematic sampling); the weight of a hand is then how often it was drawn.
    """
    found = _weigh_every_hand(search, own_known, opponent_known, opponent_deals)
    samples, cards = min(samples, MAX_SAMPLES), search.numbers[OTHERS]
    whole = 0.0
    for each in range(found):
        whole += search.chances[each]
    step, drawn, passed, times = whole / samples, 0, 0.0, 0
    for each in range(found):
        weight = search.chances[each]
        if found > samples:
            passed += weight
            weight = 0.0
            while times < samples and (roll + times) * step < passed:
                weight += 1.0
                times += 1
        if weight > 0.0:
            row = _kept_row(search.space, search.every, each, cards, opponent_known)
            for place in range(cards):
                search.hands[drawn, place] = search.every[each, place]
            search.weights[drawn] = weight
            search.counted[drawn] = np.int64(search.shows[row, search.numbers[STARTER] >> 2])
            drawn += 1
    return drawn


@inline
def _weigh_every_hand(search, own_known, opponent_known, opponent_deals):
    """All hands by rank, as cards of any suit, and their weights; how many.

    The weight: in how many ways it can be held, times how much more often than by chance Expert
    keeps it together with the cards laid.
    """
    left = _unseen_ranks(own_known[SEEN], opponent_known[LEAST])
    cards, role, found = search.numbers[OTHERS], 1 if opponent_deals else 0, 0
    hand = search.every
    for place in range(cards):
        hand[0, place] = 0
    while True:
        ways = _ways(left, hand, found, cards)
        if ways > 0:
            row = _kept_row(search.space, hand, found, cards, opponent_known)
            search.chances[found] = ways * search.keeps[role, row]
            for place in range(cards):
                hand[found + 1, place] = hand[found, place]
            found += 1
        last = cards - 1
        while last >= 0 and hand[found, last] >> 2 == RANKS - 1:
            last -= 1
        if last < 0:
            return found
        hand[found, last] += 4
        for place in range(last + 1, cards):
            hand[found, place] = hand[found, last]


@inline
def _unseen_ranks(seen, least):
    """How many cards of each rank are not seen, of those that count at least so much; packed."""
    left = _ZERO
    for card in range(PACK_SIZE):
        if not seen >> np.uint64(card) & _ONE and np.uint64(value_of_rank(card >> 2)) >= least:
            left += _ONE << _FOUR * np.uint64(card >> 2)
    return left


@inline
def _ways(left, hands, index, cards):
    """In how many ways a hand of these ranks can be held."""
    ways, equal = 1, 0
    for place in range(cards):
        rank = hands[index, place] >> 2
        equal = equal + 1 if place > 0 and rank == hands[index, place - 1] >> 2 else 0
        have = np.int64(left >> _FOUR * np.uint64(rank) & _LOW)
        ways = ways * max(0, have - equal) // (equal + 1)
    return ways


@inline
def _kept_row(space, hands, index, cards, opponent_known):
    """The row of the four ranks that the opponent kept: those it has laid and those of a hand."""
    for place in range(cards):
        space[place] = hands[index, place] >> 2
    laid = opponent_known[LAID]
    for held in range(cards, 4):
        rank, place = np.int8(laid & _LOW), held
        laid >>= _FOUR
        while place > 0 and space[place - 1] > rank:
            space[place] = space[place - 1]
            place -= 1
        space[place] = rank
    return show_index(space[0], space[1], space[2], space[3])


@inline
def weigh_crib(search, own_known, opponent_deals):
    """The chance of each number of points in the crib, flushes and his nobs left out."""
    left = _unseen_ranks(own_known[SEEN], _ZERO)
    thrown = own_known[THROWN]
    first, second = np.int64(thrown >> _FOUR), np.int64(thrown & _LOW)
    role = 1 if opponent_deals else 0
    starter = search.numbers[STARTER] >> 2
    for points in range(MOST_SHOWN + 1):
        search.crib[points] = 0.0
    whole = 0.0
    for high in range(RANKS):
        for low in range(high + 1):
            weight = _pairs(left, low, high) * search.throws[role, low, high]
            if weight > 0.0:
                a, b, c, d = merged(first, second, low, high)
                row = show_index(a, b, c, d)
                search.crib[np.int64(search.shows[row, starter])] += weight
                whole += weight
    for points in range(MOST_SHOWN + 1):
        search.crib[points] /= whole


@inline
def _pairs(left, low, high):
    """How many pairs of cards there are of two ranks."""
    of_high = np.int64(left >> _FOUR * np.uint64(high) & _LOW)
    if high == low:
        return of_high * (of_high - 1) // 2
    return of_high * np.int64(left >> _FOUR * np.uint64(low) & _LOW)
