"""A table of states of an easier game that are decided, compiled: won or lost.

A table is uint64[2**k]: keys, which are never 0 and below 2**63, shifted by one, and in the low bit
whether the state can be won.
"""

import numpy as np

from engines.kernel import inline, kernel
from engines.klondike.layer_kernel import NO_CARD, ONE, scattered


@inline
def _slot_of(table, key):
    """Where a key is in the table, or the empty slot where it belongs."""
    mask = np.uint64(table.shape[0] - 1)
    slot = scattered(key) & mask
    while table[slot] != NO_CARD and table[slot] >> ONE != key:
        slot = (slot + ONE) & mask
    return slot


@inline
def known_verdict(table, key):
    """1 if a state is known to be winnable, 0 if not, -1 if nothing is known."""
    found = table[_slot_of(table, key)]
    return np.int64(-1) if found == NO_CARD else np.int64(found & ONE)


@inline
def note_verdict(table, key, won):
    """Notes a verdict, unless there is one; returns how many states that adds to the table."""
    slot = _slot_of(table, key)
    new = table[slot] == NO_CARD
    if new:
        table[slot] = key << ONE | np.uint64(won)
    return np.int64(new)


@kernel
def rehash_verdicts(table, larger):
    """Copies all verdicts into a larger, empty table."""
    for slot in range(table.shape[0]):
        if table[slot] != NO_CARD:
            larger[_slot_of(larger, table[slot] >> ONE)] = table[slot]
