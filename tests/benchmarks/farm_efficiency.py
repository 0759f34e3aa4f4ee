"""How much of two cores the farm turns into work, against two bare processes doing the same.

Both compute, verify and write the same shards of the same units. The bare processes take every
other shard and start when both have their kernels loaded; the farm is timed from the first
submission, likewise with warm workers. Pairs alternate, so that a machine whose speed drifts does
not favour either.

    python tests/benchmarks/farm_efficiency.py --units 4000 --shard-size 250 --pairs 3
    python tests/benchmarks/farm_efficiency.py --job cribbage-ladder --units 200000 \
        --shard-size 12500
    python tests/benchmarks/farm_efficiency.py --units 4000 --shard-size 250 --nodes 2
"""

import argparse
import multiprocessing
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from farm.loop import drive
from farm.pool import RayPool
from farm.run_directory import Run, Segment, create
from farm.watching import Stop, Watcher
from farm.worker import ShardTask, compute_shard, local_signature
from jobs import load_job
from results.rows import comparable, rows
from results.store import Store

WORKERS = 2
FIELDS = {
    # With this limit no single deal takes long, so that shards are alike.
    "klondike-solvability": {"solver": "skip-action", "limit_nodes": 30_000},
    "cribbage-ladder": {},
}


def new_run(folder: Path, name: str, units: int) -> Run:
    """A run directory with its signature."""
    job = load_job(name)
    spec = job.Spec.model_validate(FIELDS[name]).of_units(units)
    run = create(Store(str(folder)), job, spec, range(units), None)
    run.record.signature = local_signature(name, spec.model_dump_json())
    return run


def tasks(run: Run) -> list[ShardTask]:
    """The shards of the run's plan."""
    name, spec, signature = run.record.job, run.spec.model_dump_json(), run.record.signature or ""
    return [
        ShardTask(name, spec, run.store.location, shard, tuple(shard.units), None, signature)
        for shard in run.planned_shards(0)
    ]


def bare_worker(work: list[ShardTask], ready: Any, start: Any, times: Any) -> None:
    """Loads the kernels, waits for the start, and does its shards."""
    local_signature(work[0].job, work[0].spec)
    ready.release()
    start.wait()
    begun = time.perf_counter()
    for task in work:
        compute_shard(task)
    times.put(time.perf_counter() - begun)


def time_bare(folder: Path, name: str, units: int, shard_size: int) -> tuple[float, Run]:
    """Seconds of two bare processes, until the later one ends."""
    run = new_run(folder, name, units)
    run.record.passes[0].segments.append(Segment(start=0, stop=units, size=shard_size))
    work = tasks(run)
    context = multiprocessing.get_context("spawn")
    ready, start, times = context.Semaphore(0), context.Event(), context.Queue()
    processes = [
        context.Process(target=bare_worker, args=(work[worker::WORKERS], ready, start, times))
        for worker in range(WORKERS)
    ]
    for process in processes:
        process.start()
    for _ in processes:
        ready.acquire()
    start.set()
    busy = [times.get() for _ in processes]
    for process in processes:
        process.join()
    print(f"  bare  {max(busy):6.2f} s  (workers busy for {sum(busy):.2f} s in all)")
    return max(busy), run


def time_farm(
    pool: RayPool, folder: Path, name: str, units: int, shard_size: int
) -> tuple[float, Run]:
    """Seconds of the farm loop with warm workers."""
    run = new_run(folder, name, units)
    begun = time.perf_counter()
    cores = drive(run, pool, Stop(), Watcher(), shard_size)
    seconds = time.perf_counter() - begun
    print(
        f"  farm  {seconds:6.2f} s  (workers busy for {cores.busy:.2f} s in all, "
        f"idle at the end for {cores.idle_at_end:.2f} s)"
    )
    return seconds, run


def start_cluster(nodes: int) -> Any:
    """A Ray cluster on this machine whose head computes nothing."""
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(nodes):
        cluster.add_node(num_cpus=WORKERS // nodes)
    return cluster


def main() -> None:
    """Prints each pair, the efficiency, and the parts of a cold start."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", choices=FIELDS, default="klondike-solvability")
    parser.add_argument("--units", type=int, default=4000)
    parser.add_argument("--shard-size", type=int, default=250)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--nodes", type=int, choices=(1, 2), help="of a Ray cluster to join")
    options = parser.parse_args()

    begun = time.perf_counter()
    spec = load_job(options.job).Spec(**FIELDS[options.job])
    local_signature(options.job, spec.model_dump_json())
    print(f"kernels loaded or compiled in {time.perf_counter() - begun:.2f} s")
    begun = time.perf_counter()
    cluster = start_cluster(options.nodes) if options.nodes else None
    pool = RayPool(cluster and cluster.address)
    print(f"Ray started in {time.perf_counter() - begun:.2f} s, {pool.cpus} CPUs")
    ratios = []
    work_load = options.job, options.units, options.shard_size
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begun = time.perf_counter()
        time_farm(pool, folder / "warm", options.job, 2 * pool.cpus, 1)
        print(f"workers warm after {time.perf_counter() - begun:.2f} s")
        for pair in range(options.pairs):
            bare, bare_run = time_bare(folder / f"bare{pair}", *work_load)
            work, farm_run = time_farm(pool, folder / f"farm{pair}", *work_load)
            assert comparable(rows(bare_run.store)).equals(comparable(rows(farm_run.store)))
            ratios.append(bare / work)
            print(f"  efficiency {ratios[-1]:.3f}")
    pool.close()
    if cluster:
        cluster.shutdown()
    print(f"efficiency: median {statistics.median(ratios):.3f} of {[f'{r:.3f}' for r in ratios]}")


if __name__ == "__main__":
    main()
