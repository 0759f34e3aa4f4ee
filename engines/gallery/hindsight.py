"""Players that know the order of the stock, or try a deal many times: bounds, no fair players."""

from dataclasses import dataclass

import numpy as np

from engines.cards import ACE, rank_of
from engines.gallery import hindsight_kernel as kernel
from engines.gallery import play_kernel as core
from engines.gallery.board import board_of
from engines.gallery.deal import Deal
from engines.gallery.moves import DEAL_MOVE, Move
from engines.gallery.players import Game, check_game
from engines.gallery.rules import Position

_LINE = 128


@dataclass(frozen=True)
class BestOf:
    """The best of many random games on the true deal that deal where no card can move.

    The original's own comparison: many attempts at a deal, where a player has one.
    """

    name: str = "best-of-1000"
    games: int = 1000

    def play(self, deal: Deal, stream: np.ndarray) -> Game:
        """The best game."""
        board = board_of(Position.start(deal))
        lines = new_lines()
        kernel.best_of(board, self.games, lines, stream)
        return _game(deal, lines.best, self.games)


@dataclass(frozen=True)
class Hindsight:
    """Nested random games with the stock known: what a deal allows, at least."""

    name: str = "hindsight"
    games: int = 100

    def play(self, deal: Deal, stream: np.ndarray) -> Game:
        """The game that the search ends with."""
        lines = new_lines()
        kernel.nested(board_of(Position.start(deal)), self.games, lines, stream)
        return _game(deal, lines.best, 0)


def new_lines() -> kernel.Lines:
    """Room for the games of a search."""
    return kernel.Lines(
        words=np.zeros(core.WORDS, np.uint64),
        best=np.zeros(_LINE, np.int64),
        tried=np.zeros(_LINE, np.int64),
        choices=np.zeros(_LINE, np.int64),
    )


def moves_of(position: Position, numbers: list[int]) -> tuple[list[Move], Position]:
    """The moves of a line of the kernels' cards from a position with its stock known; its end."""
    board = board_of(position)
    dealt = len(position.stock)
    moves = []
    for number in numbers:
        if number == core.NO_CARD:
            move = DEAL_MOVE
            for pile in range(core.PILES):
                card = int(board.stock[dealt - 1 - pile])
                if rank_of(card & 63) != ACE:
                    board.where[card] = core.GALLERY_PLACES + pile
            dealt -= core.PILES
        else:
            move = Move(int(board.where[number]))
        position = position.apply(move)
        moves.append(move)
    return moves, position


def _game(deal: Deal, line: np.ndarray, rollouts: int) -> Game:
    numbers = line[: line[kernel.LENGTH]].tolist()
    moves, end = moves_of(Position.start(deal), numbers)
    game = Game(tuple(moves), end.score, end.tableau_cards, rollouts)
    check_game(deal, game)
    return game
