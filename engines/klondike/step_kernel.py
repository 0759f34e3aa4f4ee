"""Steps out of a state of the exact Klondike search, compiled.

layer_kernel.py says what a state is. `expand` finds what all steps out of one lead to, in the game
itself or where each talon card can be had at any time.
"""

import numpy as np

from engines.bits import lowest, population, prefetch
from engines.kernel import inline, kernel
from engines.klondike.free_talon_kernel import FREE_FULL, decide, free_talon_key
from engines.klondike.layer_kernel import (
    FLOOR,
    FREE_TALON,
    HEAD,
    HEIGHT_UNIT,
    KINGS,
    LAZY_TALON,
    NO_CARD,
    ONE,
    WORRYING_BACK,
    flood,
    floor_of,
    height_of,
    rise,
)
from engines.klondike.verdict_table_kernel import known_verdict
from engines.klondike.workspace_kernel import (
    DEPTH_SHIFT,
    DETAIL_SHIFT,
    FREE_TABLE_FULL,
    KIND_SHIFT,
    LOCKED_SHIFT,
    NEXT,
    NEXT_FULL,
    PAUSED,
    PLACES_SHIFT,
    REDEALS_SHIFT,
    STEPS_FULL,
    TALON_CARD,
    UNLIMITED,
    WASTE_SHIFT,
    home_of,
    key_of,
    layer_facts_of,
    locked_number_of,
    place_in_talon,
    places_of,
    slot_of,
    talon_numbers,
)

# Kinds of step; the detail is a column, and nothing for a talon card.
TALON_DOWN, HEAD_MOVE, TALON_UP, HEAD_UP, CARD_UP = range(5)
RUN_HEAD_MOVE, RUN_HEAD_UP, RUN_CARD_BACK, RUN_CARD_UP = range(5, 9)
"""CARD_UP, of a card that is no head, is a step only where worrying back is forbidden; its detail
is the suit. The last four begin with a run of talon cards that is put down; then a head (of the
column that is the detail) is put onto it or, being the twin of its last card, goes up, or a card
that is no head (of the suit that is the detail) is worried back onto it or goes up likewise."""

EVERY_PLACE = 0xFFFFFF

# Words of a step: what it is; the card put down or up first, as a set, the other talon cards of a
# run, and the card moved last; what holds after the step.
KIND, DETAIL, CARD, RUN, MOVED = range(5)
LOCKED, TALON, WASTE_LEFT, REDEALS_LEFT, IN_PLAY, HEAD_CARDS, HEADS = range(5, 12)
STEP_WORDS = 12


@inline
def _suit(card):
    """The suit of a card in a set."""
    return lowest(np.uint64(HEIGHT_UNIT[lowest(card)])) >> 2


@inline
def _branch(space, number, count, depth, rules):
    """Notes in Workspace.next_states what the steps lead to, from all heights that allow them.

    Heights next to each other from which a step can be made lead to one state (SOUNDNESS.md, 2);
    so the options of heights leave out what was possible at those they were reached from.

    number: of steps. count: of heights.
    """
    counters, next_states, steps = space.counters, space.next_states, space.steps
    found, options = space.layer.found, space.layer.options
    row = np.int64(0)
    for step in range(number):
        kind, card = steps[step, KIND], np.uint64(steps[step, CARD])
        locked, talon = steps[step, LOCKED], steps[step, TALON]
        waste, redeals = steps[step, WASTE_LEFT], steps[step, REDEALS_LEFT]
        in_play = np.uint64(steps[step, IN_PLAY])
        head_cards, heads = np.uint64(steps[step, HEAD_CARDS]), steps[step, HEADS]
        facts = (in_play, head_cards, heads, NO_CARD, NO_CARD)
        moved = np.uint64(steps[step, MOVED])
        unit = HEIGHT_UNIT[lowest(moved)]
        option, change = np.int64(0), np.int64(0)
        if kind == TALON_UP:
            option, change = np.int64(2), unit
        elif kind in (HEAD_UP, CARD_UP):
            option, change = np.int64(1), unit
        elif kind in (RUN_HEAD_UP, RUN_CARD_UP):
            option, change = np.int64(3), unit
        elif kind == RUN_CARD_BACK:
            option, change = np.int64(3), -unit
        run = np.uint64(steps[step, RUN])
        to_decide = rules & FREE_TALON and kind in (HEAD_MOVE, HEAD_UP, RUN_HEAD_MOVE, RUN_HEAD_UP)
        left = population(np.uint64(talon))
        places = space.reach[0, left, waste]
        if redeals > 0:
            places |= space.reach[1, left, waste]
        locked_number = locked_number_of(locked)
        for index in range(count):
            if options[index, option] & card == NO_CARD or options[index, 3] & run:
                continue
            if option == 3 and not _is_next(found[0], found[index], moved, change, rules):
                continue
            heights = found[index] + change
            risen = rise(heights, facts, rules)
            if to_decide:
                verdict = known_verdict(space.free.table, free_talon_key(locked, risen))
                if verdict < 0:
                    verdict = decide(space.free, space.deal, locked, risen, rules)
                if verdict == 0:
                    continue
            if row < next_states.shape[0]:
                key = key_of(locked_number, talon, risen, waste, redeals, rules)
                prefetch(space.table, home_of(space.table, key))
                next_states[row, 0] = key
                next_states[row, 1] = np.uint64(places)
                next_states[row, 2] = np.uint64(
                    talon | locked << LOCKED_SHIFT | waste << WASTE_SHIFT | redeals << REDEALS_SHIFT
                )
                next_states[row, 3] = np.uint64(
                    heights
                    | kind << KIND_SHIFT
                    | steps[step, DETAIL] << DETAIL_SHIFT
                    | (depth + 1) << DEPTH_SHIFT
                )
            row += 1
    counters[NEXT] = row


