"""Klondike positions and the significant actions in them, compiled.

A position is one row of int8[ROW_SIZE] (layout below). The stock is not played card by card: the
talon keeps its cards in drawing order, and an action takes any card that drawing can reach.

An action is an int64: kind, then three 8-bit fields, described with the kinds.
"""

import numpy as np

from engines.kernel import inline, kernel

# A position row: foundation heights by suit, face-down cards and all cards by column, the waste
# size, the talon size (waste and stock), redeals left (UNLIMITED for no limit), talon, columns.
FOUNDATION, DOWN, SIZE = 0, 4, 11
WASTE, TALON_SIZE, REDEALS = 18, 19, 20
TALON, CARDS, COLUMN_STRIDE = 24, 48, 20
ROW_SIZE = 192
UNLIMITED = -1

# Kinds of action and their fields. "reach" is a waste size to draw to; LATER is added to it when
# that needs the waste to be turned over first.
NONE = 0
UP = 1  # column: its top card to the foundation
RUN = 2  # column, target: its whole face-up run to another column
PART = 3  # column, target, kept: the part of a run above `kept` cards; the card uncovered goes up
TALON_UP = 4  # reach: a talon card to its foundation
TALON_DOWN = 5  # reach, target: a talon card to a column
BACK_RUN = 6  # suit, target, column: a foundation card to `target`, the run of `column` onto it
BACK_TALON = 7  # suit, target, reach: a foundation card to `target`, a talon card onto it
LATER = 128

# Scratch of `significant_action`, int64[SCRATCH_SIZE]: from 0 the columns that take a card, as
# bits, by rank and colour of the card (`_place`); the waste sizes that drawing can reach; and how
# many these are.
_PLACES, _REACH, _REACH_COUNT, SCRATCH_SIZE = 28, 28, 76, 77
_KINGS = 24


@inline
def _action(kind, first, second, third):
    return kind | first << 8 | second << 16 | third << 24


@inline
def _field(action, number):
    return action >> (8 * number) & 0xFF


@inline
def _red(card):
    return (card ^ card >> 1) & 1


@inline
def _place(card):
    """The index in `scratch` of the columns that may take a card."""
    return (card >> 2) * 2 + _red(card)


@inline
def _lowest_bit(bits):
    index = 0
    while not bits >> index & 1:
        index += 1
    return index


@inline
def _top(rows, row, column):
    size = rows[row, SIZE + column]
    return np.int64(rows[row, CARDS + COLUMN_STRIDE * column + size - 1])


@inline
def _run_head(rows, row, column):
    down = rows[row, DOWN + column]
    return np.int64(rows[row, CARDS + COLUMN_STRIDE * column + down])


@inline
def _goes_up(rows, row, card):
    return rows[row, FOUNDATION + (card & 3)] == card >> 2


@kernel
def _never_needed(rows, row, card):
    """Whether nothing can be gained by keeping a card off its foundation, or by taking it back.

    Only the cards one rank lower of the other colour can lie on it. They are all up or next; and
    what could lie on those, the card two ranks lower of its own colour in the other suit, is up or
    next too. So any card that might use the place can go up instead, even with worrying back.
    """
    rank = card >> 2
    suit = card & 3
    if _red(card):
        other_colour = min(rows[row, 0], rows[row, 3])
    else:
        other_colour = min(rows[row, 1], rows[row, 2])
    return other_colour >= rank - 1 and rows[row, 3 - suit] >= rank - 2


@kernel
def _find_acceptors(rows, row, scratch):
    for place in range(_PLACES):
        scratch[place] = 0
    for column in range(7):
        if rows[row, SIZE + column] == 0:
            scratch[_KINGS] |= 1 << column
            scratch[_KINGS + 1] |= 1 << column
        else:
            card = _top(rows, row, column)
            if card >> 2 > 0:
                scratch[((card >> 2) - 1) * 2 + 1 - _red(card)] |= 1 << column
    # One empty column is as good as another.
    scratch[_KINGS] &= -scratch[_KINGS]
    scratch[_KINGS + 1] &= -scratch[_KINGS + 1]


@kernel
def _find_reach(rows, row, draw, scratch):
    """The waste sizes whose top card can be played, in the order in which drawing meets them."""
    size = np.int64(rows[row, TALON_SIZE])
    waste = np.int64(rows[row, WASTE])
    found = 0
    if size > 0:
        count = waste if waste > 0 else min(draw, size)
        while True:
            scratch[_REACH + found] = count
            found += 1
            if count == size:
                break
            count = min(count + draw, size)
        if rows[row, REDEALS] != 0:
            count = draw
            while count < size and not (waste % draw == 0 and count >= waste):
                scratch[_REACH + found] = count | LATER
                found += 1
                count += draw
    scratch[_REACH_COUNT] = found


