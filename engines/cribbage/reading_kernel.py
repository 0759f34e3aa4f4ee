"""What the opponent may hold and has thrown, as far as it is public and as Expert plays."""

import numpy as np

from engines.cards import PACK_SIZE
from engines.cribbage.brain_kernel import value_of_rank
from engines.cribbage.master_memory import (
    CARD_BITS,
    LAID,
    LEAST,
    MAX_SAMPLES,
    MOST_SHOWN,
    OTHERS,
    SEEN,
    STARTER,
    THROWN,
)
from engines.cribbage.scoring_kernel import JACK, RANKS, merged, show_index
from engines.kernel import inline

_ZERO, _ONE, _FOUR, _LOW = np.uint64(0), np.uint64(1), np.uint64(4), np.uint64(15)
_CARD = np.uint64(63)

_LANE = 16
"""Bits of each suit in a set of cards by suit: one for each rank, and _MAY_BE."""
_MAY_BE = _ONE << np.uint64(RANKS)
"""Of a suit: no card of another suit has been laid."""

# Columns of suited: places in SUIT_POINTS.
_PLAIN, _NOBS, _FLUSH, _FLUSH_OF_FIVE, _FLUSH_AND_NOBS = range(5)


@inline
def draw_hands(search, own_known, opponent_known, opponent_deals, samples, roll):
    """Hands of unseen cards that the opponent's gos allow, with their weights; how many.

    Hands of the same ranks are one: suits are nothing in the play, and of what they score in the
    show the chances are noted. Where there are more than `samples`, so many are drawn with chances
    by weight, at even distances from a place that the roll gives (systematic sampling); the weight
    of a hand is then how often it was drawn.
    """
    seen, laid, role = own_known[SEEN], opponent_known[LAID], 1 if opponent_deals else 0
    left = _unseen_ranks(seen, opponent_known[LEAST])
    suits = _suits_of_flushes(search, seen, laid)
    found = _weigh_every_hand(search, left, suits, laid, role)
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
            row = _kept_row(search.space, search.every, each, cards, laid)
            for place in range(cards):
                search.hands[drawn, place] = search.every[each, place]
            search.weights[drawn] = weight
            search.counted[drawn] = np.int64(search.shows[row, search.numbers[STARTER] >> 2])
            plain = search.keeps[role, row] / search.chances[each]
            flush = search.flushes[role, row] / search.chances[each]
            _weigh_suits(search, drawn, left, suits, seen, laid, plain, flush)
            drawn += 1
    return drawn


@inline
def _weigh_every_hand(search, left, suits, laid, role):
    """All hands by rank, as cards of any suit, and their weights; how many.

    The weight: the sum over the ways in which it can be held of how much more often than by chance
    Expert keeps it together with the cards laid, which it does more often where all are of a suit.
    """
    cards, found, hand = search.numbers[OTHERS], 0, search.every
    for place in range(cards):
        hand[0, place] = 0
    while True:
        ways = _ways(left, hand, found, cards)
        if ways > 0:
            row = _kept_row(search.space, hand, found, cards, laid)
            flushes = _count_flushes(suits, _rank_set(hand, found, cards))
            weight = (ways - flushes) * search.keeps[role, row]
            search.chances[found] = weight + flushes * search.flushes[role, row]
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
def _kept_row(space, hands, index, cards, laid):
    """The row of the four ranks that the opponent kept: those it has laid and those of a hand."""
    for place in range(cards):
        space[place] = hands[index, place] >> 2
    for held in range(cards, 4):
        rank, place = np.int8(_laid_card(laid, held - cards) >> 2), held
        while place > 0 and space[place - 1] > rank:
            space[place] = space[place - 1]
            place -= 1
        space[place] = rank
    return show_index(space[0], space[1], space[2], space[3])


@inline
def _suits_of_flushes(search, seen, laid):
    """The cards that may be in a flush of the opponent's: by suit, _LANE bits each."""
    suits = _ZERO
    for suit in range(4):
        is_open = True
        for index in range(4 - search.numbers[OTHERS]):
            is_open &= _laid_card(laid, index) & 3 == suit
        if is_open:
            suits |= _MAY_BE << np.uint64(_LANE * suit)
            for rank in range(RANKS):
                if _is_unseen(seen, 4 * rank + suit):
                    suits |= _ONE << np.uint64(_LANE * suit + rank)
    return suits


@inline
def _count_flushes(suits, ranks):
    """In how many suits a hand and the cards laid may be a flush: in one way in each."""
    found = 0
    for suit in range(4):
        found += 1 if _can_be_flush(suits, suit, ranks) else 0
    return found


@inline
def _rank_set(hands, index, cards):
    """A bit for each rank of a hand and _MAY_BE; of a hand with equal ranks a set in no suit."""
    ranks = _MAY_BE
    for place in range(cards):
        bit = _ONE << np.uint64(hands[index, place] >> 2)
        if ranks & bit:
            return ~_ZERO
        ranks |= bit
    return ranks


