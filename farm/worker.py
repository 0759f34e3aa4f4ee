"""What a worker does: computes one shard, verifies it, writes it, and returns counts.

It knows nothing of Ray: a bare process can call `compute_shard` as well.
"""

import faulthandler
import fcntl
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache

import pyarrow as pa

from engines.kernel import CACHE_DIRECTORY
from engines.limits import Outcome
from farm.facts import node_name, versions
from farm.run_directory import RUN_FILE, Run
from jobs import load_job
from jobs.job import Job, JobSpec, NotReadyError, Row, VerificationError
from results.rows import final_batches
from results.shards import Shard, write_shard
from results.store import StorageError, Store

TIMEOUTS_FOLDER = "timeouts"
PROBE_UNITS = 1024
"""For a probe at most."""
PROBE_SECONDS = 1.0
PROBE_ENOUGH_SECONDS = 0.25
_PROBE_STEPS = (32, 4, 1)
LOCKED_SECONDS = 2.0


class SignatureMismatch(Exception):
    """A worker whose engines are not those of the driver."""


@dataclass(frozen=True)
class ShardTask:
    """One shard to compute.

    units: the units to take up, in order; lines: their lines of the deal file, or None.
    signature, version: of the driver's engines and dealfarm.
    attempt: how often this shard was started before.
    unit_timeout: seconds of wall time for each unit, None without limit.
    """

    job: str
    spec: str
    location: str
    shard: Shard
    units: tuple[int, ...]
    lines: tuple[str, ...] | None
    signature: str
    version: str = ""
    attempt: int = 0
    unit_timeout: float | None = None

    @property
    def given(self) -> Iterator[tuple[int, str | None]]:
        """Each unit with its line."""
        return zip(self.units, self.lines or (None,) * len(self.units), strict=True)


def task_of(
    run: Run,
    spec: JobSpec,
    shard: Shard,
    units: tuple[int, ...],
    *,
    attempt: int = 0,
    unit_timeout: float | None = None,
) -> ShardTask:
    """The task of these units of a shard; `spec` is that of their pass and stage."""
    lines = run.lines(units)
    return ShardTask(
        job=run.record.job,
        spec=spec.model_dump_json(),
        location=run.store.location,
        shard=shard,
        units=units,
        lines=None if lines is None else tuple(lines),
        signature=run.record.signature or "",
        version=run.record.versions.get("dealfarm", ""),
        attempt=attempt,
        unit_timeout=unit_timeout,
    )


@dataclass(frozen=True)
class ShardDone:
    """What a worker says of a written shard."""

    shard: Shard
    rows: int
    tally: Counter[str]
    seconds: float
    bytes: int


