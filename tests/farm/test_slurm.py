"""The generated batch scripts on a real Slurm of two nodes."""

import os
import time
from pathlib import Path

import pytest
from farm_pools import InlinePool
from slurm_cluster import NODES, SlurmCluster, Unavailable, why_unavailable

from farm.loop import drive
from farm.run_directory import create, open_run
from farm.watching import Stop, Watcher
from jobs import load_job
from results.rows import comparable, rows
from results.shards import list_shards, overlaps
from results.store import Store

pytestmark = pytest.mark.cluster

ENDED = {"COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL"}
UNITS, LIMIT = 120, 4_000
JOB_OPTIONS = ("--solver", "skip-action", "--deals", UNITS, "--limit-nodes", LIMIT)
SECONDS_AFTER_THE_END = 30
"""Most that a job may stay in the queue: 10 for Ray, and a machine busy with other tests."""


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    if reason := why_unavailable():
        pytest.skip(f"no Slurm on this machine: {reason}")
    cluster = SlurmCluster(tmp_path_factory.mktemp("slurm"))
    root = str(Path(__file__).parents[2])
    cluster.environment["PYTHONPATH"] = os.pathsep.join(
        filter(None, (root, os.environ.get("PYTHONPATH")))
    )
    try:
        cluster.start()
    except Unavailable as error:
        pytest.skip(f"Slurm does not start on this machine: {error}")
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The rows as one worker without Ray computes them."""
    job = load_job("klondike-solvability")
    spec = job.Spec(deals=UNITS, limit_nodes=LIMIT, solver="skip-action")
    run = create(Store(str(tmp_path_factory.mktemp("reference"))), job, spec, range(UNITS))
    run.record.signature = job.signature(spec)
    drive(run, InlinePool(), Stop(), Watcher(), 60)
    return comparable(rows(run.store))


def submit(slurm, folder, *options):
    shown = slurm.command(
        "farm", "submit", "slurm", "klondike-solvability", *options, "--go", cwd=folder
    )
    assert shown.returncode == 0, shown.stderr
    assert "cancel  scancel JOBID" in shown.stdout
    return shown.stdout.partition("Submitted batch job ")[2].split()[0]


def wait_for(slurm, job, condition, seconds):
    deadline = time.monotonic() + seconds
    while not condition(state := slurm.state(job)):
        assert time.monotonic() < deadline, (state, *read_logs(slurm), slurm.log())
        time.sleep(0.5)
    return state


def read_logs(slurm):
    return [path.read_text()[-5000:] for path in slurm.folder.glob("*/farm-*.log")]


def ended(state):
    return state.get("JobState") in ENDED


def test_a_job_over_two_nodes_drains_before_its_time_limit_and_goes_on(slurm, reference):
    folder = slurm.folder / "two nodes"
    folder.mkdir()
    out = folder / "a run's $(touch bad) rows"
    options = ("--nodes", 2, "--cpus", 2, "--memory", "3G", "--shard-size", 4, "--name", "farm-two")
    limit = ("--time", "1m", "--drain", "35s")
    job = submit(slurm, folder, *JOB_OPTIONS, "--out", out, *options, *limit)

    wait_for(slurm, job, lambda state: state.get("Restarts") == "1", 150)
    slurm.command("scontrol", "update", f"JobId={job}", "TimeLimit=10")
    state = wait_for(slurm, job, ended, 200)
    left = time.time()
    assert (state["JobState"], state["ExitCode"]) == ("COMPLETED", "0:0"), read_logs(slurm)

    run = open_run(str(out))
    assert run.is_complete()
    assert comparable(rows(run.store)).equals(reference)
    assert set(rows(run.store)["node"].to_pylist()) == set(NODES)
    assert overlaps(list_shards(run.store)) == []
    assert left - (out / "benchmark.json").stat().st_mtime < SECONDS_AFTER_THE_END
    log = next(folder.glob("farm-two-*.log")).read_text()
    assert "drained before the time limit: back to the queue" in log
    assert not list(folder.rglob("bad"))


def test_an_array_computes_its_shares_without_ray_between_nodes(slurm, reference):
    folder = slurm.folder / "array"
    folder.mkdir()
    options = ("--array", 2, "--cpus", 2, "--memory", "3G", "--shard-size", 20)
    job = submit(slurm, folder, *JOB_OPTIONS, "--out", folder / "run", *options, "--name", "farm-a")
    for task in (0, 1):
        state = wait_for(slurm, f"{job}_{task}", ended, 120)
        assert (state["JobState"], state["ExitCode"]) == ("COMPLETED", "0:0"), read_logs(slurm)
    run = open_run(str(folder / "run"))
    assert comparable(rows(run.store)).equals(reference)
    assert run.store.exists("benchmark.json")
    nodes = {}
    for shard in list_shards(run.store):
        table = rows(run.store).filter([unit in shard.units for unit in range(UNITS)])
        nodes.setdefault(shard.start // 20 % 2, set()).update(table["node"].to_pylist())
    assert {len(each) for each in nodes.values()} == {1}
    assert set.union(*nodes.values()) == set(NODES)


def test_a_job_that_fails_leaves_the_queue_with_its_exit_status(slurm):
    folder = slurm.folder / "failing"
    folder.mkdir()
    (folder / "file").write_text("")
    options = ("--array", 1, "--memory", "1G", "--shard-size", 20, "--name", "farm-fails")
    job = submit(slurm, folder, *JOB_OPTIONS, "--out", folder / "file" / "run", *options)
    state = wait_for(slurm, f"{job}_0", ended, 60)
    assert (state["JobState"], state["ExitCode"]) == ("FAILED", "2:0")
    assert "cannot write" in next(folder.glob("farm-fails-*.log")).read_text()
