import errno
import json
import os
import subprocess
import sys
import time
from functools import partial

import pytest

from farm import lease as lease_module
from farm.facts import node_name
from farm.lease import LEASE_FILE, Lease, LeaseHeld
from results.store import Store


@pytest.fixture
def store(tmp_path):
    return Store(str(tmp_path))


def write_holder(store, node, age):
    holder = {"token": "t", "node": node, "pid": 4711, "started": 0, "heartbeat": time.time() - age}
    store.write(LEASE_FILE, json.dumps(holder).encode())


def until_lost(held, happens):
    """Has something happen to the lease file, again where a beat came between."""
    deadline = time.monotonic() + 5
    while not held.lost.wait(0.1):
        assert time.monotonic() < deadline
        happens()


def test_a_lease_is_given_back(store):
    with Lease(store) as held:
        assert held.taken_over is None
        holder = json.loads(store.read(LEASE_FILE))
        assert (holder["node"], holder["pid"]) == (node_name(), os.getpid())
    assert not store.exists(LEASE_FILE)
    with Lease(store):
        pass


def test_a_second_driver_is_told_who_holds_it_and_since_when(store):
    with Lease(store), pytest.raises(LeaseHeld) as refused, Lease(store):
        pass
    expected = f"process {os.getpid()} on {node_name()}, last heard of 0 s ago"
    assert str(refused.value) == f"{store} is being worked on by {expected}"


def test_a_fresh_lease_of_another_machine_is_respected(store):
    write_holder(store, "elsewhere", age=20)
    with pytest.raises(LeaseHeld, match="process 4711 on elsewhere, last heard of 20 s ago"):
        Lease(store).__enter__()
    assert json.loads(store.read(LEASE_FILE))["node"] == "elsewhere"


def test_a_stale_lease_of_another_machine_is_taken_over(store, monkeypatch):
    monkeypatch.setattr(lease_module, "HEARTBEAT_SECONDS", 0.01)
    write_holder(store, "elsewhere", age=61)
    with Lease(store) as held:
        assert held.taken_over == "process 4711 on elsewhere, last heard of 61 s ago"
        assert json.loads(store.read(LEASE_FILE))["pid"] == os.getpid()


@pytest.mark.parametrize("behind", [-3600, 3600], ids=["an hour ahead", "an hour behind"])
def test_a_driver_whose_clock_is_wrong_keeps_its_lease_as_long_as_it_beats(
    store, monkeypatch, behind
):
    write_holder(store, "elsewhere", behind)
    beat = partial(write_holder, store, "elsewhere")
    monkeypatch.setattr("time.sleep", lambda seconds: beat(behind - seconds))
    with pytest.raises(LeaseHeld, match="process 4711 on elsewhere"):
        Lease(store).__enter__()


def test_a_killed_driver_of_this_machine_is_followed_at_once(store):
    write_holder(store, node_name(), age=1)
    with Lease(store) as held:
        assert held.taken_over == f"process 4711 on {node_name()}, last heard of 1 s ago"


def test_the_lock_is_between_processes(store):
    code = (
        "import sys; from farm.lease import Lease; from results.store import Store\n"
        "Lease(Store(sys.argv[1])).__enter__()"
    )
    with Lease(store):
        other = subprocess.run(
            [sys.executable, "-c", code, store.location], capture_output=True, text=True
        )
    assert other.returncode == 1
    assert f"is being worked on by process {os.getpid()}" in other.stderr


def test_a_driver_whose_lease_was_taken_notices_and_leaves_it_alone(store, monkeypatch):
    monkeypatch.setattr(lease_module, "HEARTBEAT_SECONDS", 0.01)
    with Lease(store) as held:
        until_lost(held, lambda: write_holder(store, "elsewhere", age=0))
    assert json.loads(store.read(LEASE_FILE))["node"] == "elsewhere"


def test_a_driver_notices_that_its_run_was_taken_and_finished_meanwhile(store, monkeypatch):
    monkeypatch.setattr(lease_module, "HEARTBEAT_SECONDS", 0.01)
    with Lease(store) as held:
        until_lost(held, lambda: store.path(LEASE_FILE).unlink(missing_ok=True))
        assert not store.exists(LEASE_FILE)
    assert not store.exists(LEASE_FILE)


def test_a_lease_that_was_taken_between_two_beats_is_left_alone(store):
    with Lease(store):
        write_holder(store, "elsewhere", age=0)
    assert json.loads(store.read(LEASE_FILE))["node"] == "elsewhere"


@pytest.fixture
def no_locks(monkeypatch):
    """A file system without locks, such as some over a network."""

    def flock(*_):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr("fcntl.flock", flock)


@pytest.mark.usefixtures("no_locks")
def test_without_locks_a_run_can_be_driven_by_one(store):
    with Lease(store) as held:
        assert held.taken_over is None
        with pytest.raises(LeaseHeld, match=f"worked on by process {os.getpid()} on "):
            Lease(store).__enter__()


@pytest.mark.usefixtures("no_locks")
def test_without_locks_a_killed_driver_of_this_machine_is_followed_once_it_is_stale(
    store, monkeypatch
):
    monkeypatch.setattr(lease_module, "HEARTBEAT_SECONDS", 0.01)
    write_holder(store, node_name(), age=20)
    with pytest.raises(LeaseHeld, match="process 4711 on"):
        Lease(store).__enter__()
    write_holder(store, node_name(), age=61)
    with Lease(store) as held:
        assert held.taken_over == f"process 4711 on {node_name()}, last heard of 61 s ago"


def test_the_heartbeat_goes_on(store, monkeypatch):
    monkeypatch.setattr(lease_module, "HEARTBEAT_SECONDS", 0.01)
    with Lease(store):
        first = json.loads(store.read(LEASE_FILE))["heartbeat"]
        deadline = time.monotonic() + 5
        while json.loads(store.read(LEASE_FILE))["heartbeat"] == first:
            assert time.monotonic() < deadline
