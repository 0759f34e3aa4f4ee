"""What the corners of cards look like: a small table of fingerprints, and how it is measured.

The corner of a card, its rank or sign with the upper edge of what is under it, is sampled on a grid
of 16 x 16 and written as the amount of ink there, 0 to 15. The table holds one such fingerprint for
each of the 31 different cards; a card's colour of ink is not in it but known from the game: coins,
red dragons and the flower are red, bamboo and green dragons green, the others black.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from engines.shenzhen.board_layout import (
    FLOWER_SHIFT,
    STRIP,
    TOP_ROW_RISE,
    Layout,
    cell_columns,
    find_layout,
    foundation_columns,
)
from engines.shenzhen.deal import (
    CARD_NAMES,
    DECK,
    EMPTY,
    FLOWER,
    CardError,
    is_number,
    parse_card,
    suit_of,
)
from engines.shenzhen.position_text import with_top_row
from engines.shenzhen.rules import Position, is_stack
from engines.shenzhen.vision import PictureError, image_library

GRID = 16
SHIFT = 3
"""How many squares of the grid a corner may lie off its place, each way."""
MOST_INK = 15
PITCH = 152.0
"""Boards are brought to this pitch, that of the game at its own size, to sample corners."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 0.043, 0.195, 0.043, 0.196
"""The corner of a card in pitches, from the card's own corner."""
_PAPER_PERCENTILE = 85
_LEAST_ALIKE = 0.5
"""Of a card in other art and the card it is taken for."""
_VERSION = 1

RED, GREEN, BLACK = "red", "green", "black"
_SUIT_INKS = (RED, GREEN, BLACK)
_RED_BELOW, _GREEN_ABOVE, _BLACK_WITHIN = -0.2, 0.18, 0.1


class FingerprintError(ValueError):
    """Text that is no table of fingerprints."""


Fingerprints = Mapping[int, np.ndarray]
"""float32[16, 16] for each card."""


@dataclass(frozen=True)
class Corner:
    """What was sampled of a corner.

    ink: float32[GRID + 2 * SHIFT] twice, the amount of ink with a margin around.
    redness: of the ink, (red - green) / (red + green) in what it takes from the paper: about -0.6
        in red ink, 0.3 in green, 0 in black.
    """

    ink: np.ndarray
    redness: float

    @property
    def inks(self) -> tuple[str, ...]:
        """The colours that the ink may have: one, or two where it is between them."""
        if self.redness < _RED_BELOW:
            return (RED,)
        if self.redness > _GREEN_ABOVE:
            return (GREEN,)
        if abs(self.redness) <= _BLACK_WITHIN:
            return (BLACK,)
        return (RED, BLACK) if self.redness < 0 else (GREEN, BLACK)


@dataclass(frozen=True)
class Canvas:
    """A board brought to PITCH: its pixels, float32[h, w, 3], and where its first column starts."""

    pixels: np.ndarray
    left: float
    top: float


def ink_of(card: int) -> str:
    """The colour of a card's ink in its corner."""
    if is_number(card):
        return _SUIT_INKS[suit_of(card)]
    return RED if card == FLOWER else _SUIT_INKS[-card - 1]


def canvas_of(image: np.ndarray, layout: Layout) -> Canvas:
    """The part of a picture with the board, at the pitch at which corners are sampled."""
    cv2 = image_library()
    pitch = layout.pitch
    upper = layout.top if layout.top_row is None else layout.top_row
    left, top = (max(0, int(edge)) for edge in (layout.left - 0.3 * pitch, upper - 0.2 * pitch))
    right, bottom = int(layout.column_left(8.2)), int(layout.card_top(max(layout.heights)) + pitch)
    part = image[top:bottom, left:right]
    factor = PITCH / pitch
    size = (round(part.shape[1] * factor), round(part.shape[0] * factor))
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    pixels = cv2.resize(part, size, interpolation=how).astype(np.float32)
    return Canvas(pixels, (layout.left - left) * factor, (layout.top - top) * factor)


def sample_corner(canvas: Canvas, left: float, top: float) -> Corner:
    """The corner of a card whose own corner is so many pitches from that of the first column."""
    cv2 = image_library()
    size = (_RIGHT - _LEFT) * PITCH * (GRID + 2 * SHIFT) / GRID
    middle = (
        canvas.left + (left + (_LEFT + _RIGHT) / 2) * PITCH,
        canvas.top + (top + (_TOP + _BOTTOM) / 2) * PITCH,
    )
    patch = cv2.getRectSubPix(canvas.pixels, (round(size), round(size)), middle)
    side = GRID + 2 * SHIFT
    patch = cv2.resize(patch, (side, side), interpolation=cv2.INTER_AREA)
    paper = np.percentile(patch.reshape(-1, 3), _PAPER_PERCENTILE, axis=0)
    ink = np.clip(paper - patch, 0, None)
    _, green, red = ink[SHIFT:-SHIFT, SHIFT:-SHIFT].reshape(-1, 3).sum(axis=0)
    return Corner(ink.sum(axis=2).astype(np.float32), float((red - green) / (red + green + 1)))


