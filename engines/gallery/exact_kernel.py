"""The compiled core of the exact solver of Gallery with the stock known; see SOUNDNESS.md."""

from typing import NamedTuple

import numpy as np

from engines.bits import lowest
from engines.gallery.play_kernel import (
    BUILD,
    EMPTY,
    FIRST_BASE,
    FIRST_BUILT,
    FULL,
    GALLERY_PLACES,
    LEFT,
    NO_CARD,
    PILES,
    PLACED,
    READY,
    STOCK,
    TOPS,
    bit_of,
    copy_words,
    deal_known,
    dominant_card,
    play,
    playable,
    twin_is_beneath,
)
from engines.kernel import inline, kernel

_ONE, _ZERO, _BYTE = np.uint64(1), np.uint64(0), np.uint64(255)
_BASES = np.uint64(15)
_ALL = np.uint64((1 << FULL) - (1 << FIRST_BASE))
_MIX_0, _MIX_1 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)

WON, LOST, PAUSED, TABLE_FULL = 0, 1, 2, 3
DOMINANCE, TWINS, DEAD = 1, 2, 4
"""The rules of SOUNDNESS.md as bits."""

# Counters.
NODES, DEPTH, STATES = 0, 1, 2
COUNTERS = 3
LONGEST = 106


class Search(NamedTuple):
    """What a search remembers.

    layers: uint64[LONGEST, WORDS], the board of each depth. moves: uint64[LONGEST, 3], the moves
    not yet tried there: playable cards of either copy, and whether a deal. path: int64[LONGEST],
    the card played, or NO_CARD for a deal, that led to each depth. table: uint64[slots, 2], states
    that were met. counters: int64[COUNTERS].
    """

    layers: np.ndarray
    moves: np.ndarray
    path: np.ndarray
    table: np.ndarray
    counters: np.ndarray


@inline
def _is_won(words):
    return words[PLACED] & words[PLACED + 1] == _ALL


@inline
def _hash(low, high):
    word = (low * _MIX_0 ^ (high + _MIX_1) * _MIX_1 ^ (low >> np.uint64(29)) * _MIX_1) * _MIX_0
    return word ^ word >> np.uint64(32)


@kernel
def _is_new(table, words, counters):
    """Whether a state is met for the first time; remembers it."""
    low = words[PLACED] | (words[LEFT] >> np.uint64(3)) << np.uint64(FULL) | _ONE
    high = words[PLACED + 1]
    mask = np.uint64(table.shape[0] - 1)
    slot = _hash(low, high) & mask
    while table[slot, 0] != _ZERO:
        if table[slot, 0] == low and table[slot, 1] == high:
            return False
        slot = slot + _ONE & mask
    table[slot, 0], table[slot, 1] = low, high
    counters[STATES] += 1
    return True


@kernel
def _required_twin(board, number):
    """Whether a playable card that is no base card must go before its twin; see SOUNDNESS.md."""
    words = board.words
    twin = number ^ 64
    if words[STOCK + (twin >> 6)] & bit_of(twin) or words[PLACED + (twin >> 6)] & bit_of(twin):
        return False
    return board.where[twin] >= GALLERY_PLACES and twin_is_beneath(board, number)


@kernel
def _forced_card(board, rules):
    """A card that can be played at once without loss, or NO_CARD."""
    words = board.words
    if rules & DOMINANCE:
        number = dominant_card(words)
        if number != NO_CARD:
            return number
    if rules & TWINS:
        for copy in range(2):
            cards = playable(words, copy) >> np.uint64(FIRST_BUILT) << np.uint64(FIRST_BUILT)
            while cards:
                number = 64 * copy + lowest(cards)
                cards &= cards - _ONE
                if _required_twin(board, number):
                    return number
    return NO_CARD


