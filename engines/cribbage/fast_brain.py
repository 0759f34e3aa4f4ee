"""The brain by its kernel: the same decisions as `brain.py`, a thousand times faster."""

from functools import lru_cache
from typing import Any

import numpy as np

from engines.cribbage import brain_kernel
from engines.cribbage.brain import THROWS
from engines.cribbage.brain_kernel import (
    THROW_COUNT,
    choose_card,
    choose_throw,
    legal_count,
)
from engines.cribbage.crib_tables import CribTables, default_tables
from engines.cribbage.master_kernel import choose_searched, weigh_cards
from engines.cribbage.master_memory import (
    CARD_BITS,
    KNOWN_SIZE,
    LAID,
    LEAST,
    SEEN,
    SHOW,
    THROWN,
)
from engines.cribbage.master_tables import default_master_tables
from engines.cribbage.match_kernel import ROLLS
from engines.cribbage.observation import Observation, ObservationError, least_value_held
from engines.cribbage.scoring_kernel import show_points, show_table
from engines.cribbage.throw_kernel import CHANCE, choose_board_throw, new_trials, play_throws
from engines.cribbage.tiers import Skill


@lru_cache
def _stacked(tables: CribTables | None) -> np.ndarray:
    return (tables or default_tables()).stacked()


def discard_values(seen: Observation, tables: CribTables | None = None) -> list[float]:
    """The values of the 15 throws in the order of `brain.THROWS`, in points."""
    values = np.zeros(THROW_COUNT)
    brain_kernel.throw_values(_six(seen), seen.own_crib, show_table(), _stacked(tables), values)
    return list(map(float, values))


def choose_discard(
    seen: Observation, skill: Skill, roll: float, tables: CribTables | None = None
) -> tuple[int, int]:
    """The two cards to throw; the roll is used only by a skill that errs.

    tables: others than the default ones, for a skill that does not search.
    """
    hand, crib, values = _six(seen), seen.own_crib, np.zeros(THROW_COUNT)
    if skill.samples > 0:
        master = default_master_tables()
        throw = choose_board_throw(
            new_trials(master.throw_board.dealer_wins),
            hand,
            crib,
            seen.own_score,
            seen.opponent_score,
            show_table(),
            _stacked(None),
            master.pegging,
            skill.samples,
            np.uint64(roll * ROLLS),
            values,
        )
    else:
        throw = choose_throw(
            hand, crib, skill.temperature, roll, show_table(), _stacked(tables), values
        )
    first, second = THROWS[throw]
    return seen.own_hand[first], seen.own_hand[second]


def throw_chances(seen: Observation, samples: int, roll: float) -> list[float]:
    """The chance to win with each of the 15 throws in the order of `brain.THROWS`.

    The mean over the same deals for all throws, both sides throwing and playing as Expert.
    """
    trials = new_trials(default_master_tables().throw_board.dealer_wins)
    play_throws(
        trials,
        _six(seen),
        seen.own_crib,
        seen.own_score,
        seen.opponent_score,
        show_table(),
        _stacked(None),
        samples,
        np.uint64(roll * ROLLS),
        0.0,
        np.zeros(THROW_COUNT),  # all alike, so that all are played on
    )
    return list(map(float, trials.sums[:, CHANCE] / samples))


def play_values(seen: Observation, level: float) -> list[tuple[int, float]]:
    """Each legal card with its net value in points, in hand order."""
    hand, held, legal, *public = _position(seen)
    values = np.zeros(THROW_COUNT)
    brain_kernel.play_values(hand, held, legal, *public, level, values)
    return list(zip(seen.own_hand, map(float, values[:legal]), strict=False))


def choose_play(seen: Observation, skill: Skill, roll: float) -> int:
    """The card to play; raises ObservationError where only go is possible."""
    if skill.samples > 0:
        return _choose_searched(seen, skill, roll)
    position = _position(seen)
    place = choose_card(*position, skill.level, skill.temperature, roll, np.zeros(THROW_COUNT))
    return seen.own_hand[int(place)]


def play_chances(seen: Observation, samples: int, roll: float) -> list[tuple[int, float]]:
    """Each legal card with the chance to win, as Master, over the hands that it samples.

    Cards of equal rank have the same. Raises ObservationError unless all of the deal that is public
    is in the observation.
    """
    search = default_master_tables().search()
    hand, held, legal, *rest = _searched_position(seen, samples, roll)
    weight = weigh_cards(search, hand, held, *rest)
    ranks = [card >> 2 for card in seen.own_hand]
    return [
        (seen.own_hand[place], float(search.sums[ranks.index(ranks[place])]) / weight)
        for place in range(legal)
    ]


def _choose_searched(seen: Observation, skill: Skill, roll: float) -> int:
    position = _searched_position(seen, skill.samples, roll)
    return seen.own_hand[int(choose_searched(default_master_tables().search(), *position))]


def _searched_position(seen: Observation, samples: int, roll: float) -> tuple[Any, ...]:
    """What `choose_searched` wants to know after its memory."""
    hand, held, legal, pile, size, count, cards, _, _ = _position(seen)
    own_laid = [act.card for act in seen.history if act.own and act.card is not None]
    laid = [act.card for act in seen.history if not act.own and act.card is not None]
    kept = sorted((*seen.own_hand, *own_laid))
    if seen.starter is None or (len(kept), len(laid) + cards, len(seen.own_discards)) != (4, 4, 2):
        raise ObservationError(
            "expected all of the deal for a search of the play: the starter, two own discards, and "
            f"in the history and the hands four cards of each; got {seen.as_json()}"
        )
    own, opponent = np.zeros(KNOWN_SIZE, np.uint64), np.zeros(KNOWN_SIZE, np.uint64)
    own[SEEN] = sum(1 << card for card in (*kept, *seen.own_discards, *laid, seen.starter))
    own[SHOW] = show_points(show_table(), *kept, seen.starter, False)
    low, high = seen.own_discards
    own[THROWN] = low << int(CARD_BITS) | high
    for card in laid:
        opponent[LAID] = int(opponent[LAID]) << int(CARD_BITS) | card
    opponent[LEAST] = least_value_held(seen)
    return (
        hand,
        held,
        legal,
        pile,
        size,
        count,
        cards,
        seen.starter,
        seen.own_score,
        seen.opponent_score,
        own,
        opponent,
        not seen.is_dealer,
        samples,
        roll,
    )


def _six(seen: Observation) -> np.ndarray:
    if len(seen.own_hand) != 6:
        raise ObservationError(f"expected six cards to discard from, got {len(seen.own_hand)}")
    return np.array(seen.own_hand, np.int8)


def _position(seen: Observation) -> tuple[np.ndarray, int, int, np.uint64, int, int, int, int, int]:
    """What the kernels `choose_card` and `play_values` want to know first, in their order."""
    hand = np.array(seen.own_hand, np.int8)
    legal = legal_count(hand, len(hand), seen.count)
    if not legal:
        raise ObservationError(f"expected a card that can be played at {seen.count}, got none")
    pile = 0
    for card in seen.pile:
        pile = pile << 4 | card >> 2
    return (
        hand,
        len(hand),
        legal,
        np.uint64(pile),
        len(seen.pile),
        seen.count,
        seen.opponent_cards,
        -1 if seen.starter is None else seen.starter,
        seen.opponent_score,
    )
