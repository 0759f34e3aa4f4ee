"""Finds the temperatures at which the tiers of the cribbage brain are as strong as they should be.

Stage one plays Expert against each weaker tier at many temperatures and reads off where its share
of wins is in the middle of the tier's band. Stage two plays the temperatures so chosen on other
cards, a number of matches fixed beforehand; only that is reported, since what a search finds looks
better than it is.
"""

import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from engines.cribbage.tiers import EXPERT, EXPERT_SHARE_TARGETS, PROFILES, Profile, Skill, Tier
from jobs.job import JobSpec, ReadRows, Row, RunView, all_units, no_deals
from jobs.matches import match_estimates
from jobs.matches.match_rows import (
    BUILT_IN,
    COLUMNS,
    LEGS,
    LOST,
    WON,
    Pairing,
    Schedule,
    engine_signature,
)
from jobs.reports import match_report
from results.benchmark import Benchmark
from results.report.parts import Section
from results.statistics import Metric

NAME = "cribbage-calibrate"
SUMMARY = "Find the temperatures at which the cribbage tiers are as strong as they should be."
FILE = "calibration.json"

TIERS = tuple(EXPERT_SHARE_TARGETS)
TEMPERATURES = tuple(round(0.25 * 2 ** (step / 2), 4) for step in range(13))
"""From 0.25 to 16 points, each 1.41 times the one before."""


