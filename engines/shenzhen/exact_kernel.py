"""The compiled search of the exact solver: best-first over exact keys until a win or no key."""

import numpy as np

from engines.kernel import inline, kernel
from engines.shenzhen.board_kernel import (
    BOARD_SIZE,
    BOTTOM,
    CELL,
    FIRST_DRAGON,
    FLOWER,
    FREE_CELLS,
    FROM_BOTTOM,
    FROM_CELL,
    FROM_START,
    HEIGHT,
    IN_CELL,
    LAST_RANK,
    NONE,
    NUMBERS,
    ON_NEXT_SUIT,
    STACKS,
    STRIDE,
    TO_CARD,
    TO_CELL,
    TO_COLLECTION,
    TO_EMPTY_COLUMN,
    TO_FOUNDATION,
    TOP,
    buried,
    collect,
    decode,
    follows,
    freed_bit,
    goes_up,
    in_cell_unit,
    put_up,
    recode,
    settle,
    take_from_cell,
    take_from_column,
    target_card,
)
from engines.shenzhen.workspace_kernel import (
    CHILDREN,
    CLOSED,
    ENTRIES,
    EXPANDED,
    LOST,
    MOST_CHILDREN,
    PAUSED,
    QUEUE_FULL,
    STATES,
    STATES_FULL,
    TABLE_FULL,
    W_BURIED,
    W_CELLS,
    W_COLUMNS,
    W_COVER,
    W_LEFT,
    W_STACKS,
    WIN,
    WON,
    enter_children,
    pop,
)


@inline
def _pack(kind, card, target, source):
    return np.int64(kind) | np.int64(card) << 8 | np.int64(target) << 16 | np.int64(source) << 24


@inline
def _add(space, first, second, worth, move):
    child = space.counters[CHILDREN]
    space.child_keys[child, 0], space.child_keys[child, 1] = first, second
    space.children[child, 0], space.children[child, 1] = worth, move
    space.counters[CHILDREN] = child + 1


@kernel
def worth_of(board, first, second, weights):
    """How late a position should be explored, the moves made left out."""
    empty, cover = 0, 0
    for column in range(8):
        height = board[HEIGHT + column]
        empty += height == 0
        for place in range(height):
            card = board[STRIDE * column + place]
            if card < FIRST_DRAGON and card >> 2 == board[TOP + (card & 3)]:
                cover += height - 1 - place
    stacks = board[STACKS] + board[STACKS + 1] + board[STACKS + 2]
    return (
        weights[W_BURIED] * buried(first, second)
        + weights[W_LEFT] * (NUMBERS - board[TOP] - board[TOP + 1] - board[TOP + 2])
        + weights[W_CELLS] * (3 - board[FREE_CELLS] - stacks)
        + weights[W_COVER] * cover
        + weights[W_STACKS] * (3 - stacks)
        + weights[W_COLUMNS] * (8 - empty)
    )


@kernel
def _begin(space, state):
    """Sets the child's board and key to those of the state expanded."""
    for place in range(BOARD_SIZE):
        space.after[place] = space.board[place]
    space.child[0], space.child[1] = space.keys[state, 0], space.keys[state, 1]


@kernel
def _finish(space, move):
    """Adds the child of the board in `after`, once its cards have gone up by themselves."""
    settle(space.after, space.child)
    first, second = space.child[0], space.child[1]
    _add(space, first, second, worth_of(space.after, first, second, space.weights), move)


@kernel
def _up(space, state, column, cell, card):
    """The child of putting up a card by hand."""
    _begin(space, state)
    if column == NONE:
        take_from_cell(space.after, space.child, cell)
    else:
        take_from_column(space.after, space.child, column, 1)
    put_up(space.after, space.child, card)
    _finish(space, _pack(TO_FOUNDATION, card, 0, 0))


