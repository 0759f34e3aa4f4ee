"""The compiled core of the skip-action solver: play-outs, check points and the search over them."""

from typing import NamedTuple

import numpy as np

from engines.kernel import inline, kernel
from engines.klondike.play_kernel import (
    CARDS,
    COLUMN_STRIDE,
    DOWN,
    NONE,
    REDEALS,
    ROW_SIZE,
    SIZE,
    TALON,
    TALON_SIZE,
    UNLIMITED,
    WASTE,
    apply_action,
    cards_up,
    forced_action,
    significant_action,
)

LINE_LIMIT = 256
"""More than the actions of any line. Reveals (21) and plays from the talon (24) never come back; a
card returns from a foundation only with one of these 45, so at most 97 go up; a column is emptied
at most 7 times and once more for each of the 45 that may fill it again: 21 + 24 + 97 + 52 = 194."""

# Rows of Workspace.rows; the rows of level l begin at levels[l, FIRST_ROW].
WORK_ROW, START_ROW, FREE_ROW = 0, 1, 2

# Columns of Workspace.levels, one row for each level of the recursion.
FIRST_ROW = 0  # the position before the first action of this level's play-out
STEP = 1  # the action skipped now; TO_PLAY before the play-out
SKIPS = 2  # how many preferences are passed over at this step
END = 3  # steps worth trying: up to the first position that had been tried before
BRANCH_SIZE = 4  # actions of the current attempt up to its check point
LEVEL_FIELDS = 5
TO_PLAY = -1

# Columns of Workspace.marks, one row for each position row.
LOG_SIZE, MOVES = 0, 1

# Workspace.counters.
PLAYOUTS, CHECK_POINTS, DEEPEST, LEVEL, STORED, CUT, WINS, BEST_MOVES = range(8)
WIN_LEVEL, WIN_ON_ATTEMPT, WIN_SIZE = 8, 9, 10
COUNTERS = 11

# How `search` returns.
WON, EXHAUSTED, PAUSED, TABLE_FULL, ROWS_FULL = range(5)

NO_WIN = 1 << 30

_ZERO = np.int64(0)


class Workspace(NamedTuple):
    """The memory of a search.

    rows: int8[n, ROW_SIZE], positions. marks: int32[n, 2], log size and moves at each of them.
    levels: int64[LINE_LIMIT, LEVEL_FIELDS], the recursion as an explicit stack.
    logs: int64[2 * LINE_LIMIT, LINE_LIMIT], actions: row 2 * l holds those of the play-out of
        level l, row 2 * l + 1 those of its attempt.
    table: uint64[2**k], hashes of the positions tried, 0 where empty.
    counters: int64[COUNTERS].
    scratch: int64[SCRATCH_SIZE], what `significant_action` finds out about a position.
    """

    rows: np.ndarray
    marks: np.ndarray
    levels: np.ndarray
    logs: np.ndarray
    table: np.ndarray
    counters: np.ndarray
    scratch: np.ndarray


