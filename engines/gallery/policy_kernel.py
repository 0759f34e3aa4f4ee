"""Informed random games, compiled: moves drawn with weights that depend on what a move does.

The weight of a move is the product of the entries of a table that `card_features` or
`deal_feature` names; policy.py says what they stand for and where the table comes from.
"""

import numpy as np

from engines.bits import lowest, population
from engines.gallery.play_kernel import (
    BUILD,
    EMPTY,
    FIRST_BASE,
    FIRST_BUILT,
    FULL,
    GALLERY_PLACES,
    LEFT,
    NO_CARD,
    OPEN,
    OPEN_TWICE,
    PILES,
    PLACED,
    READY,
    STOCK,
    TOPS,
    bit_of,
    deal_known,
    deal_random,
    dominant_card,
    play,
    playable,
    playable_count,
    score_of,
)
from engines.kernel import inline, kernel
from engines.streams import next_word

_ONE, _ZERO, _BYTE = np.uint64(1), np.uint64(0), np.uint64(255)
_BASES = np.uint64(15)
_WORD = 2.0**-64

# Groups of entries of the table; a card has one entry of each, a deal one of DEALS.
TWINS, TWIN_ENTRIES = 0, 112
UNCOVERS, UNCOVER_ENTRIES = 112, 60
FOLLOWS, FOLLOW_ENTRIES = 172, 40
RIVALS, RIVAL_ENTRIES = 212, 33
BURIED, BURIED_ENTRIES = 245, 16
DEALS, DEAL_ENTRIES = 261, 40
ENTRIES = 301
CARD_FEATURES = 5


@inline
def _height(card):
    """0 for a base card to 3 for a jack, queen or king."""
    return ((card >> 2) - 1) // 3


@kernel
def twin_state(board, number):
    """0 in place, 1 in the stock, 2 on top of a pile, 3 misplaced, 4 buried, 5 buried under it,
    6 buried under a higher card of its sequence."""
    words = board.words
    twin = number ^ 64
    copy, bit = twin >> 6, bit_of(twin)
    if words[PLACED + copy] & bit:
        return 0
    if words[STOCK + copy] & bit:
        return 1
    where = board.where[twin]
    if where < GALLERY_PLACES:
        return 3
    if words[READY + copy] & bit:
        return 2
    card = number & 63
    above = np.int64(words[TOPS] >> np.uint64(8 * (where - GALLERY_PLACES)) & _BYTE)
    state = 4
    while above != twin:
        other = above & 63
        if above == number:
            return 5
        if other > card and (other - card) % BUILD == 0:
            state = 6
        above = board.under[above]
    return state


@kernel
def card_features(board, number, found):
    """Writes the entries of the table for a playable card to found[0..CARD_FEATURES-1]."""
    words = board.words
    card, bit = number & 63, bit_of(number)
    height = _height(card)
    source = board.where[number]
    from_pile = 1 if source >= GALLERY_PLACES else 0
    twice = 1 if card >= FIRST_BUILT and words[OPEN_TWICE] & bit else 0
    twin = twin_state(board, number)
    found[0] = TWINS + ((twin * 2 + twice) * 2 + from_pile) * 4 + height
    following = bit << np.uint64(BUILD) if card < FULL - BUILD else _ZERO
    # What lies under it.
    if from_pile:
        under = board.under[number]
        if under == NO_CARD:
            found[1] = UNCOVERS + 1
            found[4] = BURIED + 1
        else:
            other = under & 63
            goes = 1 if (words[OPEN] | following) & bit_of(under) else 0
            placed = 0
            other_bit = bit_of(under)
            if words[PLACED] & other_bit or words[PLACED + 1] & other_bit:
                placed = 1
            depth, low = 0, 4
            each = under
            while each != NO_CARD:
                depth += 1
                low = min(low, _height(each & 63))
                each = board.under[each]
            depth = min(depth, 6) - 1
            found[1] = UNCOVERS + 4 + ((depth * 2 + goes) * 2 + placed) * 2
            if other < FIRST_BUILT:
                found[1] += 1
            found[4] = BURIED + 2 + low * 3 + min(depth, 2)
    else:
        found[1] = UNCOVERS
        found[4] = BURIED
    # What may follow on it.
    if following == _ZERO:
        found[2] = FOLLOWS
    else:
        ready = 0
        hidden = 0
        for copy in range(2):
            if words[READY + copy] & following:
                ready += 1
            elif words[STOCK + copy] & following:
                hidden += 1
        already = 1 if words[OPEN] & following else 0
        found[2] = FOLLOWS + 1 + ((ready * 3 + hidden) * 2 + already) * 2 + from_pile
    # Who else wants the place.
    if card < FIRST_BUILT:
        row = (card >> 2) - 1
        bases = _BASES << np.uint64(FIRST_BASE + 4 * row)
        empty = min(np.int64(words[EMPTY] >> np.uint64(8 * row) & _BYTE), 4)
        wanting = population(words[READY] & bases) + population(words[READY + 1] & bases)
        found[3] = RIVALS + 1 + ((empty - 1) * 4 + min(wanting, 4) - 1) * 2 + from_pile
    else:
        found[3] = RIVALS


@inline
def deal_feature(board):
    """The entry of the table for a deal."""
    deals_left = np.int64(board.words[LEFT]) // PILES
    return DEALS + (deals_left - 1) * 4 + min(playable_count(board.words), 3)


@kernel
def list_choices(board, table, numbers, weights, found):
    """Lists the playable cards, then NO_CARD if a deal is allowed; how many, and their weights.

    weights: of each and all before it. found: the features, int64[choices, CARD_FEATURES].
    """
    words = board.words
    count, total = 0, 0.0
    for copy in range(2):
        cards = playable(words, copy)
        while cards:
            number = 64 * copy + lowest(cards)
            cards &= cards - _ONE
            entries = found[count]
            card_features(board, number, entries)
            total += (
                table[entries[0]]
                * table[entries[1]]
                * table[entries[2]]
                * table[entries[3]]
                * table[entries[4]]
            )
            numbers[count], weights[count] = number, total
            count += 1
    if words[LEFT] != _ZERO:
        found[count, 0] = deal_feature(board)
        total += table[found[count, 0]]
        numbers[count], weights[count] = NO_CARD, total
        count += 1
    return count


@inline
def draw(stream, weights, count):
    """An index, drawn with these cumulated weights."""
    roll = np.float64(next_word(stream)) * _WORD * weights[count - 1]
    chosen = 0
    while chosen < count - 1 and roll >= weights[chosen]:
        chosen += 1
    return chosen


@kernel
def finish_informed(board, table, numbers, weights, found, known, stream):
    """Plays weighted random moves to the end of the game; the score.

    known: whether the stock is dealt in its order, else at random.
    """
    while True:
        number = dominant_card(board.words)
        if number != NO_CARD:
            play(board, number)
            continue
        count = list_choices(board, table, numbers, weights, found)
        if count == 0:
            return score_of(board.words)
        chosen = draw(stream, weights, count) if count > 1 else 0
        if numbers[chosen] != NO_CARD:
            play(board, numbers[chosen])
        elif known:
            deal_known(board)
        else:
            deal_random(board, stream)
