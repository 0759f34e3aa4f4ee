"""What a run of many shards costs where a unit costs nothing: the driver, resuming, compacting.

An empty job (a row for each unit, nothing computed) is driven by one process without Ray, so that
all time but that of writing shards is the farm's own. With --ray the same goes through Ray, with as
many tasks in flight as a cluster of --cpus would have, for the cost of a task and from it the task
length at which the driver would be busy all the time.

    python tests/benchmarks/farm_scale.py --shards 100000 --units 10000000
    python tests/benchmarks/farm_scale.py --shards 5000 --units 500000 --ray --cpus 1000
"""

import argparse
import gc
import resource
import sys
import tempfile
import time
import types
from collections import Counter, deque
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
from pydantic import Field

import jobs
from farm.arranging import compact
from farm.driver import sum_up
from farm.loop import drive
from farm.pool import TASKS_PER_CPU, Finished, RayPool
from farm.run_directory import create, open_run
from farm.watching import Progress, Stop, Watcher
from farm.worker import ShardTask, compute_shard
from jobs import job
from results.rows import final_batches
from results.shards import list_shards
from results.store import Store

NAME = "empty"


class Spec(job.JobSpec):
    """Only the number of units."""

    UNIT_FIELD: ClassVar[str] = "deals"
    GROWS: ClassVar[frozenset[str]] = frozenset({"deals"})
    deals: int = Field(1000, ge=1, description="Number of units.")


def empty_job() -> types.ModuleType:
    """A job whose units cost nothing."""
    module = types.ModuleType("jobs.empty")
    schema = pa.schema([("unit", pa.int64()), ("seconds", pa.float64())])

    def compute_many(spec: Spec, units: Any) -> pa.Table:
        del spec
        return pa.table({"unit": list(units), "seconds": [0.0] * len(units)}, schema=schema)

    vars(module).update(
        NAME=NAME,
        SUMMARY="Nothing.",
        SCHEMA=schema,
        Spec=Spec,
        TALLY_COLUMNS=("unit",),
        signature=lambda spec: "0" * 16,
        compute_many=compute_many,
        stages=job.one_stage,
        found=job.nothing_found,
        sequential=job.all_units,
        artifacts=job.no_artifacts,
        metrics=job.no_metrics,
        counts=dict,
        tally=lambda table: Counter(rows=len(table)),
        remarks=lambda tally: [],
        report_sections=job.no_sections,
    )
    return module


def install() -> None:
    """Makes the empty job one of the jobs, in this process or a worker."""
    sys.modules["jobs.empty"] = empty_job()
    known = jobs.job_names
    jobs.job_names = lambda: [*known(), NAME]


class HerePool:
    """One worker: this process."""

    cpus = 1
    window = 2

    def __init__(self) -> None:
        self.queue: deque[ShardTask] = deque()
        self.seconds = 0.0

    def submit(self, task: ShardTask) -> None:
        """Queues a task."""
        self.queue.append(task)

    def wait(self, timeout: float) -> list[Finished]:
        """Does the next task."""
        del timeout
        begun = time.process_time()
        task = self.queue.popleft()
        done = compute_shard(task)
        self.seconds += time.process_time() - begun
        return [Finished(task, done=done)]


class EmptyRayPool(RayPool):
    """Ray's workers, which know the empty job."""

    seconds = 0.0

    def __init__(self, cpus: int | None) -> None:
        super().__init__()
        self._as_if = cpus

        def compute(task: ShardTask) -> Any:
            if "jobs.empty" not in sys.modules:
                install()
            return compute_shard(task)

        compute.__globals__.update(install=install)
        self._compute = self._ray.remote(num_cpus=1, max_retries=0)(compute)

    @property
    def window(self) -> int:
        """As many tasks as a cluster of so many CPUs would have."""
        return super().window if self._as_if is None else TASKS_PER_CPU * self._as_if


class MemoryWatcher(Watcher):
    """Prints the largest memory of this process each tenth of the run."""

    def __init__(self) -> None:
        self.next = 0.0

    def update(self, progress: Progress) -> None:
        """Progress was made."""
        if progress.done >= self.next * progress.total:
            print(f"  {progress.done:>12,} units  {memory_mb():6.0f} MB at most", flush=True)
            self.next += 0.25


def memory_mb() -> float:
    """The largest resident size of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(what: str, work: Any) -> Any:
    """The result of some work, whose time is printed."""
    gc.collect()
    begun = time.perf_counter()
    result = work()
    print(f"{what}  {time.perf_counter() - begun:.2f} s, {memory_mb():.0f} MB at most", flush=True)
    return result


def main() -> None:
    """Prints what each part of a run costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=100_000)
    parser.add_argument("--units", type=int, default=10_000_000)
    parser.add_argument("--ray", action="store_true")
    parser.add_argument("--cpus", type=int, help="of a cluster whose tasks in flight to have")
    options = parser.parse_args()
    install()
    with tempfile.TemporaryDirectory() as folder:
        spec = Spec(deals=options.units)
        run = create(Store(folder), jobs.load_job(NAME), spec, range(options.units))
        run.record.signature = "0" * 16
        size = options.units // options.shards
        pool: Any = EmptyRayPool(options.cpus) if options.ray else HerePool()
        begun, busy, alone = time.perf_counter(), time.process_time(), time.thread_time()
        drive(run, pool, Stop(), MemoryWatcher(), size)
        seconds = time.perf_counter() - begun
        own, loop = (
            1e3 * (spent - pool.seconds) / options.shards
            for spent in (time.process_time() - busy, time.thread_time() - alone)
        )
        print(
            f"run  {seconds:.1f} s; of CPU a shard {own:.3f} ms the driver, {loop:.3f} ms its loop"
        )
        print(f"1,000 CPUs keep the loop busy all the time with shards of {loop:.1f} s")
        if options.ray:
            pool.close()
        shards = timed("list the shards ", lambda: list_shards(run.store))
        for shard in shards[:: max(1, len(shards) // 10)]:
            Path(folder, shard.name).unlink()
        again = HerePool()
        timed("resume, 10 gone ", lambda: drive(open_run(folder), again, Stop(), Watcher(), size))
        names = ["unit"]
        count = timed(
            "read all rows   ",
            lambda: sum(len(each.rows) for each in final_batches(run.store, shards, names)),
        )
        assert count == options.units
        benchmark, _ = timed("sum up          ", lambda: sum_up(run))
        assert (benchmark.complete, benchmark.units_done) == (True, options.units)
        timed("compact         ", lambda: compact(run))
        benchmark, _ = timed("sum up compacted", lambda: sum_up(run))
        assert benchmark.units_done == options.units


if __name__ == "__main__":
    main()
