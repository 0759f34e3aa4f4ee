"""The exact Shenzhen solver on 1,000 deals with known verdicts, and two deals known to be lost.

python tests/benchmarks/shenzhen_oracle.py [--deals 1000] [--short]
"""

import argparse
import json
import random
import statistics
import time
from pathlib import Path

from engines.limits import Outcome
from engines.shenzhen.deal import Deal, parse_card
from engines.shenzhen.exact import DEFAULT_LIMITS, QUICK, SHORT, SHORT_LIMITS, solve

KNOWN = json.loads((Path(__file__).parents[1] / "data" / "shenzhen_seeds.json").read_text())


def seeded_deal(seed: int) -> Deal:
    """The deal of a seed, by the generator that the file describes."""
    cards = [f"{suit}{rank}" for suit in "rgb" for rank in range(1, 10)]
    cards += ["RD", "GD", "WD"] * 4 + ["FL"]
    random.Random(seed).shuffle(cards)
    return Deal.from_deck(map(parse_card, cards))


def main() -> None:
    """Prints what differs from the known verdicts, then lengths and times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--short", action="store_true", help="look for short solutions")
    options = parser.parse_args()
    weights, limits = (SHORT, SHORT_LIMITS) if options.short else (QUICK, DEFAULT_LIMITS)
    solve(seeded_deal(0))  # compiles before the clock runs
    seconds, lengths, states, wrong, undecided = [], [], 0, [], []
    for seed in range(options.deals):
        deal = seeded_deal(seed)
        started = time.process_time()
        found = solve(deal, limits, weights=weights)
        seconds.append(time.process_time() - started)
        states += found.states
        if found.outcome is Outcome.SOLVED:
            lengths.append(len(found.moves))
        if found.outcome is Outcome.NODE_LIMIT:
            undecided.append(seed)
        elif (found.outcome is Outcome.UNSOLVABLE) != (seed in KNOWN["unsolvable"]):
            wrong.append(seed)
    seconds.sort()
    print(f"{options.deals} deals, wrong: {wrong}, undecided: {undecided}, {states:,} states")
    print(f"CPU {sum(seconds):.2f} s, median {1000 * statistics.median(seconds):.2f} ms, ", end="")
    print(f"p95 {1000 * seconds[int(0.95 * len(seconds))]:.1f} ms, slowest {seconds[-1]:.2f} s")
    print(f"moves: median {statistics.median(lengths)}, most {max(lengths)}")
    for cards in KNOWN["extra_unsolvable_deals"]:
        started = time.process_time()
        found = solve(Deal.from_deck(map(parse_card, cards)))
        took = time.process_time() - started
        print(f"lost deal: {found.outcome}, {found.states:,} states, {took:.2f} s")


if __name__ == "__main__":
    main()
