"""Partly played positions as text: JSON, and the picture that a position prints of itself.

JSON: `{"tableau": [{"down": [...], "up": [...]} x 7], "foundations": {"C": 0, "D": 0, "H": 0,
"S": 0}, "stock": [...], "waste": [...]}`, cards as "TD", columns from the bottom, the stock from
the card drawn next, the waste from the bottom; beside it `draw`, `redeals_left` (null is without
limit) and `worrying_back`, which default to 3, null and true.
"""

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


def parse_position(text: str, rules: Rules | None = None) -> Position:
    """Reads a position in either form; raises DealError or CardError saying what is wrong.

    rules: of a picture, which does not tell them; JSON has its own.
    """
    if text.lstrip().startswith("{"):
        return _from_json(text)
    return _from_picture(text, rules or Rules())


def _cards(names: Any, where: str) -> tuple[int, ...]:
    if not isinstance(names, list):
        raise DealError(f"expected '{where}' to be a list of cards, got {names!r}")
    return tuple(parse_card(name) for name in names)


def _from_json(text: str) -> Position:
    fields = read_object(text, _KEYS)
    tableau, heights = fields.get("tableau"), fields.get("foundations")
    if not isinstance(tableau, list) or not all(isinstance(each, dict) for each in tableau):
        raise DealError("expected 'tableau' to be a list of objects with 'down' and 'up'")
    if not isinstance(heights, dict) or set(heights) != set(SUITS):
        raise DealError(f"expected 'foundations' to have the keys {', '.join(SUITS)}")
    redeals = fields.get("redeals_left")
    try:
        rules = Rules(fields.get("draw", 3), redeals, fields.get("worrying_back", True))
    except (TypeError, ValueError) as error:
        raise DealError(str(error)) from None
    columns = tuple(
        Column(_cards(each.get("down", []), "down"), _cards(each.get("up", []), "up"))
        for each in tableau
    )
    foundations = tuple(heights[suit] for suit in SUITS)
    stock, waste = _cards(fields.get("stock"), "stock"), _cards(fields.get("waste", []), "waste")
    return _checked(Position(rules, columns, foundations, stock, waste, redeals))


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
