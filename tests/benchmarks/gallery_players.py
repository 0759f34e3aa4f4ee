"""What each difference between players of Gallery is worth, on the same deals.

    python tests/benchmarks/gallery_players.py DEALS VARIANT [VARIANT ...]

A variant is a name of engines.gallery.catalog, or `pimc:SAMPLES:FIRST:PENALTY:SAFE` (FIRST and SAFE
0 or 1), or `search:STOCKS:TRIES:HALVING`. The first one is compared with the others: mean score,
paired difference and its standard error, CPU seconds and random games a game. CPU seconds depend on
the machine: compare them within one run. The players take turns on each deal.
"""

import sys
import time

import numpy as np

from engines.gallery.catalog import PLAYERS
from engines.gallery.deal import random_deal
from engines.gallery.pimc import Pimc
from engines.gallery.players import play_game, player_stream
from engines.gallery.search import Searcher

SEED = 6


def player_of(text):
    kind, *numbers = text.split(":")
    if kind == "pimc":
        samples, first, penalty, safe = numbers
        return Pimc(text, int(samples), first == "1", float(penalty), safe == "1")
    if kind == "search":
        stocks, tries, halving = map(int, numbers)
        return Searcher(text, stocks, tries, bool(halving))
    return PLAYERS[text]


def main(deals, texts):
    players = [player_of(text) for text in texts]
    scores = np.zeros((len(players), deals), int)
    seconds, rollouts = np.zeros(len(players)), np.zeros(len(players))
    for player in players:  # compiles
        play_game(random_deal(SEED + 1, 0), player, player_stream(SEED, 0, player.name))
    for unit in range(deals):
        for index, player in enumerate(players):
            started = time.process_time()
            deal = random_deal(SEED, unit)
            game = play_game(deal, player, player_stream(SEED, unit, player.name))
            seconds[index] += time.process_time() - started
            scores[index, unit] = game.score
            rollouts[index] += game.rollouts
    error = 1 / np.sqrt(deals)
    for index, text in enumerate(texts):
        mine, difference = scores[index], scores[0] - scores[index]
        print(
            f"{text}: mean {mine.mean():.2f} ±{mine.std(ddof=1) * error:.2f}, "
            f"solved {np.mean(mine == 0):.1%}, "
            f"first minus this {difference.mean():+.2f} ±{difference.std(ddof=1) * error:.2f}, "
            f"{seconds[index] / deals:.3f} s, {rollouts[index] / deals:,.0f} random games"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
