"""What a person sees of a run: a bar on a terminal, plain lines elsewhere, a table at the end."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import pairwise

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TextColumn,
)

from farm.run_directory import Run, Session
from farm.watching import Progress as RunProgress
from farm.watching import Watcher
from results.benchmark import Benchmark
from results.statistics import Metric
from results.tables import band, estimate, interval

LINE_EVERY_SECONDS = 30.0
NARROW = 100  # characters of a terminal that have no room for a bar

Estimates = Callable[[RunProgress], list[Metric]]


def interval_text(metric: Metric) -> str:
    """A metric in one line: its estimate or bounds, then the interval; or that it has none."""
    if metric.n == 0:
        return "no results"
    return f"{estimate(metric)} ({interval(metric)})"


def duration(seconds: float | None) -> str:
    """Seconds as 45s, 3m20s or 2h05m."""
    if seconds is None:
        return "?"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02}s"
    return f"{whole // 3600}h{whole % 3600 // 60:02}m"


def _line(progress: RunProgress, metrics: list[Metric]) -> str:
    name = metrics[0].name if metrics else ""
    headline = interval_text(metrics[0]) if metrics else ""
    rate = f"{progress.units_per_second:.1f}/s" if progress.new else "-/s"
    return f"{name} {headline}  {rate}  {duration(progress.seconds_left)} left"


class BarWatcher(Watcher):
    """Shows a bar with the running estimate, its interval, the rate and the time left."""

    def __init__(self, bar: Progress, estimates: Estimates) -> None:
        self._bar = bar
        self._estimates = estimates
        self._tasks: dict[str, TaskID] = {}

    def update(self, progress: RunProgress) -> None:
        """Moves the bar of the pass."""
        text = _line(progress, self._estimates(progress))
        if progress.label not in self._tasks:
            self._tasks[progress.label] = self._bar.add_task(
                progress.label, completed=progress.done, total=progress.total, estimate=text
            )
        task = self._tasks[progress.label]
        self._bar.update(task, completed=progress.done, total=progress.total, estimate=text)

    def note(self, text: str) -> None:
        """Prints a line above the bar."""
        self._bar.console.print(text, highlight=False)


class QuietWatcher(Watcher):
    """Prints what went wrong, and nothing else."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def note(self, text: str) -> None:
        """Prints a line."""
        self._console.print(text, highlight=False, soft_wrap=True)


class LineWatcher(QuietWatcher):
    """Prints a plain line now and then."""

    def __init__(self, console: Console, estimates: Estimates) -> None:
        super().__init__(console)
        self._estimates = estimates
        self._next = time.monotonic()
        self._finished = ""

    def update(self, progress: RunProgress) -> None:
        """Prints where the run is, every LINE_EVERY_SECONDS and at the end of a pass."""
        finished = progress.done == progress.total and progress.label != self._finished
        if time.monotonic() >= self._next or finished:
            self._next = time.monotonic() + LINE_EVERY_SECONDS
            if finished:
                self._finished = progress.label
            text = _line(progress, self._estimates(progress))
            self.note(f"{progress.label} {progress.done}/{progress.total}  {text}")


@contextmanager
def watcher(console: Console, estimates: Estimates, quiet: bool = False) -> Iterator[Watcher]:
    """The watcher that suits the console."""
    if quiet:
        yield QuietWatcher(console)
        return
    if not console.is_terminal:
        yield LineWatcher(console, estimates)
        return
    columns: tuple[ProgressColumn, ...] = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[estimate]}"),
    )
    if console.width < NARROW:  # one column, which is cut at its end
        columns = (
            TextColumn("{task.description} {task.completed}/{task.total} {task.fields[estimate]}"),
        )
    with Progress(*columns, console=console) as bar:
        yield BarWatcher(bar, estimates)


def method_text(metric: Metric) -> str:
    """How an interval was made: 95 % Wilson."""
    method = "Wilson" if "wilson" in metric.method else metric.method
    return f"{100 * metric.confidence:.0f} % {method}"


def estimate_text(metric: Metric) -> str:
    """A metric in one line: as `interval_text`, the method, and the band if there is one."""
    if metric.n == 0:
        return interval_text(metric)
    text = f"{interval_text(metric)}, {method_text(metric)}"
    return "; ".join(filter(None, (text, band(metric))))


def units_text(benchmark: Benchmark) -> str:
    """How many units are done, of how many where some are missing."""
    total = benchmark.units[1] - benchmark.units[0]
    return f"{total:,}" if benchmark.complete else f"{benchmark.units_done:,} of {total:,}"


def rows_text(benchmark: Benchmark) -> str:
    """How many rows there are of each kind."""
    counts = sorted((name, count) for name, count in benchmark.counts.items() if count)
    return ", ".join(f"{count:,} {name}" for name, count in counts) or "none yet"


def speed_text(sessions: Sequence[Session]) -> str:
    """Units by second, and the time they took, of drivers that could say; nothing without any."""
    known = [each for each in sessions if each.core_time is not None and each.core_time.units]
    working = sum(each.working_seconds or 0.0 for each in known)
    if not working:
        return ""
    rate = sum(each.core_time.units for each in known if each.core_time is not None) / working
    whole = sum(each.seconds or 0.0 for each in known)
    each = " a driver" if _any_together(known) else ""
    return f"{rate:.1f} units/s{each} for {duration(working)}; {duration(whole)} with start and end"


def _any_together(sessions: Sequence[Session]) -> bool:
    """Whether some of them were at work at the same time, as shares of a run are."""
    times = sorted((datetime.fromisoformat(each.started), each.seconds or 0.0) for each in sessions)
    return any(
        start + timedelta(seconds=seconds) > following
        for (start, seconds), (following, _) in pairwise(times)
    )


def cores_text(sessions: Sequence[Session]) -> str:
    """How busy the cores were, and those idle at the end; nothing where no driver could say."""
    known = [each.core_time for each in sessions if each.core_time is not None]
    had = sum(each.had for each in known)
    if not had:
        return ""
    busy, idle = sum(each.busy for each in known), sum(each.idle_at_end for each in known)
    return f"busy for {100 * busy / had:.1f} %; {idle:.1f} core s idle behind the last shards"


def summary(run: Run, benchmark: Benchmark, remarks: list[str]) -> str:
    """The short table at the end of a run."""
    lines = [("units", units_text(benchmark)), ("rows", rows_text(benchmark))]
    lines += [(each.name, estimate_text(each)) for each in benchmark.metrics]
    if benchmark.verdict:
        lines.append(("verdict", benchmark.verdict))
    sessions = run.sessions()
    if speed := speed_text(sessions):
        lines.append(("speed", speed))
    if cores := cores_text(sessions):
        lines.append(("cores", cores))
    lines.append(("files", run.store.location))
    lines += [("NOTE", remark) for remark in remarks]
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:{width}}  {text}" for name, text in lines)
