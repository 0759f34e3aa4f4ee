"""Where the places of a board are in a picture, at any position and scale.

All lengths are multiples of the column pitch, the distance from one column to the next, measured
on screenshots of the game from 1,210 x 380 to 2,560 x 1,440. A card is 0.796 wide and 1.526 high,
the visible strip of a covered card 0.2039; the felt reaches 0.309 beyond the first and the last
column. Cards are bright and grey and lie on the dark green felt alone, so each column is one bright
rectangle, and its height tells the number of its cards.
"""

from dataclasses import dataclass

import numpy as np

from engines.shenzhen.deal import CELLS, COLUMNS, LONGEST_COLUMN, SUITS
from engines.shenzhen.vision import PictureError, image_library

CARD_WIDTH, CARD_HEIGHT, STRIP = 0.796, 1.526, 0.2039
TOP_ROW_RISE = 1.737
"""From the tops of the columns up to the tops of the cards in the top row."""
FLOWER_SHIFT = 3.737
"""From the first column to the flower's place, which stands between columns."""
FIRST_FOUNDATION = 5
BUTTON_SHIFT, BUTTON_RISES, BUTTON_RADIUS = 3.195, (0.224, 0.774, 1.322), 0.2
"""Centres of the dragon buttons: from the first column, and from the top of the top row."""
FELT_MARGIN, FELT_RISE = 0.309, 0.118
"""From the felt's edge to the first column, and to the top row."""
FELT_WIDTH = COLUMNS - 1 + CARD_WIDTH + 2 * FELT_MARGIN
SMALLEST_PITCH, LARGEST_PITCH = 40.0, 600.0
_PICTURE_SIDE = 8000
_SEARCHED_SIDE = 2000
"""Larger pictures are shrunk before the search."""

_BRIGHT, _GREY = 112, 62
_FILLED = 0.6
FELT_SHARE = 0.85
"""A place of which more than this is felt holds no card."""
_BELOW, _INSET = (0.03, 0.1), 0.1
"""What is looked at below a column, and how much is left out of a card's width on each side."""
_TOLERANCE = 0.06


@dataclass(frozen=True)
class Block:
    """A bright rectangle in pixels: one column, or one card of the top row."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True)
class Layout:
    """The grid of a board in pixels.

    pitch: from column to column. left, top: the corner of the first column.
    top_row: the top of the cards in the top row, None where the picture does not show it.
    heights: the number of cards of each column.
    """

    pitch: float
    left: float
    top: float
    top_row: float | None
    heights: tuple[int, ...]

    def column_left(self, column: float) -> float:
        """The left edge of a column."""
        return self.left + column * self.pitch

    def card_top(self, row: int) -> float:
        """The top edge of a column's card, 0 the deepest."""
        return self.top + row * STRIP * self.pitch


def cell_columns() -> tuple[float, ...]:
    """Above which columns the cells are."""
    return tuple(float(cell) for cell in range(CELLS))


def foundation_columns() -> tuple[float, ...]:
    """Above which columns the foundations are."""
    return tuple(float(FIRST_FOUNDATION + place) for place in range(SUITS))


def _channels(image: np.ndarray) -> tuple[np.ndarray, ...]:
    return tuple(image[..., channel].astype(np.int16) for channel in range(3))


def felt_mask(image: np.ndarray) -> np.ndarray:
    """Whether each pixel has the colour of the felt: dark and green."""
    blue, green, red = _channels(image)
    mask: np.ndarray = (green > red + 12) & (green > blue) & (green < 140)
    return mask


def card_mask(image: np.ndarray) -> np.ndarray:
    """Whether each pixel has the colour of a card without ink: bright and grey."""
    blue, green, red = _channels(image)
    low, high = np.minimum(np.minimum(blue, green), red), np.maximum(np.maximum(blue, green), red)
    mask: np.ndarray = (low > _BRIGHT) & (high - low < _GREY)
    return mask


