"""Peer benchmark JSON: a solver beside those of others, on the same deals in one run.

Versions: 1, the first.
"""

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from results.benchmark import Machine, load_document
from results.compare import Comparison

FORMAT_VERSION = 1


class Solver(BaseModel):
    """A solver and what it made of all deals.

    settings: how it was called, for people. counts: deals by outcome. seconds: CPU time of all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    version: str
    settings: str
    counts: dict[str, int]
    seconds: float


class Peer(BaseModel):
    """A solver of others. Either it is absent, for a reason, or it was compared.

    comparison: A is the peer, B is ours; so that a speed is how many times as fast ours is.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    absent: str | None = None
    solver: Solver | None = None
    comparison: Comparison | None = None


class PeerBenchmark(BaseModel):
    """The file. units: first deal of the seed, and the one after the last."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["dealfarm-peer-benchmark"] = "dealfarm-peer-benchmark"
    version: Literal[1] = 1
    game: str
    rules: dict[str, Any]
    seed: int
    units: tuple[int, int]
    ours: Solver
    peers: list[Peer]
    versions: dict[str, str]
    machine: Machine
    command: str
    started: str

    def to_json(self) -> str:
        """The file's text."""
        return json.dumps(self.model_dump(mode="json"), indent=2) + "\n"


def load_peer_benchmark(text: str | bytes) -> PeerBenchmark:
    """Reads a peer benchmark; raises BenchmarkError saying what is wrong and what to do."""
    return load_document(text, PeerBenchmark, FORMAT_VERSION)
