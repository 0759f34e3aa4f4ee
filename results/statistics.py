"""Shares with their 95 % Wilson intervals, and means with those of Student."""

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

CONFIDENCE = 0.95
_ROUNDING = 1e-14
"""The part of a sum of squares that is no variance."""


Count = Annotated[int, Field(ge=0, lt=2**53)]
"""How many of something there are; beyond the limit, numbers of JSON are no longer exact."""


class Within(StrEnum):
    """How much of an interval lies inside a band."""

    WHOLE = "whole interval inside"
    PART = "part of the interval inside"
    NONE = "none of the interval inside"


class Share(BaseModel):
    """k of n with the Wilson score interval (E. B. Wilson, JASA 22:158, 1927).

    estimate is k / n; None, with the interval from 0 to 1, when n is 0. band: where it should lie;
    within_band: how much of the interval does.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    kind: Literal["share"] = "share"
    name: str
    k: Count
    n: Count
    estimate: float | None
    low: float
    high: float
    confidence: float = CONFIDENCE
    method: Literal["wilson"] = "wilson"
    band: tuple[float, float] | None = None
    within_band: Within | None = None


class Bounds(BaseModel):
    """A share of which some cases are undecided: from k_low of n (none of them counts) to k_high.

    The interval reaches from the lower Wilson bound of k_low of n to the upper one of k_high of n.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    kind: Literal["bounds"] = "bounds"
    name: str
    k_low: Count
    k_high: Count
    n: Count
    estimate_low: float | None
    estimate_high: float | None
    low: float
    high: float
    confidence: float = CONFIDENCE
    method: Literal["wilson bounds"] = "wilson bounds"


class Estimate(BaseModel):
    """A number with its interval. Bounds are None where there are none, as for an Elo of 100 %.

    n: cases it rests on. unit: "share", "Elo", "points" or "cards".
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    kind: Literal["estimate"] = "estimate"
    name: str
    n: Count
    unit: Literal["share", "Elo", "points", "cards"]
    estimate: float | None
    low: float | None
    high: float | None
    confidence: float = Field(CONFIDENCE, gt=0, lt=1)
    method: str


Metric = Annotated[Share | Bounds | Estimate, Field(discriminator="kind")]


def wilson(k: int, n: int) -> tuple[float, float]:
    """The 95 % Wilson interval of k of n as (low, high); (0, 1) when n is 0.

    Raises ValueError unless 0 <= k <= n.
    """
    from scipy.stats import binomtest  # here, since importing it takes a second

    if not 0 <= k <= n:
        raise ValueError(f"expected k from 0 to n, got {k} of {n}")
    if n == 0:
        return 0.0, 1.0
    interval = binomtest(k, n).proportion_ci(CONFIDENCE, method="wilson")
    return float(interval.low), float(interval.high)


def share(name: str, k: int, n: int, band: tuple[float, float] | None = None) -> Share:
    """The share k of n by name; raises ValueError unless 0 <= k <= n."""
    low, high = wilson(k, n)
    return Share(
        name=name,
        k=k,
        n=n,
        estimate=k / n if n else None,
        low=low,
        high=high,
        band=band,
        within_band=None if band is None else _within(low, high, band),
    )


def _within(low: float, high: float, band: tuple[float, float]) -> Within:
    if band[0] <= low and high <= band[1]:
        return Within.WHOLE
    return Within.NONE if high < band[0] or band[1] < low else Within.PART


def paired_share(name: str, pairs: tuple[int, int, int]) -> Estimate:
    """The share of matches won, from pairs on the same cards of which none, one or both were won.

    The two matches of a pair are not independent: the interval is Wilson's for the number of
    independent matches that have the variance found among pairs (the design effect of cluster
    samples; Kish, Survey Sampling, 1965). So that a few equal pairs do not look like certainty, the
    variance is that of the pairs found and one of each kind.
    """
    n = sum(pairs)
    estimate = (pairs[1] / 2 + pairs[2]) / n if n else None
    low, high = 0.0, 1.0
    if estimate is not None:
        one, both = pairs[1] + 1, pairs[2] + 1
        mean = (one / 2 + both) / (n + 3)
        variance = (one / 4 + both) / (n + 3) - mean**2
        low, high = _wilson_of_share(estimate, n * mean * (1 - mean) / variance)
    return Estimate(
        name=name,
        n=n,
        unit="share",
        estimate=estimate,
        low=low,
        high=high,
        method="wilson, effective n of pairs",
    )


def _wilson_of_share(share: float, n: float) -> tuple[float, float]:
    """Wilson's interval of a share among n cases, which need not be whole numbers."""
    from scipy.stats import norm

    z = float(norm.ppf((1 + CONFIDENCE) / 2))
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    margin = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # At the ends the bounds are 0 and 1 but for rounding.
    low = centre - margin if share > 0.0 else 0.0
    high = centre + margin if share < 1.0 else 1.0
    return low, high


def mean_of(
    name: str,
    n: int,
    total: float,
    squares: float,
    unit: Literal["share", "Elo", "points", "cards"],
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The mean of n numbers of which the sum and the sum of squares are given; Student's interval.

    There is no mean of no numbers, and no interval of fewer than two, nor of equal ones: their
    variance of 0 would give an interval without width, though a few equal numbers do not say what
    others there are. Numbers are equal whose variance is no more than rounding leaves of the sums.
    """
    from scipy.stats import t

    mean = total / n if n else None
    low = high = None
    equal = n * squares - total**2 <= _ROUNDING * n * squares
    if mean is not None and n > 1 and not equal:
        variance = max(0.0, squares - n * mean**2) / (n - 1)
        margin = float(t.ppf((1 + confidence) / 2, n - 1)) * math.sqrt(variance / n)
        low, high = mean - margin, mean + margin
    return Estimate(
        name=name,
        n=n,
        unit=unit,
        estimate=mean,
        low=low,
        high=high,
        confidence=confidence,
        method="Student t",
    )


def mean_of_counts(
    name: str, counts: Mapping[int, int], confidence: float = CONFIDENCE
) -> Estimate:
    """The mean number of cards, from how often each number came up, as `mean_of`."""
    total = sum(value * number for value, number in counts.items())
    squares = sum(value**2 * number for value, number in counts.items())
    return mean_of(name, sum(counts.values()), total, squares, "cards", confidence)


def elo(name: str, paired: Estimate) -> Estimate:
    """The Elo difference at which the stronger player is expected to have this share of points."""
    estimate, low, high = map(_elo_of, (paired.estimate, paired.low, paired.high))
    return Estimate(
        name=name,
        n=paired.n,
        unit="Elo",
        estimate=estimate,
        low=low,
        high=high,
        method=f"logistic, {paired.method}",
    )


def _elo_of(share: float | None) -> float | None:
    """-400 log10(1 / share - 1); None where that is infinite."""
    if share is None or share <= 0.0 or share >= 1.0:
        return None
    return -400.0 * math.log10(1.0 / share - 1.0)


def bounds(name: str, k_low: int, k_high: int, n: int) -> Bounds:
    """The share that lies between k_low of n and k_high of n.

    Raises ValueError unless 0 <= k_low <= k_high <= n.
    """
    if k_low > k_high:
        raise ValueError(f"expected k_low up to k_high, got {k_low} and {k_high}")
    return Bounds(
        name=name,
        k_low=k_low,
        k_high=k_high,
        n=n,
        estimate_low=k_low / n if n else None,
        estimate_high=k_high / n if n else None,
        low=wilson(k_low, n)[0],
        high=wilson(k_high, n)[1],
    )
