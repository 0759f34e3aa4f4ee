"""Cribbage players for tests, and matches of built-in ones on the plain rules."""

import dataclasses

from engines.cribbage import fast_brain
from engines.cribbage.match import play_match, random_deals
from engines.cribbage.players import BrainPlayer, RandomPlayer, open_rolls


class Stop(Exception):
    """The decision that is to be looked at has come; its argument is what the player was shown."""


class Script:
    """Throws and plays what it is told to; when that is all done it shows what it sees."""

    def __init__(self, thrown, played):
        self.thrown, self.played = thrown, list(played)

    def discard(self, seen):
        if self.thrown is None:
            raise Stop(seen)
        return self.thrown

    def play(self, seen):
        if not self.played:
            raise Stop(seen)
        return self.played.pop(0)


def plain_tallies(seed, pair, players, brain=fast_brain):
    """By leg and player, as the kernel tells them."""
    legs = []
    for leg in (0, 1):
        seats = []
        for number, skill in enumerate(players):
            rolls = open_rolls(seed, pair, leg, number)
            seats.append(RandomPlayer(rolls) if skill is None else BrainPlayer(skill, rolls, brain))
        if leg == 1:
            seats.reverse()
        tallies = play_match(seats, random_deals(seed, pair), pair % 2).tallies
        ordered = tallies if leg == 0 else tallies[::-1]
        legs.append([list(dataclasses.astuple(tally)) for tally in ordered])
    return legs


class Chance:
    """Plays at random, and keeps what it saw before each play."""

    def __init__(self, rng, shown):
        self.rng, self.shown = rng, shown

    def discard(self, seen):
        return self.rng.sample(seen.own_hand, 2)

    def play(self, seen):
        self.shown.append(seen)
        return self.rng.choice(seen.legal_plays())
