"""farm status --follow, on runs that are made while it looks."""

import json
import time

import pytest
from written_runs import solver_rows, write_rows, write_run

from farm import following
from farm.commands import inspecting
from farm.lease import Lease
from farm.main import main
from results.shards import Shard, list_shards
from results.store import StorageError

JOB = "klondike-solvability"
ROWS = solver_rows(["solved"] * 15 + ["unsolvable"] * 5)


@pytest.fixture
def run(tmp_path):
    """A run of which the second of two shards is missing."""
    made = write_run(tmp_path, JOB, [ROWS], count=20, size=10)
    made.store.delete(Shard(0, 10, 20).name)
    return made


class Waits:
    """In place of time.sleep: notes how long, and does one thing after the other meanwhile."""

    def __init__(self, *happens):
        self.happens, self.seconds = list(happens), []

    def __call__(self, seconds):
        self.seconds.append(seconds)
        self.happens.pop(0)()


def complete(run):
    return lambda: write_rows(run, Shard(0, 10, 20), ROWS)


def follow(run, waits, notes=None):
    lines = []
    last = following.follow(
        run.store.location,
        60.0,
        lambda look: lines.append(look.line()),
        (notes if notes is not None else []).append,
        waits,
    )
    return lines, last


def test_a_run_is_looked_at_until_it_is_complete(run):
    waits = Waits(lambda: None, complete(run))
    lines, last = follow(run, waits)
    known = "10/20 units  solved_share 100.00 % (72.25 to 100.00 %)"
    assert lines == [f"{known}  no driver with a lease"] * 2
    assert waits.seconds == [60.0, 60.0]
    assert last.finished
    assert last.benchmark.counts["unsolvable"] == 5


def test_the_rate_is_that_since_the_look_before(run, monkeypatch):
    run.store.delete(Shard(0, 0, 10).name)
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])

    def after(seconds, shard):
        def happens():
            clock[0] += seconds
            write_rows(run, shard, ROWS)

        return happens

    waits = Waits(after(20, Shard(0, 0, 10)), after(5, Shard(0, 10, 20)))
    lines, last = follow(run, waits)
    assert lines[0].endswith("no driver with a lease")
    assert lines[1].endswith("  0.5/s  20s left")  # shares are at work: they have no lease
    assert last.rate == 2.0


def test_a_driver_at_work_on_a_later_pass_is_waited_for(run):
    complete(run)()
    lease = Lease(run.store)
    lease.__enter__()
    lines, last = follow(run, Waits(lambda: lease.__exit__(None, None, None)))
    assert len(lines) == 1
    assert "no driver" not in lines[0]
    assert last.driver is None


def test_a_look_that_fails_is_not_the_last(run, monkeypatch):
    look, fails = following.sum_up, [StorageError("cannot read x: timed out"), None]

    def sum_up(run):
        if error := fails.pop(0):
            raise error
        return look(run)

    monkeypatch.setattr(following, "sum_up", sum_up)
    complete(run)()
    notes = []
    lines, _ = follow(run, Waits(lambda: None), notes)
    assert (lines, notes) == ([], ["cannot be read just now: cannot read x: timed out"])


def test_the_command_prints_lines_and_the_end(run, monkeypatch, capsys):
    waits = Waits(complete(run))
    plain = following.follow
    monkeypatch.setattr(inspecting, "follow", lambda *given: plain(*given, waits))
    assert main(["status", run.store.location, "--follow"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  10/20 units  solved_share 100.00 %" in lines[0]
    assert lines[1].split() == ["units", "20"]
    assert waits.seconds == [60.0]
    run.store.delete(Shard(0, 10, 20).name)
    waits.happens.append(complete(run))
    assert main(["status", run.store.location, "--follow", "--json"]) == 0
    documents = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["complete"] for each in documents] == [False, True]
    assert len(list_shards(run.store)) == 2


def test_ctrl_c_ends_the_view(run, monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    plain = following.follow
    monkeypatch.setattr(inspecting, "follow", lambda *given: plain(*given, Waits(interrupted)))
    assert main(["status", run.store.location, "--follow"]) == 1
    assert capsys.readouterr().err == "farm: interrupted\n"


def test_what_is_no_run_is_not_followed(tmp_path, capsys):
    assert main(["status", str(tmp_path), "--follow"]) == 2
    assert "expected a run directory with run.json" in capsys.readouterr().err
