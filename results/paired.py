"""Differences and speeds of paired values: B minus A, and how many times as fast B is as A."""

from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from results.statistics import CONFIDENCE

_PAIR_STEPS = (-1.0, -0.5, 0.0, 0.5, 1.0)
"""What two runs can differ by in the share won of a pair of matches."""


class Difference(BaseModel):
    """A mean over n units, or pairs of matches, in A, in B, and B minus A with its interval.

    unit: "share" or "cards". p: how likely so large a difference is where there is none, None where
    it cannot be told; test: the test that says so. low and high are None for fewer than two means
    of cards.
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


def difference_of_solved(a: np.ndarray, b: np.ndarray) -> Difference:
    """The share of deals solved in B less that in A, of bool[n] each.

    The interval is that of D. G. Bonett and R. M. Price (J. Educ. Behav. Stat. 37:479, 2012), which
    counts one more deal of either kind that differs; the test is McNemar's exact one on the deals
    that differ (Q. McNemar, Psychometrika 12:153, 1947).
    """
    from scipy.stats import binomtest, norm  # here, since importing it takes a second

    n = len(a)
    better, worse = int((b & ~a).sum()), int((a & ~b).sum())
    more, less = (better + 1) / (n + 2), (worse + 1) / (n + 2)
    centre = more - less
    error = ((more + less - centre**2) / (n + 2)) ** 0.5
    margin = float(norm.ppf((1 + CONFIDENCE) / 2)) * error
    return Difference(
        name="solved_share",
        n=n,
        unit="share",
        a=float(a.mean()),
        b=float(b.mean()),
        estimate=(better - worse) / n,
        low=max(-1.0, centre - margin),
        high=min(1.0, centre + margin),
        p=float(binomtest(better, better + worse).pvalue) if better + worse else 1.0,
        test="exact McNemar",
    )


def difference_of_means(
    name: str, unit: Literal["share", "cards"], a: np.ndarray, b: np.ndarray
) -> Difference:
    """The mean of b - a, cards or shares won of pairs of matches, with Student's interval.

    Of shares it ends at -1 and 1. So that a few equal pairs do not look like certainty, the
    variance is then that of those found and one of each kind.
    """
    from scipy.stats import t

    change = b - a
    n = len(change)
    estimate = float(change.mean())
    shares = unit == "share"
    low: float | None = -1.0 if shares else None
    high: float | None = 1.0 if shares else None
    p = None
    if n > 1:
        sample = np.concatenate([change, _PAIR_STEPS]) if shares else change
        error = float(sample.std(ddof=1)) / n**0.5
        margin = float(t.ppf((1 + CONFIDENCE) / 2, n - 1)) * error
        low, high = estimate - margin, estimate + margin
        if shares:
            low, high = max(-1.0, low), min(1.0, high)
        if error > 0:
            p = float(2 * t.sf(abs(estimate) / error, n - 1))
    return Difference(
        name=name,
        n=n,
        unit=unit,
        a=float(a.mean()),
        b=float(b.mean()),
        estimate=estimate,
        low=low,
        high=high,
        p=p,
        test="paired t",
    )


def speed(name: str, a: np.ndarray, b: np.ndarray, *, each: bool) -> list[Speed]:
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
