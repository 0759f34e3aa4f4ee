"""Layers of Klondike states, compiled: the heights that moves which can be undone lead to.

What a state knows, and SOUNDNESS.md shows to be enough:

- locked: for each column how many of its dealt cards have never been moved: those face down and
  the *head*, the face-up card over them. A king at the bottom of its column is not counted.
- talon: which of its cards are left, as a set, and the waste size.
- heights: how many cards each foundation holds, four bits a suit.

Which column a card lies on is not known. A *layer* is what is fixed by locked and talon: the same
cards are in play, and heights change by moves that can be undone. Only a *step* leaves a layer, for
good: a head is moved or goes up, or a talon card is played.

Cards in play are bits of a uint64: 4 * rank + 2 * lane + twin. The lane is the colour, with the
colours of odd ranks exchanged: so a card lies on the cards of its lane four bits up, and the two
cards of one rank and colour, its *twins*, are neighbours.
"""

import numpy as np

from engines.bits import lowest, population
from engines.cards import PACK_SIZE, is_red, rank_of, suit_of
from engines.kernel import inline, kernel

_TWIN = (0, 0, 1, 1)


def card_bit(card: int) -> int:
    """The place of a card in a set of cards."""
    lane = is_red(card) ^ (rank_of(card) & 1)
    return 4 * rank_of(card) + 2 * lane + _TWIN[suit_of(card)]


def _tables() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    up, following = np.zeros((4, 14), np.uint64), np.zeros((4, 14), np.uint64)
    unit = np.zeros(PACK_SIZE, np.int64)
    for suit in range(4):
        for rank in range(13):
            bit = card_bit(4 * rank + suit)
            following[suit, rank] = 1 << bit
            up[suit, rank + 1] = int(up[suit, rank]) | 1 << bit
            unit[bit] = 1 << 4 * suit
    return up, following, unit


_UP, _FOLLOWING, HEIGHT_UNIT = _tables()
"""By suit and height: the cards up, and the next card. By bit: what its card adds to heights."""

EVERY_CARD = np.uint64((1 << PACK_SIZE) - 1)
_FIRST_TWINS = np.uint64(0x5555555555555)
KINGS = np.uint64(0xF << 48)
NO_CARD, ONE, _FOUR = np.uint64(0), np.uint64(1), np.uint64(4)

# The argument `rules` of the functions below: what the game allows, and what the search makes use
# of; the latter change no verdict.
WORRYING_BACK = 1
FLOOR = 2  # a card below the floor goes up at once and stays there
MERGED_TALON = 4  # the waste is no part of a state
DEAD_TEST = 8  # a position is tested for being dead before a long search (exact.py)
ALL_RULES = WORRYING_BACK | FLOOR | MERGED_TALON | DEAD_TEST


@inline
def height_of(heights, suit):
    """The height of one foundation."""
    return heights >> 4 * suit & 15


@inline
def cards_up(heights):
    """The cards on the foundations."""
    return (
        _UP[0, heights & 15]
        | _UP[1, heights >> 4 & 15]
        | _UP[2, heights >> 8 & 15]
        | _UP[3, heights >> 12 & 15]
    )


@inline
def next_cards(heights):
    """The cards that are next on a foundation."""
    return (
        _FOLLOWING[0, heights & 15]
        | _FOLLOWING[1, heights >> 4 & 15]
        | _FOLLOWING[2, heights >> 8 & 15]
        | _FOLLOWING[3, heights >> 12 & 15]
    )


@kernel
def floor_of(heights):
    """Heights below which no card need ever be taken back (SOUNDNESS.md, the floor)."""
    clubs, diamonds = heights & 15, heights >> 4 & 15
    hearts, spades = heights >> 8 & 15, heights >> 12 & 15
    black, red = min(clubs, spades) + 2, min(diamonds, hearts) + 2
    return (
        min(clubs, red, spades + 3)
        | min(diamonds, black, hearts + 3) << 4
        | min(hearts, black, diamonds + 3) << 8
        | min(spades, red, clubs + 3) << 12
    )


