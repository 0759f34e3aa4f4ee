"""Merging, compacting, shares, sweeps, growing limits, and going on with the run asked for."""

import json

import pyarrow as pa
import pytest
from farm_pools import InlinePool
from written_runs import write_run

from farm import starting
from farm.arranging import compact, merge
from farm.commands.inspecting import _check
from farm.driver import Means, sum_up
from farm.errors import UsageProblem
from farm.loop import drive
from farm.main import main
from farm.planning import tapered
from farm.reporting import gather
from farm.run_directory import create, open_run
from farm.share import Share
from farm.starting import Order, checked, refuse_another
from farm.sweep import Member, growing_limits, split, write_table
from farm.watching import Stop, Watcher
from farm.worker import store_rows
from jobs import load_job
from results.report.page import render
from results.rows import comparable, rows
from results.shards import (
    Shard,
    all_shards,
    list_shards,
    overlaps,
    read_shard,
    split_covered,
    write_shard,
)
from results.store import Store

JOB = load_job("klondike-solvability")
SMALL = {"solver": "skip-action", "limit_nodes": 20}


def new_run(folder, units=range(40), limits=(), shard_size=7, finish=True, **fields):
    spec = JOB.Spec(**{**SMALL, "deals": len(units), **fields})
    passes = [{"limit_nodes": limit} for limit in limits]
    run = create(Store(str(folder)), JOB, spec, units, None, passes)
    run.record.signature = JOB.signature(spec)
    run.save()
    if finish:
        drive(run, InlinePool(), Stop(), Watcher(), shard_size)
    return run


def result(run):
    return comparable(rows(run.store))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return new_run(tmp_path_factory.mktemp("whole"), limits=[60, 300])


@pytest.fixture
def halves(tmp_path):
    first = new_run(tmp_path / "a", range(15), [60, 300], shard_size=4)
    return first, new_run(tmp_path / "b", range(15, 40), [60, 300], shard_size=6)


def test_merged_runs_are_the_run_of_all_their_units(whole, halves, tmp_path):
    first, second = halves
    merged = merge([second, first], Store(str(tmp_path / "merged"))).run
    assert result(merged).equals(result(whole))
    assert _check(open_run(merged.store.location))[0] == []
    benchmark = json.loads(merged.store.read("benchmark.json"))
    assert (benchmark["units"], benchmark["complete"]) == ([0, 40], True)
    assert benchmark["metrics"] == json.loads(sum_up(whole)[0].to_json())["metrics"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 1}, "seed differs: 0 in "),
        ({"draw": 1}, "draw differs: None in "),
        ({"units": range(14, 40)}, "units overlap: "),
        ({"units": range(16, 40)}, "units 15-15 are in none of the runs"),
        ({"limits": [60]}, "limits of the passes differs: "),
        ({"finish": False}, "is incomplete: finish it with `farm resume` first"),
    ],
)
def test_runs_that_are_not_parts_of_one_are_not_merged(change, message, halves, tmp_path):
    options = {"units": range(15, 40), "limits": [60, 300], **change}
    other = new_run(tmp_path / "other", **options)
    if change == {"finish": False}:
        other.record.passes = halves[0].record.passes
    with pytest.raises(UsageProblem) as refused:
        merge([halves[0], other], Store(str(tmp_path / "merged")))
    assert message in str(refused.value)
    assert not (tmp_path / "merged" / "run.json").exists()


def test_runs_of_other_engines_are_not_merged(halves, tmp_path):
    first, second = halves
    second.record.signature = "another"
    with pytest.raises(UsageProblem, match=r"engine signature differs: .* another in "):
        merge([first, second], Store(str(tmp_path / "merged")))


def test_a_run_whose_last_pass_was_cut_short_is_incomplete_and_not_merged(
    halves, whole, tmp_path, capsys
):
    first, second = halves
    gone = [shard for shard in list_shards(first.store) if shard.pass_index == 2]
    first.store.delete(gone[-1].name)
    assert not first.is_complete()
    assert not sum_up(first)[0].complete
    with pytest.raises(UsageProblem, match="is incomplete: finish it with `farm resume` first"):
        merge([first, second], Store(str(tmp_path / "merged")))
    assert main(["status", first.store.location]) == 0
    assert "incomplete: go on with `farm resume" in capsys.readouterr().out
    assert "a pass was cut short" in str(_check(first)[0])
    assert "Incomplete: the last pass was cut short" in render(gather(first))
    drive(first, InlinePool(), Stop(), Watcher(), 7)
    assert first.is_complete()
    assert result(merge([first, second], Store(str(tmp_path / "merged"))).run).equals(result(whole))


