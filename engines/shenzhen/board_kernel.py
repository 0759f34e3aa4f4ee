"""Positions of the exact solver, compiled: exact keys of 128 bits, boards, moves, automatic moves.

Cards are numbered for shifts instead of divisions: a number card is 4 * (rank - 1) + suit, dragons
are 36 to 47, four of each colour, and the flower is 48. SOUNDNESS.md defines the key and shows that
two positions have the same one if and only if they differ at most in the order of columns and of
cells.
"""

import numpy as np

from engines.bits import population
from engines.kernel import inline, kernel

NUMBERS = 27
LAST_RANK, FIRST_DRAGON, FLOWER, CARDS = 32, 36, 48, 49
NONE = -1

# What a key says of a number card, in three bits.
ORIGINAL, UP, IN_CELL, BOTTOM, ON_NEXT_SUIT, ON_LAST_SUIT = range(6)

NEXT_SUIT, LAST_SUIT = (1, 2, 0, 0), (2, 0, 1, 0)

# Bits of the second word of a key, after 27 of the third suit's numbers.
FREED = 27  # 12 bits: dragons that have left the card under them, or lie bare at the bottom
CELL_DRAGONS = 39  # 3 fields of 2 bits: dragons of a colour in cells
COLLECTED = 45  # 3 bits
FLOWER_UP = 48

WON_FIRST = np.uint64(sum(UP << 3 * field for field in range(18)))
WON_SECOND = np.uint64(sum(UP << 3 * field for field in range(9)) | 7 << COLLECTED | 1 << FLOWER_UP)
WON_SECOND_BITS = np.uint64((1 << 27) - 1 | 7 << COLLECTED | 1 << FLOWER_UP)

# Layout of a board, int8[BOARD_SIZE].
STRIDE = 16
HEIGHT = 8 * STRIDE
CELL = HEIGHT + 8
TOP = CELL + 3  # heights of the foundations
STACKS = TOP + 3  # whether a colour is collected, each in a cell of its own
FREE_CELLS = STACKS + 3
BOARD_SIZE = 152

# Rows of the facts of a start, int8[2, CARDS].
BELOW, COLUMN = 0, 1
"""The card under it at the start, NONE at the bottom; and its column."""

# Moves: kind, card and target card or colour, from the low bits, eight bits each.
TO_CARD, TO_EMPTY_COLUMN, TO_CELL, TO_FOUNDATION, TO_COLLECTION = range(5)
# Where a dragon comes from, in bits 24 and 25.
FROM_START, FROM_BOTTOM, FROM_CELL = range(3)

_ONE, _THREE = np.uint64(1), np.uint64(3)
_FIELD = np.uint64(7)
_LOW_OF_FIELDS = np.uint64(sum(1 << 3 * field for field in range(18)))
_LOW_OF_SUIT = np.uint64(sum(1 << 3 * field for field in range(9)))
_TWELVE = np.uint64(0xFFF)


@inline
def suit_word(card):
    """Which word of a key has the code of a number card."""
    return card >> 1 & 1


@inline
def code_shift(card):
    """The lowest bit of the code of a number card in its word."""
    return np.uint64(3 * (card >> 2) + 27 * (card & 1))


@inline
def target_card(card, side):
    """The number card that a number card below a 9 may lie on, by the code of lying there."""
    return (card & ~3) + 4 + (NEXT_SUIT[card & 3] if side == 0 else LAST_SUIT[card & 3])


@inline
def follows(card, target):
    """Whether a card may lie on another: numbers, one rank lower, of another suit."""
    return target < FIRST_DRAGON and card >> 2 == (target >> 2) - 1 and (card ^ target) & 3 != 0


@inline
def recode(first, second, card, code):
    """The two words of a key with another code for a number card."""
    shift = code_shift(card)
    if card & 2:
        second = second & ~(_FIELD << shift) | np.uint64(code) << shift
    else:
        first = first & ~(_FIELD << shift) | np.uint64(code) << shift
    return first, second


@inline
def freed_bit(card):
    """The bit of a dragon that is at its start no more, or bare at the bottom of a column."""
    return _ONE << np.uint64(FREED + card - FIRST_DRAGON)


@inline
def in_cell_unit(card):
    """One dragon of this colour in a cell, in the second word of a key."""
    return _ONE << np.uint64(CELL_DRAGONS + 2 * (card - FIRST_DRAGON >> 2))


