"""A Klondike deal: seven columns of 1 to 7 cards and a stock of 24; how it is drawn and written.

Forms of a deal in a line of text:

- JSON `{"tableau": [[...] x 7], "stock": [...]}`, cards as "TD"; a column reads from the card at
  the bottom to the face-up card on top, the stock from the card drawn first. Beside it `id` (text),
  `draw` (the rule the deal is meant for) and `verdict` ("solved" or "unsolvable", to compare with).
- The deck string of Klondike-Solver, pyksolve and MinimalKlondike: 52 times three digits, rank
  01-13 and suit 1-4 (clubs, diamonds, hearts, spades), in the order cards are dealt: a row of
  seven, a row of six on columns 2 to 7, and so on, then the stock.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from engines.cards import (
    PACK_SIZE,
    RANKS,
    SUITS,
    CardError,
    card_names,
    check_full_pack,
    parse_card,
)
from engines.deal_text import DealError, read_id, read_object, read_verdict
from engines.limits import Outcome
from engines.streams import open_stream, shuffle

COLUMNS = 7
STOCK_SIZE = 24
MAX_DRAW = STOCK_SIZE
DEAL_PURPOSE = "klondike deal"
_DECK_STRING_SIZE = 3 * PACK_SIZE
_KNOWN_KEYS = frozenset({"id", "draw", "tableau", "stock", "verdict", "decided_by", "note"})


@dataclass(frozen=True)
class Deal:
    """All 52 cards in place.

    tableau: seven tuples of 1 to 7 cards, from the bottom of a column to its face-up top.
    stock: 24 cards, the one drawn first in front.
    Raises DealError for wrong pile sizes and CardError for missing or doubled cards.
    """

    tableau: tuple[tuple[int, ...], ...]
    stock: tuple[int, ...]

    def __post_init__(self) -> None:
        sizes = [len(column) for column in self.tableau]
        if sizes != list(range(1, COLUMNS + 1)):
            raise DealError(f"expected seven columns of 1 to 7 cards, got sizes {sizes}")
        if len(self.stock) != STOCK_SIZE:
            raise DealError(f"expected a stock of {STOCK_SIZE} cards, got {len(self.stock)}")
        check_full_pack(card for pile in (*self.tableau, self.stock) for card in pile)

    @classmethod
    def from_pack(cls, pack: list[int]) -> Self:
        """The deal that dealing 52 cards row by row gives: the last 24 are the stock."""
        columns: list[list[int]] = [[] for _ in range(COLUMNS)]
        cards = iter(pack)
        for row in range(COLUMNS):
            for column in range(row, COLUMNS):
                columns[column].append(next(cards))
        return cls(tuple(tuple(column) for column in columns), tuple(cards))

    def as_deck_string(self) -> str:
        """The deck string, the cards in the order in which they are dealt."""
        rows = [
            self.tableau[column][row] for row in range(COLUMNS) for column in range(row, COLUMNS)
        ]
        return "".join(f"{card // 4 + 1:02}{card % 4 + 1}" for card in (*rows, *self.stock))

    def as_json(self) -> dict[str, list[Any]]:
        """The JSON form: `tableau` and `stock` with card names."""
        return {
            "tableau": [card_names(column) for column in self.tableau],
            "stock": card_names(self.stock),
        }


@dataclass(frozen=True)
class DealLine:
    """A deal with what its line says about it; None where the line is silent."""

    deal: Deal
    id: str | None = None
    draw: int | None = None
    verdict: Outcome | None = None


def random_deal(seed: int, unit: int) -> Deal:
    """Deal `unit` of `seed`: the pack 0..51 shuffled by the stream "klondike deal"."""
    pack = np.arange(PACK_SIZE)
    shuffle(open_stream(seed, unit, DEAL_PURPOSE), pack)
    return Deal.from_pack(pack.tolist())


def parse_deal_line(text: str) -> DealLine:
    """Reads one line in either form; raises DealError or CardError saying what is wrong."""
    text = text.strip()
    if text.startswith("{"):
        return _parse_json(text)
    if text.isascii() and text.isdigit():
        return DealLine(_parse_deck_string(text))
    raise DealError(
        f"expected a JSON object or a deck string of {_DECK_STRING_SIZE} digits, got {text[:40]!r}"
    )


def _parse_json(text: str) -> DealLine:
    fields = read_object(text, _KNOWN_KEYS)
    tableau, stock = fields.get("tableau"), fields.get("stock")
    if not (isinstance(tableau, list) and all(isinstance(column, list) for column in tableau)):
        raise DealError(f"expected 'tableau' to be a list of seven lists of cards, got {tableau!r}")
    if not isinstance(stock, list):
        raise DealError(f"expected 'stock' to be a list of {STOCK_SIZE} cards, got {stock!r}")
    draw = fields.get("draw")
    if draw is not None and not (type(draw) is int and 1 <= draw <= MAX_DRAW):
        raise DealError(f"expected 'draw' to be a number from 1 to {MAX_DRAW}, got {draw!r}")
    deal = Deal(
        tuple(tuple(parse_card(card) for card in column) for column in tableau),
        tuple(parse_card(card) for card in stock),
    )
    return DealLine(deal, read_id(fields), draw, read_verdict(fields))


def _parse_deck_string(digits: str) -> Deal:
    if len(digits) != _DECK_STRING_SIZE:
        raise DealError(f"expected a deck string of {_DECK_STRING_SIZE} digits, got {len(digits)}")
    pack = []
    for place in range(PACK_SIZE):
        code = digits[3 * place : 3 * place + 3]
        rank, suit = int(code[:2]), int(code[2])
        if not (1 <= rank <= len(RANKS) and 1 <= suit <= len(SUITS)):
            raise CardError(
                f"expected rank 01-13 and suit 1-4 as card {place + 1} of the deck, got {code!r}"
            )
        pack.append(4 * (rank - 1) + suit - 1)
    return Deal.from_pack(pack)
