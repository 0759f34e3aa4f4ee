import json
from collections import Counter

import pyarrow as pa
import pytest

from engines.klondike.deal import random_deal
from engines.klondike.rules import Rules
from jobs import UnknownJob, job_names, load_job
from jobs import klondike_solvability as job
from jobs.job import VerificationError

SPEC = job.Spec(solver="skip-action", limit_nodes=2_000)
LINE = json.dumps({"id": "seven", "draw": 1, "verdict": "solved", **random_deal(7, 0).as_json()})


def solved_row():
    (row,) = job.compute(SPEC, 0, LINE)
    assert row["outcome"] == "solved"
    return row


def table(*rows):
    return pa.Table.from_pylist(list(rows), schema=job.SCHEMA)


def test_jobs_are_found_by_name():
    assert job_names() == [
        "cribbage-board",
        "cribbage-calibrate",
        "cribbage-crib-tables",
        "cribbage-ladder",
        "cribbage-master-tables",
        "gallery-pimc",
        "gallery-solvability",
        "klondike-solvability",
        "shenzhen-solvability",
    ]
    assert load_job("klondike-solvability") is job
    with pytest.raises(
        UnknownJob,
        match=r"expected a job \(cribbage-.*, shenzhen-solvability\), got 'x'",
    ):
        load_job("x")


def test_a_row_has_the_schema_and_every_column_is_described():
    row = solved_row()
    assert set(row) == set(job.SCHEMA.names)
    assert set(job.failed_rows(SPEC, 0, LINE, "why")[0]) == set(job.SCHEMA.names)
    assert all(field.metadata[b"description"] for field in job.SCHEMA)
    assert table(row).num_rows == 1


def test_a_line_of_a_deal_file_keeps_its_id_its_draw_and_its_verdict():
    row = solved_row()
    assert (row["id"], row["draw"], row["expected"]) == ("seven", 1, "solved")
    assert job.position_of(SPEC, 0, LINE)[1] == Rules(draw=1)


def test_a_line_without_a_draw_takes_the_option_or_3():
    line = json.dumps(random_deal(7, 0).as_json())
    assert job.position_of(SPEC, 0, line)[1].draw == 3
    assert job.position_of(job.Spec(draw=5), 0, line)[1].draw == 5


def test_a_conflicting_draw_is_refused():
    assert json.loads(job.read_line(LINE, job.Spec(draw=1)))["draw"] == 1
    with pytest.raises(ValueError, match="the deal is for draw 1, but draw 3 was asked for"):
        job.read_line(LINE, job.Spec(draw=3))


def test_the_exact_solver_decides_and_fills_its_columns():
    (row,) = job.compute(job.Spec(), 0, None)
    assert row["outcome"] in ("solved", "unsolvable")
    assert row["states"] > 0
    assert (row["solver"], row["wins"]) == ("exact", None)
    job.verify(job.Spec(), row, None)


def test_each_solver_has_a_limit_of_its_own():
    assert job.Spec().limit_nodes == 100_000_000
    assert job.Spec(solver="skip-action").limit_nodes == 300_000
    assert job.Spec(limit_nodes=7).limit_nodes == 7


def test_a_row_that_holds_is_verified():
    assert job.verify(SPEC, solved_row(), LINE) is True
    assert (
        job.verify(SPEC, {**solved_row(), "outcome": "exhausted", "solution": None}, LINE) is False
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda moves: moves[:-1], "moves do not win"),
        (lambda moves: moves[1:], "illegal move"),
        (lambda moves: [*moves[:5], "9F", *moves[6:]], "expected a move such as"),
        (lambda moves: [*moves, "D"], "illegal move D: the stock is empty"),
    ],
)
def test_a_changed_solution_is_caught(change, message):
    row = solved_row()
    moves = change(row["solution"].split())
    with pytest.raises(VerificationError, match=message):
        job.verify(SPEC, {**row, "solution": " ".join(moves)}, LINE)


@pytest.mark.parametrize("change", [{"moves": 1}, {"solution": None}, {"outcome": "node_limit"}])
def test_a_row_that_contradicts_itself_is_caught(change):
    with pytest.raises(VerificationError):
        job.verify(SPEC, {**solved_row(), **change}, LINE)


def outcomes(*pairs):
    rows = [
        {"unit": unit, "outcome": outcome, "expected": expected}
        for unit, (outcome, expected) in enumerate(pairs)
    ]
    return table(*rows)


def test_tallies_add_up_and_name_contradicted_verdicts():
    first = outcomes(("solved", "solved"), ("solved", "unsolvable"), ("node_limit", "unsolvable"))
    second = outcomes(("unsolvable", None), ("exhausted", "solved"), ("failed", None))
    together = job.tally(pa.concat_tables([first, second]))
    assert job.tally(first) + job.tally(second) == +together
    assert together["contradicted"] == 1
    assert sum(job.counts(together).values()) == 6
    assert job.counts(job.tally(first)) == {"solved": 2, "node_limit": 1}
    assert job.remarks(together)[0].startswith("CONTRADICTED: 1 verdicts")
    assert job.remarks(job.tally(second)) == []


def test_the_two_shares_are_not_mixed():
    tally = Counter(solved=60, unsolvable=10, exhausted=15, node_limit=10, failed=5)
    solved, winnable = job.metrics(tally)
    assert (solved.name, solved.k, solved.n) == ("solved_share", 60, 100)
    assert (winnable.name, winnable.k_low, winnable.k_high) == ("winnable_share", 60, 90)


def test_what_a_larger_limit_may_change_is_open():
    found = outcomes(
        ("solved", None), ("unsolvable", None), ("exhausted", None),
        ("node_limit", None), ("memory_limit", None), ("failed", None), ("timed_out", None),
    )  # fmt: skip
    assert job.is_open(found).to_pylist() == [False, False, False, True, True, True, True]


def test_the_signature_is_the_same_twice():
    assert job.signature(SPEC) == job.signature(SPEC)
    assert len(job.signature(SPEC)) == 16
    assert job.signature(SPEC) != job.signature(job.Spec())
