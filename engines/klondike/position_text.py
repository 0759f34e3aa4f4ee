"""Partly played positions as text: JSON, and the picture that a position prints of itself.

JSON: `{"tableau": [{"down": [...], "up": [...]} x 7], "foundations": {"C": 0, "D": 0, "H": 0,
"S": 0}, "stock": [...], "waste": [...]}`, cards as "TD", columns from the bottom, the stock from
the card drawn next, the waste from the bottom; beside it `draw`, `redeals_left` (null is without
limit) and `worrying_back`, which default to what was asked for, else to 3, null and true.
"""

import json
import re
from typing import Any

from engines.cards import (
    CARD_NAMES,
    KING,
    RANKS,
    SUIT_SYMBOLS,
    SUITS,
    card_names,
    check_full_pack,
    parse_card,
)
from engines.deal_text import DealError, read_object
from engines.klondike.deal import COLUMNS, STOCK_SIZE
from engines.klondike.rules import Column, Position, Rules, stacks_on

_KEYS = frozenset(
    {"tableau", "foundations", "stock", "waste", "draw", "redeals_left", "worrying_back", "id"}
)
_CELL = 5  # "[T♦] " in a picture


def is_position(text: str) -> bool:
    """Whether a text is meant as a partly played position, not as a deal."""
    return text.lstrip().startswith("foundations") or '"foundations"' in text


def position_json(position: Position) -> dict[str, Any]:
    """The JSON form of a position."""
    return {
        "draw": position.rules.draw,
        "redeals_left": position.redeals_left,
        "worrying_back": position.rules.worrying_back,
        "tableau": [
            {"down": card_names(column.down), "up": card_names(column.up)}
            for column in position.tableau
        ],
        "foundations": dict(zip(SUITS, position.foundations, strict=True)),
        "stock": card_names(position.stock),
        "waste": card_names(position.waste),
    }


def parse_position(
    text: str,
    *,
    draw: int | None = None,
    redeals: int | None = None,
    worrying_back: bool | None = None,
) -> Position:
    """Reads a position in either form; raises DealError or CardError saying what is wrong.

    draw, redeals, worrying_back: the rules asked for, None where all are welcome. They hold where
    the text is silent, as a picture is; a text that says something else is refused.
    """
    asked = {"draw": draw, "redeals_left": redeals, "worrying_back": worrying_back}
    if text.lstrip().startswith("{"):
        return _from_json(text, asked)
    return _from_picture(text, _rules({}, asked))


def _rules(fields: dict[str, Any], asked: dict[str, Any]) -> Rules:
    """The rules that a position names, completed by those asked for."""
    rules: dict[str, Any] = {"draw": 3, "redeals_left": None, "worrying_back": True}
    for key, wanted in asked.items():
        if wanted is not None:
            rules[key] = wanted
        if key not in fields:
            continue
        said = rules[key] = fields[key]
        kind, words = (bool, "true or false") if key == "worrying_back" else (int, "a number")
        unlimited = key == "redeals_left" and said is None
        if type(said) is not kind and not unlimited:
            raise DealError(f"expected {key!r} to be {words}, got {said!r}")
        if wanted is not None and said != wanted:
            raise DealError(
                f"the position says {json.dumps(said)} for {key!r}, but {json.dumps(wanted)} was "
                "asked for"
            )
    try:
        return Rules(rules["draw"], rules["redeals_left"], rules["worrying_back"])
    except ValueError as error:
        raise DealError(str(error)) from None


def _cards(names: Any, where: str) -> tuple[int, ...]:
    if not isinstance(names, list):
        raise DealError(f"expected '{where}' to be a list of cards, got {names!r}")
    return tuple(parse_card(name) for name in names)


def _from_json(text: str, asked: dict[str, Any]) -> Position:
    fields = read_object(text, _KEYS)
    tableau, heights = fields.get("tableau"), fields.get("foundations")
    if not isinstance(tableau, list) or not all(isinstance(each, dict) for each in tableau):
        raise DealError("expected 'tableau' to be a list of objects with 'down' and 'up'")
    if not isinstance(heights, dict) or set(heights) != set(SUITS):
        raise DealError(f"expected 'foundations' to have the keys {', '.join(SUITS)}")
    rules = _rules(fields, asked)
    columns = tuple(
        Column(_cards(each.get("down", []), "down"), _cards(each.get("up", []), "up"))
        for each in tableau
    )
    foundations = tuple(heights[suit] for suit in SUITS)
    stock, waste = _cards(fields.get("stock"), "stock"), _cards(fields.get("waste", []), "waste")
    return _checked(Position(rules, columns, foundations, stock, waste, rules.redeals))


def _from_picture(text: str, rules: Rules) -> Position:
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    parts = {line.partition(" ")[0]: line.partition(" ")[2] for line in lines[:3]}
    if list(parts) != ["foundations", "waste", "stock"] or len(lines) < 4:
        raise DealError("expected a picture with lines for foundations, waste, stock and columns")
    foundations = []
    for suit, symbol in enumerate(SUIT_SYMBOLS):
        match = re.search(rf"[{symbol}{SUITS[suit]}](--|[{RANKS}])(?=\s|$)", parts["foundations"])
        if match is None:
            raise DealError(f"expected {symbol} and a rank or -- in {lines[0]!r}")
        foundations.append(0 if match[1] == "--" else RANKS.index(match[1]) + 1)
    columns = []
    for number in range(COLUMNS):
        cells = [line[_CELL * number : _CELL * number + _CELL - 1].strip() for line in lines[4:]]
        cards = [cell for cell in cells if cell]
        down = tuple(_pictured(cell[1:-1]) for cell in cards if cell.startswith("["))
        columns.append(Column(down, tuple(_pictured(cell) for cell in cards[len(down) :])))
    waste, stock = (
        tuple(_pictured(word) for word in parts[name].split() if word != "--")
        for name in ("waste", "stock")
    )
    heights = (foundations[0], foundations[1], foundations[2], foundations[3])
    return _checked(Position(rules, tuple(columns), heights, stock, waste, rules.redeals))


def _pictured(text: str) -> int:
    return parse_card(text[:1] + text[1:].translate(str.maketrans(SUIT_SYMBOLS, SUITS)))


def _checked(position: Position) -> Position:
    """The position, if it is one: all cards once, runs in order, no more cards than piles hold."""
    if len(position.tableau) != COLUMNS:
        raise DealError(f"expected seven columns, got {len(position.tableau)}")
    for suit, height in zip(SUITS, position.foundations, strict=True):
        if type(height) is not int or not 0 <= height <= KING + 1:
            raise DealError(f"expected a height from 0 to 13 on foundation {suit}, got {height!r}")
    for number, column in enumerate(position.tableau, start=1):
        if len(column.down) >= number:
            raise DealError(
                f"expected at most {number - 1} face-down cards in column {number}, "
                f"got {len(column.down)}"
            )
        if column.down and not column.up:
            raise DealError(f"expected a face-up card on the face-down cards of column {number}")
        for lower, upper in zip(column.up, column.up[1:], strict=False):
            if not stacks_on(upper, lower):
                raise DealError(
                    f"{CARD_NAMES[upper]} may not lie on {CARD_NAMES[lower]} in column {number}"
                )
    talon = position.waste + position.stock
    if len(talon) > STOCK_SIZE:
        raise DealError(f"expected at most {STOCK_SIZE} cards in stock and waste, got {len(talon)}")
    up = [4 * rank + suit for suit in range(4) for rank in range(position.foundations[suit])]
    tableau = [card for column in position.tableau for card in (*column.down, *column.up)]
    check_full_pack([*up, *tableau, *talon])
    return position