@kernel
def _with_automatic_moves(space, state, column, count, target_column, first, second, move):
    """The child of taking cards off a column where the card under them goes up by itself.

    target_column: where they go, NONE for a cell. first, second: the key before that card goes.
    """
    _begin(space, state)
    board, after = space.board, space.after
    begin = STRIDE * column + board[HEIGHT + column] - count
    after[HEIGHT + column] -= count
    if target_column == NONE:
        cell = 0
        while after[CELL + cell] != NONE:
            cell += 1
        after[CELL + cell] = board[begin]
        after[FREE_CELLS] -= 1
    else:
        height = after[HEIGHT + target_column]
        for place in range(count):
            after[STRIDE * target_column + height + place] = board[begin + place]
        after[HEIGHT + target_column] = height + count
    space.child[0], space.child[1] = first, second
    _finish(space, move)


@kernel
def _from_columns(space, state, empty, worth):
    """The children of moving the end of a column but to a foundation.

    empty: an empty column or NONE. worth: of the position expanded.
    """
    board, weights, next_cards = space.board, space.weights, space.next_cards
    key_first, key_second = space.keys[state, 0], space.keys[state, 1]
    for column in range(8):
        height = np.int64(board[HEIGHT + column])
        if height == 0:
            continue
        last = STRIDE * column + height - 1
        count, head = 1, np.int64(board[last])
        next_below = next_cards[column]
        while True:
            if head < FIRST_DRAGON and head >> 2 == board[TOP + (head & 3)]:
                next_below -= 1
            away = worth - weights[W_COVER] * next_below * count
            under, runs_on, exposes, freed = np.int64(NONE), False, False, np.uint64(0)
            if count == height:
                away -= weights[W_COLUMNS]
            else:
                under = np.int64(board[last - count])
                runs_on = head < FIRST_DRAGON and follows(head, under)
                exposes = goes_up(board, under)
                if not runs_on:
                    away -= weights[W_BURIED]
                if height - count == 1 and FIRST_DRAGON <= under < FLOWER:
                    freed = freed_bit(under)
                    away -= weights[W_BURIED]
            source = 0
            if head >= FIRST_DRAGON:
                source = FROM_BOTTOM if height == 1 else FROM_START
            for side in range(2):
                target = _target(space.end_of, head, side)
                if target == NONE:
                    continue
                on = target_card(head, side)
                first, second = recode(key_first, key_second, head, ON_NEXT_SUIT + side)
                second |= freed
                move = _pack(TO_CARD, head, on, 0)
                if exposes:
                    _with_automatic_moves(space, state, column, count, target, first, second, move)
                else:
                    total = away + weights[W_COVER] * next_cards[target] * count
                    _add(space, first, second, total, move)
            if empty != NONE and count < height:
                if head < FIRST_DRAGON:
                    first, second = recode(key_first, key_second, head, BOTTOM)
                else:
                    first, second = key_first, key_second | freed_bit(head)
                second |= freed
                move = _pack(TO_EMPTY_COLUMN, head, 0, source)
                if exposes:
                    _with_automatic_moves(space, state, column, count, empty, first, second, move)
                else:
                    _add(space, first, second, away + weights[W_COLUMNS], move)
            if count == 1 and board[FREE_CELLS] > 0:
                if head < FIRST_DRAGON:
                    first, second = recode(key_first, key_second, head, IN_CELL)
                else:
                    first, second = key_first, key_second | freed_bit(head)
                    second += in_cell_unit(head)
                second |= freed
                move = _pack(TO_CELL, head, 0, source)
                if exposes:
                    _with_automatic_moves(space, state, column, 1, NONE, first, second, move)
                else:
                    _add(space, first, second, away + weights[W_CELLS], move)
            if not runs_on:
                break
            count += 1
            head = under


@kernel
def _from_cells(space, state, empty, worth):
    """The children of moving the card of a cell to a column."""
    board, weights = space.board, space.weights
    key_first, key_second = space.keys[state, 0], space.keys[state, 1]
    worth -= weights[W_CELLS]
    for cell in range(3):
        card = np.int64(board[CELL + cell])
        if card == NONE:
            continue
        for side in range(2):
            target = _target(space.end_of, card, side)
            if target != NONE:
                first, second = recode(key_first, key_second, card, ON_NEXT_SUIT + side)
                total = worth + weights[W_COVER] * space.next_cards[target]
                move = _pack(TO_CARD, card, target_card(card, side), 0)
                _add(space, first, second, total, move)
        if empty != NONE:
            if card < FIRST_DRAGON:
                first, second = recode(key_first, key_second, card, BOTTOM)
            else:
                first, second = key_first, key_second - in_cell_unit(card)
            source = 0 if card < FIRST_DRAGON else FROM_CELL
            move = _pack(TO_EMPTY_COLUMN, card, 0, source)
            _add(space, first, second, worth + weights[W_COLUMNS], move)


