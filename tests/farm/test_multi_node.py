"""Faults on a Ray of several nodes on this machine: no row lost, none doubled, none changed."""

import json
import os
import time

import psutil
import pytest
from farm_pools import InlinePool

from farm.loop import drive
from farm.run_directory import create, open_run
from farm.watching import Stop, Watcher
from jobs import load_job
from results.rows import comparable, rows
from results.shards import all_shards, overlaps
from results.store import Store

pytestmark = pytest.mark.cluster

DEALS, LIMIT = 36, 3_000
NAME = "klondike-solvability"
OPTIONS = ("--solver", "skip-action", "--deals", DEALS, "--limit-nodes", LIMIT)
SHARDED = (*OPTIONS, "--shard-size", 4, "--out", "run")


@pytest.fixture(scope="module")
def nodes():
    """A cluster of a head without CPUs and two nodes of one, to add to and to take from."""
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    yield cluster
    cluster.shutdown()


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    job = load_job(NAME)
    spec = job.Spec(deals=DEALS, limit_nodes=LIMIT, solver="skip-action")
    run = create(Store(str(tmp_path_factory.mktemp("reference"))), job, spec, range(DEALS))
    run.record.signature = job.signature(spec)
    drive(run, InlinePool(), Stop(), Watcher(), 25)
    return comparable(rows(run.store))


@pytest.fixture
def bad_units(tmp_path, monkeypatch):
    """Has every worker do something bad at some units: code by unit; or have other engines."""
    folder = tmp_path / "bad"
    folder.mkdir()

    def install(bodies, signature=None):
        text = BAD_JOB.format(bodies=bodies, signature=signature)
        (folder / "sitecustomize.py").write_text(text)
        monkeypatch.setenv("PYTHONPATH", f"{folder}:{os.environ.get('PYTHONPATH', '')}")

    return install


BAD_JOB = """
import sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name != "jobs.klondike_solvability":
            return None
        sys.meta_path.remove(self)
        import importlib.util
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module
        def exec_module(module):
            load(module)
            compute = module.compute
            def bad(spec, unit, line):
                if unit in {bodies}:
                    exec({bodies}[unit])
                return compute(spec, unit, line)
            module.compute = bad
            if {signature!r} and "default_worker" in sys.argv[0]:
                module.signature = lambda spec: {signature!r}
        spec.loader.exec_module = exec_module
        return spec
sys.meta_path.insert(0, Finder())
"""


def check(folder, reference, bad=()):
    """Compares the rows of innocent units with the undisturbed run; those of all."""
    run = open_run(str(folder))
    assert run.is_complete()
    assert overlaps(all_shards(run.store)) == []
    table = comparable(rows(run.store))
    assert table["unit"].to_pylist() == list(range(DEALS))
    innocent = [unit for unit in range(DEALS) if unit not in bad]
    assert table.take(innocent).equals(reference.take(innocent))
    return table.to_pylist()


def wait_until(condition, seconds=90):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def shards(folder, number=2):
    return len(all_shards(Store(str(folder)))) >= number


def kill_workers():
    """Kills the workers that compute just now; how many."""
    killed = 0
    for worker in psutil.process_iter(["cmdline"]):
        if " ".join(worker.info["cmdline"] or []).startswith("ray::compute_shard"):
            worker.kill()
            killed += 1
    return killed


def finished(process):
    _, errors = process.communicate(timeout=200)
    assert process.returncode == 0, errors
    return errors


def test_a_worker_killed_with_9_in_mid_shard(start_farm, nodes, tmp_path, reference):
    process = start_farm("run", NAME, *SHARDED, address=nodes.address)
    wait_until(lambda: shards(tmp_path / "run"))
    wait_until(kill_workers)  # between two shards there may be none
    assert "are done again: WorkerCrashedError" in finished(process)
    check(tmp_path / "run", reference)


def test_a_node_removed_and_a_node_added(start_farm, nodes, tmp_path, reference):
    process = start_farm("run", NAME, *SHARDED, address=nodes.address)
    wait_until(lambda: shards(tmp_path / "run"))
    nodes.remove_node(next(iter(nodes.worker_nodes)), allow_graceful=False)
    nodes.add_node(num_cpus=1)
    finished(process)
    check(tmp_path / "run", reference)


