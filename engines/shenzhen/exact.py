"""The exact solver: a position ends as solved, with its moves, or as unsolvable, proved.

A best-first search over the graph of positions, whose keys are exact (SOUNDNESS.md); the compiled
core is exact_kernel.py. It leaves out no move, so that an empty queue proves that no win exists. A
win comes back as moves that were played on the rules.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from engines.limits import Limits, Outcome
from engines.shenzhen import board_kernel as keys
from engines.shenzhen import workspace_kernel as core
from engines.shenzhen.deal import (
    CARD_NAMES,
    COLUMNS,
    DRAGONS,
    EMPTY,
    FLOWER,
    NUMBERS,
    SUITS,
    Deal,
    is_number,
    rank_of,
    suit_of,
)
from engines.shenzhen.exact_kernel import enter_start, search, worth_of
from engines.shenzhen.moves import Move, MoveKind
from engines.shenzhen.rules import Position, is_stack, stacks_on

DEFAULT_LIMITS = Limits(nodes=50_000_000, bytes=2**31)
SHORT_LIMITS = Limits(nodes=60_000, bytes=2**28)
_SLICE = 50_000
_FIRST_STATES, _FIRST_TABLE = 2**12, 2**13
_TABLE_GROWTH = (4, 2)
"""How many times larger a full table becomes: the first that the limit has room for."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Weights:
    """What makes a position worth exploring later, each times a count; see `estimate`.

    steps: moves made. buried: cards on a card they do not follow. left: numbers not up. cells:
    cells taken by single cards. cover: cards on the next number of a suit. stacks: colours not
    collected. columns: columns not empty. reopen: whether a position explored before is explored
    again when it is reached in fewer moves.
    """

    steps: int
    buried: int
    left: int
    cells: int
    cover: int
    stacks: int
    columns: int
    reopen: bool = False


QUICK = Weights(steps=7, buried=13, left=2, cells=9, cover=3, stacks=22, columns=7)
SHORT = Weights(steps=16, buried=16, left=4, cells=9, cover=2, stacks=13, columns=0, reopen=True)


@dataclass(frozen=True)
class ExactResult:
    """How the solver ended on a position.

    outcome: SOLVED, UNSOLVABLE, NODE_LIMIT or MEMORY_LIMIT.
    moves: a solution played on the rules, not the shortest; else empty.
    nodes: positions explored. states: different positions met, but for the order of piles.
    """

    outcome: Outcome
    moves: tuple[Move, ...]
    nodes: int
    states: int


def solve(
    start: Deal | Position,
    limits: Limits = DEFAULT_LIMITS,
    *,
    weights: Weights = QUICK,
    progress: Progress | None = None,
) -> ExactResult:
    """Decides a deal, or a position partly played.

    limits.nodes: positions explored. limits.bytes: all arrays of the search; while one grows, its
        smaller form is there beside them.
    weights: the order of exploring: QUICK decides soonest, SHORT finds short solutions.
    progress: called now and then with the positions explored and met.
    """
    position = Position.start(start) if isinstance(start, Deal) else start.settled()
    if position.won:
        return ExactResult(Outcome.SOLVED, (), 0, 1)
    space = workspace(position, weights)
    outcome, space = _search(space, limits, progress)
    moves: tuple[Move, ...] = ()
    if outcome is Outcome.SOLVED:
        moves = _moves_played(position, space)
    counters = space.counters
    return ExactResult(outcome, moves, int(counters[core.EXPANDED]), int(counters[core.STATES]))


def solve_short(
    start: Deal | Position,
    limits: Limits = DEFAULT_LIMITS,
    short_limits: Limits = SHORT_LIMITS,
    *,
    progress: Progress | None = None,
) -> ExactResult:
    """Decides a position like `solve`, and looks on for a short solution where there is one.

    short_limits: of the second search, which is made even where the first reached its limits, and
    does not go beyond these.
    """
    decided = solve(start, limits, progress=progress)
    if decided.outcome is Outcome.UNSOLVABLE:
        return decided
    tighter = Limits(min(limits.nodes, short_limits.nodes), min(limits.bytes, short_limits.bytes))
    short = solve(start, tighter, weights=SHORT, progress=progress)
    wins = [found for found in (short, decided) if found.outcome is Outcome.SOLVED]
    best = min(wins, key=lambda found: len(found.moves), default=decided)
    return replace(best, nodes=decided.nodes + short.nodes, states=decided.states + short.states)


