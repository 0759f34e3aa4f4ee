"""Ray behind four calls: start, submit, wait, close. Nothing else in the project imports Ray."""

import logging
import os
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import chdir, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Protocol

from farm.errors import RunProblem, UsageProblem
from farm.watching import Stop
from farm.worker import ShardDone, ShardTask, SignatureMismatch, compute_shard, probe_units

TASKS_PER_CPU = 2
CPUS_KNOWN_SECONDS = 1.0
PROBE_LOOK_SECONDS = 0.25
PROBE_WAIT_SECONDS = 600.0  # a cluster that grows by itself may have to start a node first


@dataclass(frozen=True)
class Finished:
    """A task's end: done, or the error that it raised, or how its worker died.

    blames_task: whether the death may be the task's own doing; a lost node is not.
    """

    task: ShardTask
    done: ShardDone | None = None
    error: Exception | None = None
    death: str | None = None
    blames_task: bool = False


class Pool(Protocol):
    """Workers for shard tasks."""

    @property
    def cpus(self) -> int:
        """How many tasks run at once."""

    @property
    def window(self) -> int:
        """How many tasks to submit before one has ended."""

    def probe(self, task: ShardTask, stop: Stop) -> float | None:
        """Mean seconds a unit of this task, as a worker measures it.

        None where it died of it, or where `stop` was asked for meanwhile.
        """

    def submit(self, task: ShardTask) -> None:
        """Queues a task."""

    def wait(self, timeout: float) -> list[Finished]:
        """The tasks that ended since the last call, waiting up to `timeout` seconds for one."""

    def close(self) -> None:
        """Ends the workers."""


class RayPool:
    """Workers of an embedded Ray on this machine, or of the cluster at an address."""

    def __init__(self, address: str | None = None, max_cpus: int | None = None) -> None:
        # Both are read when Ray is imported or started; a user's own setting stays.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        import ray

        self._ray = ray
        address = address or os.environ.get("RAY_ADDRESS")
        try:
            # Workers look for modules first in the folder where Ray is started: in this one they
            # find what the driver runs, not a checkout that lies in the user's current folder.
            with chdir(Path(__file__).parents[1]):
                ray.init(
                    address=address or "local",
                    num_cpus=None if address else max_cpus,
                    include_dashboard=None if address else False,
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                )
        except Exception as error:  # of no kind of its own where a slow machine runs out of time
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            if address:
                raise UsageProblem(f"cannot join the Ray cluster at {address}: {reason}") from None
            raise RunProblem(f"cannot start Ray on this machine: {reason}") from error
        self._compute = ray.remote(num_cpus=1, max_retries=0)(compute_shard)
        self._probe = ray.remote(num_cpus=1, max_retries=0)(probe_units)
        self._joined, self._max_cpus = bool(address), max_cpus
        self._cluster_resources: Callable[[], dict[str, float]] = ray.cluster_resources
        self._cpus, self._ask_again = 1, 0.0
        self._ended: SimpleQueue[tuple[ShardTask, Future[ShardDone]]] = SimpleQueue()

    @property
    def cpus(self) -> int:
        """The CPUs of the cluster, as it was a moment ago, as many of them as may be used."""
        if time.monotonic() >= self._ask_again:
            found = max(1, int(self._cluster_resources().get("CPU", 1)))
            self._cpus = found if self._max_cpus is None else min(found, self._max_cpus)
            self._ask_again = time.monotonic() + CPUS_KNOWN_SECONDS
        return self._cpus

    @property
    def window(self) -> int:
        """Some tasks for each CPU, so that none waits; within a cluster no more than may run."""
        if self._joined and self._max_cpus is not None:
            return self._max_cpus
        return TASKS_PER_CPU * self.cpus

    def probe(self, task: ShardTask, stop: Stop) -> float | None:
        """Mean seconds a unit of this task, as a worker measures it.

        None where it died of it, or where `stop` was asked for meanwhile.
        """
        reference = self._probe.remote(task)
        deadline = time.monotonic() + PROBE_WAIT_SECONDS
        while not self._ray.wait([reference], timeout=PROBE_LOOK_SECONDS)[0]:
            if stop.asked() or time.monotonic() >= deadline:
                self._ray.cancel(reference, force=True)
                return None
        errors = self._ray.exceptions
        try:
            return float(self._ray.get(reference))
        except errors.RayTaskError as error:
            if isinstance(error.cause, SignatureMismatch):
                raise UsageProblem(str(error.cause)) from None
        except errors.RayError:
            pass
        return None

    def submit(self, task: ShardTask) -> None:
        """Queues a task."""
        future: Future[ShardDone] = self._compute.remote(task).future()
        future.add_done_callback(lambda ended: self._ended.put((task, ended)))

    def wait(self, timeout: float) -> list[Finished]:
        """The tasks that ended since the last call, waiting up to `timeout` seconds for one.

        What it costs does not grow with the tasks in flight, as that of asking Ray for all would.
        """
        finished = []
        with suppress(Empty):
            finished.append(self._result(*self._ended.get(timeout=timeout)))
            while True:
                finished.append(self._result(*self._ended.get_nowait()))
        return finished

    def _result(self, task: ShardTask, ended: Future[ShardDone]) -> Finished:
        errors = self._ray.exceptions
        try:
            return Finished(task, done=ended.result())
        except errors.RayTaskError as error:
            cause = error.cause if isinstance(error.cause, Exception) else error
            return Finished(task, error=cause)
        except (errors.NodeDiedError, errors.ObjectLostError) as error:
            return Finished(task, death=_first_line(error))
        except errors.RayError as error:
            return Finished(task, death=_first_line(error), blames_task=True)

    def close(self) -> None:
        """Ends the embedded Ray, or leaves the cluster."""
        self._ray.shutdown()


def _first_line(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else 'no reason given'}"
