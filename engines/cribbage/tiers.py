"""The tiers of the cribbage brain: how far it looks, and how often it errs.

The mistake model: a choice among values is drawn with weights exp(-(best - value) / T). The
temperature T is interpolated between anchors (skill, T); at T = 0 the best is taken.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class TierError(ValueError):
    """A tier or profile that does not exist, or a skill out of range."""


class Tier(StrEnum):
    """The named difficulties, weakest first, each with a skill level."""

    EASY = "easy"
    NORMAL = "normal"
    HARD = "hard"
    EXPERT = "expert"
    MASTER = "master"

    @property
    def level(self) -> float:
        """The skill level, from 0 to 1."""
        return _LEVELS[self]


_LEVELS = {Tier.EASY: 0.12, Tier.NORMAL: 0.35, Tier.HARD: 0.85, Tier.EXPERT: 1.0, Tier.MASTER: 1.0}
MASTER_SAMPLES = 64

EXPERT_SHARE_TARGETS = {
    Tier.EASY: (0.95, 0.98),
    Tier.NORMAL: (0.75, 0.85),
    Tier.HARD: (0.55, 0.65),
}
"""The share of matches that Expert should win against each weaker tier."""


@dataclass(frozen=True)
class Skill:
    """How a brain plays.

    level: from 0 to 1, how much it fears the opponent's reply in the play.
    temperature: in points; 0 takes the best. samples: hands of the opponent over which the play is
    searched to its end, for what it lets be seen of it; 0 looks one reply ahead.
    """

    level: float
    temperature: float
    samples: int = 0

    @property
    def needs_rolls(self) -> bool:
        """Whether chance takes part in its decisions."""
        return self.temperature > 0.0 or self.samples > 0


EXPERT = Skill(Tier.EXPERT.level, 0.0)
"""Expert's skill, the same in all profiles."""

MASTER = replace(EXPERT, samples=MASTER_SAMPLES)
"""Master's, the same in all profiles."""


@dataclass(frozen=True)
class Profile:
    """A named curve of temperature over skill: anchors (level, temperature), levels rising."""

    name: str
    anchors: tuple[tuple[float, float], ...]

    def skill(self, level: float) -> Skill:
        """The skill at a level from 0 to 1, its temperature between the anchors around it."""
        if not 0.0 <= level <= 1.0:
            raise TierError(f"expected a skill level from 0 to 1, got {level}")
        below, above = next(
            pair
            for pair in zip(self.anchors, self.anchors[1:], strict=False)
            if level <= pair[1][0]
        )
        share = (level - below[0]) / (above[0] - below[0])
        return Skill(level, below[1] + (above[1] - below[1]) * share)

    def tier(self, tier: Tier) -> Skill:
        """The skill of a named tier."""
        return MASTER if tier is Tier.MASTER else self.skill(tier.level)


PROFILES = {
    "published": Profile(
        "published", ((0.0, 2.0), (0.12, 1.2), (0.35, 0.5), (0.85, 0.15), (1.0, 0.0))
    ),
    "calibrated": Profile(
        "calibrated", ((0.0, 8.0), (0.12, 4.9), (0.35, 1.5), (0.85, 0.58), (1.0, 0.0))
    ),
}
"""published: as in the report of the shipped game. calibrated: as found by cribbage-calibrate, with
which Expert wins as often as EXPERT_SHARE_TARGETS says."""


def profile_named(name: str) -> Profile:
    """The profile of this name; raises TierError."""
    if name not in PROFILES:
        raise TierError(f"expected a profile ({', '.join(PROFILES)}), got {name!r}")
    return PROFILES[name]


def pick(values: Sequence[float], temperature: float, roll: float) -> int:
    """The index drawn with a roll in [0, 1), weights summed in the order of the values.

    temperature must be above 0. Where rounding leaves the roll above all sums, the last index with
    any weight is taken. exp may differ by the last bit from one C library to another.
    """
    best = max(values)
    weights = [math.exp((value - best) / temperature) for value in values]
    whole = 0.0
    for weight in weights:
        whole += weight
    mark, passed = roll * whole, 0.0
    for index, weight in enumerate(weights):
        passed += weight
        if mark < passed:
            return index
    return max(index for index, weight in enumerate(weights) if weight > 0)
