"""`ai_benchmark.json`: how strong each tier of a game's AI is, for the game itself to show.

Small and stable: one rung for each pairing. Versions: 1, the first.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from results.benchmark import load_document
from results.statistics import Count, Within

FILE_NAME = "ai_benchmark.json"
FORMAT_VERSION = 1


class Rung(BaseModel):
    """How often `player` won against `opponent`.

    share: wins / matches, None without matches; low and high: its 95 % Wilson interval. All shares
    are from 0 to 1. band: where the share should lie, by design; within_band: how much of the
    interval does; both None without a design or without matches.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    player: str
    opponent: str
    matches: Count
    wins: Count
    share: float | None
    low: float
    high: float
    band: tuple[float, float] | None
    within_band: Within | None


class AiBenchmark(BaseModel):
    """The file. measured: when the run began, in UTC. signature: of the engines that played."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    format: Literal["dealfarm-ai-benchmark"] = "dealfarm-ai-benchmark"
    version: Literal[1] = 1
    game: str
    profile: str
    seed: int
    measured: str
    dealfarm: str
    signature: str
    rungs: list[Rung]

    def to_json(self) -> str:
        """The file's text."""
        return self.model_dump_json(indent=2) + "\n"


def load_ai_benchmark(text: str | bytes) -> AiBenchmark:
    """Reads `ai_benchmark.json`; raises BenchmarkError saying what is wrong and what to do."""
    return load_document(text, AiBenchmark, FORMAT_VERSION)
