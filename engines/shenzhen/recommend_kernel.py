"""The compiled core of the depth-n recommendation: boards as 14 x 8 matrices, operations.

Row 0 of a board is the top row: three cells, the flower's place, three foundations, and an unused
place; rows 1 to 13 are the eight columns, the deepest card in row 1. Cards are those of deal.py.
"""

import numpy as np

from engines.kernel import inline, kernel

ROWS, COLUMNS = 14, 8
FLOWER_PLACE, FIRST_FOUNDATION = 3, 4
_EMPTY, _FLOWER, _FIRST_NUMBER = 0, 1, 3
_ALWAYS_UP = 2

# Kinds of operations, in the order of MoveKind in moves.py.
RUN, TO_CELL, FROM_CELL, COLUMN_UP, CELL_UP, COLLECT = range(6)
MOST_OPERATIONS = 256

# Constants of the score.
C0, C1, C2, AUTOMATIC, MANUAL_UP, WON = range(6)
CONSTANTS = 6

# Columns of `levels`: how many operations a level has, and which is tried.
COUNT, TRIED = 0, 1


@inline
def pack(kind, source, target, count):
    """An operation as a number; the colour of dragons to collect is its source, 0 to 2."""
    return kind << 12 | source << 8 | target << 4 | count


@inline
def height_of(board, column):
    """How many cards a column has."""
    height = 0
    while height < ROWS - 1 and board[height + 1, column] != _EMPTY:
        height += 1
    return height


@inline
def _stacks_on(card, target):
    return (
        card >= _FIRST_NUMBER
        and target >= _FIRST_NUMBER
        and card // 3 + 1 == target // 3
        and card % 3 != target % 3
    )


@inline
def _rank_up(board, suit):
    """The rank of a suit's top card, 0 before its 1 is up."""
    rank = 0
    for place in range(FIRST_FOUNDATION, FIRST_FOUNDATION + 3):
        card = board[0, place]
        if card != _EMPTY and card % 3 == suit:
            rank = card // 3
    return rank


@inline
def _is_next(board, card):
    return card >= _FIRST_NUMBER and card // 3 == _rank_up(board, card % 3) + 1


@kernel
def _put_up(board, card):
    """Puts a number or the flower into its place of the top row."""
    if card == _FLOWER:
        board[0, FLOWER_PLACE] = card
        return
    below = card - 3 if card >= _FIRST_NUMBER + 3 else _EMPTY
    for place in range(FIRST_FOUNDATION, FIRST_FOUNDATION + 3):
        if board[0, place] == below:
            board[0, place] = card
            return


@kernel
def run_length(board, column, height):
    """How many cards at the end of a column make up a run."""
    length = min(1, height)
    while length < height and _stacks_on(
        board[height - length + 1, column], board[height - length, column]
    ):
        length += 1
    return length


@kernel
def valid(board, operations):
    """Writes all valid operations; returns how many.

    Of several empty cells or columns only the leftmost is a target, and a column is not moved whole
    to an empty one: the boards are the same but for the order of places.
    """
    found = 0
    empty_column, empty_cell = -1, -1
    for column in range(COLUMNS - 1, -1, -1):
        if board[1, column] == _EMPTY:
            empty_column = column
    for cell in range(2, -1, -1):
        if board[0, cell] == _EMPTY:
            empty_cell = cell
    for dragon in range(-1, -4, -1):
        exposed, room = 0, empty_cell >= 0
        for cell in range(3):
            exposed += board[0, cell] == dragon
            room = room or board[0, cell] == dragon
        for column in range(COLUMNS):
            height = height_of(board, column)
            exposed += height > 0 and board[height, column] == dragon
        if exposed == 4 and room:
            operations[found] = pack(COLLECT, -1 - dragon, 0, 1)
            found += 1
    for column in range(COLUMNS):
        height = height_of(board, column)
        if height == 0:
            continue
        if _is_next(board, board[height, column]):
            operations[found] = pack(COLUMN_UP, column, 0, 1)
            found += 1
        for count in range(1, run_length(board, column, height) + 1):
            card = board[height - count + 1, column]
            for target in range(COLUMNS):
                reach = height_of(board, target)
                if target != column and reach > 0 and _stacks_on(card, board[reach, target]):
                    operations[found] = pack(RUN, column, target, count)
                    found += 1
            if empty_column >= 0 and count < height:
                operations[found] = pack(RUN, column, empty_column, count)
                found += 1
        if empty_cell >= 0:
            operations[found] = pack(TO_CELL, column, empty_cell, 1)
            found += 1
    for cell in range(3):
        card = board[0, cell]
        if card == _EMPTY or card <= -4:
            continue
        if _is_next(board, card):
            operations[found] = pack(CELL_UP, cell, 0, 1)
            found += 1
        for target in range(COLUMNS):
            reach = height_of(board, target)
            if target == empty_column or (reach > 0 and _stacks_on(card, board[reach, target])):
                operations[found] = pack(FROM_CELL, cell, target, 1)
                found += 1
    return found


@inline
def _empty_columns(board):
    empty = 0
    for column in range(COLUMNS):
        empty += board[1, column] == _EMPTY
    return empty