@inline
def _is_next(start, heights, card, change, rules):
    """Whether a card is next on its foundation or, if heights go down, on top above the floor."""
    place = lowest(card)
    suit = _suit(card)
    height = height_of(heights, suit)
    floor = floor_of(start) if rules & FLOOR else np.int64(0)
    if change > 0:
        return height == place >> 2
    return height == (place >> 2) + 1 and height > height_of(floor, suit)


@inline
def _all_options(layer, count):
    """The union of each kind of option over all heights found."""
    down, up, following = NO_CARD, NO_CARD, NO_CARD
    for index in range(count):
        down |= layer.options[index, 0]
        up |= layer.options[index, 1]
        following |= layer.options[index, 2]
    return down, up, following


@inline
def _write_step(steps, number, what, place, facts):
    """Writes a step; returns the number of steps after it."""
    steps[number, KIND], steps[number, DETAIL] = what[0], what[1]
    steps[number, CARD], steps[number, RUN], steps[number, MOVED] = what[2], what[3], what[4]
    steps[number, LOCKED], steps[number, TALON] = place[0], place[1]
    steps[number, WASTE_LEFT], steps[number, REDEALS_LEFT] = place[2], place[3]
    steps[number, IN_PLAY], steps[number, HEAD_CARDS] = facts[0], facts[1]
    steps[number, HEADS] = facts[2]
    return number + 1


@kernel
def _head_steps(deal, steps, number, place, facts, cards, kind, first, run):
    """Adds the steps that take one of these cards, a head, to the tableau or up.

    place: (locked, talon, waste, redeals left) now, facts: as for `rise`, now. first, run: a run of
    talon cards put down before, which place and facts count as done; else no cards.
    """
    locked, talon, waste, redeals = place
    in_play, head_cards, heads, _, _ = facts
    for column in range(7):
        count = locked >> 4 * column & 15
        card = deal[HEAD, 9 * column + count]
        if card & cards == NO_CARD:
            continue
        left = count - 1
        new_head = deal[HEAD, 9 * column + left]
        new_in_play, new_heads = in_play | new_head, heads
        if left == 1 and new_head & KINGS:
            left, new_head = np.int64(0), NO_CARD
        if left == 0:
            new_heads -= 1
        after = (locked - ((count - left) << 4 * column), talon, waste, redeals)
        facts_after = (new_in_play, (head_cards & ~card) | new_head, new_heads)
        what = (kind, column, first if first else card, run, card)
        number = _write_step(steps, number, what, after, facts_after)
    return number


@kernel
def _talon_steps(deal, reach, steps, number, place, facts, cards, places, kind):
    """Adds the steps that play one of these talon cards, if it lies at one of these places."""
    locked, talon, waste, redeals = place
    in_play, head_cards, heads, _, _ = facts
    size = population(np.uint64(talon))
    numbers = talon_numbers(deal, cards)
    while numbers:
        # From the bottom up, so that the highest is explored first: fewest states are met again so.
        number_in_talon = lowest(np.uint64(numbers))
        numbers &= numbers - 1
        at = place_in_talon(talon, number_in_talon)
        if not places >> at & 1:
            continue
        card = deal[TALON_CARD, number_in_talon]
        redeals_left = redeals
        if redeals != UNLIMITED and not reach[0, size, waste] >> at & 1:
            redeals_left -= 1
        after = (locked, talon ^ (np.int64(1) << number_in_talon), at, redeals_left)
        facts_after = (in_play | card, head_cards, heads)
        number = _write_step(
            steps, number, (kind, np.int64(0), card, NO_CARD, card), after, facts_after
        )
    return number


