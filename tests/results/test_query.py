import json
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv
from written_runs import solver_rows, write_rows, write_run

from results.export import export_csv, export_parquet
from results.query import QueryError, ask
from results.rows import decoded, ordered_tables, rows
from results.shards import Shard, list_shards

OUTCOMES = ("solved", "unsolvable", "node_limit", "memory_limit")
JOB = "klondike-solvability"


def passes_of(outcomes):
    """Three passes: units left open are taken up again, whatever comes out."""
    passes = [solver_rows(outcomes)]
    for shift in (2, 5):
        left = [row for row in passes[-1] if row["outcome"] == "node_limit"]
        passes.append(
            [{**row, "outcome": OUTCOMES[row["unit"] // shift % 4], "nodes": 7} for row in left]
        )
    return passes


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    outcomes = [OUTCOMES[unit % 7 % 4] for unit in range(100)]
    folder = tmp_path_factory.mktemp("run")
    return write_run(folder, JOB, passes_of(outcomes), count=100, size=9)


def final(passes):
    """The rows that count, found the plain way."""
    found = {}
    for each in passes:
        found.update({row["unit"]: row for row in each})
    return [found[unit] for unit in sorted(found)]


def named(answer):
    return [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]


def test_rows_are_those_of_the_highest_pass(run):
    everything = named(ask(run.store, "select * from rows order by unit"))
    assert everything == rows(run.store).to_pylist()
    assert everything == named(ask(run.store, "from rows order by unit"))
    assert len({row["outcome"] for row in everything}) == 4


def test_a_query_may_read_the_rows_twice(run):
    twice = "select count(*) from rows one join rows other using (unit)"
    assert list(ask(run.store, twice).rows) == [(100,)]


def test_shards_are_the_files(run):
    found = named(ask(run.store, "select * from shards order by name"))
    assert [row["name"] for row in found] == [shard.name for shard in list_shards(run.store)]
    assert [(row["first_unit"], row["last_unit"]) for row in found[:2]] == [(0, 8), (9, 17)]
    assert all(row["bytes"] == run.store.path(row["name"]).stat().st_size for row in found)
    assert {row["node"] for row in found} == {"here"}


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("selec 1", "Parser Error: syntax error at or near"),
        ("select colour from rows", 'Binder Error: Referenced column "colour" not found'),
        ("select * from store", "Catalog Error: Table with name store does not exist"),
        ("", "expected a query with an answer"),
    ],
)
def test_a_query_that_cannot_be_answered_says_why_in_one_line(run, sql, message):
    with pytest.raises(QueryError) as raised:
        ask(run.store, sql)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


def test_an_error_while_rows_are_read_says_why(run):
    answer = "select error(solver) from (select coalesce(solver, 'bad ' || unit) solver from rows)"
    with pytest.raises(QueryError, match="bad "):
        list(ask(run.store, answer).rows)


def test_a_run_without_rows_is_refused(tmp_path):
    with pytest.raises(QueryError, match="has no rows yet"):
        ask(write_run(tmp_path, JOB, [[]], count=3).store, "select 1")


def test_without_duckdb_the_remedy_is_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(
        QueryError, match=r"DuckDB is not installed: pip install 'dealfarm\[query\]'"
    ):
        ask(run.store, "select 1")
    extras = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert "query" in extras["project"]["optional-dependencies"]


cuts = st.lists(st.integers(1, 39), unique=True).map(lambda found: [0, *sorted(found), 40])


@given(
    outcomes=st.lists(st.sampled_from(OUTCOMES), min_size=40, max_size=40),
    cut=st.tuples(*[cuts] * 3),
)
@settings(max_examples=8, deadline=None)
def test_tables_in_order_are_the_final_rows_however_passes_are_cut(tmp_path_factory, outcomes, cut):
    passes = passes_of(outcomes)
    run = write_run(tmp_path_factory.mktemp("run"), JOB, [[], [], []], count=40)
    for index, (each, ends) in enumerate(zip(passes, cut, strict=True)):
        for start, stop in pairwise(ends):
            write_rows(run, Shard(index, start, stop), each)
    found = pa.concat_tables(ordered_tables(run.store, list_shards(run.store)))
    told = ["unit", "outcome", "nodes", "seconds"]
    assert found.select(told).to_pylist() == [
        {name: row[name] for name in told} for row in final(passes)
    ]


def test_a_parquet_file_has_the_rows_and_their_descriptions(run, tmp_path):
    path = tmp_path / "rows.parquet"
    assert export_parquet(run.store, path) == 100
    found = pq.read_table(path)
    assert decoded(found).equals(decoded(rows(run.store)))
    assert found.schema.field("nodes").metadata[b"description"].startswith(b"states explored")
    assert [each.name for each in tmp_path.iterdir()] == ["rows.parquet"]


def test_a_csv_file_has_the_rows(run, tmp_path):
    path = tmp_path / "rows.csv"
    assert export_csv(run.store, path) == 100
    found = csv.read_csv(path).select(["unit", "outcome", "nodes", "seconds"])
    assert found.to_pylist() == rows(run.store, found.column_names).to_pylist()


def test_lists_are_json_in_a_csv_file(tmp_path):
    made = [{"unit": 0, "deals": 5, "wins": [0.5, float("nan")]}, {"unit": 1, "deals": 5}]
    run = write_run(tmp_path / "run", "cribbage-board", [made], count=2)
    export_csv(run.store, tmp_path / "rows.csv")
    found = csv.read_csv(tmp_path / "rows.csv")
    assert [text and json.loads(text) for text in found["wins"].to_pylist()] == [[0.5, None], ""]


def test_an_export_that_fails_leaves_nothing(run, tmp_path):
    path = run.store.path(list_shards(run.store)[5].name)
    content = path.read_bytes()
    try:
        path.write_bytes(content[:100])
        with pytest.raises(ValueError, match="cannot read shard"):
            export_parquet(run.store, tmp_path / "rows.parquet")
    finally:
        path.write_bytes(content)
    assert list(tmp_path.iterdir()) == []
