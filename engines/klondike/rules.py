"""The rules of Klondike, plain: the authority that solvers and their kernels are tested against.

Seven columns built down in alternating colours, kings to empty columns, runs moved whole or in
part, four foundations built up by suit from the ace. The stock is drawn `draw` cards at a time onto
the waste, whose top card may be played; when the stock is empty the waste may be turned over. A
face-down card that comes to lie on top of its column is turned up at once, as part of the move.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from engines.cards import KING, SUIT_SYMBOLS, SUITS, is_red, pretty, rank_of, suit_of
from engines.klondike.deal import COLUMNS, MAX_DRAW, Deal
from engines.klondike.moves import DRAW_MOVE, REDEAL_MOVE, Move, MoveKind
from engines.moves import IllegalMove, play_all


@dataclass(frozen=True)
class Rules:
    """The variant played.

    draw: cards turned at a time, 1 to 24.
    redeals: how often the waste may be turned over; None is without limit.
    worrying_back: whether the top card of a foundation may return to the tableau.
    Raises ValueError for numbers out of range.
    """

    draw: int = 3
    redeals: int | None = None
    worrying_back: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.draw <= MAX_DRAW:
            raise ValueError(f"expected draw to be from 1 to {MAX_DRAW}, got {self.draw}")
        if self.redeals is not None and self.redeals < 0:
            raise ValueError(f"expected redeals to be 0 or more, got {self.redeals}")


@dataclass(frozen=True, slots=True)
class Column:
    """One tableau pile: its face-down cards and, over them, its face-up run, bottom to top."""

    down: tuple[int, ...]
    up: tuple[int, ...]


def stacks_on(card: int, target: int) -> bool:
    """Whether `card` may lie on `target`: one rank lower and of the other colour."""
    return rank_of(card) + 1 == rank_of(target) and is_red(card) != is_red(target)


@dataclass(frozen=True, slots=True)
class Position:
    """A position; prints itself as a picture.

    tableau: seven columns.
    foundations: cards on each foundation, 0 to 13, by suit.
    stock: face-down cards, the one drawn next in front.
    waste: face-up cards, bottom to top.
    redeals_left: None is without limit.
    """

    rules: Rules
    tableau: tuple[Column, ...]
    foundations: tuple[int, int, int, int]
    stock: tuple[int, ...]
    waste: tuple[int, ...]
    redeals_left: int | None

    @classmethod
    def start(cls, deal: Deal, rules: Rules) -> Self:
        """The position after the deal."""
        tableau = tuple(Column(column[:-1], column[-1:]) for column in deal.tableau)
        return cls(rules, tableau, (0, 0, 0, 0), deal.stock, (), rules.redeals)

    @property
    def won(self) -> bool:
        """Whether all 52 cards are on the foundations."""
        return all(height == KING + 1 for height in self.foundations)

    def legal_moves(self) -> Iterator[Move]:
        """Every legal move, once."""
        for move in _all_moves(self):
            if _objection(self, move) is None:
                yield move

    def apply(self, move: Move) -> "Position":
        """The position after a move; raises IllegalMove saying why it is not legal."""
        if reason := _objection(self, move):
            raise IllegalMove(f"illegal move {move}: {reason}")
        return _play(self, move)

    def describe(self, move: Move) -> str:
        """A legal move in words that tell a player what to do with real cards."""
        match move.kind:
            case MoveKind.DRAW:
                turned = self.stock[: self.rules.draw]
                return f"draw {' '.join(pretty(card) for card in turned)}"
            case MoveKind.REDEAL:
                return "turn the waste over"
            case MoveKind.WASTE_TO_FOUNDATION:
                return f"{pretty(self.waste[-1])} from the waste to its foundation"
            case MoveKind.WASTE_TO_TABLEAU:
                return f"{pretty(self.waste[-1])} from the waste to {self._place(move.target)}"
            case MoveKind.FOUNDATION_TO_TABLEAU:
                card = pretty(_foundation_top(self, move.source))
                return f"{card} from its foundation to {self._place(move.target)}"
        column = self.tableau[move.source]
        run = column.up[len(column.up) - move.count :]
        cards = pretty(run[0]) if len(run) == 1 else f"{pretty(run[0])}..{pretty(run[-1])}"
        turns = bool(column.down) and len(run) == len(column.up)
        suffix = f", turning up {pretty(column.down[-1])}" if turns else ""
        where = (
            "its foundation"
            if move.kind is MoveKind.TABLEAU_TO_FOUNDATION
            else self._place(move.target)
        )
        return f"{cards} from column {move.source + 1} to {where}{suffix}"

    def _place(self, column: int) -> str:
        up = self.tableau[column].up
        return f"column {column + 1} ({f'on {pretty(up[-1])}' if up else 'empty'})"

    def __str__(self) -> str:
        piles = " ".join(
            f"{SUIT_SYMBOLS[suit]}{'--' if height == 0 else pretty(4 * (height - 1) + suit)[0]:<2}"
            for suit, height in enumerate(self.foundations)
        ).rstrip()
        waste = " ".join(pretty(card) for card in self.waste) or "--"
        stock = " ".join(pretty(card) for card in self.stock) or "--"
        height = max((len(column.down) + len(column.up) for column in self.tableau), default=0)
        rows = []
        for row in range(height):
            cells = []
            for column in self.tableau:
                if row < len(column.down):
                    cells.append(f"[{pretty(column.down[row])}]")
                elif row < len(column.down) + len(column.up):
                    cells.append(f" {pretty(column.up[row - len(column.down)])} ")
                else:
                    cells.append("    ")
            rows.append(" ".join(cells).rstrip())
        header = " ".join(f"  {number + 1} " for number in range(COLUMNS)).rstrip()
        return "\n".join(
            [
                f"foundations  {piles}",
                f"waste        {waste}",
                f"stock        {stock}",
                header,
                *rows,
            ]
        )


def replay(deal: Deal, rules: Rules, moves: Iterable[Move]) -> Position:
    """The position after all moves; raises IllegalMove naming the first illegal one by number."""
    return play_all(Position.start(deal, rules), moves)


def _all_moves(position: Position) -> Iterator[Move]:
    yield DRAW_MOVE
    yield REDEAL_MOVE
    yield Move(MoveKind.WASTE_TO_FOUNDATION)
    for column in range(COLUMNS):
        yield Move(MoveKind.TABLEAU_TO_FOUNDATION, column)
        yield Move(MoveKind.WASTE_TO_TABLEAU, target=column)
        for suit in range(len(SUITS)):
            yield Move(MoveKind.FOUNDATION_TO_TABLEAU, suit, column)
        for target in range(COLUMNS):
            for count in range(1, len(position.tableau[column].up) + 1):
                yield Move(MoveKind.TABLEAU_TO_TABLEAU, column, target, count)


def _objection(position: Position, move: Move) -> str | None:
    """Why a move is illegal, or None when it is legal."""
    match move.kind:
        case MoveKind.DRAW:
            return None if position.stock else "the stock is empty"
        case MoveKind.REDEAL:
            if position.stock:
                return "the stock is not empty"
            if not position.waste:
                return "the waste is empty"
            return "no redeal is left" if position.redeals_left == 0 else None
        case MoveKind.WASTE_TO_FOUNDATION:
            if not position.waste:
                return "the waste is empty"
            return _foundation_objection(position, position.waste[-1])
        case MoveKind.WASTE_TO_TABLEAU:
            if not position.waste:
                return "the waste is empty"
            return _column_objection(position, position.waste[-1], move.target)
        case MoveKind.FOUNDATION_TO_TABLEAU:
            if not position.rules.worrying_back:
                return "worrying back is not allowed"
            if position.foundations[move.source] == 0:
                return f"the foundation of {SUIT_SYMBOLS[move.source]} is empty"
            return _column_objection(position, _foundation_top(position, move.source), move.target)
    run = position.tableau[move.source].up
    if not run:
        return f"column {move.source + 1} is empty"
    if move.kind is MoveKind.TABLEAU_TO_FOUNDATION:
        return _foundation_objection(position, run[-1])
    if move.source == move.target:
        return "a run cannot move onto its own column"
    if move.count > len(run):
        return f"column {move.source + 1} does not have {move.count} face-up cards"
    return _column_objection(position, run[len(run) - move.count], move.target)


def _foundation_objection(position: Position, card: int) -> str | None:
    height = position.foundations[suit_of(card)]
    if rank_of(card) == height:
        return None
    top = "empty" if height == 0 else f"at {pretty(_foundation_top(position, suit_of(card)))}"
    return f"{pretty(card)} does not follow on its foundation, which is {top}"


def _column_objection(position: Position, card: int, target: int) -> str | None:
    up = position.tableau[target].up
    if not up:
        if rank_of(card) == KING:
            return None
        return f"only a king may go to the empty column {target + 1}, not {pretty(card)}"
    if stacks_on(card, up[-1]):
        return None
    return f"{pretty(card)} may not lie on {pretty(up[-1])} of column {target + 1}"


def _foundation_top(position: Position, suit: int) -> int:
    return 4 * (position.foundations[suit] - 1) + suit


def _with_cards(
    tableau: tuple[Column, ...], number: int, cards: tuple[int, ...]
) -> tuple[Column, ...]:
    """The tableau with cards put on a column."""
    column = tableau[number]
    grown = Column(column.down, column.up + cards)
    return (*tableau[:number], grown, *tableau[number + 1 :])


def _without_cards(tableau: tuple[Column, ...], number: int, count: int) -> tuple[Column, ...]:
    """The tableau with face-up cards taken off a column, the card under them turned up."""
    column = tableau[number]
    shrunk = Column(column.down, column.up[:-count])
    if not shrunk.up and shrunk.down:
        shrunk = Column(column.down[:-1], column.down[-1:])
    return (*tableau[:number], shrunk, *tableau[number + 1 :])


def _with_foundation(position: Position, suit: int, change: int) -> tuple[int, int, int, int]:
    heights = list(position.foundations)
    heights[suit] += change
    return heights[0], heights[1], heights[2], heights[3]


def _play(position: Position, move: Move) -> Position:
    """The position after a move known to be legal."""
    tableau, foundations = position.tableau, position.foundations
    stock, waste, redeals_left = position.stock, position.waste, position.redeals_left
    source, target = move.source, move.target
    match move.kind:
        case MoveKind.DRAW:
            draw = position.rules.draw
            stock, waste = stock[draw:], waste + stock[:draw]
        case MoveKind.REDEAL:
            stock, waste = waste, ()
            redeals_left = None if redeals_left is None else redeals_left - 1
        case MoveKind.WASTE_TO_FOUNDATION:
            foundations = _with_foundation(position, suit_of(waste[-1]), +1)
            waste = waste[:-1]
        case MoveKind.WASTE_TO_TABLEAU:
            tableau = _with_cards(tableau, target, waste[-1:])
            waste = waste[:-1]
        case MoveKind.FOUNDATION_TO_TABLEAU:
            tableau = _with_cards(tableau, target, (_foundation_top(position, source),))
            foundations = _with_foundation(position, source, -1)
        case MoveKind.TABLEAU_TO_FOUNDATION:
            foundations = _with_foundation(position, suit_of(tableau[source].up[-1]), +1)
            tableau = _without_cards(tableau, source, 1)
        case MoveKind.TABLEAU_TO_TABLEAU:
            run = tableau[source].up[-move.count :]
            tableau = _with_cards(_without_cards(tableau, source, move.count), target, run)
    return Position(position.rules, tableau, foundations, stock, waste, redeals_left)