def _search(
    space: core.Space, limits: Limits, progress: Progress | None
) -> tuple[Outcome, core.Space]:
    counters = space.counters
    while True:
        until = min(limits.nodes, int(counters[core.EXPANDED]) + _SLICE)
        status = search(space, until)
        if progress:
            progress(int(counters[core.EXPANDED]), int(counters[core.STATES]))
        if status == core.WON:
            return Outcome.SOLVED, space
        if status == core.LOST:
            return Outcome.UNSOLVABLE, space
        if status in (core.TABLE_FULL, core.STATES_FULL, core.QUEUE_FULL):
            larger = _larger(space, status, limits.bytes)
            if larger is None:
                return Outcome.MEMORY_LIMIT, space
            space = larger
        elif counters[core.EXPANDED] >= limits.nodes:
            return Outcome.NODE_LIMIT, space


def _larger(space: core.Space, status: int, most: int) -> core.Space | None:
    """The workspace with more room for what is full; None where it would take more bytes."""
    room = most - sum(array.nbytes for array in space)
    if status == core.TABLE_FULL:
        for growth in _TABLE_GROWTH:
            if (growth - 1) * space.table.nbytes <= room:
                table = np.zeros((growth * len(space.table), core.SLOT_WORDS), np.uint64)
                core.rehash(space.table, table)
                return space._replace(table=table)
        return None
    if status == core.STATES_FULL:
        if space.keys.nbytes + space.nodes.nbytes > room:
            return None
        return space._replace(keys=_doubled(space.keys), nodes=_doubled(space.nodes))
    return space._replace(queue=_doubled(space.queue)) if space.queue.nbytes <= room else None


def _doubled(array: np.ndarray) -> np.ndarray:
    return np.concatenate([array, np.empty_like(array)])


def workspace(position: Position, weights: Weights = QUICK) -> core.Space:
    """A workspace with a settled position as its only state, still to be explored."""
    start, key = encode(position)
    space = core.Space(
        start=start,
        keys=np.empty((_FIRST_STATES, 2), np.uint64),
        nodes=np.empty((_FIRST_STATES, core.NODE_FIELDS), np.int32),
        table=np.zeros((_FIRST_TABLE, core.SLOT_WORDS), np.uint64),
        queue=np.empty((_FIRST_STATES, 2), np.int32),
        buckets=np.full(core.BUCKETS, keys.NONE, np.int32),
        weights=np.array(
            [
                weights.steps,
                weights.buried,
                weights.left,
                weights.cells,
                weights.cover,
                weights.stacks,
                weights.columns,
                weights.reopen,
            ],
            np.int64,
        ),
        counters=np.zeros(core.COUNTERS, np.int64),
        board=np.zeros(keys.BOARD_SIZE, np.int8),
        after=np.zeros(keys.BOARD_SIZE, np.int8),
        scratch=np.zeros(keys.CARDS, np.int8),
        next_cards=np.zeros(COLUMNS, np.int64),
        end_of=np.full(keys.CARDS, keys.NONE, np.int8),
        dragons=np.zeros(len(DRAGONS), np.int64),
        child=key,
        child_keys=np.zeros((core.MOST_CHILDREN, 2), np.uint64),
        children=np.zeros((core.MOST_CHILDREN, 2), np.int64),
    )
    space.counters[core.FREE_ENTRY] = space.counters[core.WIN] = keys.NONE
    space.counters[core.LOWEST] = core.BUCKETS
    keys.decode(key, start, space.board, space.scratch)
    enter_start(space, *key, worth_of(space.board, *key, space.weights))
    return space