@inline
def uncovered_cards(visible, placed):
    """Cards of which, twins being exchangeable, one can be had on top of its column.

    Of each rank and colour, visible cards less the cards that lie on them: more than none are left
    unless both numbers are equal. Their parities tell, but for two and none.
    """
    lying = placed << _FOUR
    parity = (visible ^ (visible >> ONE) ^ lying ^ (lying >> ONE)) & _FIRST_TWINS
    both = visible & (visible >> ONE) & ~(lying | (lying >> ONE)) & _FIRST_TWINS
    found = parity | both
    return found | (found << ONE)


@inline
def is_marked(marks, side, heights):
    """Whether heights are in a set of them, marks[side]."""
    return marks[side, heights >> 6] >> np.uint64(heights & 63) & ONE != NO_CARD


@inline
def mark(marks, side, heights):
    """Puts heights into the set."""
    marks[side, heights >> 6] |= ONE << np.uint64(heights & 63)


@inline
def unmark(marks, side, heights):
    """Takes heights out of the set."""
    marks[side, heights >> 6] &= ~(ONE << np.uint64(heights & 63))


@inline
def room_for(uncovered, placed, heads):
    """Cards for which the tableau has a place: an uncovered card to lie on, or an empty column."""
    cards = uncovered >> _FOUR
    if heads + population(placed & KINGS) < 7:
        cards |= KINGS
    return cards


@kernel
def _spread(found, marks, side, base, start, in_play, head_cards, heads, rules):
    """One try of `flood`. Returns the count, the least heights, and where to start anew or -1."""
    floor = floor_of(start) if rules & FLOOR else np.int64(0)
    least = start
    found[side, base] = start
    mark(marks, side, start)
    count, index = np.int64(1), np.int64(0)
    while index < count:
        heights = found[side, base + index]
        index += 1
        visible = in_play & ~cards_up(heights)
        placed = visible & ~head_cards
        uncovered = uncovered_cards(visible, placed)
        ups = placed & uncovered & next_cards(heights)
        while ups:
            unit = HEIGHT_UNIT[lowest(ups)]
            ups &= ups - ONE
            higher = heights + unit
            if rules & WORRYING_BACK:
                if rules & FLOOR and floor_of(higher) != floor:
                    return count, least, higher
                if not is_marked(marks, side, higher):
                    mark(marks, side, higher)
                    found[side, base + count] = higher
                    count += 1
            elif rules & FLOOR and (floor_of(higher) ^ higher) & 15 * unit == 0:
                return count, least, higher
        if rules & WORRYING_BACK:
            room = room_for(uncovered, placed, heads)
            for suit in range(4):
                height = height_of(heights, suit)
                if height > height_of(floor, suit) and _FOLLOWING[suit, height - 1] & room:
                    lower = heights - (np.int64(1) << 4 * suit)
                    if not is_marked(marks, side, lower):
                        mark(marks, side, lower)
                        found[side, base + count] = lower
                        count += 1
                        least = min(least, lower)
    return count, least, np.int64(-1)


@kernel
def flood(found, marks, side, base, start, in_play, head_cards, heads, rules):
    """All heights of a layer that moves which can be undone reach from `start`.

    Cards below the floor are left where they are. When a card that goes up raises the floor, only
    what lies beyond counts, and the flood starts anew from there. Without worrying back the heights
    are `start` alone, after all cards that nothing can need have gone up.

    Writes them to found[side] from `base` and marks them; returns their number and the least. The
    number is 0 where the flood runs into one that is marked already.
    """
    while True:
        count, least, higher = _spread(
            found, marks, side, base, start, in_play, head_cards, heads, rules
        )
        if higher < 0:
            return count, least
        for index in range(count):
            unmark(marks, side, found[side, base + index])
        if is_marked(marks, side, higher):
            return np.int64(0), least
        start = higher