@kernel
def decode(key, start, board, above):
    """Writes the board of a key; columns and cells in any order.

    above: int8[CARDS], scratch.
    """
    for card in range(CARDS):
        above[card] = NONE
    for place in range(HEIGHT, BOARD_SIZE):
        board[place] = 0
    columns, cells = 0, 0
    for number in range(FIRST_DRAGON):
        card = np.int64(number)
        if card & 3 == 3:
            continue
        code = (key[suit_word(card)] >> code_shift(card)) & _FIELD
        if code == np.uint64(ORIGINAL):
            above[start[BELOW, card]] = card
        elif code == np.uint64(UP):
            board[TOP + (card & 3)] += 1
        elif code == np.uint64(IN_CELL):
            board[CELL + cells] = card
            cells += 1
        elif code == np.uint64(BOTTOM):
            board[STRIDE * columns] = card
            columns += 1
        elif code == np.uint64(ON_NEXT_SUIT):
            above[target_card(card, 0)] = card
        else:
            above[target_card(card, 1)] = card
    stacks = 0
    for colour in range(3):
        collected = (key[1] >> np.uint64(COLLECTED + colour)) & _ONE != np.uint64(0)
        board[STACKS + colour] = collected
        stacks += collected
        in_cells = np.int64((key[1] >> np.uint64(CELL_DRAGONS + 2 * colour)) & _THREE)
        for card in range(FIRST_DRAGON + 4 * colour, FIRST_DRAGON + 4 * colour + 4):
            if collected:
                continue
            freed = (key[1] >> np.uint64(FREED + card - FIRST_DRAGON)) & _ONE != np.uint64(0)
            if freed and in_cells > 0:
                in_cells -= 1
                board[CELL + cells] = card
                cells += 1
            elif freed or start[BELOW, card] == NONE:
                board[STRIDE * columns] = card
                columns += 1
            else:
                above[start[BELOW, card]] = card
    if (key[1] >> np.uint64(FLOWER_UP)) & _ONE == np.uint64(0):
        if start[BELOW, FLOWER] == NONE:
            board[STRIDE * columns] = FLOWER
            columns += 1
        else:
            above[start[BELOW, FLOWER]] = FLOWER
    board[FREE_CELLS] = 3 - stacks - cells
    for cell in range(cells, 3):
        board[CELL + cell] = NONE
    for column in range(columns):
        height, card = 1, above[board[STRIDE * column]]
        while card != NONE:
            board[STRIDE * column + height] = card
            height += 1
            card = above[card]
        board[HEIGHT + column] = height


@inline
def _uncover(board, key, column):
    """After cards left a column: a dragon bare at its bottom is like any other in a column."""
    if board[HEIGHT + column] == 1:
        card = board[STRIDE * column]
        if FIRST_DRAGON <= card < FLOWER:
            key[1] |= freed_bit(card)


@inline
def goes_up(board, card):
    """Whether an exposed card goes up by itself."""
    if card < FIRST_DRAGON:
        rank, height = card >> 2, board[TOP + (card & 3)]
        return rank == height and (
            rank < 2 or rank <= min(board[TOP], board[TOP + 1], board[TOP + 2])
        )
    return card == FLOWER


@inline
def put_up(board, key, card):
    """Notes that a number or the flower is up."""
    if card == FLOWER:
        key[1] |= _ONE << np.uint64(FLOWER_UP)
    else:
        board[TOP + (card & 3)] += 1
        key[0], key[1] = recode(key[0], key[1], card, UP)


@kernel
def settle(board, key):
    """The automatic moves of a board and its key."""
    moved = True
    while moved:
        moved = False
        for column in range(8):
            while board[HEIGHT + column] > 0:
                card = board[STRIDE * column + board[HEIGHT + column] - 1]
                if not goes_up(board, card):
                    break
                board[HEIGHT + column] -= 1
                put_up(board, key, card)
                _uncover(board, key, column)
                moved = True
        for cell in range(3):
            card = board[CELL + cell]
            if card != NONE and goes_up(board, card):
                board[CELL + cell] = NONE
                board[FREE_CELLS] += 1
                put_up(board, key, card)
                moved = True


@kernel
def take_from_column(board, key, column, count):
    """Takes the last cards off a column."""
    board[HEIGHT + column] -= count
    _uncover(board, key, column)


@inline
def take_from_cell(board, key, cell):
    """Takes the card of a cell."""
    card = board[CELL + cell]
    board[CELL + cell] = NONE
    board[FREE_CELLS] += 1
    if card >= FIRST_DRAGON:
        key[1] -= in_cell_unit(card)


@kernel
def collect(board, key, colour):
    """Collects four exposed dragons of a colour."""
    first = FIRST_DRAGON + 4 * colour
    for cell in range(3):
        if first <= board[CELL + cell] < first + 4:
            board[CELL + cell] = NONE
            board[FREE_CELLS] += 1
    key[1] &= ~(_THREE << np.uint64(CELL_DRAGONS + 2 * colour))
    key[1] |= np.uint64(15) << np.uint64(FREED + 4 * colour)
    key[1] |= _ONE << np.uint64(COLLECTED + colour)
    board[STACKS + colour] = 1
    board[FREE_CELLS] -= 1
    for column in range(8):
        height = board[HEIGHT + column]
        if height > 0 and first <= board[STRIDE * column + height - 1] < first + 4:
            board[HEIGHT + column] = height - 1
            _uncover(board, key, column)


@inline
def buried(first, second):
    """How many cards lie on a card that they do not follow, the flower left out."""
    numbers = population((first | first >> _ONE | first >> np.uint64(2)) & _LOW_OF_FIELDS)
    numbers += population((second | second >> _ONE | second >> np.uint64(2)) & _LOW_OF_SUIT)
    return NUMBERS + 12 - numbers - population((second >> np.uint64(FREED)) & _TWELVE)
