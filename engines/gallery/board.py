"""From positions of the plain rules to boards of the kernels."""

import numpy as np

from engines.gallery import play_kernel as core
from engines.gallery.deal import PLACES, ROWS, STOCK_SIZE
from engines.gallery.rules import STEP, Position, in_place


def board_of(position: Position) -> core.Board:
    """The board of a position. Where the stock is hidden, its cards must be in sorted order."""
    words = np.zeros(core.WORDS, np.uint64)
    where = np.zeros(core.CARDS, np.int64)
    under = np.full(core.CARDS, core.NO_CARD, np.int64)
    stock = np.zeros(STOCK_SIZE, np.int64)
    seen = [0] * 52
    sets = {core.READY: [0, 0], core.PLACED: [0, 0], core.STOCK: [0, 0]}

    def number(card: int, kind: int | None) -> int:
        copy = seen[card]
        seen[card] += 1
        if kind is not None:
            sets[kind][copy] |= 1 << card
        return 64 * copy + card

    empty, misplaced = [0] * ROWS, [0] * ROWS
    takers: list[int] = []  # the cards that places of the gallery take, but for empty places
    for place, cards in enumerate(position.gallery):
        if not cards:
            empty[place // PLACES] += 1
        elif in_place(place, cards):
            for card in cards:
                number(card, core.PLACED)
            takers.append(cards[-1] + 4 * STEP)
        else:
            where[number(cards[0], core.READY)] = place
            misplaced[place // PLACES] += 1
    tops = []
    for pile, cards in enumerate(position.tableau):
        below = core.NO_CARD
        for card in cards:
            each = number(card, None)
            under[each], where[each] = below, core.GALLERY_PLACES + pile
            below = each
        tops.append(below)
        if below != core.NO_CARD:
            sets[core.READY][below >> 6] |= 1 << (below & 63)
    for index, card in enumerate(reversed(position.stock)):
        stock[index] = number(card, core.STOCK)
    for kind, copies in sets.items():
        words[kind], words[kind + 1] = copies
    words[core.OPEN] = sum(
        15 << (core.FIRST_BASE + 4 * row) for row in range(ROWS) if empty[row]
    ) | sum(1 << card for card in set(takers) if card < core.FULL)
    words[core.OPEN_TWICE] = sum(
        1 << card for card in set(takers) if card < core.FULL and takers.count(card) > 1
    )
    words[core.EMPTY] = sum(count << 8 * row for row, count in enumerate(empty))
    words[core.MISPLACED] = sum(count << 8 * row for row, count in enumerate(misplaced))
    words[core.TOPS] = sum(top << 8 * pile for pile, top in enumerate(tops))
    words[core.LEFT] = len(position.stock)
    return core.Board(words, where, under, stock)