@lru_cache
def local_signature(job_name: str, spec: str) -> str:
    """The engine signature of this process for a spec, as JSON; it also loads the kernels.

    Under a lock of the node, so that its workers do not all compile the same functions.
    """
    with (CACHE_DIRECTORY / "compile.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        job = load_job(job_name)
        return job.signature(job.Spec.model_validate_json(spec))


def compute_shard(task: ShardTask) -> ShardDone:
    """Computes, verifies and writes a shard.

    Raises SignatureMismatch, NotReadyError or StorageError, all of which stop the run.

    An error in a unit costs that unit only: its row has the outcome `failed` and the text.
    """
    started = time.perf_counter()
    _check_signature(task)
    _check_visible(task.location)
    job = load_job(task.job)
    spec = job.Spec.model_validate_json(task.spec)
    table = _many_rows(job, spec, task)
    if table is None:
        table = _rows_one_by_one(job, spec, task)
    return store_rows(job, task, table, started)


def _check_signature(task: ShardTask) -> None:
    """Raises SignatureMismatch, with both versions, unless the engines are those of the driver."""
    signature = local_signature(task.job, task.spec)
    if signature != task.signature:
        raise SignatureMismatch(
            f"the worker on {node_name()} has engine signature {signature} "
            f"(dealfarm {versions()['dealfarm']}), this run {task.signature} "
            f"(dealfarm {task.version}): install the same version on every node"
        )


@lru_cache
def _check_visible(location: str) -> None:
    """Raises StorageError where this node does not see the run directory."""
    store = Store(location)
    if store.is_local and not store.exists(RUN_FILE):
        raise StorageError(
            f"the run directory {location} is not to be seen on node {node_name()}: "
            "choose a folder that all nodes share, or an object store, with --out"
        )


def probe_units(task: ShardTask) -> float:
    """Mean seconds a unit of a task whose rows are not kept; raises SignatureMismatch.

    Of a few of its units, or of more where these are done in a moment. The first is not timed: what
    a process loads late, it loads then.
    """
    _check_signature(task)
    job = load_job(task.job)
    spec = job.Spec.model_validate_json(task.spec)
    _probe(job, spec, _every(len(task.units), task))
    seconds, count = 0.0, 1
    for step in _PROBE_STEPS:
        started = time.perf_counter()
        count = _probe(job, spec, _every(step, task))
        seconds = time.perf_counter() - started
        if seconds >= PROBE_ENOUGH_SECONDS:
            break
    return seconds / count


def _every(step: int, task: ShardTask) -> ShardTask:
    """The task of every so many of its units."""
    lines = None if task.lines is None else task.lines[::step]
    return replace(task, units=task.units[::step], lines=lines)


def _probe(job: Job, spec: JobSpec, task: ShardTask) -> int:
    """Computes the units of a task, or as many as PROBE_SECONDS allow; returns how many."""
    if _many_rows(job, spec, task) is not None:
        return len(task.units)
    started, count = time.perf_counter(), 0
    for unit, line in task.given:
        with suppress(Exception), _watched(task, unit):  # it gets its row in its own shard
            job.compute(spec, unit, line)
        count += 1
        if time.perf_counter() - started > PROBE_SECONDS:
            break
    return count


def timeout_name(unit: int) -> str:
    """The file by which a worker that ends itself tells its driver which unit took too long."""
    return f"{TIMEOUTS_FOLDER}/unit-{unit:012}"


def parse_timeout(name: str) -> int:
    """The unit of a `timeout_name`."""
    return int(name.rpartition("-")[2])


@contextmanager
def _watched(task: ShardTask, unit: int) -> Iterator[None]:
    """Ends this process, leaving word of the unit, when the time for it is over.

    Kernels release Python's lock, so that a thread sees to it; where something else holds the lock,
    faulthandler, which needs none, ends the process somewhat later, as if it had crashed.
    """
    if task.unit_timeout is None:
        yield
        return
    timer = threading.Timer(task.unit_timeout, _give_up, (task.location, unit))
    timer.daemon = True
    timer.start()
    faulthandler.dump_traceback_later(task.unit_timeout + LOCKED_SECONDS, exit=True)
    try:
        yield
    finally:
        timer.cancel()
        faulthandler.cancel_dump_traceback_later()


def _give_up(location: str, unit: int) -> None:
    with suppress(StorageError):
        Store(location).write(timeout_name(unit), node_name().encode())
    os._exit(1)


def failed_shard(task: ShardTask, error: str, outcome: Outcome = Outcome.FAILED) -> ShardDone:
    """Writes a shard whose units all ended like this, in place of a worker that cannot."""
    started = time.perf_counter()
    job = load_job(task.job)
    spec = job.Spec.model_validate_json(task.spec)
    rows = [row for unit, line in task.given for row in job.failed_rows(spec, unit, line, error)]
    rows = [{**row, "outcome": str(outcome)} if "outcome" in row else row for row in rows]
    return store_rows(job, task, pa.Table.from_pylist(rows, schema=job.SCHEMA), started)


def tally_of(job: Job, store: Store, shards: list[Shard]) -> Counter[str]:
    """The tally of the final rows of these shards."""
    tally: Counter[str] = Counter()
    for batch in final_batches(store, shards, list(job.TALLY_COLUMNS)):
        tally.update(job.tally(batch.rows))
    return tally


def shard_schema(job: Job) -> pa.Schema:
    """The job's columns and those that say where and how often a shard was tried."""
    node = pa.field(
        "node", pa.dictionary(pa.int32(), pa.string()), metadata={"description": "machine"}
    )
    attempt = pa.field("attempt", pa.int16(), metadata={"description": "earlier attempts"})
    return job.SCHEMA.append(node).append(attempt)


def store_rows(job: Job, task: ShardTask, table: pa.Table, started: float) -> ShardDone:
    """Writes the rows of a shard; raises StorageError."""
    node = node_name()
    facts = {
        "job": task.job,
        "start": str(task.shard.start),
        "stop": str(task.shard.stop),
        "node": node,
        "attempt": str(task.attempt),
        "signature": task.signature,
    }
    schema = shard_schema(job)
    labels = [pa.array([label] * len(table)) for label in (node, task.attempt)]
    columns = [
        column.cast(field.type)
        for column, field in zip([*table.columns, *labels], schema, strict=True)
    ]
    labelled = pa.Table.from_arrays(columns, schema=schema)
    size = write_shard(Store(task.location), task.shard, labelled, facts)
    seconds = time.perf_counter() - started
    return ShardDone(task.shard, len(labelled), job.tally(labelled), seconds, size)


def _many_rows(job: Job, spec: JobSpec, task: ShardTask) -> pa.Table | None:
    """All rows at once, where the job can and no unit is bad.

    Not where each unit has its time: nobody could say which of many it was that took too long.
    """
    if task.lines is not None or task.unit_timeout is not None:
        return None
    try:
        return job.compute_many(spec, task.units)
    except Exception:  # one by one finds the unit that does it
        return None


def _rows_one_by_one(job: Job, spec: JobSpec, task: ShardTask) -> pa.Table:
    rows: list[Row] = []
    for unit, line in task.given:
        with _watched(task, unit):
            rows += _rows_of_unit(job, spec, unit, line)
    return pa.Table.from_pylist(rows, schema=job.SCHEMA)


def _rows_of_unit(job: Job, spec: JobSpec, unit: int, line: str | None) -> list[Row]:
    try:
        rows = job.compute(spec, unit, line)
        for row in rows:
            job.verify(spec, row, line)
    except NotReadyError:
        raise
    except VerificationError as error:
        return job.failed_rows(spec, unit, line, f"verification: {error}")
    except Exception as error:  # a bad unit never stops a run
        return job.failed_rows(spec, unit, line, f"{type(error).__name__}: {error}")
    return rows