def test_a_merge_that_was_interrupted_leaves_a_run_that_can_be_finished(
    halves, whole, tmp_path, monkeypatch
):
    copied = []

    def write(store, name, content, real=Store.write):
        if name.startswith("shards"):
            if len(copied) == 4:
                raise KeyboardInterrupt
            copied.append(name)
        real(store, name, content)

    with monkeypatch.context() as changed, pytest.raises(KeyboardInterrupt):
        changed.setattr(Store, "write", write)
        merge(halves, Store(str(tmp_path / "merged")))
    run = open_run(str(tmp_path / "merged"))
    assert not run.is_complete()
    drive(run, InlinePool(), Stop(), Watcher(), 7)
    assert result(run).equals(result(whole))


def test_a_row_that_is_there_twice_is_a_fault(tmp_path):
    run = new_run(tmp_path, units=range(5))
    (shard,) = list_shards(run.store)
    table = read_shard(run.store, shard)
    write_shard(run.store, shard, pa.concat_tables([table, table.slice(2, 1)]), {})
    assert f"{shard.name} holds a row twice" in _check(run)[0]


def test_a_match_that_is_missing_of_a_pair_is_a_fault(tmp_path):
    ladder = load_job("cribbage-ladder")
    spec = ladder.Spec(player="easy", against="random", matches=6)
    run = create(Store(str(tmp_path)), ladder, spec, range(3), None, [])
    run.record.signature = ladder.signature(spec)
    drive(run, InlinePool(), Stop(), Watcher(), 3)
    assert _check(run)[0] == []
    (shard,) = list_shards(run.store)
    table = read_shard(run.store, shard)
    write_shard(run.store, shard, pa.concat_tables([table.slice(0, 3), table.slice(4)]), {})
    assert _check(run)[0] == [f"{shard.name} does not hold all 2 rows of each unit"]
    write_shard(run.store, shard, table.slice(0, 0), {})
    assert f"{shard.name} does not hold each of its units" in _check(run)[0]


def test_a_compacted_run_is_the_same_run(whole, tmp_path):
    run = new_run(tmp_path, limits=[60, 300])
    before, _ = sum_up(run)
    assert compact(run) == (len(list_shards(whole.store)), 3)
    assert result(run).equals(result(whole))
    after, _ = sum_up(run)
    assert (after.metrics, after.units_done) == (before.metrics, before.units_done)
    assert _check(run)[0] == []
    drive(run, InlinePool(), Stop(), Watcher(), 7)
    assert compact(run)[0] == 3


@pytest.mark.parametrize("deleted", [0, 1, 3])
def test_compacting_may_be_killed_at_any_moment(deleted, whole, tmp_path, monkeypatch):
    run = new_run(tmp_path, limits=[60, 300])
    delete, left = type(run.store).delete, [deleted]

    def dies(self, name):
        if left[0] == 0:
            raise KeyboardInterrupt
        left[0] -= 1
        delete(self, name)

    with monkeypatch.context() as patch:
        patch.setattr(type(run.store), "delete", dies)
        with pytest.raises(KeyboardInterrupt):
            compact(run)
    assert len(all_shards(run.store)) > len(list_shards(run.store))
    assert result(run).equals(result(whole))
    assert run.is_complete()
    pool = InlinePool()
    drive(run, pool, Stop(), Watcher(), 7)
    assert pool.submitted == []
    assert overlaps(all_shards(run.store)) == []
    assert result(run).equals(result(whole))


def test_a_shard_that_a_lost_worker_writes_after_all_doubles_nothing(tmp_path):
    run = new_run(tmp_path, range(20), shard_size=4)
    expected = result(run)
    task_rows = rows(run.store, JOB.SCHEMA.names).slice(4, 8)
    from farm.worker import ShardTask

    late = ShardTask(JOB.NAME, run.spec.model_dump_json(), run.store.location, Shard(0, 4, 12),
                     tuple(range(4, 12)), None, run.record.signature)  # fmt: skip
    store_rows(JOB, late, task_rows, 0.0)
    assert result(run).equals(expected)