def test_a_driver_killed_with_9_and_resumed_from_another_machine(
    start_farm, farm, nodes, tmp_path, reference
):
    process = start_farm("run", NAME, *SHARDED, address=nodes.address)
    wait_until(lambda: shards(tmp_path / "run"))
    process.kill()
    process.wait()
    lease = tmp_path / "run" / "driver.json"
    holder = json.loads(lease.read_text())
    lease.write_text(json.dumps({**holder, "node": "elsewhere"}))
    refused = farm("resume", "run", address=nodes.address)
    assert refused.returncode == 2
    assert f"process {holder['pid']} on elsewhere, last heard of" in refused.stderr
    lease.write_text(json.dumps({**holder, "node": "elsewhere", "heartbeat": 0}))
    done = farm("resume", "run", address=nodes.address)
    assert done.returncode == 0, done.stderr
    assert "taking over from" in done.stderr
    check(tmp_path / "run", reference)


# What is bad about a unit: its code, its outcome, and a part of the reason in its row.
BAD = {
    3: ("import ctypes; ctypes.string_at(0)", "failed", "WorkerCrashedError"),
    17: ("raise ZeroDivisionError('by nothing')", "failed", "ZeroDivisionError: by nothing"),
    30: ("import time; time.sleep(1000)", "timed_out", "timed out after 3 s"),
}


def test_units_that_crash_or_hang_cost_themselves_only(farm, bad_units, tmp_path, reference):
    bad_units({unit: code for unit, (code, _, _) in BAD.items()})
    options = ("--unit-timeout", "3s", "--max-cpus", 2, "--shard-size", 2, "--out", "run")
    done = farm("run", NAME, *OPTIONS, *options, timeout=300)
    assert done.returncode == 0, done.stderr
    found = check(tmp_path / "run", reference, bad=BAD)
    for unit, (_, outcome, reason) in BAD.items():
        assert found[unit]["outcome"] == outcome
        assert reason in found[unit]["error"]
    for unit in (3, 30):
        assert f"unit {unit} " in done.stderr
    assert not list((tmp_path / "run" / "timeouts").iterdir())


EATS_MEMORY = "import time; block = bytearray(b'x') * (2 << 30); time.sleep(30)"


def test_a_unit_that_eats_memory_fails_alone(farm, bad_units, tmp_path, reference, monkeypatch):
    """Ray's own threshold is lowered to what is in use, and a little: nothing is filled."""
    memory = psutil.virtual_memory()
    share = (memory.total - memory.available + 1.5 * 2**30) / memory.total
    monkeypatch.setenv("RAY_memory_usage_threshold", f"{share:.4f}")
    monkeypatch.setenv("RAY_memory_monitor_refresh_ms", "50")
    bad_units({17: EATS_MEMORY})
    one_by_one = ("--max-cpus", 2, "--shard-size", 1, "--out", "run")
    done = farm("run", NAME, *OPTIONS, *one_by_one, timeout=300)
    assert done.returncode == 0, done.stderr
    row = check(tmp_path / "run", reference, bad=[17])[17]
    assert (row["outcome"], row["error"][:16]) == ("failed", "OutOfMemoryError")


def test_mixed_versions_are_refused_with_both_named(farm, nodes, tmp_path):
    farm("run", NAME, *SHARDED, "--time-limit", "1s", address=nodes.address)
    record = tmp_path / "run" / "run.json"
    fields = json.loads(record.read_text())
    task_side = {**fields, "signature": "0123456789abcdef"}
    task_side["versions"]["dealfarm"] = "0.0.9"
    record.write_text(json.dumps(task_side))
    done = farm("resume", "run", address=nodes.address)
    assert done.returncode == 2
    assert "engine signature 0123456789abcdef (dealfarm 0.0.9), this is" in done.stderr


def test_a_worker_of_another_version_is_refused_before_it_computes(farm, bad_units, tmp_path):
    bad_units({}, signature="fedcba9876543210")
    done = farm("run", NAME, *OPTIONS, "--max-cpus", 1, "--out", "run")
    assert done.returncode == 2
    assert " has engine signature fedcba9876543210 (dealfarm " in done.stderr
    assert "install the same version on every node" in done.stderr
    assert all_shards(Store(str(tmp_path / "run"))) == []
