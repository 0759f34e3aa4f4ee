"""The rules of Shenzhen solitaire, plain: the authority that solvers are tested against.

A card, or a run (each card one lower and of another suit than the one it lies on), may go onto a
number card one higher of another suit, or to an empty column. A cell holds one card. Dragons and
the flower move alone, and nothing is put on them. Four exposed dragons of a colour may be collected
while a cell is empty or holds one of them: the stack takes the leftmost such cell for good. The
next number of a suit may be put up on its foundation, and never comes back.

After the deal and after each move cards go up by themselves: the flower, and a number that is next
in its suit with rank at most 2 or at most one above the lowest of the three foundations. A suit
takes the leftmost empty foundation when its 1 arrives.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from engines.moves import IllegalMove, play_all
from engines.shenzhen.deal import (
    CARD_NAMES,
    CELLS,
    COLUMNS,
    DRAGON_COUNT,
    EMPTY,
    FLOWER,
    RANKS,
    STACK_NAMES,
    SUIT_LETTERS,
    SUITS,
    Deal,
    is_number,
    rank_of,
    suit_of,
)
from engines.shenzhen.moves import CELL_LETTERS, MOVES, Move, MoveKind

ALWAYS_UP = 2
"""Numbers up to this rank go up by themselves whenever they are next."""
_NO_CARD, _GAP = "--", "."


def stacks_on(card: int, target: int) -> bool:
    """Whether `card` may lie on `target`: numbers, one rank lower and of another suit."""
    return (
        is_number(card)
        and is_number(target)
        and rank_of(card) + 1 == rank_of(target)
        and suit_of(card) != suit_of(target)
    )


def run_length(column: tuple[int, ...]) -> int:
    """How many cards at the end of a column make up a run; 0 of an empty column."""
    length = min(1, len(column))
    while length < len(column) and stacks_on(column[-length], column[-length - 1]):
        length += 1
    return length


def is_stack(cell: int) -> bool:
    """Whether a cell holds four collected dragons."""
    return cell != EMPTY and cell in STACK_NAMES


def place_name(card: int) -> str:
    """The name of what lies in a cell: a card, a stack, or -- for nothing."""
    return _NO_CARD if card == EMPTY else CARD_NAMES.get(card) or STACK_NAMES[card]


@dataclass(frozen=True, slots=True)
class Position:
    """A position; prints itself as a picture.

    columns: eight, each from its deepest card to its exposed one.
    cells: three; EMPTY, a card, or four times a dragon for a collected stack.
    flower: whether the flower is in its place.
    foundations: three places with their top cards, EMPTY before a suit takes one.
    """

    columns: tuple[tuple[int, ...], ...]
    cells: tuple[int, ...] = (EMPTY,) * CELLS
    flower: bool = False
    foundations: tuple[int, ...] = (EMPTY,) * SUITS

    @classmethod
    def start(cls, deal: Deal) -> "Position":
        """The position before the first move: the deal after its automatic moves."""
        return cls(deal.columns).settled()

    @property
    def won(self) -> bool:
        """Whether all numbers are up, the flower is in its place and the dragons are collected."""
        return (
            self.flower
            and not any(self.columns)
            and all(cell == EMPTY or is_stack(cell) for cell in self.cells)
        )

    def height(self, suit: int) -> int:
        """The rank of a suit's top card on its foundation, 0 before its 1 is up."""
        for top in self.foundations:
            if top != EMPTY and suit_of(top) == suit:
                return rank_of(top)
        return 0

    def settled(self) -> "Position":
        """The position after the automatic moves: itself when there is none."""
        position: Position = self
        while pile := _automatic_pile(position):
            position = _without_top(position, pile)
        return position

    def legal_moves(self) -> Iterator[Move]:
        """Every legal move, once."""
        for move in _moves_to_try(self):
            if _objection(self, move) is None:
                yield move

    def apply(self, move: Move) -> "Position":
        """The position after a move and the automatic moves; raises IllegalMove saying why not."""
        if reason := _objection(self, move):
            raise IllegalMove(f"illegal move {move}: {reason}")
        return play_by_hand(self, move).settled()

    def describe(self, move: Move) -> str:
        """A legal move in words."""
        match move.kind:
            case MoveKind.COLLECT:
                return f"collect the four {CARD_NAMES[move.source]}"
            case MoveKind.FROM_CELL | MoveKind.CELL_UP:
                cards = CARD_NAMES[self.cells[move.source]]
                source = f"cell {CELL_LETTERS[move.source]}"
            case _:
                run = self.columns[move.source][-move.count :]
                cards = "..".join(dict.fromkeys((CARD_NAMES[run[0]], CARD_NAMES[run[-1]])))
                source = f"column {move.source + 1}"
        if move.kind in (MoveKind.COLUMN_UP, MoveKind.CELL_UP):
            return f"{cards} from {source} to its foundation"
        if move.kind is MoveKind.TO_CELL:
            return f"{cards} from {source} to cell {CELL_LETTERS[move.target]}"
        column = self.columns[move.target]
        on = f"on {CARD_NAMES[column[-1]]}" if column else "empty"
        return f"{cards} from {source} to column {move.target + 1} ({on})"

    def __str__(self) -> str:
        height = max(1, *map(len, self.columns))
        rows = [
            [CARD_NAMES[column[row]] if row < len(column) else _GAP for column in self.columns]
            for row in range(height)
        ]
        table = [[str(number) for number in range(1, COLUMNS + 1)], *rows]
        return "\n".join(
            [
                f"cells        {' '.join(f'{place_name(card):3}' for card in self.cells).rstrip()}",
                f"flower       {CARD_NAMES[FLOWER] if self.flower else _NO_CARD}",
                f"foundations  {'  '.join(place_name(card) for card in self.foundations)}",
                *("  ".join(f"{word:2}" for word in row).rstrip() for row in table),
            ]
        )


