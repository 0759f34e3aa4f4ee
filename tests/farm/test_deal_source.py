"""Where farm deal and farm solve take a deal from, and what they refuse."""

import io
import json
import sys

import pytest

from engines.klondike.deal import random_deal
from engines.klondike.position_text import position_json
from engines.klondike.rules import Position, Rules
from farm.main import main

DEAL = random_deal(7, 0)
LINE = json.dumps(DEAL.as_json())
START = Position.start(DEAL, Rules())
GAMES = ("klondike", "shenzhen", "gallery")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def said(capsys):
    """The one line of an error; nothing else may have been printed."""
    output = capsys.readouterr()
    assert (output.out, output.err.count("\n")) == ("", 1)
    return output.err


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("unit", ["-1", str(2**63), "9" * 30])
def test_a_unit_out_of_range_is_wrong_use(game, unit, capsys):
    assert main(["deal", game, "--seed", "0", "--unit", unit]) == 2
    assert "--unit" in said(capsys)


@pytest.mark.parametrize("game", GAMES)
def test_a_name_that_is_too_long_is_wrong_use(game, capsys):
    for name in ("x" * 5000, "x" * 5000 + ":1"):
        assert main(["deal", game, name]) == 2
        assert "expected RUN:UNIT or a file with a deal or a position" in said(capsys)


def type_in(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


@pytest.mark.parametrize("game", GAMES)
def test_input_that_is_no_text_is_wrong_use(game, capsys, monkeypatch):
    type_in(monkeypatch, b"\xff\xfe{\0")
    assert main(["deal", game, "-"]) == 2
    assert "farm: -: 'utf-8' codec can't decode" in said(capsys)


def test_a_byte_order_mark_is_no_part_of_the_input(capsys, monkeypatch):
    type_in(monkeypatch, LINE.encode("utf-8-sig"))
    assert main(["deal", "klondike", "-"]) == 0
    assert capsys.readouterr().out == f"{START}\n"


@pytest.mark.parametrize("option", ["--seed", "--unit"])
def test_a_file_with_a_seed_or_a_unit_is_wrong_use(option, tmp_path, capsys):
    (tmp_path / "kp.txt").write_text(str(START))
    (tmp_path / "kp.json").write_text(json.dumps(position_json(START)))
    (tmp_path / "deal.json").write_text(LINE)
    for name in ("kp.txt", "kp.json", "deal.json"):
        for game in GAMES:
            assert main(["solve", game, name, option, "1"]) == 2
            assert "got more than one" in said(capsys)


@pytest.mark.parametrize("game", GAMES)
def test_a_file_with_several_deals_is_wrong_use(game, tmp_path, capsys):
    (tmp_path / "deals.jsonl").write_text(f"{LINE}\n{LINE}\n")
    assert main(["deal", game, "deals.jsonl"]) == 2
    assert said(capsys) == "farm: deals.jsonl: expected one deal, got 2 lines\n"


def test_a_deal_may_be_spread_over_lines(tmp_path, capsys):
    (tmp_path / "deal.json").write_text(json.dumps(DEAL.as_json(), indent=2))
    assert main(["deal", "klondike", "deal.json"]) == 0
    assert capsys.readouterr().out == f"{START}\n"
