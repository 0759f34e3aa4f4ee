"""Looking at a run again and again until it is complete, wherever its directory can be read."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from farm.driver import sum_up
from farm.lease import driver_at_work
from farm.progress import duration, interval_text
from farm.run_directory import Run, open_run
from results.benchmark import Benchmark
from results.shards import ShardError
from results.store import StorageError

LINE_SECONDS = 60.0
SCREEN_SECONDS = 5.0
_WAITS_PER_LOOK = 9
"""A look at a run with very many shards takes long: at most a tenth of the time goes into it."""


@dataclass(frozen=True)
class Look:
    """A run as it is now.

    driver: what is known of the one that has its lease, None where none has; shares need none.
    rate: units a second since the look before, None where that is not known.
    """

    run: Run
    benchmark: Benchmark
    remarks: list[str]
    driver: str | None
    rate: float | None

    @property
    def finished(self) -> bool:
        """Whether all units have rows, and nobody takes open ones up again."""
        return self.benchmark.complete and self.driver is None

    def line(self) -> str:
        """How far the run is, in one line."""
        benchmark = self.benchmark
        total = benchmark.units[1] - benchmark.units[0]
        words = [f"{benchmark.units_done:,}/{total:,} units"]
        if benchmark.metrics:
            first = benchmark.metrics[0]
            words.append(f"{first.name} {interval_text(first)}")
        if self.rate:
            left = (total - benchmark.units_done) / self.rate
            words += [f"{self.rate:.1f}/s", f"{duration(left)} left"]
        elif self.driver is None and not benchmark.complete:
            words.append("no driver with a lease")  # shares have none, and may be at work
        return "  ".join(words)


def follow(
    location: str,
    every: float,
    show: Callable[[Look], None],
    note: Callable[[str], None],
    sleep: Callable[[float], None] = time.sleep,
) -> Look:
    """Shows a run every so many seconds; returns the last look, at a complete run.

    note: told why a look failed; the next may not. Raises UsageProblem where there is no run.
    """
    before: tuple[float, int] | None = None
    while True:
        started = time.monotonic()
        try:
            look = _look(location, before)
        except (StorageError, ShardError) as error:  # a slow store, or shards being compacted
            note(f"cannot be read just now: {error}")
        else:
            if look.finished:
                return look
            show(look)
            before = started, look.benchmark.units_done
        sleep(max(every, _WAITS_PER_LOOK * (time.monotonic() - started)))


def _look(location: str, before: tuple[float, int] | None) -> Look:
    """before: when the last look was, and the units that were done then."""
    now = time.monotonic()
    run = open_run(location)
    driver = driver_at_work(run.store)  # first: who ends between leaves a complete run behind
    benchmark, remarks = sum_up(run)
    rate = None if before is None else (benchmark.units_done - before[1]) / (now - before[0])
    return Look(run, benchmark, remarks, driver, rate)
