"""Real processes that are killed, stopped and resumed, on a Ray of two CPUs."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
from farm_pools import InlinePool

from farm.loop import drive
from farm.run_directory import create, open_run
from farm.watching import Stop, Watcher
from jobs import load_job
from results.rows import comparable, rows
from results.shards import list_shards
from results.store import Store

DEALS, LIMIT = 40, 6_000
OPTIONS = (
    "--solver",
    "skip-action",
    "--deals",
    DEALS,
    "--limit-nodes",
    LIMIT,
    "--shard-size",
    4,
    "--out",
    "run",
)


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The rows as one worker without Ray computes them, in shards of another size."""
    job = load_job("klondike-solvability")
    store = Store(str(tmp_path_factory.mktemp("reference")))
    spec = job.Spec(deals=DEALS, limit_nodes=LIMIT, solver="skip-action")
    run = create(store, job, spec, range(DEALS), None)
    run.record.signature = job.signature(spec)
    drive(run, InlinePool(), Stop(), Watcher(), 25)
    return comparable(rows(store))


def result(folder):
    run = open_run(str(folder))
    assert run.is_complete()
    return comparable(rows(run.store))


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def some_shards(folder):
    return len(list_shards(Store(str(folder)))) >= 2


def test_ctrl_c_ends_a_run_cleanly(start_farm, farm, cluster, tmp_path, reference):
    process = start_farm("run", "klondike-solvability", *OPTIONS, address=cluster)
    wait_until(lambda: some_shards(tmp_path / "run"))
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    resume = f"farm resume {tmp_path / 'run'}"
    assert errors.endswith(f"farm: stopped: SIGINT was received; go on with `{resume}`\n")
    assert "Traceback" not in errors
    benchmark = json.loads((tmp_path / "run" / "benchmark.json").read_text())
    assert not benchmark["complete"]
    assert 0 < benchmark["units_done"] < DEALS
    assert not (tmp_path / "run" / "driver.json").exists()
    assert farm("resume", "run", address=cluster).returncode == 0
    assert result(tmp_path / "run").equals(reference)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 80 MiB; skips where there is no right to mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=80m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no right to mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(folder):
    with suppress(OSError), (folder / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def test_a_disk_that_fills_up_stops_the_run_and_loses_nothing(
    start_farm, farm, cluster, small_disk, reference
):
    run = small_disk / "run"
    process = start_farm("run", "klondike-solvability", *OPTIONS[:-1], run, address=cluster)
    wait_until(lambda: some_shards(run))
    fill(small_disk)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "No space left on device; go on with `farm resume" in errors
    assert "Traceback" not in errors
    assert not list(run.rglob("*.tmp"))

    refused = farm("resume", run, address=cluster)
    assert refused.returncode == 2
    assert "No space left on device" in refused.stderr or "got 0 MiB" in refused.stderr

    (small_disk / "filler").unlink()
    assert farm("resume", run, address=cluster).returncode == 0
    assert result(run).equals(reference)


def test_one_command_on_a_machine_with_nothing_running(farm, tmp_path):
    """The embedded Ray, a job and a deal file, a second pass, and verification."""
    deals = Path(__file__).parents[1] / "data" / "klondike_draw3_deals.jsonl"
    (tmp_path / "study.toml").write_text(
        'job = "klondike-solvability"\nlimit_nodes = 50\nsolver = "skip-action"\n'
    )
    done = farm("run", "study.toml", "--deals-file", deals, "--units", "0-19", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    run = report["directory"]
    assert Path(run).parent == tmp_path / "runs"
    assert (report["units"], report["complete"]) == ([0, 20], True)
    table = rows(Store(run))
    assert table["id"][0].as_py() == "solvitaire-klondike-seed-1"
    assert table["expected"][0].as_py() == "unsolvable"

    again = farm("resume", run, "--limit-nodes", 500)
    assert again.returncode == 0, again.stderr
    solved = [line for line in again.stdout.splitlines() if line.startswith("solved_share")]
    assert solved[0].endswith("95 % Wilson")
    assert re.search(r"^cores +busy for \d+\.\d %; \d+\.\d core s idle", again.stdout, re.M)

    refused = farm("extend", run, "--deals", 30)
    assert refused.returncode == 2
    assert "has the deals of that file and no more" in refused.stderr

    verified = farm("verify", run)
    assert verified.returncode == 0, verified.stdout
    assert verified.stdout.endswith("replayed, 0 faults\n")

    shown = farm("solve", "klondike", f"{run}:1", "--limit-nodes", 5_000)
    assert "from the waste to" in shown.stdout

    part = next(Path(run, "shards", "pass=0").iterdir())
    part.write_bytes(part.read_bytes()[:-9])
    damaged = farm("verify", run)
    assert damaged.returncode == 1
    assert "cannot read shard" in damaged.stdout
