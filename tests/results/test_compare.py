import itertools
import math

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from results.compare import ComparisonError, columns_to_compare, compare_rows, compare_turns
from results.paired import difference_of_means, difference_of_solved


def solved(outcomes, seconds=None, first=0):
    units = range(first, first + len(outcomes))
    seconds = seconds or [1.0] * len(outcomes)
    return pa.table({"unit": list(units), "outcome": outcomes, "seconds": seconds})


S, U, N, E = "solved", "unsolvable", "node_limit", "exhausted"


def test_verdicts_are_told_apart_from_open_outcomes():
    a = solved([S, S, U, U, N, S])
    b = solved([S, U, S, U, S, E])
    found = compare_rows(a, b).verdicts
    assert [(each.unit, each.a, each.b) for each in found.contradictions] == [
        (1, S, U),
        (2, U, S),
    ]
    assert found.half_decided == 2
    assert {(each.a, each.b): each.units for each in found.outcomes} == {
        (S, S): 1,
        (S, U): 1,
        (U, S): 1,
        (U, U): 1,
        (N, S): 1,
        (S, E): 1,
    }


def test_only_units_of_both_count():
    found = compare_rows(solved([S] * 5), solved([U, S, S, S], first=3))
    assert found.units == 2
    assert [each.unit for each in found.verdicts.contradictions] == [3]
    with pytest.raises(ComparisonError, match="no unit is in both: units 0 to 1; units 2 to 3"):
        compare_rows(solved([S, S]), solved([S, S], first=2))


def test_the_share_solved_is_tested_on_the_deals_that_differ():
    a = solved([S] * 12 + [N] * 8)
    b = solved([S] * 10 + [N] * 2 + [S] * 7 + [N])
    (found,) = compare_rows(a, b).differences
    assert (found.a, found.b) == (12 / 20, 17 / 20)
    assert found.estimate == pytest.approx(5 / 20)
    # 7 of 9 or more of one kind by a fair coin, on either side.
    tail = sum(math.comb(9, k) for k in (7, 8, 9)) / 2**9
    assert found.p == pytest.approx(2 * tail)
    assert found.low < 0.25 < found.high


def test_the_interval_of_the_share_solved_is_that_of_its_formula():
    """7 deals solved in B only and 2 in A only, of 20: one more of either kind, of 22."""
    a = solved([S] * 12 + [N] * 8)
    b = solved([S] * 10 + [N] * 2 + [S] * 7 + [N])
    (found,) = compare_rows(a, b).differences
    p, q = 8 / 22, 3 / 22
    margin = stats.norm.ppf(0.975) * math.sqrt((p + q - (p - q) ** 2) / 22)
    assert (found.low, found.high) == pytest.approx((p - q - margin, p - q + margin))


@pytest.mark.parametrize("n", [1, 2, 4, 10])
def test_no_difference_of_shares_is_beyond_all_or_nothing(n):
    (down,) = compare_rows(solved([S] * n), solved([U] * n)).differences
    assert -1 == down.low == down.estimate < down.high < 1
    (up,) = compare_rows(ladder("a", {"b": ["ll"] * n}), ladder("a", {"b": ["ww"] * n})).differences
    assert -1 <= up.low < up.estimate == up.high == 1


def coverage(n, values, chances, difference):
    """How often the interval of n independent changes has their mean: all samples, by chance."""
    mean = float(np.dot(values, chances))
    total = 0.0
    for kinds in itertools.combinations_with_replacement(range(len(values)), n):
        counts = np.bincount(kinds, minlength=len(values))
        found = difference(np.array(values)[list(kinds)])
        if found.low <= mean + 1e-12 and mean <= found.high + 1e-12:
            total += stats.multinomial.pmf(counts, n, chances)
    return total


@pytest.mark.parametrize("n", [5, 20])
@pytest.mark.parametrize(
    "chances", [(0, 1, 0), (0, 0.98, 0.02), (0.05, 0.9, 0.05), (0.1, 0.6, 0.3), (0.5, 0, 0.5)]
)
def test_the_interval_of_the_share_solved_covers(n, chances):
    def difference(change):
        return difference_of_solved(change < 0, change > 0)

    assert coverage(n, (-1, 0, 1), chances, difference) > 0.93


