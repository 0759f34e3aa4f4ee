"""Published figures to hold a run against, each with its source."""

from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict

from results.statistics import Metric


class ReferenceProblem(ValueError):
    """A reference that there is not, or that is for other rules than the run's."""


@dataclass(frozen=True)
class Figure:
    """A published share with its 95 % interval, all from 0 to 1, of n cases."""

    estimate: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Reference:
    """Figures by the metrics of a job that they are for. rules: what the run's spec must say."""

    job: str
    source: str
    figures: dict[str, Figure]
    rules: dict[str, Any] = field(default_factory=dict)


_BLAKE_AND_GENT = (
    "C. Blake and I. P. Gent, JAIR 85:21, 2026: thoughtful Klondike, unlimited redeals, "
    "1,000,000 deals"
)
_INDEPENDENT = "an independent program with the design's published temperatures, "
_FIRST_DEALERS = (
    "an independent program's Expert against itself, 200,000 matches; between 55.5 % "
    "(https://blog.cribbagepro.net/2012/) and 56 % (http://www.cribbage.org/tips/colvert11.asp)"
)


def _winnable(draw: int, percent: float, half_width: float, worrying_back: bool) -> Reference:
    low, high = percent - half_width, percent + half_width
    return Reference(
        job="klondike-solvability",
        source=_BLAKE_AND_GENT,
        figures={"winnable_share": Figure(percent / 100, low / 100, high / 100, 1_000_000)},
        rules={"draw": draw, "redeals": None, "worrying_back": worrying_back},
    )


REFERENCES = {
    "klondike-draw1": _winnable(1, 90.480, 0.116, True),
    "klondike-draw2": _winnable(2, 88.620, 0.135, True),
    "klondike-draw3": _winnable(3, 81.945, 0.084, True),
    "klondike-draw4": _winnable(4, 69.337, 0.098, True),
    "klondike-draw5": _winnable(5, 53.434, 0.099, True),
    "klondike-draw6": _winnable(6, 35.854, 0.095, True),
    "klondike-draw7": _winnable(7, 23.779, 0.084, True),
    "klondike-draw1-no-worrying-back": _winnable(1, 90.204, 0.093, False),
    "klondike-draw3-no-worrying-back": _winnable(3, 81.524, 0.089, False),
    "cribbage-published": Reference(
        job="cribbage-ladder",
        source=f"{_INDEPENDENT}10,000 matches of each pairing",
        figures={
            "expert over random": Figure(0.9920, 0.9901, 0.9936, 10_000),
            "expert over easy": Figure(0.7507, 0.7421, 0.7591, 10_000),
            "expert over normal": Figure(0.5887, 0.5790, 0.5983, 10_000),
            "expert over hard": Figure(0.5247, 0.5149, 0.5345, 10_000),
        },
        rules={"profile": "published"},
    ),
    "cribbage-first-dealer": Reference(
        job="cribbage-ladder",
        source=_FIRST_DEALERS,
        figures={"first dealer, expert": Figure(0.5592, 0.5570, 0.5614, 200_000)},
    ),
}


class Held(BaseModel):
    """A metric of a run beside the published figure: whether the two intervals overlap."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    metric: str
    low: float
    high: float
    published: float
    published_low: float
    published_high: float
    overlap: bool


def find_reference(name: str) -> Reference:
    """The reference of this name; raises ReferenceProblem naming those there are."""
    if name not in REFERENCES:
        raise ReferenceProblem(f"expected one of {', '.join(REFERENCES)}, got {name!r}")
    return REFERENCES[name]


def check_rules(reference: Reference, job: str, rules: dict[str, Any], given_deals: bool) -> None:
    """Raises ReferenceProblem naming the first field in which a run is not what was published.

    given_deals: whether the run is on a deal file, and not on random deals.
    """
    wanted = {"job": reference.job, **reference.rules, "deals file": False}
    found = {"job": job, **rules, "deals file": given_deals}
    for name, value in wanted.items():
        if found.get(name) != value:
            raise ReferenceProblem(
                f"the reference is for other runs: its {name} is {value}, "
                f"this run's {found.get(name)}"
            )


def hold(reference: Reference, metrics: list[Metric]) -> list[Held]:
    """Each published figure that a run has a metric for; raises ReferenceProblem without any."""
    found = {metric.name: metric for metric in metrics if metric.n}
    held = []
    for name, figure in reference.figures.items():
        metric = found.get(name)
        if metric is None or metric.low is None or metric.high is None:
            continue
        overlap = metric.low <= figure.high and figure.low <= metric.high
        held.append(
            Held(
                metric=name,
                low=metric.low,
                high=metric.high,
                published=figure.estimate,
                published_low=figure.low,
                published_high=figure.high,
                overlap=overlap,
            )
        )
    if not held:
        raise ReferenceProblem(f"this run has none of its figures: {', '.join(reference.figures)}")
    return held