class Spec(JobSpec):
    """The options of the job."""

    UNIT_FIELD: ClassVar[str] = "matches"
    GROWS: ClassVar[frozenset[str]] = frozenset()

    matches: int = Field(
        30_000, ge=2, multiple_of=LEGS, description="Matches against each tier in stage two."
    )
    search_matches: int = Field(
        4_000, ge=2, multiple_of=LEGS, description="Matches at each temperature in stage one."
    )

    @property
    def unit_count(self) -> int:
        """Pairs of matches in both stages."""
        return sum(stages(self))

    def schedule(self, unit: int) -> Schedule:
        """What the units of the unit's stage are; stage two plays other cards."""
        searched, _ = stages(self)
        if unit < searched:
            return Schedule(self.seed, _SEARCH)
        temperatures = self.found["temperatures"]
        pairings = [
            Pairing("expert", tier, (EXPERT, Skill(tier.level, temperatures[tier])))
            for tier in TIERS
        ]
        return Schedule(self.seed, pairings, searched, self.search_matches // LEGS)


def _search_name(tier: Tier, temperature: float) -> str:
    return f"{tier} at {temperature:g}"


_SEARCH = [
    Pairing("expert", _search_name(tier, temperature), (EXPERT, Skill(tier.level, temperature)))
    for tier in TIERS
    for temperature in TEMPERATURES
]

SCHEMA = pa.schema(COLUMNS, metadata={"schema": f"{NAME}/1"})
TALLY_COLUMNS = match_estimates.TALLY_COLUMNS
is_open, tally, counts = match_estimates.is_open, match_estimates.tally, match_estimates.counts
remarks, sequential = match_estimates.remarks, all_units
read_line = no_deals(NAME)


def stages(spec: Spec) -> Sequence[int]:
    """Pairs of the search, and of the confirmation."""
    return spec.search_matches // LEGS * len(_SEARCH), spec.matches // LEGS * len(TIERS)


def found(spec: Spec, stage: int, rows: pa.Table) -> dict[str, Any]:
    """The temperatures that the search chose, by tier."""
    del spec, stage
    return {"temperatures": chosen_temperatures(search_curve(tally(rows)))}


def search_curve(counted: Counter[str]) -> dict[Tier, list[float]]:
    """Expert's share of wins against each tier at each of TEMPERATURES."""
    return {
        tier: [_share(counted, f"expert over {_search_name(tier, each)}") for each in TEMPERATURES]
        for tier in TIERS
    }


def _share(counted: Counter[str], name: str) -> float:
    won, lost = counted[f"{name}: {WON}"], counted[f"{name}: {LOST}"]
    if not won + lost:
        raise ValueError(f"no matches of {name}")
    return won / (won + lost)


def chosen_temperatures(curve: dict[Tier, list[float]]) -> dict[Tier, float]:
    """The temperature of each tier that suits its band."""
    return {tier: choose(curve[tier], *EXPERT_SHARE_TARGETS[tier]) for tier in TIERS}


def choose(shares: Sequence[float], low: float, high: float) -> float:
    """The temperature, to two digits, at which the share is in the middle of low to high.

    shares: at each of TEMPERATURES. Noise is smoothed away by the closest curve that never falls
    (isotonic regression), and the logarithm of the temperature is interpolated. Raises ValueError
    where the curve does not reach the middle.
    """
    from scipy.optimize import isotonic_regression

    wanted = (low + high) / 2
    smooth = isotonic_regression(shares).x
    if not smooth[0] <= wanted <= smooth[-1]:
        raise ValueError(
            f"expected shares that reach {wanted:.3f}, got {smooth[0]:.3f} to {smooth[-1]:.3f}"
        )
    above = int(np.argmax(smooth >= wanted))
    below = max(0, above - 1)
    rise = smooth[above] - smooth[below]
    part = (wanted - smooth[below]) / rise if rise else 0.0
    logarithms = np.log(TEMPERATURES)
    exact = math.exp(logarithms[below] + part * (logarithms[above] - logarithms[below]))
    return float(f"{exact:.2g}")


def signature(spec: Spec) -> str:
    """A hash of the crib tables and of some matches of all built-in players."""
    del spec
    return engine_signature()


def compute_many(spec: Spec, units: Sequence[int]) -> pa.Table:
    """The rows of pairs of one stage."""
    return spec.schedule(units[0]).play(units)


def compute(spec: Spec, unit: int, line: str | None) -> list[Row]:
    """Both matches of a pair."""
    del line
    return list(compute_many(spec, [unit]).to_pylist())


def failed_rows(spec: Spec, unit: int, line: str | None, error: str) -> list[Row]:
    """The rows of a pair that ended in an error."""
    del line
    return spec.schedule(unit).failed_rows(unit, error)


def verify(spec: Spec, row: Row, line: str | None) -> bool:
    """Plays the match again, as `Schedule.verify` says; raises VerificationError."""
    del line
    return spec.schedule(row["unit"]).verify(row)


def metrics(tally: Counter[str]) -> list[Metric]:
    """Of stage two alone: Expert's share against each tier at the temperature chosen."""
    confirmed = {f"expert over {tier}" for tier in BUILT_IN}
    return match_estimates.metrics(
        Counter({key: n for key, n in tally.items() if key.rpartition(": ")[0] in confirmed})
    )


def report_sections(spec: Spec, run: RunView) -> list[Section]:
    """Of stage two alone: the shares with their bands, and Elo."""
    del spec
    return match_report.sections([(str(Tier.EXPERT), str(tier)) for tier in TIERS], run)


def artifacts(spec: Spec, read: ReadRows, benchmark: Benchmark) -> dict[str, str]:
    """`calibration.json`: the anchors found, the curve they were read from, what was confirmed."""
    del spec
    curve = search_curve(tally(read(TALLY_COLUMNS)))
    chosen = chosen_temperatures(curve)
    profile = Profile(
        "calibrated",
        (
            PROFILES["calibrated"].anchors[0],
            *((tier.level, chosen[tier]) for tier in TIERS),
            (Tier.EXPERT.level, 0.0),
        ),
    )
    document = {
        "format": "dealfarm-cribbage-calibration",
        "version": 1,
        "made_by": benchmark.command,
        "anchors": profile.anchors,
        "search": {
            tier: dict(zip(map(str, TEMPERATURES), shares, strict=True))
            for tier, shares in curve.items()
        },
        "confirmed": [
            metric.model_dump(mode="json") for metric in benchmark.metrics if metric.kind == "share"
        ],
    }
    return {FILE: json.dumps(document, indent=2) + "\n"}
