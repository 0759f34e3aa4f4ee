"""Cribbage scores from the definitions alone, by looking at every subset of the cards."""

from itertools import combinations

from engines.cards import RANKS, SUITS, parse_card

VALUES = dict(zip(RANKS, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10], strict=True))


def cards(text):
    return tuple(parse_card(name) for name in text.split())


def rank(card):
    return RANKS[card // 4]


def suit(card):
    return SUITS[card % 4]


def value(card):
    return VALUES[rank(card)]


def subsets(five, smallest):
    return [
        set(chosen)
        for size in range(smallest, len(five) + 1)
        for chosen in combinations(five, size)
    ]


def fifteens(five):
    return [chosen for chosen in subsets(five, 2) if sum(map(value, chosen)) == 15]


def pairs(five):
    return [{a, b} for a, b in combinations(five, 2) if rank(a) == rank(b)]


def in_sequence(some):
    return "".join(sorted(map(rank, some), key=RANKS.index)) in RANKS


def runs(five):
    """Sets of three or more cards in sequence that no larger one contains."""
    found = [chosen for chosen in subsets(five, 3) if in_sequence(chosen)]
    return [chosen for chosen in found if not any(chosen < larger for larger in found)]


def flush(hand, starter, crib):
    suits = [suit(card) for card in hand]
    if suits != [suits[0]] * 4:
        return 0
    if suit(starter) == suits[0]:
        return 5
    return 0 if crib else 4


def nobs(hand, starter):
    return int(rank(starter) != "J" and parse_card("J" + suit(starter)) in hand)


def show(hand, starter, crib=False):
    five = (*hand, starter)
    return (
        2 * len(fifteens(five))
        + 2 * len(pairs(five))
        + sum(map(len, runs(five)))
        + flush(hand, starter, crib)
        + nobs(hand, starter)
    )


def play(pile):
    """What the last card of a pile scores, go and last card left out."""
    points = 2 * (sum(map(value, pile)) in (15, 31))
    ends = [pile[-size:] for size in range(2, len(pile) + 1)]
    alike = [end for end in ends if len(set(map(rank, end))) == 1]
    points += sum(2 * (len(end) - 1) for end in alike)  # a third card pairs with both before it
    return points + max((len(end) for end in ends if len(end) > 2 and in_sequence(end)), default=0)
