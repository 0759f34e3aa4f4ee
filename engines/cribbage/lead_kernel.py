"""What each lead of a hand brings to the end of the play against a greedy opponent."""

import numpy as np

from engines.cribbage.brain_kernel import choose_card, legal_count, pile_points, value_of_rank
from engines.cribbage.scoring import GAME
from engines.kernel import inline, kernel

ORDERS = np.array(
    [
        (a, b, c, d)
        for a in range(4)
        for b in range(4)
        for c in range(4)
        for d in range(4)
        if len({a, b, c, d}) == 4
    ]
)
"""The orders in which four cards can be preferred: any sequence of plays is that of one of them."""

_LEAST = -1000
_NO_PILE = np.uint64(0)
_FOUR = np.uint64(4)


@kernel
def lead_margins(hand, held, samples, starter, own_score, space, values, margins):
    """The best margin in each sample with each card of the hand as the lead.

    hand: int8[4], ascending, `held` cards. samples: int8[n, k], each ascending, the opponent's
    cards. own_score: before the lead. space: int8[2, 4] and values: float64[15], scratch.
    margins: int64[n, 4], of our points less the opponent's to the end of the play.
    """
    for sample in range(samples.shape[0]):
        best = margins[sample]
        best[:] = _LEAST
        for order in range(ORDERS.shape[0]):
            lead = ORDERS[order, 0]
            if lead >= held:
                continue
            margin = _margin(hand, held, samples[sample], order, starter, own_score, space, values)
            best[lead] = max(best[lead], margin)


@inline
def _margin(hand, held, opponent, order, starter, own_score, space, values):
    """Plays to the end: we by an order of preference, the opponent as Expert."""
    other = opponent.shape[0]
    for place in range(other):
        space[1, place] = opponent[place]
    left = held
    played = 0  # a bit for each of our cards that is down
    pile, size, count = _NO_PILE, 0, 0
    own_turn, margin, own = True, 0, own_score
    while left + other > 0:
        place = -1
        if own_turn:
            for preference in range(4):
                candidate = ORDERS[order, preference]
                is_held = candidate < held and not played >> candidate & 1
                if is_held and count + value_of_rank(hand[candidate] >> 2) <= 31:
                    place = candidate
                    break
        elif legal_count(space[1], other, count) > 0:
            place = choose_card(
                space[1],
                other,
                legal_count(space[1], other, count),
                pile,
                size,
                count,
                left,
                starter,
                min(own, GAME - 1),
                1.0,
                0.0,
                0.0,
                values,
            )
        if place < 0:
            own_turn = not own_turn
            if not _can_play(hand, held, played, space[1], other, own_turn, count):
                pile, size, count = _NO_PILE, 0, 0
                own_turn = not own_turn
            continue
        card = hand[place] if own_turn else space[1, place]
        if own_turn:
            played |= 1 << place
            left -= 1
        else:
            other -= 1
            for above in range(place, other):
                space[1, above] = space[1, above + 1]
        rank = np.int64(card >> 2)
        count += value_of_rank(rank)
        points = pile_points(pile, size, rank, count)
        pile = pile << _FOUR | np.uint64(rank)
        size += 1
        if count < 31 and not (
            _can_play(hand, held, played, space[1], other, True, count)
            or _can_play(hand, held, played, space[1], other, False, count)
        ):
            points += 1
        if own_turn:
            margin += points
            own += points
        else:
            margin -= points
        if count == 31:
            pile, size, count = _NO_PILE, 0, 0
        own_turn = not own_turn
    return margin


@inline
def _can_play(hand, held, played, opponent, other, own_turn, count):
    """Whether the side has a card for the count."""
    if not own_turn:
        return legal_count(opponent, other, count) > 0
    for place in range(held):
        if not played >> place & 1 and count + value_of_rank(hand[place] >> 2) <= 31:
            return True
    return False