@kernel
def is_dead(board):
    """Whether some card never moves even in the easier game of SOUNDNESS.md."""
    words = board.words
    gone_0, gone_1 = words[PLACED], words[PLACED + 1]
    free_0, free_1 = words[READY] | words[STOCK], words[READY + 1] | words[STOCK + 1]
    tops = words[TOPS]
    bases = _ZERO
    for row in range(3):
        if words[EMPTY] >> np.uint64(8 * row) & _BYTE:
            bases |= _BASES << np.uint64(FIRST_BASE + 4 * row)
    while True:
        allowed = (gone_0 | gone_1) << np.uint64(BUILD) | bases
        goes_0, goes_1 = free_0 & ~gone_0 & allowed, free_1 & ~gone_1 & allowed
        if (goes_0 | goes_1) == _ZERO:
            return gone_0 & gone_1 & _ALL != _ALL
        gone_0 |= goes_0
        gone_1 |= goes_1
        for pile in range(PILES):
            shift = np.uint64(8 * pile)
            top = np.int64(tops >> shift & _BYTE)
            kept = top
            while top != NO_CARD and (gone_1 if top >= 64 else gone_0) & bit_of(top):
                top = board.under[top]
            if top != kept:
                tops = tops & ~(_BYTE << shift) | np.uint64(top) << shift
                if top != NO_CARD:
                    if top >= 64:
                        free_1 |= bit_of(top)
                    else:
                        free_0 |= bit_of(top)
        for copy in range(2):
            goes = goes_1 if copy else goes_0
            while goes:
                number = 64 * copy + lowest(goes)
                goes &= goes - _ONE
                if words[STOCK + copy] & bit_of(number) == _ZERO:
                    where = board.where[number]
                    if where < GALLERY_PLACES:
                        bases |= _BASES << np.uint64(FIRST_BASE + 4 * (where >> 3))


@kernel
def _open_node(search, board, rules):
    """Lists the moves to try from the board at the present depth; none where it is lost or met."""
    words = board.words
    moves = search.moves[search.counters[DEPTH]]
    moves[0] = moves[1] = moves[2] = _ZERO
    search.counters[NODES] += 1
    forced = _forced_card(board, rules)
    if forced != NO_CARD:
        moves[forced >> 6] = bit_of(forced)
        return
    if not _is_new(search.table, words, search.counters):
        return
    if rules & DEAD and is_dead(board):
        return
    moves[0], moves[1] = playable(words, 0), playable(words, 1)
    if words[LEFT]:
        moves[2] = _ONE


@kernel
def search_on(search, board, rules, until):
    """Searches depth first, cards before deals. WON, LOST, PAUSED at `until` nodes, or TABLE_FULL.

    `start` comes before the first call. board.words is room to work in. What a dealt card covers is
    written anew when it is dealt again, so of the boards at all depths only the words are kept.
    """
    counters = search.counters
    while True:
        depth = counters[DEPTH]
        if _is_won(search.layers[depth]):
            return WON
        if counters[NODES] >= until:
            return PAUSED
        if counters[STATES] * 4 > search.table.shape[0] * 3:
            return TABLE_FULL
        moves = search.moves[depth]
        if moves[0] | moves[1] | moves[2] == _ZERO:
            if depth == 0:
                return LOST
            counters[DEPTH] = depth - 1
            continue
        copy_words(search.layers[depth], board.words)
        if moves[0] | moves[1]:
            copy = 0 if moves[0] else 1
            number = 64 * copy + lowest(moves[copy])
            moves[copy] &= moves[copy] - _ONE
            play(board, number)
        else:
            number = NO_CARD
            moves[2] = _ZERO
            deal_known(board)
        search.path[depth] = number
        counters[DEPTH] = depth + 1
        copy_words(board.words, search.layers[depth + 1])
        _open_node(search, board, rules)


@kernel
def start(search, board, rules):
    """Opens the search at the board."""
    search.counters[DEPTH] = 0
    copy_words(board.words, search.layers[0])
    _open_node(search, board, rules)


@kernel
def rehash(table, larger):
    """Copies all states into a larger, empty table."""
    mask = np.uint64(larger.shape[0] - 1)
    for index in range(table.shape[0]):
        low, high = table[index, 0], table[index, 1]
        if low != _ZERO:
            slot = _hash(low, high) & mask
            while larger[slot, 0] != _ZERO:
                slot = slot + _ONE & mask
            larger[slot, 0], larger[slot, 1] = low, high
