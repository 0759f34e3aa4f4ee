"""What to play next: a line found by search, and without one the advice of the depth-n method.

The method traverses the tree of boards to a depth and takes the first operation of the path with
the largest sum of scores; its representation and its scores are those of a published sketch,
README of Jichao-Yang/shenzhen-solitaire. A board is a 14 x 8 matrix (see `matrix`), an operation
is a move by hand with the automatic moves after it, and its score is the sum of

- the length of the run that forms where cards join others,
- `collect` (the sketch's C1) for collecting dragons,
- `empty_column` (C2) for each column that becomes empty,
- `automatic` for each card that goes up by itself, `manual_up` for one put up by hand,
- `dead_end` (C0) for returning to a board already on the path, or one without operations,
- `won` for a won board, which outweighs everything else.

As a player the method is weak (RECOMMENDATION.md has the figures), so `recommend` asks the exact
solver first.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from enum import StrEnum

import numpy as np

from engines.limits import Limits, Outcome
from engines.shenzhen import exact
from engines.shenzhen import recommend_kernel as core
from engines.shenzhen.deal import CELLS, DRAGONS, EMPTY, FLOWER, SUITS
from engines.shenzhen.moves import Move, MoveKind
from engines.shenzhen.rules import Position

_KINDS = tuple(MoveKind)
DEFAULT_DEPTH = 3
DEFAULT_LIMITS = Limits(nodes=5_000_000, bytes=2**30)


@dataclass(frozen=True)
class Constants:
    """The constants of the score; a card of a run formed counts 1.

    The values were fitted to win as many deals as possible at depth 2 (RECOMMENDATION.md).
    """

    dead_end: float = -1000.0
    collect: float = 10.5
    empty_column: float = 1.4
    automatic: float = 4.0
    manual_up: float = 6.0
    won: float = 1_000_000.0


FITTED = Constants()


class Basis(StrEnum):
    """What a recommendation rests on."""

    WON = "won"
    """A line that wins, played on the rules."""
    UNSOLVABLE = "proved unwinnable"
    """Every position that can be reached was met, and none is won."""
    LIMIT = "limit reached"
    """Neither was found; the move is the advice of the depth-n method and proves nothing."""


@dataclass(frozen=True)
class Recommendation:
    """What to play.

    line: moves that win; empty where none was found.
    advice: the first move of the depth-n method where the limit was reached; None else, or where
        no move is legal.
    positions: how many positions were explored.
    """

    basis: Basis
    line: tuple[Move, ...]
    advice: Move | None
    positions: int

    @property
    def move(self) -> Move | None:
        """The move to play next, None where there is none to recommend."""
        return self.line[0] if self.line else self.advice


def matrix(position: Position) -> np.ndarray:
    """The board of a position, int8[14, 8]: row 0 is the top row, each column starts in row 1.

    The top row holds three cells, the flower, three foundations and an unused 0; a collected stack
    is 4 times its dragon.
    """
    board = np.zeros((core.ROWS, core.COLUMNS), np.int8)
    flower = FLOWER if position.flower else EMPTY
    board[0, :-1] = (*position.cells, flower, *position.foundations)
    for number, column in enumerate(position.columns):
        board[1 : len(column) + 1, number] = column
    return board


def position_of(board: np.ndarray) -> Position:
    """The position of a board."""
    columns = tuple(tuple(int(card) for card in column if card) for column in board[1:].T)
    top = [int(card) for card in board[0]]
    foundations = top[core.FIRST_FOUNDATION : core.FIRST_FOUNDATION + SUITS]
    return Position(columns, tuple(top[:CELLS]), bool(top[core.FLOWER_PLACE]), tuple(foundations))


def valid(board: np.ndarray) -> list[Move]:
    """The operations of a board, those left out that differ only in the order of empty places."""
    operations = np.zeros(core.MOST_OPERATIONS, np.int32)
    count = core.valid(board, operations)
    return [_move(int(operation)) for operation in operations[:count]]


def operate(
    board: np.ndarray, operation: Move, constants: Constants = FITTED
) -> tuple[np.ndarray, float]:
    """The board after an operation, and the operation's score."""
    after = board.copy()
    return after, float(core.operate(after, _packed(operation), _array(constants)))


def best_path(
    path: Sequence[np.ndarray], depth: int, constants: Constants = FITTED
) -> tuple[tuple[Move, ...], float]:
    """The operations with the largest sum of scores from the last board of a path, and the sum.

    path: the boards already met, the present one last. No operations where none is valid.
    Raises ValueError for a depth under 1.
    """
    if depth < 1:
        raise ValueError(f"expected a depth of 1 or more, got {depth}")
    boards = np.zeros((len(path) + depth, core.ROWS, core.COLUMNS), np.int8)
    boards[: len(path)] = path
    found = np.full(depth, -1, np.int32)
    total = core.best_path(
        boards,
        len(path),
        depth,
        _array(constants),
        np.zeros((depth + 1, core.MOST_OPERATIONS), np.int32),
        np.zeros((depth + 1, 2), np.int64),
        np.zeros(depth + 1),
        found,
    )
    return tuple(_move(int(operation)) for operation in found if operation >= 0), float(total)


def recommend(
    position: Position,
    *,
    depth: int = DEFAULT_DEPTH,
    limits: Limits = DEFAULT_LIMITS,
    short_limits: Limits = exact.SHORT_LIMITS,
    progress: exact.Progress | None = None,
) -> Recommendation:
    """What to play in a position: a short winning line, a proof that none exists, or advice.

    depth: of the method that advises where the search reaches its limits.
    limits: of the search that decides. short_limits: of the one for a short line.
    """
    start = position.settled()
    found = exact.solve_short(start, limits, short_limits, progress=progress)
    if found.outcome is Outcome.UNSOLVABLE:
        return Recommendation(Basis.UNSOLVABLE, (), None, found.nodes)
    if found.outcome is Outcome.SOLVED:
        return Recommendation(Basis.WON, found.moves, None, found.nodes)
    path, _ = best_path([matrix(start)], depth)
    return Recommendation(Basis.LIMIT, (), path[0] if path else None, found.nodes)


def _array(constants: Constants) -> np.ndarray:
    return np.array(astuple(constants))


def _move(operation: int) -> Move:
    kind, source = _KINDS[operation >> 12], operation >> 8 & 15
    if kind is MoveKind.COLLECT:
        return Move(kind, DRAGONS[source])
    return Move(kind, source, operation >> 4 & 15, operation & 15)


def _packed(move: Move) -> int:
    source = DRAGONS.index(move.source) if move.kind is MoveKind.COLLECT else move.source
    return _KINDS.index(move.kind) << 12 | source << 8 | move.target << 4 | move.count
