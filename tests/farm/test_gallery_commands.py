"""farm deal, solve and play gallery, called in this process."""

import io
import json

import pytest
from written_runs import write_run

from engines.gallery.deal import random_deal
from engines.gallery.moves import DEAL_MOVE, parse_moves
from engines.gallery.position_text import parse_position, position_json
from engines.gallery.rules import Position, replay
from farm.main import main

DEAL = ("--seed", "0", "--unit", "0")


def run(*arguments):
    return main([*map(str, arguments)])


def test_a_deal_is_shown_as_picture_json_and_svg(capsys, tmp_path):
    assert run("deal", "gallery", *DEAL) == 0
    assert capsys.readouterr().out == f"{Position.start(random_deal(0, 0))}\n"
    assert run("deal", "gallery", *DEAL, "--json") == 0
    line = capsys.readouterr().out
    assert json.loads(line) == random_deal(0, 0).as_json()
    assert run("deal", "gallery", *DEAL, "--svg") == 0
    assert capsys.readouterr().out.startswith("<svg ")
    for text in (line, random_deal(0, 0).as_site_line()):
        (tmp_path / "deal").write_text(text)
        assert run("deal", "gallery", tmp_path / "deal") == 0
        assert capsys.readouterr().out == f"{Position.start(random_deal(0, 0))}\n"


def test_a_position_is_shown_as_picture_and_json(capsys, tmp_path):
    position = Position.start(random_deal(0, 0)).apply(DEAL_MOVE)
    (tmp_path / "position").write_text(json.dumps(position_json(position)))
    assert run("deal", "gallery", tmp_path / "position") == 0
    assert capsys.readouterr().out == f"{position}\n"
    assert run("deal", "gallery", tmp_path / "position", "--json") == 0
    assert parse_position(capsys.readouterr().out) == position


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--seed", "0"), "expected RUN:UNIT, a FILE, or both --seed and --unit"),
        (("x", *DEAL), "expected RUN:UNIT, a FILE, or --seed and --unit; got more than one"),
        (("missing",), "expected RUN:UNIT or a file with a deal or a position, got missing"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(capsys, arguments, message):
    assert run("deal", "gallery", *arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1 and message in said.err


def test_a_unit_of_a_run_is_the_deal_of_that_run(capsys, tmp_path):
    for job in ("gallery-solvability", "gallery-pimc"):
        write_run(tmp_path / job, job, [[]], count=3, seed=5)
        assert run("deal", "gallery", f"{tmp_path / job}:2") == 0
        assert capsys.readouterr().out == f"{Position.start(random_deal(5, 2))}\n"
    write_run(tmp_path / "other", "klondike-solvability", [[]], count=3, seed=5)
    assert run("deal", "gallery", f"{tmp_path / 'other'}:2") == 2
    assert capsys.readouterr().err == (
        "farm: expected a run of gallery-solvability or gallery-pimc, got "
        f"{tmp_path / 'other'}, one of klondike-solvability\n"
    )
    assert run("deal", "shenzhen", f"{tmp_path / 'other'}:2") == 2
    assert "expected a run of shenzhen-solvability, got " in capsys.readouterr().err


def test_a_deal_is_solved_and_an_undecided_one_is_exit_code_1(capsys):
    codes = set()
    for unit in range(8):
        code = run("solve", "gallery", "--seed", 0, "--unit", unit, "--limit-nodes", 50, "--json")
        found = json.loads(capsys.readouterr().out)
        codes.add(code)
        assert (code == 0) == (found["outcome"] in ("solved", "unsolvable"))
        if found["outcome"] == "solved":
            assert replay(random_deal(0, unit), parse_moves(found["solution"])).solved
    assert codes == {0, 1}


def test_a_person_plays_against_the_single_attempt_of_the_ai(capsys, monkeypatch):
    answers = ["l", "nonsense", "A9"]
    answers += ["D"] * 9
    position = Position.start(random_deal(0, 0))
    for _ in range(9):
        position = position.apply(parse_moves("D")[0])
    while moves := list(position.legal_moves()):
        answers.append(str(moves[0]).lower())
        position = position.apply(moves[0])
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(answers)))
    assert run("play", "gallery", *DEAL, "--player", "greedy") == 0
    shown = capsys.readouterr().out
    assert "expected a move such as 'A3', '5' or 'D', got 'NONSENSE'" in shown
    assert "The game of greedy:" in shown
    assert f"you left {position.score} cards ({position.tableau_cards} on the tableau)" in shown


def test_a_deal_is_offered_without_telling_what_is_dealt(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("l\nq\n"))
    assert run("play", "gallery", *DEAL, "--player", "greedy") == 1
    said = capsys.readouterr()
    assert "  D   deal\n" in said.out
    assert "you gave up" in said.err


def test_an_unknown_opponent_is_refused(capsys):
    assert run("play", "gallery", *DEAL, "--player", "nobody") == 2
    assert "--player: expected random-uniform, " in capsys.readouterr().err
