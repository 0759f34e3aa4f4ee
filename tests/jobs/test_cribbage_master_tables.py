import json
from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from table_jobs import artifact_text

from engines.cards import PACK_SIZE
from engines.cribbage.master_tables import default_master_tables, tables_document
from engines.cribbage.scoring_kernel import RANKS, SHOWS, show_index
from jobs import cribbage_master_tables as job
from jobs.job import VerificationError

PLAYS = 3_000
SPEC = job.Spec(seed=5, rounds=3)
SUMS = ["keeps", "flushes", "counts", "margins", "throws"]


@pytest.fixture(autouse=True)
def few_plays(monkeypatch):
    monkeypatch.setattr(job, "PLAYS", PLAYS)


def row_of_unit(unit):
    (row,) = job.compute(SPEC, unit, None)
    return row


def by_role(row, name):
    return np.array(row[name]).reshape(2, -1)


def table_of(rows):
    return pa.Table.from_pylist(rows, schema=job.SCHEMA)


def test_sums_add_up_to_the_plays():
    for unit in range(SPEC.rounds):
        row = row_of_unit(unit)
        assert row["unit"] == unit
        assert row["error"] is None
        assert [len(row[name]) for name in SUMS] == [*[2 * SHOWS] * 4, 2 * RANKS**2]
        # The roles alternate: half of the plays are the pone's, half the dealer's.
        kept = by_role(row, "keeps") + by_role(row, "flushes")
        for sums in (kept, by_role(row, "counts"), by_role(row, "throws")):
            assert sums.sum(axis=1).tolist() == [PLAYS // 2, PLAYS // 2]
        # Seven hands of a hundred that Expert keeps are of a suit.
        assert 0.05 < by_role(row, "flushes").sum() / PLAYS < 0.09
        # Of two ranks thrown the lower comes first.
        pone, dealer = by_role(row, "throws").reshape(2, RANKS, RANKS)
        assert not np.tril(pone, -1).any()
        assert not np.tril(dealer, -1).any()
        # Fives go to one's own crib.
        assert pone[4].sum() + pone[:, 4].sum() < 0.5 * (dealer[4].sum() + dealer[:, 4].sum())
        margins = by_role(row, "margins")
        assert not margins[by_role(row, "counts") == 0].any()
        # Who leads pegs less.
        pone, dealer = margins.sum(axis=1) / (PLAYS // 2)
        assert -3 < pone < -1
        assert 0.5 < dealer < 2.5


def test_rounds_are_told_apart_by_unit_and_seed_alone():
    first = row_of_unit(0)
    assert all(row_of_unit(0)[name] == first[name] for name in SUMS)
    other = job.Spec(seed=6, rounds=3)
    for again in (row_of_unit(1), *job.compute(other, 0, None)):
        assert all(again[name] != first[name] for name in SUMS)
    assert job.signature(SPEC) == job.signature(other)


def test_the_artifact_is_what_the_engine_reads():
    rows = [row_of_unit(unit) for unit in range(SPEC.rounds)]
    document = json.loads(artifact_text(job, SPEC, table_of(rows)))
    assert document.keys() == tables_document().keys()
    assert document["format"] == "dealfarm-master-tables"
    assert (document["version"], document["seed"]) == (3, 5)
    assert document["plays"] == SPEC.rounds * PLAYS
    assert document["made_by"] == "farm run this"
    sums = (sum(by_role(row, name) for row in rows) for name in SUMS)
    keeps, flushes, counts, margins, throws = sums
    assert document["least_plays_of_a_hand"] == counts.min()
    expected = job.kept_more_often(keeps, flushes)
    assert [document["keeps"], document["flushes"]] == [each.round(4).tolist() for each in expected]
    assert document["pegging"] == job.pegging_of(counts, margins).round(4).tolist()
    expected = job.thrown_more_often(throws.reshape(2, RANKS, RANKS))
    assert document["throws"] == expected.round(4).tolist()


def test_how_much_more_often_a_kind_is_taken():
    taken = np.array([[30, 10, 0, 0], [1, 1, 2, 0]])
    ways = np.array([10, 20, 10, 0])
    # Shares 3/4, 1/4, 0 and 1/4, 1/4, 1/2 of 1/4, 1/2, 1/4, and one in twenty at random.
    expected = [
        [0.95 * 3 + 0.05, 0.95 / 2 + 0.05, 0.05, 0.0],
        [1.0, 0.95 / 2 + 0.05, 0.95 * 2 + 0.05, 0.0],
    ]
    assert job.more_often(taken, ways) == pytest.approx(np.array(expected))


def test_how_much_more_often_a_hand_is_kept():
    # As often as four cards of the pack are: of a suit those of four ranks in four ways.
    plain, flush = np.zeros((2, SHOWS), np.int64), np.zeros((2, SHOWS), np.int64)
    suits = Counter()
    for four in combinations(range(PACK_SIZE), 4):
        ranks, of_a_suit = tuple(card // 4 for card in four), len({card % 4 for card in four}) == 1
        suits[ranks, of_a_suit] += 1
    for (ranks, of_a_suit), ways in suits.items():
        (flush if of_a_suit else plain)[:, show_index(*ranks)] = ways
    keeps, flushes = job.kept_more_often(plain, flush)
    assert keeps == pytest.approx(np.ones((2, SHOWS)))
    assert flushes == pytest.approx(1.0 * (flush > 0))
    # A pone that keeps a flush of the lowest four ranks always, and a dealer that never does.
    plain[:], flush[:] = 0, 0
    lowest = show_index(0, 1, 2, 3)
    flush[0, lowest] = plain[1, lowest] = 7
    keeps, flushes = job.kept_more_often(plain, flush)
    assert flushes[:, lowest] == pytest.approx([0.95 * 270_725 / 4 + 0.05, 0.05])
    assert keeps[:, lowest] == pytest.approx([0.05, 0.95 * 270_725 / 252 + 0.05])


def test_how_much_more_often_two_ranks_are_thrown():
    # As often as two cards of the pack are: 6 ways for a pair, 16 for two ranks.
    pairs = np.triu(np.full((RANKS, RANKS), 16), 1) + 6 * np.eye(RANKS, dtype=np.int64)
    throws = np.stack([pairs, pairs])
    assert job.thrown_more_often(throws) == pytest.approx(1.0 * np.stack([pairs > 0] * 2))
    # Always an ace and a king, or two aces: 16 and 6 of 1326 ways, and one in twenty at random.
    throws[:] = 0
    throws[0, 0, 12], throws[1, 0, 0] = 40, 9
    found = job.thrown_more_often(throws)
    assert found[0, 0, 12] == pytest.approx(0.95 * 1326 / 16 + 0.05)
    assert found[1, 0, 0] == pytest.approx(0.95 * 1326 / 6 + 0.05)
    assert found[0, 0, 0] == found[1, 3, 7] == pytest.approx(0.05)
    assert found[0, 12, 0] == found[1, 7, 3] == 0.0


def test_what_a_hand_brings_in_the_play():
    at_random = np.array([[70, 30, 0], [10, 10, 20]])
    margins = np.array([[-210, 10, 0], [20, 20, 40]])
    # The pone's mean is -2; the dealer's 2, and each of its hands has it.
    expected = [[(-210 + 140) / 100, (10 + 60) / 60, 0.0], [0.0, 0.0, 0.0]]
    assert job.pegging_of(at_random, margins) == pytest.approx(np.array(expected))


def test_a_round_that_is_whole_passes():
    assert job.verify(SPEC, row_of_unit(2), None) is True


@pytest.mark.parametrize("name", SUMS)
def test_a_changed_sum_is_found(name):
    row = row_of_unit(2)
    row[name][17] += 1
    with pytest.raises(VerificationError, match="unit 2"):
        job.verify(SPEC, row, None)


@pytest.mark.parametrize("name", SUMS)
def test_a_sum_that_moved_to_another_hand_is_found(name):
    row = row_of_unit(2)
    row[name][17] += 1
    row[name][18] -= 1
    with pytest.raises(VerificationError, match="unit 2"):
        job.verify(SPEC, row, None)


def test_a_failed_round_is_counted_and_said():
    rows = [*job.failed_rows(SPEC, 1, None, "why"), row_of_unit(2)]
    table = table_of(rows)
    tally = job.tally(table)
    assert (tally["rounds"], tally["failed"]) == (1, 1)
    assert job.remarks(tally) == ["1 rounds failed"]
    assert job.is_open(table).to_pylist() == [True, False]
    assert job.verify(SPEC, rows[0], None) is False
    assert job.remarks(job.tally(table_of(rows[1:]))) == []


def test_the_committed_tables_are_in_line_with_new_plays(monkeypatch):
    """Of a few rounds, the hands that are kept most, and what they bring."""
    monkeypatch.setattr(job, "PLAYS", 200_000)
    row = row_of_unit(0)
    keeps, flushes, counts, margins, throws = (by_role(row, name) for name in SUMS)
    committed = default_master_tables()
    for role in (0, 1):
        often = np.argsort(counts[role])[-300:]
        ratio, of_flushes = (table[role] for table in job.kept_more_often(keeps, flushes))
        of_keeps = np.corrcoef(ratio[often], committed.keeps[role, often])[0, 1]
        kept = committed.flushes[role] > 0  # ten of each in these few plays
        assert np.corrcoef(of_flushes[kept], committed.flushes[role, kept])[0, 1] > 0.5
        expected = committed.flushes[role].sum()
        assert of_flushes.sum() == pytest.approx(expected, rel=0.05)
        pegging = job.pegging_of(counts, margins)[role, often]
        of_pegging = np.corrcoef(pegging, committed.pegging[role, often])[0, 1]
        assert of_keeps > 0.9
        assert of_pegging > 0.85
        ratio = job.thrown_more_often(throws.reshape(2, RANKS, RANKS))[role]
        assert np.abs(ratio - committed.throws[role]).mean() < 0.05
        assert np.corrcoef(ratio.reshape(-1), committed.throws[role].reshape(-1))[0, 1] > 0.99
