"""Going on with a run: what a command may ask of one that is there, and what is refused."""

from pathlib import Path

import pytest
from farm_pools import InlinePool

from farm import driver
from farm.main import main
from farm.run_directory import open_run

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
