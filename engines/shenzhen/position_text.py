"""Positions as text: JSON, and the picture that a position prints of itself.

JSON: `{"columns": [[...] x 8], "free": [3 cells], "foundation_slots": [3 places],
"flower_placed": false}`, cards named as in deal.py, columns from the deepest card. An empty place
is null. A cell with collected dragons is "XRD", "XGD" or "XWD", or "X" where the picture does not
show whose they are: the dragons that are nowhere else. All but `columns` may be left out: nothing
is up then, which makes it the form of a deal. Beside it `id` (text), `verdict` ("solved" or
"unsolvable", to compare with), `note`, and what a board reader saw: `buttons_lit`, `buttons_dark`
and `top_row_visible`. With "free", "foundation_slots" and "flower_placed" null the top row is not
known, and is worked out from the missing cards.

In both forms "?" is a card that could not be read, to be replaced by hand.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

from engines.deal_text import DealError, read_id, read_object, read_verdict
from engines.limits import Outcome
from engines.shenzhen.deal import (
    CARD_NAMES,
    CELLS,
    COLUMNS,
    DEALT_HEIGHT,
    DRAGON_COUNT,
    DRAGONS,
    EMPTY,
    FLOWER,
    LONGEST_COLUMN,
    NUMBERS,
    STACK_NAMES,
    SUITS,
    CardError,
    check_deck,
    is_number,
    parse_card,
    rank_of,
)
from engines.shenzhen.rules import Position, is_stack, place_name, stacks_on

UNREAD = "?"
_HIDDEN_STACK = "X"
_NOTHING = ("--", "-", ".")
_TOP_ROW_KEYS = ("free", "foundation_slots", "flower_placed")
_SEEN_KEYS = ("buttons_lit", "buttons_dark", "top_row_visible")
_KNOWN_KEYS = frozenset({"columns", *_TOP_ROW_KEYS, *_SEEN_KEYS, "id", "verdict", "note"})
_PICTURE_LINES = ("cells", "flower", "foundations")
TOP_ROW_SIZE = CELLS + 1 + SUITS


class TopRowUnknown(DealError):
    """A position whose top row was not given and does not follow from the missing cards."""


@dataclass(frozen=True)
class PositionLine:
    """A position with what its line says about it; None where the line is silent."""

    position: Position
    id: str | None = None
    verdict: Outcome | None = None


def position_json(position: Position) -> dict[str, Any]:
    """The JSON form of a position."""
    return {
        "columns": [[CARD_NAMES[card] for card in column] for column in position.columns],
        "free": _places_json(position.cells),
        "foundation_slots": _places_json(position.foundations),
        "flower_placed": position.flower,
    }


def _places_json(places: tuple[int, ...]) -> list[str | None]:
    return [None if card == EMPTY else place_name(card) for card in places]


def parse_position(text: str, top_row: str | None = None) -> Position:
    """Reads a position in either form; raises DealError or CardError saying what is wrong.

    top_row: seven words for a text whose top row is not known, see `parse_top_row`.
    """
    if text.lstrip().startswith("{"):
        return parse_position_line(text, top_row).position
    return _from_picture(text)


def parse_position_line(text: str, top_row: str | None = None) -> PositionLine:
    """Reads the JSON form with what stands beside it; raises as `parse_position`."""
    fields = read_object(text, _KNOWN_KEYS)
    identifier, verdict = read_id(fields), read_verdict(fields)
    return PositionLine(_from_fields(fields, top_row), identifier, verdict)


def _from_fields(fields: dict[str, Any], top_row: str | None) -> Position:
    columns = fields.get("columns")
    if not (isinstance(columns, list) and all(isinstance(column, list) for column in columns)):
        raise DealError(f"expected 'columns' to be eight lists of cards, got {columns!r}")
    tableau = tuple(
        tuple(_card(name, f"column {number}") for name in column)
        for number, column in enumerate(columns, start=1)
    )
    if all(key in fields and fields[key] is None for key in _TOP_ROW_KEYS):
        return with_top_row(tableau, top_row)
    if top_row is not None:
        raise DealError("a top row was given, but the position has one")
    flower = fields.get("flower_placed", False)
    if not isinstance(flower, bool):
        raise DealError(f"expected 'flower_placed' to be true or false, got {flower!r}")
    cells = _places(fields.get("free"), "free", _cell)
    foundations = _places(fields.get("foundation_slots"), "foundation_slots", _foundation)
    return checked(tableau, cells, flower, foundations)


def _places(names: Any, key: str, parse: Any) -> tuple[Any, ...]:
    if names is None:
        return (EMPTY,) * CELLS
    if not isinstance(names, list) or len(names) != CELLS:
        raise DealError(f"expected {key!r} to be a list of three, got {names!r}")
    return tuple(EMPTY if name is None else parse(name) for name in names)


def _card(name: object, where: str) -> int:
    if name == UNREAD:
        raise DealError(f"{where} has a card that could not be read: replace its ?")
    try:
        return parse_card(name)
    except CardError as error:
        raise CardError(f"{where}: {error}") from None


_STACKS = {name: stack for stack, name in STACK_NAMES.items()}


def _cell(name: object) -> int | str:
    if name in _NOTHING:
        return EMPTY
    if name == _HIDDEN_STACK:
        return _HIDDEN_STACK
    if isinstance(name, str) and name in _STACKS:
        return _STACKS[name]
    return _card(name, "a cell")


def _foundation(name: object) -> int:
    if name in _NOTHING:
        return EMPTY
    card = _card(name, "a foundation")
    if not is_number(card):
        raise CardError(f"a foundation: expected a number such as r1, got {name!r}")
    return card


def parse_top_row(text: str) -> tuple[tuple[int | str, ...], bool, tuple[int, ...]]:
    """Cells, flower and foundations of seven words such as "XWD -- g3 FL g2 -- --"."""
    words = text.split()
    if len(words) != TOP_ROW_SIZE or words[CELLS] not in (CARD_NAMES[FLOWER], *_NOTHING):
        raise DealError(
            "expected a top row of three cells, FL or --, and three foundations, such as "
            f"'XWD -- g3 FL g2 -- --', got {text!r}"
        )
    cells = tuple(_cell(word) for word in words[:CELLS])
    foundations = tuple(_foundation(word) for word in words[CELLS + 1 :])
    return cells, words[CELLS] == CARD_NAMES[FLOWER], foundations


def _from_picture(text: str) -> Position:
    lines = [line.split() for line in text.strip().splitlines() if line.strip()]
    heads = tuple(line[0] for line in lines[:3])
    if heads != _PICTURE_LINES or len(lines) < 5:
        raise DealError(
            "expected JSON, or a picture with lines for cells, flower, foundations and columns, "
            f"got {text.strip()[:40]!r}"
        )
    header = [str(number) for number in range(1, COLUMNS + 1)]
    if lines[3] != header:
        raise DealError(f"expected the line {' '.join(header)!r}, got {' '.join(lines[3])!r}")
    cells, flower, foundations = parse_top_row(" ".join(w for line in lines[:3] for w in line[1:]))
    columns: list[list[int]] = [[] for _ in range(COLUMNS)]
    for row, words in enumerate(lines[4:], start=1):
        if len(words) != COLUMNS:
            raise DealError(
                f"expected eight cards or dots in row {row} of the columns, got {len(words)}"
            )
        for number, word in enumerate(words):
            if word in _NOTHING:
                continue
            if len(columns[number]) != row - 1:
                raise DealError(f"{word} in row {row} of column {number + 1} lies on nothing")
            columns[number].append(_card(word, f"column {number + 1}"))
    return checked(tuple(map(tuple, columns)), cells, flower, foundations)


def deck_of(
    columns: tuple[tuple[int, ...], ...],
    cells: tuple[int, ...],
    flower: bool,
    foundations: tuple[int, ...],
) -> list[int]:
    """All cards of piles, those under the tops of foundations and in stacks among them."""
    cards = [card for column in columns for card in column]
    for cell in cells:
        if is_stack(cell):
            cards += [cell // DRAGON_COUNT] * DRAGON_COUNT
        elif cell != EMPTY:
            cards.append(cell)
    for top in foundations:
        if top != EMPTY:
            cards += range(top, 2, -SUITS)
    return cards + [FLOWER] * flower


def checked(
    columns: tuple[tuple[int, ...], ...],
    cells: tuple[int | str, ...],
    flower: bool,
    foundations: tuple[int, ...],
) -> Position:
    """The position of these piles, if the game can lead to such piles.

    cells: with "X" for a stack of dragons that are nowhere else.
    Raises DealError or CardError: the deck is not complete, or a column has cards below the
    fifth that could not have been put there.
    """
    if len(columns) != COLUMNS:
        raise DealError(f"expected eight columns, got {len(columns)}")
    known = _with_stacks_named(columns, cells)
    check_deck(deck_of(columns, known, flower, foundations))
    for number, column in enumerate(columns, start=1):
        if len(column) > LONGEST_COLUMN:
            raise DealError(f"column {number} has {len(column)} cards; 13 is the most")
        for place in range(DEALT_HEIGHT, len(column)):
            if not stacks_on(column[place], column[place - 1]):
                upper, lower = CARD_NAMES[column[place]], CARD_NAMES[column[place - 1]]
                raise DealError(f"{upper} cannot have come onto {lower} in column {number}")
    return Position(columns, known, flower, foundations)


def _with_stacks_named(
    columns: tuple[tuple[int, ...], ...], cells: tuple[int | str, ...]
) -> tuple[int, ...]:
    """The cells with each "X" replaced by the stack of a dragon that is nowhere else."""
    seen = {card for column in columns for card in column}
    for cell in cells:
        if not isinstance(cell, str):
            seen.add(cell // DRAGON_COUNT if is_stack(cell) else cell)
    nowhere = [dragon for dragon in DRAGONS if dragon not in seen]
    named: list[int] = []
    for cell in cells:
        if not isinstance(cell, str):
            named.append(cell)
        elif nowhere:
            named.append(DRAGON_COUNT * nowhere.pop(0))
        else:
            raise DealError("a cell holds collected dragons, but no dragon is missing")
    return tuple(named)


def with_top_row(columns: tuple[tuple[int, ...], ...], top_row: str | None) -> Position:
    """The position of columns whose top row is given as text, or follows from the missing cards.

    Raises TopRowUnknown where several top rows are possible, DealError where none is.
    """
    if top_row is not None:
        return checked(columns, *parse_top_row(top_row))
    found = possible_positions(columns)
    if not found:
        check_deck(card for column in columns for card in column)
        raise DealError("no top row goes with these columns")
    if len(found) > 1:
        raise TopRowUnknown(
            f"{len(found)} top rows go with these columns: give the right one as seven words, "
            "cells, flower and foundations, such as "
            f"'{top_row_text(found[0])}' or '{top_row_text(found[1])}'"
        )
    return found[0]


def top_row_text(position: Position) -> str:
    """The seven words of a position's top row."""
    flower = CARD_NAMES[FLOWER] if position.flower else _NOTHING[0]
    places = [place_name(card) for card in (*position.cells, *position.foundations)]
    return " ".join([*places[:CELLS], flower, *places[CELLS:]])


