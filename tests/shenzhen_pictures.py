"""Pictures of boards for tests: painted in an art of our own, or composed of real patches.

Both draw at the game's own size, a pitch of 152 pixels.
"""

import json
from pathlib import Path

import cv2
import numpy as np

from engines.shenzhen.board_layout import BUTTON_RISES, BUTTON_SHIFT, FLOWER_SHIFT
from engines.shenzhen.deal import CARD_NAMES, DRAGONS, EMPTY, FLOWER, is_number, suit_of
from engines.shenzhen.fingerprints import ink_of
from engines.shenzhen.position_text import parse_position
from engines.shenzhen.rules import Position, is_stack

ORACLES = Path(__file__).parents[2] / "shared" / "oracles" / "shenzhen"
PITCH, STRIP, WIDTH, HEIGHT = 152, 31, 121, 232
TOP_ROW = 264
"""From the tops of the columns up to the top row."""
FELT_LEFT, FELT_TOP = 47, 18
BOARD_LEFT, BOARD_TOP = 110, 330
"""Where the first column starts in pictures made here."""
SIZE = (1000, 1440)
INKS = {"red": (25, 40, 183), "green": (85, 120, 20), "black": (5, 5, 5)}
DRAGON_SIGNS = {-1: "M", -2: "K", -3: "U"}


def truths():
    """The real pictures' positions, by name."""
    boards = json.loads((ORACLES / "boards.json").read_text())["boards"]
    return {name: (parse_position(json.dumps(board)), board) for name, board in boards.items()}


def real_picture(name):
    return cv2.imread(str(ORACLES / "screens" / name))


def scaled(image, factor):
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return cv2.resize(image, None, fx=factor, fy=factor, interpolation=how)


def as_jpeg(image, quality):
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return cv2.imdecode(data, cv2.IMREAD_COLOR)


