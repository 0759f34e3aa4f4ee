"""Jobs with stages, jobs that compute many units at once, and runs that a test ends early."""

import json
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pytest
from farm_pools import InlinePool

from farm.commands.inspecting import _check
from farm.driver import sum_up, write_artifacts
from farm.loop import drive
from farm.main import main
from farm.reporting import gather
from farm.run_directory import create, open_run
from farm.watching import Stop, Watcher
from farm.worker import ShardTask, compute_shard
from jobs import load_job
from results.report.page import render
from results.rows import comparable, rows
from results.shards import Shard, list_shards
from results.store import Store


def new_run(folder, name, **fields):
    job = load_job(name)
    spec = job.Spec(**fields)
    run = create(Store(str(folder)), job, spec, range(spec.unit_count), None)
    run.record.signature = job.signature(spec)
    return run


def finish(run, shard_size=None):
    pool = InlinePool()
    drive(run, pool, Stop(), Watcher(), shard_size)
    return pool.submitted


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A run of the crib tables, complete."""
    run = new_run(tmp_path_factory.mktemp("tables"), "cribbage-crib-tables", passes=2, samples=50)
    finish(run, 40)
    return run


def test_no_shard_reaches_over_two_stages(tables):
    ranges = [stage.units for stage in tables.stages()]
    assert ranges == [range(91), range(91, 273), range(273, 455)]
    for shard in list_shards(tables.store):
        assert sum(shard.start in units and shard.stop - 1 in units for units in ranges) == 1


def test_a_stage_has_what_the_one_before_found(tables):
    first, second, third = tables.stages()
    assert tables.spec_of(0, first).found == {}
    before = rows(tables.store)
    told = tables.spec_of(0, third).found["tables"]
    entry = before.slice(91, 1).to_pylist()[0]
    assert (entry["seat"], entry["high"], entry["low"]) == ("pone", 0, 0)
    assert told[0][0][0] == entry["mean"]
    assert tables.spec_of(0, second).found != tables.spec_of(0, third).found


def test_a_complete_run_verifies_and_has_its_artifact(tables):
    assert tables.is_complete()
    assert _check(tables) == ([], 455, 455)
    benchmark, remarks = sum_up(tables)
    assert (benchmark.complete, remarks) == (True, [])
    write_artifacts(tables, benchmark)
    document = json.loads(Path(tables.store.location, "crib_tables.json").read_text())
    assert (document["passes"], document["samples"]) == (2, 50)
    assert "found" not in tables.record.spec


def test_what_is_missing_of_an_early_stage_is_done_first_and_changes_nothing(tables, tmp_path):
    run = new_run(tmp_path, "cribbage-crib-tables", passes=2, samples=50)
    finish(run, 100)
    early, late = Shard(0, 0, 91), Shard(0, 273, 373)
    for shard in (early, late):
        run.store.delete(shard.name)
    faults, *_ = _check(run)
    assert any("needs all of the one before" in fault for fault in faults)
    assert finish(run) == [early, late]
    assert comparable(rows(run.store)).equals(comparable(rows(tables.store)))


def test_many_units_at_once_have_the_rows_of_each_alone(tmp_path, monkeypatch):
    fast, slow = (
        new_run(tmp_path / name, "cribbage-ladder", matches=20) for name in ("fast", "slow")
    )
    finish(fast, 16)
    monkeypatch.setattr("jobs.cribbage_ladder.compute_many", lambda spec, units: None)
    monkeypatch.setattr(
        "jobs.cribbage_ladder.compute",
        lambda spec, unit, line: spec.schedule.play([unit]).to_pylist(),
    )
    finish(slow, 7)
    assert comparable(rows(fast.store)).equals(comparable(rows(slow.store)))
    assert _check(fast) == ([], 80, 80)


def test_a_unit_that_fails_among_many_costs_only_itself(tmp_path, monkeypatch):
    run = new_run(tmp_path, "cribbage-ladder", matches=6)
    job = run.job
    plain = job.compute

    def compute(spec, unit, line):
        if unit == 5:
            raise RuntimeError("bad unit")
        return plain(spec, unit, line)

    def compute_many(spec, units):
        raise RuntimeError("something among these")

    monkeypatch.setattr(job, "compute", compute)
    monkeypatch.setattr(job, "compute_many", compute_many)
    task = ShardTask(
        "cribbage-ladder",
        run.spec.model_dump_json(),
        run.store.location,
        Shard(0, 0, 12),
        tuple(range(12)),
        None,
        run.record.signature,
    )
    monkeypatch.setattr(job, "verify", lambda spec, row, line: True)
    done = compute_shard(task)
    assert done.rows == 24
    failed = [row for row in rows(run.store).to_pylist() if row["result"] == "failed"]
    assert [(row["unit"], row["leg"], row["error"]) for row in failed] == [
        (5, 0, "RuntimeError: bad unit"),
        (5, 1, "RuntimeError: bad unit"),
    ]


SPRT = {"against": "easy", "sprt": "0,10", "matches": 4_000}


@pytest.fixture(scope="module")
def decided(tmp_path_factory):
    """A run that its test has ended, in shards of ten pairs."""
    run = new_run(tmp_path_factory.mktemp("decided"), "cribbage-ladder", **SPRT)
    finish(run, 10)
    return run


def test_a_sequential_test_ends_a_run_at_the_pair_that_decides(decided):
    assert decided.is_complete()
    benchmark, _ = sum_up(decided)
    assert benchmark.complete
    pairs = len(decided.units)
    assert benchmark.verdict.startswith(f"SPRT: at least +10 Elo after {pairs} pairs ")
    assert 10 < pairs < 100
    assert finish(decided) == []
    assert _check(decided)[0] == []


@pytest.mark.parametrize("size", [1, 7, 100, 2_000])
def test_what_a_test_ends_does_not_depend_on_the_shards(decided, tmp_path, size):
    run = new_run(tmp_path, "cribbage-ladder", **SPRT)
    finish(run, size)
    assert sum_up(run)[0].verdict == sum_up(decided)[0].verdict
    assert comparable(rows(run.store)).equals(comparable(rows(decided.store)))


def test_more_workers_at_once_change_nothing(decided, tmp_path):
    class Busy(InlinePool):
        window = 16

    run = new_run(tmp_path, "cribbage-ladder", **SPRT)
    drive(run, Busy(), Stop(), Watcher(), 10)
    assert comparable(rows(run.store)).equals(comparable(rows(decided.store)))


@pytest.mark.parametrize("killed_at", range(4))
def test_ending_a_run_may_be_interrupted(decided, tmp_path, monkeypatch, killed_at):
    class Killed(Exception):
        pass

    run = new_run(tmp_path, "cribbage-ladder", **SPRT)
    run.save()
    left = [killed_at]

    def delete(store, name, real=Store.delete):
        if not left[0]:
            raise Killed
        left[0] -= 1
        real(store, name)

    class Busy(InlinePool):
        window = 16

    with monkeypatch.context() as changed, suppress(Killed):
        changed.setattr(Store, "delete", delete)
        drive(run, Busy(), Stop(), Watcher(), 10)
    again = open_run(run.store.location)
    again.record.signature = run.record.signature
    finish(again)
    assert again.units == decided.units
    assert comparable(rows(again.store)).equals(comparable(rows(decided.store)))


def test_a_verdict_takes_no_pair_beyond_a_gap(decided, tmp_path):
    """Such as after an interruption: which shards are ready says something about their matches."""
    run = new_run(tmp_path, "cribbage-ladder", **SPRT)
    finish(run, 10)
    run.store.delete(list_shards(run.store)[0].name)
    benchmark, _ = sum_up(run)
    assert (benchmark.complete, benchmark.verdict) == (False, None)
    assert "Not decided yet." in render(gather(run))
    finish(run)
    assert sum_up(run)[0].verdict == sum_up(decided)[0].verdict


def test_shares_cannot_end_a_run_for_each_other(tmp_path, capsys):
    words = ["--against", "easy", "--sprt", "0,10", "--share", "0/2", "--shard-size", "10", "--out"]
    assert main(["run", "cribbage-ladder", *words, str(tmp_path / "run")]) == 2
    assert "farm: --share: a test ends a cribbage-ladder for all" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_shard_beyond_the_end_is_a_fault(decided, tmp_path):
    run = new_run(tmp_path, "cribbage-ladder", against="easy", matches=20)
    finish(run, 5)
    run.record.stop = 7
    assert sum("goes beyond the run, which ends at 6" in fault for fault in _check(run)[0]) == 1


def test_shards_beyond_a_gap_are_not_judged(tmp_path):
    """What is ready first may not decide: it would favour short matches."""
    run = new_run(tmp_path, "cribbage-ladder", **{**SPRT, "sprt": "0,10", "matches": 600})
    whole = new_run(tmp_path / "whole", "cribbage-ladder", against="easy", matches=600)
    finish(whole, 100)
    table = pa.concat_tables([rows(whole.store)])
    sequential = run.job.sequential(run.spec)
    sequential.take(table)
    assert sequential.verdict == (finish(run, 100) and sum_up(run)[0].verdict)