@inline
def _can_be_flush(suits, suit, ranks):
    return suits >> np.uint64(_LANE * suit) & ranks == ranks


@inline
def _weigh_suits(search, sample, left, suits, seen, laid, plain, flush):
    """The chances of what a sampled hand scores by its suits, together with the cards laid.

    plain, flush: the chance of each way in which its ranks can be held that is no flush, and of
    each that is one.
    """
    cards, starter = search.numbers[OTHERS], search.numbers[STARTER]
    wanted = JACK * 4 + (starter & 3)
    jacks, is_wanted_laid = 0, False
    for place in range(4):
        if place < cards:
            jacks += 1 if search.hands[sample, place] >> 2 == JACK else 0
        else:
            is_wanted_laid |= _laid_card(laid, place - cards) == wanted
    ways, nobs = _ways(left, search.hands, sample, cards), 0
    if is_wanted_laid:
        nobs = ways
    elif jacks > 0 and _is_unseen(seen, wanted):
        # Of these jacks among all that are not seen the wanted one is one as often as any other.
        nobs = ways * jacks // np.int64(left >> _FOUR * np.uint64(JACK) & _LOW)
    ranks = _rank_set(search.hands, sample, cards)
    flushes = _count_flushes(suits, ranks)
    of_five = 1 if _can_be_flush(suits, starter & 3, ranks) else 0
    both = of_five if nobs > 0 else 0  # its jack, if any, is of the starter's suit
    suited = search.suited[sample]
    suited[_PLAIN] = (ways - flushes - nobs + both) * plain
    suited[_NOBS] = (nobs - both) * plain
    suited[_FLUSH] = (flushes - of_five) * flush
    suited[_FLUSH_OF_FIVE] = (of_five - both) * flush
    suited[_FLUSH_AND_NOBS] = both * flush


@inline
def _laid_card(laid, index):
    """One of the cards that the opponent has laid."""
    return np.int64(laid >> CARD_BITS * np.uint64(index) & _CARD)


@inline
def _is_unseen(seen, card):
    return not seen >> np.uint64(card) & _ONE


@inline
def weigh_crib(search, own_known, opponent_deals):
    """The chance of each number of points in the crib, all pairs of equal ranks alike likely."""
    seen, thrown = own_known[SEEN], own_known[THROWN]
    left = _unseen_ranks(seen, _ZERO)
    first, second = np.int64(thrown >> CARD_BITS), np.int64(thrown & _CARD)
    role = 1 if opponent_deals else 0
    starter = search.numbers[STARTER]
    suit, wanted = starter & 3, JACK * 4 + (starter & 3)
    is_wanted_thrown = starter != wanted and (first == wanted or second == wanted)
    may_be_flush = first & 3 == suit and second & 3 == suit
    for points in range(MOST_SHOWN + 1):
        search.crib[points] = 0.0
    whole = 0.0
    for high in range(RANKS):
        for low in range(high + 1):
            ways = _pairs(left, low, high)
            if ways > 0:
                weight = search.throws[role, low, high]
                a, b, c, d = merged(first >> 2, second >> 2, low, high)
                points = np.int64(search.shows[show_index(a, b, c, d), starter >> 2])
                flush, nobs = 0, 0
                are_unseen = _is_unseen(seen, 4 * low + suit) and _is_unseen(seen, 4 * high + suit)
                if may_be_flush and low != high and are_unseen:
                    flush = 1
                if is_wanted_thrown:
                    nobs = ways
                elif (low == JACK or high == JACK) and _is_unseen(seen, wanted):
                    nobs = _pairs_with_one(left, low, high, JACK)
                both = flush if nobs > 0 else 0
                search.crib[points] += weight * (ways - nobs - flush + both)
                if nobs > 0:
                    search.crib[points + 1] += weight * (nobs - both)
                if flush > 0:
                    search.crib[points + 5] += weight * (flush - both)
                    search.crib[points + 6] += weight * both
                whole += weight * ways
    for points in range(MOST_SHOWN + 1):
        search.crib[points] /= whole


@inline
def _pairs(left, low, high):
    """How many pairs of cards there are of two ranks."""
    of_high = np.int64(left >> _FOUR * np.uint64(high) & _LOW)
    if high == low:
        return of_high * (of_high - 1) // 2
    return of_high * np.int64(left >> _FOUR * np.uint64(low) & _LOW)


@inline
def _pairs_with_one(left, low, high, rank):
    """In how many of these pairs is a given card of one of their ranks."""
    other = low + high - rank
    of_other = np.int64(left >> _FOUR * np.uint64(other) & _LOW)
    return of_other - 1 if other == rank else of_other
