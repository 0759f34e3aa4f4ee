"""The game with a free talon, compiled: which states cannot be won even there.

In it the cards of the talon need no place: each lies open beside the tableau, goes up when it is
next, comes back at will, and one card at a time may lie on it. What cannot be won there cannot be
won in the game itself (SOUNDNESS.md, section 7). A state is (locked, heights) alone, so there are
few, and each is decided once.
"""

from typing import NamedTuple

import numpy as np

from engines.bits import lowest
from engines.kernel import inline, kernel
from engines.klondike.layer_kernel import (
    EVERY_CARD,
    HEAD,
    HEIGHT_UNIT,
    KINGS,
    NO_CARD,
    WORRYING_BACK,
    Layer,
    face_down_and_heads,
    flood,
    rise,
)
from engines.klondike.verdict_table_kernel import known_verdict, note_verdict

# FreeTalon.counters.
FREE_STATES, FREE_FULL = range(2)

_HEIGHTS_SHIFT, _OPEN_SHIFT = 28, 44


class FreeTalon(NamedTuple):
    """The memory of the game with a free talon.

    cards: uint64[1], the talon as a set. table: of verdicts (verdict_table_kernel.py). stack:
    int64[n], states to look at and, with a bit set, those whose successors are above them.
    layer: where heights are found. counters: int64[2].
    """

    cards: np.ndarray
    table: np.ndarray
    stack: np.ndarray
    layer: Layer
    counters: np.ndarray


@inline
def free_talon_key(locked, heights):
    """A number for each state, never 0."""
    return np.uint64((locked | heights << _HEIGHTS_SHIFT) + 1)


@kernel
def _note(free, entry, won):
    """Notes a verdict; where there is no room for it, says so in the counters."""
    if free.counters[FREE_STATES] * 2 > free.table.shape[0]:
        free.counters[FREE_FULL] = 1
        return
    key = free_talon_key(entry & 0xFFFFFFF, entry >> _HEIGHTS_SHIFT & 0xFFFF)
    free.counters[FREE_STATES] += note_verdict(free.table, key, won)


@kernel
def decide(free, deal, locked, heights, rules):
    """Whether a state can be won with a free talon (1 or 0).

    1, too, where memory is short, which the counters then say.
    deal: see FACE_DOWN and HEAD of layer_kernel.
    """
    rules |= WORRYING_BACK
    stack = free.stack
    asked = locked | heights << _HEIGHTS_SHIFT
    stack[0] = asked
    top = np.int64(1)
    won = np.int64(0)
    while top and not won:
        if free.counters[FREE_FULL]:
            return np.int64(1)
        top -= 1
        entry = stack[top]
        if entry >> _OPEN_SHIFT:
            _note(free, entry, 0)
            continue
        locked, heights = entry & 0xFFFFFFF, entry >> _HEIGHTS_SHIFT
        face_down, head_cards, heads = face_down_and_heads(deal, locked)
        facts = (EVERY_CARD & ~face_down, head_cards, heads, free.cards[0], NO_CARD)
        heights = rise(heights, facts, rules)
        known = known_verdict(free.table, free_talon_key(locked, heights))
        if known == 0:
            continue
        entry = locked | heights << _HEIGHTS_SHIFT
        if known == 1 or face_down == NO_CARD:
            won = np.int64(1)
            _note(free, entry, 1)
        else:
            stack[top] = entry | np.int64(1) << _OPEN_SHIFT
            count, _ = flood(free.layer, heights, facts, rules)
            if top + 1 + 14 * count > stack.shape[0]:
                free.counters[FREE_FULL] = 1
                return np.int64(1)
            top = _push_successors(free, deal, locked, count, top + 1)
    for place in range(top):
        if stack[place] >> _OPEN_SHIFT:
            _note(free, stack[place], 1)
    _note(free, asked, won)
    return won


@kernel
def _push_successors(free, deal, locked, number, top):
    """Puts on the stack what the steps of all heads lead to."""
    found, options = free.layer.found, free.layer.options
    for column in range(7):
        count = locked >> 4 * column & 15
        if count == 0:
            continue
        card = deal[HEAD, 9 * column + count]
        left = count - 1
        if left == 1 and deal[HEAD, 9 * column + 1] & KINGS:
            left = np.int64(0)
        after = locked - ((count - left) << 4 * column)
        for index in range(number):
            if options[index, 0] & card:
                free.stack[top] = after | found[index] << _HEIGHTS_SHIFT
                top += 1
            if options[index, 1] & card:
                higher = found[index] + HEIGHT_UNIT[lowest(card)]
                free.stack[top] = after | higher << _HEIGHTS_SHIFT
                top += 1
    return top
