"""The exact solver against itself over many deals: with and without its shortcuts, and over rules.

- Draw 3 and draw 1: verdicts with all shortcuts and with none agree wherever both decide.
- A win at draw 6 is a win at draw 3 and at draw 2, a win at draw 3 or 2 one at draw 1; a win
  without worrying back, or with limited redeals, is a win with it, or without limit.

    python tests/benchmarks/exact_agreement.py --deals 1000
"""

import argparse
import multiprocessing
from collections import Counter

from engines.klondike.deal import random_deal
from engines.klondike.exact import solve
from engines.klondike.rules import Rules
from engines.limits import DECIDED, Limits, Outcome

HARDER = (
    (Rules(draw=3), Rules(draw=6)),
    (Rules(draw=2), Rules(draw=6)),
    (Rules(draw=1), Rules(draw=3)),
    (Rules(draw=1), Rules(draw=2)),
    (Rules(draw=3), Rules(draw=3, worrying_back=False)),
    (Rules(draw=1), Rules(draw=1, worrying_back=False)),
    (Rules(draw=3), Rules(draw=3, redeals=2)),
    (Rules(draw=1), Rules(draw=1, redeals=2)),
)
VARIANTS = sorted({rules for pair in HARDER for rules in pair}, key=str)


def examine(work: tuple[int, int, int]) -> Counter[str]:
    """What one deal adds to the counts; anything that begins with WRONG must not be there."""
    seed, unit, limit = work
    deal, limits, counts = random_deal(seed, unit), Limits(nodes=limit), Counter[str]()
    found = {rules: solve(deal, rules, limits).outcome for rules in VARIANTS}
    for rules in (Rules(draw=3), Rules(draw=1)):
        plain = solve(deal, rules, limits, use=0).outcome
        if {plain, found[rules]} <= DECIDED:
            counts[f"draw {rules.draw}: both decide"] += 1
            if plain is not found[rules]:
                counts[f"WRONG draw {rules.draw}, unit {unit}: {found[rules]}, plain {plain}"] += 1
    for easy, hard in HARDER:
        if found[hard] is Outcome.SOLVED and found[easy] in DECIDED:
            counts["wins under harder rules"] += 1
            if found[easy] is Outcome.UNSOLVABLE:
                counts[f"WRONG unit {unit}: won by {hard}, not by {easy}"] += 1
    for rules, outcome in found.items():
        counts[f"{rules}: {outcome}"] += 1
    return counts


def main() -> None:
    """Prints the counts; exits with 1 when anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=77)
    parser.add_argument("--limit", type=int, default=200_000)
    options = parser.parse_args()
    examine((options.seed, 0, 1))  # compiles once, for all processes
    work = [(options.seed, unit, options.limit) for unit in range(options.deals)]
    with multiprocessing.get_context("spawn").Pool() as pool:
        total = sum(pool.imap_unordered(examine, work, chunksize=5), Counter[str]())
    for name, count in sorted(total.items()):
        print(f"{count:6}  {name}")
    if any(name.startswith("WRONG") for name in total):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
