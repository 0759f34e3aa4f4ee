"""What a player of Gallery is, how a game with one goes, and the simple players.

A player is told the position with its stock sorted: it cannot see the order of the stock. Where its
choices are equally good, it takes the first in the order of legal moves: the gallery row by row,
then the tableau from the left, then the deal.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engines.gallery.deal import Deal
from engines.gallery.moves import DEAL_MOVE, Move
from engines.gallery.rules import Position, replay
from engines.streams import below, open_stream


class Player(Protocol):
    """Chooses moves; has no memory between them."""

    @property
    def name(self) -> str:
        """What rows and metrics call it."""

    def choose(self, seen: Position, stream: np.ndarray) -> tuple[Move, int]:
        """A legal move and the number of random games looked at.

        seen: the position with its stock sorted, some move being legal. stream: of the player.
        """


class ReplayError(ValueError):
    """A game whose moves, replayed, do not give its score."""


@dataclass(frozen=True)
class Game:
    """A game played to its end. rollouts: the random games that the player looked at."""

    moves: tuple[Move, ...]
    score: int
    tableau_cards: int
    rollouts: int


def player_stream(seed: int, unit: int, name: str) -> np.ndarray:
    """The random words of a player on a deal; they tell nothing about the deal."""
    return open_stream(seed, unit, f"gallery player {name}")


def play_game(
    deal: Deal,
    player: Player,
    stream: np.ndarray,
    watch: Callable[[Position, Move], None] | None = None,
) -> Game:
    """One attempt at a deal. The moves are replayed on the rules; raises ReplayError.

    watch: called with each position and the move chosen in it.
    """
    position, moves, rollouts = Position.start(deal), [], 0
    while not position.over:
        move, looked_at = player.choose(position.with_hidden_stock(), stream)
        if watch:
            watch(position, move)
        moves.append(move)
        position = position.apply(move)
        rollouts += looked_at
    game = Game(tuple(moves), position.score, position.tableau_cards, rollouts)
    check_game(deal, game)
    return game


def check_game(deal: Deal, game: Game) -> None:
    """Replays the moves on a fresh copy of the deal; raises ReplayError where anything differs."""
    end = replay(deal, game.moves)
    if not end.over:
        raise ReplayError(f"the game is not over after its {len(game.moves)} moves")
    if (end.score, end.tableau_cards) != (game.score, game.tableau_cards):
        raise ReplayError(
            f"the moves give score {end.score} with {end.tableau_cards} on the tableau, "
            f"but the game has {game.score} with {game.tableau_cards}"
        )


@dataclass(frozen=True)
class RandomPlayer:
    """Every choice equally likely. cards_first: deals only where no card can move."""

    name: str
    cards_first: bool

    def choose(self, seen: Position, stream: np.ndarray) -> tuple[Move, int]:
        """One of the legal moves."""
        moves = list(seen.legal_moves())
        if self.cards_first and len(moves) > 1 and moves[-1] == DEAL_MOVE:
            moves.pop()
        return moves[below(stream, len(moves))], 0


@dataclass(frozen=True)
class GreedyPlayer:
    """Misplaced cards first; among them the move that leaves most cards playable; then deals."""

    name: str = "greedy"

    def choose(self, seen: Position, stream: np.ndarray) -> tuple[Move, int]:
        """The best by these rules; chance plays no part."""
        del stream
        cards = [move for move in seen.legal_moves() if move != DEAL_MOVE]
        if not cards:
            return DEAL_MOVE, 0
        misplaced = [move for move in cards if move.pile is None]

        def follow_ups(move: Move) -> int:
            return len(list(seen.apply(move).legal_moves()))

        return max(misplaced or cards, key=follow_ups), 0
