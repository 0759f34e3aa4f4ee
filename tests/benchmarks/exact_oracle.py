"""The exact solver on deals with known verdicts: what it takes, deal by deal, and in total.

With the extra `peers` installed, pyksolve solves the same deals at a million states each, in turn
with ours, and the ratio of the totals is over the deals that it decides.

    python tests/benchmarks/exact_oracle.py
"""

import argparse
import statistics
import time
from pathlib import Path

from engines.klondike.deal import DealLine, parse_deal_line
from engines.klondike.exact import solve
from engines.klondike.rules import Rules

DEALS = Path(__file__).parents[1] / "data" / "klondike_draw3_deals.jsonl"
PEER_STATES = 1_000_000


def time_peer(line: DealLine) -> tuple[str, float]:
    """pyksolve's verdict and seconds; raises ImportError where it is not installed."""
    from pyksolve import solver

    game = solver.Solitaire()
    game.load_solitaire(line.deal.as_deck_string())
    game.draw_count = line.draw
    game.reset_game()
    started = time.process_time()
    result = game.solve_minimal(max_closed_count=PEER_STATES)
    return result.name, time.process_time() - started


def main() -> None:
    """Prints the slow deals, then the totals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", action="store_true", help="run pyksolve, too")
    parser.add_argument("--every", type=int, default=1, help="take each n-th deal only")
    options = parser.parse_args()
    lines = [parse_deal_line(line) for line in DEALS.read_text().splitlines()][:: options.every]
    solve(lines[0].deal)  # compiles before the clock runs
    seconds, states, wrong, peer, ours = [], 0, [], 0.0, 0.0
    decided = 0
    for line in lines:
        started = time.process_time()
        found = solve(line.deal, Rules(draw=line.draw or 3))
        seconds.append(time.process_time() - started)
        states += found.states
        if found.outcome != line.verdict:
            wrong.append(line.id)
        if seconds[-1] > 1:
            print(f"{line.id}  {found.outcome}  {seconds[-1]:.2f} s  {found.states:,} states")
        if options.peer:
            verdict, took = time_peer(line)
            if verdict != "CouldNotComplete":
                decided, peer, ours = decided + 1, peer + took, ours + seconds[-1]
    print(f"{len(lines)} deals, wrong: {wrong}, {states:,} states, CPU {sum(seconds):.2f} s")
    print(f"median {1000 * statistics.median(seconds):.2f} ms, slowest {max(seconds):.2f} s")
    if options.peer:
        print(f"pyksolve decides {decided} in {peer:.1f} s, this solver in {ours:.2f} s")
        print(f"ratio {peer / ours:.0f}")


if __name__ == "__main__":
    main()
