"""How often the dealer wins from given scores as Expert plays, beside what the board says.

python tests/benchmarks/cribbage_board.py --scores 118-117 --scores 116-118 --seed 2
"""

import argparse

from engines.cribbage.board import default_board
from engines.cribbage.fast_match import seated
from engines.cribbage.master_memory import idle_search
from engines.cribbage.match_kernel import SCORE, play_deal
from engines.cribbage.scoring import GAME
from engines.cribbage.tiers import EXPERT
from engines.streams import open_stream
from results.statistics import share

SCORES = ["118-117", "116-118", "118-112", "114-114", "112-112", "113-110", "110-113", "105-108"]


def wins_of_dealer(dealer: int, pone: int, matches: int, seed: int) -> int:
    """How many matches seat 0 wins that it goes on with as dealer, with so many points."""
    deals = open_stream(seed, GAME * dealer + pone, "cribbage board benchmark")
    table, search = seated(EXPERT, deals), idle_search()
    won = 0
    for _ in range(matches):
        table.tally[:] = 0
        table.tally[0, SCORE], table.tally[1, SCORE] = dealer, pone
        seat = 0
        while not play_deal(table, search, seat):
            seat = 1 - seat
        won += table.tally[0, SCORE] == GAME
    return won


def main() -> None:
    """Prints a line for each pair of scores, the dealer's first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=500_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scores", action="append", help="DEALER-PONE")
    options = parser.parse_args()
    for text in options.scores or SCORES:
        dealer, pone = map(int, text.split("-"))
        won = wins_of_dealer(dealer, pone, options.matches, options.seed)
        found = share(text, won, options.matches)
        print(
            f"{text}: {won / options.matches:.2%} ({found.low:.2%} to {found.high:.2%}), "
            f"board {default_board().chance(dealer, pone, True):.2%}",
            flush=True,
        )


if __name__ == "__main__":
    main()
