"""The memory of the exact Klondike search, compiled.

What its entries hold, the keys of states and their places in the table, and what the deal says of
a talon. layer_kernel.py says what a state is.
"""

from typing import NamedTuple

import numpy as np

from engines.bits import lowest, population
from engines.kernel import inline, kernel
from engines.klondike.free_talon_kernel import FreeTalon
from engines.klondike.layer_kernel import (
    EVERY_CARD,
    MERGED_TALON,
    NO_CARD,
    ONE,
    Layer,
    face_down_and_heads,
    height_of,
    scattered,
)

# Rows of Workspace.deal, beside FACE_DOWN and HEAD of layer_kernel.
TALON_BYTES = 2  # three rows: the cards of a talon set, by each byte of the set
TALON_CARD = 5  # by number in the talon of the start
TALON_NUMBER = 6  # by place of a card in a set
DEAL_ROWS = 7

# A stack entry is [layer, rest]. layer, from the low end: talon set (24 bits), locked by column (4
# bits each), waste size (5), redeals left (5). rest: heights (16), talon places to explore (24),
# kind (4) and detail (5) of the step that led there, depth (7).
LOCKED_SHIFT, WASTE_SHIFT, REDEALS_SHIFT = 24, 52, 57
PLACES_SHIFT, KIND_SHIFT, DETAIL_SHIFT, DEPTH_SHIFT = 16, 40, 44, 49
DEPTH_LIMIT = 128
UNLIMITED = 31
"""Redeals left where there is no limit."""

LOCKED_WEIGHT = np.array([1, 2, 6, 24, 120, 720, 5040])

# Workspace.counters.
NODES, STATES, STACK, DEPTH, NEXT, OPEN_NODES, OPEN_STATES = range(7)
COUNTERS = 7

# How `search` returns.
WON, LOST, PAUSED, TABLE_FULL, STACK_FULL, NEXT_FULL, FREE_TABLE_FULL, STEPS_FULL = range(8)
OPEN_TABLE_FULL, OPEN_STACK_FULL = 8, 9


class Workspace(NamedTuple):
    """The memory of a search.

    deal: uint64[DEAL_ROWS, 256], sets of cards of the deal, see the row names.
    reach: int64[2, 25, 25], by talon and waste size the talon places (bits, from the bottom) that
        drawing reaches: [0] before the waste is turned over, [1] after it.
    table: uint64[2**k, 2], states met and, beside each, the talon places explored from it.
    next_states: uint64[n, 4], states next door before they are looked up: key, talon places,
        layer and rest of their stack entries.
    stack: int64[n, 2], entries to explore. path: int64[DEPTH_LIMIT, 2], the entry explored now and
        those that led to it, by depth.
    steps: int64[n, STEP_WORDS], the steps out of the state explored (step_kernel.py).
    runs: uint64[n, 3], runs of talon cards to be made longer.
    layer: the layer explored. free: the game with a free talon.
    open_table: of verdicts with an open talon (verdict_table_kernel.py). open_stack: int64[n, 3],
        layer, rest and key of states to look at there and, with a negative rest, of those whose
        successors are above them.
    counters: int64[COUNTERS].
    """

    deal: np.ndarray
    reach: np.ndarray
    table: np.ndarray
    next_states: np.ndarray
    stack: np.ndarray
    path: np.ndarray
    steps: np.ndarray
    runs: np.ndarray
    layer: Layer
    free: FreeTalon
    open_table: np.ndarray
    open_stack: np.ndarray
    counters: np.ndarray


@inline
def locked_number_of(locked):
    """A number for the locked counts, which are below 2, 3, .. 8, in mixed radix."""
    number = np.int64(0)
    for column in range(7):
        number += LOCKED_WEIGHT[column] * (locked >> 4 * column & 15)
    return np.uint64(number)


@inline
def key_of(locked_number, talon, heights, waste, redeals, rules):
    """A number for each state, never 0 and never the same for two.

    Heights are below 14. With unlimited redeals and MERGED_TALON the waste is left out, for the
    talon places explored are kept beside the key.
    """
    key = locked_number << np.uint64(24) | np.uint64(talon)
    high = height_of(heights, 0) * 14 + height_of(heights, 1)
    low = height_of(heights, 2) * 14 + height_of(heights, 3)
    key = key * np.uint64(14**4) + np.uint64(high * 14**2 + low)
    if redeals != UNLIMITED:
        key = (key * np.uint64(25) + np.uint64(waste)) * np.uint64(25) + np.uint64(redeals)
    elif not rules & MERGED_TALON:
        key = key * np.uint64(25) + np.uint64(waste)
    return key + ONE


@inline
def home_of(table, key):
    """The slot where the search for a key begins."""
    return scattered(key) & np.uint64(table.shape[0] - 1)


@inline
def slot_of(table, key):
    """Where a key is in the table, or the empty slot where it belongs."""
    mask = np.uint64(table.shape[0] - 1)
    slot = home_of(table, key)
    while table[slot, 0] != NO_CARD and table[slot, 0] != key:
        slot = (slot + ONE) & mask
    return slot


@kernel
def rehash(table, larger):
    """Copies all states into a larger, empty table."""
    for slot in range(table.shape[0]):
        if table[slot, 0] != NO_CARD:
            place = slot_of(larger, table[slot, 0])
            larger[place, 0], larger[place, 1] = table[slot, 0], table[slot, 1]


@inline
def none_face_down(locked):
    """Whether no column has more than one locked card."""
    return locked & 0xEEEEEEE == 0


@kernel
def layer_facts_of(deal, locked, talon, any_place):
    """The facts of a layer as for `rise`, and the cards of its talon."""
    talon_cards = (
        deal[TALON_BYTES, talon & 255]
        | deal[TALON_BYTES + 1, talon >> 8 & 255]
        | deal[TALON_BYTES + 2, talon >> 16 & 255]
    )
    face_down, head_cards, heads = face_down_and_heads(deal, locked)
    in_play = EVERY_CARD & ~(face_down | talon_cards)
    at_hand = talon_cards if any_place else NO_CARD
    return (in_play, head_cards, heads, NO_CARD, at_hand), talon_cards


@kernel
def talon_numbers(deal, cards):
    """The numbers in the talon of the start of some of its cards, as bits."""
    numbers = np.int64(0)
    while cards:
        numbers |= np.int64(1) << np.int64(deal[TALON_NUMBER, lowest(cards)])
        cards &= cards - ONE
    return numbers


@inline
def place_in_talon(talon, number):
    """How many cards of the talon are drawn before one, by its number in the talon of the start."""
    return population(np.uint64(talon & ((np.int64(1) << number) - 1)))


@kernel
def places_of(talon, numbers):
    """The places in the talon of some of its cards, as bits."""
    places = np.int64(0)
    while numbers:
        number = lowest(np.uint64(numbers))
        places |= np.int64(1) << place_in_talon(talon, number)
        numbers &= numbers - 1
    return places