@pytest.mark.parametrize(
    "chances",
    [
        (0, 0, 0.98, 0.02, 0),
        (0.02, 0.2, 0.5, 0.25, 0.03),
        (0, 0.1, 0.3, 0.4, 0.2),
        (0.2, 0.2, 0.2, 0.2, 0.2),
    ],
)
def test_the_interval_of_the_share_won_of_pairs_covers(chances):
    def difference(change):
        return difference_of_means("", "share", np.zeros(8), change)

    assert coverage(8, (-1, -0.5, 0, 0.5, 1), chances, difference) > 0.94


def test_rows_that_name_another_draw_contradict_nothing():
    a, b = solved([S, S, U]), solved([U, U, U])
    a, b = (
        table.append_column("draw", pa.array(draws, pa.int8()))
        for table, draws in ((a, [1, 3, 3]), (b, [1, 1, 3]))
    )
    found = compare_rows(a, b).verdicts
    assert [each.unit for each in found.contradictions] == [0]
    assert "draw" in columns_to_compare(["unit", "outcome", "draw", "seconds"])


def test_equal_runs_are_not_told_apart_and_few_deals_are_no_certainty():
    few, many = (compare_rows(solved([S] * n), solved([S] * n)).differences[0] for n in (5, 500))
    assert few.estimate == many.estimate == 0
    assert few.p == many.p == 1
    assert few.high - few.low > 0.5
    assert 0 < many.high - many.low < 0.02


def test_speeds_are_of_each_unit_and_of_all():
    rng = np.random.default_rng(1)
    a, b = rng.uniform(1, 3, 30), rng.uniform(0.1, 0.5, 30)
    (found,) = compare_rows(solved([S] * 30, list(a)), solved([S] * 30, list(b))).speeds
    logs = stats.ttest_rel(np.log(a), np.log(b)).confidence_interval()
    assert found.by_units == pytest.approx(stats.gmean(a / b))
    assert (found.low, found.high) == pytest.approx(tuple(np.exp(logs)))
    assert found.by_totals == pytest.approx(a.sum() / b.sum())
    assert found.n == 30


def test_deals_cut_off_by_a_limit_do_not_pass_for_fast():
    a = solved([S, S, S], [2.0, 4.0, 8.0])
    b = solved([S, S, N], [1.0, 2.0, 0.001])
    everything, decided = compare_rows(a, b).speeds
    assert everything.n == 3
    assert everything.by_units > 2
    assert (decided.name, decided.n, decided.by_units) == ("decided in both", 2, 2.0)


def test_units_without_seconds_have_no_speed():
    (found,) = compare_rows(solved([S, S], [2.0, None]), solved([S, S], [1.0, 1.0])).speeds
    assert (found.n, found.by_units, found.low) == (1, 2.0, None)


