"""What a worker does about a unit that hangs, in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

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
