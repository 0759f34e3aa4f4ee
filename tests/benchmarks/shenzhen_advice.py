"""How many deals the depth-n method wins on its own, and how its constants were fitted.

    python tests/benchmarks/shenzhen_advice.py --depth 3 --deals 300
    python tests/benchmarks/shenzhen_advice.py --depth 2 --deals 300 --fit 60

A game ends won, without an operation, or after 200 moves. The method is told the boards it has
been at. Fitting is a random walk that changes one to three constants at a time and keeps what wins
more; it uses seed 1, so that the figures of seed 0 are those of deals it never saw.
"""

import argparse
import random
import time
from dataclasses import replace

from engines.shenzhen.deal import random_deal
from engines.shenzhen.recommend import FITTED, Constants, best_path, matrix, operate, position_of
from engines.shenzhen.rules import Position
from results.statistics import share

MOST_MOVES = 200
SEARCHED = ("collect", "empty_column", "automatic", "manual_up")
FACTORS = (0.0, 0.5, 0.7, 1.4, 2.0)
STEPS = (-2.0, -1.0, 1.0, 2.0)


def wins(position: Position, depth: int, constants: Constants) -> bool:
    """Plays the first operation of the best path until the game ends."""
    path = [matrix(position)]
    for _ in range(MOST_MOVES):
        operations, _ = best_path(path, depth, constants)
        if not operations:
            return False
        board, _ = operate(path[-1], operations[0], constants)
        path.append(board)
        if position_of(board).won:
            return True
    return False


def count_wins(seed: int, deals: int, depth: int, constants: Constants) -> int:
    """How many of the first deals of a seed the method wins."""
    starts = (Position.start(random_deal(seed, unit)) for unit in range(deals))
    return sum(wins(start, depth, constants) for start in starts)


def changed(constants: Constants, choices: random.Random) -> Constants:
    """Some constants multiplied or moved a little."""
    names = choices.sample(SEARCHED, choices.choice((1, 1, 2, 3)))
    values = {
        name: round(
            getattr(constants, name) * choices.choice(FACTORS)
            if choices.random() < 0.5
            else getattr(constants, name) + choices.choice(STEPS),
            1,
        )
        for name in names
    }
    return replace(constants, **values)


def main() -> None:
    """Prints wins and their share; with --fit, each better set of constants."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--fit", type=float, default=0, help="seconds to look for constants")
    options = parser.parse_args()
    if options.fit:
        choices = random.Random(0)
        best = FITTED
        most = count_wins(1, options.deals, options.depth, best)
        ends = time.monotonic() + options.fit
        while time.monotonic() < ends:
            tried = changed(best, choices)
            won = count_wins(1, options.deals, options.depth, tried)
            if won >= most:
                if won > most:
                    print(won, tried, flush=True)
                best, most = tried, won
        print(most, best)
        return
    started = time.process_time()
    won = count_wins(0, options.deals, options.depth, FITTED)
    seconds = (time.process_time() - started) / options.deals
    print(share("won", won, options.deals), f"{seconds:.4f} s a deal")


if __name__ == "__main__":
    main()