def test_covered_shards_do_not_count():
    kept, covered = split_covered([Shard(0, 0, 4), Shard(0, 0, 8), Shard(0, 4, 8), Shard(1, 0, 4)])
    assert kept == [Shard(0, 0, 8), Shard(1, 0, 4)]
    assert covered == [Shard(0, 0, 4), Shard(0, 4, 8)]


def test_shares_together_are_the_run(whole, tmp_path):
    run = new_run(tmp_path, finish=False)
    spread = [set(), set(), set()]
    for index in (2, 0, 1):
        pool = InlinePool()
        drive(run, pool, Stop(), Watcher(), 7, Share(index, 3))
        spread[index] = {shard.start for shard in pool.submitted}
    assert spread == [{0, 21}, {7, 28}, {14, 35}]
    assert result(run).equals(result(new_run(tmp_path / "plain")))


def test_a_share_goes_on_with_the_run_of_the_others_only(tmp_path, monkeypatch):
    monkeypatch.setattr(starting, "work_on_share", lambda run, means, share: None)
    fields, out = {**SMALL, "deals": 40}, str(tmp_path)
    order = Order(JOB, fields, out, resume=True, share=Share(0, 2))
    starting.start(order, Means(shard_size=7))
    before = (tmp_path / "run.json").read_bytes()
    starting.start(Order(JOB, fields, out, resume=True, share=Share(1, 2)), Means(shard_size=7))
    assert (tmp_path / "run.json").read_bytes() == before
    with pytest.raises(UsageProblem, match=r"--shard-size: the run in .* has 7, this share 8"):
        starting.start(order, Means(shard_size=8))


LIMITS = [20, 60, 300]


def test_growing_limits_give_what_the_largest_gives_at_once(whole, tmp_path):
    at_once = new_run(tmp_path, limit_nodes=300)
    assert result(whole).equals(result(at_once))
    passes = {shard.pass_index for shard in list_shards(whole.store)}
    assert passes == {0, 1, 2}


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_a_pass_that_lost_shards_is_mended_and_the_others_stay(lost, whole, tmp_path):
    run = new_run(tmp_path, limits=LIMITS[1:])
    gone = [shard for shard in list_shards(run.store) if shard.pass_index == lost][::2]
    for shard in gone:
        run.store.delete(shard.name)
    pool = InlinePool()
    drive(run, pool, Stop(), Watcher(), 7)
    assert pool.submitted == gone
    assert result(run).equals(result(whole))
    table = rows(run.store, ["unit"])
    assert table["unit"].to_pylist() == list(range(40))


@pytest.mark.parametrize("stop_after", [1, 4, 7, 9])
def test_a_schedule_interrupted_in_any_pass_ends_the_same(stop_after, whole, tmp_path):
    class Stops(InlinePool):
        def finish(self, task):
            if len(self.submitted) >= stop_after:
                stop.reason = "SIGTERM was received"
            return super().finish(task)

    run, stop = new_run(tmp_path, limits=LIMITS[1:], finish=False), Stop()
    drive(run, Stops(), stop, Watcher(), 7)
    drive(open_run(str(tmp_path)), InlinePool(), Stop(), Watcher(), 5)
    assert result(run).equals(result(whole))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "expected numbers such as"),
        (5, "expected numbers such as"),
        ([True], "expected numbers such as"),
        (["1e5"], "expected numbers such as"),
        ([10, 10], "expected whole numbers that grow"),
        ([20, 10], "expected whole numbers that grow"),
        ([0, 10], "expected whole numbers that grow"),
        ([1.5, 10], "expected whole numbers that grow"),
    ],
)
def test_limits_that_do_not_grow_are_refused(values, message):
    with pytest.raises(UsageProblem, match=message):
        growing_limits(JOB, values)


def test_limits_and_a_limit_are_one_too_many():
    with pytest.raises(UsageProblem, match="both say how far to go"):
        split(JOB, {"limits": [1e5], "limit_nodes": 5})
    assert split(JOB, {"limits": [1e5, 1e7]})[1] == [10_000_000]


