"""What a drive heeds, and what it tells: when to stop, how far it is, what its cores did."""

import threading
import time
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Stop:
    """Why a run should end early; set by a signal, the time limit, or something that went wrong.

    at_once: without waiting for running shards. deadline: on time.monotonic()'s clock.
    lease_lost: set when another driver has taken the run over.
    """

    reason: str | None = None
    at_once: bool = False
    deadline: float | None = None
    lease_lost: threading.Event | None = None

    def asked(self) -> bool:
        """Whether to submit nothing more."""
        if self.lease_lost is not None and self.lease_lost.is_set():
            self.reason, self.at_once = "another driver took the run over", True
        if self.reason is None and self.deadline is not None and time.monotonic() >= self.deadline:
            self.reason = "the time limit is reached"
        return self.reason is not None


@dataclass
class Progress:
    """Where a run is.

    label: of the pass or stage. done: units with a row of it; total: units that it takes up.
    new: units done by this driver. tally: of the run's rows as they are now.
    """

    label: str
    done: int
    total: int
    tally: Counter[str]
    new: int = 0
    started: float = field(default_factory=time.monotonic)

    @property
    def units_per_second(self) -> float:
        """The rate of this driver in this pass."""
        return self.new / (time.monotonic() - self.started)

    @property
    def seconds_left(self) -> float | None:
        """Time left for this pass at the rate so far; None before the first shard is done."""
        return (self.total - self.done) / self.units_per_second if self.new else None


class Watcher:
    """Told of what happens, so that it can be shown. This one shows nothing."""

    def update(self, progress: Progress) -> None:
        """Progress was made, or time has passed."""

    def note(self, text: str) -> None:
        """Something the user should know."""


@dataclass
class CoreTime:
    """What cores did, in core seconds.

    had: of all that there were, a probe among it. busy: workers at shards. idle_at_end: cores for
    which no shard was left while the last ones of a pass or stage were still at work elsewhere.
    units: how many they did.
    """

    had: float = 0.0
    busy: float = 0.0
    idle_at_end: float = 0.0
    units: int = 0
