"""The rules of Gallery, plain: the authority that players and their kernels are tested against.

Source: the rules page of the game, http://gallery.mapresso.com/rules.php.

Three rows of eight places build up by suit in steps of three: the top row 2-5-8-J, the middle row
3-6-9-Q, the bottom row 4-7-10-K. A 2, 3 or 4 that lies in its own row is in place, also straight
from the deal. An empty place takes a base card of its row (2, 3 or 4), a pile in place the next
card of its suit; nothing may lie on a misplaced card. Playable are the top card of each tableau
pile and every misplaced card of the gallery. There is no building on the tableau; an empty pile is
filled by a deal only: one card of the stock to each pile, allowed whenever stock is left. Aces
leave the game the moment they are dealt. The score is the number of the 96 other cards that are not
in place: 0 is a gallery of jacks, queens and kings.

All places that take a card are alike, so a move is named by where its card comes from. Each card
moves at most once, so no game is longer than 96 + 9 = 105 moves.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

from engines.cards import ACE, CARD_NAMES, PACK_SIZE, parse_card, pretty, rank_of
from engines.deal_text import DealError, read_object
from engines.gallery.deal import (
    DECK_SIZE,
    GALLERY_SIZE,
    PACKS,
    PILES,
    PLACES,
    ROWS,
    STOCK_SIZE,
    Deal,
    check_two_packs,
)

CARDS_IN_PLAY = 96
STEP = 3
LONGEST_GAME = CARDS_IN_PLAY + STOCK_SIZE // PILES
ROW_NAMES = "ABC"
_POSITION_KEYS = frozenset({"gallery", "tableau", "stock", "id"})
_DEAL_TEXT = "D"


class IllegalMove(ValueError):
    """A move that the rules do not allow in the position; the text says which move and why."""


@dataclass(frozen=True, slots=True, order=True)
class Move:
    """One move, named by its source: a place of the gallery, a tableau pile, or the stock.

    source: 0 to 23 a misplaced card of the gallery, row by row; 24 to 31 the top card of a tableau
    pile; 32 a deal. As text: A1 to A8 the top row, B and C the rows under it, 1 to 8 the piles, D.
    Raises ValueError for a source out of range.
    """

    source: int

    def __post_init__(self) -> None:
        if not 0 <= self.source <= DEAL_SOURCE:
            raise ValueError(f"expected a source from 0 to {DEAL_SOURCE}, got {self.source}")

    @property
    def pile(self) -> int | None:
        """The tableau pile, from 0; None for other moves."""
        number = self.source - GALLERY_SIZE
        return number if 0 <= number < PILES else None

    def __str__(self) -> str:
        if self.source == DEAL_SOURCE:
            return _DEAL_TEXT
        if self.source >= GALLERY_SIZE:
            return str(self.source - GALLERY_SIZE + 1)
        return f"{ROW_NAMES[self.source // PLACES]}{self.source % PLACES + 1}"


DEAL_SOURCE = GALLERY_SIZE + PILES
DEAL_MOVE = Move(DEAL_SOURCE)
ALL_MOVES = tuple(map(Move, range(DEAL_SOURCE + 1)))
_MOVE_BY_TEXT = {str(move): move for move in ALL_MOVES}


def parse_move(text: str) -> Move:
    """The move written by str(move); raises ValueError for anything else."""
    if text not in _MOVE_BY_TEXT:
        raise ValueError(f"expected a move such as 'A3', '5' or 'D', got {text!r}")
    return _MOVE_BY_TEXT[text]


def parse_moves(text: str) -> list[Move]:
    """The moves of a line of move texts parted by spaces."""
    return [parse_move(word) for word in text.split()]


def row_of(card: int) -> int:
    """The row in whose piles a card belongs: 0 for 2-5-8-J, 1 for 3-6-9-Q, 2 for 4-7-10-K.

    Raises ValueError for an ace, which belongs in none.
    """
    if rank_of(card) == ACE:
        raise ValueError(f"{CARD_NAMES[card]} belongs in no row")
    return (rank_of(card) - 1) % STEP


def is_base(card: int) -> bool:
    """Whether a card is a 2, 3 or 4."""
    return 1 <= rank_of(card) <= ROWS


@dataclass(frozen=True, slots=True)
class Position:
    """A position; prints itself as a picture.

    gallery: 24 places row by row, each with its cards from the bottom.
    tableau: eight piles, from the bottom to the playable card on top.
    stock: the cards not dealt, the one dealt next in front.
    """

    gallery: tuple[tuple[int, ...], ...]
    tableau: tuple[tuple[int, ...], ...]
    stock: tuple[int, ...]

    @classmethod
    def start(cls, deal: Deal) -> Self:
        """The position after the deal, without its aces."""
        return cls(
            tuple(_without_aces([card]) for card in deal.gallery),
            tuple(_without_aces([card]) for card in deal.tableau),
            deal.stock,
        )

    @property
    def in_place(self) -> int:
        """How many cards are in place."""
        return sum(len(cards) for place, cards in enumerate(self.gallery) if in_place(place, cards))

    @property
    def score(self) -> int:
        """The cards, aces aside, that are not in place: 0 is solved, 96 the worst."""
        return CARDS_IN_PLAY - self.in_place

    @property
    def tableau_cards(self) -> int:
        """The cards on the tableau."""
        return sum(map(len, self.tableau))

    @property
    def solved(self) -> bool:
        """Whether the gallery shows nothing but jacks, queens and kings."""
        return self.score == 0

    def card_at(self, move: Move) -> int | None:
        """The card that a move would play; None for a deal and where there is no card."""
        if move == DEAL_MOVE:
            return None
        pile = move.pile
        cards = self.gallery[move.source] if pile is None else self.tableau[pile]
        return cards[-1] if cards else None

    def target_of(self, card: int) -> int | None:
        """The leftmost place of the gallery that takes a card, None where there is none."""
        if rank_of(card) == ACE:
            return None
        row = row_of(card)
        for place in range(row * PLACES, (row + 1) * PLACES):
            cards = self.gallery[place]
            if is_base(card):
                if not cards:
                    return place
            elif in_place(place, cards) and cards[-1] == card - 4 * STEP:
                return place
        return None

    def legal_moves(self) -> Iterator[Move]:
        """Every legal move, once: the gallery row by row, then the tableau, then the deal."""
        for move in ALL_MOVES:
            if _objection(self, move) is None:
                yield move

    @property
    def over(self) -> bool:
        """Whether no move is left."""
        return next(self.legal_moves(), None) is None

    def apply(self, move: Move) -> "Position":
        """The position after a move; raises IllegalMove saying why it is not legal."""
        if reason := _objection(self, move):
            raise IllegalMove(f"illegal move {move}: {reason}")
        if move == DEAL_MOVE:
            dealt = self.stock[:PILES]
            grown = (
                (*pile, *_without_aces([card]))
                for pile, card in zip(self.tableau, dealt, strict=True)
            )
            return Position(self.gallery, tuple(grown), self.stock[PILES:])
        card = self.card_at(move)
        assert card is not None
        target = self.target_of(card)
        gallery, tableau = list(self.gallery), list(self.tableau)
        if move.pile is None:
            gallery[move.source] = ()
        else:
            tableau[move.pile] = tableau[move.pile][:-1]
        assert target is not None
        gallery[target] = (*self.gallery[target], card)
        return Position(tuple(gallery), tuple(tableau), self.stock)

    def with_hidden_stock(self) -> "Position":
        """What a player may know: the cards of the stock, sorted, but not their order."""
        return Position(self.gallery, self.tableau, tuple(sorted(self.stock)))

    def describe(self, move: Move) -> str:
        """A legal move in words that tell a player what to do with real cards."""
        if move == DEAL_MOVE:
            return f"deal {' '.join(pretty(card) for card in self.stock[:PILES])}"
        card = self.card_at(move)
        assert card is not None
        target = self.target_of(card)
        assert target is not None
        below = self.gallery[target]
        onto = f"onto {pretty(below[-1])}" if below else "to the empty place"
        return f"{pretty(card)} {onto} at {Move(target)}"

    def as_json(self) -> dict[str, Any]:
        """The JSON form: `gallery` as three rows of eight piles, `tableau`, `stock`."""
        piles = [_names(cards) for cards in self.gallery]
        return {
            "gallery": [piles[row * PLACES : (row + 1) * PLACES] for row in range(ROWS)],
            "tableau": [_names(pile) for pile in self.tableau],
            "stock": _names(self.stock),
        }

    def __str__(self) -> str:
        return picture(self)


def in_place(place: int, cards: tuple[int, ...]) -> bool:
    """Whether the cards at a place of the gallery are in place: their lowest is a base of the row.

    A single misplaced card is not, nor is an empty place.
    """
    return bool(cards) and is_base(cards[0]) and row_of(cards[0]) == place // PLACES


def replay(deal: Deal, moves: Iterable[Move]) -> Position:
    """The position after all moves; raises IllegalMove naming the first illegal one by number."""
    position = Position.start(deal)
    for number, move in enumerate(moves, start=1):
        try:
            position = position.apply(move)
        except IllegalMove as error:
            raise IllegalMove(f"move {number}: {error}\n{position}") from None
    return position


def is_position(text: str) -> bool:
    """Whether a text is meant as a partly played position, not as a deal."""
    return '"gallery"' in text


def parse_position(text: str) -> Position:
    """Reads the JSON form; raises DealError or CardError saying what is wrong.

    Refused is what cannot come about: cards that do not make up two packs without the aces dealt,
    a pile in the gallery that is not built by the rules, a stock of other than 8, 16, .. cards.
    """
    fields = read_object(text, _POSITION_KEYS)
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


def picture(position: Position) -> str:
    """The position as text: gallery with a dot at misplaced cards, tableau, number of stock cards.

    In the gallery only the top card of a pile is shown.
    """
    numbers = " ".join(f"  {number + 1}  " for number in range(PLACES)).rstrip()
    lines = [f"    {numbers}"]
    for row in range(ROWS):
        cells = []
        for place in range(row * PLACES, (row + 1) * PLACES):
            cards = position.gallery[place]
            if not cards:
                cells.append(" --  ")
            else:
                mark = "  " if in_place(place, cards) else ". "
                cells.append(f" {pretty(cards[-1])}{mark}")
        lines.append(f" {ROW_NAMES[row]}  " + " ".join(cells).rstrip())
    lines += ["", f"    {numbers}"]
    height = max(map(len, position.tableau))
    for level in range(height):
        cells = [
            f" {pretty(pile[level])}  " if level < len(pile) else "     "
            for pile in position.tableau
        ]
        lines.append("    " + " ".join(cells).rstrip())
    lines += [
        "",
        f"stock {len(position.stock)} cards, score {position.score}, "
        f"{position.tableau_cards} on the tableau   (. misplaced)",
    ]
    return "\n".join(lines)


def _objection(position: Position, move: Move) -> str | None:
    """Why a move is illegal, or None when it is legal."""
    if move == DEAL_MOVE:
        return None if position.stock else "the stock is empty"
    card = position.card_at(move)
    if card is None:
        return f"there is no card at {move}"
    if move.pile is None and in_place(move.source, position.gallery[move.source]):
        return f"{pretty(card)} at {move} is in place"
    if position.target_of(card) is None:
        return f"no place takes {pretty(card)}"
    return None


def _without_aces(cards: Iterable[int]) -> tuple[int, ...]:
    return tuple(card for card in cards if rank_of(card) != ACE)


def _names(cards: tuple[int, ...]) -> list[str]:
    return [CARD_NAMES[card] for card in cards]


def _text(cards: tuple[int, ...]) -> str:
    return " ".join(map(pretty, cards))
