"""What each tier plays like: what a decision gives up, and how often it is the best or the worst.

Over random hands for the throws, and over the positions of Expert's own matches in which the cards
that can be played differ in value. Expected values under the mistake model: no choices are drawn.

    python tests/benchmarks/cribbage_character.py --hands 20000 --matches 300
"""

import argparse
import math
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np

from engines.cribbage.fast_brain import choose_discard, choose_play, discard_values, play_values
from engines.cribbage.match import play_match, random_deals
from engines.cribbage.observation import Observation
from engines.cribbage.tiers import PROFILES, Skill, Tier

EXPERT = Skill(1.0, 0.0)
SEED = 2026


class Recorder:
    """Expert, who notes every position in which the cards that can be played differ in value."""

    def __init__(self) -> None:
        self.plays: list[Observation] = []

    def discard(self, seen: Observation) -> tuple[int, int]:
        """Expert's throw."""
        return choose_discard(seen, EXPERT, 0.0)

    def play(self, seen: Observation) -> int:
        """Expert's card."""
        values = [value for _, value in play_values(seen, EXPERT.level)]
        if min(values) < max(values):
            self.plays.append(seen)
        return choose_play(seen, EXPERT, 0.0)


def hands(count: int) -> Iterable[Observation]:
    """Discards of pone and dealer in turn."""
    for index, deal in enumerate(islice(random_deals(SEED, 0), count)):
        is_dealer = bool(index % 2)
        yield Observation.for_discard(deal.dealer if is_dealer else deal.pone, is_dealer)


def weights(values: np.ndarray, temperature: float | None) -> np.ndarray:
    """How often each choice is made; None is the random player."""
    if temperature is None:
        return np.full(len(values), 1 / len(values))
    if temperature == 0.0:
        return np.eye(len(values))[values.argmax()]
    raw = np.exp((values - values.max()) / temperature)
    return raw / raw.sum()


def character(
    chosen_by: Sequence[np.ndarray], worth: Sequence[np.ndarray], temperature: float | None
) -> tuple[float, float, float, float]:
    """Mean points given up, its standard error, and the shares of best and of worst choices.

    chosen_by: the values that the tier goes by. worth: Expert's values of the same choices.
    """
    lost, best, worst = [], [], []
    for values, real in zip(chosen_by, worth, strict=True):
        share = weights(values, temperature)
        lost.append(share @ (real.max() - real))
        best.append(share[real == real.max()].sum())
        worst.append(share[real == real.min()].sum())
    error = float(np.std(lost)) / math.sqrt(len(lost))
    return float(np.mean(lost)), error, float(np.mean(best)), float(np.mean(worst))


def main() -> None:
    """Prints a table of all tiers of both profiles and of the random player."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--matches", type=int, default=300)
    options = parser.parse_args()
    throws = [np.array(discard_values(seen)) for seen in hands(options.hands)]
    recorder = Recorder()
    for match in range(options.matches):
        play_match([recorder, recorder], random_deals(SEED, 1 + match), match % 2)
    plays = recorder.plays
    worth = [np.array([value for _, value in play_values(seen, 1.0)]) for seen in plays]
    print(f"{len(throws):,} throws, {len(plays):,} plays whose cards differ in value")
    print(
        "player                T     a throw gives up  best  worst   a play gives up   best  worst"
    )
    players: list[tuple[str, float, float | None]] = [("random", 0.0, None)]
    for name, profile in PROFILES.items():
        for tier in Tier:
            skill = profile.tier(tier)
            players.append((f"{name} {tier}", skill.level, skill.temperature))
    for name, level, temperature in players:
        values = [np.array([value for _, value in play_values(seen, level)]) for seen in plays]
        columns = [f"{name:18}", "     -" if temperature is None else f"{temperature:6.2f}"]
        for chosen_by, real in ((throws, throws), (values, worth)):
            lost, error, best, worst = character(chosen_by, real, temperature)
            columns.append(f"{lost:9.3f} ±{1.96 * error:.3f}  {best:6.1%} {worst:6.2%}")
        print("  ".join(columns))


if __name__ == "__main__":
    main()
