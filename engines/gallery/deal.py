"""A Gallery deal: 104 cards in the order in which they are dealt; how it is drawn and written.

Two packs. The first 24 cards go to the gallery, row by row from the left, the next 8 to the tableau
piles, the other 72 are the stock.

Forms of a deal in a line of text:

- JSON `{"cards": [...]}`, 104 cards as "TD", the card dealt first in front. Beside it `id` (text)
  and `verdict` ("solved" or "unsolvable" with the stock known, to compare with).
- The exchange line of the game's site (gallery.mapresso.com): 104 numbers with commas between,
  13 * suit + rank - 1 with suits 0 clubs, 1 hearts, 2 spades, 3 diamonds and ranks from 1, the ace;
  the card dealt first comes last.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.cards import CARD_NAMES, PACK_SIZE, card_names, parse_card
from engines.deal_text import DealError, read_id, read_object, read_verdict, without_none
from engines.limits import Outcome
from engines.streams import open_stream, shuffle

PACKS = 2
DECK_SIZE = PACKS * PACK_SIZE
ROWS, PLACES = 3, 8
GALLERY_SIZE = ROWS * PLACES
PILES = 8
STOCK_SIZE = DECK_SIZE - GALLERY_SIZE - PILES
DEAL_PURPOSE = "gallery deal"
_KNOWN_KEYS = frozenset({"id", "cards", "verdict"})
_RANKS = 13
_SITE_SUITS = (0, 2, 3, 1)
"""The suit, as engines.cards numbers it, of each suit of the site."""


@dataclass(frozen=True)
class Deal:
    """All 104 cards, the one dealt first in front.

    Raises DealError unless each of the 52 cards is there exactly twice.
    """

    cards: tuple[int, ...]

    def __post_init__(self) -> None:
        check_two_packs(self.cards)

    @property
    def gallery(self) -> tuple[int, ...]:
        """The 24 cards dealt to the gallery, row by row, aces among them."""
        return self.cards[:GALLERY_SIZE]

    @property
    def tableau(self) -> tuple[int, ...]:
        """The first card dealt to each tableau pile, aces among them."""
        return self.cards[GALLERY_SIZE : GALLERY_SIZE + PILES]

    @property
    def stock(self) -> tuple[int, ...]:
        """The 72 cards of the stock, the one dealt next in front."""
        return self.cards[GALLERY_SIZE + PILES :]

    def as_json(self) -> dict[str, list[str]]:
        """The JSON form."""
        return {"cards": card_names(self.cards)}

    def as_site_line(self) -> str:
        """The exchange line of the game's site."""
        return ",".join(
            str(_RANKS * _SITE_SUITS.index(card & 3) + (card >> 2)) for card in reversed(self.cards)
        )


@dataclass(frozen=True)
class DealLine:
    """A deal with what its line says of it, None where the line is silent."""

    deal: Deal
    id: str | None = None
    verdict: Outcome | None = None

    def as_json(self) -> dict[str, Any]:
        """The JSON form."""
        return without_none({"id": self.id, "verdict": self.verdict, **self.deal.as_json()})


def random_deal(seed: int, unit: int) -> Deal:
    """Deal `unit` of `seed`: two packs, each 0..51, shuffled by the stream "gallery deal"."""
    deck = np.tile(np.arange(PACK_SIZE), PACKS)
    shuffle(open_stream(seed, unit, DEAL_PURPOSE), deck)
    return Deal(tuple(deck.tolist()))


def check_two_packs(cards: tuple[int, ...]) -> None:
    """Raises DealError, naming the cards, unless each of the 52 cards is there exactly twice."""
    counts = Counter(cards)
    if strangers := [card for card in counts if not 0 <= card < PACK_SIZE]:
        raise DealError(f"expected cards from 0 to {PACK_SIZE - 1}, got {strangers[0]}")
    wrong = [
        f"{CARD_NAMES[card]} {counts[card]} times"
        for card in range(PACK_SIZE)
        if counts[card] != PACKS
    ]
    if wrong:
        raise DealError(f"expected each of the 52 cards twice, got {', '.join(wrong)}")


def parse_deal_line(text: str) -> DealLine:
    """Reads one line in either form; raises DealError or CardError saying what is wrong."""
    text = text.strip()
    if text.startswith("{"):
        fields = read_object(text, _KNOWN_KEYS)
        cards = fields.get("cards")
        if not isinstance(cards, list):
            raise DealError(f"expected 'cards' to be a list of {DECK_SIZE} cards, got {cards!r}")
        deal = Deal(tuple(map(parse_card, cards)))
        return DealLine(deal, read_id(fields), read_verdict(fields))
    if text[:1].isdigit():
        return DealLine(_parse_site_line(text))
    raise DealError(
        f"expected a JSON object or {DECK_SIZE} numbers with commas between, got {text[:40]!r}"
    )


def _parse_site_line(text: str) -> Deal:
    words = [word.strip() for word in text.split(",")]
    if len(words) != DECK_SIZE:
        raise DealError(f"expected {DECK_SIZE} numbers with commas between, got {len(words)}")
    cards = []
    for place, word in enumerate(words, start=1):
        if not (word.isascii() and word.isdigit() and len(word) <= 2 and int(word) < PACK_SIZE):
            raise DealError(
                f"expected a number from 0 to {PACK_SIZE - 1} as value {place}, got {word[:20]!r}"
            )
        suit, rank = divmod(int(word), _RANKS)
        cards.append(4 * rank + _SITE_SUITS[suit])
    return Deal(tuple(reversed(cards)))
