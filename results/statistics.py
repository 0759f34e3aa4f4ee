"""Shares with their 95 % Wilson intervals."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

CONFIDENCE = 0.95


class Share(BaseModel):
    """k of n with the Wilson score interval (E. B. Wilson, JASA 22:158, 1927).

    estimate is k / n; None, with the interval from 0 to 1, when n is 0.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["share"] = "share"
    name: str
    k: int
    n: int
    estimate: float | None
    low: float
    high: float
    confidence: float = CONFIDENCE
    method: Literal["wilson"] = "wilson"


class Bounds(BaseModel):
    """A share of which some cases are undecided: from k_low of n (none of them counts) to k_high.

    The interval reaches from the lower Wilson bound of k_low of n to the upper one of k_high of n.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["bounds"] = "bounds"
    name: str
    k_low: int
    k_high: int
    n: int
    estimate_low: float | None
    estimate_high: float | None
    low: float
    high: float
    confidence: float = CONFIDENCE
    method: Literal["wilson bounds"] = "wilson bounds"


Metric = Annotated[Share | Bounds, Field(discriminator="kind")]


def wilson(k: int, n: int) -> tuple[float, float]:
    """The 95 % Wilson interval of k of n as (low, high); (0, 1) when n is 0."""
    from scipy.stats import binomtest  # here, since importing it takes a second

    if n == 0:
        return 0.0, 1.0
    interval = binomtest(k, n).proportion_ci(CONFIDENCE, method="wilson")
    return float(interval.low), float(interval.high)


def share(name: str, k: int, n: int) -> Share:
    """The share k of n by name; raises ValueError unless 0 <= k <= n."""
    low, high = wilson(k, n)
    return Share(name=name, k=k, n=n, estimate=k / n if n else None, low=low, high=high)


def bounds(name: str, k_low: int, k_high: int, n: int) -> Bounds:
    """The share that lies between k_low of n and k_high of n."""
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