@kernel
def _manual_part(board, operation, constants):
    """Plays the manual part of a valid operation; returns its score, emptied columns left out."""
    kind, source = operation >> 12, operation >> 8 & 15
    target, count = operation >> 4 & 15, operation & 15
    if kind == COLLECT:
        dragon = -1 - source
        place = -1
        for cell in range(2, -1, -1):
            if board[0, cell] == dragon:
                board[0, cell] = _EMPTY
                place = cell
            elif board[0, cell] == _EMPTY:
                place = cell
        for column in range(COLUMNS):
            height = height_of(board, column)
            if height > 0 and board[height, column] == dragon:
                board[height, column] = _EMPTY
        board[0, place] = 4 * dragon
        return constants[C1]
    if kind in (CELL_UP, FROM_CELL):
        card = board[0, source]
        board[0, source] = _EMPTY
        if kind == CELL_UP:
            _put_up(board, card)
            return constants[MANUAL_UP]
        reach = height_of(board, target)
        board[reach + 1, target] = card
        return np.float64(run_length(board, target, reach + 1) if reach > 0 else 0)
    height = height_of(board, source)
    if kind == COLUMN_UP:
        card = board[height, source]
        board[height, source] = _EMPTY
        _put_up(board, card)
        return constants[MANUAL_UP]
    if kind == TO_CELL:
        board[0, target] = board[height, source]
        board[height, source] = _EMPTY
        return 0.0
    reach = height_of(board, target)
    for place in range(count):
        board[reach + 1 + place, target] = board[height - count + 1 + place, source]
        board[height - count + 1 + place, source] = _EMPTY
    return np.float64(run_length(board, target, reach + count) if reach > 0 else 0)


@inline
def _goes_up(board, card):
    if card == _FLOWER:
        return True
    lowest = min(_rank_up(board, 0), _rank_up(board, 1), _rank_up(board, 2))
    return _is_next(board, card) and card // 3 <= max(_ALWAYS_UP, lowest + 1)


@kernel
def _automatic_part(board):
    """Puts up what goes up by itself; returns how many cards do."""
    total, moved = 0, True
    while moved:
        moved = False
        for column in range(COLUMNS):
            height = height_of(board, column)
            if height > 0 and _goes_up(board, board[height, column]):
                card = board[height, column]
                board[height, column] = _EMPTY
                _put_up(board, card)
                total, moved = total + 1, True
                break
        if moved:
            continue
        for cell in range(3):
            card = board[0, cell]
            if _goes_up(board, card):
                board[0, cell] = _EMPTY
                _put_up(board, card)
                total, moved = total + 1, True
                break
    return total


@inline
def is_won(board):
    """Whether no card is left in columns, and none but stacks in cells."""
    won = True
    for column in range(COLUMNS):
        won = won and board[1, column] == _EMPTY
    for cell in range(3):
        won = won and (board[0, cell] == _EMPTY or board[0, cell] <= -4)
    return won


@kernel
def operate(board, operation, constants):
    """Changes a board by a valid operation; returns score(manual) + score(automatic)."""
    empty = _empty_columns(board)
    score = _manual_part(board, operation, constants)
    score += constants[C2] * max(0, _empty_columns(board) - empty)
    empty = _empty_columns(board)
    score += constants[AUTOMATIC] * _automatic_part(board)
    score += constants[C2] * (_empty_columns(board) - empty)
    return score


@inline
def _copy(boards, source, target):
    for row in range(ROWS):
        for column in range(COLUMNS):
            boards[target, row, column] = boards[source, row, column]


@inline
def _is_repeated(boards, number):
    """Whether a board is one of those before it."""
    repeated = False
    for earlier in range(number):
        same = True
        for row in range(ROWS):
            for column in range(COLUMNS):
                same = same and boards[earlier, row, column] == boards[number, row, column]
            if not same:
                break
        repeated = repeated or same
    return repeated


@kernel
def best_path(boards, length, depth, constants, operations, levels, scores, path):
    """The path with the largest sum of scores down to a depth; returns the sum.

    boards: int8[length + depth, ROWS, COLUMNS], those already on the path, the present one at
    length - 1. operations: int32[depth + 1, MOST_OPERATIONS]. levels: int64[depth + 1, 2].
    scores: float64[depth + 1]. path: int32[depth], the operations of the best path, -1 after its
    end. Of equal sums the first found is kept.
    """
    best = -np.inf
    level = 0
    scores[0] = 0.0
    levels[0, COUNT], levels[0, TRIED] = valid(boards[length - 1], operations[0]), -1
    while level >= 0:
        levels[level, TRIED] += 1
        if levels[level, TRIED] == levels[level, COUNT]:
            level -= 1
            continue
        number = length + level
        _copy(boards, number - 1, number)
        operation = operations[level, levels[level, TRIED]]
        total = scores[level] + operate(boards[number], operation, constants)
        ends, count = level + 1 == depth, 0
        if is_won(boards[number]):
            total, ends = total + constants[WON], True
        elif _is_repeated(boards, number):
            total, ends = total + constants[C0], True
        else:
            count = valid(boards[number], operations[level + 1])
            if count == 0:
                total, ends = total + constants[C0], True
        if not ends:
            level += 1
            scores[level] = total
            levels[level, COUNT], levels[level, TRIED] = count, -1
        elif total > best:
            best = total
            for step in range(depth):
                path[step] = operations[step, levels[step, TRIED]] if step <= level else -1
    return best
