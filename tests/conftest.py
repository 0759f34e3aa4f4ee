"""One Ray for all tests that need one, and helpers to run the command as a user does."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

CLUSTERS = "test_slurm|test_ray_jobs|test_multi_node"
GROUPS = (CLUSTERS, "tests/farm", "cribbage", "klondike", "gallery")


def group_of(nodeid):
    """What runs beside what with `-n 3`: clusters, which mostly wait, the farm, which shares a Ray,
    and games."""
    file = nodeid.partition("::")[0]
    found = (number for number, group in enumerate(GROUPS) if re.search(group, file))
    return next(found, len(GROUPS))


def pytest_collection_modifyitems(items):
    """Groups that take long begin first."""
    items.sort(key=lambda item: group_of(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A process at a time for each group."""
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return str(group_of(nodeid))

    return Groups(config, log)


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
