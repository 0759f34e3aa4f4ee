"""The compiled Gallery: a position in a few words, its moves, and random games to the end.

A card in play is numbered 64 * copy + card, so that the cards of either copy are a set of 52 bits.
The copies of a card are numbered as they are met in gallery, tableau and stock; nothing depends
on which is which. A board is the words below and, for each card, where it lies and what it covers.
"""

from typing import NamedTuple

import numpy as np

from engines.bits import lowest, population
from engines.kernel import inline, kernel
from engines.streams import below

# The words of a board. Sets come in pairs, one for each copy.
READY = 0
"""Cards that lie on top of a tableau pile or misplaced in the gallery."""
PLACED = 2
STOCK = 4
OPEN, OPEN_TWICE = 6, 7
"""Cards that one place of the gallery takes, at least; and cards other than base cards, two."""
EMPTY, MISPLACED = 8, 9
"""Empty places, and misplaced cards, of each row; a byte a row."""
TOPS = 10
"""The top card of each tableau pile, or NO_CARD; a byte a pile."""
LEFT = 11
"""How many cards of the stock are left."""
WORDS = 12

NO_CARD = 255
CARDS = 128
GALLERY_PLACES, DEAL_SOURCE = 24, 32
PILES, ROW_BITS = 8, 3
CARDS_IN_PLAY = 96
FULL = 52
FIRST_BASE, FIRST_BUILT = 4, 16  # twos, threes, fours; fives and higher
BUILD = 12  # the next card of a pile is three ranks higher

_ONE, _ZERO, _BYTE = np.uint64(1), np.uint64(0), np.uint64(255)
_BASES = np.uint64(15)
_BUILT = np.uint64((1 << FULL) - (1 << FIRST_BUILT))

UNIFORM, CARDS_FIRST = 0, 1
"""How a random game moves: a deal like any other move; or a deal only where no card can move."""
SAFE_MOVES = 2
"""Added: safe moves are made at once."""


class Board(NamedTuple):
    """A position.

    words: uint64[WORDS]. where: int64[CARDS], the source that plays a card, for cards in gallery
    and tableau. under: int64[CARDS], the card that a tableau card lies on. stock: int64[72], its
    cards in any order if it is hidden, else the one dealt next last of the LEFT first ones.
    """

    words: np.ndarray
    where: np.ndarray
    under: np.ndarray
    stock: np.ndarray


@inline
def bit_of(number):
    """The bit of a card in the set of its copy."""
    return _ONE << np.uint64(number & 63)


@inline
def playable(words, copy):
    """The cards of a copy that can move."""
    return words[READY + copy] & words[OPEN]


@inline
def playable_count(words):
    """How many cards can move."""
    return population(playable(words, 0)) + population(playable(words, 1))


@inline
def score_of(words):
    """The cards that are not in place."""
    return CARDS_IN_PLAY - population(words[PLACED]) - population(words[PLACED + 1])


@kernel
def nth_playable(words, index):
    """The card that can move with this index, from 0, in order of its number."""
    copy = 0
    found = playable(words, 0)
    count = population(found)
    if index >= count:
        index -= count
        copy = 1
        found = playable(words, 1)
    for _ in range(index):
        found &= found - _ONE
    return 64 * copy + lowest(found)


@kernel
def play(board, number):
    """Moves a playable card to its place."""
    words = board.words
    card, copy, bit = number & 63, number >> 6, bit_of(number)
    words[READY + copy] &= ~bit
    words[PLACED + copy] |= bit
    source = board.where[number]
    if source < GALLERY_PLACES:
        row = source >> ROW_BITS
        one = _ONE << np.uint64(8 * row)
        words[EMPTY] += one
        words[MISPLACED] -= one
        words[OPEN] |= _BASES << np.uint64(FIRST_BASE + 4 * row)
    else:
        shift = np.uint64(8 * (source - GALLERY_PLACES))
        uncovered = board.under[number]
        words[TOPS] = words[TOPS] & ~(_BYTE << shift) | np.uint64(uncovered) << shift
        if uncovered != NO_CARD:
            words[READY + (uncovered >> 6)] |= bit_of(uncovered)
    if card < FIRST_BUILT:
        row = (card >> 2) - 1
        shift = np.uint64(8 * row)
        words[EMPTY] -= _ONE << shift
        if words[EMPTY] >> shift & _BYTE == _ZERO:
            words[OPEN] &= ~(_BASES << np.uint64(FIRST_BASE + 4 * row))
    elif words[OPEN_TWICE] & bit:
        words[OPEN_TWICE] &= ~bit
    else:
        words[OPEN] &= ~bit
    if card < FULL - BUILD:
        following = bit << np.uint64(BUILD)
        words[OPEN_TWICE] |= words[OPEN] & following
        words[OPEN] |= following


@inline
def _deal_card(board, pile, number):
    """Puts the next card of the stock on a pile, or an ace out of the game."""
    words = board.words
    words[STOCK + (number >> 6)] &= ~bit_of(number)
    if number & 63 >= FIRST_BASE:
        shift = np.uint64(8 * pile)
        covered = np.int64(words[TOPS] >> shift & _BYTE)
        if covered != NO_CARD:
            words[READY + (covered >> 6)] &= ~bit_of(covered)
        words[TOPS] = words[TOPS] & ~(_BYTE << shift) | np.uint64(number) << shift
        words[READY + (number >> 6)] |= bit_of(number)
        board.under[number] = covered
        board.where[number] = GALLERY_PLACES + pile