def find_layout(image: np.ndarray) -> Layout:
    """The grid of the board that a picture shows; raises PictureError saying what was not found."""
    if max(image.shape[:2]) > _PICTURE_SIDE:
        raise PictureError(
            f"expected a picture of at most {_PICTURE_SIDE} pixels a side, got "
            f"{image.shape[1]} x {image.shape[0]}"
        )
    factor = -(-max(image.shape[:2]) // _SEARCHED_SIDE)
    if factor > 1:
        cv2 = image_library()
        size = (image.shape[1] // factor, image.shape[0] // factor)
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    felt = _find_felt(image)
    blocks = _find_blocks(image, felt)
    pitch, left = _columns_grid(blocks, felt, image.shape[1])
    found = _rows_grid(blocks, felt, pitch, left, image.shape[0])
    _check_ends(felt_mask(image[: felt.box[3] - 1]), felt.bottom is not None, found)
    top_row = None if found.top_row is None else found.top_row * factor
    return Layout(pitch * factor, left * factor, found.top * factor, top_row, found.heights)


def _components(mask: np.ndarray) -> np.ndarray:
    """Left, top, width, height and area of each connected part of a mask, in rows."""
    cv2 = image_library()
    found = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=4)
    parts: np.ndarray = found[2][1:]
    return parts


@dataclass(frozen=True)
class _Felt:
    """The felt's box in pixels; an edge is None where the picture ends before the felt does."""

    left: float | None
    top: float | None
    right: float | None
    bottom: float | None
    box: tuple[int, int, int, int]


def _find_felt(image: np.ndarray) -> _Felt:
    height, width = image.shape[:2]
    parts = _components(felt_mask(image))
    if not len(parts):
        raise PictureError("no green felt was found: is this a picture of the game?")
    left, top, across, down, area = (int(value) for value in parts[parts[:, 4].argmax()])
    if across < 6 * SMALLEST_PITCH or area < 0.1 * across * down:
        raise PictureError("no green felt large enough for a board was found")
    right, bottom = left + across, top + down
    edge = max(2, round(0.004 * width))
    return _Felt(
        left if left > edge else None,
        top if top > edge else None,
        right if right < width - edge else None,
        bottom if bottom < height - edge else None,
        (left, top, right, bottom),
    )


def _find_blocks(image: np.ndarray, felt: _Felt) -> list[Block]:
    """The bright rectangles on the felt that have the width of a card."""
    left, top, right, bottom = felt.box
    parts = _components(card_mask(image[top:bottom, left:right]))
    blocks = [
        Block(float(x + left), float(y + top), float(width), float(height))
        for x, y, width, height, area in parts.tolist()
        if width >= SMALLEST_PITCH * CARD_WIDTH * 0.9
        and 1.75 * width < height < 6 * width
        and area > _FILLED * width * height
    ]
    if not blocks:
        raise PictureError(
            "no cards were found on the felt, or they are less than "
            f"{round(SMALLEST_PITCH * CARD_WIDTH)} pixels wide"
        )
    widths = np.array([block.width for block in blocks])
    agreeing = [(abs(widths / width - 1) < _TOLERANCE / 2).sum() for width in widths]
    width = float(np.median(widths[abs(widths / widths[int(np.argmax(agreeing))] - 1) < 0.03]))
    return [block for block in blocks if abs(block.width / width - 1) < _TOLERANCE]


def _columns_grid(blocks: list[Block], felt: _Felt, picture_width: int) -> tuple[float, float]:
    """The pitch and the left edge of the first column."""
    pitch = float(np.median([block.width for block in blocks])) / CARD_WIDTH
    if felt.left is not None and felt.right is not None:
        of_felt = (felt.right - felt.left) / FELT_WIDTH
        if abs(of_felt / pitch - 1) > 0.03:
            raise PictureError("the cards do not have the size that the width of the felt asks for")
        pitch = of_felt
    lefts = np.array([block.left for block in blocks])
    off_grid = [abs((lefts - left) / pitch - np.round((lefts - left) / pitch)) for left in lefts]
    anchor = float(lefts[np.argmax([(off < 0.1).sum() for off in off_grid])])
    for _ in range(2):  # the second time with the pitch that the first gives
        numbers = np.round((lefts - anchor) / pitch)
        off_flower = abs((lefts - anchor) / pitch - numbers) < 0.1  # between columns
        if np.ptp(numbers[off_flower]) >= 1:
            pitch, anchor = np.polyfit(numbers[off_flower], lefts[off_flower], 1)
    places = [
        first
        for first in range(1 - COLUMNS, COLUMNS)
        if -0.05 * pitch <= anchor - first * pitch
        and anchor + (COLUMNS - 1 - first + CARD_WIDTH) * pitch <= picture_width + 0.05 * pitch
        and _goes_with_felt(anchor - first * pitch, pitch, felt)
    ]
    if not places:
        raise PictureError("the eight columns were not found: is the board cut at a side?")
    if len(places) > 1:
        raise PictureError(
            f"the first column was not found: {len(places)} places are possible for it"
        )
    return float(pitch), float(anchor - places[0] * pitch)


def _goes_with_felt(left: float, pitch: float, felt: _Felt) -> bool:
    """Whether the felt's edges, where they are seen, are where they should be."""
    right = left + (COLUMNS - 1 + CARD_WIDTH) * pitch
    off_left = 0.0 if felt.left is None else left - felt.left - FELT_MARGIN * pitch
    off_right = 0.0 if felt.right is None else felt.right - right - FELT_MARGIN * pitch
    return abs(off_left) < 0.15 * pitch and abs(off_right) < 0.15 * pitch


def _rows_grid(
    blocks: list[Block], felt: _Felt, pitch: float, left: float, picture_height: int
) -> Layout:
    top = _top_of_columns(blocks, felt, pitch)
    rise = top - TOP_ROW_RISE * pitch
    if felt.top is not None and abs(rise - felt.top - FELT_RISE * pitch) > 0.1 * pitch:
        raise PictureError("the columns do not start where the felt's upper edge asks for")
    top_row = rise if rise > -0.02 * pitch else None
    heights = [0] * COLUMNS
    for block in blocks:
        if block.top + block.height < top:
            continue  # of the top row, whose places are looked at one by one
        place = (block.left - left) / pitch
        column = round(place)
        if abs(block.top - top) > 0.06 * pitch or abs(place - column) > 0.06:
            raise PictureError(
                f"a card lies off its place at {block.left:.0f}, {block.top:.0f} pixels: "
                "is something moving?"
            )
        count = (block.height / pitch - CARD_HEIGHT) / STRIP + 1
        if abs(count - round(count)) > 0.25 or not 1 <= round(count) <= LONGEST_COLUMN:
            raise PictureError(f"column {column + 1} ends where no card can end: is it cut?")
        if block.top + block.height > picture_height - 1:
            raise PictureError(f"column {column + 1} is cut at the bottom of the picture")
        heights[column] = round(count)
    if not any(heights) and top_row is None:
        raise PictureError("no column with cards was found")
    return Layout(pitch, left, top, top_row, tuple(heights))


def _check_ends(felt: np.ndarray, felt_ends: bool, layout: Layout) -> None:
    """Raises PictureError unless each column ends on felt, and an empty one shows felt alone.

    A column's height is only known where its end is seen: what covers its last cards, be it a
    window or a pointer, would else make it a shorter column.

    felt: mask of the picture down to the felt's lower edge, without its last row, which may be
    blurred. felt_ends: whether the picture goes on below; a column that ends at the picture's edge
    has nothing to look at.
    """
    inset = _INSET * CARD_WIDTH
    for column, height in enumerate(layout.heights):
        left, right = (
            max(0, round(layout.column_left(column + side))) for side in (inset, CARD_WIDTH - inset)
        )
        start = layout.card_top(max(0, height - 1))
        first, last = (CARD_HEIGHT + end for end in _BELOW) if height else (0.0, CARD_HEIGHT)
        top, bottom = (round(start + end * layout.pitch) for end in (first, last))
        shown = felt[top:bottom, left:right]
        if shown.mean() < FELT_SHARE if shown.size else felt_ends:
            raise PictureError(f"something covers column {column + 1}")


def _top_of_columns(blocks: list[Block], felt: _Felt, pitch: float) -> float:
    tops = np.array([block.top for block in blocks])
    if felt.top is not None:
        expected = felt.top + (FELT_RISE + TOP_ROW_RISE) * pitch
        near = tops[abs(tops - expected) < 0.1 * pitch]
        if len(near):
            return float(np.median(near))
        of_top_row = tops[abs(tops - expected + TOP_ROW_RISE * pitch) < 0.1 * pitch]
        if len(of_top_row):
            return float(np.median(of_top_row)) + TOP_ROW_RISE * pitch
        raise PictureError("no card lies where the felt's upper edge asks for")
    lowest = float(tops.max())
    if lowest - tops.min() < 0.1 * pitch:
        # One row of cards: columns, unless all could be single cards of the top row.
        if max(block.height for block in blocks) < (CARD_HEIGHT + STRIP / 2) * pitch:
            raise PictureError("the upper edge of the felt was not found, nor a column of cards")
        return float(np.median(tops))
    return float(np.median(tops[lowest - tops < 0.1 * pitch]))
