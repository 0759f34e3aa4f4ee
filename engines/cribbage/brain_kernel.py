"""The brain, fast: the decisions of `brain.py`, to the last bit of every value.

Its functions are given what an observation holds and nothing else. A pile is packed: four bits a
rank, the last card lowest. Counts of ranks are packed too: four bits for each rank, the ace lowest.
"""

import math

import numpy as np

from engines.cards import PACK_SIZE
from engines.cribbage import brain
from engines.cribbage.scoring_kernel import JACK, RANKS, show_index, sum_over_all
from engines.kernel import inline, kernel

THROWS = np.array(brain.THROWS)
_KEPT = np.array([[place for place in range(6) if place not in throw] for throw in brain.THROWS])
CUTS = 46.0
THROW_COUNT = 15

_CHANCE_HELD = np.array(
    [
        [[brain.chance_held(copies, pool, held) for copies in range(5)] for held in range(5)]
        for pool in range(PACK_SIZE + 1)
    ]
)
_FOUR_OF_EACH = np.uint64(sum(4 << 4 * rank for rank in range(RANKS)))
_TWO_FOR_TENS = np.uint64(sum(2 << 4 * rank for rank in range(9, RANKS)))
_LOW = np.uint64(15)
_ZERO, _ONE, _TWO, _FOUR = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(4)
_PAIR_POINTS = np.array([0, 0, 2, 6, 12, 0, 0, 0])
_NEAR_TIE = brain.NEAR_TIE
_LEAD_OF_FIVE, _DANGER, _HIGHER_COUNT = brain.LEAD_OF_FIVE, brain.DANGER, brain.HIGHER_COUNT
_FIRST_DANGER, _SECOND_DANGER = brain.DANGEROUS_COUNTS
_NEAR_31, _NEAR_31_ABOVE = brain.NEAR_31, brain.NEAR_31_ABOVE
_ENDGAME_SCORE, _ENDGAME_LEVEL = brain.ENDGAME_SCORE, brain.ENDGAME_LEVEL
_ENDGAME_FACTOR = brain.ENDGAME_FACTOR
_FIVE = 4


@inline
def value_of_rank(rank):
    """What a card of a rank counts."""
    return min(rank + 1, 10)


@inline
def _place(rank):
    """Where the four bits of a rank begin."""
    return _FOUR * np.uint64(rank)


@kernel
def throw_values(hand, is_dealer, shows, cribs, values):
    """Values of the 15 throws of hand[0..5], ascending, into values[0..14].

    shows: of `show_table`. cribs: float64[2, 13, 13], pone then dealer.
    """
    suits = _suits_held(hand)
    for throw in range(THROW_COUNT):
        first, second = hand[THROWS[throw, 0]], hand[THROWS[throw, 1]]
        mean_hand = _kept_points(hand, throw, suits, shows) / CUTS
        crib = cribs[1 if is_dealer else 0, first >> 2, second >> 2]
        values[throw] = mean_hand + crib if is_dealer else mean_hand - crib


@inline
def part(six, throw, kept, crib, first):
    """Parts six cards by a throw: into kept[0..3], which may be the six, crib[first] and the next.

    All stay in their order.
    """
    left = 0
    for place in range(6):
        card = six[place]
        if place == THROWS[throw, 0]:
            crib[first] = card
        elif place == THROWS[throw, 1]:
            crib[first + 1] = card
        else:
            kept[left] = card
            left += 1


@inline
def first_best(values, size):
    """The index of the first of the largest of values[0..size-1]; size is at least 1."""
    best = 0
    for index in range(1, size):
        if values[index] > values[best]:
            best = index
    return best


@inline
def _suits_held(hand):
    """How many of the six cards are of each suit, a byte each."""
    suits = _ZERO
    for place in range(6):
        suits += _ONE << (np.uint64(8) * np.uint64(hand[place] & 3))
    return suits


@inline
def _kept_row(hand, throw):
    """The row of the ranks of the four cards that a throw keeps."""
    return show_index(
        hand[_KEPT[throw, 0]] >> 2,
        hand[_KEPT[throw, 1]] >> 2,
        hand[_KEPT[throw, 2]] >> 2,
        hand[_KEPT[throw, 3]] >> 2,
    )


@inline
def _kept_points(hand, throw, suits, shows):
    """Points of the four cards that a throw keeps, summed over the 46 cuts."""
    a, b = hand[_KEPT[throw, 0]], hand[_KEPT[throw, 1]]
    c, d = hand[_KEPT[throw, 2]], hand[_KEPT[throw, 3]]
    row = _kept_row(hand, throw)
    points = sum_over_all(shows, row)
    for place in range(6):
        points -= np.int64(shows[row, hand[place] >> 2])
    points += _nobs_cuts(a, suits) + _nobs_cuts(b, suits)
    points += _nobs_cuts(c, suits) + _nobs_cuts(d, suits)
    if (a & 3) == (b & 3) == (c & 3) == (d & 3):
        points += 4 * 46 + _unseen_of_suit(a, suits)
    return points


