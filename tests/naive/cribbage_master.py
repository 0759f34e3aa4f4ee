"""What each card brings to the end of the play over hands that the opponent may hold.

On the plain rules: in each hand the opponent plays on as Expert; the player does its best with what
it will have seen by then, which is the same in all hands in which the same was said and laid.
"""

from collections import Counter, defaultdict
from functools import cache
from itertools import combinations
from typing import NamedTuple

from naive.cribbage_show import play as points_of_pile
from naive.cribbage_show import value

from engines.cribbage import brain
from engines.cribbage.observation import Observation
from engines.cribbage.tiers import Skill
from engines.streams import below, open_stream

EXPERT = Skill(1.0, 0.0)
OWN, OTHER = 0, 1
PACK = range(52)


class World(NamedTuple):
    """Where the play stands in one of the hands. hands: the player's, the opponent's."""

    weight: float
    hands: tuple[tuple[int, ...], tuple[int, ...]]
    pile: tuple[int, ...]
    margin: int
    own_score: int


def card_values(hand, pile, starter, own_score, weighed):
    """The mean margin of each legal card. weighed: pairs of weight and opponent's hand."""
    worlds = [World(weight, (hand, other), pile, 0, own_score) for weight, other in weighed]
    whole = sum(weight for weight, _ in weighed)
    return {card: value_of_card(worlds, card, starter) / whole for card in playable(hand, pile)}


def value_of_card(worlds, card, starter):
    """The sum over worlds that look alike of weight times margin."""
    alike = defaultdict(list)
    for world in worlds:
        said, after = play_on(world, card, starter)
        alike[said].append(after)
    total = 0.0
    for same in alike.values():
        own = same[0].hands[OWN]
        if own:
            total += max(value_of_card(same, next_card, starter) for next_card in legal(same[0]))
        else:
            total += sum(world.weight * world.margin for world in same)
    return total


def legal(world):
    return playable(world.hands[OWN], world.pile)


def playable(hand, pile):
    return [card for card in hand if sum(map(value, pile)) + value(card) <= 31]


def play_on(world, card, starter):
    """What is said and laid from a card of the player to its next, and the world then.

    A player without cards has nothing more to choose: then all is played to the end.
    """
    said, side = [], OWN
    weight, hands, pile, margin, own_score = world
    while True:
        hands = tuple(
            tuple(held for held in hand if held != card) if owner == side else hand
            for owner, hand in enumerate(hands)
        )
        pile = (*pile, card)
        points = points_of_pile(pile)
        if sum(map(value, pile)) < 31 and not any(playable(hand, pile) for hand in hands):
            points += 1  # a go, or the last card
        margin += points if side == OWN else -points
        own_score += points if side == OWN else 0
        if sum(map(value, pile)) == 31:
            pile = ()
        if not any(hands):
            return tuple(said), World(weight, hands, pile, margin, own_score)
        side, goes = 1 - side, 0
        while not playable(hands[side], pile):
            said.append(("go", side) if hands[side] else ("no cards", side))
            side, goes = 1 - side, goes + 1
            if goes == 2:
                pile, goes = (), 0
        if side == OWN:
            return tuple(said), World(weight, hands, pile, margin, own_score)
        card = reply(hands[OTHER], pile, len(hands[OWN]), starter, min(own_score, 120))
        said.append(("card", card // 4))


def reply(hand, pile, player_cards, starter, player_score):
    """The card that Expert plays."""
    allowed = playable(hand, pile)
    if len({card // 4 for card in allowed}) == 1:
        return allowed[0]
    ranks = [tuple(card // 4 for card in some) for some in (hand, pile, (starter,))]
    return hand[place_of_reply(*ranks, player_cards, player_score)]


@cache
def place_of_reply(hand, pile, starter, player_cards, player_score):
    """Suits are nothing in the play: of these ranks any cards."""
    copies, some = Counter(), []
    for rank in (*hand, *pile, *starter):
        some.append(4 * rank + copies[rank])
        copies[rank] += 1
    held, laid = some[: len(hand)], some[len(hand) : -1]
    seen = Observation.for_play(
        held, laid, player_cards, some[-1], True, opponent_score=player_score
    )
    return held.index(brain.choose_play(seen, EXPERT, 0.0))


# The hands that the opponent may hold.


def possible_cards(known, least):
    return [card for card in PACK if card not in known and value(card) >= least]


def every_hand(known, least, size, laid, keeps):
    """All hands of unseen cards that count at least so much each, those of equal ranks together.

    known: all cards seen. laid: those the opponent has played. keeps: a weight of four kept ranks.
    """
    ways, example = Counter(), {}
    for hand in combinations(possible_cards(known, least), size):
        ranks = tuple(card // 4 for card in hand)
        ways[ranks] += 1
        example.setdefault(ranks, hand)
    return [
        (number * keeps[kept_ranks(example[ranks], laid)], example[ranks])
        for ranks, number in ways.items()
    ]


def drawn_hands(known, least, size, laid, keeps, stream_key, samples):
    """Hands drawn from the end of the cards left, each without replacement, as documented.

    stream_key: seed and purpose of the stream.
    """
    seed, purpose = stream_key
    stream, cards = open_stream(seed, 0, purpose), possible_cards(known, least)
    found = []
    for _ in range(samples):
        for last in range(len(cards) - 1, len(cards) - 1 - size, -1):
            other = int(below(stream, last + 1))
            cards[last], cards[other] = cards[other], cards[last]
        hand = tuple(sorted(cards[-size:]))
        found.append((keeps[kept_ranks(hand, laid)], hand))
    return found


def kept_ranks(hand, laid):
    return tuple(sorted(card // 4 for card in (*hand, *laid)))


def rows_of_ranks():
    """The four ranks of each row of the tables: the highest settles most."""
    return [
        (a, b, c, d)
        for d in range(13)
        for c in range(d + 1)
        for b in range(c + 1)
        for a in range(b + 1)
    ]
