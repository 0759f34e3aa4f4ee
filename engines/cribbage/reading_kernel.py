"""What the opponent may hold and has thrown, as far as it is public and as Expert plays."""

import numpy as np

from engines.cards import PACK_SIZE
from engines.cribbage.brain_kernel import value_of_rank
from engines.cribbage.master_memory import (
    LAID,
    LAID_SIZE,
    LEAST,
    MAX_SAMPLES,
    MOST_SHOWN,
    OTHERS,
    SEEN,
    STARTER,
    THROWN,
)
from engines.cribbage.scoring_kernel import RANKS, merged, show_index, sort
from engines.kernel import inline
from engines.streams import below, reopen

_ZERO, _ONE, _FOUR, _LOW = np.uint64(0), np.uint64(1), np.uint64(4), np.uint64(15)


@inline
def draw_hands(search, own_known, opponent_known, opponent_deals, samples, seed):
    """Hands of unseen cards that the opponent's gos allow, with their weights; how many.

    Of one or two cards all there are, by rank: suits are nothing in the play. Of more, a sample.
    """
    pool, filled = search.pool, 0
    left = _ZERO  # cards of each rank, packed
    for card in range(PACK_SIZE):
        is_seen = own_known[SEEN] >> np.uint64(card) & _ONE
        if not is_seen and np.uint64(value_of_rank(card >> 2)) >= opponent_known[LEAST]:
            pool[filled] = card
            filled += 1
            left += _ONE << np.uint64(4 * (card >> 2))
    cards = search.numbers[OTHERS]
    drawn = 0
    if cards <= 2:
        for high in range(RANKS if cards > 0 else 1):
            for low in range(high + 1 if cards > 1 else 1):
                ways = _ways(left, high, low, cards)
                if ways > 0:
                    search.hands[drawn, 0], search.hands[drawn, 1] = 4 * high, 4 * high
                    if cards > 1:
                        search.hands[drawn, 0] = 4 * low
                    search.weights[drawn] = ways
                    drawn += 1
    else:
        search.stream[0] = seed
        reopen(search.stream, 0)
        drawn = min(samples, MAX_SAMPLES)
        for sample in range(drawn):
            for place in range(cards):
                last = filled - 1 - place
                other = below(search.stream, last + 1)
                pool[last], pool[other] = pool[other], pool[last]
                search.hands[sample, place] = pool[last]
            sort(search.hands[sample], 0, cards)
            search.weights[sample] = 1.0
    for sample in range(drawn):
        row = _kept_row(search.hands, sample, cards, opponent_known)
        search.weights[sample] *= search.keeps[1 if opponent_deals else 0, row]
        search.counted[sample] = np.int64(search.shows[row, search.numbers[STARTER] >> 2])
    return drawn


@inline
def _ways(left, high, low, cards):
    """In how many ways two cards of these ranks can be held, or one of the higher, or none."""
    of_high = np.int64(left >> np.uint64(4 * high) & _LOW)
    if cards == 0:
        return 1
    if cards == 1:
        return of_high
    if high == low:
        return of_high * (of_high - 1) // 2
    return of_high * np.int64(left >> np.uint64(4 * low) & _LOW)


@inline
def _kept_row(hands, sample, cards, opponent_known):
    """The row of the four ranks that the opponent kept: those it has laid and those sampled."""
    counts = _ZERO
    for place in range(cards):
        counts += _ONE << np.uint64(4 * (hands[sample, place] >> 2))
    laid = opponent_known[LAID]
    for _ in range(np.int64(opponent_known[LAID_SIZE])):
        counts += _ONE << _FOUR * (laid & _LOW)
        laid >>= _FOUR
    a, b, c, d = 0, 0, 0, 0
    for rank in range(RANKS):
        for _ in range(np.int64(counts >> np.uint64(4 * rank) & _LOW)):
            a, b, c, d = b, c, d, rank
    return show_index(a, b, c, d)


@inline
def weigh_crib(search, own_known, opponent_deals):
    """The chance of each number of points in the crib, flushes and his nobs left out."""
    left = _unseen_ranks(own_known[SEEN])
    thrown = own_known[THROWN]
    first, second = np.int64(thrown >> _FOUR), np.int64(thrown & _LOW)
    role = 1 if opponent_deals else 0
    starter = search.numbers[STARTER] >> 2
    for points in range(MOST_SHOWN + 1):
        search.crib[points] = 0.0
    whole = 0.0
    for high in range(RANKS):
        for low in range(high + 1):
            weight = _ways(left, high, low, 2) * search.throws[role, low, high]
            if weight > 0.0:
                a, b, c, d = merged(first, second, low, high)
                row = show_index(a, b, c, d)
                search.crib[np.int64(search.shows[row, starter])] += weight
                whole += weight
    for points in range(MOST_SHOWN + 1):
        search.crib[points] /= whole


@inline
def _unseen_ranks(seen):
    left = _ZERO
    for card in range(PACK_SIZE):
        if not seen >> np.uint64(card) & _ONE:
            left += _ONE << np.uint64(4 * (card >> 2))
    return left
