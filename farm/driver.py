"""One driver's work on a run: holding the lease, heeding signals, driving the loop, summing up."""

import json
import secrets
import shlex
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from types import FrameType

import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console

from farm import facts
from farm.errors import RunProblem, UsageProblem
from farm.lease import Lease
from farm.loop import drive
from farm.options import option_words
from farm.pool import RayPool
from farm.progress import summary, watcher
from farm.run_directory import (
    BENCHMARK_FILE,
    DEALS_FILE,
    LIMIT_FIELD,
    SESSIONS_FOLDER,
    Run,
    Session,
    settle_signature,
)
from farm.share import Share
from farm.watching import Stop
from farm.worker import local_signature
from jobs.signals import handled_by
from results.benchmark import Benchmark
from results.rows import Batch, final_batches, rows
from results.sequential import BIASED
from results.shards import Shard, list_shards
from results.statistics import wilson
from results.store import StorageError, Store

MINIMUM_FREE_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Means:
    """How to drive a run: what does not change its rows.

    address: of a Ray cluster, None for an embedded one. max_cpus: to use at most.
    unit_timeout: seconds of wall time for a unit, after which its worker is ended.
    quiet: print no progress.
    as_json: print the benchmark as JSON.
    """

    address: str | None = None
    shard_size: int | None = None
    time_limit: float | None = None
    as_json: bool = False
    max_cpus: int | None = None
    unit_timeout: float | None = None
    quiet: bool = False


class Warmth:
    """The engine signature, computed while other things start; compiles the kernels on the way."""

    def __init__(self, run: Run) -> None:
        executor = ThreadPoolExecutor(1, thread_name_prefix="warm-up")
        self._signature: Future[str] = executor.submit(
            local_signature, run.record.job, run.spec.model_dump_json()
        )
        executor.submit(wilson, 1, 2)
        executor.shutdown(wait=False)

    def signature(self, screen: Console, quiet: bool) -> str:
        """The signature; where it takes long, kernels are being compiled, and the user is told."""
        if not self._signature.done() and not quiet:
            screen.print("compiling the engine, once for this version: about 40 s", highlight=False)
        return self._signature.result()


def check_writable(store: Store) -> None:
    """Raises UsageProblem unless files can be written to a run directory and there is room."""
    probe = f"write-probe-{secrets.token_hex(4)}"  # shares may begin at the same moment
    try:
        store.write(probe, b"\0" * 4096)
        store.delete(probe)
    except StorageError as error:
        raise UsageProblem(f"{error}; choose another folder with --out") from None
    if store.is_local:
        free = shutil.disk_usage(store.location).free
        if free < MINIMUM_FREE_BYTES:
            raise UsageProblem(
                f"expected at least {MINIMUM_FREE_BYTES >> 20} MiB free for {store}, "
                f"got {free >> 20} MiB; make room or choose another folder with --out"
            )


def work_on(run: Run, means: Means, lease: Lease, command: str | None = None) -> None:
    """Does what is missing of a run and prints the summary; raises RunProblem if some is left.

    command: that goes on with what the run is part of; None for a run by itself.
    """
    screen = Console(stderr=True)
    if lease.taken_over:
        screen.print(f"taking over from {lease.taken_over}", highlight=False)

    def begin(session: Session) -> None:
        run.record.sessions.append(session)
        run.save()

    stop = _stop(means, lease.lost)
    _drive(run, means, stop, screen, begin, None)
    if lease.lost.is_set():
        raise RunProblem(f"{stop.reason}: this driver leaves {run.store}")
    _finish(run, means, stop, run.save, f"`{command or resume_command(run)}`")


def work_on_share(run: Run, means: Means, share: Share) -> None:
    """Does what is missing of a share; whoever finds the run complete writes its benchmark.

    The run's own file is not written, so that shares need not wait for each other.
    """
    stop = _stop(means, None)
    screen = Console(stderr=True)
    session = _drive(run, means, stop, screen, lambda _: None, share)
    name = f"{SESSIONS_FOLDER}/share-{share.index}-of-{share.of}-{session.started}.json"
    run.store.write(name, session.model_dump_json().encode())
    if run.is_complete():
        _finish(run, means, stop, lambda: None, "the same command")
        return
    screen.print(f"share {share}: the run is not complete yet", highlight=False)
    if stop.asked():
        raise RunProblem(f"stopped: {stop.reason}; go on with the same command")


def _stop(means: Means, lost: Event | None) -> Stop:
    deadline = None if means.time_limit is None else time.monotonic() + means.time_limit
    return Stop(deadline=deadline, lease_lost=lost)


def _drive(
    run: Run,
    means: Means,
    stop: Stop,
    screen: Console,
    begin: Callable[[Session], None],
    share: Share | None,
) -> Session:
    """Drives the loop; returns the session, which `begin` was given before any work."""
    warmth = Warmth(run)
    session = Session(command=facts.command_line(), node=facts.node_name(), started=facts.now())
    started = time.monotonic()
    with _workers(means, stop) as pool:
        settle_signature(run, warmth.signature(screen, means.quiet))
        session.cpus = pool.cpus
        begin(session)
        begun = time.monotonic()
        with watcher(
            screen, lambda progress: run.job.metrics(progress.tally), means.quiet
        ) as shown:
            cores = drive(run, pool, stop, shown, means.shard_size, share, means.unit_timeout)
        session.core_time = cores
        session.working_seconds = time.monotonic() - begun
    session.seconds = time.monotonic() - started
    session.ended = stop.reason or "complete"
    return session