def encode(position: Position) -> tuple[np.ndarray, np.ndarray]:
    """The facts of a start, int8[2, CARDS], and its key, uint64[2]."""
    start = np.full((2, keys.CARDS), keys.NONE, np.int8)
    codes = dict.fromkeys((_internal(card) for card in NUMBERS), keys.UP)
    numbered = {dragon: keys.FIRST_DRAGON + 4 * (-dragon - 1) for dragon in DRAGONS}
    numbered[FLOWER] = keys.FLOWER
    freed = in_cells = collected = 0
    for number, column in enumerate(position.columns):
        below, below_card = keys.NONE, EMPTY
        for card in column:
            internal = _internal(card) if is_number(card) else numbered[card]
            start[keys.BELOW, internal], start[keys.COLUMN, internal] = below, number
            if is_number(card):
                codes[internal] = _code(card, below_card)
            else:
                numbered[card] += 1
                if card != FLOWER and len(column) == 1:
                    freed |= 1 << internal
            below, below_card = internal, card
    for cell in position.cells:
        if is_stack(cell):
            colour = -cell // 4 - 1
            collected |= 1 << colour
            freed |= 15 << keys.FIRST_DRAGON + 4 * colour
        elif is_number(cell):
            codes[_internal(cell)] = keys.IN_CELL
        elif cell != EMPTY:
            freed |= 1 << numbered[cell]
            numbered[cell] += 1
            in_cells += 1 << 2 * (-cell - 1)
    words = [0, 0]
    for card, code in codes.items():
        words[int(keys.suit_word(card))] |= code << int(keys.code_shift(card))
    words[1] |= freed >> keys.FIRST_DRAGON << keys.FREED | in_cells << keys.CELL_DRAGONS
    words[1] |= collected << keys.COLLECTED | position.flower << keys.FLOWER_UP
    return start, np.array(words, np.uint64)


def _code(card: int, below: int) -> int:
    if below == EMPTY:
        return keys.BOTTOM
    if not stacks_on(card, below):
        return keys.ORIGINAL
    return keys.ON_NEXT_SUIT if (card + 1) % SUITS == below % SUITS else keys.ON_LAST_SUIT


def _moves_played(position: Position, space: core.Space) -> tuple[Move, ...]:
    """The moves that lead to the win found, each played on the rules."""
    path = []
    state = int(space.counters[core.WIN])
    while space.nodes[state, core.PARENT] != keys.NONE:
        path.append(int(space.nodes[state, core.MOVE]))
        state = int(space.nodes[state, core.PARENT])
    moves = []
    for packed in reversed(path):
        moves.append(_move(position, packed, space.start))
        position = position.apply(moves[-1])
    if not position.won:
        raise AssertionError(f"the solution does not win: {' '.join(map(str, moves))}")
    return tuple(moves)


def _move(position: Position, packed: int, start: np.ndarray) -> Move:
    """The move of a position that the search noted by its cards."""
    kind, internal, target, source = (packed >> shift & 255 for shift in (0, 8, 16, 24))
    if kind == keys.TO_COLLECTION:
        return Move(MoveKind.COLLECT, DRAGONS[internal])
    card = _card(internal)
    column, place = _find(position, card, source, int(start[keys.COLUMN, internal]))
    if kind == keys.TO_FOUNDATION:
        if column is None:
            return Move(MoveKind.CELL_UP, place)
        return Move(MoveKind.COLUMN_UP, column)
    if kind == keys.TO_CELL and column is not None:
        return Move(MoveKind.TO_CELL, column, position.cells.index(EMPTY))
    end = () if kind == keys.TO_EMPTY_COLUMN else (_card(target),)
    target_column = [pile[-1:] for pile in position.columns].index(end)
    if column is None:
        return Move(MoveKind.FROM_CELL, place, target_column)
    return Move(MoveKind.RUN, column, target_column, len(position.columns[column]) - place)


def _card(internal: int) -> int:
    """The card of a number in the kernel."""
    if internal < keys.FIRST_DRAGON:
        return SUITS * (internal // 4 + 1) + internal % 4
    return DRAGONS[(internal - keys.FIRST_DRAGON) // 4]


def _internal(card: int) -> int:
    """The kernel's number of a number card."""
    return 4 * (rank_of(card) - 1) + suit_of(card)


def _find(position: Position, card: int, source: int, start_column: int) -> tuple[int | None, int]:
    """The column and the place in it of a card, or None and its cell."""
    if source == keys.FROM_START and not is_number(card):
        return start_column, len(position.columns[start_column]) - 1
    if source == keys.FROM_BOTTOM:
        return position.columns.index((card,)), 0
    if card in position.cells:
        return None, position.cells.index(card)
    for number, column in enumerate(position.columns):
        if card in column:
            return number, column.index(card)
    raise AssertionError(f"{CARD_NAMES[card]} is nowhere in\n{position}")
