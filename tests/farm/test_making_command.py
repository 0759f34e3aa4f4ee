"""The command that a benchmark names: typed again, it asks for the same rows."""

import shlex

import pytest

from engines.klondike.deal import random_deal
from farm.commands import running
from farm.driver import making_command, sum_up
from farm.main import main
from farm.run_directory import DEALS_FILE, LIMIT_FIELD, Pass, create
from farm.starting import Order, checked
from jobs import load_job
from results.store import Store

SPECS = [
    ("klondike-solvability", {}, ""),
    ("klondike-solvability", {"deals": 1000}, ""),
    ("klondike-solvability", {"deals": 300_000, "draw": 1, "worrying_back": False}, ""),
    ("klondike-solvability", {"solver": "skip-action", "keep_going": True, "seed": 2**40}, ""),
    ("klondike-solvability", {"limit_nodes": 7}, "100-249"),
    ("gallery-pimc", {"player": "search-quick", "against": "greedy,search-strong"}, ""),
    ("cribbage-ladder", {"matches": 300_000, "cross_table": True}, ""),
    ("cribbage-ladder", {"against": "hard", "sprt": "-2.5,10", "seconds_per_answer": 0.25}, ""),
    ("cribbage-ladder", {"against": "my player.py:MyPlayer,easy"}, "4-9"),
    ("cribbage-ladder", {"player": "hard"}, "0-4"),
    ("cribbage-calibrate", {"matches": 300}, ""),
    ("cribbage-board", {}, ""),
    ("shenzhen-solvability", {"deals": 10, "limit_nodes": 10**12}, ""),
]


PLAYER = """
class MyPlayer:
    def __init__(self, seed): ...
    def discard(self, seen): ...
    def play(self, seen): ...
"""


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """The orders that `farm run` would carry out, where a player may be had from a file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my player.py").write_text(PLAYER)
    orders = []
    monkeypatch.setattr(running, "start", lambda order, means: orders.append(order))
    return orders


def make_run(tmp_path, name, fields, units="", deals_file=None):
    job = load_job(name)
    plan = checked(Order(job, fields, units=units or None, deals_file=deals_file))
    return create(Store(str(tmp_path / "run")), job, plan.spec, plan.units, plan.deals)


@pytest.mark.parametrize(("name", "fields", "units"), SPECS)
def test_the_command_asks_for_the_same_units_of_the_same_spec(tmp_path, asked, name, fields, units):
    run = make_run(tmp_path, name, fields, units)
    assert main(shlex.split(making_command(run))[1:]) == 0
    (order,) = asked
    plan = checked(order)
    assert (plan.spec, plan.units) == (run.spec, run.units)


@pytest.mark.parametrize(
    ("name", "fields", "command"),
    [
        ("klondike-solvability", {}, "--deals 1000"),
        ("klondike-solvability", {"draw": 3}, "--deals 1000 --draw 3"),
        ("gallery-pimc", {"deals": 9, "player": "greedy"}, "--deals 9 --player greedy"),
        ("shenzhen-solvability", {"seed": 4}, "--seed 4 --deals 1000"),
        ("cribbage-ladder", {"cross_table": True}, "--matches 10000 --cross-table"),
    ],
)
def test_the_command_has_no_option_that_changes_nothing(tmp_path, name, fields, command):
    assert making_command(make_run(tmp_path, name, fields)) == f"farm run {name} {command}"


def test_an_extended_run_names_all_its_deals(tmp_path):
    run = make_run(tmp_path, "klondike-solvability", {"deals": 10})
    run.record.spec["deals"] = run.record.stop = 25
    assert making_command(run) == "farm run klondike-solvability --deals 25"
    assert sum_up(run)[0].command == making_command(run)


def test_an_extended_run_of_later_units_names_them(tmp_path):
    run = make_run(tmp_path, "klondike-solvability", {}, "10-19")
    run.record.spec["deals"], run.record.stop = 15, 25
    assert making_command(run) == "farm run klondike-solvability --units 10-24"


def test_each_pass_has_its_command(tmp_path):
    run = make_run(tmp_path, "klondike-solvability", {"deals": 10, "limit_nodes": 50})
    run.record.passes += [Pass(limits={LIMIT_FIELD: limit}) for limit in (500, 5000)]
    assert making_command(run) == (
        "farm run klondike-solvability --deals 10 --limit-nodes 50 --out run"
        " && farm resume run --limit-nodes 500 && farm resume run --limit-nodes 5000"
    )


def test_a_stopped_sequential_test_names_the_matches_it_might_have_taken(tmp_path):
    fields = {"against": "hard", "sprt": "0,10", "matches": 1000}
    run = make_run(tmp_path, "cribbage-ladder", fields)
    whole = making_command(run)
    run.record.stop = 20
    assert making_command(run) == whole
    assert "--matches 1000 --against hard --sprt 0.0,10.0" in whole


def test_a_run_on_a_deal_file_takes_the_copy_beside_its_benchmark(tmp_path, asked, monkeypatch):
    given = tmp_path / "given.jsonl"
    given.write_text("".join(f"{random_deal(0, unit).as_deck_string()}\n" for unit in range(4)))
    run = make_run(tmp_path, "klondike-solvability", {}, "1-2", str(given))
    command = making_command(run)
    assert command == "farm run klondike-solvability --units 1-2 --deals-file deals.jsonl"
    monkeypatch.chdir(tmp_path / "run")
    assert main(shlex.split(command)[1:]) == 0
    plan = checked(asked[0])
    assert (plan.spec, plan.units) == (run.spec, run.units)
    assert plan.deals == (tmp_path / "run" / DEALS_FILE).read_text()
