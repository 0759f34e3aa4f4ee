"""The exact solver: every deal ends as solved, with its moves, or as unsolvable, proved.

It searches the graph of states that SOUNDNESS.md describes and proves complete; the compiled core
is exact_kernel.py. A win comes back as ordinary moves, each of which was played on the rules.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from engines.cards import KING, rank_of
from engines.klondike import layer_kernel
from engines.klondike import workspace_kernel as core
from engines.klondike.dead import is_dead
from engines.klondike.deal import COLUMNS, STOCK_SIZE, Deal
from engines.klondike.exact_kernel import search
from engines.klondike.exact_line import ordinary_moves
from engines.klondike.free_talon_kernel import FREE_FULL, FREE_STATES, FreeTalon
from engines.klondike.moves import Move
from engines.klondike.rules import Position, Rules
from engines.klondike.step_kernel import STEP_WORDS
from engines.klondike.verdict_table_kernel import rehash_verdicts
from engines.limits import Limits, Outcome

DEFAULT_LIMITS = Limits(nodes=100_000_000, bytes=2**31)
_SLICE = 200_000
_SHORT_SEARCH = 1_000
_FIRST_TABLE, _FIRST_STACK, _FIRST_NEXT, _FIRST_STEPS = 2**12, 2**12, 2**10, 2**7
_HEIGHTS = 2**16
_LARGE = 2**25
"""Bytes from which on a table grows by 2 instead of 4."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class ExactResult:
    """How the solver ended on a position.

    outcome: SOLVED, UNSOLVABLE, NODE_LIMIT or MEMORY_LIMIT.
    moves: a solution as ordinary moves played on the rules, not the shortest; else empty.
    nodes: states explored, one explored again for new talon cards counted again; those explored in
        easier games, to leave out what is lost even there, are not counted.
    states: different states kept in memory, those of the easier games among them.
    """

    outcome: Outcome
    moves: tuple[Move, ...]
    nodes: int
    states: int


def solve(
    start: Deal | Position,
    rules: Rules | None = None,
    limits: Limits = DEFAULT_LIMITS,
    *,
    use: int = layer_kernel.ALL_RULES,
    progress: Progress | None = None,
) -> ExactResult:
    """Decides a deal, or a position partly played, whose own rules then hold.

    limits.nodes: states explored. limits.bytes: the memory of states met, and again as much for
        those of the easier games.
    use: which shortcuts to use, see ALL_RULES of layer_kernel.
    progress: called now and then with the states explored and met.
    Raises ValueError for a position that no deal leads to by its numbers of face-down cards.
    """
    position = Position.start(start, rules or Rules()) if isinstance(start, Deal) else start
    space = _workspace(position)
    worrying_back = layer_kernel.WORRYING_BACK if position.rules.worrying_back else 0
    bits = use & ~layer_kernel.WORRYING_BACK | worrying_back
    draw = position.rules.draw
    first_limits = Limits(min(limits.nodes, _SHORT_SEARCH), limits.bytes)
    first_bits = bits & ~layer_kernel.FREE_TALON & ~layer_kernel.OPEN_TALON
    outcome, space = _search(space, draw, first_bits, first_limits, progress)
    if outcome is Outcome.NODE_LIMIT and use & layer_kernel.DEAD_TEST and is_dead(position):
        outcome = Outcome.UNSOLVABLE
    elif outcome is Outcome.NODE_LIMIT:
        outcome, space = _search(space, draw, bits, limits, progress)
    moves: tuple[Move, ...] = ()
    if outcome is Outcome.SOLVED:
        path = space.path[: space.counters[core.DEPTH] + 1].tolist()
        moves, end = ordinary_moves(position, path)
        if not end.won:
            raise AssertionError(f"the solution does not win: {' '.join(map(str, moves))}")
    counters = space.counters
    states = counters[core.STATES] + counters[core.OPEN_STATES] + space.free.counters[FREE_STATES]
    return ExactResult(outcome, moves, int(counters[core.NODES]), int(states))


