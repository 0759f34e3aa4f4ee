"""The moves that the author's program makes by itself, plain: see `safe_reason`.

They are facts of aquilo/Gallery-3. Not all of them are safe in every position: a base card whose
twin is in place, say, may take the place that another base card needs.
"""

from engines.gallery.deal import PLACES
from engines.gallery.moves import Move
from engines.gallery.rules import STEP, Position, in_place, is_base, row_of


def safe_move(position: Position) -> Move | None:
    """The first safe move in the order of legal moves, None where there is none."""
    return next((move for move in position.legal_moves() if safe_reason(position, move)), None)


def safe_reason(position: Position, move: Move) -> str | None:
    """Why a legal move is made without thinking, None where it is not. The twin is the other copy.

    The order of the stock plays no part.
    """
    card = position.card_at(move)
    if card is None:
        return None
    if is_base(card):
        if _misplaced_in_row(position, row_of(card)) == 0:
            return "a base card for a row without misplaced cards"
    elif _places_open(position, card) > 1:
        return "two places take the card"
    if not position.stock and len(list(position.legal_moves())) == 1:
        return "the only move left, and no stock"
    return _reason_by_twin(position, move, card)


def _reason_by_twin(position: Position, move: Move, card: int) -> str | None:
    for place, cards in enumerate(position.gallery):
        if card in cards and Move(place) != move:
            if in_place(place, cards):
                return "the twin is in place"
            same_row = move.pile is None and place // PLACES == move.source // PLACES
            return "both twins are misplaced in one row" if same_row else None
    for number, pile in enumerate(position.tableau):
        own = number == move.pile
        below = pile[:-1] if own else pile
        if card not in below:
            continue
        if own:
            return "the twin is below on the same pile"
        place = pile.index(card)
        if place == 0:
            return "the twin is at the bottom of another pile"
        if any(other > card and (other - card) % (4 * STEP) == 0 for other in pile[place + 1 :]):
            return "the twin is under a higher card of its own sequence"
    return None


def _misplaced_in_row(position: Position, row: int) -> int:
    places = range(row * PLACES, (row + 1) * PLACES)
    return sum(
        bool(position.gallery[place]) and not in_place(place, position.gallery[place])
        for place in places
    )


def _places_open(position: Position, card: int) -> int:
    """How many piles in place take a card that is no base card."""
    return sum(
        in_place(place, cards) and cards[-1] == card - 4 * STEP
        for place, cards in enumerate(position.gallery)
    )
