"""Rows of cribbage matches played in pairs on the same cards."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from engines.cribbage.crib_tables import tables_fingerprint
from engines.cribbage.fast_match import BuiltIn, built_in_player, play_leg, play_pairs
from engines.cribbage.match import MatchResult, Tally
from engines.cribbage.match_kernel import SCORE
from engines.cribbage.players import BrainPlayer, open_rolls
from engines.cribbage.scoring import GAME
from engines.cribbage.tiers import PROFILES, Tier
from jobs.columns import WORD, column
from jobs.job import Row, VerificationError

RANDOM = "random"
BUILT_IN = (RANDOM, *(str(tier) for tier in Tier))
"""Players that come with the game, weakest first."""
LEGS = 2
WON, LOST, FAILED = "won", "lost", "failed"

_SIDES = ("player", "opponent")
_TALLY_FIELDS = {
    "score": "points at the end, 121 for the winner",
    "deals": "deals that it dealt",
    "pegging_dealer": "points pegged as dealer",
    "pegging_pone": "points pegged as pone",
    "hands_dealer": "hands counted as dealer",
    "hand_dealer": "their points",
    "hands_pone": "hands counted as pone",
    "hand_pone": "their points",
    "cribs": "cribs counted",
    "crib": "their points",
    "heels": "points for a jack cut",
}
assert list(_TALLY_FIELDS) == list(Tally.__dataclass_fields__)

COLUMNS = [
    column("unit", pa.int64(), "number of the pair of matches and its pairing"),
    column("leg", pa.int8(), "0, or 1: the same cards with seats swapped"),
    column("pair", pa.int64(), "number of the cards"),
    column("player", WORD, "who is measured"),
    column("opponent", WORD, "against whom"),
    column("result", WORD, "of the player: won, lost, or failed where there is none"),
    column("player_dealt_first", pa.bool_(), "whether the player dealt first"),
    *(
        column(f"{side}_{name}", pa.int16(), f"{side}: {description}")
        for side in _SIDES
        for name, description in _TALLY_FIELDS.items()
    ),
    column("transcript", pa.string(), "of a fair match, as JSON, where transcripts were asked for"),
    column("error", pa.string(), "why a match was forfeited or failed, with the position"),
    column("seconds", pa.float64(), "wall time"),
]
"""The columns of a match, of which each pair has two."""

_BLANK: Row = {field.name: None for field in COLUMNS}
_REPLAY_EVERY = 50
_SIGNATURE_PAIRS = 16


@dataclass(frozen=True)
class Pairing:
    """Two players by the names that rows give them; players where both are built in, else None."""

    player: str
    opponent: str
    players: tuple[BuiltIn, BuiltIn] | None = None


@dataclass(frozen=True)
class Schedule:
    """Which matches the units from `first_unit` on are.

    They go round the pairings: unit first_unit + u is pair first_pair + u // P of pairing u % P, so
    that all pairings play the same cards, and more matches are more units at the end.
    """

    seed: int
    pairings: Sequence[Pairing]
    first_unit: int = 0
    first_pair: int = 0

    def place(self, unit: int) -> tuple[Pairing, int]:
        """The pairing of a unit and the number of its pair."""
        rounds, index = divmod(unit - self.first_unit, len(self.pairings))
        return self.pairings[index], self.first_pair + rounds

    def play(self, units: Sequence[int]) -> pa.Table:
        """The rows of units between built-in players, by the kernel, in order of unit and leg."""
        started = time.perf_counter()
        numbers = np.asarray(units, np.int64)
        rounds, which = np.divmod(numbers - self.first_unit, len(self.pairings))
        pairs = self.first_pair + rounds
        tallies = np.zeros((len(numbers), LEGS, len(_SIDES), len(_TALLY_FIELDS)), np.int64)
        for index, pairing in enumerate(self.pairings):
            chosen = which == index
            if chosen.any():
                assert pairing.players is not None
                tallies[chosen] = play_pairs(self.seed, pairs[chosen], pairing.players)
        seconds = (time.perf_counter() - started) / (LEGS * len(numbers))
        return self._table(numbers, which, pairs, tallies, seconds)

    def _table(
        self,
        units: np.ndarray,
        which: np.ndarray,
        pairs: np.ndarray,
        tallies: np.ndarray,
        seconds: float,
    ) -> pa.Table:
        size = LEGS * len(units)
        leg = np.tile(np.arange(LEGS), len(units))
        pair, pairing = np.repeat(pairs, LEGS), np.repeat(which, LEGS)
        lost = (tallies[:, :, 0, SCORE] != GAME).reshape(size)
        columns: dict[str, Any] = {
            "unit": np.repeat(units, LEGS),
            "leg": leg,
            "pair": pair,
            "player": _words([each.player for each in self.pairings], pairing),
            "opponent": _words([each.opponent for each in self.pairings], pairing),
            "result": _words([WON, LOST], lost),
            "player_dealt_first": pair % LEGS == leg,
            "transcript": pa.nulls(size, pa.string()),
            "error": pa.nulls(size, pa.string()),
            "seconds": np.full(size, seconds),
        }
        for side_index, side in enumerate(_SIDES):
            for index, name in enumerate(_TALLY_FIELDS):
                columns[f"{side}_{name}"] = tallies[:, :, side_index, index].reshape(size)
        arrays = [pa.array(columns[field.name]).cast(field.type) for field in COLUMNS]
        return pa.Table.from_arrays(arrays, schema=pa.schema(COLUMNS))

    def given_columns(self, unit: int, leg: int) -> Row:
        """What a row says of a match before it is played."""
        pairing, pair = self.place(unit)
        return {
            **_BLANK,
            "unit": unit,
            "leg": leg,
            "pair": pair,
            "player": pairing.player,
            "opponent": pairing.opponent,
            "player_dealt_first": pair % LEGS == leg,
        }

    def failed_rows(self, unit: int, error: str) -> list[Row]:
        """The rows of a pair that ended in an error."""
        failed = {"result": FAILED, "error": error}
        return [{**self.given_columns(unit, leg), **failed} for leg in range(LEGS)]

    def verify(self, row: Row) -> bool:
        """Plays a match of built-in players again; raises VerificationError where it differs.

        Most by the kernel, each _REPLAY_EVERY-th pair on the plain rules. Of a match with a player
        from outside, only that the row does not contradict itself; then the answer is False.
        """
        check_result(row)
        unit, leg = row["unit"], row["leg"]
        pairing, pair = self.place(unit)
        if row["error"] is not None or pairing.players is None:
            return False
        result = _play_again(self.seed, pair, leg, pairing.players)
        expected = {**self.given_columns(unit, leg), **result_columns(result)}
        for name, value in expected.items():
            if name != "seconds" and row[name] != value:
                raise VerificationError(
                    f"unit {unit} leg {leg}: {name} is {row[name]!r}, played again {value!r}"
                )
        return True


def engine_signature() -> str:
    """A hash of the crib tables and of some matches of all built-in players."""
    digest = hashlib.sha256(tables_fingerprint().encode())
    profile = PROFILES["calibrated"]
    for tier in Tier:
        players = profile.tier(tier), profile.tier(Tier.EXPERT)
        digest.update(play_pairs(0, range(_SIGNATURE_PAIRS), players).tobytes())
    digest.update(play_pairs(0, range(_SIGNATURE_PAIRS), (None, None)).tobytes())
    # A match on the plain rules, with decisions one by one.
    skill = profile.tier(Tier.HARD)
    first, second = (BrainPlayer(skill, open_rolls(0, 0, 0, player)) for player in (0, 1))
    digest.update(repr(play_leg(0, 0, 0, (first, second))).encode())
    return digest.hexdigest()[:16]


def _play_again(seed: int, pair: int, leg: int, players: tuple[BuiltIn, BuiltIn]) -> MatchResult:
    """A match between built-in players; the plain rules if its number says so."""
    if pair % _REPLAY_EVERY == 0:
        first, second = (
            built_in_player(player, open_rolls(seed, pair, leg, index))
            for index, player in enumerate(players)
        )
        return play_leg(seed, pair, leg, (first, second))
    first_tally, second_tally = play_pairs(seed, [pair], players)[0, leg].tolist()
    winner = 0 if first_tally[SCORE] == GAME else 1
    return MatchResult(winner, (Tally(*first_tally), Tally(*second_tally)))


def _words(words: Sequence[str], indices: np.ndarray) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(indices.astype(np.int8), words)


def result_columns(result: MatchResult) -> Row:
    """What a row says of how a match went."""
    columns: Row = {"result": WON if result.winner == 0 else LOST}
    for side, tally in zip(_SIDES, result.tallies, strict=True):
        columns |= {f"{side}_{name}": getattr(tally, name) for name in _TALLY_FIELDS}
    return columns


def check_result(row: Row) -> None:
    """Raises VerificationError unless result, scores and error agree."""
    scores = [row[f"{side}_score"] for side in _SIDES]
    result = row["result"]
    if row["error"] is not None:  # failed, or forfeited by one player and won by the other
        agrees = result in (WON, LOST, FAILED) and scores == [None, None]
    else:
        agrees = None not in scores and result == (WON if scores[0] == GAME else LOST)
        agrees = agrees and sorted(scores)[0] < GAME == max(scores)
    if not agrees:
        raise VerificationError(
            f"unit {row['unit']} leg {row['leg']}: {result!r} with scores {scores}, "
            f"error {row['error']!r}"
        )
