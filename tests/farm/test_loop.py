"""The farm loop with a worker in this process."""

import threading
import time
from collections import Counter
from dataclasses import replace
from itertools import cycle
from types import SimpleNamespace

import pytest
from farm_pools import DeadlyPool, InlinePool

from engines.klondike.deal import random_deal
from farm import lease, loop
from farm.errors import UsageProblem
from farm.loop import MAX_DEATHS, drive
from farm.planning import round_figure, suitable_size
from farm.pool import Finished
from farm.run_directory import DEALS_FILE, Pass, Segment, create, open_run
from farm.share import Share
from farm.watching import CoreTime, Stop, Watcher
from farm.worker import timeout_name
from jobs import load_job
from jobs.job import NotReadyError
from results.rows import comparable, rows
from results.shards import Shard, list_shards, overlaps
from results.store import StorageError, Store

JOB = load_job("klondike-solvability")
DEALS = 40


class Notes(Watcher):
    def __init__(self):
        self.texts = []
        self.last = None

    def note(self, text):
        self.texts.append(text)

    def update(self, progress):
        self.last = progress


def new_run(folder, deals=DEALS, **fields):
    spec = JOB.Spec(**{"deals": deals, "solver": "skip-action", "limit_nodes": 20, **fields})
    run = create(Store(str(folder)), JOB, spec, range(deals), None)
    run.record.signature = JOB.signature(spec)
    return run


def finish(run, pool=None, shard_size=7, stop=None):
    notes = Notes()
    drive(run, pool or InlinePool(), stop or Stop(), notes, shard_size)
    return notes


def result(run):
    return comparable(rows(run.store))


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    run = new_run(tmp_path_factory.mktemp("reference"))
    finish(run)
    assert run.is_complete()
    return result(run)


@pytest.mark.parametrize("size", [1, 10, 39, 250])
def test_rows_do_not_depend_on_the_shard_size(tmp_path, reference, size):
    run = new_run(tmp_path)
    finish(run, shard_size=size)
    assert result(run).equals(reference)


def test_rows_do_not_depend_on_extending(tmp_path, reference):
    run = new_run(tmp_path, deals=11)
    finish(run)
    for deals in (25, DEALS):
        run.record.stop = run.record.spec["deals"] = deals
        finish(run, shard_size=3)
    assert result(run).equals(reference)
    assert overlaps(list_shards(run.store)) == []


def test_only_what_is_missing_is_done(tmp_path, reference):
    run = new_run(tmp_path)
    finish(run)
    gone = [Shard(0, 14, 21), Shard(0, 35, 40)]
    for shard in gone:
        run.store.delete(shard.name)
    pool = InlinePool()
    finish(run, pool)
    assert pool.submitted == gone
    assert result(run).equals(reference)


def test_a_shard_cut_short_is_done_again_and_said_so(tmp_path, reference):
    run = new_run(tmp_path)
    finish(run)
    shard = Shard(0, 7, 14)
    path = run.store.path(shard.name)
    path.write_bytes(path.read_bytes()[:100])
    pool = InlinePool()
    notes = finish(run, pool)
    assert pool.submitted == [shard]
    assert len(notes.texts) == 1
    assert f"shard {shard.name} is damaged" in notes.texts[0]
    assert "computed again" in notes.texts[0]
    assert result(run).equals(reference)


def test_a_worker_that_dies_once_costs_nothing(tmp_path, reference):
    run = new_run(tmp_path)
    notes = finish(run, DeadlyPool([16], deaths=1))
    assert notes.texts == ["units 14-20 are done again: WorkerCrashedError: killed"]
    assert result(run).equals(reference)