@inline
def _mix(word):
    """The finaliser of splitmix64."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@inline
def _absorb(word, card):
    word = (word ^ np.uint64(card + 1)) * np.uint64(0x9E3779B97F4A7C15)
    return word ^ (word >> np.uint64(29))


@kernel
def position_hash(rows, row, draw):
    """64 bits, never 0, equal for positions that differ only in the order of their columns.

    With unlimited redeals a waste that whole draws can leave is as good as none.
    """
    total = np.uint64(0)
    for column in range(7):
        word = np.uint64(rows[row, DOWN + column] + 1)
        first = CARDS + COLUMN_STRIDE * column
        for index in range(rows[row, SIZE + column]):
            word = _absorb(word, rows[row, first + index])
        total += _mix(word)
    waste, size = rows[row, WASTE], rows[row, TALON_SIZE]
    if rows[row, REDEALS] == UNLIMITED and (waste == size or waste % draw == 0):
        waste = 0
    word = _absorb(np.uint64(waste), rows[row, REDEALS] + 1)
    for index in range(size):
        word = _absorb(word, rows[row, TALON + index])
    return _mix(total + word) | np.uint64(1)


@inline
def _insert(table, word):
    """Whether the word is new; it is in the table afterwards."""
    mask = np.uint64(table.shape[0] - 1)
    slot = (word >> np.uint64(1)) & mask
    while table[slot] != np.uint64(0):
        if table[slot] == word:
            return False
        slot = (slot + np.uint64(1)) & mask
    table[slot] = word
    return True


@kernel
def rehash(table, larger):
    """Copies all words into a larger, empty table."""
    for slot in range(table.shape[0]):
        if table[slot] != np.uint64(0):
            _insert(larger, table[slot])


@inline
def _remember(space, draw):
    is_new = _insert(space.table, position_hash(space.rows, WORK_ROW, draw))
    space.counters[STORED] += is_new
    return is_new


@inline
def _copy_row(rows, source, target):
    for index in range(ROW_SIZE):
        rows[target, index] = rows[source, index]


@inline
def _is_over(space, moves):
    """Whether the work row is won, or cannot beat the best win, as each card needs a move yet."""
    cards_left = 52 - cards_up(space.rows, WORK_ROW)
    return cards_left == 0 or moves + cards_left >= space.counters[BEST_MOVES]


@kernel
def _play_forced(rows, draw, logs, log, size, moves):
    while True:
        action = forced_action(rows, WORK_ROW)
        if action == NONE:
            return size, moves
        moves += apply_action(rows, WORK_ROW, draw, action)
        logs[log, size] = action
        size += 1


@kernel
def _play_out(space, draw, worrying_back, level):
    """Plays on from the first row of a level with nothing skipped; keeps a row for each action.

    Returns the size of the log and the moves.
    """
    rows, levels, marks = space.rows, space.levels, space.marks
    first = levels[level, FIRST_ROW]
    log = 2 * level
    size, moves, steps, end = _ZERO, np.int64(marks[first, MOVES]), _ZERO, -1
    _copy_row(rows, first, WORK_ROW)
    while True:
        size, moves = _play_forced(rows, draw, space.logs, log, size, moves)
        if _is_over(space, moves):
            break
        action = significant_action(rows, WORK_ROW, space.scratch, draw, worrying_back, _ZERO)
        if action == NONE:
            break
        row = first + steps
        _copy_row(rows, WORK_ROW, row)
        marks[row, LOG_SIZE], marks[row, MOVES] = size, moves
        moves += apply_action(rows, WORK_ROW, draw, action)
        space.logs[log, size] = action
        size += 1
        steps += 1
        if end < 0 and not _remember(space, draw):
            end = steps
    levels[level, END] = steps if end < 0 else end
    levels[level, STEP], levels[level, SKIPS] = 0, 1
    return size, moves


@kernel
def _attempt(space, draw, worrying_back, level, action):
    """Plays on from a step of a level with `action` in place of the preferred one.

    From then on a check point is pending: the first position not tried before becomes the first
    row of the next level. Returns whether there is one, the size of the log and the moves.
    """
    rows, levels, marks = space.rows, space.levels, space.marks
    row = levels[level, FIRST_ROW] + levels[level, STEP]
    next_row = levels[level, FIRST_ROW] + levels[level, END]
    log = 2 * level + 1
    size, moves, pending = _ZERO, np.int64(marks[row, MOVES]), True
    while True:
        moves += apply_action(rows, WORK_ROW, draw, action)
        space.logs[log, size] = action
        size += 1
        if pending and _remember(space, draw):
            pending = False
            _copy_row(rows, WORK_ROW, next_row)
            marks[next_row, LOG_SIZE], marks[next_row, MOVES] = 0, moves
            levels[level, BRANCH_SIZE] = size
        size, moves = _play_forced(rows, draw, space.logs, log, size, moves)
        if _is_over(space, moves):
            break
        action = significant_action(rows, WORK_ROW, space.scratch, draw, worrying_back, _ZERO)
        if action == NONE:
            break
    return not pending, size, moves


@inline
def _is_win(space, on_attempt, size, moves):
    """Notes a win that is shorter than the best, for the caller of `search` to take down."""
    counters = space.counters
    if cards_up(space.rows, WORK_ROW) < 52 or moves >= counters[BEST_MOVES]:
        return False
    counters[WINS] += 1
    counters[BEST_MOVES] = moves
    counters[WIN_ON_ATTEMPT], counters[WIN_SIZE] = on_attempt, size
    return True


@kernel
def search(space, draw, worrying_back, width, until):
    """Runs or goes on with a search; returns WON, EXHAUSTED, PAUSED, TABLE_FULL or ROWS_FULL.

    width: how many preferences are passed over at most at one step (1 is the published method).
    until: pauses when this many play-outs have been made.
    After WON, at the level in counters[WIN_LEVEL], it can go on and looks for shorter wins only.
    """
    rows, levels, counters = space.rows, space.levels, space.counters
    while True:
        level = counters[LEVEL]
        if counters[PLAYOUTS] >= until:
            return PAUSED
        if (counters[STORED] + LINE_LIMIT) * 4 > space.table.shape[0] * 3:
            return TABLE_FULL
        if levels[level, STEP] == TO_PLAY:
            if levels[level, FIRST_ROW] + 2 * LINE_LIMIT > rows.shape[0]:
                return ROWS_FULL
            counters[PLAYOUTS] += 1
            counters[DEEPEST] = max(counters[DEEPEST], level)
            size, moves = _play_out(space, draw, worrying_back, level)
            if _is_win(space, 0, size, moves):
                counters[WIN_LEVEL] = level
                return WON
            continue
        if levels[level, STEP] == levels[level, END]:
            if level == 0:
                return EXHAUSTED
            counters[LEVEL] -= 1
            continue
        skips = levels[level, SKIPS]
        _copy_row(rows, levels[level, FIRST_ROW] + levels[level, STEP], WORK_ROW)
        action = significant_action(rows, WORK_ROW, space.scratch, draw, worrying_back, skips)
        if action == NONE or skips > width:
            if action != NONE:
                counters[CUT] = 1
            levels[level, STEP] += 1
            levels[level, SKIPS] = 1
            continue
        counters[PLAYOUTS] += 1
        levels[level, SKIPS] += 1
        branched, size, moves = _attempt(space, draw, worrying_back, level, action)
        if branched:
            counters[CHECK_POINTS] += 1
            counters[LEVEL] = level + 1
            levels[level + 1, FIRST_ROW] = levels[level, FIRST_ROW] + levels[level, END]
            levels[level + 1, STEP] = TO_PLAY
        if _is_win(space, 1, size, moves):
            counters[WIN_LEVEL] = level
            return WON
