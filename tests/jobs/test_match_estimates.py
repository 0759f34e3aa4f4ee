"""Tallies of matches, laid out so that they can be counted by eye."""

from collections import Counter

import pyarrow as pa
import pytest

from jobs.matches import match_estimates
from jobs.matches.match_rows import COLUMNS
from results.statistics import Within


def matches(*lines):
    """Each line is PLAYER OPPONENT and the results of both legs; the player deals first in leg 0.

    w won, l lost, W and L by forfeit, f failed.
    """
    words = {"w": "won", "l": "lost", "f": "failed"}
    rows = []
    for unit, line in enumerate(lines):
        player, opponent, *results = line.split()
        rows += [
            {
                "unit": unit,
                "leg": leg,
                "player": player,
                "opponent": opponent,
                "result": words[result.lower()],
                "player_dealt_first": leg == 0,
                "error": f"illegal, leg {leg}" if result in "WLf" else None,
            }
            for leg, result in enumerate(results)
        ]
    return pa.Table.from_pylist(rows, schema=pa.schema(COLUMNS))


TABLE = matches(
    "expert easy w w",
    "expert hard w l",
    "expert easy w w",
    "expert hard l l",
    "expert easy l w",
    "expert hard w L",
)


def test_matches_and_pairs_are_counted_for_each_pairing():
    assert match_estimates.tally(TABLE) == Counter(
        {
            "expert over easy: won": 5,
            "expert over easy: lost": 1,
            "expert over easy: pairs both won": 2,
            "expert over easy: pairs one won": 1,
            "expert over easy: first dealer won": 2,
            "expert over easy: first dealer lost": 1,
            "expert over hard: won": 2,
            "expert over hard: lost": 4,
            "expert over hard: forfeited": 1,
            "expert over hard: pairs none won": 1,
            "expert over hard: pairs one won": 2,
            "expert over hard: first dealer won": 2,
            "expert over hard: first dealer lost": 1,
            "fault in unit 5: illegal, leg 1": 1,
        }
    )


def test_tallies_add_up():
    pieces = [TABLE.slice(start, 4) for start in range(0, 12, 4)]
    assert sum(map(match_estimates.tally, pieces), Counter()) == match_estimates.tally(TABLE)


def test_counts_are_of_matches():
    assert match_estimates.counts(match_estimates.tally(TABLE)) == {
        "won": 7,
        "lost": 5,
        "failed": 0,
    }


def test_the_text_of_a_fault_is_no_match():
    table = matches("expert easy f f", "expert easy f f")
    error = pa.array(["RuntimeError: failed"] * len(table))
    table = table.set_column(table.column_names.index("error"), "error", error)
    counted = match_estimates.counts(match_estimates.tally(table))
    assert counted == {"won": 0, "lost": 0, "failed": 4}


def test_metrics_come_in_order_of_strength_with_their_bands():
    shown = match_estimates.metrics(match_estimates.tally(TABLE))
    assert [metric.name for metric in shown] == [
        "expert over easy", "expert over easy, paired", "expert over easy, Elo",
        "expert over hard", "expert over hard, paired", "expert over hard, Elo",
    ]  # fmt: skip
    easy, _, _, hard, paired, _ = shown
    assert (easy.k, easy.n, easy.band, easy.within_band) == (5, 6, (0.95, 0.98), Within.PART)
    assert (hard.k, hard.n, hard.band) == (2, 6, (0.55, 0.65))
    assert paired.estimate == pytest.approx(1 / 3)


def test_a_pair_without_two_results_is_no_pair_but_its_match_counts():
    tally = match_estimates.tally(matches("expert easy w f", "expert easy w w"))
    share, paired, _ = match_estimates.metrics(tally)
    assert (share.k, share.n, paired.n) == (3, 3, 1)


def test_matches_without_a_result_say_nothing_of_a_band():
    found = match_estimates.metrics(match_estimates.tally(matches("expert easy f f")))[0]
    assert (found.n, found.estimate, found.band, found.within_band) == (0, None, None, None)


def test_first_dealers_are_counted_once_a_pair_where_a_player_meets_itself():
    tally = match_estimates.tally(matches("hard hard w l", "hard hard l l", "hard hard w w"))
    (first,) = match_estimates.metrics(tally)
    assert (first.name, first.k, first.n) == ("first dealer, hard", 2, 3)


def test_the_band_of_a_weaker_tier_against_expert_is_the_other_way_round():
    assert match_estimates.target("hard", "expert") == pytest.approx((0.35, 0.45))
    assert match_estimates.target("expert", "random") is None
    assert match_estimates.target("hard", "easy") is None


def test_remarks_name_forfeits_failures_and_the_first_fault():
    later = match_estimates.tally(matches(*["expert easy w w"] * 9, "expert easy f f"))
    earlier = match_estimates.tally(TABLE)
    assert match_estimates.remarks(later + earlier) == [
        "2 matches of expert over easy have no result",
        "1 matches of expert over hard were forfeited and count as lost by who did",
        "fault in unit 5: illegal, leg 1",
    ]
    assert match_estimates.remarks(match_estimates.tally(matches("expert easy w l"))) == []


def test_only_failed_matches_are_open():
    assert match_estimates.is_open(matches("expert easy f L")).to_pylist() == [True, False]


def test_an_sprt_takes_pairs_in_order_and_passes_over_those_without_result():
    test = match_estimates.PairSprt(0.0, 400.0)
    test.take(matches(*["expert easy f w"] * 50))
    assert test.verdict is None
    test.take(matches(*["expert easy w w"] * 50))
    assert test.verdict.startswith("SPRT: at least +400 Elo after ")
