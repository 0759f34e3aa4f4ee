"""What a worker does: computes one shard, verifies it, writes it, and returns counts.

It knows nothing of Ray: a bare process can call `compute_shard` as well.
"""

import fcntl
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa

from engines.kernel import CACHE_DIRECTORY
from farm.facts import node_name
from jobs import load_job
from jobs.job import Job, JobSpec, Row, VerificationError
from results.shards import Shard, write_shard
from results.store import Store


class SignatureMismatch(Exception):
    """A worker whose engines are not those of the driver."""


@dataclass(frozen=True)
class ShardTask:
    """One shard to compute.

    units: the units to take up, in order; lines: their lines of the deal file, or None.
    attempt: how often this shard was started before.
    """

    job: str
    spec: str
    location: str
    shard: Shard
    units: tuple[int, ...]
    lines: tuple[str, ...] | None
    signature: str
    attempt: int = 0

    @property
    def given(self) -> Iterator[tuple[int, str | None]]:
        """Each unit with its line."""
        return zip(self.units, self.lines or (None,) * len(self.units), strict=True)


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
    """Computes, verifies and writes a shard; raises SignatureMismatch or StorageError.

    An error in a unit costs that unit only: its row has the outcome `failed` and the text.
    """
    started = time.perf_counter()
    signature = local_signature(task.job, task.spec)
    if signature != task.signature:
        raise SignatureMismatch(
            f"worker on {node_name()} has engine signature {signature}, the driver {task.signature}"
        )
    job = load_job(task.job)
    spec = job.Spec.model_validate_json(task.spec)
    table = _many_rows(job, spec, task)
    if table is None:
        table = _rows_one_by_one(job, spec, task)
    return store_rows(job, task, table, started)


def failed_shard(task: ShardTask, error: str) -> ShardDone:
    """Writes a shard whose units all failed, in place of a worker that cannot."""
    started = time.perf_counter()
    job = load_job(task.job)
    spec = job.Spec.model_validate_json(task.spec)
    rows = [row for unit, line in task.given for row in job.failed_rows(spec, unit, line, error)]
    return store_rows(job, task, pa.Table.from_pylist(rows, schema=job.SCHEMA), started)


def shard_schema(job: Job) -> pa.Schema:
    """The job's columns and those that say where and how often a shard was tried."""
    node = pa.field(
        "node", pa.dictionary(pa.int8(), pa.string()), metadata={"description": "machine"}
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
    """All rows at once, where the job can and no unit is bad."""
    if task.lines is not None:
        return None
    try:
        return job.compute_many(spec, task.units)
    except Exception:  # one by one finds the unit that does it
        return None


def _rows_one_by_one(job: Job, spec: JobSpec, task: ShardTask) -> pa.Table:
    rows = [row for unit, line in task.given for row in _rows_of_unit(job, spec, unit, line)]
    return pa.Table.from_pylist(rows, schema=job.SCHEMA)


def _rows_of_unit(job: Job, spec: JobSpec, unit: int, line: str | None) -> list[Row]:
    try:
        rows = job.compute(spec, unit, line)
        for row in rows:
            job.verify(spec, row, line)
    except VerificationError as error:
        return job.failed_rows(spec, unit, line, f"verification: {error}")
    except Exception as error:  # a bad unit never stops a run
        return job.failed_rows(spec, unit, line, f"{type(error).__name__}: {error}")
    return rows
