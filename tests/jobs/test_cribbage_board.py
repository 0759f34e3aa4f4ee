import json
import math

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import t
from table_jobs import artifact_text

from engines.cribbage.board import board_document, default_board
from engines.cribbage.scoring import GAME
from jobs import cribbage_board as job
from jobs.job import VerificationError

DEALS, CHECKED, ZONES = 400, 1, 16
FOUND = {"board": default_board().dealer_wins.tolist()}
SPEC = job.Spec(seed=5, rounds=3, checks=2, found=FOUND)


@pytest.fixture(autouse=True)
def few_deals(monkeypatch):
    monkeypatch.setattr(job, "DEALS", DEALS)
    monkeypatch.setattr(job, "CHECKED", CHECKED)


@pytest.fixture(scope="module")
def rows():
    """Those of SPEC, made once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job, "DEALS", DEALS)
        patch.setattr(job, "CHECKED", CHECKED)
        return [row_of_unit(unit) for unit in range(SPEC.unit_count)]


def row_of_unit(unit, spec=SPEC):
    (row,) = job.compute(spec, unit, None)
    return row


def table_of(rows):
    return pa.Table.from_pylist(rows, schema=job.SCHEMA)


def boards_of(rows):
    return np.array([row["wins"] for row in rows[: SPEC.rounds]]).reshape(-1, GAME, GAME)


def test_stages_are_the_rounds_of_deals_and_then_the_checks(rows):
    assert job.stages(SPEC) == [3, 2]
    assert SPEC.unit_count == len(rows) == 5
    for unit, row in enumerate(rows):
        assert set(row) == set(job.SCHEMA.names)
        assert (row["unit"], row["error"]) == (unit, None)
        assert row["seconds"] > 0
    for row in rows[:3]:
        assert row["deals"] == DEALS
        assert len(row["wins"]) == GAME**2
        assert (row["moved"], row["squares"]) == (None, None)
    for row in rows[3:]:
        assert row["deals"] == CHECKED * ZONES
        assert row["wins"] is None
        assert len(row["moved"]) == len(row["squares"]) == ZONES
        # Each moved by less than the whole, and of one deal the square is that of the sum.
        assert all(-1 <= moved <= 1 for moved in row["moved"])
        assert row["squares"] == pytest.approx([moved**2 for moved in row["moved"]], abs=1e-15)


def test_a_round_is_a_board(rows):
    for wins in boards_of(rows):
        assert ((wins >= 0) & (wins <= 1)).all()
        assert wins[0, 0] == pytest.approx(0.56, abs=0.05)
        assert wins[120, 0] > 0.99
        assert wins[0, 120] < 0.01
        assert wins[60, 0] > 0.9 > 0.1 > wins[0, 60]


def test_rounds_are_told_apart_by_unit_and_seed_alone(rows):
    assert row_of_unit(0)["wins"] == rows[0]["wins"] != rows[1]["wins"]
    other = SPEC.model_copy(update={"seed": 6})
    assert row_of_unit(0, other)["wins"] != rows[0]["wins"]
    assert row_of_unit(3)["moved"] == rows[3]["moved"] != rows[4]["moved"]
    assert row_of_unit(3, other)["moved"] != rows[3]["moved"]
    assert job.signature(SPEC) == job.signature(other)


def test_the_second_stage_is_told_the_board_of_the_first(rows):
    board = np.array(job.found(SPEC, 1, table_of(rows[:3]))["board"])
    assert board == pytest.approx(boards_of(rows).mean(axis=0), abs=5.1e-5)
    assert board.tolist() == board.round(4).tolist()
    # A check goes by the board that it is told.
    other = SPEC.model_copy(update={"found": {"board": board.tolist()}})
    assert row_of_unit(3, other)["moved"] != rows[3]["moved"]
    failed = job.failed_rows(SPEC, 2, None, "why")
    with pytest.raises(ValueError, match="a round of the board failed"):
        job.found(SPEC, 1, table_of([*rows[:2], *failed]))


def test_the_artifact_is_what_the_engine_reads(rows):
    table = table_of(rows)
    text = artifact_text(job, SPEC, table)
    document, boards = json.loads(text), boards_of(rows)
    assert (document["format"], document["version"]) == ("dealfarm-board", 1)
    assert (document["seed"], document["deals"]) == (5, 3 * DEALS)
    assert document["made_by"] == "farm run this"
    assert document["dealer_wins"] == job.found(SPEC, 1, table.slice(0, 3))["board"]
    error = np.sqrt(((boards - boards.mean(axis=0)) ** 2).sum(axis=0) / 2 / 3)
    assert document["first_dealer_wins"] == pytest.approx(boards[:, 0, 0].mean(), abs=6e-6)
    assert document["its_standard_error"] == pytest.approx(error[0, 0], abs=6e-7)
    assert document["largest_standard_error"] == pytest.approx(error.max(), abs=6e-7)
    assert len(text.splitlines()) < 2 * GAME
    # The keys, too, are those of the file in the engine.
    assert board_document().keys() == document.keys()


@pytest.mark.parametrize("unit", [2, 4])
def test_a_round_that_is_whole_passes(rows, unit):
    assert job.verify(SPEC, rows[unit], None) is True


@pytest.mark.parametrize(
    ("unit", "name"), [(2, "wins"), (2, "deals"), (4, "moved"), (4, "squares"), (4, "deals")]
)
def test_a_changed_number_is_found(rows, unit, name):
    before = rows[unit][name]
    after = before + 1 if name == "deals" else [*before[:7], before[7] + 1e-6, *before[8:]]
    with pytest.raises(VerificationError, match=f"unit {unit}: {name} differ"):
        job.verify(SPEC, {**rows[unit], name: after}, None)


def test_a_row_is_the_same_when_it_has_been_stored(rows):
    for unit in (2, 4):
        (stored,) = table_of([rows[unit]]).to_pylist()
        assert job.verify(SPEC, stored, None) is True


def test_a_failed_round_is_counted_and_said(rows):
    failed = job.failed_rows(SPEC, 1, None, "why")
    assert set(failed[0]) == set(job.SCHEMA.names)
    table = table_of([*failed, rows[2], rows[4]])
    tally = job.tally(table)
    assert job.counts(tally) == {"rounds": 2, "failed": 1}
    assert job.remarks(tally) == ["1 rounds failed"]
    assert job.is_open(table).to_pylist() == [True, False, False]
    assert job.verify(SPEC, failed[0], None) is False
    assert job.remarks(job.tally(table_of(rows))) == []


def test_how_far_the_chance_moves_is_told_by_zones(rows):
    metrics = job.metrics(job.tally(table_of(rows)))
    assert [metric.name for metric in metrics[:3]] == [
        "all scores", "dealer 0-59, pone 0-59", "dealer 0-59, pone 60-89"
    ]  # fmt: skip
    assert [metric.name for metric in metrics[-2:]] == [
        "dealer 106-120, pone 90-105", "dealer 106-120, pone 106-120"
    ]  # fmt: skip
    assert len({metric.name for metric in metrics}) == len(metrics) == 1 + ZONES
    # With one deal of a zone in a round its sum is the number itself.
    each = np.array([row["moved"] for row in rows[3:]])
    for metric, numbers in zip(metrics, [each.reshape(-1), *each.T], strict=True):
        assert (metric.kind, metric.unit, metric.n) == ("estimate", "share", numbers.size)
        assert metric.estimate == pytest.approx(numbers.mean(), abs=1e-12)
        if np.ptp(numbers) == 0.0:  # which says nothing of how others are
            assert metric.low is metric.high is None
            continue
        margin = t.ppf(0.975, numbers.size - 1) * numbers.std(ddof=1) / math.sqrt(numbers.size)
        assert metric.high - metric.estimate == pytest.approx(margin, abs=1e-6)
        assert metric.estimate - metric.low == pytest.approx(margin, abs=1e-6)


def test_without_checks_nothing_is_told(rows):
    assert job.metrics(job.tally(table_of(rows[:3]))) == []


def test_tallies_of_parts_make_that_of_the_whole(rows):
    whole, parts = job.tally(table_of(rows)), job.tally(table_of(rows[:4]))
    parts.update(job.tally(table_of(rows[4:])))
    assert parts == pytest.approx(whole, abs=1e-12)
    assert min(whole.values()) < 0  # sums of how far it moved fall as well


def test_a_board_needs_two_rounds():
    with pytest.raises(ValueError, match="greater than or equal to 2"):
        job.Spec(rounds=1)
