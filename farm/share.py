"""Shares of a run: processes that compute disjoint shards by arithmetic, without a driver."""

import re
from dataclasses import dataclass

from farm.errors import UsageProblem
from farm.run_directory import Run
from results.shards import Shard

_SHARE = re.compile(r"(\d+)/(\d+)")


@dataclass(frozen=True)
class Share:
    """Every `of`-th shard of the plan, from shard `index` on."""

    index: int
    of: int

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"

    def has(self, run: Run, shard: Shard) -> bool:
        """Whether a shard, or the planned one that it is a piece of, belongs to this share."""
        plan = run.record.passes[0].segments[0]
        return (shard.start - plan.start) // plan.size % self.of == self.index


def parse_share(text: str | None) -> Share | None:
    """The share of "I/N", I from 0; None of None; raises UsageProblem."""
    if text is None:
        return None
    match = _SHARE.fullmatch(text)
    if not match or int(match[1]) >= int(match[2]):
        raise UsageProblem(f"--share: expected I/N with I from 0 to N-1, such as 0/4, got {text!r}")
    return Share(int(match[1]), int(match[2]))
