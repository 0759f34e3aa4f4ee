"""The farm loop: plans the shards of a pass, keeps workers busy, and counts what is done.

What is done is what has a file, so a run is resumed by doing what is missing.
"""

import time
from collections import Counter, deque
from collections.abc import Container
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from engines.limits import Outcome
from farm.planning import TARGET_SHARD_SECONDS, suitable_size, tapered
from farm.pool import Finished, Pool
from farm.run_directory import Run, Segment, Stage
from farm.share import Share
from farm.watching import CoreTime, Progress, Stop, Watcher
from farm.worker import (
    PROBE_UNITS,
    TIMEOUTS_FOLDER,
    ShardTask,
    SignatureMismatch,
    failed_shard,
    parse_timeout,
    tally_of,
    task_of,
    timeout_name,
)
from jobs.job import NotReadyError
from results.rows import merge_passes
from results.shards import (
    Shard,
    all_shards,
    check_footers,
    list_shards,
    read_shard,
    split_covered,
)
from results.store import StorageError, Store

MAX_DEATHS = 3
GRACE_SECONDS = 60.0
_WAIT_SECONDS = 0.25


@dataclass(frozen=True)
class Drive:
    """A call of `drive`: the run, what it is driven with, and under which orders.

    share: the part of the shards to do, all if None. unit_timeout: seconds for each unit, None
    without limit. core_time: added to.
    """

    run: Run
    pool: Pool
    stop: Stop
    watcher: Watcher
    share: Share | None
    unit_timeout: float | None
    core_time: CoreTime


def drive(
    run: Run,
    pool: Pool,
    stop: Stop,
    watcher: Watcher,
    shard_size: int | None,
    share: Share | None = None,
    unit_timeout: float | None = None,
) -> CoreTime:
    """Does what is missing of all passes and stages; returns when done or when `stop` was asked.

    shard_size: for units not planned yet; None finds one from a short probe.
    share: the part of the shards to do, all if None. unit_timeout: seconds for each unit.
    """
    given = Drive(run, pool, stop, watcher, share, unit_timeout, CoreTime())
    present = remove_useless_shards(run, watcher, share)
    if share is None:
        forget_timeouts(run.store, run.units)
    for pass_index in range(len(run.record.passes)):
        for stage in run.stages():
            Round(given, pass_index, stage, present).work(shard_size)
            if stop.asked():
                return given.core_time
            present = list_shards(run.store)
    return given.core_time


def remove_useless_shards(run: Run, watcher: Watcher, share: Share | None = None) -> list[Shard]:
    """The run's shards but for those cut short and those that a larger one covers.

    The files of these are removed; the user is told of damaged ones. Of a share, only its own.
    """
    shards, covered = split_covered(all_shards(run.store))
    if share is None:
        for shard in covered:
            run.store.delete(shard.name)
    own = [shard for shard in shards if share is None or share.has(run, shard)]
    damaged = set()
    for shard, error in check_footers(run.store, own):
        watcher.note(f"{error}; its units are computed again")
        run.store.delete(shard.name)
        damaged.add(shard)
    return [shard for shard in shards if shard not in damaged]


def forget_timeouts(store: Store, units: Container[int]) -> None:
    """Removes the notes of workers that ended themselves over these units."""
    for file in store.files(TIMEOUTS_FOLDER):
        if parse_timeout(file.name) in units:
            store.delete(file.name)


