"""Run directories with rows as a test wants them, without computing any."""

import pyarrow as pa

from farm.run_directory import Segment, create
from jobs import load_job
from results.shards import Shard, write_shard
from results.store import Store


def write_run(folder, job_name, passes, *, count, size=None, lines=None, **fields):
    """A run of `count` units with these rows; of each pass a list.

    size: units a shard, None for one shard. lines: of a deal file.
    """
    job = load_job(job_name)
    spec = job.Spec(**fields).of_units(count)
    units = range(spec.unit_count)
    limits = [{"limit_nodes": 2 ** (20 + index)} for index in range(1, len(passes))]
    run = create(Store(str(folder)), job, spec, units, lines, limits)
    run.record.signature = "0123456789abcdef"
    for index, rows in enumerate(passes):
        segment = Segment(start=0, stop=units.stop, size=size or units.stop)
        run.record.passes[index].segments.append(segment)
        for start in range(0, units.stop, segment.size):
            stop = min(start + segment.size, units.stop)
            write_rows(run, Shard(index, start, stop), rows)
    run.save()
    return run


def write_rows(run, shard, rows):
    """Of these rows those of a shard; no file where there are none."""
    own = [row for row in rows if row["unit"] in shard.units]
    if own:
        table = pa.Table.from_pylist(own, schema=run.job.SCHEMA)
        write_shard(run.store, shard, table, {"node": "here", "attempt": "0"})


def solver_rows(outcomes, seconds=0.5, **more):
    """A row of a solver for each outcome."""
    return [
        {"unit": unit, "outcome": outcome, "nodes": 10 * unit, "seconds": seconds, **more}
        for unit, outcome in enumerate(outcomes)
    ]