def test_a_unit_that_always_kills_its_worker_fails_alone(tmp_path, reference):
    run = new_run(tmp_path)
    pool = DeadlyPool([16])
    notes = finish(run, pool)
    assert notes.texts[-1] == "unit 16 failed: WorkerCrashedError: killed"
    assert pool.submitted.count(Shard(0, 16, 17)) == MAX_DEATHS
    table = result(run)
    failed = table.to_pylist()[16]
    assert (failed["outcome"], failed["error"]) == ("failed", "WorkerCrashedError: killed")
    others = [unit for unit in range(DEALS) if unit != 16]
    assert table.take(others).equals(reference.take(others))
    assert run.is_complete()
    assert overlaps(list_shards(run.store)) == []
    assert notes.last.done == notes.last.total == DEALS
    assert notes.last.tally["failed"] == 1


def test_a_lost_node_is_blamed_on_no_unit(tmp_path, reference):
    class LosesNodes(InlinePool):
        lost = 0

        def finish(self, task):
            if self.lost < 20:
                self.lost += 1
                return Finished(task, death="NodeDiedError: gone")
            return super().finish(task)

    run = new_run(tmp_path)
    finish(run, LosesNodes(), shard_size=40)
    assert result(run).equals(reference)
    assert list_shards(run.store) == [Shard(0, 0, 40)]


def test_an_error_in_one_unit_is_its_row(tmp_path, reference, monkeypatch):
    compute = JOB.compute

    def fails(spec, unit, line):
        if unit == 5:
            raise ZeroDivisionError("by nothing")
        return compute(spec, unit, line)

    monkeypatch.setattr(JOB, "compute", fails)
    run = new_run(tmp_path)
    finish(run)
    row = rows(run.store).to_pylist()[5]
    assert (row["outcome"], row["error"]) == ("failed", "ZeroDivisionError: by nothing")
    assert result(run).num_rows == DEALS


def test_a_solution_that_does_not_replay_is_not_counted_as_solved(tmp_path, monkeypatch):
    compute = JOB.compute

    def cheats(spec, unit, line):
        return [
            {**row, "outcome": "solved", "solution": "D WF", "moves": 2}
            for row in compute(spec, unit, line)
        ]

    monkeypatch.setattr(JOB, "compute", cheats)
    run = new_run(tmp_path, deals=3)
    finish(run)
    assert set(result(run)["outcome"].to_pylist()) == {"failed"}
    errors = result(run)["error"].to_pylist()
    assert [text.partition(" ")[0] for text in errors] == ["verification:"] * 3


def test_a_full_disk_stops_the_run_with_the_reason(tmp_path, reference):
    class FullDisk(InlinePool):
        def finish(self, task):
            if len(self.submitted) > 3:
                return Finished(task, error=StorageError("cannot write x: No space left on device"))
            return super().finish(task)

    run, stop = new_run(tmp_path), Stop()
    finish(run, FullDisk(), stop=stop)
    assert stop.reason == "cannot write x: No space left on device"
    assert not run.is_complete()
    finish(run)
    assert result(run).equals(reference)


def test_a_clock_that_jumps_and_a_slow_store_change_no_row(tmp_path, reference, monkeypatch):
    run = new_run(tmp_path)
    write, now, jumps = Store.write, time.time, cycle((0, 86_400, -86_400))

    def slow_write(store, name, data):
        time.sleep(0.05)
        return write(store, name, data)

    monkeypatch.setattr(Store, "write", slow_write)
    monkeypatch.setattr(time, "time", lambda: now() + next(jumps))
    monkeypatch.setattr(lease, "HEARTBEAT_SECONDS", 0.02)
    with lease.Lease(run.store) as held:
        finish(run, stop=Stop(deadline=time.monotonic() + 600, lease_lost=held.lost))
        assert not held.lost.is_set()
    assert result(run).equals(reference)


def test_a_stop_submits_nothing_more_and_a_resume_does_the_rest(tmp_path, reference):
    class StopsAfterTwo(InlinePool):
        def finish(self, task):
            if len(self.submitted) >= 2:
                stop.reason = "SIGTERM was received"
            return super().finish(task)

    run, stop = new_run(tmp_path), Stop()
    finish(run, StopsAfterTwo(), stop=stop)
    assert 0 < len(list_shards(run.store)) < 6
    finish(run)
    assert result(run).equals(reference)


