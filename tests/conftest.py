"""One Ray for all tests that need one, and helpers to run the command as a user does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

GAMES = ("cribbage", "gallery", "klondike", "shenzhen")


def pytest_collection_modifyitems(items):
    """With `-n 3` there run beside each other the tests of games, of the farm, which share a Ray,
    and of clusters, which mostly wait."""
    for item in items:
        group = next((game for game in GAMES if game in item.nodeid), "rest")
        if item.get_closest_marker("cluster"):
            group = "clusters"
        elif item.nodeid.startswith("tests/farm/"):
            group = "farm"
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.fixture(scope="session")
def cluster():
    """The address of a Ray cluster of two CPUs on this machine."""
    from ray.cluster_utils import Cluster

    started = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False}
    )
    yield started.address
    started.shutdown()


@pytest.fixture
def farm(tmp_path):
    """Runs `farm` as a process of its own; returns the finished process with its texts."""

    def run(*arguments, address=None, timeout=120):
        return subprocess.run(
            farm_command(*arguments),
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=farm_environment(address),
            timeout=timeout,
        )

    return run


@pytest.fixture
def start_farm(tmp_path):
    """Starts `farm` in the background, in a process group of its own; ended with the test."""
    started = []

    def start(*arguments, address=None):
        process = subprocess.Popen(
            farm_command(*arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env=farm_environment(address),
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def farm_command(*arguments):
    return [str(Path(sys.executable).with_name("farm")), *map(str, arguments)]


def farm_environment(address):
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    return {**environment, "RAY_ADDRESS": address} if address else environment
