"""Pairs of matches between built-in players, by the kernel.

A pair is two matches (legs) on the same cards: in leg 0 player 0 sits in seat 0, in leg 1 in seat
1, and seat pair % 2 deals first in both.
"""

from collections.abc import Sequence

import numpy as np

from engines.cribbage import match_kernel
from engines.cribbage.crib_tables import default_tables
from engines.cribbage.master_tables import MasterTables, default_master_tables
from engines.cribbage.match import DEAL_PURPOSE, MatchResult, Player, play_match, random_deals
from engines.cribbage.match_kernel import (
    BRAIN,
    PLAYER_SIZE,
    RANDOM,
    TALLY_SIZE,
    Table,
    new_table,
)
from engines.cribbage.players import BrainPlayer, RandomPlayer, open_rolls
from engines.cribbage.scoring_kernel import SHOWS, show_table
from engines.cribbage.tiers import Skill
from engines.streams import open_stream

BuiltIn = Skill | None
"""A brain of some skill, or None for the random player."""
NO_PEGGING = np.zeros((2, SHOWS))


def play_pairs(
    seed: int,
    pairs: Sequence[int],
    players: tuple[BuiltIn, BuiltIn],
    master: MasterTables | None = None,
) -> np.ndarray:
    """The tallies of pairs of matches: int64[pairs, 2 legs, 2 players, TALLY_SIZE].

    The last axis has the fields of `match.Tally` in order. master: other tables for Master.
    """
    master = master or default_master_tables()
    table = new_table(show_table(), default_tables().stacked(), master.pegging)
    table.deals[:] = open_stream(seed, 0, DEAL_PURPOSE)
    rolls = [[open_rolls(seed, 0, leg, player) for player in range(2)] for leg in range(2)]
    found = np.zeros((len(pairs), 2, 2, TALLY_SIZE), np.int64)
    match_kernel.play_pairs(
        table,
        master.search(),
        np.asarray(pairs, np.int64),
        np.array([fields_of(player) for player in players], np.float64).reshape(2, PLAYER_SIZE),
        np.array(rolls),
        found,
    )
    return found


def seated(player: BuiltIn, deals: np.ndarray, pegging: np.ndarray = NO_PEGGING) -> Table:
    """A table with the same player in both seats, its cards from the stream `deals`.

    pegging: of `master_tables`, for Master.
    """
    table = new_table(show_table(), default_tables().stacked(), pegging)
    table.deals[:], table.players[:] = deals, fields_of(player)
    return table


def fields_of(player: BuiltIn) -> tuple[float, float, float, float]:
    """A player as `match_kernel` has it."""
    if player is None:
        return RANDOM, 0.0, 0.0, 0.0
    return BRAIN, player.level, player.temperature, player.samples


def built_in_player(player: BuiltIn, rolls: np.ndarray) -> Player:
    """The same player for `match.play_match`."""
    return RandomPlayer(rolls) if player is None else BrainPlayer(player, rolls)


def play_leg(seed: int, pair: int, leg: int, players: tuple[Player, Player]) -> MatchResult:
    """One leg on the plain rules; tallies and winner are by player, not by seat."""
    seats = players if leg == 0 else players[::-1]
    return by_player(play_match(seats, random_deals(seed, pair), first_dealer=pair % 2), leg)


def by_player(result: MatchResult, leg: int) -> MatchResult:
    """A result by seat as one by player."""
    if leg == 0:
        return result
    return MatchResult(1 - result.winner, result.tallies[::-1])