@kernel
def deal_known(board):
    """Deals a card to each pile in the order of the stock."""
    left = np.int64(board.words[LEFT])
    for pile in range(PILES):
        _deal_card(board, pile, board.stock[left - 1 - pile])
    board.words[LEFT] = np.uint64(left - PILES)


@kernel
def deal_random(board, stream):
    """Deals a card to each pile, each of the cards left being equally likely.

    These are the steps of a shuffle of the stock, taken as they are needed.
    """
    stock = board.stock
    left = np.int64(board.words[LEFT])
    for pile in range(PILES):
        chosen = below(stream, left)
        left -= 1
        number = stock[chosen]
        stock[chosen], stock[left] = stock[left], number
        _deal_card(board, pile, number)
    board.words[LEFT] = np.uint64(left)


@inline
def _is_clean(words, row):
    """The base cards of a row if none of its cards is misplaced."""
    if words[MISPLACED] >> np.uint64(8 * row) & _BYTE == _ZERO:
        return _BASES << np.uint64(FIRST_BASE + 4 * row)
    return _ZERO


@kernel
def dominant_card(words):
    """A playable card that no line of play gains by holding back, or NO_CARD.

    Nothing else can use its place: its twin is in place, or finds a second place open, or it is a
    base card and its row has as many empty places as base cards that are to come. So whatever line
    is played afterwards stays legal when the card has gone before, and reaches the same places.
    """
    clean = _is_clean(words, 0) | _is_clean(words, 1) | _is_clean(words, 2)
    for copy in range(2):
        settled = words[PLACED + 1 - copy] | words[OPEN_TWICE]
        found = playable(words, copy) & (settled & _BUILT | clean)
        if found:
            return 64 * copy + lowest(found)
    return NO_CARD


@kernel
def copy_words(source, target):
    """Copies a board's words."""
    for index in range(WORDS):
        target[index] = source[index]


@kernel
def play_known(board, number):
    """Moves a playable card, or for NO_CARD deals in the order of the stock."""
    if number == NO_CARD:
        deal_known(board)
    else:
        play(board, number)


@kernel
def twin_is_beneath(board, number):
    """Whether the twin of a playable card is beneath it, or a higher card of its sequence.

    The twin lies on the tableau.
    """
    card, twin = number & 63, number ^ 64
    shift = np.uint64(8 * (board.where[twin] - GALLERY_PLACES))
    above = np.int64(board.words[TOPS] >> shift & _BYTE)
    while above != twin:
        other = above & 63
        if above == number or (other > card and (other - card) % BUILD == 0):
            return True
        above = board.under[above]
    return False


@kernel
def _twin_is_stuck(board, number):
    """Whether the twin of a playable card needs, or loses nothing by, this card's going first."""
    words = board.words
    twin = number ^ 64
    copy, bit = twin >> 6, bit_of(twin)
    if words[PLACED + copy] & bit:
        return True
    if words[STOCK + copy] & bit:
        return False
    source, twin_source = board.where[number], board.where[twin]
    if twin_source < GALLERY_PLACES:
        return source < GALLERY_PLACES and source >> ROW_BITS == twin_source >> ROW_BITS
    if source != twin_source and board.under[twin] == NO_CARD:
        return True
    return twin_is_beneath(board, number)


@kernel
def is_safe(board, number):
    """Whether a playable card is one that the author's program moves by itself.

    automatic.py says which those are.
    """
    words = board.words
    card = number & 63
    if card >= FIRST_BUILT:
        if words[OPEN_TWICE] & bit_of(number):
            return True
    elif words[MISPLACED] >> np.uint64(8 * ((card >> 2) - 1)) & _BYTE == _ZERO:
        return True
    if words[LEFT] == _ZERO and playable_count(words) == 1:
        return True
    return _twin_is_stuck(board, number)


@kernel
def safe_card(board):
    """The safe card with the lowest source, or NO_CARD."""
    words = board.words
    found, best = NO_CARD, DEAL_SOURCE
    for copy in range(2):
        cards = playable(words, copy)
        while cards:
            number = 64 * copy + lowest(cards)
            cards &= cards - _ONE
            if board.where[number] < best and is_safe(board, number):
                found, best = number, board.where[number]
    return found


@kernel
def play_safe_cards(board):
    """Plays safe cards until there is none."""
    number = safe_card(board)
    while number != NO_CARD:
        play(board, number)
        number = safe_card(board)


@kernel
def finish_at_random(board, stream, how):
    """Plays random moves to the end of the game, the stock hidden; the score.

    how: UNIFORM or CARDS_FIRST, with SAFE_MOVES or without.
    """
    words = board.words
    cards_first = how & CARDS_FIRST != 0
    while True:
        if how & SAFE_MOVES:
            play_safe_cards(board)
        count = playable_count(words)
        choices = count
        if words[LEFT] != _ZERO and not (cards_first and count > 0):
            choices += 1
        if choices == 0:
            return score_of(words)
        chosen = below(stream, choices) if choices > 1 else 0
        if chosen == count:
            deal_random(board, stream)
        else:
            play(board, nth_playable(words, chosen))
