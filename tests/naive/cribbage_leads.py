"""What each lead brings to the end of the play: every line of the player's, on the plain rules.

The player sees the cards of the opponent, who plays as Expert and sees only what it may.
"""

from functools import cache

from naive.cribbage_show import play as points_of_pile
from naive.cribbage_show import value

from engines.cribbage import brain
from engines.cribbage.observation import Observation
from engines.cribbage.tiers import Skill

EXPERT = Skill(1.0, 0.0)
PLAYER, OPPONENT = 0, 1


def margins(hand, opponent, starter, own_score):
    """The player's points less the opponent's in the best line that begins with each card."""
    hands = (tuple(hand), tuple(opponent))
    return {card: lay(hands, (), PLAYER, card, starter, own_score) for card in hand}


def playable(hand, pile):
    return [card for card in hand if sum(map(value, pile)) + value(card) <= 31]


def lay(hands, pile, side, card, starter, own_score):
    """The margin of a card and of all that follows it."""
    left = list(hands)
    left[side] = tuple(held for held in hands[side] if held != card)
    pile = (*pile, card)
    points = points_of_pile(pile)
    if sum(map(value, pile)) < 31 and not any(playable(hand, pile) for hand in left):
        points += 1  # a go, or the last card
    gained = points if side == PLAYER else -points
    return gained + follow(tuple(left), pile, side, starter, own_score + max(0, gained))


def follow(hands, pile, last, starter, own_score):
    """The margin of all that follows a card of the side `last`."""
    if not any(hands):
        return 0
    turns = [1 - last, last]
    if not any(playable(hand, pile) for hand in hands):
        pile = ()  # the count is over, and the other leads, if there is a card left
    side = next(side for side in turns if playable(hands[side], pile))
    if side == OPPONENT:
        cards = [reply(hands[side], pile, len(hands[PLAYER]), starter, min(own_score, 120))]
    else:
        cards = playable(hands[side], pile)
    results = [lay(hands, pile, side, card, starter, own_score) for card in cards]
    return max(results)


@cache
def reply(hand, pile, player_cards, starter, player_score):
    seen = Observation.for_play(
        hand, pile, player_cards, starter, True, opponent_score=player_score
    )
    return brain.choose_play(seen, EXPERT, 0.0)
