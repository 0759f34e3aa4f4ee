"""Players that come with the game: the brain at some skill, and one that plays at random.

Each draws from a stream of its own: one word a decision, also where only one card can be played;
a brain that leaves nothing to chance draws none.
"""

from dataclasses import dataclass
from types import ModuleType

import numpy as np

from engines.cribbage import fast_brain
from engines.cribbage.brain import THROWS, roll_of_word
from engines.cribbage.observation import Observation
from engines.cribbage.tiers import Skill
from engines.streams import below, next_word, open_stream


def rolls_purpose(leg: int, player: int) -> str:
    """The purpose of the stream of a player's rolls in a leg of a pair of matches."""
    return f"cribbage rolls of player {player} in leg {leg}"


def open_rolls(seed: int, pair: int, leg: int, player: int) -> np.ndarray:
    """The stream of rolls of player 0 or 1 in leg 0 or 1 of a pair."""
    return open_stream(seed, pair, rolls_purpose(leg, player))


@dataclass(frozen=True)
class BrainPlayer:
    """The published brain at a skill, its rolls from a stream.

    brain: the module that decides, `fast_brain` or its plain twin `brain`.
    """

    skill: Skill
    rolls: np.ndarray
    brain: ModuleType = fast_brain

    def discard(self, seen: Observation) -> tuple[int, int]:
        """The throw the brain chooses."""
        thrown: tuple[int, int] = self.brain.choose_discard(seen, self.skill, self._roll())
        return thrown

    def play(self, seen: Observation) -> int:
        """The card the brain chooses."""
        card: int = self.brain.choose_play(seen, self.skill, self._roll())
        return card

    def _roll(self) -> float:
        return roll_of_word(int(next_word(self.rolls))) if self.skill.needs_rolls else 0.0


@dataclass(frozen=True)
class RandomPlayer:
    """Uniform over the 15 throws and over the legal cards."""

    rolls: np.ndarray

    def discard(self, seen: Observation) -> tuple[int, int]:
        """Any throw."""
        first, second = THROWS[below(self.rolls, len(THROWS))]
        return seen.own_hand[first], seen.own_hand[second]

    def play(self, seen: Observation) -> int:
        """Any legal card."""
        legal = seen.legal_plays()
        return legal[int(below(self.rolls, len(legal)))]
