"""Master's throws near the end of a match: deals played on from each throw, and the board after."""

from typing import NamedTuple

import numpy as np

from engines.cards import PACK_SIZE
from engines.cribbage.brain_kernel import (
    THROW_COUNT,
    choose_card,
    choose_throw,
    first_best,
    legal_count,
    part,
    pile_points,
    value_of_rank,
    weighed_values,
)
from engines.cribbage.scoring import GAME
from engines.cribbage.scoring_kernel import JACK, merged, show_points, sort
from engines.kernel import constant, inline, kernel
from engines.streams import STREAM_SIZE, open_stream, reopen, shuffle_end

NEAR_END = 36
"""Points from the goal within which the better placed side must be for the board to be asked."""
SPREAD = 3.0
"""In points: throws that are worse by more are not played on."""
THROW_PURPOSE = "cribbage master throws"
_DRAWN = 7  # the other six cards and the starter
_OWN, _OTHER, _NOBODY = range(3)
CHANCE, _MARGIN, _PRODUCT, _SQUARE = range(4)  # of the sums of a throw
_SUMS = 4
NO_CHANCE = -1e9
_ZERO, _FOUR = np.uint64(0), np.uint64(4)


class Trials(NamedTuple):
    """Memory for deals that are played on.

    By side, own first: kept and hands, int8[2, 4], `held` cards of them, and scores, int64[2].
    pack: int8[46]. six: int8[6], the other's. crib: int8[4], the other's two first. sums:
    float64[15, 4], of each throw. brain: float64[15], scratch. stream: uint64[STREAM_SIZE]. wins:
    float64[goal, goal], of `board`.
    """

    pack: np.ndarray
    six: np.ndarray
    kept: np.ndarray
    hands: np.ndarray
    held: np.ndarray
    crib: np.ndarray
    scores: np.ndarray
    sums: np.ndarray
    brain: np.ndarray
    stream: np.ndarray
    wins: np.ndarray


def new_trials(wins: np.ndarray) -> Trials:
    """Memory for any number of throws, one after the other."""
    return Trials(
        pack=np.zeros(PACK_SIZE - 6, np.int8),
        six=np.zeros(6, np.int8),
        kept=np.zeros((2, 4), np.int8),
        hands=np.zeros((2, 4), np.int8),
        held=np.zeros(2, np.int64),
        crib=np.zeros(4, np.int8),
        scores=np.zeros(2, np.int64),
        sums=np.zeros((THROW_COUNT, _SUMS)),
        brain=np.zeros(THROW_COUNT),
        stream=np.zeros(STREAM_SIZE, np.uint64) + open_stream(0, 0, THROW_PURPOSE),
        wins=constant(wins),
    )


@kernel
def choose_board_throw(
    trials,
    hand,
    is_dealer,
    own_score,
    opponent_score,
    shows,
    cribs,
    pegging,
    samples,
    seed,
    values,
):
    """The index in THROWS of Master's throw from hand[0..5], ascending.

    Arguments as for `weigh_throws`; values: float64[15], scratch.
    """
    weighed_values(hand, is_dealer, shows, cribs, pegging, values)
    if max(own_score, opponent_score) >= trials.wins.shape[0] - NEAR_END:
        weigh_throws(
            trials, hand, is_dealer, own_score, opponent_score, shows, cribs, samples, seed, SPREAD,
            values,
        )  # fmt: skip
    return first_best(values, THROW_COUNT)


@kernel
def weigh_throws(
    trials,
    hand,
    is_dealer,
    own_score,
    opponent_score,
    shows,
    cribs,
    samples,
    seed,
    spread,
    values,
):
    """Turns values of throws in points, of `weighed_values`, into chances to win.

    Arguments as for `play_throws`; the values of throws that are not played on become NO_CHANCE.

    The mean chance over the deals would be uncertain. But it goes with the margin of points, of
    which is known beforehand how much better one throw is in the mean than another: what the deals
    had of that too much or too little is taken out (a control variate, its factor by regression).
    That pays for a few hundred deals: by up to 0.02 it is wrong itself, as the tables behind the
    points do not know the own six cards.
    """
    best = play_throws(
        trials, hand, is_dealer, own_score, opponent_score, shows, cribs, samples, seed, spread,
        values,
    )  # fmt: skip
    covariance, variance, gap, played_on = 0.0, 0.0, 0.0, 0
    for throw in range(THROW_COUNT):
        if best - values[throw] <= spread:
            sums = trials.sums[throw]
            covariance += sums[_PRODUCT] - sums[CHANCE] * sums[_MARGIN] / samples
            variance += sums[_SQUARE] - sums[_MARGIN] * sums[_MARGIN] / samples
            gap += values[throw] - sums[_MARGIN] / samples
            played_on += 1
    slope = covariance / max(variance, 1e-9)
    gap /= played_on
    for throw in range(THROW_COUNT):
        if best - values[throw] <= spread:
            sums = trials.sums[throw]
            surplus = sums[_MARGIN] / samples - (values[throw] - gap)
            values[throw] = sums[CHANCE] / samples - slope * surplus
        else:
            values[throw] = NO_CHANCE


