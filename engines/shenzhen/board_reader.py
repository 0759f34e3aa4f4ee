"""What a picture of the game shows: every card, the top row, and the buttons.

Each card is read from its corner: the colour of the ink first, which settles the suit, then the
fingerprint it is most like among those of that colour. A corner that is not clearly like one card
leaves several candidates, and the deck decides: a reading is given only where exactly one choice of
candidates makes up the 40 cards of a position that the game can show at rest. Everything else is
an error that says what was not found or not clear.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.deal_text import DealError
from engines.shenzhen.board_layout import (
    BUTTON_RADIUS,
    BUTTON_RISES,
    BUTTON_SHIFT,
    CARD_HEIGHT,
    CARD_WIDTH,
    FELT_SHARE,
    FLOWER_SHIFT,
    TOP_ROW_RISE,
    Layout,
    cell_columns,
    felt_mask,
    find_layout,
    foundation_columns,
)
from engines.shenzhen.deal import CARD_NAMES, DRAGONS, EMPTY, FLOWER, CardError
from engines.shenzhen.deck_choice import (
    STACK,
    UNREAD,
    Candidates,
    Choice,
    Sight,
    TooManyChoices,
    choices,
    draft,
    likeliest,
)
from engines.shenzhen.fingerprints import (
    PITCH,
    Canvas,
    Corner,
    Fingerprints,
    canvas_of,
    corners_of,
    ink_of,
    likeness,
    sample_corner,
    shipped_fingerprints,
)
from engines.shenzhen.position_text import (
    TopRowUnknown,
    checked,
    position_json,
    with_top_row,
)
from engines.shenzhen.rules import Position, is_stack
from engines.shenzhen.vision import PictureError

_LEAST_LIKE, _LEAST_LEAD = 0.8, 0.03
_POSSIBLE = 0.06
"""Cards whose likeness is within this of the best are candidates where the best is not clear."""
ORDER_NOTE = "the order of cells and foundations is not known from this picture"
_LIT, _DARK = 205.0, 110.0
"""Brightness of a button's face, in its brightest channel: 150 to 185 at rest, 230 lit, 60 dark."""


class UnclearBoard(PictureError):
    """A board of which some cards cannot be told, or that does not make up the deck.

    draft: the text of what was read, with ? for cards that are not clear, to be mended by hand.
    """

    def __init__(self, message: str, draft: str):
        super().__init__(message)
        self.draft = draft


@dataclass(frozen=True)
class Reading:
    """What a picture shows.

    position: the board; where the picture does not show the top row, the one that follows from the
        missing cards. Collected stacks lie face down: which of several is which cannot be seen.
    layout: where it is in the picture.
    lit, dark: the dragons whose buttons are lit or dark, as seen.
    order_known: whether each card of the top row is in its own place; where the row was worked out
        from the missing cards, some order of the cells and of the foundations is taken.
    """

    position: Position
    layout: Layout
    lit: tuple[int, ...]
    dark: tuple[int, ...]
    order_known: bool = True

    def as_json(self) -> dict[str, Any]:
        """The JSON form of the position, with what else was seen; several stacks are each "X"."""
        fields = position_json(self.position)
        if sum(map(is_stack, self.position.cells)) > 1:
            fields["free"] = [
                STACK if is_stack(cell) else name
                for cell, name in zip(self.position.cells, fields["free"], strict=True)
            ]
        return {
            **fields,
            "buttons_lit": [CARD_NAMES[dragon] for dragon in self.lit],
            "buttons_dark": [CARD_NAMES[dragon] for dragon in self.dark],
            "top_row_visible": self.layout.top_row is not None,
            **({} if self.order_known else {"note": ORDER_NOTE}),
        }


def read_board(
    image: np.ndarray, fingerprints: Fingerprints | None = None, top_row: str | None = None
) -> Reading:
    """Reads a picture, uint8[height, width, 3] in BGR.

    fingerprints: of other art than the game's own. top_row: seven words for a picture without it.
    Raises PictureError where no board is found, UnclearBoard where it cannot be read for certain,
    TopRowUnknown where the top row is not shown and does not follow.
    """
    table = fingerprints or shipped_fingerprints()
    layout = find_layout(image)
    canvas = canvas_of(image, layout)
    columns = tuple(
        tuple(_candidates(corner, table) for corner in column)
        for column in corners_of(canvas, layout)
    )
    if layout.top_row is None:
        sight = Sight(columns)
        position = _only_position(
            sight, lambda choice: _still(with_top_row(choice.columns, top_row))
        )
        orders = len(set(position.cells)) + len(set(position.foundations))
        return Reading(position, layout, (), (), orders == 2 or top_row is not None)
    if top_row is not None:
        raise DealError("a top row was given, but the picture shows it")
    lit, dark = _buttons(canvas)
    sight = Sight(
        columns,
        tuple(_top_place(canvas, table, column) for column in cell_columns()),
        _top_place(canvas, table, FLOWER_SHIFT) == (FLOWER,),
        tuple(_top_place(canvas, table, column) for column in foundation_columns()),
    )
    return Reading(_only_position(sight, lambda choice: _at_rest(choice, dark)), layout, lit, dark)