class Round:
    """One stage of one pass of a run, from its plan to its last shard.

    A shard whose worker died is tried again, then cut in two, and so on down to the unit that does
    it; a unit that ended its worker MAX_DEATHS times is `failed`, the last time with nothing else
    running, so that no neighbour's memory is to blame. A unit that took longer than `unit_timeout`
    is `timed_out` at once.
    """

    def __init__(self, drive: Drive, pass_index: int, stage: Stage, present: list[Shard]) -> None:
        run = drive.run
        self._run = run
        self._pool = drive.pool
        self._stop = drive.stop
        self._watcher = drive.watcher
        self._share = drive.share
        self._unit_timeout = drive.unit_timeout
        self._core_time = drive.core_time
        self._pass = pass_index
        self._units_of_stage = stage.units
        self._spec = run.spec_of(pass_index, stage)
        self._label = run.label(pass_index, stage)
        self._present = present
        self._open = self._open_rows()
        self._sequential = run.job.sequential(self._spec) if pass_index == 0 else None
        self._judged = stage.units.start
        self._shards_to_judge = {shard.start: shard for shard in present if not shard.pass_index}
        self._deaths: Counter[Shard] = Counter()
        self._queue: deque[Shard] = deque()
        self._alone: deque[Shard] = deque()
        self._running = 0
        self._progress = Progress(self._label, 0, 0, Counter())
        self._counted_until = time.monotonic()

    def work(self, shard_size: int | None) -> None:
        """Plans what is not planned yet and does what is missing."""
        self._plan(shard_size)
        missing = [
            shard
            for shard in self._run.missing_shards(self._pass, self._present)
            if shard.start in self._units_of_stage
            and (self._share is None or self._share.has(self._run, shard))
        ]
        self._queue.extend(shard for shard in missing if self._count(shard))
        self._progress = self._progress_at_start()
        self._judge()
        while self._has_work() and not (self._stop.asked() or self._is_decided()):
            self._submit()
            self._take_up_finished()
        self._drain()
        if self._is_decided():
            self._judge()
            self._run.end_at(self._judged)
        self._watcher.update(self._progress)

    def _has_work(self) -> bool:
        return bool(self._queue or self._alone or self._running)

    def _is_decided(self) -> bool:
        return self._sequential is not None and self._sequential.verdict is not None

    def _judge(self) -> None:
        """Feeds a sequential test with the shards that follow, without a gap, those it has seen.

        In order of unit: a test fed by what is ready first would favour short matches.
        """
        if self._sequential is None:
            return
        shards = self._shards_to_judge
        columns = list(self._run.job.TALLY_COLUMNS)
        while not self._is_decided() and (shard := shards.get(self._judged)) is not None:
            self._sequential.take(read_shard(self._run.store, shard, columns))
            self._judged = shard.stop
        if self._sequential.decided_by is not None:
            self._judged = self._sequential.decided_by + 1

    def _open_rows(self) -> pa.Table | None:
        """What the passes before this one left open, by unit; None in pass 0, which takes all."""
        if self._pass == 0:
            return None
        job = self._run.job
        before = [shard for shard in self._present if shard.pass_index < self._pass]
        table = merge_passes(self._run.store, before, list(job.TALLY_COLUMNS))
        if table is None:
            raise AssertionError("a pass begins when the one before it is complete")
        return table.filter(job.is_open(table))

    def _open_slice(self, start: int, stop: int) -> pa.Table:
        assert self._open is not None
        units = self._open["unit"].to_numpy()
        first, last = np.searchsorted(units, [start, stop])
        return self._open.slice(first, last - first)

    def _units(self, shard: Shard) -> tuple[int, ...]:
        if self._open is None:
            return tuple(shard.units)
        return tuple(dict.fromkeys(self._open_slice(shard.start, shard.stop)["unit"].to_pylist()))

    def _count(self, shard: Shard) -> int:
        return len(shard.units) if self._open is None else len(self._units(shard))

    def _plan(self, shard_size: int | None) -> None:
        """Adds a segment for the units that have none; an earlier segment stays as it is."""
        start, stop = self._run.planned_stop(self._pass), self._units_of_stage.stop
        if start >= stop:
            return
        if shard_size is None:
            size = self._suitable_size(start, stop)
            if self._stop.asked():
                return
            segments = tapered(start, stop, size)
        else:
            segments = [Segment(start=start, stop=stop, size=shard_size)]
        self._run.record.passes[self._pass].segments += segments
        self._run.save()

    def _suitable_size(self, start: int, stop: int) -> int:
        """Units for a shard, by a probe of what they cost."""
        units = self._units(Shard(self._pass, start, stop))
        if not units:
            return stop - start
        seconds = self._probe(units)
        return suitable_size(len(units), stop - start, seconds, self._pool.cpus)

    def _probe(self, units: tuple[int, ...]) -> float:
        """Mean seconds a unit, of some units spread over all.

        In a worker, since a unit may end the process that computes it; then each half of them is
        tried. TARGET_SHARD_SECONDS if all three went wrong.
        """
        sample = units[:: max(1, len(units) // PROBE_UNITS)]
        for part in filter(None, (sample, sample[::2], sample[1::2])):
            spread = Shard(self._pass, part[0], part[-1] + 1)
            seconds = self._pool.probe(self._task_of(spread, part), self._stop)
            forget_timeouts(self._run.store, part)
            if self._stop.asked():
                break
            if seconds is not None:
                return max(1e-6, seconds)
        return TARGET_SHARD_SECONDS

    def _progress_at_start(self) -> Progress:
        stage = self._units_of_stage
        if self._share is None:
            total = self._count(Shard(self._pass, stage.start, stage.stop))
        else:
            planned = self._run.planned_shards(self._pass)
            total = sum(len(each.units) for each in planned if self._share.has(self._run, each))
        left = sum(self._count(shard) for shard in self._queue)
        tally = tally_of(self._run.job, self._run.store, self._present)
        return Progress(self._label, total - left, total, tally)

    def _submit(self) -> None:
        while self._queue and self._running < self._pool.window:
            self._pool.submit(self._task(self._queue.popleft()))
            self._running += 1
        if self._alone and not self._running:
            self._pool.submit(self._task(self._alone.popleft()))
            self._running += 1

    def _task(self, shard: Shard) -> ShardTask:
        return self._task_of(shard, self._units(shard))

    def _task_of(self, shard: Shard, units: tuple[int, ...]) -> ShardTask:
        attempt, timeout = self._deaths[shard], self._unit_timeout
        return task_of(self._run, self._spec, shard, units, attempt=attempt, unit_timeout=timeout)

    def _take_up_finished(self) -> None:
        ended = self._pool.wait(_WAIT_SECONDS)
        self._count_core_time()
        for finished in ended:
            self._running -= 1
            self._take_up(finished)
            self._judge()
        self._watcher.update(self._progress)

    def _count_core_time(self) -> None:
        now = time.monotonic()
        passed, self._counted_until = now - self._counted_until, now
        cpus = self._pool.cpus
        self._core_time.had += cpus * passed
        if not self._queue:
            self._core_time.idle_at_end += max(0, cpus - self._running) * passed

    def _take_up(self, finished: Finished) -> None:
        if finished.done is not None:
            self._core_time.busy += finished.done.seconds
            self._count_in(finished.task, finished.done.tally)
        elif isinstance(finished.error, StorageError | SignatureMismatch | NotReadyError):
            self._stop.reason = self._stop.reason or str(finished.error)
        elif finished.error is not None:
            self._after_death(finished.task, f"{type(finished.error).__name__}: {finished.error}")
        elif (unit := self._timed_out(finished.task)) is not None:
            self._after_timeout(finished.task, unit)
        elif finished.blames_task:
            self._after_death(finished.task, finished.death or "its worker died")
        else:
            where = _units_text(finished.task.shard)
            self._watcher.note(f"{where} are done again: {finished.death}")
            self._queue.appendleft(finished.task.shard)

    def _count_in(self, task: ShardTask, tally: Counter[str]) -> None:
        self._shards_to_judge[task.shard.start] = task.shard
        self._progress.done += len(task.units)
        self._progress.new += len(task.units)
        self._core_time.units += len(task.units)
        self._progress.tally.update(tally)
        if self._open is not None:
            replaced = self._open_slice(task.shard.start, task.shard.stop)
            self._progress.tally.subtract(self._run.job.tally(replaced))

    def _after_death(self, task: ShardTask, reason: str) -> None:
        shard = task.shard
        self._deaths[shard] += 1
        deaths = self._deaths[shard]
        if len(task.units) == 1 and deaths >= MAX_DEATHS:
            self._watcher.note(f"unit {task.units[0]} failed: {reason}")
            self._fail(task, reason, Outcome.FAILED)
        elif len(task.units) > 1 and deaths >= 2:
            for piece in shard.halves():
                # Only deaths of a unit alone count against it; a larger piece is cut at its first.
                self._deaths[piece] = 0 if self._count(piece) == 1 else 1
                if self._count(piece):
                    self._queue.appendleft(piece)
            self._watcher.note(f"{_units_text(shard)} are done in two parts: {reason}")
        else:
            self._watcher.note(f"{_units_text(shard)} are done again: {reason}")
            last_of_one = len(task.units) == 1 and deaths == MAX_DEATHS - 1
            (self._alone if last_of_one else self._queue).appendleft(shard)

    def _fail(self, task: ShardTask, reason: str, outcome: Outcome) -> None:
        """Gives the units of a task their rows in place of a worker."""
        try:
            done = failed_shard(task, reason, outcome)
        except StorageError as error:
            self._stop.reason = self._stop.reason or str(error)
        else:
            self._count_in(task, done.tally)

    def _timed_out(self, task: ShardTask) -> int | None:
        """The unit for whose sake a worker ended itself, None if it died of something else."""
        if self._unit_timeout is None:
            return None
        noted = {parse_timeout(file.name) for file in self._run.store.files(TIMEOUTS_FOLDER)}
        return next((unit for unit in task.units if unit in noted), None)

    def _after_timeout(self, task: ShardTask, unit: int) -> None:
        """Gives a unit that took too long its row, and has the others of its shard done again."""
        reason = f"timed out after {self._unit_timeout:g} s on a machine of this run"
        self._watcher.note(f"unit {unit} {reason}")
        shard = task.shard
        pieces = [
            Shard(shard.pass_index, start, stop)
            for start, stop in ((shard.start, unit), (unit + 1, shard.stop))
        ]
        for piece in reversed(pieces):
            if len(piece.units) and self._count(piece):
                self._queue.appendleft(piece)
        alone = self._task(Shard(shard.pass_index, unit, unit + 1))
        self._fail(alone, reason, Outcome.TIMED_OUT)
        with suppress(StorageError):
            self._run.store.delete(timeout_name(unit))

    def _drain(self) -> None:
        """Lets running shards finish for GRACE_SECONDS at most, after a stop was asked for."""
        deadline = time.monotonic() + GRACE_SECONDS
        while self._running and not self._stop.at_once and time.monotonic() < deadline:
            self._take_up_finished()


def _units_text(shard: Shard) -> str:
    return f"units {shard.start}-{shard.stop - 1}"
