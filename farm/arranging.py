"""Putting runs together, and many small shards into few large ones."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import pyarrow as pa

from farm.driver import sum_up, write_artifacts
from farm.errors import UsageProblem
from farm.run_directory import BENCHMARK_FILE, DEALS_FILE, Run, new_run
from results.benchmark import Benchmark
from results.shards import (
    Shard,
    all_shards,
    facts_of,
    list_shards,
    read_shards,
    split_covered,
    write_shard,
)
from results.store import Store

COMPACT_ROWS = 1_000_000
"""Rows of a compacted shard, about."""
COMPACT_SHARDS = 10_000


class Merged(NamedTuple):
    """A run made of others, its benchmark, and what must be said beside it."""

    run: Run
    benchmark: Benchmark
    remarks: list[str]


def merge(runs: Sequence[Run], store: Store) -> Merged:
    """One run of the units of several that are parts of one; raises UsageProblem, naming why not.

    The parts stay as they are. They must be complete and of one job, spec, seed, engine signature
    and schedule of limits, and their units must follow each other.
    """
    if len(runs) < 2:
        raise UsageProblem(f"expected at least two runs, got {len(runs)}")
    runs = sorted(runs, key=lambda run: run.record.start)
    first = runs[0]
    for other in runs[1:]:
        _refuse_unlike(first, other)
    for run in runs:
        if not run.is_complete():
            raise UsageProblem(f"{run.store} is incomplete: finish it with `farm resume` first")
        if len(run.stages()) > 1:
            raise UsageProblem(f"{run.record.job} has stages: its runs cannot be merged")
    for before, after in pairwise(runs):
        if after.record.start < before.record.stop:
            raise UsageProblem(
                f"units overlap: {before.store} has {_units(before)}, {after.store} {_units(after)}"
            )
        if after.record.start > before.record.stop:
            raise UsageProblem(
                f"units {before.record.stop}-{after.record.start - 1} are in none of the runs"
            )
    units = range(first.record.start, runs[-1].record.stop)
    deals = None
    if first.record.deals_sha256 is not None:
        deals = first.store.read(DEALS_FILE).decode()
    limits = [each.limits for each in first.record.passes[1:]]
    merged = new_run(store, first.job, first.spec.of_units(len(units)), units, deals, limits)
    merged.record.signature = first.record.signature
    for index, plan in enumerate(merged.record.passes):
        plan.segments = [each for run in runs for each in run.record.passes[index].segments]
    merged.record.sessions = [session for run in runs for session in run.sessions()]
    merged.save()  # first: what an interruption leaves is a run that can be finished
    for run in runs:
        for shard in list_shards(run.store):
            store.write(shard.name, run.store.read(shard.name))
    benchmark, remarks = sum_up(merged)
    store.write(BENCHMARK_FILE, benchmark.to_json().encode())
    write_artifacts(merged, benchmark)
    return Merged(merged, benchmark, remarks)


def _refuse_unlike(first: Run, other: Run) -> None:
    own = {**first.record.spec, **_identity(first)}
    theirs = {**other.record.spec, **_identity(other)}
    for run_fields in (own, theirs):
        run_fields.pop(first.spec.UNIT_FIELD, None)
    for field in own | theirs:
        if own.get(field) != theirs.get(field):
            raise UsageProblem(
                f"{field} differs: {own.get(field)} in {first.store}, "
                f"{theirs.get(field)} in {other.store}"
            )


def _identity(run: Run) -> dict[str, object]:
    record = run.record
    return {
        "job": record.job,
        "engine signature": record.signature,
        "deals file (SHA-256)": record.deals_sha256,
        "limits of the passes": [each.limits for each in record.passes],
        "shape of the passes": [bool(each.segments) for each in record.passes],
    }


def _units(run: Run) -> str:
    return f"{run.record.start}-{run.record.stop - 1}"


def compact(run: Run) -> tuple[int, int]:
    """Replaces neighbouring shards by larger ones of the same rows; shards before and after.

    At every moment, killed or not, each unit has its row: the larger file is written first, and
    those that it covers count no longer. Raises StorageError and ShardError.
    """
    shards, covered = split_covered(all_shards(run.store))
    for shard in covered:
        run.store.delete(shard.name)
    after = len(shards)
    for group in _groups(run, shards):
        tables = list(read_shards(run.store, group))
        whole = Shard(group[0].pass_index, group[0].start, group[-1].stop)
        parts = [facts_of(table) for table in tables]
        nodes = {facts["node"] for facts in parts}
        node = nodes.pop() if len(nodes) == 1 else "several"
        facts = {**parts[0], "stop": str(whole.stop), "node": node}
        table = pa.concat_tables([each.replace_schema_metadata() for each in tables])
        write_shard(run.store, whole, table.replace_schema_metadata(run.job.SCHEMA.metadata), facts)
        for shard in group:
            run.store.delete(shard.name)
        after -= len(group) - 1
    return len(shards), after


def _groups(run: Run, shards: Sequence[Shard]) -> Iterator[list[Shard]]:
    """Shards of one pass and stage that follow each other, in groups of COMPACT_ROWS units."""
    group: list[Shard] = []
    for shard in shards:
        fits = (
            group
            and (group[-1].pass_index, group[-1].stop) == (shard.pass_index, shard.start)
            and run.stage_of(group[0].start) == run.stage_of(shard.start)
            and shard.stop - group[0].start <= COMPACT_ROWS
            and len(group) < COMPACT_SHARDS
        )
        if not fits:
            if len(group) > 1:
                yield group
            group = []
        group.append(shard)
    if len(group) > 1:
        yield group