def replay(start: Deal | Position, moves: Iterable[Move]) -> Position:
    """The position after all moves; raises IllegalMove naming the first illegal one by number."""
    position = Position.start(start) if isinstance(start, Deal) else start.settled()
    return play_all(position, moves)


def exposed_dragons(position: Position, dragon: int) -> int:
    """How many dragons of a colour are exposed: in cells, or last in their columns."""
    return position.cells.count(dragon) + sum(
        column[-1:] == (dragon,) for column in position.columns
    )


def collecting_cell(position: Position, dragon: int) -> int | None:
    """The leftmost cell that is empty or holds the dragon; None where there is none."""
    return next((cell for cell in range(CELLS) if position.cells[cell] in (EMPTY, dragon)), None)


def play_by_hand(position: Position, move: Move) -> Position:
    """The position after the manual part of a legal move, before the automatic moves."""
    match move.kind:
        case MoveKind.COLLECT:
            return _collect(position, move.source)
        case MoveKind.COLUMN_UP:
            return _without_top(position, ("column", move.source))
        case MoveKind.CELL_UP:
            return _without_top(position, ("cell", move.source))
    columns, cells = list(position.columns), list(position.cells)
    match move.kind:
        case MoveKind.RUN:
            run = columns[move.source][-move.count :]
            columns[move.source] = columns[move.source][: -move.count]
            columns[move.target] += run
        case MoveKind.TO_CELL:
            cells[move.target] = columns[move.source][-1]
            columns[move.source] = columns[move.source][:-1]
        case MoveKind.FROM_CELL:
            columns[move.target] += (cells[move.source],)
            cells[move.source] = EMPTY
    return replace(position, columns=tuple(columns), cells=tuple(cells))


def _collect(position: Position, dragon: int) -> Position:
    place = collecting_cell(position, dragon)
    cells = [EMPTY if cell == dragon else cell for cell in position.cells]
    assert place is not None
    cells[place] = DRAGON_COUNT * dragon
    columns = (column[:-1] if column[-1:] == (dragon,) else column for column in position.columns)
    return replace(position, columns=tuple(columns), cells=tuple(cells))


_Pile = tuple[str, int]


