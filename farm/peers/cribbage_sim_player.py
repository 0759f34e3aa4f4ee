"""CribbageSim's "Hoyle-ish" strategy as a cribbage player from outside, and against itself.

A script for a Python that has CribbageSim (3.12 or later) and need not have dealfarm. Where the
farm runs under another Python, name the one that has it:

    farm run cribbage-ladder --player master --matches 10000 \
        --against 'cmd:python3.12 farm/peers/cribbage_sim_player.py'

The strategy looks at its own cards and at the pile, and at nothing else. Beside the questions of
jobs/OUTSIDE_PLAYERS.md it is asked for games against itself by CribbageSim's own rules:
{"ask": "games", "seed": TEXT, "seconds": CPU TIME} is answered by {"games": NUMBER, "seconds":
CPU TIME}. Its answer to hello names the versions of CribbageSim and Python.
"""

import json
import platform
import random
import sys
import time
from importlib.metadata import version
from typing import Any

from CribbageSim.CribbageGame import CribbageGame
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
        self.names, self.cards = list(names), [card_of(each) for each in names]
        self.taken: list[str] = []

    def held(self) -> list[Card]:
        """Those that are left."""
        return list(self.cards)

    def take(self, place: int = 0) -> None:
        """Takes one."""
        self.taken.append(self.names.pop(place))
        self.cards.pop(place)


def discard(seen: dict[str, Any]) -> list[str]:
    """Its throw."""
    hand = Cards(seen["own_hand"])
    strategy = AS_DEALER if seen["dealer"] == "self" else AS_PONE
    strategy.form_crib(hand.take, hand.held)
    return hand.taken


def play(seen: dict[str, Any]) -> str:
    """Its card."""
    hand, pile = Cards(seen["own_hand"]), [card_of(each) for each in seen["pile"]]
    AS_PONE.follow(seen["count"], hand.take, hand.held, lambda: list(pile))
    return hand.taken[0]


def play_games(seed: str, seconds: float) -> dict[str, float]:
    """Games until the CPU time is over: their number, and the CPU time that they took."""
    random.seed(seed)
    games, started = 0, time.process_time()
    while time.process_time() - started < seconds:
        CribbageGame("0", "1", AS_PONE, AS_PONE, AS_DEALER, AS_DEALER).play()
        games += 1
    return {"games": games, "seconds": time.process_time() - started}


def hello(protocol: int) -> dict[str, Any]:
    """Who it is."""
    versions = {"version": version("CribbageSim"), "python": platform.python_version()}
    return {"hello": "CribbageSim, Hoyle-ish", "protocol": protocol, **versions}


def main() -> None:
    """Answers each question of the farm."""
    for line in sys.stdin:
        message = json.loads(line)
        answer: dict[str, Any]
        match message.get("ask"):
            case "hello":
                answer = hello(message["protocol"])
            case "discard":
                answer = {"discard": discard(message["seen"])}
            case "play":
                answer = {"play": play(message["seen"])}
            case "games":
                answer = play_games(message["seed"], message["seconds"])
            case _:
                continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
