"""Every recipe of results/QUERIES.md runs, on small runs of each kind."""

import re
import shlex
from pathlib import Path

import pytest
from written_runs import solver_rows, write_run

import results
from farm.main import main

PAGE = (Path(results.__file__).with_name("QUERIES.md")).read_text()
COMMANDS = re.findall(r"^    (farm .*)$", PAGE, flags=re.MULTILINE)
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
FIRST = ["solved"] * 20 + ["unsolvable"] * 7 + ["node_limit"] * 6
SECOND = ["solved"] * 2 + ["unsolvable"] * 3 + ["node_limit"]
FINAL = {"solved": 22, "unsolvable": 10, "node_limit": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recipes")
    again = [{**row, "unit": row["unit"] + 27} for row in solver_rows(SECOND)]
    klondike = "klondike-solvability"
    draw3 = write_run(
        folder / "runs/draw3", klondike, [solver_rows(FIRST), again], count=33, size=10
    )
    skip = ["solved"] * 18 + ["exhausted"] * 15
    write_run(folder / "runs/skip", klondike, [solver_rows(skip)], count=33, solver="skip-action")
    matches = [  # of a cross-table: in each pair Normal wins both, Easy one, against Random
        {
            **{"unit": unit, "leg": leg, "pair": unit // 3},
            **{"player": ("normal", "normal", "easy")[unit % 3]},
            **{"opponent": ("random", "easy", "random")[unit % 3]},
            **{"result": "lost" if unit % 3 == 2 and leg else "won"},
            **{"player_dealt_first": leg == 0, "opponent_deals": 4},
            **{"player_pegging_pone": (12, 12, 8)[unit % 3]},
        }
        for unit in range(9)
        for leg in (0, 1)
    ]
    ladder = {"player": "normal", "cross_table": True}
    write_run(folder / "runs/ladder", "cribbage-ladder", [matches], count=9, **ladder)
    games = [
        {"unit": unit, "leg": leg, "player": player, "score": 10 * leg + unit}
        for unit in range(3)
        for leg, player in enumerate(("greedy", "search-quick"))
    ]
    write_run(folder / "runs/gallery", "gallery-pimc", [games], count=3)
    main(["export", draw3.store.location, "--parquet", str(folder / "draw3.parquet")])
    return folder


@pytest.fixture(autouse=True)
def there(folder, monkeypatch):
    monkeypatch.chdir(folder)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_runs(command, capsys):
    extra = ["--force"] if " export " in command else []
    assert main([*shlex.split(command)[1:], *extra]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 0


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_of_the_page_runs(program, capsys):
    pytest.importorskip(program.split()[1], reason="an extra reader of Parquet")
    exec(program, {})
    output = capsys.readouterr().out
    assert re.search(r"\d", output)
    if program in PROGRAMS[:3]:
        numbers = dict(re.findall(r"(solved|unsolvable|node_limit)\W+(\d+)", output))
        assert numbers == {name: str(number) for name, number in FINAL.items()}


def of_normal_and_easy(text):
    """What two lines of a recipe say of Normal and of Easy against Random."""
    found = dict(re.findall(r"(normal|easy)\W+random\W+(.*)", text))
    return found["normal"], found["easy"]


def test_players_of_a_cross_table_are_told_apart(capsys):
    shares, pegged = (command for command in COMMANDS if "runs/ladder" in command)
    main([*shlex.split(shares)[1:], "--csv"])
    assert of_normal_and_easy(capsys.readouterr().out) == ("1.0,6", "0.5,6")
    main([*shlex.split(pegged)[1:], "--csv"])
    assert of_normal_and_easy(capsys.readouterr().out) == ("3.0", "2.0")
    pytest.importorskip("pandas", reason="an extra reader of Parquet")
    (pairs,) = (program for program in PROGRAMS if "runs/ladder" in program)
    exec(pairs, {})
    output = capsys.readouterr().out
    assert re.search(r"normal\s+easy\s+2\s+3\n\s+random\s+2\s+3", output)
    assert re.search(r"easy\s+random\s+1\s+3", output)


def test_the_view_of_the_command_is_that_of_the_page(capsys):
    assert (
        main(["query", "runs/draw3", "select outcome, count(*) from rows group by 1", "--csv"]) == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert sorted(lines[1:]) == sorted(f"{name},{number}" for name, number in FINAL.items())