def test_a_sweep_has_a_run_for_each_value_and_no_value_is_a_path(tmp_path):
    members, limits = split(JOB, {"draw": [1, 3], "seed": [5, 6], "deals": 10})
    assert [member.folder for member in members] == [
        *("draw=1,seed=5", "draw=1,seed=6", "draw=3,seed=5", "draw=3,seed=6"),
    ]
    assert (members[0].fields, limits) == ({"draw": 1, "seed": 5, "deals": 10}, [])
    assert Member({"player": "cmd:../x y"}, {}).folder == "player=cmd%3A..%2Fx%20y"
    assert Member({"player": ".."}, {}).folder == "player=.."
    with pytest.raises(UsageProblem, match="draw: expected a list of different values"):
        split(JOB, {"draw": [1, 1]})


def test_a_sweep_ends_in_one_table(tmp_path):
    members, _ = split(JOB, {"draw": [1, 3], "deals": 10, **SMALL})
    for member in members:
        run = new_run(tmp_path / member.folder, range(10), draw=member.values["draw"])
        run.store.write("benchmark.json", sum_up(run)[0].to_json().encode())
    lines = write_table(Store(str(tmp_path)), members).splitlines()
    assert lines[0] == "| draw | share | n | estimate | 95 % interval |"
    assert [line.split(" | ")[:3] for line in lines[2:]] == [
        *(["| 1", "solved_share", "10"], ["| 1", "winnable_share", "10"]),
        *(["| 3", "solved_share", "10"], ["| 3", "winnable_share", "10"]),
    ]
    assert [each["run"] for each in json.loads((tmp_path / "sweep.json").read_text())] == [
        *("draw=1", "draw=3"),
    ]


def test_an_interval_of_99_percent_is_marked_in_the_table_of_a_sweep(tmp_path):
    job = load_job("gallery-pimc")
    against = "pimc-160-published"
    members, _ = split(job, {"player": ["greedy", "hindsight"], "deals": 4, "against": against})
    for member in members:
        players = job.Spec(**member.fields).players
        rows = [
            {"unit": unit, "leg": leg, "player": name, "score": unit * leg, "solved": False}
            for unit in range(4)
            for leg, name in enumerate(players)
        ]
        path = tmp_path / member.folder
        run = write_run(path, "gallery-pimc", [rows], count=4, **member.fields)
        run.store.write("benchmark.json", sum_up(run)[0].to_json().encode())
    lines = write_table(Store(str(tmp_path)), members).splitlines()
    paired = [line for line in lines if ", paired |" in line]
    assert len(paired) == 4
    assert all(line.endswith(" (99 %) |") for line in paired)
    assert all("(99 %)" not in line for line in lines if line not in paired)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"draw": 1}, "its draw is None, asked for was 1"),
        ({"seed": 9}, "its seed is 0, asked for was 9"),
        ({"deals": 39}, "its deals is 40, asked for was 39"),
        ({"limit_nodes": 10}, r"its limit_nodes is \[20, 60, 300\], asked for was \[10\]"),
    ],
)
def test_another_run_is_refused_naming_the_field(change, message, whole):
    order = Order(JOB, {**SMALL, "deals": 40, **change}, resume=True)
    with pytest.raises(UsageProblem, match=message):
        refuse_another(whole, order, checked(order))


@pytest.mark.parametrize("change", [{}, {"deals": 50}, {"limit_nodes": 500}])
def test_the_same_run_with_more_units_or_limits_is_not(change, whole):
    order = Order(JOB, {**SMALL, "deals": 40, **change}, resume=True)
    refuse_another(whole, order, checked(order))


def test_shards_become_smaller_towards_the_end():
    segments = tapered(0, 1000, 64)
    assert [(each.start, each.stop, each.size) for each in segments] == [
        *((0, 768, 64), (768, 944, 16), (944, 1000, 4)),
    ]
    assert [each.stop for each in tapered(5, 8, 100)] == [8]
    for size in (1, 3, 50):
        ends = [(each.start, each.stop) for each in tapered(10, 99, size)]
        assert [start for start, _ in ends] == [10, *(stop for _, stop in ends[:-1])]
        assert ends[-1][1] == 99


def test_the_commands_are_there(halves, tmp_path, capsys):
    first, second = (run.store.location for run in halves)
    assert main(["merge", first, second, "--out", str(tmp_path / "merged")]) == 0
    assert "units           40" in capsys.readouterr().out
    before = len(list_shards(Store(str(tmp_path / "merged"))))
    assert main(["compact", str(tmp_path / "merged")]) == 0
    assert capsys.readouterr().out == f"{before} shards became 3\n"