@inline
def _talon_card(rows, row, reach):
    return np.int64(rows[row, TALON + (reach & ~LATER) - 1])


@kernel
def _king_waits(rows, row):
    """Whether a king could use an empty column: one in the talon or not at a column's bottom."""
    for index in range(rows[row, TALON_SIZE]):
        if rows[row, TALON + index] >= 48:
            return True
    for column in range(7):
        for index in range(1, rows[row, SIZE + column]):
            if rows[row, CARDS + COLUMN_STRIDE * column + index] >= 48:
                return True
    return False


@kernel
def forced_action(rows, row):
    """The top card of a column that goes up without asking, since it is never needed below."""
    for column in range(7):
        if rows[row, SIZE + column] > 0:
            card = _top(rows, row, column)
            if _goes_up(rows, row, card) and _never_needed(rows, row, card):
                return _action(UP, column, 0, 0)
    return NONE


@kernel
def _reveals(rows, row, scratch, skips):
    """Runs that turn a card up, from the right: the columns with most cards face down first."""
    for column in range(6, -1, -1):
        if rows[row, DOWN + column] > 0:
            targets = scratch[_place(_run_head(rows, row, column))]
            while targets:
                if skips == 0:
                    return _action(RUN, column, _lowest_bit(targets), 0), skips
                skips -= 1
                targets &= targets - 1
    return NONE, skips


@kernel
def _ups(rows, row, skips):
    for column in range(7):
        if rows[row, SIZE + column] > 0 and _goes_up(rows, row, _top(rows, row, column)):
            if skips == 0:
                return _action(UP, column, 0, 0), skips
            skips -= 1
    return NONE, skips


@kernel
def _talon_ups(rows, row, scratch, skips):
    for index in range(scratch[_REACH_COUNT]):
        if _goes_up(rows, row, _talon_card(rows, row, scratch[_REACH + index])):
            if skips == 0:
                return _action(TALON_UP, scratch[_REACH + index], 0, 0), skips
            skips -= 1
    return NONE, skips


@kernel
def _talon_downs(rows, row, scratch, skips):
    for index in range(scratch[_REACH_COUNT]):
        targets = scratch[_place(_talon_card(rows, row, scratch[_REACH + index]))]
        while targets:
            if skips == 0:
                return _action(TALON_DOWN, scratch[_REACH + index], _lowest_bit(targets), 0), skips
            skips -= 1
            targets &= targets - 1
    return NONE, skips


@kernel
def _parts(rows, row, scratch, skips):
    """Parts of runs that uncover a card which then goes up."""
    for column in range(7):
        first = CARDS + COLUMN_STRIDE * column
        for kept in range(rows[row, DOWN + column] + 1, rows[row, SIZE + column]):
            if _goes_up(rows, row, rows[row, first + kept - 1]):
                targets = scratch[_place(rows[row, first + kept])] & ~(1 << column)
                while targets:
                    if skips == 0:
                        return _action(PART, column, _lowest_bit(targets), kept), skips
                    skips -= 1
                    targets &= targets - 1
    return NONE, skips


@kernel
def _emptyings(rows, row, scratch, skips):
    """Runs that leave their column empty, where a king waits for one."""
    if not _king_waits(rows, row):
        return NONE, skips
    for column in range(7):
        if rows[row, DOWN + column] == 0 and rows[row, SIZE + column] > 0:
            head = _run_head(rows, row, column)
            if head < 48:
                targets = scratch[_place(head)]
                while targets:
                    if skips == 0:
                        return _action(RUN, column, _lowest_bit(targets), 0), skips
                    skips -= 1
                    targets &= targets - 1
    return NONE, skips


@kernel
def _backs(rows, row, scratch, skips):
    """Cards worried back to take a run that turns a card up, or a card of the talon."""
    for suit in range(4):
        height = np.int64(rows[row, FOUNDATION + suit])
        if height < 2:
            continue
        card = (height - 1) * 4 + suit
        targets = scratch[_place(card)]
        if targets == 0 or _never_needed(rows, row, card):
            continue
        target = _lowest_bit(targets)
        follower = (height - 2) * 2 + 1 - _red(card)
        for column in range(7):
            if column == target or rows[row, DOWN + column] == 0:
                continue
            if _place(_run_head(rows, row, column)) == follower:
                if skips == 0:
                    return _action(BACK_RUN, suit, target, column), skips
                skips -= 1
        for index in range(scratch[_REACH_COUNT]):
            if _place(_talon_card(rows, row, scratch[_REACH + index])) == follower:
                if skips == 0:
                    return _action(BACK_TALON, suit, target, scratch[_REACH + index]), skips
                skips -= 1
    return NONE, skips


