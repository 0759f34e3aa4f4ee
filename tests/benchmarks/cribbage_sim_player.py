"""CribbageSim's "Hoyle-ish" strategy as a player from outside, to measure the tiers against it.

Needs CribbageSim (extra `peers`, Python 3.12); where the farm runs under another Python, name the
one that has it:

    farm run cribbage-ladder --player master --matches 10000 \
        --against 'cmd:python3.12 tests/benchmarks/cribbage_sim_player.py'

The strategy looks at its own cards and at the pile, and at nothing else.
"""

import json
import sys

from CribbageSim.CribbagePlayStrategy import (
    HoyleishDealerCribbagePlayStrategy,
    HoyleishPlayerCribbagePlayStrategy,
)
from HandsDecksCards.card import Card

AS_DEALER, AS_PONE = HoyleishDealerCribbagePlayStrategy(), HoyleishPlayerCribbagePlayStrategy()


def card_of(name: str) -> Card:
    """A card by its name, as "TD"."""
    return Card(name[1], name[0].replace("T", "10"))


class Cards:
    """Some cards, from which a strategy takes by place."""

    def __init__(self, names: list[str]) -> None:
        self.names, self.cards, self.taken = list(names), [card_of(each) for each in names], []

    def held(self) -> list[Card]:
        return list(self.cards)

    def take(self, place: int = 0) -> None:
        self.taken.append(self.names.pop(place))
        self.cards.pop(place)


def discard(seen: dict) -> list[str]:
    """Its throw."""
    hand = Cards(seen["own_hand"])
    strategy = AS_DEALER if seen["dealer"] == "self" else AS_PONE
    strategy.form_crib(hand.take, hand.held)
    return hand.taken


def play(seen: dict) -> str:
    """Its card."""
    hand, pile = Cards(seen["own_hand"]), [card_of(each) for each in seen["pile"]]
    AS_PONE.follow(seen["count"], hand.take, hand.held, lambda: list(pile))
    return hand.taken[0]


def main() -> None:
    """Answers each question of the farm."""
    for line in sys.stdin:
        message = json.loads(line)
        match message.get("ask"):
            case "hello":
                answer = {"hello": "CribbageSim, Hoyle-ish", "protocol": message["protocol"]}
            case "discard":
                answer = {"discard": discard(message["seen"])}
            case "play":
                answer = {"play": play(message["seen"])}
            case _:
                continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
