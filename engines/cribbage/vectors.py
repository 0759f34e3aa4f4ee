"""Decision vectors: positions with what the brain decides and why, for ports to other languages."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from engines.cards import card_names
from engines.cribbage.fast_brain import choose_discard, choose_play, discard_values, play_values
from engines.cribbage.match import play_match, random_deals
from engines.cribbage.observation import Observation
from engines.cribbage.players import RandomPlayer, open_rolls
from engines.cribbage.tiers import PROFILES, Tier
from engines.streams import below, next_word, open_stream

PURPOSE = "cribbage decision vectors"


def decision_vectors(seed: int, count: int) -> Iterator[dict[str, Any]]:
    """The first `count` vectors of a seed, as JSON.

    Of all tiers but Master, who decides by other values. Positions are those of random matches, so
    that all scores and piles occur; forced plays are left out. Each has `seen`
    (Observation.as_json), `tier`, `profile`, `level` and `temperature`,
    `roll`, `decision` (cards by name), and `values`: of the 15 throws in their order, or of the
    legal cards in hand order.
    """
    stream = open_stream(seed, 0, PURPOSE)
    profiles, tiers = list(PROFILES.values()), [tier for tier in Tier if tier is not Tier.MASTER]
    for seen in islice(_positions(seed), count):
        profile, tier = profiles[below(stream, len(profiles))], tiers[below(stream, len(tiers))]
        skill = profile.tier(tier)
        roll = (int(next_word(stream)) >> 11) / 2**53
        if seen.starter is None:
            decision: tuple[int, ...] = choose_discard(seen, skill, roll)
            values = discard_values(seen)
        else:
            decision = (choose_play(seen, skill, roll),)
            values = [value for _, value in play_values(seen, skill.level)]
        yield {
            "seen": seen.as_json(),
            "tier": str(tier),
            "profile": profile.name,
            "level": skill.level,
            "temperature": skill.temperature,
            "roll": roll,
            "decision": card_names(decision),
            "values": values,
        }


def _positions(seed: int) -> Iterator[Observation]:
    """What both seats of random matches see when they have a choice, without end."""
    pair = 0
    while True:
        seen: list[Observation] = []
        players = [_Noting(RandomPlayer(open_rolls(seed, pair, 0, seat)), seen) for seat in (0, 1)]
        play_match(players, random_deals(seed, pair))
        yield from seen
        pair += 1


class _Noting:
    """A player that notes the positions in which it has a choice."""

    def __init__(self, player: RandomPlayer, noted: list[Observation]) -> None:
        self._player, self._noted = player, noted

    def discard(self, seen: Observation) -> tuple[int, int]:
        self._noted.append(seen)
        return self._player.discard(seen)

    def play(self, seen: Observation) -> int:
        if len(seen.legal_plays()) > 1:
            self._noted.append(seen)
        return self._player.play(seen)
