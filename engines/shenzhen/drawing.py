"""A move drawn on the picture of its board: a frame around the cards, an arrow to where they go."""

from collections.abc import Iterable

import numpy as np

from engines.shenzhen.board_layout import (
    BUTTON_RADIUS,
    BUTTON_RISES,
    BUTTON_SHIFT,
    CARD_HEIGHT,
    CARD_WIDTH,
    STRIP,
    Layout,
    cell_columns,
    foundation_columns,
)
from engines.shenzhen.deal import DRAGON_COUNT, DRAGONS, EMPTY, is_number, suit_of
from engines.shenzhen.moves import Move, MoveKind
from engines.shenzhen.rules import Position
from engines.shenzhen.vision import image_library

_TIP = 0.15
"""Length of an arrow's tip, in pitches."""
_COLOUR, _EDGE = (0, 200, 255), (0, 0, 0)

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels."""


def boxes_of(layout: Layout, position: Position, move: Move) -> tuple[list[Box], Box | None]:
    """What a move takes, and where it goes; None where the picture does not show that place.

    Places of the top row that the picture does not show are left out of the first, too.
    """
    after = position.apply(move)
    match move.kind:
        case MoveKind.COLLECT:
            taken = [
                _card(layout, column, len(cards) - 1, 1)
                for column, cards in enumerate(position.columns)
                if cards[-1:] == (move.source,)
            ]
            cells = [cell for cell, card in enumerate(position.cells) if card == move.source]
            taken += _present(_cell(layout, cell) for cell in cells)
            stack = after.cells.index(DRAGON_COUNT * move.source)
            return taken + _present([_button(layout, move.source)]), _cell(layout, stack)
        case MoveKind.FROM_CELL | MoveKind.CELL_UP:
            card, taken = position.cells[move.source], _present([_cell(layout, move.source)])
        case _:
            height = len(position.columns[move.source])
            card = position.columns[move.source][-1]
            taken = [_card(layout, move.source, height - move.count, move.count)]
    if move.kind in (MoveKind.COLUMN_UP, MoveKind.CELL_UP):
        assert is_number(card)
        place = next(
            place
            for place, top in enumerate(after.foundations)
            if top != EMPTY and suit_of(top) == suit_of(card)
        )
        return taken, _top_box(layout, foundation_columns()[place])
    if move.kind is MoveKind.TO_CELL:
        return taken, _cell(layout, move.target)
    return taken, _card(layout, move.target, len(position.columns[move.target]), 1)


def draw_move(image: np.ndarray, layout: Layout, position: Position, move: Move) -> np.ndarray:
    """A copy of the picture with the move drawn on it."""
    cv2 = image_library()
    drawn = image.copy()
    taken, target = boxes_of(layout, position, move)
    thickness = max(2, round(layout.pitch / 40))
    for colour, width in ((_EDGE, thickness + 2), (_COLOUR, thickness)):
        for left, top, right, bottom in (*taken, *_present([target])):
            corners = (round(left), round(top)), (round(right), round(bottom))
            cv2.rectangle(drawn, *corners, colour, width)
        if target is not None:
            for box in taken:
                ends = _middle(box), _middle(target)
                tip = _TIP * layout.pitch / max(1.0, np.hypot(*np.subtract(*ends)))
                cv2.arrowedLine(drawn, *ends, colour, width, cv2.LINE_AA, 0, tip)
    return drawn


def _middle(box: Box) -> tuple[int, int]:
    left, top, right, bottom = box
    return round((left + right) / 2), round(top + min(bottom - top, right - left) / 2)


def _present(boxes: Iterable[Box | None]) -> list[Box]:
    return [box for box in boxes if box is not None]


def _card(layout: Layout, column: int, row: int, count: int) -> Box:
    """Cards of a column from a row on: as many strips, and the rest of the last card."""
    left, top = layout.column_left(column), layout.card_top(row)
    height = CARD_HEIGHT + (count - 1) * STRIP
    return left, top, left + CARD_WIDTH * layout.pitch, top + height * layout.pitch


def _button(layout: Layout, dragon: int) -> Box | None:
    if layout.top_row is None:
        return None
    x = layout.column_left(BUTTON_SHIFT)
    y = layout.top_row + BUTTON_RISES[DRAGONS.index(dragon)] * layout.pitch
    reach = BUTTON_RADIUS * layout.pitch
    return x - reach, y - reach, x + reach, y + reach


def _cell(layout: Layout, cell: int) -> Box | None:
    return _top_box(layout, cell_columns()[cell])


def _top_box(layout: Layout, column: float) -> Box | None:
    if layout.top_row is None:
        return None
    left, top, pitch = layout.column_left(column), layout.top_row, layout.pitch
    return left, top, left + CARD_WIDTH * pitch, top + CARD_HEIGHT * pitch
