"""The memory of the exact search, compiled: the states met, and the queue of those to explore.

A state is a number; its key (board_kernel.py) leads to it by a table. The queue is a list for each
bucket, of which the lowest is emptied first.
"""

from typing import NamedTuple

import numpy as np

from engines.kernel import inline, kernel
from engines.shenzhen.board_kernel import NONE, WON_FIRST, WON_SECOND, WON_SECOND_BITS

BUCKETS = 4096

# Space.counters.
STATES, EXPANDED, ENTRIES, FREE_ENTRY, LOWEST, WIN, CHILDREN, TOUCHED = range(8)
COUNTERS = 8

# Columns of Space.nodes.
PARENT, MOVE, STEPS, CLOSED = range(4)
NODE_FIELDS = 4

# Columns of Space.table, after the two words of a key: the number of its state from 1, 0 where
# empty, and the moves it takes.
SLOT_STATE, SLOT_STEPS = 2, 3
SLOT_WORDS = 4

# How `search` returns.
WON, LOST, PAUSED, STATES_FULL, TABLE_FULL, QUEUE_FULL = range(6)

# Space.weights.
W_STEPS, W_BURIED, W_LEFT, W_CELLS, W_COVER, W_STACKS, W_COLUMNS, W_REOPEN = range(8)
WEIGHTS = 8

MOST_CHILDREN = 128
"""More than the moves of any position: 11 cards to at most 8 places each, parts of runs to one
empty column, and 3 colours to collect are fewer than 128, as a run of n cards leaves n - 1 parts
and there are 27 numbers."""


class Space(NamedTuple):
    """The memory of a search.

    start: int8[2, CARDS], facts of the start. keys: uint64[n, 2]. nodes: int32[n, NODE_FIELDS].
    table: uint64[2**k, SLOT_WORDS], states by the hash of their keys.
    queue: int32[m, 2], state and next entry of the same bucket. buckets: int32[BUCKETS], first
    entries. weights: int64[WEIGHTS]. counters: int64[COUNTERS].
    board, after: int8[BOARD_SIZE], the board expanded, and that of a child whose cards go up.
    scratch: int8[CARDS]. next_cards: int64[8], next numbers of suits in each column of the board.
    end_of: int8[CARDS], the column that a card ends on the board, else NONE.
    dragons: int64[3], exposed dragons of each colour. child: uint64[2], a key.
    child_keys: uint64[MOST_CHILDREN, 2]. children: int64[MOST_CHILDREN, 2], worth and move.
    """

    start: np.ndarray
    keys: np.ndarray
    nodes: np.ndarray
    table: np.ndarray
    queue: np.ndarray
    buckets: np.ndarray
    weights: np.ndarray
    counters: np.ndarray
    board: np.ndarray
    after: np.ndarray
    scratch: np.ndarray
    next_cards: np.ndarray
    end_of: np.ndarray
    dragons: np.ndarray
    child: np.ndarray
    child_keys: np.ndarray
    children: np.ndarray


@inline
def _hash(first, second):
    word = first * np.uint64(0x9E3779B97F4A7C15) ^ second * np.uint64(0xC2B2AE3D27D4EB4F)
    word = (word ^ (word >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return word ^ (word >> np.uint64(32))


@kernel
def rehash(table, larger):
    """Enters all states of a table into a larger, empty one."""
    mask = np.uint64(larger.shape[0] - 1)
    for slot in range(table.shape[0]):
        if table[slot, SLOT_STATE] != np.uint64(0):
            target = _hash(table[slot, 0], table[slot, 1]) & mask
            while larger[target, SLOT_STATE] != np.uint64(0):
                target = (target + np.uint64(1)) & mask
            for word in range(SLOT_WORDS):
                larger[target, word] = table[slot, word]


@inline
def _push(queue, buckets, counters, state, bucket):
    entry = counters[FREE_ENTRY]
    if entry != NONE:
        counters[FREE_ENTRY] = queue[entry, 1]
    else:
        entry = counters[ENTRIES]
        counters[ENTRIES] += 1
    queue[entry, 0] = state
    queue[entry, 1] = buckets[bucket]
    buckets[bucket] = entry
    counters[LOWEST] = min(counters[LOWEST], bucket)


@inline
def pop(queue, buckets, counters, nodes):
    """The state to expand next, NONE where there is none left."""
    found = np.int64(NONE)
    while found == NONE and counters[LOWEST] < BUCKETS:
        entry = np.int64(buckets[counters[LOWEST]])
        if entry == NONE:
            counters[LOWEST] += 1
            continue
        state = np.int64(queue[entry, 0])
        buckets[counters[LOWEST]] = queue[entry, 1]
        queue[entry, 1] = counters[FREE_ENTRY]
        counters[FREE_ENTRY] = entry
        if nodes[state, CLOSED] == 0:
            found = state
    return found


@kernel
def enter_children(
    keys, nodes, table, queue, buckets, weights, counters, child_keys, children, parent
):
    """Takes down the children that are new, or reached in fewer moves.

    A first round over the slots only brings them into the processor's cache, all at a time.
    """
    steps = np.int64(0) if parent == NONE else np.int64(nodes[parent, STEPS]) + 1
    mask = np.uint64(table.shape[0] - 1)
    touched = np.uint64(0)
    for child in range(counters[CHILDREN]):
        touched ^= table[_hash(child_keys[child, 0], child_keys[child, 1]) & mask, SLOT_STATE]
    counters[TOUCHED] = touched
    for child in range(counters[CHILDREN]):
        first, second = child_keys[child, 0], child_keys[child, 1]
        slot = _hash(first, second) & mask
        while table[slot, SLOT_STATE] != np.uint64(0) and (
            table[slot, 0] != first or table[slot, 1] != second
        ):
            slot = (slot + np.uint64(1)) & mask
        state = np.int64(table[slot, SLOT_STATE]) - 1
        if state < 0:
            state = counters[STATES]
            counters[STATES] += 1
            table[slot, 0], table[slot, 1] = first, second
            table[slot, SLOT_STATE] = np.uint64(state + 1)
            keys[state, 0], keys[state, 1] = first, second
        elif np.int64(table[slot, SLOT_STEPS]) <= steps or (
            weights[W_REOPEN] == 0 and nodes[state, CLOSED] == 1
        ):
            continue
        table[slot, SLOT_STEPS] = np.uint64(steps)
        nodes[state, PARENT], nodes[state, MOVE] = parent, children[child, 1]
        nodes[state, STEPS], nodes[state, CLOSED] = steps, 0
        if first == WON_FIRST and second & WON_SECOND_BITS == WON_SECOND:
            counters[WIN] = state
        bucket = min(np.int64(BUCKETS - 1), children[child, 0] + weights[W_STEPS] * steps)
        _push(queue, buckets, counters, state, bucket)
