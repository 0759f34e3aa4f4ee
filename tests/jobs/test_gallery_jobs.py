import json

import pyarrow as pa
import pytest
from pydantic import ValidationError
from scipy.stats import t

from engines.gallery.deal import random_deal
from jobs import gallery_pimc as pimc
from jobs import gallery_solvability as solvability
from jobs.job import VerificationError

FAST = ("random-uniform", "random-cards-first", "greedy")
LINE = json.dumps({"id": "seven", **random_deal(7, 0).as_json()})


@pytest.fixture
def spec(monkeypatch):
    """The job with fast players only."""
    monkeypatch.setattr(pimc, "_ALWAYS", ())
    return pimc.Spec(deals=6, player="greedy", against=FAST[:2])


def table(rows, job=pimc):
    return pa.Table.from_pylist(rows, schema=job.SCHEMA)


def test_both_pimc_players_are_always_in_the_report():
    names = pimc.Spec(player="search-quick", against="greedy").players
    assert names == ["search-quick", "pimc-160-published", "pimc-160-original", "greedy"]
    with pytest.raises(ValidationError, match="expected random-uniform, "):
        pimc.Spec(player="nobody")


def test_a_unit_has_a_row_for_each_player_and_all_are_verified(spec):
    rows = pimc.compute(spec, 0, LINE)
    assert [(row["leg"], row["player"], row["id"]) for row in rows] == [
        (0, "greedy", "seven"),
        (1, "random-uniform", "seven"),
        (2, "random-cards-first", "seven"),
    ]
    assert all(pimc.verify(spec, row, LINE) for row in rows)
    assert all(set(row) == set(pimc.SCHEMA.names) for row in rows)
    assert all(field.metadata[b"description"] for field in pimc.SCHEMA)
    assert not pimc.verify(spec, pimc.failed_rows(spec, 0, LINE, "why")[0], LINE)


@pytest.mark.parametrize("column", ["score", "tableau_cards", "moves", "solved", "solution"])
def test_a_row_that_does_not_replay_is_an_error(spec, column):
    row = pimc.compute(spec, 0, LINE)[0]
    wrong = {"solved": not row["solved"], "solution": "D " + row["solution"]}
    changed = wrong.get(column, row[column] if column in wrong else None)
    changed = changed if changed is not None else row[column] - 1
    with pytest.raises(VerificationError, match="unit 0, greedy"):
        pimc.verify(spec, {**row, column: changed}, LINE)


def test_metrics_are_means_shares_and_paired_differences(spec):
    scores = {0: (10, 0, 4), 1: (20, 40, 5), 2: (9, 2, 0)}
    rows = [
        {**row, "score": scores[leg][unit]}
        for unit in range(3)
        for leg, row in enumerate(pimc.failed_rows(spec, unit, LINE, ""))
    ]
    rows += pimc.failed_rows(spec, 3, LINE, "why")
    # Tallies of parts add up to that of the whole.
    counted = pimc.tally(table(rows[:6])) + pimc.tally(table(rows[6:]))
    assert counted == pimc.tally(table(rows))
    found = {metric.name: metric for metric in pimc.metrics(counted)}
    assert list(found)[:2] == ["greedy, mean score", "greedy, solved"]
    assert found["greedy, mean score"].estimate == pytest.approx(14 / 3)
    assert (found["greedy, solved"].k, found["greedy, solved"].n) == (1, 3)
    paired = found["greedy minus random-uniform, paired"]
    differences = (-10, -40, -1)
    assert paired.estimate == pytest.approx(-17)
    error = (sum((each + 17) ** 2 for each in differences) / 2 / 3) ** 0.5
    assert paired.high - paired.estimate == pytest.approx(t.ppf(0.995, 2) * error)
    assert (paired.unit, paired.confidence) == ("cards", 0.99)
    assert pimc.counts(counted) == {"played": 9, "failed": 3}
    assert pimc.remarks(counted) == ["3 games have no score"]
    assert pimc.is_open(table(rows)).to_pylist() == [False] * 9 + [True] * 3


def test_a_deal_of_the_site_is_read_as_a_line(spec):
    line = random_deal(7, 0).as_site_line()
    assert json.loads(pimc.read_line(line, spec)) == random_deal(7, 0).as_json()
    with pytest.raises(ValueError, match="expected 104 numbers"):
        pimc.read_line("1,2", spec)


def test_solvability_rows_replay_and_undecided_ones_stay_open():
    spec = solvability.Spec(deals=20, limit_nodes=50)
    rows = [row for unit in range(20) for row in solvability.compute(spec, unit, None)]
    solved = [row for row in rows if row["outcome"] == "solved"]
    assert solved
    assert all(solvability.verify(spec, row, None) for row in solved)
    counted = solvability.tally(table(rows, solvability))
    assert sum(counted.values()) == 20
    share, bounds = solvability.metrics(counted)
    assert (share.k, bounds.k_low) == (len(solved), len(solved))
    assert bounds.k_high == len(solved) + counted["node_limit"]
    still_open = solvability.is_open(table(rows, solvability)).to_pylist()
    assert sum(still_open) == counted["node_limit"] > 0
    line = json.dumps({**random_deal(0, solved[0]["unit"]).as_json(), "verdict": "unsolvable"})
    contradicting = solvability.compute(spec, 0, solvability.read_line(line, spec))
    assert contradicting[0]["outcome"] == "solved"
    assert solvability.remarks(solvability.tally(table(contradicting, solvability))) == [
        "CONTRADICTED: 1 verdicts of the deal file differ from a decided outcome"
    ]
    wrong = {**solved[0], "solution": solved[0]["solution"].rpartition(" ")[0]}
    with pytest.raises(VerificationError, match="moves do not win"):
        solvability.verify(spec, wrong, None)
    with pytest.raises(VerificationError, match="unit 0"):
        solvability.verify(spec, {**rows[0], "unit": 0, "outcome": "solved", "solution": "9"}, None)
