"""The brain by its kernel: the same decisions as `brain.py`, a thousand times faster."""

from functools import lru_cache

import numpy as np

from engines.cribbage import brain_kernel
from engines.cribbage.brain import THROWS
from engines.cribbage.brain_kernel import THROW_COUNT, choose_card, choose_throw, legal_count
from engines.cribbage.crib_tables import CribTables, default_tables
from engines.cribbage.observation import Observation, ObservationError
from engines.cribbage.scoring_kernel import show_table
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
    """The two cards to throw; the roll is used only by a skill that errs."""
    throw = choose_throw(
        _six(seen),
        seen.own_crib,
        skill.temperature,
        roll,
        show_table(),
        _stacked(tables),
        np.zeros(THROW_COUNT),
    )
    first, second = THROWS[throw]
    return seen.own_hand[first], seen.own_hand[second]


def play_values(seen: Observation, level: float) -> list[tuple[int, float]]:
    """Each legal card with its net value in points, in hand order."""
    hand, held, legal, *public = _position(seen)
    values = np.zeros(THROW_COUNT)
    brain_kernel.play_values(hand, held, legal, *public, level, values)
    return list(zip(seen.own_hand, map(float, values[:legal]), strict=False))


def choose_play(seen: Observation, skill: Skill, roll: float) -> int:
    """The card to play; raises ObservationError where only go is possible."""
    position = _position(seen)
    place = choose_card(*position, skill.level, skill.temperature, roll, np.zeros(THROW_COUNT))
    return seen.own_hand[int(place)]


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