def possible_positions(columns: tuple[tuple[int, ...], ...]) -> list[Position]:
    """The settled positions that have these columns, the order of cells and foundations left open.

    The missing cards are up or in cells; nothing that would go up by itself is in a cell.
    """
    seen = [card for column in columns for card in column]
    if len(set(seen) & set(NUMBERS)) < len([card for card in seen if is_number(card)]):
        return []
    stacks, loose = [], []
    for dragon in DRAGONS:
        missing = DRAGON_COUNT - seen.count(dragon)
        if missing == DRAGON_COUNT:
            stacks.append(DRAGON_COUNT * dragon)
        else:
            loose += [dragon] * missing
    missing_numbers = [card for card in NUMBERS if card not in seen]
    choices = []
    for suit in range(SUITS):
        height = 0
        while 3 * (height + 1) + suit in missing_numbers:
            height += 1
        choices.append(range(height + 1))
    found = []
    for heights in product(*choices):
        in_cells = [card for card in missing_numbers if rank_of(card) > heights[card % SUITS]]
        cells = [*stacks, *loose, *in_cells]
        if len(cells) > CELLS:
            continue
        tops = [3 * height + suit for suit, height in enumerate(heights) if height]
        position = Position(
            columns,
            (*cells, *[EMPTY] * (CELLS - len(cells))),
            FLOWER not in seen,
            (*tops, *[EMPTY] * (SUITS - len(tops))),
        )
        try:
            checked(columns, position.cells, position.flower, position.foundations)
        except ValueError:
            continue
        if position.settled() == position:
            found.append(position)
    return found