@inline
def _unseen_of_suit(card, suits):
    return np.int64(13) - np.int64(suits >> (np.uint64(8) * np.uint64(card & 3)) & np.uint64(255))


@inline
def _nobs_cuts(card, suits):
    """Over how many cuts a card of the hand scores nobs."""
    return _unseen_of_suit(card, suits) if card >> 2 == JACK else np.int64(0)


@kernel
def best_throw(hand, is_dealer, shows, values):
    """The index of the best value; of those within NEAR_TIE of it the safest, then the first."""
    best = values[first_best(values, THROW_COUNT)]
    chosen, rivals = -1, 0
    for throw in range(THROW_COUNT):
        if best - values[throw] <= _NEAR_TIE:
            rivals += 1
            if chosen < 0:
                chosen = throw
    if rivals == 1:
        return chosen
    safest = -1e9
    for throw in range(THROW_COUNT):
        if best - values[throw] <= _NEAR_TIE:
            safety = _safety(hand, throw, is_dealer, shows)
            if safety > safest:
                chosen, safest = throw, safety
    return chosen


@kernel
def _safety(hand, throw, is_dealer, shows):
    """Mean over the cuts of the kept hand, plus or minus that of the thrown pair and the cut."""
    suits = _suits_held(hand)
    kept = _kept_points(hand, throw, suits, shows)
    first, second = hand[THROWS[throw, 0]], hand[THROWS[throw, 1]]
    thrown = _nobs_cuts(first, suits) + _nobs_cuts(second, suits)
    for rank in range(RANKS):
        copies = 4
        for place in range(6):
            if hand[place] >> 2 == rank:
                copies -= 1
        thrown += copies * _three_cards(first >> 2, second >> 2, rank)
    return kept / CUTS + thrown / CUTS if is_dealer else kept / CUTS - thrown / CUTS


@inline
def _three_cards(a, b, c):
    """What three ranks score: fifteens, pairs and a run."""
    x, y, z = value_of_rank(a), value_of_rank(b), value_of_rank(c)
    points = 0
    for amount in (x + y, x + z, y + z, x + y + z):
        if amount == 15:
            points += 2
    for equal in (a == b, a == c, b == c):
        if equal:
            points += 2
    low, high = min(a, min(b, c)), max(a, max(b, c))
    if high - low == 2 and a != b and a != c and b != c:
        points += 3
    return points


@kernel
def pick(values, size, temperature, roll):
    """As `tiers.pick`, of values[0..size-1], which it turns into weights."""
    best, whole = values[first_best(values, size)], 0.0
    for index in range(size):
        values[index] = math.exp((values[index] - best) / temperature)
        whole += values[index]
    mark, passed, last = roll * whole, 0.0, 0
    for index in range(size):
        passed += values[index]
        if mark < passed:
            return index
        if values[index] > 0.0:
            last = index
    return last


@kernel
def choose_throw(hand, is_dealer, temperature, roll, shows, cribs, values):
    """The index in THROWS of what the brain throws from hand[0..5], ascending.

    roll: in [0, 1), used with a temperature above 0. values: float64[15], scratch.
    """
    throw_values(hand, is_dealer, shows, cribs, values)
    if temperature <= 0.0:
        return best_throw(hand, is_dealer, shows, values)
    return pick(values, THROW_COUNT, temperature, roll)


@kernel
def weighed_values(hand, is_dealer, shows, cribs, pegging, values):
    """As `throw_values`, with what the kept ranks bring in the play: float64[2, SHOWS] by role."""
    throw_values(hand, is_dealer, shows, cribs, values)
    for throw in range(THROW_COUNT):
        values[throw] += pegging[1 if is_dealer else 0, _kept_row(hand, throw)]


@inline
def pile_points(pile, size, rank, count):
    """What a card of a rank scores when it is laid on a pile and makes the count `count`."""
    points = 0
    if count in (15, 31):
        points = 2
    equal, pairing = 1, True
    present, low, high, run = _ONE << np.uint64(rank), rank, rank, 0
    for depth in range(2, size + 2):
        other = np.int64(pile & _LOW)
        pile >>= _FOUR
        if pairing and other == rank:
            equal += 1
        else:
            pairing = False
        bit = _ONE << np.uint64(other)
        if present & bit:
            if not pairing:
                break
            continue
        present |= bit
        low, high = min(low, other), max(high, other)
        if depth >= 3 and high - low == depth - 1 and equal == 1:
            run = depth
    return points + _PAIR_POINTS[equal] + run


