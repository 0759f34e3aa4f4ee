"""Peer benchmark JSON: programs of others beside ours, in turns in one run.

Versions: 1, the first, of solvers on the same deals; 2, players as well, each beside a player of
ours of its own, and how strong ours is against it.
"""

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from results.benchmark import Machine, Seconds, load_document
from results.compare import Comparison
from results.statistics import Count, Metric

FORMAT_VERSION = 2


class Solver(BaseModel):
    """A solver or player, and what it made of all its turns.

    settings: how it was called, for people. counts: deals by outcome, or the number of "matches".
    seconds: CPU time of all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str
    version: str
    settings: str
    counts: dict[str, Count]
    seconds: Seconds


class Peer(BaseModel):
    """A solver or player of others. Either it is absent, for a reason, or it was compared.

    ours: the player of ours beside it; None where all peers are beside the file's `ours`.
    comparison: A is the peer, B is ours; so that a speed is how many times as fast ours is. Of
    players its units are rounds. strength: of ours in matches against it, where such were played,
    and remarks what must be known of these.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str
    absent: str | None = None
    solver: Solver | None = None
    ours: Solver | None = None
    comparison: Comparison | None = None
    strength: list[Metric] = []
    remarks: list[str] = []


class PeerBenchmark(BaseModel):
    """The file. units: first deal of the seed, or round, and the one after the last.

    ours: None where each peer has one of ours beside it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    format: Literal["dealfarm-peer-benchmark"] = "dealfarm-peer-benchmark"
    version: Literal[1, 2] = 2
    game: str
    rules: dict[str, Any]
    seed: int
    units: tuple[int, int]
    ours: Solver | None = None
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
