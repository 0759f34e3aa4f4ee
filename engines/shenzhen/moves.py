"""The moves of Shenzhen solitaire, by name: what a move can be, and its text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engines.moves import check_ranges
from engines.shenzhen.deal import CARD_NAMES, CELLS, COLUMNS, DRAGONS, RANKS

CELL_LETTERS = "abc"


class MoveKind(StrEnum):
    """What a move does."""

    RUN = "column to column"
    TO_CELL = "column to cell"
    FROM_CELL = "cell to column"
    COLUMN_UP = "column to foundation"
    CELL_UP = "cell to foundation"
    COLLECT = "collect dragons"


@dataclass(frozen=True, slots=True)
class Move:
    """One move by hand. Columns and cells are numbered from 0 here.

    source: a column or a cell; for COLLECT the dragon, -1 to -3.
    target: a column or a cell, for the first three kinds.
    count: the cards of a run, for RUN.

    Fields that a kind does not use keep their defaults. Raises ValueError for numbers out of range.
    As text, with columns 1 to 8 and cells a to c: 35 (35x4 for a run of four cards), 3a, a5, 3F
    and aF to a foundation, and RD, GD or WD to collect.
    """

    kind: MoveKind
    source: int
    target: int = 0
    count: int = 1

    def __post_init__(self) -> None:
        sources, targets, counts = _RANGES[self.kind]
        check_ranges(
            f"move {self.kind}",
            ("source", self.source, sources),
            ("target", self.target, targets),
            ("count", self.count, counts),
        )

    def __str__(self) -> str:
        match self.kind:
            case MoveKind.RUN:
                run = f"x{self.count}" if self.count > 1 else ""
                return f"{self.source + 1}{self.target + 1}{run}"
            case MoveKind.TO_CELL:
                return f"{self.source + 1}{CELL_LETTERS[self.target]}"
            case MoveKind.FROM_CELL:
                return f"{CELL_LETTERS[self.source]}{self.target + 1}"
            case MoveKind.COLUMN_UP:
                return f"{self.source + 1}F"
            case MoveKind.CELL_UP:
                return f"{CELL_LETTERS[self.source]}F"
            case MoveKind.COLLECT:
                return CARD_NAMES[self.source]


_ANY_COLUMN, _ANY_CELL = range(COLUMNS), range(CELLS)
_NO_PILE, _ONE_CARD = range(1), range(1, 2)
_RANGES: dict[MoveKind, tuple[Sequence[int], Sequence[int], Sequence[int]]] = {
    MoveKind.RUN: (_ANY_COLUMN, _ANY_COLUMN, range(1, RANKS + 1)),
    MoveKind.TO_CELL: (_ANY_COLUMN, _ANY_CELL, _ONE_CARD),
    MoveKind.FROM_CELL: (_ANY_CELL, _ANY_COLUMN, _ONE_CARD),
    MoveKind.COLUMN_UP: (_ANY_COLUMN, _NO_PILE, _ONE_CARD),
    MoveKind.CELL_UP: (_ANY_CELL, _NO_PILE, _ONE_CARD),
    MoveKind.COLLECT: (DRAGONS, _NO_PILE, _ONE_CARD),
}


def _every_move() -> Iterator[Move]:
    for dragon in DRAGONS:
        yield Move(MoveKind.COLLECT, dragon)
    for column in range(COLUMNS):
        yield Move(MoveKind.COLUMN_UP, column)
        for target in range(COLUMNS):
            for count in range(1, RANKS + 1):
                yield Move(MoveKind.RUN, column, target, count)
        for cell in range(CELLS):
            yield Move(MoveKind.TO_CELL, column, cell)
            yield Move(MoveKind.FROM_CELL, cell, column)
    for cell in range(CELLS):
        yield Move(MoveKind.CELL_UP, cell)


MOVES = {str(move): move for move in _every_move()}
"""Every move there is, by its text."""


def parse_move(text: str) -> Move:
    """The move of a text such as "35x2"; raises ValueError for anything else."""
    if text not in MOVES:
        raise ValueError(f"expected a move such as 35, 35x4, 3a, a5, 3F, aF or RD, got {text!r}")
    return MOVES[text]


def parse_moves(text: str) -> tuple[Move, ...]:
    """The moves of a line of move texts parted by spaces."""
    return tuple(parse_move(word) for word in text.split())
