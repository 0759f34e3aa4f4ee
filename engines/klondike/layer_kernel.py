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

from typing import NamedTuple

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

# Rows of a deal, by 9 * column + locked: the cards face down, and the head; none for locked 0.
FACE_DOWN, HEAD = 0, 1

# The argument `rules` of the functions below: what the game allows, and what the search makes use
# of; the latter change no verdict.
WORRYING_BACK = 1
FLOOR = 2  # a card below the floor goes up at once and stays there
MERGED_TALON = 4  # the waste is no part of a state
DEAD_TEST = 8  # a position is tested for being dead before a long search (exact.py)
FREE_TALON = 16  # a state is left out that could not be won if talon cards needed no place
LAZY_TALON = 32  # where any talon card can be had, one is put down only for another to lie on it
OPEN_TALON = 64  # a state is left out that could not be won if each talon card could be had at once
ALL_RULES = 2 * OPEN_TALON - 1


class Layer(NamedTuple):
    """What `flood` finds.

    found: int64[2**16], heights. options: uint64[2**16, 4], beside each the sets of cards that can
    be put down, heads and placed cards that can go up, and cards next on a foundation; of these
    only those that were not so at the heights from which these were reached. The last one: all
    cards that can be put down.
    marks: uint64[2**10], heights found already, as bits; 0 between calls.
    """

    found: np.ndarray
    options: np.ndarray
    marks: np.ndarray


@inline
def scattered(key):
    """A key with its bits mixed, the low ones of which are a place in a table."""
    word = (key ^ (key >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return word ^ (word >> np.uint64(32))


@inline
def face_down_and_heads(deal, locked):
    """The cards face down, the heads, and how many heads there are."""
    face_down, head_cards, heads = NO_CARD, NO_CARD, np.int64(0)
    for column in range(7):
        count = locked >> 4 * column & 15
        face_down |= deal[FACE_DOWN, 9 * column + count]
        head_cards |= deal[HEAD, 9 * column + count]
        heads += count > 0
    return face_down, head_cards, heads


@inline
def height_of(heights, suit):
    """The height of one foundation."""
    return heights >> 4 * suit & 15


@inline
def _of_all_suits(table, heights):
    """The union of a table's sets, by suit and height, over the suits."""
    return (
        table[0, heights & 15]
        | table[1, heights >> 4 & 15]
        | table[2, heights >> 8 & 15]
        | table[3, heights >> 12 & 15]
    )


@inline
def cards_up(heights):
    """The cards on the foundations."""
    return _of_all_suits(_UP, heights)


@inline
def next_cards(heights):
    """The cards that are next on a foundation."""
    return _of_all_suits(_FOLLOWING, heights)


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
def room_for(uncovered, placed, heads):
    """Cards for which the tableau has a place: an uncovered card to lie on, or an empty column."""
    cards = uncovered >> _FOUR
    if heads + population(placed & KINGS) < 7:
        cards |= KINGS
    return cards


@kernel
def safe_cards(cards, heights):
    """Of some cards that are next on their foundations, those that nothing can need when up."""
    safe = NO_CARD
    while cards:
        card = cards & (~cards + ONE)
        cards ^= card
        unit = HEIGHT_UNIT[lowest(card)]
        higher = heights + unit
        if (floor_of(higher) ^ higher) & 15 * unit == 0:
            safe |= card
    return safe


@inline
def rise(heights, facts, rules):
    """The heights after cards have gone up as long as that can be undone, or costs nothing.

    facts: (cards in play, heads among them, number of heads, cards that need no place, cards out of
    play that can go up at any time).
    """
    in_play, head_cards, _, free_cards, _ = facts
    ups = ONE
    while ups:
        visible = in_play & ~cards_up(heights)
        uncovered = uncovered_cards(visible, visible & ~(head_cards | free_cards))
        ups = visible & ~head_cards & uncovered & next_cards(heights)
        if not rules & WORRYING_BACK:
            ups = safe_cards(ups, heights) if rules & FLOOR else NO_CARD
        if ups:
            heights += HEIGHT_UNIT[lowest(ups)]
    return heights


@inline
def _add(layer, count, heights, down, up, following):
    """Adds heights to those found unless they are among them; returns the count after that."""
    word, bit = heights >> 6, ONE << np.uint64(heights & 63)
    if not layer.marks[word] & bit:
        layer.marks[word] |= bit
        layer.found[count] = heights
        layer.options[count, 0] = down
        layer.options[count, 1] = up
        layer.options[count, 2] = following
        count += 1
    return count


@kernel
def flood(layer, start, facts, rules):
    """Finds all heights that moves which can be undone reach from `start`, and the options there.

    Cards below the floor of `start` are left where they are. Without worrying back the heights are
    `start` alone. facts: as for `rise`. Returns the number of heights, and whether a head or a card
    at hand can safely go up: then there is one of each, and no other option.
    """
    in_play, head_cards, heads, free_cards, at_hand = facts
    found, options = layer.found, layer.options
    floor = floor_of(start) if rules & FLOOR else np.int64(0)
    count, index = _add(layer, np.int64(0), start, NO_CARD, NO_CARD, NO_CARD), np.int64(0)
    safe = NO_CARD
    while index < count:
        heights = found[index]
        visible = in_play & ~cards_up(heights)
        placed = visible & ~(head_cards | free_cards)
        uncovered = uncovered_cards(visible, placed)
        following = next_cards(heights)
        down = room_for(uncovered, placed, heads)
        up = uncovered & following & visible
        leaving = (up & head_cards) | (following & at_hand)
        if rules & FLOOR and leaving:
            safe = safe_cards(leaving, heights)
            if safe:
                break
        if rules & WORRYING_BACK:
            ups = up & ~head_cards
            while ups:
                higher = heights + HEIGHT_UNIT[lowest(ups)]
                ups &= ups - ONE
                count = _add(layer, count, higher, down, up, following)
            room = down | free_cards
            for suit in range(4):
                height = height_of(heights, suit)
                if height > height_of(floor, suit) and _FOLLOWING[suit, height - 1] & room:
                    lower = heights - (np.int64(1) << 4 * suit)
                    count = _add(layer, count, lower, down, up, following)
        options[index, 3] = down
        options[index, 0] = down & ~options[index, 0]
        options[index, 1] = up & ~options[index, 1]
        options[index, 2] = following & ~options[index, 2]
        index += 1
    for place in range(count):
        layer.marks[found[place] >> 6] = NO_CARD
    if safe:
        found[0] = heights
        options[0, 0] = NO_CARD
        options[0, 1] = options[0, 2] = safe & (~safe + ONE)
        return np.int64(1), True
    return count, False