def _at_rest(choice: Choice, dark: tuple[int, ...]) -> Position:
    """The position of a choice, if the game can show it with these buttons dark."""
    if choice.cells.count(STACK) != len(dark):
        raise DealError(
            f"{choice.cells.count(STACK)} cells seem to hold collected dragons, but "
            f"{len(dark)} dragon buttons are dark"
        )
    if STACK in choice.foundations:
        raise DealError("a foundation holds what is no card")
    position = checked(choice.columns, choice.cells, choice.flower, choice.foundations)
    if {cell for cell in position.cells if is_stack(cell)} != {4 * dragon for dragon in dark}:
        raise DealError("the dragons that are nowhere are not those whose buttons are dark")
    return _still(position)


def _still(position: Position) -> Position:
    """The position, if no card goes up by itself; raises DealError."""
    if position.settled() != position:
        raise DealError("a card is about to go up by itself: take the picture when all is still")
    return position


def _only_position(sight: Sight, make: Callable[[Choice], Position]) -> Position:
    """The one position that the candidates allow; raises UnclearBoard or TopRowUnknown."""
    unclear = draft(sight).count(UNREAD)
    found: list[Position] = []
    unknown: TopRowUnknown | None = None
    try:
        for choice in choices(sight):
            try:
                position = make(choice)
            except TopRowUnknown as error:
                unknown = error
                continue
            except (CardError, DealError):
                continue
            found.append(position)
            if len(found) > 1:
                break
    except TooManyChoices:
        message = f"{unclear} cards are not clear, too many to try what fits"
        raise UnclearBoard(message, draft(sight)) from None
    if unknown and not found and all(len(place) == 1 for c in sight.columns for place in c):
        raise unknown
    if len(found) == 1 and unknown is None:
        return found[0]
    if found or unknown:
        raise UnclearBoard(f"{unclear} cards are not clear, and several fit", draft(sight))
    try:
        make(likeliest(sight))
    except (CardError, DealError) as error:
        raise UnclearBoard(f"the board as read cannot be: {error}", draft(sight)) from None
    raise UnclearBoard(f"{unclear} cards are not clear", draft(sight))


def _candidates(corner: Corner, table: Fingerprints) -> Candidates:
    """The cards that a corner may be, the likeliest first; one where it is clear."""
    likes = sorted(
        ((likeness(corner, table[card]), card) for card in table if ink_of(card) in corner.inks),
        reverse=True,
    )
    best = likes[0][0]
    clear = best >= _LEAST_LIKE and best - likes[1][0] >= _LEAST_LEAD and len(corner.inks) == 1
    if clear:
        return (likes[0][1],)
    return tuple(card for like, card in likes if best - like < _POSSIBLE)


def _top_place(canvas: Canvas, table: Fingerprints, column: float) -> Candidates:
    """What a place of the top row holds: EMPTY, a card, or STACK for collected dragons."""
    y = round(canvas.top - TOP_ROW_RISE * PITCH)
    x = round(canvas.left + column * PITCH)
    inset = round(0.08 * PITCH)
    place = canvas.pixels[
        max(0, y + inset) : y + round(CARD_HEIGHT * PITCH) - inset,
        x + inset : x + round(CARD_WIDTH * PITCH) - inset,
    ]
    if felt_mask(place).mean() > FELT_SHARE:
        return (EMPTY,)
    corner = sample_corner(canvas, column, -TOP_ROW_RISE)
    likes = [likeness(corner, table[card]) for card in table if ink_of(card) in corner.inks]
    if not likes or max(likes) < _LEAST_LIKE:
        return (STACK,)
    return _candidates(corner, table)


def _buttons(canvas: Canvas) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The dragons whose buttons are lit, and those whose buttons are dark."""
    lit, dark = [], []
    for dragon, rise in zip(DRAGONS, BUTTON_RISES, strict=True):
        x = canvas.left + BUTTON_SHIFT * PITCH
        y = canvas.top + (rise - TOP_ROW_RISE) * PITCH
        reach = BUTTON_RADIUS * PITCH
        face = canvas.pixels[
            max(0, round(y - reach)) : round(y + reach), round(x - reach) : round(x + reach)
        ]
        rows, columns = np.indices(face.shape[:2])
        middle = (np.array(face.shape[:2]) - 1) / 2
        distance = np.hypot(rows - middle[0], columns - middle[1]) / reach
        ring = face[(distance > 0.6) & (distance < 0.9)]
        brightness = float(np.median(ring.max(axis=1)))
        if brightness > _LIT:
            lit.append(dragon)
        elif brightness < _DARK:
            dark.append(dragon)
    return tuple(lit), tuple(dark)
