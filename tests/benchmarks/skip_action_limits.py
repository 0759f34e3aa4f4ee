"""What the skip-action solver wins within which limit, from one run at a large one.

python tests/benchmarks/skip_action_limits.py --deals 1000 --limit 1000000
"""

import argparse
import multiprocessing
import time

from engines.klondike.deal import random_deal
from engines.klondike.rules import Rules
from engines.klondike.skip_action import solve
from engines.limits import Limits, Outcome

LIMITS = (100, 1_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)


def run(work: tuple[int, int, int, int]) -> tuple[Outcome, int, float]:
    """Outcome, play-outs and seconds of one deal."""
    seed, unit, draw, limit = work
    started = time.perf_counter()
    found = solve(random_deal(seed, unit), Rules(draw=draw), Limits(limit))
    return found.outcome, found.playouts, time.perf_counter() - started


def main() -> None:
    """Prints a line for each limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--draw", type=int, default=3)
    parser.add_argument("--limit", type=int, default=1_000_000)
    options = parser.parse_args()
    run((options.seed, 0, options.draw, 1))  # compiles before the clock runs
    work = [(options.seed, unit, options.draw, options.limit) for unit in range(options.deals)]
    with multiprocessing.get_context("spawn").Pool() as pool:
        found = pool.map(run, work, chunksize=10)
    per_playout = sum(seconds for *_, seconds in found) / sum(nodes for _, nodes, _ in found)
    print(f"{1e6 * per_playout:.2f} microseconds a play-out")
    print(f"{'limit':>9}  {'won':>5}  {'ended':>5}  {'cut off':>7}  core seconds")
    for limit in (each for each in LIMITS if each <= options.limit):
        ended = [outcome for outcome, nodes, _ in found if nodes <= limit]
        won, exhausted = ended.count(Outcome.SOLVED), ended.count(Outcome.EXHAUSTED)
        cost = per_playout * sum(min(nodes, limit) for _, nodes, _ in found)
        cut = len(found) - won - exhausted
        print(f"{limit:9}  {won:5}  {exhausted:5}  {cut:7}  {cost:12.1f}")


if __name__ == "__main__":
    main()
