"""Players that go beyond PIMC: random games of which each is worth more.

What they do differently, each a part that can be left out:

- A dominant card (see dominant_card) is played at once, in the game and in games looked at.
- All moves of a decision meet the same shuffled stocks.
- A move is worth, for each stock, the best score of a few games: a player who looks ahead will not
  go on at random.
- Sequential halving (Karnin, Koren and Somekh, ICML 2013): after each of log2(moves) rounds of
  equal work the worse half of the moves is given up. The work is fixed beforehand.
"""

from dataclasses import dataclass
from math import ceil, log2

import numpy as np

from engines.gallery import play_kernel as core
from engines.gallery import search_kernel
from engines.gallery.board import board_of
from engines.gallery.deal import STOCK_SIZE
from engines.gallery.moves import Move
from engines.gallery.pimc_kernel import list_moves
from engines.gallery.rules import Position


@dataclass(frozen=True)
class Searcher:
    """A searching player.

    stocks: shuffled stocks for each move on average. tries: games for each, of which the best
    counts. halving: whether moves that look worse are given up early.
    """

    name: str
    stocks: int
    tries: int = 1
    halving: bool = True

    def choose(self, seen: Position, stream: np.ndarray) -> tuple[Move, int]:
        """The move with the lowest mean, and the number of games looked at."""
        moves = list(seen.legal_moves())
        if len(moves) == 1:
            return moves[0], 0
        board = board_of(seen)
        dominant = core.dominant_card(board.words)
        if dominant != core.NO_CARD:
            return Move(int(board.where[dominant])), 0
        return self._race(board, moves, stream)

    def _race(self, board: core.Board, moves: list[Move], stream: np.ndarray) -> tuple[Move, int]:
        numbers = np.zeros(core.DEAL_SOURCE + 1, np.int64)
        list_moves(board, numbers)
        rounds = self._rounds(len(moves))
        stocks = np.zeros((sum(count for _, count in rounds), STOCK_SIZE), np.int64)
        search_kernel.shuffle_stocks(board, stocks, stream)
        work = np.zeros_like(board.words)
        totals = dict.fromkeys(moves, 0)
        first = games = 0
        for alive, count in rounds:
            # A stable sort: of equal moves the first in the order of legal moves stays.
            moves = sorted(moves, key=totals.__getitem__)[:alive]
            moves.sort()
            for move in moves:
                totals[move] += search_kernel.sum_of_best(
                    board,
                    work,
                    numbers[move.source],
                    stocks,
                    first,
                    first + count,
                    self.tries,
                    stream,
                )
            first += count
            games += alive * count * self.tries
        return min(moves, key=totals.__getitem__), games

    def _rounds(self, moves: int) -> list[tuple[int, int]]:
        """Of each round how many moves are alive and how many stocks they meet."""
        if not self.halving or moves <= 2:
            return [(moves, self.stocks)]
        rounds = ceil(log2(moves))
        alive = [ceil(moves / 2**index) for index in range(rounds)]
        return [(each, max(1, round(self.stocks * moves / rounds / each))) for each in alive]
