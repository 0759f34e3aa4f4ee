"""How uncertain Master's judgement is: the same decisions weighed by other rolls.

Over positions of matches of weaker tiers: throws, and plays in which the opponent holds four cards,
as of fewer all hands are weighed. Of each choice that gives up less than a tenth, how far the
difference from the best choice spreads over the rolls.

    python tests/benchmarks/cribbage_judge.py --positions 200 --rolls 8
"""

import argparse
import random
from collections.abc import Sequence

import numpy as np

from engines.cribbage.fair_deal import FairMatch
from engines.cribbage.judge import chances_of_cards, chances_of_throws
from engines.cribbage.observation import Observation
from engines.cribbage.tiers import Tier
from engines.cribbage.transcript import Seat, play_transcribed

CLOSE = 0.1
SEATS = tuple(Seat.brain(tier, "calibrated") for tier in (Tier.HARD, Tier.NORMAL))


def positions(count: int) -> tuple[list[Observation], list[Observation]]:
    """So many throws, and so many plays, of matches at random."""
    seen: list[Observation] = []
    for number in range(1 + count // 5):
        match = FairMatch.client_first(number, "judge")
        play_transcribed(match, SEATS, decided=lambda _, each, __: seen.append(each))
    random.Random(1).shuffle(seen)
    throws = [each for each in seen if each.starter is None]
    plays = [
        each
        for each in seen
        if each.starter is not None
        and each.opponent_cards == 4
        and len({card >> 2 for card in each.legal_plays()}) > 1
    ]
    return throws[:count], plays[:count]


def report(name: str, weighed: Sequence[np.ndarray]) -> None:
    """Prints a line. weighed: chances of each position by roll and choice."""
    spreads, lost = [], []
    for chances in weighed:
        mean = chances.mean(axis=0)
        best = int(mean.argmax())
        differences = np.delete(chances[:, [best]] - chances, best, axis=1)
        close = np.delete(mean[best] - mean, best) < CLOSE
        spreads.extend(differences.std(axis=0, ddof=1)[close])
        lost.extend(chances.max(axis=1) - chances[:, best])
    found = 100.0 * np.array(spreads)
    print(
        f"{name}: {len(weighed)} positions, {len(found)} differences; standard deviation "
        f"{np.sqrt((found**2).mean()):.2f} % (root of the mean square), 95 % of them below "
        f"{np.quantile(found, 0.95):.2f} %, the largest {found.max():.2f} %; what the best choice "
        f"seems to give up: 99 % of the time below {100.0 * np.quantile(lost, 0.99):.2f} %"
    )


def main() -> None:
    """Prints a line for throws and one for plays."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--rolls", type=int, default=8)
    options = parser.parse_args()
    throws, plays = positions(options.positions)
    rolls = (np.arange(options.rolls) + 0.5) / options.rolls
    for name, weigh, some in (
        ("throws", chances_of_throws, throws),
        ("plays", chances_of_cards, plays),
    ):
        report(
            name,
            [np.array([[*weigh(seen, roll).values.values()] for roll in rolls]) for seen in some],
        )


if __name__ == "__main__":
    main()
