"""Two runs side by side, on the units that both have.

Differences are B minus A, and a speed is how many times as fast B is as A. Both are paired: each
unit is compared with itself.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel, ConfigDict

from results.paired import Difference, Speed, difference_of_means, difference_of_solved, speed

SOLVED, UNSOLVABLE = "solved", "unsolvable"
_DECIDED = (SOLVED, UNSOLVABLE)
_LEGS = 2  # of a pair of matches
_WON, _LOST = "won", "lost"

RULE_COLUMNS = ("draw",)
"""Columns in which a row says by which rules its unit was played."""

_COLUMNS = {
    "outcome": ["unit", "outcome", "seconds"],
    "result": ["unit", "leg", "pair", "player", "opponent", "result", "seconds"],
    "score": ["unit", "leg", "player", "score", "seconds"],
}


class ComparisonError(ValueError):
    """Rows that cannot be compared."""


class Contradiction(BaseModel):
    """A unit that one run solved and the other proved unsolvable."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    unit: int
    a: str
    b: str


class OutcomePair(BaseModel):
    """How many units had outcome a in A and b in B."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    a: str
    b: str
    units: int


class Verdicts(BaseModel):
    """The outcomes of n units. half_decided: those that one run decided and the other did not.

    contradictions: units that both played by the same rules, as far as their rows name these.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    n: int
    outcomes: list[OutcomePair]
    half_decided: int
    contradictions: list[Contradiction]


