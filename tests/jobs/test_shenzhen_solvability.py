import json

import pyarrow as pa
import pytest

from engines.shenzhen.deal import random_deal
from engines.shenzhen.position_text import position_json
from engines.shenzhen.rules import Position
from jobs import load_job
from jobs import shenzhen_solvability as job
from jobs.job import VerificationError

SPEC = job.Spec()
COLUMNS = position_json(Position(random_deal(5, 0).columns))["columns"]
LINE = json.dumps({"id": "five", "verdict": "solved", "columns": COLUMNS})


def solved_row():
    (row,) = job.compute(SPEC, 0, LINE)
    assert row["outcome"] == "solved"
    return row


def test_it_is_a_job():
    assert load_job("shenzhen-solvability") is job
    assert job.signature(SPEC) == job.signature(job.Spec(limit_nodes=5))


def test_a_row_has_the_schema_and_keeps_what_its_line_says():
    row = solved_row()
    assert set(row) == set(job.SCHEMA.names)
    assert set(job.failed_rows(SPEC, 0, LINE, "why")[0]) == set(job.SCHEMA.names)
    assert (row["id"], row["expected"]) == ("five", "solved")
    assert pa.Table.from_pylist([row], schema=job.SCHEMA).num_rows == 1
    assert job.verify(SPEC, row, job.read_line(LINE, SPEC)) is True


def test_the_deals_are_those_of_the_seed():
    (row,) = job.compute(job.Spec(seed=5), 0, None)
    assert row["solution"] == solved_row()["solution"]
    assert job.verify(job.Spec(seed=5), row, None) is True


def test_limits_and_changed_solutions_are_told_apart():
    (row,) = job.compute(job.Spec(limit_nodes=1), 0, LINE)
    assert (row["outcome"], row["solution"]) == ("node_limit", None)
    assert job.verify(SPEC, row, LINE) is False
    moves = solved_row()["solution"].split()
    for changed, message in ((moves[:-1], "moves do not win"), (["RD", *moves], "illegal move")):
        with pytest.raises(VerificationError, match=message):
            job.verify(SPEC, {**solved_row(), "solution": " ".join(changed)}, LINE)
