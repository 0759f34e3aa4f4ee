"""The board: how likely each side is to win from any scores.

`board_table.json` is written by `farm run cribbage-board`; it says how it came about.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from engines.cribbage.package_data import read_document
from engines.cribbage.scoring import GAME


@dataclass(frozen=True, eq=False)
class Board:
    """What scores before a deal are worth.

    dealer_wins: float64[goal, goal], the chance of the dealer to win, by its score and the pone's.
    The match ends at `goal` points.
    """

    dealer_wins: np.ndarray

    def chance(self, own_score: int, opponent_score: int, is_dealer: bool) -> float:
        """The chance to win of who deals next, or of who does not."""
        if is_dealer:
            return float(self.dealer_wins[own_score, opponent_score])
        return 1.0 - float(self.dealer_wins[opponent_score, own_score])


def board_document() -> dict[str, Any]:
    """All of the file."""
    return read_document("board_table.json")


@lru_cache
def default_board() -> Board:
    """That of the file."""
    wins = np.array(board_document()["dealer_wins"], np.float64)
    if wins.shape != (GAME, GAME):
        raise ValueError(f"expected a board of {GAME} by {GAME} scores, got {wins.shape}")
    wins.flags.writeable = False
    return Board(wins)


def endless_board() -> Board:
    """One on which a point is worth the same at any score: who goes by it plays for points."""
    scores = np.arange(2 * GAME)
    return Board(0.5 + (scores[:, None] - scores[None, :]) / (4.0 * GAME))