class Comparison(BaseModel):
    """What two runs say. units: those compared; of ladders pairs of matches, of turns rounds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    units: int
    verdicts: Verdicts | None = None
    differences: list[Difference]
    speeds: list[Speed]


def columns_to_compare(names: list[str]) -> list[str]:
    """The columns that `compare_rows` needs of rows with these; raises ComparisonError."""
    for telling, columns in _COLUMNS.items():
        if telling in names:
            return [*columns, *(name for name in RULE_COLUMNS if name in names)]
    raise ComparisonError(f"expected rows with one of the columns {', '.join(_COLUMNS)}")


def compare_rows(a: pa.Table, b: pa.Table) -> Comparison:
    """Compares final rows of one job, in order of unit and leg; raises ComparisonError.

    The same unit must be the same deal in both, or the same pair the same cards.
    """
    if "outcome" in a.column_names:
        return _compare_outcomes(a, b)
    ladders = "result" in a.column_names
    matched, of_a, of_b = (_match_pairings if ladders else _match_players)(a, b)
    if not matched:
        raise ComparisonError(f"no opponent is in both: {_names(of_a)}; {_names(of_b)}")
    unit: Literal["share", "cards"] = "share" if ladders else "cards"
    differences, speeds = [], []
    for name, name_a, name_b in matched:
        in_a, in_b = _aligned(of_a[name_a], of_b[name_b])
        if not len(in_a.keys):
            continue
        differences.append(difference_of_means(name, unit, in_a.values, in_b.values))
        speeds += speed(name, in_a.seconds, in_b.seconds, each=not ladders)
    if not differences:
        raise _nothing_common(a, b)
    sizes = [each.n for each in differences]
    return Comparison(
        units=sum(sizes) if ladders else max(sizes), differences=differences, speeds=speeds
    )


def compare_turns(a: Sequence[float], b: Sequence[float]) -> Comparison:
    """Compares speeds alone: the seconds of one match in each round, in which both had a turn."""
    speeds = speed("a match", np.array(a), np.array(b), each=True)
    return Comparison(units=len(a), differences=[], speeds=speeds)


def _nothing_common(a: pa.Table, b: pa.Table) -> ComparisonError:
    spans = [pc.min_max(table["unit"]).as_py() for table in (a, b)]
    first, second = (f"units {span['min']} to {span['max']}" for span in spans)
    return ComparisonError(f"no unit is in both: {first}; {second}")


def _names(found: "_Found") -> str:
    return ", ".join(" over ".join(name) for name in found)


# Solvers.


def _compare_outcomes(a: pa.Table, b: pa.Table) -> Comparison:
    units, in_a, in_b = np.intersect1d(
        a["unit"].to_numpy(), b["unit"].to_numpy(), assume_unique=True, return_indices=True
    )
    if not len(units):
        raise _nothing_common(a, b)
    of_a, of_b = _words(a["outcome"])[in_a], _words(b["outcome"])[in_b]
    decided_a, decided_b = np.isin(of_a, _DECIDED), np.isin(of_b, _DECIDED)
    both = decided_a & decided_b
    contradicted = both & (of_a != of_b) & _same_rules(a, b, in_a, in_b)
    counted = Counter(zip(of_a.tolist(), of_b.tolist(), strict=True))
    verdicts = Verdicts(
        n=len(units),
        outcomes=[OutcomePair(a=x, b=y, units=n) for (x, y), n in sorted(counted.items())],
        half_decided=int((decided_a ^ decided_b).sum()),
        contradictions=[
            Contradiction(unit=unit, a=x, b=y)
            for unit, x, y in zip(
                units[contradicted].tolist(), of_a[contradicted], of_b[contradicted], strict=True
            )
        ],
    )
    seconds_a, seconds_b = _seconds(a)[in_a], _seconds(b)[in_b]
    speeds = speed("all units", seconds_a, seconds_b, each=True)
    if not both.all():
        speeds += speed("decided in both", seconds_a[both], seconds_b[both], each=True)
    return Comparison(
        units=len(units),
        verdicts=verdicts,
        differences=[difference_of_solved(of_a == SOLVED, of_b == SOLVED)],
        speeds=speeds,
    )


def _same_rules(a: pa.Table, b: pa.Table, in_a: np.ndarray, in_b: np.ndarray) -> np.ndarray:
    """For each pair of these rows whether they name the same rules, as far as both name any."""
    same = np.ones(len(in_a), bool)
    for name in RULE_COLUMNS:
        if name in a.column_names and name in b.column_names:
            of_a, of_b = (np.asarray(table[name].to_pylist(), object) for table in (a, b))
            same &= of_a[in_a] == of_b[in_b]
    return same


def _words(column: pa.ChunkedArray) -> np.ndarray:
    return np.asarray(column.cast(pa.string()).to_pylist(), dtype=object)


def _seconds(table: pa.Table) -> np.ndarray:
    """Seconds, nan where a row has none."""
    return np.asarray(table["seconds"].fill_null(float("nan")))


# Players.


class _Series(NamedTuple):
    """Of one player or pairing: ascending keys, and the value and seconds of each."""

    keys: np.ndarray
    values: np.ndarray
    seconds: np.ndarray


_Matched = list[tuple[str, tuple[str, ...], tuple[str, ...]]]
_Found = dict[tuple[str, ...], _Series]


def _match_pairings(a: pa.Table, b: pa.Table) -> tuple[_Matched, _Found, _Found]:
    """Pairings of the same names; of the others, those against the same opponent, if one each."""
    of_a, of_b = _pairings(a), _pairings(b)
    matched: _Matched = [(" over ".join(name), name, name) for name in of_a if name in of_b]
    alone_a = [name for name in of_a if name not in of_b]
    alone_b = [name for name in of_b if name not in of_a]
    for player, opponent in alone_a:
        rivals = [name for name in alone_b if name[1] == opponent]
        if len(rivals) == 1 and sum(name[1] == opponent for name in alone_a) == 1:
            label = f"over {opponent}, {rivals[0][0]} minus {player}"
            matched.append((label, (player, opponent), rivals[0]))
    return matched, of_a, of_b


def _pairings(table: pa.Table) -> _Found:
    """By player and opponent the share won of each pair of matches that have a result."""
    player, opponent = (_words(table[name]) for name in ("player", "opponent"))
    result = _words(table["result"]).reshape(-1, _LEGS)
    pair = table["pair"].to_numpy()[::_LEGS]
    seconds = _seconds(table).reshape(-1, _LEGS).sum(axis=1)
    share = (result == _WON).mean(axis=1)
    done = np.isin(result, (_WON, _LOST)).all(axis=1)
    names = list(zip(player[::_LEGS].tolist(), opponent[::_LEGS].tolist(), strict=True))
    index = {name: place for place, name in enumerate(dict.fromkeys(names))}
    which = np.array([index[name] for name in names])
    return {
        name: _Series(*(column[done & (which == place)] for column in (pair, share, seconds)))
        for name, place in index.items()
    }


def _match_players(a: pa.Table, b: pa.Table) -> tuple[_Matched, _Found, _Found]:
    """The measured players, also of different names; and the others by name."""
    of_a, of_b = _players(a), _players(b)
    first_a, first_b = next(iter(of_a)), next(iter(of_b))
    matched: _Matched = [(name[0], name, name) for name in of_a if name in of_b]
    if first_a != first_b:
        matched.insert(0, (f"{first_b[0]} minus {first_a[0]}", first_a, first_b))
    return matched, of_a, of_b


def _players(table: pa.Table) -> _Found:
    """By player, the measured one first, the score of each unit that has one."""
    legs = table["leg"].to_numpy()
    players, units, seconds = _words(table["player"]), table["unit"].to_numpy(), _seconds(table)
    score = np.asarray(table["score"].cast(pa.float64()).fill_null(float("nan")))
    found: _Found = {}
    for leg in range(int(legs.max()) + 1):
        chosen = legs == leg
        name = players[chosen.argmax()]
        done = chosen & ~np.isnan(score)
        found[(name,)] = _Series(units[done], score[done], seconds[done])
    return found


def _aligned(a: _Series, b: _Series) -> tuple[_Series, _Series]:
    """Both, with the keys that both have."""
    keys, in_a, in_b = np.intersect1d(a.keys, b.keys, assume_unique=True, return_indices=True)
    return (
        _Series(keys, a.values[in_a], a.seconds[in_a]),
        _Series(keys, b.values[in_b], b.seconds[in_b]),
    )