def lit_and_dark(position):
    legal = {move.source for move in position.legal_moves() if move.kind == "collect dragons"}
    dark = {cell // 4 for cell in position.cells if is_stack(cell)}
    return legal, dark


class Artist:
    """Puts cards, given as pixels, into their places; the art is that of its subclass."""

    def picture(self, position, size=SIZE):
        image = self.table(size)
        for column, cards in enumerate(position.columns):
            for row, card in enumerate(cards):
                self.put(image, self.card(card), column, row * STRIP)
        for cell, card in enumerate(position.cells):
            if is_stack(card):
                self.put(image, self.stack(), cell, -TOP_ROW)
            elif card != EMPTY:
                self.put(image, self.card(card), cell, -TOP_ROW)
        if position.flower:
            self.put(image, self.card(FLOWER), FLOWER_SHIFT, -TOP_ROW)
        for place, card in enumerate(position.foundations):
            if card != EMPTY:
                self.put(image, self.card(card), 5 + place, -TOP_ROW)
        lit, dark = lit_and_dark(position)
        for dragon, rise in zip(DRAGONS, BUTTON_RISES, strict=True):
            state = "lit" if dragon in lit else "dark" if dragon in dark else "rest"
            centre = (
                round(BOARD_LEFT + BUTTON_SHIFT * PITCH),
                round(BOARD_TOP - TOP_ROW + rise * PITCH),
            )
            self.button(image, dragon, state, centre)
        return image

    def put(self, image, pixels, column, down):
        x, y = round(BOARD_LEFT + column * PITCH), BOARD_TOP + down
        shown = pixels[: image.shape[0] - y]
        image[y : y + len(shown), x : x + pixels.shape[1]] = shown


class Painter(Artist):
    """An art of our own: letters of one of OpenCV's fonts as ranks and signs."""

    def __init__(self, font=cv2.FONT_HERSHEY_DUPLEX):
        self.font = font

    def table(self, size):
        image = np.full((*size, 3), (90, 80, 70), np.uint8)
        image[:200, size[1] // 2 :] = 230  # a bright sky beside the felt
        left, top = BOARD_LEFT - FELT_LEFT, BOARD_TOP - TOP_ROW - FELT_TOP
        image[top : top + 804, left : left + 1279] = (50, 75, 5)
        return image

    def card(self, card):
        grey = np.linspace(182, 238, HEIGHT)[:, None, None]
        pixels = np.repeat(np.repeat(grey, WIDTH, axis=1), 3, axis=2).astype(np.uint8)
        pixels[0], pixels[-1] = 235, 150
        ink = INKS[ink_of(card)]
        sign = CARD_NAMES[card][1] if is_number(card) else DRAGON_SIGNS.get(card, "&")
        cv2.putText(pixels, sign, (8, 27), self.font, 0.62, ink, 2, cv2.LINE_AA)
        if is_number(card):
            cv2.circle(pixels, (16 + 3 * suit_of(card), 38), 7, ink, 2, cv2.LINE_AA)
        if card == FLOWER:
            cv2.line(pixels, (10, 29), (24, 29), INKS["green"], 2)
        cv2.putText(pixels, sign, (40, 140), self.font, 2.0, ink, 3, cv2.LINE_AA)
        return pixels

    def stack(self):
        pixels = np.full((HEIGHT, WIDTH, 3), (90, 150, 190), np.uint8)
        pixels[8:-8:6, 8:-8] = (120, 90, 30)
        return pixels

    def button(self, image, dragon, state, centre):
        face = {"lit": (147, 206, 231), "dark": (51, 61, 58), "rest": (109, 153, 178)}[state]
        cv2.circle(image, centre, 34, face, -1)
        cv2.circle(image, centre, 36, (30, 40, 30), 3)
        ink = INKS[ink_of(dragon)]
        origin = (centre[0] - 8, centre[1] + 8)
        cv2.putText(image, DRAGON_SIGNS[dragon], origin, self.font, 0.7, ink, 2)


class Composer(Artist):
    """The game's own art: strips, card bodies, stack and buttons cut from real pictures."""

    def __init__(self):
        self.strips, self.buttons = {}, {}
        for name, (position, board) in truths().items():
            image, (left, top) = real_picture(name), CORNERS.get(name, (None, None))
            if left is None:
                continue
            for column, cards in enumerate(position.columns):
                x = left + column * PITCH
                for row, card in enumerate(cards[:-1]):
                    y = top + row * STRIP
                    self.strips.setdefault(card, image[y : y + STRIP, x : x + WIDTH])
                y = top + (len(cards) - 1) * STRIP
                self.strips.setdefault(cards[-1], image[y : y + STRIP, x : x + WIDTH])
                self.body = image[y + STRIP : y + HEIGHT, x : x + WIDTH]
            if name == "board06.jpg":
                self.back = image[top - TOP_ROW : top - TOP_ROW + HEIGHT, left : left + WIDTH]
            for dragon, rise in zip(DRAGONS, BUTTON_RISES, strict=True):
                state = "rest"
                for word in ("lit", "dark"):
                    if CARD_NAMES[dragon] in board[f"buttons_{word}"]:
                        state = word
                x, y = round(left + BUTTON_SHIFT * PITCH), round(top - TOP_ROW + rise * PITCH)
                self.buttons.setdefault(state, image[y - 36 : y + 36, x - 36 : x + 36])
        self.felt = real_picture("board05.jpg")[940:1060, 690:1900]

    def table(self, size):
        image = np.full((*size, 3), (90, 80, 70), np.uint8)
        left, top = BOARD_LEFT - FELT_LEFT, BOARD_TOP - TOP_ROW - FELT_TOP
        tile = np.tile(self.felt, (7, 2, 1))
        image[top : top + 804, left : left + 1279] = tile[:804, :1279]
        return image

    def card(self, card):
        return np.vstack([self.strips[card], self.body])

    def stack(self):
        return self.back

    def button(self, image, dragon, state, centre):
        x, y = centre
        image[y - 36 : y + 36, x - 36 : x + 36] = self.buttons[state]


CORNERS = {
    "board01.png": (93, 284),
    "board02.png": (93, 284),
    "board03.png": (403, 389),
    "board04.jpg": (723, 569),
    "board05.jpg": (723, 569),
    "board06.jpg": (723, 569),
    "board07.jpg": (723, 569),
    "board09.png": (163, 299),
}
"""The corner of the first column in the pictures of the game's own size."""


def played(deal, moves, choices):
    """A position some random moves after a deal."""
    position = Position.start(deal)
    for _ in range(moves):
        legal = list(position.legal_moves())
        if not legal:
            break
        position = position.apply(choices.choice(legal))
    return position


def along(position, moves, count):
    """The position after the first moves of a line."""
    for move in moves[:count]:
        position = position.apply(move)
    return position
