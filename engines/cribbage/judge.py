"""By whose values the coach judges: Expert's, in points, or Master's, in chances to win."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

from engines.cribbage import fast_brain
from engines.cribbage.brain import THROWS
from engines.cribbage.master_kernel import TIE
from engines.cribbage.master_memory import MAX_SAMPLES
from engines.cribbage.observation import Observation
from engines.cribbage.scoring import GAME, score_play, total
from engines.cribbage.tiers import EXPERT, Tier

Choice = TypeVar("Choice")


class Unit(StrEnum):
    """What a worse choice gives up."""

    POINTS = "points"
    CHANCE = "chance to win"


class Limits(NamedTuple):
    """best: what a best choice gives up at most. ok: from here on a choice is costly."""

    best: float
    ok: float


@dataclass(frozen=True)
class Weighed(Generic[Choice]):
    """What each choice is worth, and the one that the judge takes."""

    values: dict[Choice, float]
    best: Choice


@dataclass(frozen=True)
class Judge:
    """The tier by whose values decisions are judged, and how much of their unit is how bad.

    It is shown what the player saw and no more. weigh_throws and weigh_cards raise ObservationError
    where there is nothing to throw or to play, or where the tier would have to know more.
    """

    tier: Tier
    unit: Unit
    throw_limits: Limits
    play_limits: Limits
    weigh_throws: Callable[[Observation], Weighed[tuple[int, int]]]
    weigh_cards: Callable[[Observation], Weighed[int]]


# Expert.


def _throws_of(seen: Observation, values: list[float]) -> dict[tuple[int, int], float]:
    throws = [(seen.own_hand[first], seen.own_hand[second]) for first, second in THROWS]
    return dict(zip(throws, values, strict=True))


def _points_of_throws(seen: Observation) -> Weighed[tuple[int, int]]:
    values = _throws_of(seen, fast_brain.discard_values(seen))
    return Weighed(values, fast_brain.choose_discard(seen, EXPERT, 0.0))


def _points_of_cards(seen: Observation) -> Weighed[int]:
    values = dict(fast_brain.play_values(seen, EXPERT.level))
    return Weighed(values, fast_brain.choose_play(seen, EXPERT, 0.0))


PLAY_LIMITS = Limits(best=0.05, ok=0.35)
"""In points; the report's."""

THROW_LIMITS = Limits(best=0.10, ok=0.75)
"""In points; our own. A throw's value is uncertain by about 0.1: that much the suits and one's own
six cards, which the crib tables leave out, change it."""

EXPERT_JUDGE = Judge(
    Tier.EXPERT, Unit.POINTS, THROW_LIMITS, PLAY_LIMITS, _points_of_throws, _points_of_cards
)
"""It goes by points at once and what they invite, whatever was played before."""

# Master.

THROW_TRIALS = 4096
ROLL = 0.5
"""Deals are played on and hands are sampled by the same roll whatever the position, so that a
decision is always judged alike."""


ALMOST = 1.0 - 1e-9
"""The most that is said of a chance that is not certain: however many samples are won, they are not
all that may come, nor need the other play as Expert."""


def chances_of_throws(seen: Observation, roll: float = ROLL) -> Weighed[tuple[int, int]]:
    """The chance to win with each throw, over THROW_TRIALS deals; the first of equal ones best."""
    chances = fast_brain.throw_chances(seen, THROW_TRIALS, roll)
    values = _throws_of(seen, [min(chance, ALMOST) for chance in chances])
    return Weighed(values, max(values, key=lambda throw: values[throw]))


def chances_of_cards(seen: Observation, roll: float = ROLL) -> Weighed[int]:
    """The chance to win with each card, over MAX_SAMPLES hands; 1 only where it wins at once.

    Of equal ones the best is that which scores most at once, the first of those, as for Master.
    """
    chances = dict(fast_brain.play_chances(seen, MAX_SAMPLES, roll))
    least = max(chances.values()) - TIE
    points = {card: total(score_play((*seen.pile, card))) for card in chances}
    best = max((card for card in chances if chances[card] >= least), key=lambda card: points[card])
    values = {
        card: 1.0 if seen.own_score + points[card] >= GAME else min(chance, ALMOST)
        for card, chance in chances.items()
    }
    return Weighed(values, best)


MASTER_PLAY_LIMITS = Limits(best=0.004, ok=0.010)
"""In chance to win; our own. By other rolls the difference between two cards spreads with a
standard deviation of 0.0023, of 95 % of differences below 0.0035, where the opponent holds four
cards (tests/benchmarks/cribbage_judge.py, 200 positions by 8 rolls); of fewer no hand is left out.
"""

MASTER_THROW_LIMITS = Limits(best=0.004, ok=0.010)
"""The same for throws: a standard deviation of 0.0017, of 95 % below 0.0032, the most where the
match is about to end."""

MASTER_JUDGE = Judge(
    Tier.MASTER,
    Unit.CHANCE,
    MASTER_THROW_LIMITS,
    MASTER_PLAY_LIMITS,
    chances_of_throws,
    chances_of_cards,
)
