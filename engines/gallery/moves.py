"""The moves of Gallery, by name.

All places that take a card are alike, so a move is named by where its card comes from.
"""

from dataclasses import dataclass

from engines.gallery.deal import GALLERY_SIZE, PILES, PLACES

ROW_NAMES = "ABC"
_DEAL_TEXT = "D"


@dataclass(frozen=True, slots=True, order=True)
class Move:
    """One move, named by its source: a place of the gallery, a tableau pile, or the stock.

    source: 0 to 23 a misplaced card of the gallery, row by row; 24 to 31 the top card of a tableau
    pile; 32 a deal. As text: A1 to A8 the top row, B and C the rows under it, 1 to 8 the piles, D.
    Raises ValueError for a source out of range.
    """

    source: int

    def __post_init__(self) -> None:
        if not 0 <= self.source <= DEAL_SOURCE:
            raise ValueError(f"expected a source from 0 to {DEAL_SOURCE}, got {self.source}")

    @property
    def pile(self) -> int | None:
        """The tableau pile, from 0; None for other moves."""
        number = self.source - GALLERY_SIZE
        return number if 0 <= number < PILES else None

    def __str__(self) -> str:
        if self.source == DEAL_SOURCE:
            return _DEAL_TEXT
        if self.source >= GALLERY_SIZE:
            return str(self.source - GALLERY_SIZE + 1)
        return f"{ROW_NAMES[self.source // PLACES]}{self.source % PLACES + 1}"


DEAL_SOURCE = GALLERY_SIZE + PILES
DEAL_MOVE = Move(DEAL_SOURCE)
MOVES = {str(move): move for move in map(Move, range(DEAL_SOURCE + 1))}
"""Every move there is, by its text, in the order of their sources."""


def parse_move(text: str) -> Move:
    """The move written by str(move); raises ValueError for anything else."""
    if text not in MOVES:
        raise ValueError(f"expected a move such as 'A3', '5' or 'D', got {text!r}")
    return MOVES[text]


def parse_moves(text: str) -> tuple[Move, ...]:
    """The moves of a line of move texts parted by spaces."""
    return tuple(parse_move(word) for word in text.split())