@inline
def replies(pile, size, count):
    """What each rank would score on a pile of the count, packed; 0 above 31."""
    room = 31 - count
    found = _ZERO
    last = np.int64(pile & _LOW)
    rest = pile >> _FOUR
    equal, pairing = 1, True
    present, low, high = _ONE << np.uint64(last), last, last
    for depth in range(2, size + 1):
        other = np.int64(rest & _LOW)
        rest >>= _FOUR
        if pairing and other == last:
            equal += 1
        else:
            pairing = False
        bit = _ONE << np.uint64(other)
        if present & bit:
            if not pairing:
                break
            continue
        if equal > 1:
            break
        present |= bit
        low, high = min(low, other), max(high, other)
        points = np.uint64(depth + 1)
        if high - low == depth - 1:
            if low > 0:
                found = found & ~(_LOW << _place(low - 1)) | points << _place(low - 1)
            if high < RANKS - 1:
                found = found & ~(_LOW << _place(high + 1)) | points << _place(high + 1)
        elif high - low == depth:
            gap = low + 1
            while present >> np.uint64(gap) & _ONE:
                gap += 1
            found = found & ~(_LOW << _place(gap)) | points << _place(gap)
    found += np.uint64(_PAIR_POINTS[equal + 1]) << _place(last)
    for wanted in (15 - count, room):
        if wanted == 10:
            found += _TWO_FOR_TENS
        elif 1 <= wanted <= 9:
            found += _TWO << _place(wanted - 1)
    return found if room >= 10 else found & ((_ONE << _place(room)) - _ONE)


@inline
def _threat(pile, size, count, unseen, pool, opponent_cards):
    """The largest of points of a reply times the chance that the opponent holds it."""
    worst = 0.0
    points = replies(pile, size, count)
    while points:
        reply = points & _LOW
        if reply:
            chance = _CHANCE_HELD[pool, opponent_cards, np.int64(unseen & _LOW)]
            worst = max(worst, np.float64(reply) * chance)
        points >>= _FOUR
        unseen >>= _FOUR
    return worst


@inline
def net_value(rank, pile, size, count, unseen, pool, opponent_cards, opponent_score, level):
    """The net value of playing a rank on a pile of the count, in points."""
    after = count + value_of_rank(rank)
    value = np.float64(pile_points(pile, size, rank, after))
    if level > 0.0 and after < 31:
        weight = level
        if level >= _ENDGAME_LEVEL and opponent_score >= _ENDGAME_SCORE:
            weight *= _ENDGAME_FACTOR
        laid = pile << _FOUR | np.uint64(rank)
        value -= weight * _threat(laid, size + 1, after, unseen, pool, opponent_cards)
    if after in (_FIRST_DANGER, _SECOND_DANGER):
        value -= _DANGER
    value += after * _HIGHER_COUNT
    if count == 0 and rank == _FIVE:
        value -= _LEAD_OF_FIVE
    if level > 0.0 and _NEAR_31_ABOVE < after < 31:
        value += level * _NEAR_31 * (after - _NEAR_31_ABOVE)
    return value


@inline
def legal_count(hand, held, count):
    """How many of hand[0..held-1], ascending, can be played: the first so many."""
    legal = 0
    while legal < held and count + value_of_rank(hand[legal] >> 2) <= 31:
        legal += 1
    return legal


@kernel
def play_values(
    hand, held, legal, pile, size, count, opponent_cards, starter, opponent_score, level, values
):
    """Net values of hand[0..legal-1] into values; the place of the first best.

    hand: ascending, `held` cards. pile: packed, of `size` cards. starter: -1 before the cut.
    """
    seen = _ONE << _place(starter >> 2) if starter >= 0 else _ZERO
    for place in range(held):
        seen += _ONE << _place(hand[place] >> 2)
    rest = pile
    for _ in range(size):
        seen += _ONE << _place(rest & _LOW)
        rest >>= _FOUR
    unseen = _FOUR_OF_EACH - seen
    pool = PACK_SIZE - held - size - (1 if starter >= 0 else 0)
    best, chosen = -1e9, 0
    for place in range(legal):
        rank = np.int64(hand[place] >> 2)
        if place > 0 and rank == np.int64(hand[place - 1] >> 2):
            value = values[place - 1]
        else:
            value = net_value(
                rank, pile, size, count, unseen, pool, opponent_cards, opponent_score, level
            )
        values[place] = value
        if value > best:
            best, chosen = value, place
    return chosen


@kernel
def choose_card(
    hand,
    held,
    legal,
    pile,
    size,
    count,
    opponent_cards,
    starter,
    opponent_score,
    level,
    temperature,
    roll,
    values,
):
    """The place in hand[0..legal-1] of the card that the brain plays; legal is at least 1.

    Arguments as for `play_values`. roll: in [0, 1), used with a temperature above 0.
    """
    if legal == 1:
        return 0
    best = play_values(
        hand, held, legal, pile, size, count, opponent_cards, starter, opponent_score, level, values
    )
    return best if temperature <= 0.0 else pick(values, legal, temperature, roll)
