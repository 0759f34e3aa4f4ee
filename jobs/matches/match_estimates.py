"""What rows of cribbage matches say: shares, paired shares and Elo of each pairing."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engines.cribbage.tiers import EXPERT_SHARE_TARGETS, Tier
from jobs.matches.match_rows import BUILT_IN, FAILED, LEGS, LOST, WON
from results.sequential import Sprt
from results.statistics import Metric, elo, paired_share, share

TALLY_COLUMNS = ("unit", "leg", "player", "opponent", "result", "player_dealt_first", "error")

# Keys of a tally: "PLAYER over OPPONENT: WHAT"; and FAULT with the unit and text of a fault.
_FIRST_DEALER_WON, _FIRST_DEALER_LOST = "first dealer won", "first dealer lost"
_FORFEITED = "forfeited"
_PAIRS = ("pairs none won", "pairs one won", "pairs both won")
_FAULT = "fault in unit "


def is_open(table: pa.Table) -> pa.ChunkedArray:
    """Matches without a result."""
    return pc.equal(table["result"].cast(pa.string()), FAILED)


def tally(table: pa.Table) -> Counter[str]:
    """For each pairing: matches won, lost, forfeited, failed; pairs by matches won; first dealers.

    The wins of first dealers are of leg 0 alone: of players that never err, leg 1 is the same match
    again. Of each table's faults the first is kept as text.
    """
    pairing = pc.binary_join_element_wise(
        table["player"].cast(pa.string()), table["opponent"].cast(pa.string()), " over "
    )
    encoded = pairing.combine_chunks().dictionary_encode()
    names, which = encoded.dictionary.to_pylist(), np.asarray(encoded.indices)
    won, lost = _results(table)
    first_leg = np.asarray(table["leg"]) == 0
    dealt_first = np.asarray(table["player_dealt_first"])
    pairs_won, decided = _pairs(won, lost)
    faulty = np.asarray(table["error"].is_valid())
    counted: Counter[str] = Counter()
    if faulty.any():
        first = table.slice(int(faulty.argmax()), 1).to_pylist()[0]
        counted[f"{_FAULT}{first['unit']:,}: {first['error']}"] = 1
    for index, name in enumerate(names):
        of_name = which == index
        of_pair = of_name[::LEGS] & decided
        led = of_name & first_leg
        numbers = {
            WON: of_name & won,
            LOST: of_name & lost,
            FAILED: of_name & ~won & ~lost,
            _FORFEITED: of_name & faulty & (won | lost),
            _FIRST_DEALER_WON: led & ((won & dealt_first) | (lost & ~dealt_first)),
            _FIRST_DEALER_LOST: led & ((lost & dealt_first) | (won & ~dealt_first)),
            **{_PAIRS[wins]: of_pair & (pairs_won == wins) for wins in range(LEGS + 1)},
        }
        for what, where in numbers.items():
            if number := int(where.sum()):
                counted[f"{name}: {what}"] = number
    return counted


class PairSprt:
    """An SPRT on the pairs of a run with one pairing; pairs without two results are passed over."""

    def __init__(self, elo_0: float, elo_1: float) -> None:
        self._test = Sprt(elo_0, elo_1)
        self.decided_by: int | None = None

    def take(self, table: pa.Table) -> None:
        """The next rows in order of unit and leg."""
        won, decided = _pairs(*_results(table))
        before = self.counted
        self._test.take(won[decided])
        if self.verdict is not None and self.decided_by is None:
            units = np.asarray(table["unit"])[::LEGS][decided]
            self.decided_by = int(units[self.counted - before - 1])

    @property
    def verdict(self) -> str | None:
        """The decision in words."""
        return self._test.verdict

    @property
    def hypotheses(self) -> tuple[float, float]:
        """The Elo of both."""
        return self._test.elo_0, self._test.elo_1

    @property
    def counted(self) -> int:
        """The pairs taken up to the decision."""
        return int(self._test.pairs.sum())

    @property
    def ratio(self) -> float:
        """The log-likelihood ratio of the stronger hypothesis over the other after them."""
        return self._test.ratio


def _results(table: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    """For each match whether the player won it, and whether it lost it."""
    result = table["result"].cast(pa.string())
    return np.asarray(pc.equal(result, WON)), np.asarray(pc.equal(result, LOST))


def _pairs(won: np.ndarray, lost: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each pair the matches won by the player, and whether both have a result."""
    by_pair = (-1, LEGS)
    return won.reshape(by_pair).sum(axis=1), (won | lost).reshape(by_pair).all(axis=1)