@kernel
def significant_action(rows, row, scratch, draw, worrying_back, skips):
    """The action of a position that comes after `skips` others in the order of preference.

    The order: turn a card up; play to a foundation from the tableau, then from the talon; play from
    the talon to the tableau; part a run so that a card goes up; empty a column for a king; worry
    a card back for a reveal or a talon card. NONE when there are no more.
    """
    _find_acceptors(rows, row, scratch)
    action, skips = _reveals(rows, row, scratch, skips)
    if action == NONE:
        action, skips = _ups(rows, row, skips)
    if action == NONE:
        _find_reach(rows, row, draw, scratch)
        action, skips = _talon_ups(rows, row, scratch, skips)
    if action == NONE:
        action, skips = _talon_downs(rows, row, scratch, skips)
    if action == NONE:
        action, skips = _parts(rows, row, scratch, skips)
    if action == NONE:
        action, skips = _emptyings(rows, row, scratch, skips)
    if action == NONE and worrying_back:
        action, skips = _backs(rows, row, scratch, skips)
    return action


@inline
def _turn_up(rows, row, column):
    if rows[row, SIZE + column] == rows[row, DOWN + column] and rows[row, DOWN + column] > 0:
        rows[row, DOWN + column] -= 1


@inline
def _push(rows, row, column, card):
    rows[row, CARDS + COLUMN_STRIDE * column + rows[row, SIZE + column]] = card
    rows[row, SIZE + column] += 1


@kernel
def _top_up(rows, row, column):
    card = _top(rows, row, column)
    rows[row, SIZE + column] -= 1
    rows[row, FOUNDATION + (card & 3)] += 1
    _turn_up(rows, row, column)


@kernel
def _move_run(rows, row, column, target, kept):
    for index in range(kept, rows[row, SIZE + column]):
        _push(rows, row, target, rows[row, CARDS + COLUMN_STRIDE * column + index])
    rows[row, SIZE + column] = kept
    _turn_up(rows, row, column)


@kernel
def _take(rows, row, draw, reach):
    """Takes a talon card out; returns it and the draws and redeals spent on reaching it."""
    count = reach & ~LATER
    waste = np.int64(rows[row, WASTE])
    size = np.int64(rows[row, TALON_SIZE])
    if reach & LATER:
        spent = (size - waste + draw - 1) // draw + 1 + (count + draw - 1) // draw
        if rows[row, REDEALS] > 0:
            rows[row, REDEALS] -= 1
    else:
        spent = (count - waste + draw - 1) // draw
    card = rows[row, TALON + count - 1]
    for index in range(count, size):
        rows[row, TALON + index - 1] = rows[row, TALON + index]
    rows[row, TALON_SIZE] = size - 1
    rows[row, WASTE] = count - 1
    return card, spent


@kernel
def _worry_back(rows, row, suit, target):
    rows[row, FOUNDATION + suit] -= 1
    _push(rows, row, target, rows[row, FOUNDATION + suit] * 4 + suit)


@kernel
def apply_action(rows, row, draw, action):
    """Plays an action in place; returns the number of ordinary moves it stands for."""
    kind = action & 0xFF
    first, second, third = _field(action, 1), _field(action, 2), _field(action, 3)
    if kind == UP:
        _top_up(rows, row, first)
        return 1
    if kind == RUN:
        _move_run(rows, row, first, second, np.int64(rows[row, DOWN + first]))
        return 1
    if kind == PART:
        _move_run(rows, row, first, second, third)
        _top_up(rows, row, first)
        return 2
    if kind == TALON_UP:
        card, spent = _take(rows, row, draw, first)
        rows[row, FOUNDATION + (card & 3)] += 1
        return spent + 1
    if kind == TALON_DOWN:
        card, spent = _take(rows, row, draw, first)
        _push(rows, row, second, card)
        return spent + 1
    _worry_back(rows, row, first, second)
    if kind == BACK_RUN:
        _move_run(rows, row, third, second, np.int64(rows[row, DOWN + third]))
        return 2
    card, spent = _take(rows, row, draw, third)
    _push(rows, row, second, card)
    return spent + 2


@inline
def cards_up(rows, row):
    """Cards on the foundations of a position; 52 when it is won."""
    return (
        np.int64(rows[row, FOUNDATION])
        + rows[row, FOUNDATION + 1]
        + rows[row, FOUNDATION + 2]
        + rows[row, FOUNDATION + 3]
    )
