"""The game with an open talon, compiled: which states are lost even there.

In it each talon card can be had at any time, as with draw 1 and unlimited redeals. What is lost
there is lost in the game itself (SOUNDNESS.md, section 9), and far fewer states decide it.
"""

import numpy as np

from engines.kernel import kernel
from engines.klondike.layer_kernel import MERGED_TALON, rise
from engines.klondike.step_kernel import expand
from engines.klondike.verdict_table_kernel import known_verdict, note_verdict
from engines.klondike.workspace_kernel import (
    DEPTH_LIMIT,
    LOCKED_SHIFT,
    LOST,
    NEXT,
    OPEN_NODES,
    OPEN_STACK_FULL,
    OPEN_STATES,
    OPEN_TABLE_FULL,
    PAUSED,
    REDEALS_SHIFT,
    UNLIMITED,
    WON,
    key_of,
    layer_facts_of,
    locked_number_of,
    none_face_down,
)


@kernel
def win_with_open_talon(space, layer, rest, until, rules):
    """LOST if a state cannot be won even if each talon card could be had at any time.

    Else WON, also if that is not decided when `until` states have been explored with an open talon
    in all, or which part of the workspace is too small.
    """
    counters, stack, table = space.counters, space.open_stack, space.open_table
    rules |= MERGED_TALON
    talon, locked = layer & 0xFFFFFF, layer >> LOCKED_SHIFT & 0xFFFFFFF
    facts, _ = layer_facts_of(space.deal, locked, talon, True)
    risen = rise(rest & 0xFFFF, facts, rules)
    root = key_of(locked_number_of(locked), talon, risen, 0, UNLIMITED, rules)
    stack[0, 0] = talon | locked << LOCKED_SHIFT | np.int64(UNLIMITED) << REDEALS_SHIFT
    stack[0, 1] = risen
    stack[0, 2] = np.int64(root)
    top, won = np.int64(1), False
    while top:
        top -= 1
        layer, rest, key = stack[top, 0], stack[top, 1], np.uint64(stack[top, 2])
        if rest < 0:
            counters[OPEN_STATES] += note_verdict(table, key, 0)
            continue
        known = known_verdict(table, key)
        if known == 0:
            continue
        if (
            known == 1
            or counters[OPEN_NODES] >= until
            or none_face_down(layer >> LOCKED_SHIFT & 0xFFFFFFF)
        ):
            won = True
            break
        if counters[OPEN_STATES] * 2 + 2 * DEPTH_LIMIT > table.shape[0]:
            return OPEN_TABLE_FULL
        counters[OPEN_NODES] += 1
        status = expand(space, layer, rest, True, rules)
        if status != PAUSED:
            return status
        if top + counters[NEXT] + 1 > stack.shape[0]:
            return OPEN_STACK_FULL
        stack[top, 1] = np.int64(-1)
        top += 1
        for index in range(counters[NEXT]):
            stack[top, 0] = np.int64(space.next_states[index, 2])
            stack[top, 1] = np.int64(space.next_states[index, 3])
            stack[top, 2] = np.int64(space.next_states[index, 0])
            top += 1
    if not won:
        return LOST
    if counters[OPEN_NODES] < until:
        for index in range(top):
            if stack[index, 1] < 0:
                counters[OPEN_STATES] += note_verdict(table, np.uint64(stack[index, 2]), 1)
    counters[OPEN_STATES] += note_verdict(table, root, 1)
    return WON