def likeness(corner: Corner, fingerprint: np.ndarray) -> float:
    """The correlation of a corner's ink with a fingerprint, at the shift where it is best."""
    cv2 = image_library()
    return float(cv2.matchTemplate(corner.ink, fingerprint, cv2.TM_CCOEFF_NORMED).max())


def corners_of(canvas: Canvas, layout: Layout) -> list[list[Corner]]:
    """The corners of the cards in each column."""
    return [
        [sample_corner(canvas, float(column), row * STRIP) for row in range(height)]
        for column, height in enumerate(layout.heights)
    ]


def _shown(canvas: Canvas, layout: Layout, position: Position) -> list[tuple[int, Corner]]:
    """The cards of a position that a picture shows, with their corners."""
    shown = [
        (card, corner)
        for column, corners in zip(position.columns, corners_of(canvas, layout), strict=True)
        for card, corner in zip(column, corners, strict=True)
    ]
    if layout.top_row is None:
        return shown
    places = [*zip(cell_columns(), position.cells, strict=True)]
    places += zip(foundation_columns(), position.foundations, strict=True)
    if position.flower:
        places.append((FLOWER_SHIFT, FLOWER))
    return shown + [
        (card, sample_corner(canvas, column, -TOP_ROW_RISE))
        for column, card in places
        if card != EMPTY and not is_stack(card)
    ]


def calibrate(pictures: Iterable[tuple[np.ndarray, Position]]) -> Fingerprints:
    """The fingerprints of the cards in pictures of which it is known what they show.

    Raises PictureError where a picture does not have the columns of its position, or where no
    picture shows a card.
    """
    seen: dict[int, list[np.ndarray]] = {}
    for image, position in pictures:
        layout = find_layout(image)
        heights = tuple(map(len, position.columns))
        if heights != layout.heights:
            raise PictureError(
                f"the board given has columns of {_list(heights)} cards, the picture of "
                f"{_list(layout.heights)}"
            )
        for card, corner in _shown(canvas_of(image, layout), layout, position):
            seen.setdefault(card, []).append(corner.ink[SHIFT:-SHIFT, SHIFT:-SHIFT])
    if missing := [name for card, name in CARD_NAMES.items() if card not in seen]:
        raise PictureError(f"no picture shows {' '.join(missing)}: take another fresh deal")
    return {card: _quantised(np.mean(seen[card], axis=0)) for card in CARD_NAMES}


def guess_deal(image: np.ndarray, known: Fingerprints) -> Position:
    """The board of a fresh deal in other art: the cards that are together most like those known.

    Raises PictureError where the cards in the columns do not make up a deal after its automatic
    moves, or are too unlike those known.
    """
    layout = find_layout(image)
    corners = [
        corner for column in corners_of(canvas_of(image, layout), layout) for corner in column
    ]
    likes = np.array(
        [
            [likeness(corner, known[card]) if ink_of(card) in corner.inks else -1 for card in DECK]
            for corner in corners
        ]
    )
    from scipy.optimize import linear_sum_assignment  # here, since importing it takes a second

    rows, places = linear_sum_assignment(-likes)
    if likes[rows, places].min() < _LEAST_ALIKE:
        raise PictureError("the cards are too unlike those known: give the board with --board")
    cards = iter([DECK[place] for place in places])
    columns = tuple(tuple(next(cards) for _ in range(height)) for height in layout.heights)
    return with_top_row(columns, None)


def _list(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _quantised(ink: np.ndarray) -> np.ndarray:
    table: np.ndarray = np.round(ink / ink.max() * MOST_INK).astype(np.float32)
    return table


def fingerprints_json(fingerprints: Fingerprints) -> str:
    """The table as text: for each card 16 rows of 16 hexadecimal digits."""
    table = {
        CARD_NAMES[card]: ["".join(f"{int(ink):x}" for ink in row) for row in fingerprints[card]]
        for card in fingerprints
    }
    return json.dumps({"version": _VERSION, "grid": GRID, "cards": table}, indent=1) + "\n"


def parse_fingerprints(text: str) -> Fingerprints:
    """Reads a table; raises FingerprintError saying what is wrong."""
    try:
        fields = json.loads(text)
        if (fields["version"], fields["grid"]) != (_VERSION, GRID):
            raise FingerprintError(f"expected version {_VERSION} and a grid of {GRID}")
        found = {parse_card(name): _parsed(rows) for name, rows in fields["cards"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, CardError) as error:
        raise FingerprintError(f"expected a table of fingerprints, which fails: {error}") from None
    if missing := [name for card, name in CARD_NAMES.items() if card not in found]:
        raise FingerprintError(f"expected a fingerprint of each card, missing {' '.join(missing)}")
    return found


def _parsed(rows: Any) -> np.ndarray:
    table = np.array([[int(digit, 16) for digit in row] for row in rows], np.float32)
    if table.shape != (GRID, GRID) or table.min() == table.max():
        raise FingerprintError(f"expected {GRID} rows of {GRID} digits that are not all the same")
    return table


def shipped_fingerprints() -> Fingerprints:
    """The table that comes with the package, of the game's own art."""
    return parse_fingerprints(
        files("engines.shenzhen").joinpath("fingerprints.json").read_text(encoding="utf-8")
    )