@kernel
def _run_steps(deal, runs, steps, number, place, facts, talon_cards, starts, rules):
    """Adds the steps that put a run of talon cards down, and onto it a card that is no talon card.

    starts: cards that a run can begin with. Returns the number of steps, -1 where there is no room.
    """
    locked, talon, _, redeals = place
    in_play, head_cards, heads, free_cards, at_hand = facts
    top = np.int64(0)
    while starts:
        card = starts & (~starts + ONE)
        starts ^= card
        runs[top, 0], runs[top, 1], runs[top, 2] = card, card, card
        top += 1
    while top:
        top -= 1
        first, last, cards = runs[top, 0], runs[top, 1], runs[top, 2]
        place_of_last = lowest(last)
        lying = NO_CARD
        if place_of_last >= 4:
            lying = np.uint64(3) << np.uint64((place_of_last & ~1) - 4)
        if number + 8 > steps.shape[0] or top + 2 > runs.shape[0]:
            return np.int64(-1)
        talon_after = talon & ~talon_numbers(deal, cards)
        # The waste size means nothing here, but it must not exceed what is left.
        after = (locked, talon_after, np.int64(0), redeals)
        facts_after = (in_play | cards, head_cards, heads, free_cards, at_hand)
        run = cards ^ first
        number = _head_steps(
            deal, steps, number, after, facts_after, lying & head_cards, RUN_HEAD_MOVE, first, run
        )
        twin = (last << ONE if place_of_last & 1 == 0 else last >> ONE) & in_play
        number = _head_steps(
            deal, steps, number, after, facts_after, twin & head_cards, RUN_HEAD_UP, first, run
        )
        if twin & ~head_cards:
            what = (RUN_CARD_UP, _suit(twin), first, run, twin)
            number = _write_step(steps, number, what, after, facts_after)
        back = lying & in_play & ~head_cards if rules & WORRYING_BACK else NO_CARD
        while back:
            card = back & (~back + ONE)
            back ^= card
            what = (RUN_CARD_BACK, _suit(card), first, run, card)
            number = _write_step(steps, number, what, after, facts_after)
        longer = lying & talon_cards
        while longer:
            card = longer & (~longer + ONE)
            longer ^= card
            runs[top, 0], runs[top, 1], runs[top, 2] = first, card, cards | card
            top += 1
    return number


@kernel
def _card_steps(steps, number, place, facts, cards):
    """Adds single cards going up, where that cannot be undone."""
    while cards:
        card = cards & (~cards + ONE)
        cards ^= card
        number = _write_step(
            steps, number, (CARD_UP, _suit(card), card, NO_CARD, card), place, facts
        )
    return number


@inline
def expand(space, layer, rest, any_place, rules):
    """Notes in Workspace.next_states what the steps out of an entry lead to.

    any_place: whether each talon card can be had at any time. Returns PAUSED, or which part of the
    workspace is too small.
    """
    counters, table, deal = space.counters, space.table, space.deal
    talon, locked = layer & 0xFFFFFF, layer >> LOCKED_SHIFT & 0xFFFFFFF
    waste, redeals = layer >> WASTE_SHIFT & 31, layer >> REDEALS_SHIFT & 31
    places = EVERY_PLACE if any_place else rest >> PLACES_SHIFT & EVERY_PLACE
    depth = rest >> DEPTH_SHIFT
    facts, talon_cards = layer_facts_of(deal, locked, talon, any_place)
    head_cards = facts[1]
    risen = rise(rest & 0xFFFF, facts, rules)
    count, safe = flood(space.layer, risen, facts, rules)
    down, up, following = _all_options(space.layer, count)
    single = NO_CARD
    if not safe and not rules & WORRYING_BACK:
        single = up & ~head_cards
    if not any_place and ((down | up) & head_cards) | single == NO_CARD:
        # Only talon cards can be played: places without such a card need no visit.
        key = key_of(locked_number_of(locked), talon, risen, waste, redeals, rules)
        slot = slot_of(table, key)
        if table[slot, 0] != NO_CARD:
            useful = places_of(talon, talon_numbers(deal, talon_cards & (down | following)))
            table[slot, 1] |= np.uint64(EVERY_PLACE & ~useful)
    place = (locked, talon, waste, redeals)
    reach, steps = space.reach, space.steps
    cards = talon_cards & down
    if any_place and rules & LAZY_TALON:
        number = _run_steps(deal, space.runs, steps, 0, place, facts, talon_cards, cards, rules)
        if number < 0 or number + 40 > steps.shape[0]:
            return STEPS_FULL
    else:
        number = _talon_steps(deal, reach, steps, 0, place, facts, cards, places, TALON_DOWN)
    number = _head_steps(
        deal, steps, number, place, facts, head_cards & down, HEAD_MOVE, NO_CARD, NO_CARD
    )
    if not safe or any_place:
        cards = talon_cards & following
        number = _talon_steps(deal, reach, steps, number, place, facts, cards, places, TALON_UP)
    number = _card_steps(steps, number, place, facts, single)
    number = _head_steps(
        deal, steps, number, place, facts, head_cards & up, HEAD_UP, NO_CARD, NO_CARD
    )
    _branch(space, number, count, depth, rules)
    if space.free.counters[FREE_FULL]:
        return FREE_TABLE_FULL
    if counters[NEXT] > space.next_states.shape[0]:
        return NEXT_FULL
    return PAUSED
