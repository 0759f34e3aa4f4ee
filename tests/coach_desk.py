"""Matches and positions for tests of the coach."""

import json
import random
from functools import cache
from pathlib import Path

from engines.cards import CARD_NAMES, pretty
from engines.cribbage import fast_brain
from engines.cribbage.fair_deal import FairMatch
from engines.cribbage.observation import Observation
from engines.cribbage.tiers import Skill, Tier
from engines.cribbage.transcript import PERSON, EndOfScript, Seat, play_transcribed

EXPERT = Skill(1.0, 0.0)
HARD = Seat.brain(Tier.HARD, "calibrated")
GUEST = Seat(PERSON, "guest")
DISCARD = ("--hand", "5H 5C JD QS KD 2C", "--dealer")
PLAY = ("--hand", "5H JD QS", "--pile", "7H 8C", "--starter", "2S", "--opponent-cards", "3")
LEAD = ("--hand", "4H 6D 6S 9C", "--starter", "2S", "--opponent-cards", "4")
DECISION = "kind seen chosen best lost chance grade reason tags traps lead"
"""The keys of a decision in JSON."""


def cards(text):
    return tuple(CARD_NAMES.index(name) for name in text.split())


def shown(some):
    return " ".join(map(pretty, some))


class Person:
    """Plays near Expert, errs now and then, and leaves after so many decisions."""

    def __init__(self, seed, errs=0.3, decisions=1000):
        self.rng, self.errs, self.left = random.Random(seed), errs, decisions

    def _errs(self):
        if not self.left:
            raise EndOfScript
        self.left -= 1
        return self.rng.random() < self.errs

    def discard(self, seen):
        if self._errs():
            return self.rng.sample(seen.own_hand, 2)
        return fast_brain.choose_discard(seen, EXPERT, 0.0)

    def play(self, seen):
        if self._errs():
            return self.rng.choice(seen.legal_plays())
        return fast_brain.choose_play(seen, EXPERT, 0.0)


def transcript(number, seats=(GUEST, HARD), others=None, **more):
    players = [Person(number) if seat.kind == PERSON else None for seat in seats]
    match = FairMatch.client_first(number, "coach")
    return play_transcribed(match, seats, others or players, **more)


@cache
def text_of(number):
    return json.dumps(transcript(number))


def document(number):
    return json.loads(text_of(number))


def write(path, *texts):
    Path(path).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def keys(text):
    return text.split()


FOR_THROW = Observation.for_discard(cards("5H 5C JD QS KD 2C"), True)
