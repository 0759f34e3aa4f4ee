"""Throws two cards at random and plays the highest that it may."""

import random


class Seeded:
    def __init__(self, seed):
        self.chance = random.Random(seed)

    def discard(self, seen):
        return self.chance.sample(seen.own_hand, 2)

    def play(self, seen):
        return seen.legal_plays()[-1]
