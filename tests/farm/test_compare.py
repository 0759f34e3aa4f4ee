"""farm compare, on run directories with rows as the tests want them."""

import hashlib
import json
from pathlib import Path

import pytest
from written_runs import solver_rows, write_run

from engines.deal_text import without_none
from engines.klondike.deal import random_deal
from farm.main import main

SOLVED, UNSOLVABLE, OPEN = "solved", "unsolvable", "node_limit"


def run_of(tmp_path, name, outcomes, draws=None, **fields):
    """draws: of the rows; by default what the option says."""
    job = "klondike-solvability"
    rows = solver_rows(outcomes, draw=fields.get("draw", 3))
    for row, draw in zip(rows, draws or (), strict=False):
        row["draw"] = draw
    return write_run(tmp_path / name, job, [rows], **fields).store.location


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
    assert "CONTRADICTION" not in output


def lines_of(*draws):
    lines = [{"draw": draw, **random_deal(0, unit).as_json()} for unit, draw in enumerate(draws)]
    return "".join(f"{json.dumps(without_none(line))}\n" for line in lines)


def test_the_draw_of_a_deal_is_that_of_its_line_whatever_the_option_says(tmp_path, capsys):
    lines = lines_of(1, 1)
    plain = {"lines": lines, "draws": [1, 1]}
    a, b = two_runs(tmp_path, [SOLVED] * 2, [UNSOLVABLE] * 2, plain, {**plain, "draw": 1})
    assert main(["compare", a, b]) == 1
    output = capsys.readouterr()
    assert "draw:" not in output.out
    assert "CONTRADICTION: unit 0 is solved in A, unsolvable in B" in output.out
    assert "CONTRADICTION: 2 of 2 units" in output.err


def test_only_deals_of_the_same_draw_contradict_each_other(tmp_path, capsys):
    """The first line says draw 1, the second leaves it to the option."""
    lines = lines_of(1, None)
    one, other = ({"lines": lines, "draws": [1, draw], "draw": draw} for draw in (1, 5))
    a, b = two_runs(tmp_path, [SOLVED] * 2, [UNSOLVABLE] * 2, one, other)
    assert main(["compare", a, b, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["same_rules"] is True
    assert [each["unit"] for each in document["verdicts"]["contradictions"]] == [0]
    assert {"field": "draw", "a": [1], "b": [1, 5]} in document["differing"]


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


def test_figures_of_an_incomplete_run_are_said_to_be_so(tmp_path, capsys):
    outcomes = [SOLVED] * 82 + [UNSOLVABLE] * 18
    whole = run_of(tmp_path, "whole", outcomes, count=100)
    part = run_of(tmp_path, "part", outcomes, count=200, size=100)
    said = f"farm: {part}: the run is not complete: these are the rows so far\n"
    assert main(["compare", whole, part]) == 0
    assert capsys.readouterr().err == said
    assert main(["compare", part, "--reference", "klondike-draw3"]) == 0
    assert capsys.readouterr().err == said
    assert main(["compare", whole, whole]) == 0
    assert capsys.readouterr().err == ""


def ladder_of(tmp_path, name, results, **fields):
    """results: of both legs of each pair, such as "wl"."""
    rows = [
        {
            **{"unit": unit, "leg": leg, "pair": unit, "player": fields["player"]},
            **{"opponent": "easy", "result": {"w": "won", "l": "lost"}[letter]},
            **{"player_dealt_first": leg == unit % 2, "seconds": 0.5},
        }
        for unit, legs in enumerate(results)
        for leg, letter in enumerate(legs)
    ]
    run = write_run(
        tmp_path / name, "cribbage-ladder", [rows], count=len(results), against="easy", **fields
    )
    return run.store.location


def test_fair_matches_have_other_cards_and_are_no_pairs_of_others(tmp_path, capsys):
    a = ladder_of(tmp_path, "a", ["ww"], player="hard", transcripts=True)
    b = ladder_of(tmp_path, "b", ["ww"], player="hard")
    assert main(["compare", a, b]) == 2
    assert capsys.readouterr().err == (
        f"farm: the runs have different units: transcripts is True in {a}, False in {b}\n"
    )


PLAYER = """
class Mine:
    def __init__(self, seed):
        pass

    def discard(self, seen):
        return seen.own_hand[:2]

    def play(self, seen):
        return seen.legal_plays[0]
"""


def test_a_player_from_outside_is_shown_by_its_name_and_hash(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(PLAYER + "# a long program\n" * 100)
    a = ladder_of(tmp_path, "a", ["ww", "wl"], player="mine.py:Mine")
    b = ladder_of(tmp_path, "b", ["ww", "ll"], player="hard")
    assert main(["compare", a, b]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "player:" in line]
    digest = hashlib.sha256(Path("mine.py").read_bytes()).hexdigest()
    assert line.endswith(f"  player: mine.py:Mine (sha256 {digest[:12]}), hard")
    assert main(["compare", a, b, "--json"]) == 0
    differing = {each["field"]: each for each in json.loads(capsys.readouterr().out)["differing"]}
    assert differing["player"]["a"]["program"]["sha256"] == digest


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
