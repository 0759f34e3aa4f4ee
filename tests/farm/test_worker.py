"""What a worker does about a unit that hangs, in a process of its own, and how it probes units."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from farm import worker
from farm.worker import ShardTask, probe_units
from jobs import load_job
from results.shards import Shard

HANG = """
import ctypes, sys, time
from farm.worker import ShardTask, _watched
from results.shards import Shard

task = ShardTask("", "", sys.argv[1], Shard(0, 7, 8), (7,), None, "", unit_timeout=0.5)
with _watched(task, 7):
    {hang}
print("still there")
"""


@pytest.mark.parametrize(
    ("hang", "noted"),
    [
        ("time.sleep(60)", ["unit-000000000007"]),
        # Python's lock is held, so that no thread can leave word: it looks like a crash.
        ("ctypes.PyDLL(None).sleep(60)", []),
    ],
)
def test_a_unit_that_hangs_ends_its_worker(hang, noted, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", HANG.format(hang=hang), str(tmp_path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert [path.name for path in tmp_path.glob("timeouts/*")] == noted


def test_a_unit_in_time_is_left_alone(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", HANG.format(hang="pass"), str(tmp_path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert (done.returncode, done.stdout) == (0, "still there\n")


PROBED = load_job("klondike-solvability")


def probe(monkeypatch, units, seconds, late=0.0):
    """A probe by a clock of its own: what it says, and the units that it computed."""
    clock, computed = [0.0], []

    def compute(spec, unit, line):
        clock[0] += seconds + (0.0 if computed else late)
        computed.append(unit)

    monkeypatch.setattr(worker, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    monkeypatch.setattr(PROBED, "compute", compute)
    spec = PROBED.Spec(deals=units, solver="skip-action", limit_nodes=20)
    task = ShardTask(
        job=PROBED.NAME,
        spec=spec.model_dump_json(),
        location="",
        shard=Shard(0, 0, units),
        units=tuple(range(units)),
        lines=None,
        signature=PROBED.signature(spec),
    )
    return probe_units(task), computed


def test_a_probe_does_not_time_what_is_loaded_late(monkeypatch):
    seconds, _ = probe(monkeypatch, 1024, 0.1, late=60.0)
    assert seconds == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("seconds", "timed"),
    [
        (2.0, 1),  # each takes longer than a probe should
        (0.1, 11),  # until the time of a probe is over
        (0.01, 32),  # enough to tell
        (0.001, 32 + 256),
        (0.0001, 32 + 256 + 1024),  # all there are
    ],
)
def test_a_probe_takes_as_many_units_as_tell(seconds, timed, monkeypatch):
    found, computed = probe(monkeypatch, 1024, seconds)
    assert found == pytest.approx(seconds)
    assert len(computed) == 1 + timed
