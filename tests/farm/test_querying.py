"""farm query and farm export RUN as a user types them."""

import csv
import io
import json
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from written_runs import solver_rows, write_run

from farm.main import main

OUTCOMES = ["solved", "unsolvable", "solved", "node_limit"]


@pytest.fixture(autouse=True)
def in_a_folder_with_a_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = solver_rows(OUTCOMES)
    rows[0]["error"] = 'a "quoted", [red]word[/red]'
    write_run("run", "klondike-solvability", [rows], count=4)


def test_an_answer_is_a_table_or_csv_or_json(capsys):
    sql = "select unit, outcome, nodes > 5 as many, error from rows order by unit"
    assert main(["query", "run", sql]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["unit", "outcome", "many", "error"]
    assert lines[2].split()[:3] == ["0", "solved", "False"]
    assert lines[2].endswith('a "quoted", [red]word[/red]')
    assert main(["query", "run", sql, "--csv"]) == 0
    found = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert found[0] == ["unit", "outcome", "many", "error"]
    assert found[1] == ["0", "solved", "false", 'a "quoted", [red]word[/red]']
    assert found[2] == ["1", "unsolvable", "true", ""]
    assert main(["query", "run", sql, "--json"]) == 0
    documents = json.loads(capsys.readouterr().out)
    assert [each["outcome"] for each in documents] == OUTCOMES
    assert documents[1] == {"unit": 1, "outcome": "unsolvable", "many": True, "error": None}


def test_an_answer_without_rows_and_values_without_json(capsys):
    assert main(["query", "run", "select unit from rows where unit < 0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    sql = "select 'nan'::double as x, 0.5::decimal(3, 1) as y, date '2026-01-02' as z"
    assert main(["query", "run", sql, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"x": None, "y": 0.5, "z": "2026-01-02"}]


def strict(text):
    """JSON as others read it: without NaN, numbers with all their digits."""

    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse, parse_float=Decimal)


def test_columns_of_one_name_are_numbered(capsys):
    sql = (
        "select a.unit, b.unit, 7 as unit_1, b.unit from rows a join rows b on a.unit = b.unit + 1"
    )
    sql += " order by all"
    names = ["unit", "unit_1", "unit_1_1", "unit_2"]
    assert main(["query", "run", sql, "--json"]) == 0
    first = strict(capsys.readouterr().out)[0]
    assert first == dict(zip(names, (1, 0, 7, 0), strict=True))
    assert main(["query", "run", sql, "--csv"]) == 0
    found = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert found[:2] == [names, ["1", "0", "7", "0"]]
    assert main(["query", "run", sql]) == 0
    assert capsys.readouterr().out.split()[:4] == names


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("[0.5, 'nan'::double, '-inf'::double]", [Decimal("0.5"), None, None]),
        ("{'a': 1.5::decimal(4, 2), 'b': ['inf'::float]}", {"a": Decimal("1.50"), "b": [None]}),
        ("123456789012345678.12::decimal(30, 2)", Decimal("123456789012345678.12")),
        ("1e-7::decimal(20, 10)", Decimal("0.0000001000")),
        ("170141183460469231731687303715884105727::hugeint", 2**127 - 1),
        ("map([date '2020-01-01'], [1])", {"2020-01-01": 1}),
        ("map([true, false], ['x', null])", {"true": "x", "false": None}),
        ("map([[1]], [2])", {"key": [[1]], "value": [2]}),
        ("[1, 2]::int[2]", [1, 2]),
        ("[time '10:00']", ["10:00:00"]),
        ("['a \"b\"', 'é', null]", ['a "b"', "é", None]),
    ],
)
def test_values_are_json_in_json_and_lists_and_maps_also_in_csv(sql, value, capsys):
    assert main(["query", "run", f"select {sql} as x", "--json"]) == 0
    assert strict(capsys.readouterr().out) == [{"x": value}]
    assert main(["query", "run", f"select {sql} as x", "--csv"]) == 0
    _, (cell,) = csv.reader(io.StringIO(capsys.readouterr().out))
    assert strict(cell) == value


def test_a_table_ends_somewhere(capsys):
    assert main(["query", "run", "select * from range(1500)"]) == 0
    output = capsys.readouterr()
    assert output.out.count("\n") == 1002
    assert output.err == "farm: these are the first 1,000 rows; --csv and --json print all\n"
    assert main(["query", "run", "select * from range(1500)", "--csv"]) == 0
    assert capsys.readouterr().out.count("\n") == 1501


def test_files_are_exported_and_not_written_over(capsys):
    assert main(["export", "run", "--csv", "rows.csv", "--parquet", "rows.parquet"]) == 0
    assert capsys.readouterr().out == "4 rows in rows.csv\n4 rows in rows.parquet\n"
    assert pq.read_table("rows.parquet")["outcome"].to_pylist() == OUTCOMES
    Path("rows.csv").write_text("mine")
    assert main(["export", "run", "--csv", "rows.csv", "--parquet", "new.parquet"]) == 2
    error = "farm: --csv: rows.csv exists; write over it with --force\n"
    assert capsys.readouterr().err == error
    assert Path("rows.csv").read_text() == "mine"
    assert not Path("new.parquet").exists()
    assert main(["export", "run", "--csv", "rows.csv", "--force"]) == 0
    assert Path("rows.csv").read_text().count("\n") == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("query", "run", "selec 1"), "Parser Error: syntax error"),
        (("query", "nowhere", "select 1"), "expected a run directory with run.json, got nowhere"),
        (("query", "run", "select 1", "--csv", "--json"), "expected --csv or --json, got both"),
        (("export", "run"), "expected --csv FILE or --parquet FILE"),
        (("export", "nowhere", "--csv", "x"), "expected a run directory with run.json, got no"),
        (("export", "run", "--csv", "no/x.csv"), "cannot write no/x.csv: No such file or direc"),
    ],
)
def test_wrong_use_gets_one_line(arguments, message, capsys):
    assert main(list(arguments)) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"farm: {message}")
    assert error.count("\n") == 1


def test_rows_of_an_unfinished_run_are_said_to_be_so(capsys):
    write_run("part", "klondike-solvability", [solver_rows(OUTCOMES)], count=8, size=4)
    assert main(["export", "part", "--csv", "part.csv"]) == 0
    said = f"farm: {Path('part').absolute()}: the run is not complete: these are the rows so far\n"
    assert capsys.readouterr().err == said
    assert main(["query", "part", "select count(*) from rows", "--csv"]) == 0
    output = capsys.readouterr()
    assert (output.out.splitlines()[1], output.err) == ("4", said)
