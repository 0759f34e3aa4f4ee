"""Going on with a run: what a command may ask of one that is there, and what is refused."""

import inspect
import json
import os
import re
import shlex
import signal
import time
from pathlib import Path

import pytest
from farm_pools import InlinePool
from written_runs import solver_rows, write_run

from farm import driver
from farm.commands import running
from farm.main import main
from farm.run_directory import create, open_run
from jobs import job_names, load_job
from results.store import Store

SMALL = ("klondike-solvability", "--solver", "skip-action", "--shard-size", "5", "--quiet")


@pytest.fixture(autouse=True)
def without_ray(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(driver, "RayPool", lambda address, cpus: InlinePool())


def run(*options, out="run"):
    return main(["run", *SMALL, "--resume", "--out", out, *map(str, options)])


def limits_of(out="run"):
    opened = open_run(out)
    passes = range(len(opened.record.passes))
    return [opened.spec_of_pass(index).model_dump()["limit_nodes"] for index in passes]


@pytest.mark.parametrize(
    ("asked", "outcome"),
    [
        ([20], [20, 60, 300]),
        ([60], [20, 60, 300]),
        ([300], [20, 60, 300]),
        ([20, 60], [20, 60, 300]),
        ([60, 300], [20, 60, 300]),
        ([60, 300, 400], [20, 60, 300, 400]),
        ([300, 400], [20, 60, 300, 400]),
        ([20, 60, 300, 400], [20, 60, 300, 400]),
        ([400, 500], [20, 60, 300, 400, 500]),
        ([10], None),
        ([20, 300], None),
        ([100], None),
        ([60, 400], None),
    ],
)
def test_limits_asked_for_may_begin_anywhere_among_those_of_the_run(asked, outcome, capsys):
    Path("first.toml").write_text(study([20, 60, 300]))
    Path("then.toml").write_text(study(asked))
    out = ("--out", "run", "--resume", "--quiet")
    assert main(["run", "first.toml", *out]) == 0
    code = main(["run", "then.toml", *out])
    assert (code, limits_of()) == ((2, [20, 60, 300]) if outcome is None else (0, outcome))
    assert ("its limit_nodes is [20, 60, 300]" in capsys.readouterr().err) == (outcome is None)


def study(limits):
    return f"""job = "klondike-solvability"
solver = "skip-action"
deals = 3
limits = {limits}
"""


def test_the_same_command_twice_goes_on_with_the_limit_that_it_added():
    assert run("--deals", 10, "--limit-nodes", 20) == 0
    for _ in range(2):
        assert run("--deals", 10, "--limit-nodes", 300) == 0
        assert limits_of() == [20, 300]


def test_the_command_that_goes_on_with_a_run_that_is_there_can_be_typed(capsys):
    assert run("--deals", 3, "--limit-nodes", 20, out="my runs/a b") == 0
    capsys.readouterr()
    assert main(["run", *SMALL, "--deals", "3", "--out", "my runs/a b"]) == 2
    said = capsys.readouterr().err
    command = said.partition("continue it with `")[2].partition("`")[0]
    assert main([*shlex.split(command)[1:], "--quiet"]) == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record["spec"].update(new_option=1),
        lambda record: record["passes"][0]["limits"].update(new_option=1),
    ],
    ids=["spec", "limits"],
)
@pytest.mark.parametrize("command", ["status", "resume", "verify"])
def test_a_run_of_a_newer_version_with_a_new_option_gets_one_clear_line(command, change, capsys):
    write_run("run", "klondike-solvability", [solver_rows(["solved"])], count=1)
    record = json.loads(Path("run/run.json").read_text())
    change(record)
    Path("run/run.json").write_text(json.dumps(record))
    assert main([command, "run"]) == 2
    assert capsys.readouterr().err == (
        f"farm: {Path('run').absolute()}/run.json: field new_option: Extra inputs are not "
        "permitted; if a newer dealfarm made this run, use that one\n"
    )


@pytest.mark.parametrize(
    "name",
    [
        *("cribbage-board", "cribbage-calibrate", "cribbage-crib-tables"),
        "cribbage-master-tables",
    ],
)
@pytest.mark.parametrize("options", [(), ("--deals", "5"), ("--matches", "1000000")])
def test_what_cannot_be_extended_is_said_so_at_once(name, options, capsys):
    job = load_job(name)
    create(Store("run"), job, job.Spec(), range(job.Spec().unit_count))
    before = Path("run/run.json").read_bytes()
    assert main(["extend", "run", *options]) == 2
    assert capsys.readouterr().err == (
        f"farm: a run of {name} cannot be extended: its number of {job.Spec.UNIT_FIELD} is fixed\n"
    )
    assert Path("run/run.json").read_bytes() == before


def test_what_grows_has_one_stage_and_an_option_of_extend():
    options = inspect.signature(running.extend).parameters
    for job in map(load_job, job_names()):
        if job.Spec.UNIT_FIELD in job.Spec.GROWS:
            assert len(job.stages(job.Spec())) == 1
            assert job.Spec.UNIT_FIELD in options


