"""The 40 cards of Shenzhen solitaire and a deal of them: eight columns of five, all face up.

A card is a whole number, so that one array of them can hold a board:

- a number card is `3 * rank + suit`, 3 to 29: rank 1 to 9; suit 0 coins 饼, 1 bamboo 条,
  2 characters 万;
- a dragon is -1 red 中, -2 green 发, -3 white 白, four of each;
- the flower 花 is 1, and 0 is an empty place;
- four dragons collected in a cell are four times their card: -4, -8, -12.

Names: r1 to r9 (coins, red ink), g1 to g9 (bamboo, green), b1 to b9 (characters, black), RD, GD, WD
and FL; a collected stack is XRD, XGD or XWD.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from engines.deal_text import DealError
from engines.streams import open_stream, shuffle

COLUMNS, CELLS, SUITS, RANKS = 8, 3, 3, 9
DEALT_HEIGHT = 5
LONGEST_COLUMN = 13
"""Five dealt cards, the last of them a 9, and a run from 8 to 1 on it."""
EMPTY, FLOWER = 0, 1
DRAGONS = (-1, -2, -3)
DRAGON_COUNT = 4
SUIT_LETTERS = "rgb"
DEAL_PURPOSE = "shenzhen deal"

NUMBERS = tuple(range(3, 3 * RANKS + SUITS))
CARD_NAMES = {
    **{card: f"{SUIT_LETTERS[card % 3]}{card // 3}" for card in NUMBERS},
    -1: "RD",
    -2: "GD",
    -3: "WD",
    FLOWER: "FL",
}
STACK_NAMES = {DRAGON_COUNT * dragon: f"X{CARD_NAMES[dragon]}" for dragon in DRAGONS}
DECK = (
    *(3 * rank + suit for suit in range(SUITS) for rank in range(1, RANKS + 1)),
    *(DRAGONS * DRAGON_COUNT),
    FLOWER,
)
DECK_SIZE = len(DECK)
_DECK_COUNTS = Counter(DECK)
_CARD_BY_NAME = {name: card for card, name in CARD_NAMES.items()}


class CardError(ValueError):
    """Text that is no card, or cards that do not make up the deck."""


def rank_of(card: int) -> int:
    """The rank of a number card, 1 to 9."""
    return card // 3


def suit_of(card: int) -> int:
    """The suit of a number card: 0 coins, 1 bamboo, 2 characters."""
    return card % 3


def is_number(card: int) -> bool:
    """Whether a card has a rank and a suit."""
    return card > FLOWER + 1


def parse_card(text: object) -> int:
    """The card of a name such as "g7" or "RD"; raises CardError for anything else."""
    card = _CARD_BY_NAME.get(text) if isinstance(text, str) else None
    if card is None:
        raise CardError(f"expected a card such as r1, g5, b9, RD, GD, WD or FL, got {text!r}")
    return card


def check_deck(cards: Iterable[int]) -> None:
    """Raises CardError, naming the cards, unless they are the 40 of the deck."""
    counts = Counter(cards)
    if strangers := [card for card in counts if card not in _DECK_COUNTS]:
        raise CardError(f"expected cards of the deck, got {strangers[0]}")
    surplus, lacking = counts - _DECK_COUNTS, _DECK_COUNTS - counts
    faults = [
        f"{words}: {' '.join(CARD_NAMES[card] for card in sorted(some.elements()))}"
        for words, some in (("too many", surplus), ("missing", lacking))
        if some
    ]
    if faults:
        raise CardError(f"expected the {DECK_SIZE} cards of the deck, got {', '.join(faults)}")


@dataclass(frozen=True)
class Deal:
    """The start: eight columns of five cards, each from its deepest card to its exposed one.

    Raises DealError for other sizes and CardError for missing or surplus cards.
    """

    columns: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        sizes = [len(column) for column in self.columns]
        if sizes != [DEALT_HEIGHT] * COLUMNS:
            raise DealError(f"expected eight columns of five cards, got sizes {sizes}")
        check_deck(card for column in self.columns for card in column)

    @classmethod
    def from_deck(cls, deck: Iterable[int]) -> Self:
        """The deal that gives the first column the first five cards, and so on."""
        cards = tuple(deck)
        starts = range(0, len(cards), DEALT_HEIGHT)
        return cls(tuple(cards[start : start + DEALT_HEIGHT] for start in starts))


def random_deal(seed: int, unit: int) -> Deal:
    """Deal `unit` of `seed`: DECK shuffled by the stream "shenzhen deal"."""
    deck = np.array(DECK)
    shuffle(open_stream(seed, unit, DEAL_PURPOSE), deck)
    return Deal.from_deck(deck.tolist())