def test_core_time_is_that_of_workers_and_of_cores_without_a_shard(tmp_path, monkeypatch):
    """Two cores, a shard ends every 10 s: one core finds none left while the last is done.

    core 1  aaaaaaaaaacccccccccccccccccccc
    core 2  bbbbbbbbbbbbbbbbbbbb..........
    """

    class TwoCores(InlinePool):
        cpus = 2

        def finish(self, task):
            clock[0] += 10
            finished = super().finish(task)
            return replace(finished, done=replace(finished.done, seconds=10.0))

    clock = [0.0]
    monkeypatch.setattr(loop, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    run = new_run(tmp_path, deals=21)
    found = drive(run, TwoCores(), Stop(), Watcher(), 7)
    assert found == CoreTime(had=60.0, busy=30.0, idle_at_end=10.0, units=21)


def test_a_unit_that_kills_its_worker_in_a_later_pass_fails_alone(tmp_path):
    run = new_run(tmp_path)
    finish(run)
    open_units = [row["unit"] for row in result(run).to_pylist() if row["outcome"] == "node_limit"]
    run.record.passes.append(Pass(limits={"limit_nodes": 300}))
    notes = finish(run, DeadlyPool([open_units[2]]), shard_size=20)
    assert notes.texts[-1] == f"unit {open_units[2]} failed: WorkerCrashedError: killed"
    failed = [row["unit"] for row in result(run).to_pylist() if row["outcome"] == "failed"]
    assert failed == [open_units[2]]
    assert notes.last.done == notes.last.total == len(open_units)


def test_a_probe_that_ends_its_worker_does_not_end_the_driver(tmp_path, reference):
    class DiesOnce(InlinePool):
        probes = 0

        def probe(self, task, stop):
            self.probes += 1
            return None if 16 in task.units else super().probe(task, stop)

    run, pool = new_run(tmp_path), DiesOnce()
    finish(run, pool, shard_size=None)
    assert pool.probes == 3
    assert run.record.passes[0].segments[0].size > 1
    assert result(run).equals(reference)


def test_a_stop_during_the_probe_plans_nothing(tmp_path, reference):
    class Interrupted(InlinePool):
        def probe(self, task, stop):
            stop.reason = "SIGINT was received"

    run, pool = new_run(tmp_path), Interrupted()
    finish(run, pool, shard_size=None)
    assert (pool.submitted, run.record.passes[0].segments) == ([], [])
    finish(run)
    assert result(run).equals(reference)


def test_a_machine_that_lacks_something_stops_the_run_and_fails_no_unit(
    tmp_path, reference, monkeypatch
):
    def lacking(spec, unit, line):
        raise NotReadyError("there is no such program")

    run, stop = new_run(tmp_path), Stop()
    with monkeypatch.context() as changed:
        changed.setattr(JOB, "compute", lacking)
        finish(run, stop=stop)
    assert stop.reason == "there is no such program"
    assert list_shards(run.store) == []
    finish(run)
    assert result(run).equals(reference)


def test_a_note_of_an_earlier_driver_times_no_unit_out(tmp_path, reference):
    """What killed its worker here is another unit than the one the old note names."""
    run = new_run(tmp_path)
    run.store.write(timeout_name(3), b"")
    drive(run, DeadlyPool([5], deaths=1), Stop(), Watcher(), 7, unit_timeout=60.0)
    assert result(run).equals(reference)


def test_a_share_counts_its_own_units(tmp_path):
    run = new_run(tmp_path)
    run.record.passes[0].segments.append(Segment(start=0, stop=DEALS, size=5))
    notes = Notes()
    drive(run, InlinePool(), Stop(), notes, 5, Share(0, 4))
    assert (notes.last.done, notes.last.total) == (10, 10)


def test_deals_that_are_not_those_of_the_beginning_are_refused(tmp_path):
    lines = [random_deal(0, unit).as_deck_string() + "\n" for unit in range(3)]
    run = create(Store(str(tmp_path)), JOB, JOB.Spec(deals=3), range(3), "".join(lines))
    assert run.lines([2]) == lines[2:]
    run.store.write(DEALS_FILE, "".join(reversed(lines)).encode())
    with pytest.raises(UsageProblem, match=r"deals\.jsonl: expected the deals of SHA-256 "):
        open_run(str(tmp_path)).lines([2])


def test_shards_that_no_run_owns_are_not_taken_for_its_own(tmp_path, reference):
    finish(new_run(tmp_path))
    (tmp_path / "run.json").unlink()
    with pytest.raises(UsageProblem, match=r"holds shards without a run\.json"):
        new_run(tmp_path, seed=5)


def test_units_beyond_what_a_name_can_say_are_refused(tmp_path):
    with pytest.raises(UsageProblem, match="expected units below 1,000,000,000,000, got 1,000"):
        create(Store(str(tmp_path)), JOB, JOB.Spec(deals=1), range(10**12, 10**12 + 1))
    assert list(tmp_path.iterdir()) == []


def test_a_unit_that_killed_its_worker_twice_has_its_last_try_alone(tmp_path):
    class Watching(DeadlyPool):
        beside = 0

        def submit(self, task):
            if task.attempt == MAX_DEATHS - 1:
                self.beside += len(self.queue)
                self.last = task.shard
            super().submit(task)

    pool = Watching([16])
    finish(new_run(tmp_path), pool)
    assert (pool.last, pool.beside) == (Shard(0, 16, 17), 0)


def test_a_lost_lease_is_a_stop_at_once():
    lost = threading.Event()
    stop = Stop(lease_lost=lost)
    assert not stop.asked()
    lost.set()
    assert stop.asked()
    assert (stop.reason, stop.at_once) == ("another driver took the run over", True)


def test_a_time_limit_is_a_stop():
    stop = Stop(deadline=0.0)
    assert stop.asked()
    assert stop.reason == "the time limit is reached"


def test_a_second_pass_takes_up_open_units_only(tmp_path):
    run = new_run(tmp_path)
    finish(run)
    before = Counter(result(run)["outcome"].to_pylist())
    run.record.passes.append(Pass(limits={"limit_nodes": 300}))
    notes = finish(run, shard_size=None)
    second = {shard for shard in list_shards(run.store) if shard.pass_index == 1}
    assert second
    assert notes.last.total == before["node_limit"]
    at_once = new_run(tmp_path / "at once", limit_nodes=300)
    finish(at_once)
    assert result(run).equals(result(at_once))
    assert notes.last.tally == JOB.tally(rows(at_once.store))


def test_a_run_extended_after_a_second_pass_gives_it_to_the_new_units_too(tmp_path):
    run = new_run(tmp_path, deals=20)
    run.record.passes.append(Pass(limits={"limit_nodes": 300}))
    finish(run)
    run.record.stop = run.record.spec["deals"] = DEALS
    finish(run)
    at_once = new_run(tmp_path / "at once", limit_nodes=300)
    finish(at_once)
    assert result(run).equals(result(at_once))


@pytest.mark.parametrize(
    ("size", "figure"),
    [(0.2, 1), (1, 1), (1.9, 1), (2, 2), (4.9, 2), (5, 5), (9.9, 5), (10, 10), (730, 500)],
)
def test_shard_sizes_are_round_figures(size, figure):
    assert round_figure(size) == figure


@pytest.mark.parametrize(
    ("units", "seconds", "cpus", "size"),
    [
        (10_000, 1.0, 2, 5),  # of the target's length
        (160, 1.0, 10, 2),  # eight for each CPU
        (100, 0.001, 2, 500),  # not done in a moment
        (10_000_000, 1.0, 10_000, 50),  # few enough for one driver
    ],
)
def test_a_shard_suits_the_cluster(units, seconds, cpus, size):
    assert suitable_size(units, units, seconds, cpus) == size
