"""The moves of Klondike, by name: what a move can be, and its text."""

from dataclasses import dataclass
from enum import StrEnum
from itertools import product

from engines.cards import KING, SUITS
from engines.klondike.deal import COLUMNS
from engines.moves import check_ranges


class MoveKind(StrEnum):
    """What a move does."""

    DRAW = "draw"
    REDEAL = "redeal"
    WASTE_TO_FOUNDATION = "waste to foundation"
    WASTE_TO_TABLEAU = "waste to tableau"
    TABLEAU_TO_FOUNDATION = "tableau to foundation"
    TABLEAU_TO_TABLEAU = "tableau to tableau"
    FOUNDATION_TO_TABLEAU = "foundation to tableau"


@dataclass(frozen=True, slots=True)
class Move:
    """One move. Columns are numbered from 0 here and from 1 in text.

    source: the column moved from, or the suit for FOUNDATION_TO_TABLEAU.
    target: the column moved to.
    count: the number of cards of a run, for TABLEAU_TO_TABLEAU.

    Fields that a kind does not use keep their defaults. Raises ValueError for numbers out of range.
    As text: D draw, R redeal, WF and W4 from the waste, 3F and 35 (with 35x4 for a run of four
    cards) from column 3, H4 from the foundation of hearts.
    """

    kind: MoveKind
    source: int = 0
    target: int = 0
    count: int = 1

    def __post_init__(self) -> None:
        sources, targets, counts = _RANGES[self.kind]
        check_ranges(
            self.kind,
            ("source", self.source, sources),
            ("target", self.target, targets),
            ("count", self.count, counts),
        )

    def __str__(self) -> str:
        match self.kind:
            case MoveKind.DRAW:
                return "D"
            case MoveKind.REDEAL:
                return "R"
            case MoveKind.WASTE_TO_FOUNDATION:
                return "WF"
            case MoveKind.WASTE_TO_TABLEAU:
                return f"W{self.target + 1}"
            case MoveKind.TABLEAU_TO_FOUNDATION:
                return f"{self.source + 1}F"
            case MoveKind.FOUNDATION_TO_TABLEAU:
                return f"{SUITS[self.source]}{self.target + 1}"
            case MoveKind.TABLEAU_TO_TABLEAU:
                run = f"x{self.count}" if self.count > 1 else ""
                return f"{self.source + 1}{self.target + 1}{run}"


_ANY_COLUMN, _ANY_SUIT, _ANY_COUNT = range(COLUMNS), range(len(SUITS)), range(1, KING + 2)
_NO_PILE, _ONE_CARD = range(1), range(1, 2)
_RANGES = {
    MoveKind.DRAW: (_NO_PILE, _NO_PILE, _ONE_CARD),
    MoveKind.REDEAL: (_NO_PILE, _NO_PILE, _ONE_CARD),
    MoveKind.WASTE_TO_FOUNDATION: (_NO_PILE, _NO_PILE, _ONE_CARD),
    MoveKind.WASTE_TO_TABLEAU: (_NO_PILE, _ANY_COLUMN, _ONE_CARD),
    MoveKind.TABLEAU_TO_FOUNDATION: (_ANY_COLUMN, _NO_PILE, _ONE_CARD),
    MoveKind.TABLEAU_TO_TABLEAU: (_ANY_COLUMN, _ANY_COLUMN, _ANY_COUNT),
    MoveKind.FOUNDATION_TO_TABLEAU: (_ANY_SUIT, _ANY_COLUMN, _ONE_CARD),
}

DRAW_MOVE = Move(MoveKind.DRAW)
REDEAL_MOVE = Move(MoveKind.REDEAL)
MOVES = {
    str(move): move
    for kind, ranges in _RANGES.items()
    for move in (Move(kind, *fields) for fields in product(*ranges))
}
"""Every move there is, by its text."""


def parse_move(text: str) -> Move:
    """The move written by str(move); raises ValueError for anything else."""
    if text not in MOVES:
        raise ValueError(f"expected a move such as 'D', 'W4', '3F' or '35x2', got {text!r}")
    return MOVES[text]


def parse_moves(text: str) -> tuple[Move, ...]:
    """The moves of a line of move texts parted by spaces."""
    return tuple(parse_move(word) for word in text.split())
