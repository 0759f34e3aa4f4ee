"""The 52-card pack: small integers, their text, and parsing that says what is wrong.

A card is `4 * rank + suit`: rank 0 is the ace and 12 the king, suits are numbered in the order
clubs, diamonds, hearts, spades. The text of a card is rank then suit: "AS", "TD", "7C".
"""

from collections import Counter
from collections.abc import Iterable

PACK_SIZE = 52
RANKS = "A23456789TJQK"
SUITS = "CDHS"
SUIT_SYMBOLS = "♣♦♥♠"
ACE, KING = 0, 12
RED_SUITS = (1, 2)

CARD_NAMES = tuple(rank + suit for rank in RANKS for suit in SUITS)
_CARD_BY_NAME = {name: card for card, name in enumerate(CARD_NAMES)}


class CardError(ValueError):
    """Text or a number that is not a card, or cards that do not make up one pack."""


def rank_of(card: int) -> int:
    """The rank of a card, 0 (ace) to 12 (king)."""
    return card >> 2


def suit_of(card: int) -> int:
    """The suit of a card: 0 clubs, 1 diamonds, 2 hearts, 3 spades."""
    return card & 3


def is_red(card: int) -> bool:
    """Whether a card is a diamond or a heart."""
    return suit_of(card) in RED_SUITS


def parse_card(text: object) -> int:
    """The card named by two characters such as "TD"; raises CardError for anything else."""
    card = _CARD_BY_NAME.get(text) if isinstance(text, str) else None
    if card is None:
        raise CardError(f"expected a card such as 'TD' (rank {RANKS}, suit {SUITS}), got {text!r}")
    return card


def card_names(cards: Iterable[int]) -> list[str]:
    """The two characters of each card."""
    return [CARD_NAMES[card] for card in cards]


def pretty(card: int) -> str:
    """The card with its suit symbol, for people: "T♦"."""
    return RANKS[rank_of(card)] + SUIT_SYMBOLS[suit_of(card)]


def check_full_pack(cards: Iterable[int]) -> None:
    """Raises CardError, naming the cards, unless each of the 52 cards is there exactly once."""
    counts = Counter(cards)
    if strangers := [card for card in counts if not 0 <= card < PACK_SIZE]:
        raise CardError(f"expected cards from 0 to {PACK_SIZE - 1}, got {strangers[0]}")
    doubled = [CARD_NAMES[card] for card, count in sorted(counts.items()) if count > 1]
    missing = [CARD_NAMES[card] for card in range(PACK_SIZE) if card not in counts]
    faults = []
    if doubled:
        faults.append(f"doubled: {' '.join(doubled)}")
    if missing:
        faults.append(f"missing: {' '.join(missing)}")
    if faults:
        raise CardError(f"expected each of the 52 cards once, got {', '.join(faults)}")