def _search(
    space: core.Workspace, draw: int, rules: int, limits: Limits, progress: Progress | None
) -> tuple[Outcome, core.Workspace]:
    counters = space.counters
    while True:
        until = min(limits.nodes, int(counters[core.NODES]) + _SLICE)
        status = search(space, draw, rules, until)
        if progress:
            progress(int(counters[core.NODES]), int(counters[core.STATES]))
        if status == core.WON:
            return Outcome.SOLVED, space
        if status == core.LOST:
            return Outcome.UNSOLVABLE, space
        if status == core.TABLE_FULL:
            if space.table.nbytes * 2 > limits.bytes:
                return Outcome.MEMORY_LIMIT, space
            growth = 4 if space.table.nbytes <= min(_LARGE, limits.bytes // 4) else 2
            table = np.zeros((growth * len(space.table), 2), np.uint64)
            core.rehash(space.table, table)
            space = space._replace(table=table)
        elif status == core.STACK_FULL:
            space = _doubled(space, "stack")
        elif status == core.NEXT_FULL:
            space = _doubled(space, "next_states")
        elif status == core.STEPS_FULL:
            space = _doubled(space, "steps", "runs")
        elif status == core.OPEN_TABLE_FULL and space.open_table.nbytes * 4 > limits.bytes:
            rules &= ~layer_kernel.OPEN_TALON
        elif status == core.OPEN_TABLE_FULL:
            open_table = np.zeros(4 * len(space.open_table), np.uint64)
            rehash_verdicts(space.open_table, open_table)
            space = space._replace(open_table=open_table)
        elif status == core.OPEN_STACK_FULL:
            space = _doubled(space, "open_stack")
        elif status == core.FREE_TABLE_FULL:
            space = space._replace(free=_larger(space.free))
        elif counters[core.NODES] >= limits.nodes:
            return Outcome.NODE_LIMIT, space


def _doubled(space: core.Workspace, *names: str) -> core.Workspace:
    """The workspace with arrays of twice as many rows, their content kept."""
    arrays: dict[str, Any] = {name: np.concatenate([getattr(space, name)] * 2) for name in names}
    return space._replace(**arrays)


def _larger(free: FreeTalon) -> FreeTalon:
    """The game with a free talon, with room for more verdicts and a deeper search."""
    table = np.zeros(2 * len(free.table), np.uint64)
    rehash_verdicts(free.table, table)
    free.counters[FREE_FULL] = 0
    return free._replace(table=table, stack=np.zeros(2 * len(free.stack), np.int64))


def _layer() -> layer_kernel.Layer:
    return layer_kernel.Layer(
        found=np.zeros(_HEIGHTS, np.int64),
        options=np.zeros((_HEIGHTS, 4), np.uint64),
        marks=np.zeros(_HEIGHTS // 64, np.uint64),
    )


def _workspace(position: Position) -> core.Workspace:
    """A workspace with the position as its only entry to explore."""
    space = core.Workspace(
        deal=np.zeros((core.DEAL_ROWS, 256), np.uint64),
        reach=_reach_table(position.rules.draw),
        table=np.zeros((_FIRST_TABLE, 2), np.uint64),
        next_states=np.zeros((_FIRST_NEXT, 4), np.uint64),
        stack=np.zeros((_FIRST_STACK, 2), np.int64),
        path=np.zeros((core.DEPTH_LIMIT, 2), np.int64),
        steps=np.zeros((_FIRST_STEPS, STEP_WORDS), np.int64),
        runs=np.zeros((_FIRST_STEPS, 3), np.uint64),
        layer=_layer(),
        free=FreeTalon(
            cards=np.zeros(1, np.uint64),
            table=np.zeros(_FIRST_TABLE, np.uint64),
            stack=np.zeros(2**14, np.int64),
            layer=_layer(),
            counters=np.zeros(2, np.int64),
        ),
        open_table=np.zeros(_FIRST_TABLE, np.uint64),
        open_stack=np.zeros((_FIRST_STACK, 3), np.int64),
        counters=np.zeros(core.COUNTERS, np.int64),
    )
    locked = _write_columns(space.deal, position)
    talon = position.waste + position.stock
    _write_talon(space.deal, talon)
    space.free.cards[0] = sum(1 << layer_kernel.card_bit(card) for card in talon)
    redeals = core.UNLIMITED
    if position.redeals_left is not None:
        # Each of the 24 plays from the talon takes one redeal at most.
        redeals = min(position.redeals_left, STOCK_SIZE)
    waste = len(position.waste)
    places = int(space.reach[0, len(talon), waste])
    if redeals:
        places |= int(space.reach[1, len(talon), waste])
    heights = sum(height << 4 * suit for suit, height in enumerate(position.foundations))
    layer = (1 << len(talon)) - 1 | locked << core.LOCKED_SHIFT
    layer |= waste << core.WASTE_SHIFT | redeals << core.REDEALS_SHIFT
    rest = heights | places << core.PLACES_SHIFT
    space.stack[0] = layer, rest
    space.counters[core.STACK] = 1
    return space


def _write_columns(deal: np.ndarray, position: Position) -> int:
    """Fills the rows FACE_DOWN and HEAD; returns the locked counts, four bits a column."""
    locked = 0
    for number, column in enumerate(position.tableau):
        if len(column.down) > number:
            raise ValueError(
                f"expected at most {number} cards face down in column {number + 1}, "
                f"got {len(column.down)}"
            )
        dealt = [*column.down, *column.up[:1]]
        below = 0
        for count, card in enumerate(dealt, start=1):
            bit = 1 << layer_kernel.card_bit(card)
            deal[layer_kernel.FACE_DOWN, 9 * number + count] = below
            deal[layer_kernel.HEAD, 9 * number + count] = bit
            below |= bit
        king_at_bottom = len(dealt) == 1 and rank_of(dealt[0]) == KING
        locked |= (0 if king_at_bottom else len(dealt)) << 4 * number
    return locked


def _write_talon(deal: np.ndarray, talon: tuple[int, ...]) -> None:
    """Fills the rows TALON_CARD and TALON_BYTES."""
    for place, card in enumerate(talon):
        bit = layer_kernel.card_bit(card)
        deal[core.TALON_CARD, place] = 1 << bit
        deal[core.TALON_NUMBER, bit] = place
    for byte in range(3):
        row = deal[core.TALON_BYTES + byte]
        for place in range(8):
            row[1 << place : 2 << place] = (
                row[: 1 << place] | deal[core.TALON_CARD, 8 * byte + place]
            )


@lru_cache
def _reach_table(draw: int) -> np.ndarray:
    """Workspace.reach for a number of cards drawn at a time."""
    table = np.zeros((2, STOCK_SIZE + 1, STOCK_SIZE + 1), np.int64)
    for size in range(1, STOCK_SIZE + 1):
        after = {*range(draw, size, draw), size}
        for waste in range(size + 1):
            before = {*range(waste or draw, size, draw), size}
            table[0, size, waste] = sum(1 << count - 1 for count in before)
            table[1, size, waste] = sum(1 << count - 1 for count in after)
    return table


assert COLUMNS == 7, "locked counts of seven columns make up a key"
