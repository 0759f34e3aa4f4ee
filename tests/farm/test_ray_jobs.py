"""A submission to a running Ray cluster of two nodes, as a user makes it."""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from farm.run_directory import open_run
from results.rows import rows

pytestmark = pytest.mark.cluster
pytest.importorskip("aiohttp", reason="Ray Jobs need ray[default]")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def ray_cluster(tmp_path):
    """The environment and the job server's address of a head and a second node, on loopback."""
    ray = str(Path(sys.executable).with_name("ray"))
    temporary = Path("/tmp") / f"farm-ray-{os.getpid()}"  # a socket's path has 107 bytes at most
    environment = {
        **{name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"},
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "RAY_AUTH_MODE": "disabled",
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    port, board = free_port(), free_port()
    # Two nodes on one machine would share the folders into which each unpacks packages.
    second = Path(f"{temporary}-2")
    head = ("--head", "--node-ip-address=127.0.0.1", f"--port={port}", f"--temp-dir={temporary}")
    dashboard = ("--include-dashboard=true", "--dashboard-host=127.0.0.1")
    commands = [
        [*head, *dashboard, f"--dashboard-port={board}"],
        [
            *(f"--address=127.0.0.1:{port}", "--node-ip-address=127.0.0.1"),
            f"--temp-dir={second}",
        ],
    ]
    started = []
    for options in commands:
        # Without a port of its own an agent cannot take jobs while another Ray has the usual one.
        agent = f"--dashboard-agent-listen-port={free_port()}"
        command = [ray, "start", *options, agent, "--num-cpus=1", "--block"]
        with (tmp_path / f"node{len(started)}.log").open("w") as log:
            node = subprocess.Popen(
                command, stdout=log, stderr=log, env=environment, start_new_session=True
            )
        started.append(node)
        wait_for_port(port if len(started) == 1 else board)
    yield environment, f"http://127.0.0.1:{board}"
    for node in reversed(started):
        node.terminate()
        node.wait(30)
    for folder in (temporary, second):
        shutil.rmtree(folder, ignore_errors=True)


def wait_for_port(port):
    deadline = time.monotonic() + 60
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_job_is_submitted_and_followed(ray_cluster, tmp_path):
    environment, address = ray_cluster
    out = tmp_path / "a run's $(touch bad) rows"
    farm = str(Path(sys.executable).with_name("farm"))
    options = ("--solver", "skip-action", "--deals", "30", "--limit-nodes", "100")
    target = ("--address", address, "--follow", "--go", "--shard-size", "5", "--out", str(out))

    command = [farm, "submit", "ray", "klondike-solvability", *options, *target, "--name", "one"]
    said = ""
    for _ in range(20):
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=280
        )
        said += done.stdout + done.stderr
        if "No available agent to submit job" not in done.stderr:
            break
        command = ["bash", "one-ray/submit.sh"]
        assert f"run `{' '.join(command)}` again" in said
        time.sleep(1)  # the job server answers before it can take a job
    assert done.returncode == 0, said[-3000:]
    assert f"cancel  ray job stop --address {address} one" in said
    assert "units 30/30" in said
    run = open_run(str(out))
    assert run.is_complete()
    assert rows(run.store)["unit"].to_pylist() == list(range(30))
    assert not list(tmp_path.rglob("bad"))
