import numpy as np
import pyarrow as pa
import pytest

from engines.cribbage.crib_tables import square, tables_document
from jobs import cribbage_crib_tables as job
from jobs.job import VerificationError

SPEC = job.Spec(passes=2, samples=100)
COMMITTED = tables_document()


def test_stages_are_the_exact_table_and_then_both_seats_in_each_pass():
    assert job.stages(SPEC) == [91, 182, 182]
    assert job.place_of(0) == (0, None, (0, 0))
    assert job.place_of(90) == (0, None, (12, 12))
    assert job.place_of(91) == (1, 0, (0, 0))
    assert job.place_of(91 + 91) == (1, 1, (0, 0))
    assert job.place_of(454) == (2, 1, (12, 12))


@pytest.mark.parametrize(
    ("high", "low", "mean"), [(0, 0, 5.531837), (4, 4, 8.992653), (12, 0, 3.751952)]
)
def test_an_exact_entry(high, low, mean):
    (row,) = job.compute(SPEC, job.PAIRS.index((high, low)), None)
    assert row["mean"] == pytest.approx(mean, abs=1e-6)
    assert row["standard_error"] == 0
    assert COMMITTED["exact"][high][low] == pytest.approx(row["mean"], abs=1e-6)
    assert job.verify(SPEC, row, None)
    with pytest.raises(VerificationError, match="points"):
        job.verify(SPEC, {**row, "points": row["points"] + 1}, None)


@pytest.mark.parametrize("unit", [91 + 14, 91 + 91 + 14])
def test_the_committed_tables_come_from_those_of_the_pass_before(unit):
    """A last entry sampled again with the tables before it, as the file says it was made."""
    before = np.stack([square(COMMITTED["pone_before"]), square(COMMITTED["dealer_before"])])
    made = job.Spec(
        seed=COMMITTED["seed"],
        passes=COMMITTED["passes"],
        samples=COMMITTED["samples"],
        found={"tables": before.tolist()},
    )
    last = unit + (made.passes - 1) * 182
    (row,) = job.compute(made, last, None)
    assert COMMITTED[row["seat"]][row["high"]][row["low"]] == round(row["mean"], 6)


def test_the_committed_tables_have_settled():
    assert COMMITTED["largest_standard_error"] < 0.01
    # A change is the difference of two sampled means: four of its standard errors, and a little.
    assert COMMITTED["largest_change_in_last_pass"] < 0.06


def test_a_stage_is_told_the_tables_of_the_one_before():
    rows = [row for unit in range(91) for row in job.compute(SPEC, unit, None)]
    table = pa.Table.from_pylist(rows, schema=job.SCHEMA)
    tables = np.array(job.found(SPEC, 1, table)["tables"])
    assert tables.shape == (2, 13, 13)
    assert np.allclose(tables[0], COMMITTED["exact"], atol=1e-6)
    assert np.array_equal(tables[0], tables[1])
    with pytest.raises(ValueError, match="a unit of the crib tables failed"):
        job.found(SPEC, 1, table.slice(0, 90))


def test_a_failed_entry_is_counted_and_said():
    rows = job.failed_rows(SPEC, 200, None, "why") + job.compute(SPEC, 5, None)
    tally = job.tally(pa.Table.from_pylist(rows, schema=job.SCHEMA))
    assert (tally["entries"], tally["failed"]) == (1, 1)
    assert job.remarks(tally) == ["1 entries failed"]
    assert job.verify(SPEC, rows[0], None) is False