def _finish(run: Run, means: Means, stop: Stop, save: Callable[[], None], again: str) -> None:
    """Saves what is to be noted of the session, writes and shows the benchmark.

    Raises RunProblem, saying with what to go on, where the run is not complete or not saved. One
    that was asked to stop and came to its end all the same has no problem.
    """
    problem = None
    benchmark, remarks = sum_up(run)
    try:
        save()
        run.store.write(BENCHMARK_FILE, benchmark.to_json().encode())
        if benchmark.complete:
            write_artifacts(run, benchmark)
    except StorageError as error:
        problem = str(error)
    show(run, benchmark, remarks, means.as_json)
    if problem is None and not benchmark.complete:
        problem = stop.reason or "not all units have their rows"
    if problem is not None:
        raise RunProblem(f"stopped: {problem}; go on with {again}")


def resume_command(run: Run) -> str:
    """The command that goes on with a run, ready to be typed."""
    return shlex.join(["farm", "resume", run.store.location])


def making_command(run: Run) -> str:
    """The command that makes the rows of a run, from its record: however it came about.

    A run of several passes has one command for each, and a run on a deal file names the file of
    the run directory.
    """
    record = run.record
    words = ["farm", "run", record.job, *option_words(run.job, record.spec)]
    whole = run.units == range(run.spec.unit_count)
    ends_early = run.job.sequential(run.spec) is not None and record.start == 0
    if not (whole or ends_early):
        flag = words.index(f"--{run.spec.UNIT_FIELD}")
        words[flag : flag + 2] = ["--units", f"{record.start}-{record.stop - 1}"]
    if record.deals_sha256 is not None:
        words += ["--deals-file", DEALS_FILE]
    limits = [each.limits[LIMIT_FIELD] for each in record.passes[1:]]
    if not limits:
        return shlex.join(words)
    further = [f"farm resume run --limit-nodes {limit}" for limit in limits]
    return " && ".join([shlex.join([*words, "--out", "run"]), *further])


def sum_up(
    run: Run,
    watch: Callable[[Batch], None] | None = None,
    columns: Sequence[str] = (),
    shards: list[Shard] | None = None,
) -> tuple[Benchmark, list[str]]:
    """The benchmark of a run as it is now, and what must be said beside it.

    watch: given each batch of the final rows, with these columns and those of the tally.
    shards: of the run, where they are known.
    """
    job = run.job
    tally: Counter[str] = Counter()
    core_seconds, units_done, waiting = 0.0, 0, 0
    sequential = job.sequential(run.spec)
    if shards is None:
        shards = list_shards(run.store)
    first_gap = None if sequential is None else run.first_gap(shards)
    wanted = list(dict.fromkeys([*job.TALLY_COLUMNS, "seconds", *columns]))
    for batch in final_batches(run.store, shards, wanted):
        tally.update(job.tally(batch.rows))
        for table in batch.by_shard:  # so that the last digit is the same in any batches
            core_seconds += pc.sum(table["seconds"]).as_py() or 0.0
        units_done += len(batch.rows["unit"].unique())
        waiting += run.waiting(batch)
        if sequential is not None:  # what lies beyond a gap would favour what is quick
            sequential.take(batch.rows.filter(pc.less(batch.rows["unit"], first_gap)))
        if watch is not None:
            watch(batch)
    sessions = run.sessions()
    benchmark = Benchmark(
        job=run.record.job,
        spec=run.record.spec,
        units=(run.record.start, run.record.stop),
        passes=[each.limits for each in run.record.passes],
        units_done=units_done,
        complete=run.has_all(shards) and not waiting,
        verdict=None if sequential is None else sequential.verdict,
        counts=job.counts(tally),
        metrics=job.metrics(tally),
        seconds=sum(session.seconds or 0.0 for session in sessions),
        working_seconds=sum(session.working_seconds or 0.0 for session in sessions),
        core_seconds=core_seconds,
        signature=run.record.signature or "",
        versions=run.record.versions,
        machine=facts.machine(),
        command=making_command(run),
        started=sessions[0].started if sessions else facts.now(),
    )
    return benchmark, [*job.remarks(tally), *([BIASED] if benchmark.verdict else [])]


def write_artifacts(run: Run, benchmark: Benchmark) -> None:
    """Writes the files that a complete run has beside its benchmark."""

    def read(columns: Sequence[str]) -> pa.Table:
        return rows(run.store, list(columns))

    for name, text in run.job.artifacts(run.spec, read, benchmark).items():
        run.store.write(name, text.encode())


def show(run: Run, benchmark: Benchmark, remarks: list[str], as_json: bool) -> None:
    """Prints the summary on standard output."""
    if as_json:
        fields = benchmark.model_dump(mode="json")
        print(json.dumps({**fields, "directory": run.store.location, "remarks": remarks}))
    else:
        print(summary(run, benchmark, remarks))


@contextmanager
def _workers(means: Means, stop: Stop) -> Iterator[RayPool]:
    """A pool, with the first SIGINT or SIGTERM turned into a stop with grace, a second at once."""

    def heed(number: int, frame: FrameType | None) -> None:
        del frame
        stop.at_once = stop.reason is not None
        stop.reason = f"{signal.Signals(number).name} was received"

    numbers = (signal.SIGINT, signal.SIGTERM)
    with handled_by(numbers, heed):
        pool = RayPool(means.address, means.max_cpus)
        with handled_by(numbers, heed):  # Ray puts handlers of its own in place while it starts
            try:
                yield pool
            finally:
                pool.close()