@kernel
def play_throws(
    trials,
    hand,
    is_dealer,
    own_score,
    opponent_score,
    shows,
    cribs,
    samples,
    seed,
    spread,
    values,
):
    """Sums of the same deals played on from each throw, into trials.sums; the best value.

    Played on are those whose value is at most `spread` below the best. seed: uint64, decides the
    deals.
    """
    best = values[first_best(values, THROW_COUNT)]
    trials.sums[:] = 0.0
    _fill_pack(trials.pack, hand)
    trials.stream[0] = seed
    reopen(trials.stream, 0)
    for _ in range(samples):
        starter = _deal_others(trials, is_dealer, shows, cribs)
        for throw in range(THROW_COUNT):
            if best - values[throw] > spread:
                continue
            part(hand, throw, trials.kept[_OWN], trials.crib, 2)
            trials.scores[_OWN], trials.scores[_OTHER] = own_score, opponent_score
            chance = _play_deal(trials, is_dealer, starter, shows)
            margin = np.float64(trials.scores[_OWN] - trials.scores[_OTHER])
            sums = trials.sums[throw]
            sums[CHANCE] += chance
            sums[_MARGIN] += margin
            sums[_PRODUCT] += chance * margin
            sums[_SQUARE] += margin * margin
    return best


@inline
def _deal_others(trials, is_dealer, shows, cribs):
    """Deals the opponent six cards, of which it throws as Expert, and the starter."""
    pack, size = trials.pack, trials.pack.shape[0]
    shuffle_end(trials.stream, pack, _DRAWN)
    for place in range(6):
        trials.six[place] = pack[size - 1 - place]
    sort(trials.six, 0, 6)
    thrown = choose_throw(trials.six, not is_dealer, 0.0, 0.0, shows, cribs, trials.brain)
    part(trials.six, thrown, trials.kept[_OTHER], trials.crib, 0)
    return np.int64(pack[size - _DRAWN])


@inline
def _fill_pack(pack, hand):
    filled = 0
    for card in range(PACK_SIZE):
        is_held = False
        for place in range(6):
            is_held |= hand[place] == card
        if not is_held:
            pack[filled] = card
            filled += 1


@kernel
def _play_deal(trials, is_dealer, starter, shows):
    """Our chance to win after a deal in which both play as Expert.

    It is played and counted to its end even where it is won before: scores are those of a deal of
    which all points count, as they do in the values of throws.
    """
    scores = trials.scores
    dealer = _OWN if is_dealer else _OTHER
    pone = 1 - dealer
    winner = _NOBODY
    if starter >> 2 == JACK:
        scores[dealer] += 2
        winner = _first_home(trials, winner, dealer)
    winner = _play_cards(trials, dealer, starter, winner)
    for role in (pone, dealer):
        scores[role] += _show(trials.kept[role], starter, shows)
        winner = _first_home(trials, winner, role)
    crib = trials.crib
    a, b, c, d = merged(crib[0], crib[1], crib[2], crib[3])
    scores[dealer] += show_points(shows, a, b, c, d, starter, True)
    winner = _first_home(trials, winner, dealer)
    if winner != _NOBODY:
        return 1.0 if winner == _OWN else 0.0
    after = trials.wins[scores[pone], scores[dealer]]
    return after if pone == _OWN else 1.0 - after


@inline
def _first_home(trials, winner, side):
    """The winner so far, after points for a side."""
    if winner == _NOBODY and trials.scores[side] >= trials.wins.shape[0]:
        return side
    return winner


@inline
def _show(kept, starter, shows):
    return show_points(shows, kept[0], kept[1], kept[2], kept[3], starter, False)


@inline
def _play_cards(trials, dealer, starter, winner):
    """The play of both hands as Expert to its end; the winner so far."""
    hands, held, scores = trials.hands, trials.held, trials.scores
    for side in range(2):
        held[side] = 4
        for place in range(4):
            hands[side, place] = trials.kept[side, place]
    side, pile, size, count = 1 - dealer, _ZERO, 0, 0
    while held[0] + held[1] > 0:
        legal = legal_count(hands[side], held[side], count)
        if legal == 0:
            side = 1 - side
            legal = legal_count(hands[side], held[side], count)
            if legal == 0:
                pile, size, count = _ZERO, 0, 0
                side = 1 - side
                continue
        hand = hands[side]
        place = choose_card(
            hand, held[side], legal, pile, size, count, held[1 - side], starter,
            min(scores[1 - side], GAME - 1), 1.0, 0.0, 0.0, trials.brain,
        )  # fmt: skip
        rank = np.int64(hand[place] >> 2)
        held[side] -= 1
        for above in range(place, held[side]):
            hand[above] = hand[above + 1]
        count += value_of_rank(rank)
        points = pile_points(pile, size, rank, count)
        pile = pile << _FOUR | np.uint64(rank)
        size += 1
        if count < 31 and not (
            legal_count(hands[0], held[0], count) or legal_count(hands[1], held[1], count)
        ):
            points += 1
        scores[side] += points
        winner = _first_home(trials, winner, side)
        if count == 31:
            pile, size, count = _ZERO, 0, 0
        side = 1 - side
    return winner
