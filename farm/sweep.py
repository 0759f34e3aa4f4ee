"""Sweeps: a job file in which fields have several values becomes a run for each, and one table."""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from farm.errors import UsageProblem
from farm.options import make_spec
from farm.run_directory import BENCHMARK_FILE, LIMIT_FIELD
from jobs.job import Job
from results.benchmark import Benchmark, load_benchmark
from results.store import Store
from results.tables import estimate, marked_interval

LIMITS_KEY = "limits"
TABLE_FILE = "sweep.md"
INDEX_FILE = "sweep.json"


@dataclass(frozen=True)
class Member:
    """One run of a sweep. values: of the fields swept over, in their order in the job file."""

    values: dict[str, Any]
    fields: dict[str, Any]

    @property
    def folder(self) -> str:
        """A name such as "draw=1,solver=exact", in which no value becomes a path."""
        return ",".join(f"{key}={quote(str(value), safe='')}" for key, value in self.values.items())


def split(job: Job, fields: Mapping[str, Any]) -> tuple[list[Member], list[int]]:
    """The runs that a job file's fields ask for, checked, and the limits of their later passes.

    Without lists there is one run, without values. Raises UsageProblem.
    """
    plain = dict(fields)
    limits = growing_limits(job, plain.pop(LIMITS_KEY)) if LIMITS_KEY in plain else []
    if limits:
        if plain.get(LIMIT_FIELD) is not None:
            raise UsageProblem(f"limits and {LIMIT_FIELD} both say how far to go: give one")
        plain[LIMIT_FIELD] = limits[0]
    swept = {key: value for key, value in plain.items() if isinstance(value, list)}
    for key, several in swept.items():
        if not several or len(set(map(str, several))) < len(several):
            raise UsageProblem(f"{key}: expected a list of different values, got {several}")
    members = []
    for combination in itertools.product(*swept.values()):
        values: dict[str, Any] = dict(zip(swept, combination, strict=True))
        make_spec(job, {**plain, **values})
        members.append(Member(values, {**plain, **values}))
    return members, limits[1:]


def growing_limits(job: Job, values: object) -> list[int]:
    """The limits of a job file's `limits = [1e5, 1e7]`; raises UsageProblem."""
    if LIMIT_FIELD not in job.Spec.model_fields:
        raise UsageProblem(f"limits: {job.NAME} has no {LIMIT_FIELD}")
    numbers = isinstance(values, list) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in values
    )
    if not numbers or not values:
        raise UsageProblem(f"limits: expected numbers such as [1e5, 1e7, 1e9], got {values!r}")
    assert isinstance(values, list)
    limits = [int(value) for value in values]
    whole = all(value == limit for value, limit in zip(values, limits, strict=True))
    if not whole or limits[0] < 1 or limits != sorted(set(limits)):
        raise UsageProblem(f"limits: expected whole numbers that grow, got {values!r}")
    return limits


def write_table(store: Store, members: Sequence[Member]) -> str:
    """Writes the table of a sweep's complete runs and its index; returns the table."""
    found = [(member, load_benchmark(store.read(_benchmark(member)))) for member in members]
    table = "\n".join(_table(found)) + "\n"
    index = [
        {"values": member.values, "run": member.folder, "metrics": _metrics(benchmark)}
        for member, benchmark in found
    ]
    store.write(TABLE_FILE, table.encode())
    store.write(INDEX_FILE, (json.dumps(index, indent=2) + "\n").encode())
    return table


def _benchmark(member: Member) -> str:
    return f"{member.folder}/{BENCHMARK_FILE}"


def _metrics(benchmark: Benchmark) -> list[Any]:
    return [metric.model_dump(mode="json") for metric in benchmark.metrics]


def _table(found: Sequence[tuple[Member, Benchmark]]) -> list[str]:
    names = list(found[0][0].values)
    lines = [
        f"| {' | '.join(names)} | share | n | estimate | 95 % interval |",
        f"| {' | '.join(['---'] * (len(names) + 4))} |",
    ]
    for member, benchmark in found:
        own = " | ".join(str(value).replace("|", "\\|") for value in member.values.values())
        for metric in benchmark.metrics:
            cells = [own, metric.name, f"{metric.n:,}", estimate(metric), marked_interval(metric)]
            lines.append(f"| {' | '.join(cells)} |")
    return lines
