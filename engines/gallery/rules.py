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

Each card moves at most once, so no game is longer than 96 + 9 = 105 moves.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from engines.cards import ACE, CARD_NAMES, pretty, rank_of
from engines.gallery.deal import PILES, PLACES, ROWS, STOCK_SIZE, Deal
from engines.gallery.moves import DEAL_MOVE, MOVES, ROW_NAMES, Move
from engines.moves import IllegalMove, play_all

CARDS_IN_PLAY = 96
STEP = 3
LONGEST_GAME = CARDS_IN_PLAY + STOCK_SIZE // PILES


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
        for move in MOVES.values():
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

    def __str__(self) -> str:
        return picture(self)


def in_place(place: int, cards: tuple[int, ...]) -> bool:
    """Whether the cards at a place of the gallery are in place: their lowest is a base of the row.

    A single misplaced card is not, nor is an empty place.
    """
    return bool(cards) and is_base(cards[0]) and row_of(cards[0]) == place // PLACES


def replay(deal: Deal, moves: Iterable[Move]) -> Position:
    """The position after all moves; raises IllegalMove naming the first illegal one by number."""
    return play_all(Position.start(deal), moves)


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