SHARED = ("--deals", 10, "--limit-nodes", 20, "--share")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--deals", 20, "--limit-nodes", 20), "its deals is 10, asked for was 20"),
        (("--deals", 5, "--limit-nodes", 20), "its deals is 10, asked for was 5"),
        (("--deals", 10, "--limit-nodes", 60), "its limit_nodes is 20, asked for was 60"),
        (("--deals", 10, "--limit-nodes", 10), "its limit_nodes is [20], asked for was [10]"),
        (("--units", "0-10", "--limit-nodes", 20), "its deals is 10, asked for was 11"),
    ],
)
def test_a_share_refuses_what_the_run_does_not_have(options, message, capsys):
    assert run(*SHARED, "0/2") == 0
    before = Path("run/run.json").read_bytes()
    assert run(*options, "--share", "1/2") == 2
    assert message in capsys.readouterr().err
    assert Path("run/run.json").read_bytes() == before


def test_a_share_refuses_a_run_with_a_second_pass(capsys):
    assert [run(*SHARED, f"{index}/2") for index in (0, 1)] == [0, 0]
    assert main(["resume", "run", "--limit-nodes", "60", "--quiet"]) == 0
    capsys.readouterr()
    for share in ("0/2", "7/8"):  # the last has no shard of its own
        assert run(*SHARED, share) == 2
        assert capsys.readouterr().err == (
            f"farm: --share: {Path('run').absolute()} has 2 passes, and shares compute one: "
            f"go on with `farm resume {Path('run').absolute()}`\n"
        )


@pytest.mark.parametrize(
    ("job", "message"),
    [
        ("cribbage-calibrate", "cribbage-calibrate has stages: its units cannot be shared out"),
        (
            "cribbage-ladder --against easy --sprt 0,10",
            "a test ends a cribbage-ladder for all at once; leave one out",
        ),
        ("first.toml", "shares have one pass: leave out limits, and add passes with `farm resume`"),
    ],
)
def test_what_cannot_be_shared_out_is_refused(job, message, tmp_path, capsys):
    Path("first.toml").write_text(study([20, 60]))
    options = ("--share", "0/2", "--shard-size", "5", "--out", "run")
    assert main(["run", *job.split(), *options]) == 2
    assert capsys.readouterr().err == f"farm: --share: {message}\n"
    assert not Path("run").exists()


SWEEP = """job = "klondike-solvability"
solver = "skip-action"
limit_nodes = 20
draw = [1, 3]
"""


def test_a_sweep_that_was_stopped_names_the_command_that_goes_on_with_all_of_it(
    monkeypatch, capsys
):
    class Interrupted(InlinePool):
        def finish(self, task):
            os.kill(os.getpid(), signal.SIGINT)
            return super().finish(task)

    Path("a sweep.toml").write_text(SWEEP)
    with monkeypatch.context() as patch:
        patch.setattr(driver, "RayPool", lambda address, cpus: Interrupted())
        options = ["--out", "my out", "--units", "0-4", "--seed", "7", "--shard-size", "1"]
        assert main(["run", "a sweep.toml", *options, "--quiet"]) == 1
    said = capsys.readouterr().err
    command = "farm run 'a sweep.toml' --seed 7 --units 0-4 --out 'my out'"
    assert said == f"farm: stopped: SIGINT was received; go on with `{command}`\n"
    assert not Path("my out/draw=3").exists()
    assert main(shlex.split(command)[1:]) == 0
    runs = [open_run(f"my out/draw={draw}") for draw in (1, 3)]
    assert [(each.is_complete(), each.units) for each in runs] == [(True, range(5))] * 2
    assert len(json.loads(Path("my out/sweep.json").read_text())) == 2


def test_a_time_limit_is_one_for_a_whole_sweep(monkeypatch, capsys):
    clock, limits = [1000.0], []

    def start(order, means, command=None):
        limits.append(means.time_limit)
        clock[0] += 40.0

    Path("sweep.toml").write_text(SWEEP.replace("[1, 3]", "[1, 2, 3]"))
    monkeypatch.setattr(running, "start", start)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    assert main(["run", "sweep.toml", "--out", "out", "--time-limit", "60s"]) == 1
    assert limits == [60.0, 20.0]
    assert capsys.readouterr().err == (
        "farm: stopped: the time limit is reached; go on with `farm run sweep.toml --out out`\n"
    )


def test_a_player_that_is_another_is_named_without_its_source(capsys):
    ladder = ["run", "cribbage-ladder", "--player", "mine.py:Mine", "--matches", "2", "--quiet"]
    ladder += ["--against", "easy", "--out", "ladder", "--resume"]
    source = "class Mine:\n    def __init__(self, seed): {}\n    def discard(self, seen): ...\n"
    source += "    play = discard\n"
    Path("mine.py").write_text(source.format("self.first = seed"))
    main(ladder)
    capsys.readouterr()
    Path("mine.py").write_text(source.format("self.other = seed"))
    assert main(ladder) == 2
    (line,) = capsys.readouterr().err.splitlines()
    own, asked = re.findall(r"mine\.py:Mine \(sha256 ([0-9a-f]+)\)", line)
    assert own != asked
    assert "another run: its player is mine.py:Mine (" in line
    assert "seed" not in line
