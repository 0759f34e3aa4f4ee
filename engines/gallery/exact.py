"""The exact solver of Gallery: whether a deal can be won, the order of its stock being known.

First nested random games, which find most of the wins there are; then a depth-first search over all
lines but those that SOUNDNESS.md shows to be needless.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engines.gallery import exact_kernel as core
from engines.gallery import hindsight_kernel
from engines.gallery.board import board_of
from engines.gallery.hindsight import moves_of, new_lines
from engines.gallery.moves import Move
from engines.gallery.play_kernel import WORDS
from engines.gallery.rules import Position
from engines.limits import Limits, Outcome
from engines.streams import open_stream

DEFAULT_LIMITS = Limits(nodes=2_000_000, bytes=2**28)
ALL_RULES = core.DOMINANCE | core.TWINS | core.DEAD
NESTED_GAMES = (1, 4, 16)
"""Random games after each move, of the nested searches before the exhaustive one."""
Progress = Callable[[int], None]
_FIRST_TABLE = 2**14
_SLICE = 200_000


@dataclass(frozen=True)
class ExactResult:
    """What the solver found. nodes: positions of the exhaustive search, 0 where it had no need.

    moves: of a win, else empty.
    """

    outcome: Outcome
    moves: tuple[Move, ...]
    nodes: int
    states: int


def solve(
    position: Position,
    limits: Limits = DEFAULT_LIMITS,
    *,
    rules: int = ALL_RULES,
    nested_games: tuple[int, ...] = NESTED_GAMES,
    progress: Progress | None = None,
) -> ExactResult:
    """Decides a position, its stock in its order, within the limits; a win is replayed.

    rules: bits of exact_kernel, to measure what each is worth. progress: called with the nodes.
    """
    # A fixed stream: the verdict depends on the position alone.
    stream = open_stream(0, 0, "gallery exact")
    for games in nested_games:
        lines = new_lines()
        if hindsight_kernel.nested(board_of(position), games, lines, stream) == 0:
            length = lines.best[hindsight_kernel.LENGTH]
            return _won(position, lines.best[:length].tolist(), 0, 0)
    board = board_of(position)
    search = core.Search(
        layers=np.zeros((core.LONGEST, WORDS), np.uint64),
        moves=np.zeros((core.LONGEST, 3), np.uint64),
        path=np.zeros(core.LONGEST, np.int64),
        table=np.zeros((_FIRST_TABLE, 2), np.uint64),
        counters=np.zeros(core.COUNTERS, np.int64),
    )
    core.start(search, board, rules)
    counters = search.counters
    while True:
        until = min(limits.nodes, int(counters[core.NODES]) + _SLICE)
        status = core.search_on(search, board, rules, until)
        nodes, states = int(counters[core.NODES]), int(counters[core.STATES])
        if progress:
            progress(nodes)
        if status == core.WON:
            path = search.path[: counters[core.DEPTH]].tolist()
            return _won(position, path, nodes, states)
        if status == core.LOST:
            return ExactResult(Outcome.UNSOLVABLE, (), nodes, states)
        if status == core.TABLE_FULL:
            if search.table.nbytes * 2 > limits.bytes:
                return ExactResult(Outcome.MEMORY_LIMIT, (), nodes, states)
            larger = np.zeros((2 * len(search.table), 2), np.uint64)
            core.rehash(search.table, larger)
            search = search._replace(table=larger)
        elif nodes >= limits.nodes:
            return ExactResult(Outcome.NODE_LIMIT, (), nodes, states)


def _won(position: Position, numbers: list[int], nodes: int, states: int) -> ExactResult:
    moves, end = moves_of(position, numbers)
    if not end.solved:
        raise AssertionError(f"the solution does not win: {' '.join(map(str, moves))}")
    return ExactResult(Outcome.SOLVED, tuple(moves), nodes, states)
