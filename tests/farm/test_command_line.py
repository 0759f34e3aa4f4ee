"""The command as a user types it, where nothing has to be computed by workers."""

import json
import re
from pathlib import Path

import pytest

from engines.klondike.deal import parse_deal_line, random_deal
from engines.klondike.moves import parse_move, parse_moves
from engines.klondike.position_text import position_json
from engines.klondike.rules import Position, Rules
from farm import driver
from farm.main import main

DATA = Path(__file__).parents[1] / "data"
DEAL = json.dumps(random_deal(0, 0).as_json())


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def changed(deal, **fields):
    return json.dumps({**json.loads(deal), **fields})


RUN = ("run", "klondike-solvability")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "whist"), "expected a job (cribbage-board, cribbage-calibrate, "),
        ((*RUN, "--draw", "25"), "--draw: Input should be less than or equal to 24, got 25"),
        ((*RUN, "--draw", "x"), "Invalid value for '--draw': "),
        (
            (*RUN, "--solver", "magic"),
            "--solver: Input should be 'exact' or 'skip-action', got 'magic'",
        ),
        (
            (*RUN, "--units", "9-3"),
            "--units: expected first and last unit such as 0-999, got '9-3'",
        ),
        ((*RUN, "--units", "0-9", "--deals", "5"), "--units and --deals both say which units"),
        ((*RUN, "--time-limit", "soon"), "--time-limit: expected a time such as 90s, 30m or 2h"),
        ((*RUN, "--deals-file", "missing.jsonl"), "deal file missing.jsonl: "),
        ((*RUN, "--seed", "-1"), "--seed: Input should be greater than or equal to 0, got -1"),
        (("run", "missing.toml"), "job file missing.toml: "),
        (("resume", "nowhere"), "expected a run directory with run.json, got nowhere"),
        (("verify", "nowhere"), "expected a run directory with run.json, got nowhere"),
        (
            ("deal", "klondike", "--seed", "7"),
            "expected RUN:UNIT, a FILE, or both --seed and --unit",
        ),
        (
            ("solve", "klondike", "missing"),
            "expected RUN:UNIT or a file with a deal or a position",
        ),
        (
            ("solve", "klondike", "--seed", "7", "--unit", "0", "--limit-nodes", "0"),
            "--limit-nodes: Input should be greater than or equal to 1, got 0",
        ),
        (("solve", "klondike", "--speed"), "No such option: --speed"),
        (("dance",), "No such command 'dance'."),
        ((*RUN, "--out", "a \udcff"), "expected words in UTF-8, got 'a \\udcff'"),
        (("status", "\udcff"), "expected words in UTF-8, got '\\udcff'"),
        (
            ("submit", "slurm", "cribbage-ladder", "--player", "cmd:cat \udcff", "--out", "run"),
            "expected words in UTF-8, got 'cmd:cat \\udcff'",
        ),
    ],
)
def test_wrong_use_gets_one_clear_line_and_exit_code_2(arguments, message, capsys):
    assert main(list(arguments)) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"farm: {message}")
    assert output.err.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            DEAL.replace('"AS"', '"AC"'),
            "expected each of the 52 cards once, got doubled: AC, missing: AS",
        ),
        (
            DEAL.replace('"AS"', '"1S"'),
            "expected a card such as 'TD' (rank A23456789TJQK, suit CDHS), got '1S'",
        ),
        (changed(DEAL, stock=["AS"]), "expected a stock of 24 cards, got 1"),
        (changed(DEAL, draw=1), "the deal is for draw 1, but draw 3 was asked for"),
        ("", "expected a deal, got an empty line"),
    ],
)
def test_a_bad_deal_is_refused_with_its_line_and_nothing_is_written(
    line, message, tmp_path, capsys
):
    Path("deals.jsonl").write_text(f"{DEAL}\n{line}\n{DEAL}\n")
    assert main([*RUN, "--deals-file", "deals.jsonl", "--draw", "3", "--out", "new"]) == 2
    assert capsys.readouterr().err == f"farm: deals.jsonl line 2: {message}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["deals.jsonl"]


def test_a_job_file_with_an_unknown_field_is_refused(capsys):
    Path("study.toml").write_text('job = "klondike-solvability"\ndeal = 5\n')
    assert main(["run", "study.toml"]) == 2
    assert "unknown field 'deal' of klondike-solvability; known are seed, deals" in (
        capsys.readouterr().err
    )


def test_an_output_folder_that_cannot_be_written_is_refused_before_work(capsys):
    Path("file").write_text("")
    assert main([*RUN, "--out", "file/run"]) == 2
    error = capsys.readouterr().err
    assert re.fullmatch(r"farm: cannot write .*/file/run/.*: .*; choose .*--out\n", error)


def test_a_full_disk_is_refused_before_work(monkeypatch, capsys):
    monkeypatch.setattr(driver, "MINIMUM_FREE_BYTES", 2**70)
    assert main([*RUN, "--out", "run"]) == 2
    assert "MiB free" in capsys.readouterr().err
    assert not Path("run/run.json").exists()


def test_jobs_lists_what_run_knows(capsys):
    assert main(["jobs"]) == 0
    assert "\nklondike-solvability  How many Klondike deals" in capsys.readouterr().out