@inline
def _target(end_of, card, side):
    """The column whose last card a card may lie on; NONE where there is none."""
    return np.int64(end_of[target_card(card, side)]) if card < LAST_RANK else np.int64(NONE)


@inline
def _exposed(space, state, column, cell, card):
    """Notes an exposed card, and the child of putting it up by hand."""
    if card >= FIRST_DRAGON:
        space.dragons[card - FIRST_DRAGON >> 2] += 1
    elif card >> 2 == space.board[TOP + (card & 3)]:
        _up(space, state, column, cell, card)


@kernel
def _expand(space, state):
    """Lists the children of a state."""
    board, counters = space.board, space.counters
    space.child[0], space.child[1] = space.keys[state, 0], space.keys[state, 1]
    decode(space.child, space.start, board, space.scratch)
    counters[CHILDREN] = 0
    empty = NONE
    for colour in range(3):
        space.dragons[colour] = 0
    for column in range(8):
        height = np.int64(board[HEIGHT + column])
        space.next_cards[column] = 0
        if height == 0:
            empty = column
            continue
        for place in range(height):
            card = np.int64(board[STRIDE * column + place])
            if card < FIRST_DRAGON and card >> 2 == board[TOP + (card & 3)]:
                space.next_cards[column] += 1
        card = np.int64(board[STRIDE * column + height - 1])
        space.end_of[card] = column
        _exposed(space, state, column, 0, card)
    dragon_in_cell = 0
    for cell in range(3):
        card = np.int64(board[CELL + cell])
        if card != NONE:
            _exposed(space, state, NONE, cell, card)
            if card >= FIRST_DRAGON:
                dragon_in_cell |= 1 << (card - FIRST_DRAGON >> 2)
    for colour in range(3):
        if space.dragons[colour] == 4 and (board[FREE_CELLS] > 0 or dragon_in_cell >> colour & 1):
            _begin(space, state)
            collect(space.after, space.child, colour)
            _finish(space, _pack(TO_COLLECTION, colour, 0, 0))
    worth = worth_of(board, space.keys[state, 0], space.keys[state, 1], space.weights)
    _from_columns(space, state, empty, worth)
    _from_cells(space, state, empty, worth)
    for column in range(8):
        height = np.int64(board[HEIGHT + column])
        if height > 0:
            space.end_of[board[STRIDE * column + height - 1]] = NONE


@kernel
def enter_start(space, first, second, worth):
    """Takes down the position that the search begins at."""
    space.counters[CHILDREN] = 0
    _add(space, first, second, worth, 0)
    enter_children(space.keys, space.nodes, space.table, space.queue, space.buckets,
                    space.weights, space.counters, space.child_keys, space.children,
                    NONE)  # fmt: skip


@kernel
def search(space, until):
    """Runs or goes on; returns WON, LOST, PAUSED, STATES_FULL, TABLE_FULL or QUEUE_FULL.

    until: pauses when this many states have been expanded.
    """
    counters = space.counters
    while True:
        if counters[WIN] != NONE:
            return WON
        if counters[EXPANDED] >= until:
            return PAUSED
        if counters[STATES] + MOST_CHILDREN > space.keys.shape[0]:
            return STATES_FULL
        if (counters[STATES] + MOST_CHILDREN) * 2 > space.table.shape[0]:
            return TABLE_FULL
        if counters[ENTRIES] + MOST_CHILDREN > space.queue.shape[0]:
            return QUEUE_FULL
        state = pop(space.queue, space.buckets, counters, space.nodes)
        if state == NONE:
            return LOST
        space.nodes[state, CLOSED] = 1
        counters[EXPANDED] += 1
        _expand(space, state)
        enter_children(space.keys, space.nodes, space.table, space.queue, space.buckets,
                        space.weights, counters, space.child_keys, space.children,
                        state)  # fmt: skip
