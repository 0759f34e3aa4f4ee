"""Faults on a Ray of several nodes on this machine: no row lost, none doubled, none changed.

Each test adds to a count of what was done to the cluster, which the last one reports.
"""

import json
import os
import time

import psutil
import pytest
from farm_pools import InlinePool

from farm.loop import Stop, Watcher, drive
from farm.run_directory import create, open_run
from jobs import load_job
from results.rows import comparable, rows
from results.shards import all_shards, overlaps
from results.store import Store

pytestmark = pytest.mark.cluster

DEALS, LIMIT = 60, 3_000
NAME = "klondike-solvability"
OPTIONS = ("--solver", "skip-action", "--deals", DEALS, "--limit-nodes", LIMIT, "--shard-size", 4)
BAD_UNIT = 17
faults = {"injected": 0, "rows lost": 0, "rows doubled": 0}


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
def bad_unit(tmp_path, monkeypatch):
    """Has every worker do something bad at BAD_UNIT: the body of a function of nothing."""
    folder = tmp_path / "bad"
    folder.mkdir()

    def install(body):
        (folder / "sitecustomize.py").write_text(BAD_JOB.format(unit=BAD_UNIT, body=body))
        monkeypatch.setenv("PYTHONPATH", f"{folder}:{os.environ.get('PYTHONPATH', '')}")

    return install


BAD_JOB = """
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
                if unit == {unit}:
                    {body}
                return compute(spec, unit, line)
            module.compute = bad
        spec.loader.exec_module = exec_module
        return spec
sys.meta_path.insert(0, Finder())
"""


def check(folder, reference, bad=None):
    """Counts what was lost or doubled, and compares the rest with the undisturbed run."""
    run = open_run(str(folder))
    assert run.is_complete()
    assert overlaps(all_shards(run.store)) == []
    table = comparable(rows(run.store))
    units = table["unit"].to_pylist()
    faults["injected"] += 1
    faults["rows lost"] += len(set(range(DEALS)) - set(units))
    faults["rows doubled"] += len(units) - len(set(units))
    assert units == list(range(DEALS))
    innocent = [unit for unit in range(DEALS) if unit != bad]
    assert table.take(innocent).equals(reference.take(innocent))
    return table.to_pylist()[BAD_UNIT]


def wait_until(condition, seconds=90):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def shards(folder, number=2):
    return len(all_shards(Store(str(folder)))) >= number


def finished(process):
    _, errors = process.communicate(timeout=200)
    assert process.returncode == 0, errors
    return errors


def test_a_worker_killed_with_9_in_mid_shard(start_farm, nodes, tmp_path, reference):
    process = start_farm("run", NAME, *OPTIONS, "--out", "run", address=nodes.address)
    wait_until(lambda: shards(tmp_path / "run"))
    killed = 0
    for worker in psutil.process_iter(["cmdline"]):
        if " ".join(worker.info["cmdline"] or []).startswith("ray::compute_shard"):
            worker.kill()
            killed += 1
    assert killed
    finished(process)
    check(tmp_path / "run", reference)


def test_a_node_removed_and_a_node_added(start_farm, nodes, tmp_path, reference):
    process = start_farm("run", NAME, *OPTIONS, "--out", "run", address=nodes.address)
    wait_until(lambda: shards(tmp_path / "run"))
    nodes.remove_node(next(iter(nodes.worker_nodes)), allow_graceful=False)
    faults["injected"] += 1
    nodes.add_node(num_cpus=1)
    finished(process)
    check(tmp_path / "run", reference)


def test_a_driver_killed_with_9_and_resumed_from_another_machine(
    start_farm, farm, nodes, tmp_path, reference
):
    process = start_farm("run", NAME, *OPTIONS, "--out", "run", address=nodes.address)
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


# What is bad about a unit: its body, the outcome, and a part of the reason in the row.
BAD = {
    "segfault": ("import ctypes; ctypes.string_at(0)", "failed", "WorkerCrashedError"),
    "exception": ("raise MemoryError('no')", "failed", "MemoryError: no"),
    "hang": ("import time; time.sleep(1000)", "timed_out", "timed out after 3 s"),
    "hang with Python's lock held": (
        "import ctypes; ctypes.PyDLL(None).sleep(1000)",
        "failed",
        "WorkerCrashedError",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_unit_costs_itself_only(kind, farm, bad_unit, tmp_path, reference):
    body, outcome, reason = BAD[kind]
    bad_unit(body)
    options = ("--unit-timeout", "3s", "--max-cpus", 2, "--out", "run")
    done = farm("run", NAME, *OPTIONS, *options, timeout=200)
    assert done.returncode == 0, done.stderr
    row = check(tmp_path / "run", reference, bad=BAD_UNIT)
    assert row["outcome"] == outcome
    assert reason in row["error"]
    if kind != "exception":
        assert f"unit {BAD_UNIT} " in done.stderr


def test_a_unit_that_eats_memory(farm, bad_unit, tmp_path, reference, monkeypatch):
    """Ray's own threshold is lowered to what is in use, and a little: nothing is filled."""
    used = psutil.virtual_memory()
    share = (used.total - used.available + 2**30) / used.total
    monkeypatch.setenv("RAY_memory_usage_threshold", f"{share:.4f}")
    monkeypatch.setenv("RAY_memory_monitor_refresh_ms", "50")
    bad_unit("import time; block = bytearray(b'x') * (2 << 30); time.sleep(30)")
    done = farm("run", NAME, *OPTIONS, "--max-cpus", 2, "--out", "run", timeout=200)
    assert done.returncode == 0, done.stderr
    row = check(tmp_path / "run", reference, bad=BAD_UNIT)
    assert (row["outcome"], row["error"][:16]) == ("failed", "OutOfMemoryError")


def test_mixed_versions_are_refused_with_both_named(farm, nodes, tmp_path, bad_unit):
    done = farm("run", NAME, *OPTIONS, "--out", "run", "--time-limit", "1s", address=nodes.address)
    record = tmp_path / "run" / "run.json"
    fields = json.loads(record.read_text())
    task_side = {**fields, "signature": "0123456789abcdef"}
    task_side["versions"]["dealfarm"] = "0.0.9"
    record.write_text(json.dumps(task_side))
    done = farm("resume", "run", address=nodes.address)
    assert done.returncode == 2
    assert "engine signature 0123456789abcdef (dealfarm 0.0.9), this is" in done.stderr


def test_the_count(capsys):
    with capsys.disabled():
        print(f"\n{faults}")
    assert (faults["rows lost"], faults["rows doubled"]) == (0, 0)
