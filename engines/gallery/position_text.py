"""Partly played positions as text.

JSON: `{"gallery": [3 rows of 8 piles], "tableau": [8 piles], "stock": [...]}`, cards as "TD", a
pile from its bottom, the stock from the card dealt next; beside it `id` (text).
"""

from itertools import pairwise
from typing import Any

from engines.cards import ACE, CARD_NAMES, PACK_SIZE, card_names, parse_card, pretty, rank_of
from engines.deal_text import DealError, read_object
from engines.gallery.deal import (
    DECK_SIZE,
    PACKS,
    PILES,
    PLACES,
    ROWS,
    STOCK_SIZE,
    check_two_packs,
)
from engines.gallery.moves import Move
from engines.gallery.rules import STEP, Position, in_place

_KEYS = frozenset({"gallery", "tableau", "stock", "id"})


def is_position(text: str) -> bool:
    """Whether a text is meant as a partly played position, not as a deal."""
    return '"gallery"' in text


def position_json(position: Position) -> dict[str, Any]:
    """The JSON form of a position."""
    piles = [card_names(cards) for cards in position.gallery]
    return {
        "gallery": [piles[row * PLACES : (row + 1) * PLACES] for row in range(ROWS)],
        "tableau": [card_names(pile) for pile in position.tableau],
        "stock": card_names(position.stock),
    }


def parse_position(text: str) -> Position:
    """Reads the JSON form; raises DealError or CardError saying what is wrong.

    Refused is what cannot come about: cards that do not make up two packs without the aces dealt,
    a pile in the gallery that is not built by the rules, a stock of other than 8, 16, .. cards.
    """
    fields = read_object(text, _KEYS)
    rows, tableau, stock = (fields.get(key) for key in ("gallery", "tableau", "stock"))
    if not (isinstance(rows, list) and len(rows) == ROWS and all(map(_is_row, rows))):
        raise DealError(f"expected 'gallery' to be {ROWS} lists of {PLACES} lists of cards")
    if not _is_row(tableau):
        raise DealError(f"expected 'tableau' to be {PILES} lists of cards")
    assert isinstance(tableau, list)
    if not isinstance(stock, list) or len(stock) % PILES or len(stock) > STOCK_SIZE:
        raise DealError(
            f"expected 'stock' to be a list of 0, {PILES}, .. or {STOCK_SIZE} cards, got {stock!r}"
        )
    gallery = tuple(tuple(map(parse_card, cards)) for row in rows for cards in row)
    piles = tuple(tuple(map(parse_card, cards)) for cards in tableau)
    position = Position(gallery, piles, tuple(map(parse_card, stock)))
    _check(position)
    return position


def _is_row(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == PLACES == PILES
        and all(isinstance(cards, list) for cards in value)
    )


def _check(position: Position) -> None:
    for place, cards in enumerate(position.gallery):
        if len(cards) > 1 and not in_place(place, cards):
            raise DealError(f"expected one misplaced card at {Move(place)}, got {_text(cards)}")
        for below, card in pairwise(cards):
            if card != below + 4 * STEP:
                raise DealError(f"{pretty(card)} may not lie on {pretty(below)} at {Move(place)}")
    shown = [card for pile in (*position.gallery, *position.tableau) for card in pile]
    if aces := [card for card in shown if rank_of(card) == ACE]:
        raise DealError(f"{CARD_NAMES[aces[0]]} leaves the game when it is dealt")
    all_cards = [*shown, *position.stock]
    gone = DECK_SIZE - len(all_cards)
    aces_gone = [
        card
        for card in range(PACK_SIZE)
        if rank_of(card) == ACE
        for _ in range(PACKS - position.stock.count(card))
    ]
    if len(aces_gone) != gone:
        raise DealError(
            f"expected {DECK_SIZE - len(aces_gone)} cards beside the aces that are gone, "
            f"got {len(all_cards)}"
        )
    check_two_packs((*all_cards, *aces_gone))


def _text(cards: tuple[int, ...]) -> str:
    return " ".join(map(pretty, cards))
