"""farm compare, on run directories with rows as the tests want them."""

import json

import pytest
from written_runs import solver_rows, write_run

from farm.main import main

SOLVED, UNSOLVABLE, OPEN = "solved", "unsolvable", "node_limit"


def run_of(tmp_path, name, outcomes, **fields):
    job = "klondike-solvability"
    run = write_run(tmp_path / name, job, [solver_rows(outcomes)], **fields)
    return run.store.location


def two_runs(tmp_path, first, second, one=None, other=None):
    return (
        run_of(tmp_path, "a", first, count=len(first), **(one or {})),
        run_of(tmp_path, "b", second, count=len(second), **(other or {})),
    )


def test_agreeing_runs_exit_with_0_and_list_what_differs(tmp_path, capsys):
    a, b = two_runs(
        tmp_path, [SOLVED, UNSOLVABLE, OPEN], [SOLVED, UNSOLVABLE, SOLVED], None, {"draw": 3}
    )
    assert main(["compare", a, b]) == 0
    output = capsys.readouterr().out
    assert "3 in both" in output
    assert "1 solved in both" in output
    assert "1 node_limit in A, solved in B" in output
    assert "1 decided in one run only: no contradiction" in output
    assert "draw" not in output  # 3 unless said otherwise


def test_a_contradiction_is_loud_and_exits_with_1(tmp_path, capsys):
    a, b = two_runs(tmp_path, [SOLVED] * 30, [UNSOLVABLE] * 25 + [SOLVED] * 5)
    assert main(["compare", a, b]) == 1
    output = capsys.readouterr()
    assert "CONTRADICTION: unit 0 is solved in A, unsolvable in B" in output.out
    assert "5 more CONTRADICTIONS" in output.out
    assert output.err.startswith("farm: CONTRADICTION: 25 of 30 units are solved in one run")
    assert main(["compare", a, b, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert [each["unit"] for each in document["verdicts"]["contradictions"]] == list(range(25))


def test_other_rules_contradict_nothing(tmp_path, capsys):
    a, b = two_runs(tmp_path, [UNSOLVABLE] * 4, [SOLVED] * 4, {"draw": 3}, {"draw": 1})
    assert main(["compare", a, b]) == 0
    output = capsys.readouterr().out
    assert "draw: 3, 1" in output
    assert "the rules differ: no verdict contradicts another" in output


def test_other_solvers_play_the_same_game(tmp_path):
    a, b = two_runs(tmp_path, [UNSOLVABLE] * 4, [SOLVED] * 4, None, {"solver": "skip-action"})
    assert main(["compare", a, b]) == 1


def test_other_deals_are_refused(tmp_path, capsys):
    a, b = two_runs(tmp_path, [SOLVED], [SOLVED], {"seed": 1}, {"seed": 2})
    assert main(["compare", a, b]) == 2
    error = capsys.readouterr().err
    assert error == f"farm: the runs have different units: seed is 1 in {a}, 2 in {b}\n"
    c = run_of(tmp_path, "c", [SOLVED], count=1, seed=1, lines="{}\n")
    assert main(["compare", a, c]) == 2
    assert "deals file (SHA-256) is None in" in capsys.readouterr().err


def test_other_jobs_are_refused(tmp_path, capsys):
    a = run_of(tmp_path, "a", [SOLVED], count=1)
    b = write_run(tmp_path / "b", "shenzhen-solvability", [solver_rows([SOLVED])], count=1)
    assert main(["compare", a, b.store.location]) == 2
    assert "job is klondike-solvability in" in capsys.readouterr().err


def test_a_run_without_rows_is_refused(tmp_path, capsys):
    a = run_of(tmp_path, "a", [SOLVED], count=1)
    b = run_of(tmp_path, "b", [], count=1)
    assert main(["compare", a, b]) == 2
    assert capsys.readouterr().err == f"farm: {b} has no rows yet\n"


@pytest.mark.parametrize("given", [(), ("RUN", "--reference", "klondike-draw3")])
def test_two_things_are_compared(tmp_path, capsys, given):
    a = run_of(tmp_path, "a", [SOLVED], count=1)
    assert main(["compare", a, *(a if word == "RUN" else word for word in given)]) == 2
    assert "expected a second RUN or a --reference" in capsys.readouterr().err


def test_a_run_is_held_against_published_figures(tmp_path, capsys):
    outcomes = [SOLVED] * 82 + [UNSOLVABLE] * 18
    a = run_of(tmp_path, "a", outcomes, count=100)
    assert main(["compare", a, "--reference", "klondike-draw3"]) == 0
    output = capsys.readouterr().out
    assert "Blake and I. P. Gent, JAIR 85:21, 2026" in output
    assert "published 81.945 % (81.86 to 82.03 %): the intervals overlap" in output
    assert main(["compare", a, "--reference", "klondike-draw1"]) == 2
    assert capsys.readouterr().err == (
        "farm: --reference klondike-draw1: the reference is for other runs: its draw is 1, "
        "this run's 3\n"
    )


def test_an_interval_that_misses_the_published_one_exits_with_1(tmp_path, capsys):
    a = run_of(tmp_path, "a", [SOLVED] * 100, count=100)
    assert main(["compare", a, "--reference", "klondike-draw3", "--json"]) == 1
    output = capsys.readouterr()
    (figure,) = json.loads(output.out)["figures"]
    assert (figure["metric"], figure["overlap"]) == ("winnable_share", False)
    assert "winnable_share: the interval does not overlap that of klondike-draw3" in output.err
