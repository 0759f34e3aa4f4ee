"""Players of ranked matches: their rolls are those of the hand's seed, for anyone to recompute.

suffix: what is added to the tags of the rolls: nothing for the one program beside a person, the
seat where there are two.
"""

from dataclasses import dataclass, field

from engines.cribbage import fast_brain
from engines.cribbage.brain import THROWS
from engines.cribbage.fair_deal import DISCARD_TAG, PLAY_TAG, FairMatch, hash_roll
from engines.cribbage.observation import Observation
from engines.cribbage.tiers import Skill


def choose_discard_ranked(
    seen: Observation, skill: Skill, seed: int, suffix: str = ""
) -> tuple[int, int]:
    """The throw of a brain in the hand of this seed."""
    return fast_brain.choose_discard(seen, skill, hash_roll(seed, DISCARD_TAG + suffix, 0))


def choose_play_ranked(seen: Observation, skill: Skill, seed: int, n: int, suffix: str = "") -> int:
    """The n-th card that a brain plays in the hand of this seed; n from 0, forced ones counted."""
    return fast_brain.choose_play(seen, skill, hash_roll(seed, PLAY_TAG + suffix, n))


@dataclass
class RankedPlayer:
    """A brain of a skill, or the random player where that is None, in a fair match.

    rolls: of its decisions so far, in order.
    """

    skill: Skill | None
    match: FairMatch
    suffix: str = ""
    rolls: list[float] = field(default_factory=list)
    _hands: int = 0
    _plays: int = 0

    def discard(self, seen: Observation) -> tuple[int, int]:
        """Its throw; with it a new hand begins."""
        seed, self._hands, self._plays = self.match.hand_seed(self._hands), self._hands + 1, 0
        self.rolls.append(hash_roll(seed, DISCARD_TAG + self.suffix, 0))
        if self.skill is not None:
            return choose_discard_ranked(seen, self.skill, seed, self.suffix)
        first, second = THROWS[int(self.rolls[-1] * len(THROWS))]
        return seen.own_hand[first], seen.own_hand[second]

    def play(self, seen: Observation) -> int:
        """Its next card."""
        seed, n, self._plays = self.match.hand_seed(self._hands - 1), self._plays, self._plays + 1
        self.rolls.append(hash_roll(seed, PLAY_TAG + self.suffix, n))
        if self.skill is not None:
            return choose_play_ranked(seen, self.skill, seed, n, self.suffix)
        legal = seen.legal_plays()
        return legal[int(self.rolls[-1] * len(legal))]