def _automatic_pile(position: Position) -> _Pile | None:
    """The pile whose exposed card goes up by itself next, columns before cells."""
    heights = [0] * SUITS
    for top in position.foundations:
        if top != EMPTY:
            heights[suit_of(top)] = rank_of(top)
    limit = max(ALWAYS_UP, min(heights) + 1)
    going = {SUITS * (height + 1) + suit for suit, height in enumerate(heights) if height < limit}
    going.add(FLOWER)
    for number, column in enumerate(position.columns):
        if column and column[-1] in going:
            return "column", number
    for number, card in enumerate(position.cells):
        if card in going:
            return "cell", number
    return None


def _without_top(position: Position, pile: _Pile) -> Position:
    """The position after a flower or a next number goes up from a pile."""
    kind, number = pile
    columns, cells = position.columns, position.cells
    if kind == "column":
        card, rest = columns[number][-1], columns[number][:-1]
        columns = (*columns[:number], rest, *columns[number + 1 :])
    else:
        card = cells[number]
        cells = (*cells[:number], EMPTY, *cells[number + 1 :])
    if card == FLOWER:
        return replace(position, columns=columns, cells=cells, flower=True)
    foundations = list(position.foundations)
    foundations[foundations.index(card - 3 if rank_of(card) > 1 else EMPTY)] = card
    return replace(position, columns=columns, cells=cells, foundations=tuple(foundations))


_RUN_MOVES = {
    (source, target, count): Move(MoveKind.RUN, source, target, count)
    for source in range(COLUMNS)
    for target in range(COLUMNS)
    for count in range(1, RANKS + 1)
}
_OTHER_MOVES = tuple(move for move in MOVES.values() if move.kind is not MoveKind.RUN)


def _moves_to_try(position: Position) -> Iterator[Move]:
    """All moves but those of runs longer than there are."""
    yield from _OTHER_MOVES
    for source, column in enumerate(position.columns):
        for count in range(1, run_length(column) + 1):
            for target in range(COLUMNS):
                yield _RUN_MOVES[source, target, count]


def _objection(position: Position, move: Move) -> str | None:
    """Why a move is illegal, or None when it is legal."""
    if move.kind is MoveKind.COLLECT:
        return _collect_objection(position, move.source)
    if move.kind in (MoveKind.FROM_CELL, MoveKind.CELL_UP):
        card = position.cells[move.source]
        if card == EMPTY:
            return f"cell {CELL_LETTERS[move.source]} is empty"
        if is_stack(card):
            return f"cell {CELL_LETTERS[move.source]} holds collected dragons"
    else:
        column = position.columns[move.source]
        if not column:
            return f"column {move.source + 1} is empty"
        if move.count > len(column):
            return f"column {move.source + 1} does not have {move.count} cards"
        if move.count > 1 and move.count > run_length(column):
            return f"the last {move.count} cards of column {move.source + 1} are no run"
        card = column[-move.count]
    match move.kind:
        case MoveKind.COLUMN_UP | MoveKind.CELL_UP:
            return _foundation_objection(position, card)
        case MoveKind.TO_CELL:
            if position.cells[move.target] != EMPTY:
                return f"cell {CELL_LETTERS[move.target]} is taken"
            return None
        case MoveKind.RUN if move.source == move.target:
            return "a run cannot move onto its own column"
    target = position.columns[move.target]
    if target and not stacks_on(card, target[-1]):
        on = f"{CARD_NAMES[target[-1]]} of column {move.target + 1}"
        return f"{CARD_NAMES[card]} may not lie on {on}"
    return None


def _collect_objection(position: Position, dragon: int) -> str | None:
    if (count := exposed_dragons(position, dragon)) < DRAGON_COUNT:
        return f"{count} of the four {CARD_NAMES[dragon]} are exposed"
    if collecting_cell(position, dragon) is None:
        return f"no cell is empty or holds a {CARD_NAMES[dragon]}"
    return None


def _foundation_objection(position: Position, card: int) -> str | None:
    if not is_number(card):
        return f"{CARD_NAMES[card]} does not go to a foundation"
    height = position.height(suit_of(card))
    if rank_of(card) == height + 1:
        return None
    top = f"at {SUIT_LETTERS[suit_of(card)]}{height}" if height else "empty"
    return f"{CARD_NAMES[card]} does not follow on its foundation, which is {top}"
