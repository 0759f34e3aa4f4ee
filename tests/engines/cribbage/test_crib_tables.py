import csv
from pathlib import Path

import numpy as np
import pytest
from naive.cribbage_show import cards

from engines.cards import PACK_SIZE, RANKS
from engines.cribbage import fast_brain
from engines.cribbage.brain_kernel import THROW_COUNT
from engines.cribbage.crib_table_kernel import COMPLETIONS, sample_cribs, sum_completions
from engines.cribbage.crib_tables import CribTables, default_tables, exact_table, square
from engines.cribbage.observation import Observation
from engines.cribbage.scoring import score_show, total
from engines.cribbage.scoring_kernel import show_table
from engines.cribbage.tiers import Skill
from engines.streams import below, open_stream, shuffle_end

DATA = Path(__file__).parents[2] / "data" / "cribbage"
FIVE = RANKS.index("5")
# Of a mean over 3,000 cribs with two fives in them.
STANDARD_ERROR = 0.075


def published_means():
    with (DATA / "average_crib_exact.csv").open() as file:
        rows = list(csv.reader(file))[1:]
    return np.array([[float(entry) for entry in row[1:]] for row in rows])


def sum_of(first, second):
    return sum_completions(first, second, show_table(), np.zeros(4, np.int8))


def exact_mean(high, low):
    """Over the suits of two cards of these ranks: of unequal ranks one pair in four is suited."""
    off_suit = sum_of(4 * high, 4 * low + 1) / COMPLETIONS
    if high == low:
        return off_suit
    suited = sum_of(4 * high, 4 * low) / COMPLETIONS
    return (suited + 3 * off_suit) / 4


def test_the_published_means_are_those_of_all_completions():
    published = published_means()
    for high in range(13):
        for low in range(high + 1):
            assert abs(exact_mean(high, low) - published[high, low]) < 1e-6
            assert abs(exact_mean(high, low) - published[low, high]) < 1e-6


def test_the_exact_table_is_the_published_one():
    np.testing.assert_allclose(exact_table(), published_means(), rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("one", "other"), [("5C JD", "5H JS"), ("5C JC", "5S JS"), ("AC AD", "AH AS")]
)
def test_only_whether_two_suits_agree_matters(one, other):
    assert sum_of(*cards(one)) == sum_of(*cards(other)) == sum_of(*cards(one)[::-1])


@pytest.mark.parametrize(("name", "mean"), [("dealer", 8.85), ("pone", 9.10)])
def test_two_fives_are_worth_what_is_known_of_them(name, mean):
    table = getattr(default_tables(), name)
    assert table[FIVE, FIVE] == table.max()
    assert abs(table[FIVE, FIVE] - mean) < 3 * STANDARD_ERROR


def test_the_pone_gives_more_than_it_would_get():
    # Against random cards a crib is worth more than to the dealer, whose opponent is careful, and
    # less than to the pone, whose opponent is generous.
    pairs = np.tril_indices(13)
    dealer, exact, pone = (
        table[pairs].mean()
        for table in (default_tables().dealer, exact_table(), default_tables().pone)
    )
    assert dealer + 0.2 < exact < pone - 0.2


def test_tables_are_symmetric_and_cannot_be_written_to():
    for table in (default_tables().dealer, default_tables().pone, exact_table()):
        assert table.shape == (13, 13)
        assert np.array_equal(table, table.T)
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0] = 1.0


def test_stacked_tables_have_the_pone_first():
    tables = CribTables(np.full((13, 13), 4.0), np.full((13, 13), 5.0))
    assert tables.stacked()[int(False)].max() == 5.0
    assert tables.stacked()[int(True)].max() == 4.0


@pytest.mark.parametrize(
    ("rows", "shape"),
    [
        ([[1.0] * 13] * 12, "(12, 13)"),
        ([[1.0] * 12] * 13, "(13, 12)"),
        ([[float(column) for column in range(13)]] * 13, "(13, 13)"),
    ],
)
def test_rows_that_are_no_table(rows, shape):
    with pytest.raises(ValueError) as error:
        square(rows)
    assert str(error.value) == f"expected a symmetric 13 by 13 table, got {shape}"


# Cribs with the other side discarding.


def sampled(high, low, is_dealer, samples, tables, unit=0):
    return sample_cribs(
        high,
        low,
        is_dealer,
        samples,
        open_stream(5, unit, "sampled cribs"),
        show_table(),
        tables.stacked(),
        np.zeros(PACK_SIZE, np.int8),
        np.zeros(10, np.int8),
        np.zeros(THROW_COUNT),
    )


def plainly_sampled(high, low, is_dealer, samples, tables, unit=0):
    stream = open_stream(5, unit, "sampled cribs")
    together = squares = 0
    for _ in range(samples):
        suits = [0, 1, 2, 3]
        first = 4 * high + suits[below(stream, 4)]
        if high == low:
            suits.remove(first % 4)
        second = 4 * low + suits[below(stream, len(suits))]
        others = np.array([card for card in range(PACK_SIZE) if card not in (first, second)])
        shuffle_end(stream, others, 6)
        six = others[-6:].tolist()
        seen = Observation.for_discard(six, not is_dealer)
        thrown = fast_brain.choose_discard(seen, Skill(1.0, 0.0), 0.0, tables)
        crib = [first, second, *thrown]
        points = sum(
            total(score_show(crib, starter, crib=True))
            for starter in range(PACK_SIZE)
            if starter not in (first, second, *six)
        )
        together += points
        squares += points**2
    return together, squares


@pytest.mark.parametrize("is_dealer", [True, False])
@pytest.mark.parametrize("pair", ["AA", "54", "55", "J5", "JJ", "KQ", "T2", "98"])
def test_sampled_cribs_are_those_of_the_plain_rules(pair, is_dealer):
    high, low = map(RANKS.index, pair)
    tables = default_tables()
    assert sampled(high, low, is_dealer, 25, tables) == plainly_sampled(
        high, low, is_dealer, 25, tables
    )


def test_a_stream_of_samples_goes_on():
    tables = default_tables()
    assert sampled(4, 3, True, 5, tables) != sampled(4, 3, True, 5, tables, unit=1)
    assert sampled(4, 3, True, 5, tables) == sampled(4, 3, True, 5, tables)


def test_samples_reach_the_mean_of_the_tables():
    tables = default_tables()
    samples = 20_000
    for pair, is_dealer in [("55", True), ("55", False), ("KA", True), ("87", False)]:
        high, low = map(RANKS.index, pair)
        together, squares = sampled(high, low, is_dealer, samples, tables)
        mean = together / samples / 44
        error = np.sqrt((squares / samples / 44**2 - mean**2) / samples)
        table = tables.dealer if is_dealer else tables.pone
        assert abs(mean - table[high, low]) < 5 * error + 0.1, (high, low)
