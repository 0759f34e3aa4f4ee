"""The skip-action solver beside the truth: which winnable deals it finds, at what cost.

Reads two runs over the same deals, of which one is exact:

    farm run klondike-solvability --deals 5000 --out runs/exact
    farm run klondike-solvability --deals 5000 --solver skip-action --out runs/skip-action
    python tests/benchmarks/skip_action_recall.py runs/exact runs/skip-action

Of the deals both have it prints how many of the winnable ones skip-action finds, what both took,
and three ways to tell the missed deals from the others: by the states that the exact search meets,
by the share of deals that need worrying back, and by how deep the low cards lie.
"""

import argparse
import multiprocessing
import statistics

from engines.cards import rank_of
from engines.klondike.deal import random_deal
from engines.klondike.exact import solve
from engines.klondike.rules import Rules
from engines.limits import DECIDED, Limits, Outcome
from results.rows import rows
from results.statistics import share
from results.store import Store

COLUMNS = ["unit", "solver", "draw", "outcome", "states", "seconds"]
PARTS = 10
LOW_RANKS = 3


def read(location: str, solver: str) -> dict[int, dict]:
    """The rows of a run by unit; exits where the run is of another solver."""
    table = rows(Store(location), COLUMNS)
    by_unit = {row["unit"]: row for row in table.to_pylist()} if table else {}
    solvers = {row["solver"] for row in by_unit.values()}
    if solvers != {solver}:
        raise SystemExit(
            f"expected a run of solver {solver}, got {solvers or 'no rows'}: {location}"
        )
    return by_unit


def needs_worrying_back(work: tuple[int, int, int]) -> bool | None:
    """Whether a winnable deal is lost where no card may return; None where that takes too long."""
    seed, unit, draw = work
    rules = Rules(draw=draw, worrying_back=False)
    found = solve(random_deal(seed, unit), rules, Limits(5_000_000))
    return found.outcome is Outcome.UNSOLVABLE if found.outcome in DECIDED else None


def covered(seed: int, unit: int) -> int:
    """How many cards lie on the aces, twos and threes of the columns, a low card counting once."""
    columns = random_deal(seed, unit).tableau
    return sum(
        len(column) - place - 1
        for column in columns
        for place, card in enumerate(column)
        if rank_of(card) < LOW_RANKS
    )


def print_share(text: str, k: int, n: int) -> None:
    """A line with a share and its interval."""
    found = share(text, k, n)
    print(f"{text}: {k} of {n}, {k / n:.2%} ({found.low:.2%} to {found.high:.2%})")


def main() -> None:
    """Prints the comparison; exits with 1 where a deal is won that the exact run calls lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("exact")
    parser.add_argument("skip_action")
    parser.add_argument("--seed", type=int, default=0, help="of both runs")
    parser.add_argument("--sample", type=int, default=400, help="found deals to compare with")
    options = parser.parse_args()
    exact, skip = read(options.exact, "exact"), read(options.skip_action, "skip-action")
    units = sorted(exact.keys() & skip.keys())
    wrong = [
        unit
        for unit in units
        if skip[unit]["outcome"] == "solved" and exact[unit]["outcome"] == "unsolvable"
    ]
    winnable = [unit for unit in units if exact[unit]["outcome"] == "solved"]
    found = [unit for unit in winnable if skip[unit]["outcome"] == "solved"]
    missed = [unit for unit in winnable if skip[unit]["outcome"] != "solved"]
    print(f"{len(units)} deals, {len(winnable)} winnable, {len(wrong)} won by skip-action alone")
    print_share("found by skip-action", len(found), len(winnable))

    print("\nseconds a deal    exact mean, median    skip-action mean, median")
    for text, group in (("all", units), ("winnable", winnable), ("missed", missed)):
        figures = []
        for run in (exact, skip):
            seconds = [run[unit]["seconds"] for unit in group]
            figures.append(f"{statistics.mean(seconds):.4f}, {statistics.median(seconds):.4f}")
        print(f"{text:<16}  {figures[0]:>18}    {figures[1]:>24}")

    print("\nstates met by the exact search, winnable deals in ten equal parts")
    ranked = sorted(winnable, key=lambda unit: exact[unit]["states"])
    for part in range(PARTS):
        group = ranked[part * len(ranked) // PARTS : (part + 1) * len(ranked) // PARTS]
        low, high = exact[group[0]]["states"], exact[group[-1]]["states"]
        won = sum(skip[unit]["outcome"] == "solved" for unit in group)
        print_share(f"{low:>9,} to {high:>10,} states", won, len(group))

    draw = exact[units[0]]["draw"]
    print()
    with multiprocessing.get_context("spawn").Pool() as pool:
        sample = found[:: max(1, len(found) // options.sample)]
        for text, group in (("missed", missed), ("found", sample)):
            work = [(options.seed, unit, draw) for unit in group]
            known = [need for need in pool.map(needs_worrying_back, work) if need is not None]
            print_share(f"{text} deals that need worrying back", sum(known), len(known))
    for text, group in (("missed", missed), ("found", found)):
        depth = statistics.mean(covered(options.seed, unit) for unit in group)
        print(f"{text} deals: {depth:.1f} cards on the aces, twos and threes of the columns")
    if wrong:
        raise SystemExit(f"won by skip-action, lost by the exact solver: units {wrong}")


if __name__ == "__main__":
    main()