def counts(tally: Counter[str]) -> dict[str, int]:
    """Matches won by the player that is measured, lost, and failed, of all pairings."""
    return {
        word: sum(
            number
            for key, number in tally.items()
            if not key.startswith(_FAULT) and key.endswith(f": {word}")
        )
        for word in (WON, LOST, FAILED)
    }


def _pairings_in(tally: Counter[str]) -> list[tuple[str, str]]:
    """Player and opponent of each pairing: strongest players first, then weakest opponents."""
    names = {key.rpartition(": ")[0] for key in tally if not key.startswith(_FAULT)}
    return sorted(
        (
            (player, opponent)
            for player, _, opponent in (name.partition(" over ") for name in names)
        ),
        key=lambda pairing: (-strength(pairing[0]), pairing[0], strength(pairing[1]), pairing[1]),
    )


def strength(name: str) -> int:
    """Where a built-in player stands, 0 the weakest; beyond them all for one from outside."""
    return BUILT_IN.index(name) if name in BUILT_IN else len(BUILT_IN)


def metrics(tally: Counter[str]) -> list[Metric]:
    """For each pairing the share of matches won, by matches and by pairs, and its Elo.

    Where a player meets itself, that is a half, and how often the first dealer wins is shown.
    """
    shown: list[Metric] = []
    for player, opponent in _pairings_in(tally):
        name = f"{player} over {opponent}"

        def number(what: str, name: str = name) -> int:
            return tally[f"{name}: {what}"]

        if player == opponent:
            first = number(_FIRST_DEALER_WON)
            decided = first + number(_FIRST_DEALER_LOST)
            shown.append(share(f"first dealer, {player}", first, decided))
            continue
        won, lost = number(WON), number(LOST)
        band = target(player, opponent) if won + lost else None  # of none there is nothing to say
        shown.append(share(name, won, won + lost, band))
        pairs = number(_PAIRS[0]), number(_PAIRS[1]), number(_PAIRS[2])
        paired = paired_share(f"{name}, paired", pairs)
        shown += [paired, elo(f"{name}, Elo", paired)]
    return shown


def target(player: str, opponent: str) -> tuple[float, float] | None:
    """Where Expert's share against a weaker tier should lie, or that tier's against Expert."""
    if player == Tier.EXPERT and opponent in EXPERT_SHARE_TARGETS:
        return EXPERT_SHARE_TARGETS[Tier(opponent)]
    if opponent == Tier.EXPERT and player in EXPERT_SHARE_TARGETS:
        low, high = EXPERT_SHARE_TARGETS[Tier(player)]
        return 1 - high, 1 - low
    return None


def remarks(tally: Counter[str]) -> list[str]:
    """How many matches were forfeited or failed, and the first fault with its position."""
    said = {_FORFEITED: "were forfeited and count as lost by who did", FAILED: "have no result"}
    found = [
        f"{number:,} matches of {name} {said[what]}"
        for name, what, number in (
            (*key.rsplit(": ", 1), number)
            for key, number in sorted(tally.items())
            if not key.startswith(_FAULT)
        )
        if what in said
    ]
    faults = [key for key in tally if key.startswith(_FAULT)]
    return [*found, min(faults, key=_unit_of_fault)] if faults else found


def _unit_of_fault(key: str) -> int:
    return int(key.removeprefix(_FAULT).partition(":")[0].replace(",", ""))
