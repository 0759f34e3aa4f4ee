"""Pools without Ray, for tests of the farm loop."""

from collections import deque

from farm.pool import Finished
from farm.worker import compute_shard, probe_units


class InlinePool:
    """One worker: this process."""

    cpus = 1
    window = 2

    def __init__(self):
        self.queue = deque()
        self.submitted = []

    def probe(self, task, stop):
        return probe_units(task)

    def submit(self, task):
        self.submitted.append(task.shard)
        self.queue.append(task)

    def wait(self, timeout):
        return [self.finish(self.queue.popleft())] if self.queue else []

    def finish(self, task):
        try:
            return Finished(task, done=compute_shard(task))
        except Exception as error:
            return Finished(task, error=error)

    def close(self):
        pass


class DeadlyPool(InlinePool):
    """A worker that dies on some units, `deaths` times on each; None is always."""

    def __init__(self, units, deaths=None):
        super().__init__()
        self.left = dict.fromkeys(units, deaths)

    def finish(self, task):
        deadly = [unit for unit in task.units if unit in self.left and self.left[unit] != 0]
        if not deadly:
            return super().finish(task)
        for unit in deadly:
            if self.left[unit] is not None:
                self.left[unit] -= 1
        return Finished(task, death="WorkerCrashedError: killed", blames_task=True)
