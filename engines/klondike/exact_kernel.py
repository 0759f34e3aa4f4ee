"""The compiled core of the exact Klondike solver: the search, state by state.

layer_kernel.py says what a state is, workspace_kernel.py what is kept of it, step_kernel.py where
its steps lead, and SOUNDNESS.md why the search decides a deal.
"""

import numpy as np

from engines.kernel import kernel
from engines.klondike.layer_kernel import NO_CARD, OPEN_TALON
from engines.klondike.open_talon_kernel import win_with_open_talon
from engines.klondike.step_kernel import expand
from engines.klondike.workspace_kernel import (
    DEPTH,
    DEPTH_SHIFT,
    LOCKED_SHIFT,
    LOST,
    NEXT,
    NODES,
    OPEN_NODES,
    PAUSED,
    PLACES_SHIFT,
    REDEALS_SHIFT,
    STACK,
    STACK_FULL,
    STATES,
    TABLE_FULL,
    UNLIMITED,
    WON,
    none_face_down,
    slot_of,
)

OPEN_START, OPEN_RATE, OPEN_AT_ONCE = 100_000, 300, 1_000_000
"""States explored with an open talon, at most: at first, for each state explored, and for one."""


@kernel
def _settle(table, stack, next_states, count, counters):
    """Puts those of the states next door on the stack that are new or have new talon places.

    That is done for all at once, so that the table's memory has had time to arrive.
    """
    top = counters[STACK]
    for index in range(count):
        key, places = next_states[index, 0], next_states[index, 1]
        slot = slot_of(table, key)
        new = places & ~table[slot, 1]
        if table[slot, 0] == NO_CARD:
            table[slot, 0] = key
            counters[STATES] += 1
        elif new == NO_CARD:
            continue
        table[slot, 1] |= places
        stack[top, 0] = np.int64(next_states[index, 2])
        stack[top, 1] = np.int64(next_states[index, 3]) | np.int64(new) << PLACES_SHIFT
        top += 1
    counters[STACK] = top


@kernel
def search(space, draw, rules, until):
    """Explores entries, last in first out.

    Returns WON, LOST, PAUSED, or which part of the workspace is too small to go on with.

    rules: bits, see WORRYING_BACK. until: pauses when this many entries have been explored. WON
    leaves the entries that led to the win in path[0..DEPTH]; its last state is won by playing cards
    up in order of rank. LOST: every state that can be reached was explored.
    """
    counters, table = space.counters, space.table
    while counters[STACK] > 0:
        if counters[NODES] >= until:
            return PAUSED
        top = counters[STACK] - 1
        layer, rest = space.stack[top, 0], space.stack[top, 1]
        depth = rest >> DEPTH_SHIFT
        space.path[depth, 0], space.path[depth, 1] = layer, rest
        counters[DEPTH] = depth
        any_place = draw == 1 and layer >> REDEALS_SHIFT & 31 == UNLIMITED
        talon_is_open = layer & 0xFFFFFF == 0 or any_place
        if talon_is_open and none_face_down(layer >> LOCKED_SHIFT & 0xFFFFFFF):
            return WON
        status = WON
        if rules & OPEN_TALON and not any_place:
            open_until = min(
                OPEN_START + OPEN_RATE * counters[NODES], counters[OPEN_NODES] + OPEN_AT_ONCE
            )
            status = win_with_open_talon(space, layer, rest, open_until, rules)
            if status > LOST:
                return status
        if status == WON:
            status = expand(space, layer, rest, any_place, rules)
            if status != PAUSED:
                return status
        else:
            counters[NEXT] = 0
        if (counters[STATES] + counters[NEXT]) * 4 > table.shape[0] * 3:
            return TABLE_FULL
        if top + counters[NEXT] > space.stack.shape[0]:
            return STACK_FULL
        counters[NODES] += 1
        counters[STACK] = top
        _settle(table, space.stack, space.next_states, counters[NEXT], counters)
    return LOST