def ladder(player, wins_by_opponent, seconds=None):
    """wins_by_opponent: for each pair of an opponent, who is "wl" where leg 0 was won, 1 lost."""
    rows = []
    for opponent, pairs in wins_by_opponent.items():
        for pair, legs in enumerate(pairs):
            for leg, letter in enumerate(legs):
                result = {"w": "won", "l": "lost", "f": "failed"}[letter]
                rows.append((pair, leg, player, opponent, result))
    names = ["pair", "leg", "player", "opponent", "result"]
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    unit = [number // 2 for number in range(len(rows))]
    return pa.table({"unit": unit, **columns, "seconds": seconds or [0.25] * len(rows)})


def test_ladders_are_compared_by_pairs_on_the_same_cards():
    a = ladder("hard", {"easy": ["ww", "wl", "ll", "wl", "ff", "wl"], "random": ["ww"]})
    b = ladder("expert", {"normal": ["ww"], "easy": ["ww", "ww", "wl", "lw", "ww", "ww"]})
    (found,) = compare_rows(a, b).differences
    assert found.name == "over easy, expert minus hard"
    assert found.n == 5  # the fifth pair has no result in A
    assert (found.a, found.b) == pytest.approx((0.5, 0.8))
    change = [0.0, 0.5, 0.5, 0.0, 0.5]
    error = np.std([*change, -1, -0.5, 0, 0.5, 1], ddof=1) / math.sqrt(5)
    assert found.estimate == pytest.approx(0.3)
    assert found.estimate - found.low == pytest.approx(stats.t.ppf(0.975, 4) * error)
    assert found.p == pytest.approx(2 * stats.t.sf(0.3 / error, 4))


def test_ladders_of_the_same_players_are_compared_by_name():
    a = ladder("expert", {"easy": ["ww", "wl"], "hard": ["ll"]})
    b = ladder("expert", {"hard": ["ww"], "easy": ["ww", "wl"]})
    assert {each.name: each.estimate for each in compare_rows(a, b).differences} == {
        "expert over easy": 0,
        "expert over hard": 1,
    }


def test_seconds_of_batches_have_no_interval():
    pairs = {"easy": ["ww"] * 4}
    (batch,) = compare_rows(ladder("expert", pairs), ladder("expert", pairs)).speeds
    assert (batch.by_totals, batch.by_units, batch.low) == (1, None, None)
    single = [0.1 * (number + 1) for number in range(8)]
    (each,) = compare_rows(*(ladder("expert", pairs, single),) * 2).speeds
    assert each.by_units == 1


def test_ladders_without_a_common_opponent_are_refused():
    with pytest.raises(ComparisonError, match="in both: hard over easy; expert over normal"):
        compare_rows(ladder("hard", {"easy": ["ww"]}), ladder("expert", {"normal": ["ww"]}))


def games(scores_by_player):
    rows = [
        {"unit": unit, "leg": leg, "player": player, "score": score, "seconds": 0.5 + unit}
        for leg, (player, scores) in enumerate(scores_by_player.items())
        for unit, score in enumerate(scores)
    ]
    return pa.Table.from_pylist(sorted(rows, key=lambda row: (row["unit"], row["leg"])))


def test_scores_are_compared_deal_by_deal():
    first, second = [20, 31, 4, 9, 17], [18, 30, 5, 2, None]
    a = games({"greedy": first, "random": [60] * 5})
    b = games({"search": second, "random": [60] * 5})
    measured, random = compare_rows(a, b).differences
    assert (measured.name, measured.n, measured.unit) == ("search minus greedy", 4, "cards")
    test = stats.ttest_rel(second[:4], first[:4])
    assert measured.estimate == pytest.approx((-2 - 1 + 1 - 7) / 4)
    assert measured.p == pytest.approx(test.pvalue)
    assert (measured.low, measured.high) == pytest.approx(tuple(test.confidence_interval()))
    assert (random.estimate, random.p, random.low) == (0, None, 0)


def test_rows_without_a_verdict_a_result_or_a_score_are_refused():
    assert "outcome" in columns_to_compare(["unit", "outcome", "seconds"])
    with pytest.raises(ComparisonError, match="expected rows with one of the columns"):
        columns_to_compare(["unit", "counts"])


def test_turns_are_compared_round_by_round():
    found = compare_turns([2.0, 8.0], [1.0, 1.0])
    (speed,) = found.speeds
    assert (found.units, speed.n, speed.seconds_a, speed.by_totals) == (2, 2, 10.0, 5.0)
    # Ratios of 2**1 and 2**3: in powers of two the mean is 2, its standard error 1.
    t = stats.t.ppf(0.975, 1)
    bounds = (speed.low, speed.by_units, speed.high)
    assert bounds == pytest.approx((2 ** (2 - t), 4.0, 2 ** (2 + t)))
    (alone,) = compare_turns([2.0], [1.0]).speeds
    assert (alone.by_units, alone.low, alone.high) == (2.0, None, None)
