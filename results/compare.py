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

from results.statistics import CONFIDENCE

SOLVED, UNSOLVABLE = "solved", "unsolvable"
_DECIDED = (SOLVED, UNSOLVABLE)
_LEGS = 2  # of a pair of matches
_WON, _LOST = "won", "lost"
_DEAL_STEPS = (-1.0, 0.0, 1.0)
"""What two runs can differ by in the share solved of one deal."""
_PAIR_STEPS = (-1.0, -0.5, 0.0, 0.5, 1.0)
"""The same for the share won of a pair of matches."""

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
    """The outcomes of n units. half_decided: those that one run decided and the other did not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    n: int
    outcomes: list[OutcomePair]
    half_decided: int
    contradictions: list[Contradiction]


class Difference(BaseModel):
    """A mean over n units, or pairs of matches, in A, in B, and B minus A with its interval.

    unit: "share" or "cards". p: how likely so large a difference is where there is none, None where
    it cannot be told; test: the test that says so. low and high are None with fewer than two.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    n: int
    unit: Literal["share", "cards"]
    a: float
    b: float
    estimate: float
    low: float | None
    high: float | None
    confidence: float = CONFIDENCE
    p: float | None
    test: Literal["exact McNemar", "paired t"]


class Speed(BaseModel):
    """How many times as fast B is as A, on n units that both timed.

    by_units: the geometric mean of the units' ratios, with Student's interval of their logarithms;
    None where the seconds of a unit are its part of a batch. by_totals: of all seconds.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    n: int
    seconds_a: float
    seconds_b: float
    by_totals: float
    by_units: float | None
    low: float | None
    high: float | None
    confidence: float = CONFIDENCE


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
            return columns
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
    differences, speeds = [], []
    for name, name_a, name_b in matched:
        in_a, in_b = _aligned(of_a[name_a], of_b[name_b])
        if not len(in_a.keys):
            continue
        steps = _PAIR_STEPS if ladders else None
        differences.append(_difference(name, in_a.values, in_b.values, steps))
        speeds += _speed(name, in_a.seconds, in_b.seconds, each=not ladders)
    if not differences:
        raise _nothing_common(a, b)
    sizes = [each.n for each in differences]
    return Comparison(
        units=sum(sizes) if ladders else max(sizes), differences=differences, speeds=speeds
    )


def compare_turns(a: Sequence[float], b: Sequence[float]) -> Comparison:
    """Compares speeds alone: the seconds of one match in each round, in which both had a turn."""
    speeds = _speed("a match", np.array(a), np.array(b), each=True)
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
    contradicted = both & (of_a != of_b)
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
    solved = (of_a == SOLVED).astype(float), (of_b == SOLVED).astype(float)
    seconds_a, seconds_b = _seconds(a)[in_a], _seconds(b)[in_b]
    speeds = _speed("all units", seconds_a, seconds_b, each=True)
    if not both.all():
        speeds += _speed("decided in both", seconds_a[both], seconds_b[both], each=True)
    return Comparison(
        units=len(units),
        verdicts=verdicts,
        differences=[_difference("solved_share", *solved, _DEAL_STEPS)],
        speeds=speeds,
    )


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


# Statistics.


def _difference(
    name: str, a: np.ndarray, b: np.ndarray, steps: tuple[float, ...] | None
) -> Difference:
    """The mean of b - a with Student's interval.

    steps: the values that a difference of shares can have. So that a few equal ones do not look
    like certainty, the variance is then that of those found and one of each kind. Where they are
    -1, 0 and 1, the test is McNemar's exact one on the units that differ (Q. McNemar,
    Psychometrika 12:153, 1947).
    """
    from scipy.stats import binomtest, t  # here, since importing it takes a second

    change = b - a
    n = len(change)
    estimate = float(change.mean())
    low = high = p = None
    if n > 1:
        sample = change if steps is None else np.concatenate([change, steps])
        error = float(sample.std(ddof=1)) / n**0.5
        margin = float(t.ppf((1 + CONFIDENCE) / 2, n - 1)) * error
        low, high = estimate - margin, estimate + margin
        if error > 0:
            p = float(2 * t.sf(abs(estimate) / error, n - 1))
    exact = steps == _DEAL_STEPS
    if exact:
        better, worse = int((change > 0).sum()), int((change < 0).sum())
        p = float(binomtest(better, better + worse).pvalue) if better + worse else 1.0
    return Difference(
        name=name,
        n=n,
        unit="cards" if steps is None else "share",
        a=float(a.mean()),
        b=float(b.mean()),
        estimate=estimate,
        low=low,
        high=high,
        p=p,
        test="exact McNemar" if exact else "paired t",
    )


def _speed(name: str, a: np.ndarray, b: np.ndarray, *, each: bool) -> list[Speed]:
    """The speed over the units that have seconds in both; none where there is no such unit.

    each: whether units are always timed one by one. Otherwise, where fewer than half of the seconds
    are different ones, they are parts of batches and say nothing about units.
    """
    from scipy.stats import t

    with np.errstate(invalid="ignore"):
        timed = (a > 0) & (b > 0)
    a, b = a[timed], b[timed]
    n = len(a)
    if not n:
        return []
    by_units = low = high = None
    if each or min(len(np.unique(a)), len(np.unique(b))) > n / 2:
        logs = np.log(a) - np.log(b)
        mean = float(logs.mean())
        by_units = float(np.exp(mean))
        if n > 1:
            margin = float(t.ppf((1 + CONFIDENCE) / 2, n - 1) * logs.std(ddof=1) / n**0.5)
            low, high = float(np.exp(mean - margin)), float(np.exp(mean + margin))
    return [
        Speed(
            name=name,
            n=n,
            seconds_a=float(a.sum()),
            seconds_b=float(b.sum()),
            by_totals=float(a.sum() / b.sum()),
            by_units=by_units,
            low=low,
            high=high,
        )
    ]