def test_a_deal_is_shown_as_a_picture_and_as_a_line_for_a_deal_file(capsys):
    assert main(["deal", "klondike", "--seed", "7", "--unit", "0"]) == 0
    picture = capsys.readouterr().out
    assert "  1    2    3    4    5    6    7" in picture
    assert main(["deal", "klondike", "--seed", "7", "--unit", "0", "--draw", "1", "--json"]) == 0
    line = parse_deal_line(capsys.readouterr().out)
    assert (line.deal, line.draw) == (random_deal(7, 0), 1)


def test_a_solution_is_printed_move_by_move(capsys):
    solver = ["--solver", "skip-action"]
    assert main(["solve", "klondike", "--seed", "7", "--unit", "0", *solver]) == 0
    output = capsys.readouterr().out
    moves = re.findall(r"^ +(\d+)  (\S+) +(.+)$", output, flags=re.MULTILINE)
    moves = [move for move in moves if not move[1].startswith("[")]
    assert moves[0] == ("1", "3F", "A♠ from column 3 to its foundation, turning up T♥")
    assert "outcome solved, moves 139" in output


def test_a_deal_file_is_solved_and_a_search_without_a_win_exits_with_1(capsys):
    lines = (DATA / "klondike_draw3_deals.jsonl").read_text().splitlines()
    Path("hard.json").write_text(next(line for line in lines if 'klondike-seed-125"' in line))
    limited = ["--limit-nodes", "50", "--json"]
    assert main(["solve", "klondike", "hard.json", *limited]) == 1
    output = capsys.readouterr()
    assert json.loads(output.out)["outcome"] == "node_limit"
    assert output.err == "farm: no solution was found (node_limit); that proves nothing\n"


def test_a_deal_that_cannot_be_won_is_an_answer(capsys):
    first = (DATA / "klondike_draw3_deals.jsonl").read_text().splitlines()[0]
    Path("hopeless.json").write_text(first)
    assert main(["solve", "klondike", "hopeless.json"]) == 0
    assert "outcome unsolvable, moves 0, nodes" in capsys.readouterr().out


def test_a_partly_played_position_is_solved_from_its_picture(capsys):
    position = Position.start(random_deal(7, 0), Rules(draw=1))
    for text in ("3F", "2F", "D"):
        position = position.apply(parse_move(text))
    Path("played.txt").write_text(str(position))
    assert main(["solve", "klondike", "played.txt", "--draw", "1", "--json"]) == 0
    solution = json.loads(capsys.readouterr().out)["solution"]
    for move in parse_moves(solution):
        position = position.apply(move)
    assert position.won
    assert main(["solve", "klondike", "played.txt", "--solver", "skip-action"]) == 2
    assert "takes deals only" in capsys.readouterr().err


def test_the_options_say_the_rules_of_a_position_that_names_none(capsys):
    position = Position.start(random_deal(7, 0), Rules(draw=1, redeals=0))
    fields = position_json(position)
    del fields["draw"], fields["redeals_left"]
    Path("played.json").write_text(json.dumps(fields))
    asked = ["--draw", "1", "--redeals", "0", "--json"]
    assert main(["solve", "klondike", "played.json", *asked]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["outcome"] == "solved"
    for move in parse_moves(found["solution"]):
        position = position.apply(move)
    assert position.won
    Path("played.json").write_text(json.dumps({**fields, "draw": 3}))
    assert main(["solve", "klondike", "played.json", *asked]) == 2
    assert "the position says 3 for 'draw', but 1 was asked for" in capsys.readouterr().err


def test_first_moves_are_told_apart(capsys):
    start = Position.start(random_deal(7, 0), Rules())
    where = ["--seed", "7", "--unit", "0"]
    assert main(["solve", "klondike", *where, "--first-moves", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["moves"]) == {str(move) for move in start.legal_moves()}
    assert found["moves"]["3F"] == "solved"
    assert (found["of"], found["undecided"]) == (len(found["moves"]), 0)
    assert main(["solve", "klondike", *where, "--first-moves"]) == 0
    assert capsys.readouterr().out.endswith(
        f"{found['solved']} of {found['of']} moves keep the game winnable\n"
    )


def test_first_moves_that_are_not_decided_are_told_as_such(capsys):
    lines = (DATA / "klondike_draw3_deals.jsonl").read_text().splitlines()
    Path("hard.json").write_text(next(line for line in lines if 'klondike-seed-125"' in line))
    limited = ["--first-moves", "--limit-nodes", "5"]
    assert main(["solve", "klondike", "hard.json", *limited, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["undecided"] == list(found["moves"].values()).count("node_limit") > 0
    assert main(["solve", "klondike", "hard.json", *limited]) == 1
    told = capsys.readouterr()
    most = found["solved"] + found["undecided"]
    assert told.out.endswith(
        f"\n{found['solved']} to {most} of {found['of']} moves keep the game winnable, "
        f"{found['undecided']} undecided\n"
    )
    assert told.err.count("\n") == 1
    assert main(["solve", "klondike", "hard.json", *limited, "--solver", "skip-action"]) == 2
    assert "--first-moves: expected the exact solver" in capsys.readouterr().err


def test_a_hint_is_the_first_move_of_a_solution(capsys):
    assert main(["solve", "klondike", "--seed", "7", "--unit", "0", "--hint"]) == 0
    assert capsys.readouterr().out == "3F  A♠ from column 3 to its foundation, turning up T♥\n"


def test_help_and_version_exit_with_0(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("dealfarm ")
    assert main(["--help"]) == 0
    assert "run " in capsys.readouterr().out
    assert main([*RUN, "--help"]) == 0
    text = capsys.readouterr().out
    assert all(option in text for option in ("--deals", "--draw", "--shard-size", "--units"))
