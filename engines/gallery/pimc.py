"""Perfect Information Monte Carlo, the player of the original game, as it is told and as it is.

For every legal move, a number of times: shuffle the stock, make the move, play random moves to the
end; the move with the lowest mean score is played. A move that completes a pile with a jack, queen
or king that lies alone on its tableau pile, while the twin of that card is not in place, has a
penalty added to its mean. A single legal move is played at once; of equal means the first in the
order of legal moves is taken. No game comes near 300 moves, so that limit of the original is not
needed here.
"""

from dataclasses import dataclass

import numpy as np

from engines.cards import rank_of
from engines.gallery import play_kernel as core
from engines.gallery.automatic import safe_move
from engines.gallery.board import board_of
from engines.gallery.moves import DEAL_MOVE, Move
from engines.gallery.pimc_kernel import list_moves, sum_of_scores
from engines.gallery.rules import Position, in_place

SAMPLES = 160
JACK = 10


@dataclass(frozen=True)
class Pimc:
    """A PIMC player.

    samples: random games for each move. cards_first: they deal only where no card can move, instead
    of a deal being a move like others. penalty: for the lone card, in cards. safe_moves: whether
    the moves of automatic.py are made at once, in the game and in random games.
    """

    name: str
    samples: int = SAMPLES
    cards_first: bool = False
    penalty: float = 0.001
    safe_moves: bool = False

    def choose(self, seen: Position, stream: np.ndarray) -> tuple[Move, int]:
        """The move with the lowest mean, and the number of random games."""
        if self.safe_moves and (safe := safe_move(seen)):
            return safe, 0
        moves = list(seen.legal_moves())
        if len(moves) == 1:
            return moves[0], 0
        means = self.evaluate(seen, stream)
        return min(moves, key=means.__getitem__), self.samples * len(moves)

    def evaluate(self, seen: Position, stream: np.ndarray) -> dict[Move, float]:
        """The mean score of each legal move, penalty included."""
        board = board_of(seen)
        numbers = np.zeros(core.DEAL_SOURCE + 1, np.int64)
        list_moves(board, numbers)
        work = np.zeros_like(board.words)
        how = core.CARDS_FIRST if self.cards_first else core.UNIFORM
        how |= core.SAFE_MOVES if self.safe_moves else 0
        means = {}
        for move in seen.legal_moves():
            number = numbers[move.source]
            total = sum_of_scores(board, work, number, self.samples, how, stream)
            penalty = self.penalty if completes_alone(seen, move) else 0.0
            means[move] = total / self.samples + penalty
        return means


def completes_alone(position: Position, move: Move) -> bool:
    """Whether a move completes a pile, uncovers nothing, and the card's twin is not in place."""
    card = position.card_at(move)
    if card is None or move.pile is None or rank_of(card) < JACK:
        return False
    placed = any(
        card in cards and in_place(place, cards) for place, cards in enumerate(position.gallery)
    )
    return len(position.tableau[move.pile]) == 1 and not placed


PUBLISHED = Pimc("pimc-160-published")
"""The published description to the letter. The penalty is below the resolution of the mean, 1/160:
it only breaks ties."""

ORIGINAL = Pimc("pimc-160-original", cards_first=True, penalty=0.5, safe_moves=True)
"""As the author's program does it."""

assert DEAL_MOVE.source == core.DEAL_SOURCE
