"""What a job will cost, from a small sample computed here."""

import tempfile
import time
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from farm.errors import UsageProblem
from farm.planning import TARGET_SHARD_SECONDS
from farm.run_directory import Run, new_run
from farm.starting import Plan
from farm.worker import compute_shard, local_signature, task_of
from jobs.job import Job
from results.shards import Shard, read_shard, write_shard
from results.statistics import wilson
from results.store import Store

SAMPLE_SECONDS = 15.0
_GROUP_SECONDS = 0.2
_GOLDEN = 0.6180339887498949
"""Its multiples, modulo 1, are spread evenly however many are taken."""


@dataclass(frozen=True)
class Estimate:
    """The cost of a job, each with a 95 % interval.

    sample: units computed. core_hours: of all units on cores like this machine's.
    undecided: the share of rows that larger limits might change. megabytes: of all rows.
    shard_size: units for a shard of a few seconds.
    """

    sample: int
    units: int
    core_hours: tuple[float, float, float]
    undecided: tuple[float, float, float]
    megabytes: float
    shard_size: int

    def lines(self, cpus: int) -> list[str]:
        """The estimate for people; `cpus` is what is asked of the cluster."""
        hours, low, high = self.core_hours
        share, least, most = (100 * value for value in self.undecided)
        return [
            f"sample      {self.sample:,} of {self.units:,} units, on one core of this machine",
            f"core hours  {hours:.3g} ({low:.3g} to {high:.3g}); on {cpus} CPUs "
            f"{hours / cpus:.3g} hours",
            f"undecided   {share:.1f} % ({least:.1f} to {most:.1f} %)",
            f"rows        {self.megabytes:.3g} MB",
            f"shard size  {self.shard_size:,} units",
        ]


def estimate(job: Job, plan: Plan, seconds: float = SAMPLE_SECONDS) -> Estimate:
    """Computes groups of units spread over all for some time; their rows are not kept.

    Raises UsageProblem for a job with stages, whose later units cannot be computed by themselves.
    """
    if len(job.stages(plan.spec)) > 1:
        raise UsageProblem(f"{job.NAME} has stages: a sample of it says nothing about the rest")
    with tempfile.TemporaryDirectory(prefix="dealfarm-estimate-") as folder:
        run = new_run(Store(folder), job, plan.spec, plan.units, plan.deals)
        run.record.signature = local_signature(job.NAME, plan.spec.model_dump_json())
        run.save()
        tables, times = _sample(run, seconds)
        table = pa.concat_tables([each.replace_schema_metadata() for each in tables])
        megabytes = write_shard(run.store, Shard(0, 0, 1), table, {}) / 1e6
    from scipy.stats import norm  # here, since importing it takes a second

    sizes = np.array([len(each["unit"].unique()) for each in tables])
    mean = times.sum() / sizes.sum()
    spread = np.sqrt(((times - mean * sizes) ** 2).sum() / max(1, len(times) - 1))
    margin = float(norm.ppf(0.975)) * spread * np.sqrt(len(times)) / sizes.sum()
    hours = len(plan.units) / 3600
    open_rows = job.is_open(table).to_pylist().count(True)
    low, high = wilson(open_rows, len(table))
    return Estimate(
        sample=int(sizes.sum()),
        units=len(plan.units),
        core_hours=(mean * hours, max(0.0, mean - margin) * hours, (mean + margin) * hours),
        undecided=(open_rows / len(table), low, high),
        megabytes=megabytes * len(plan.units) / int(sizes.sum()),
        shard_size=max(1, round(TARGET_SHARD_SECONDS / mean)),
    )


def _sample(run: Run, seconds: float) -> tuple[list[pa.Table], np.ndarray]:
    """The rows and the times of groups of units, each group large enough to be timed."""
    tables: list[pa.Table] = []
    times: list[float] = []
    group, count = 1, len(run.units)
    begun = time.perf_counter()
    while time.perf_counter() - begun < seconds and len(tables) * group < count:
        place = len(tables) * _GOLDEN % 1.0
        start = run.units.start + int(place * (count - group))
        shard = Shard(0, start, start + group)
        started = time.perf_counter()
        compute_shard(task_of(run, run.spec, shard, tuple(shard.units)))
        times.append(time.perf_counter() - started)
        tables.append(read_shard(run.store, shard))
        if times[-1] < _GROUP_SECONDS and 2 * group <= count:
            group *= 2
            tables, times = [], []
    return tables, np.array(times)
