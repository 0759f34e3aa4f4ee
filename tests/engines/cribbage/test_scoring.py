import json
import random
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import cribbage_show as naive
from naive.cribbage_show import cards

from engines.cards import CARD_NAMES, PACK_SIZE, parse_card
from engines.cribbage.observation import legal_plays
from engines.cribbage.scoring import (
    Kind,
    Scored,
    is_perfect_29,
    score_heels,
    score_play,
    score_show,
    score_thrown,
    total,
    value_of,
)
from engines.cribbage.scoring_kernel import show_histogram, show_table

DATA = Path(__file__).parents[2] / "data" / "cribbage"
CASES = json.loads((DATA / "cases.json").read_text())


def cases(kind):
    return [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] == kind]


def hand_and_starter(text):
    """Of a text such as "5H 5C 5S JD | 5D"."""
    hand, starter = text.split(" | ")
    return cards(hand), parse_card(starter)


def names(some):
    return " ".join(CARD_NAMES[card] for card in some)


def texts(scored):
    return [str(each) for each in scored]


def points_of_each_card(pile):
    return [total(score_play(pile[:size])) for size in range(1, len(pile) + 1)]


def sets_of(scored, kind):
    return sorted(sorted(each.cards) for each in scored if each.kind is kind)


def in_order(found):
    return sorted(map(sorted, found))


# Cases told of cribbage programs that were wrong. Turns and matches are in test_match.py.


def test_every_kind_of_case_is_tested():
    assert {case["kind"] for case in CASES} == {"show", "peg", "legal", "turn", "match"}


@pytest.mark.parametrize("case", cases("show"))
def test_a_show_of_the_cases(case):
    hand = [parse_card(name) for name in case["input"]["hand"]]
    starter = parse_card(case["input"]["starter"])
    assert total(score_show(hand, starter, crib=case["input"]["crib"])) == case["expected"]


@pytest.mark.parametrize("case", cases("peg"))
def test_a_pile_of_the_cases(case):
    pile = [parse_card(name) for name in case["input"]["pile"]]
    assert points_of_each_card(pile) == case["expected"]


@pytest.mark.parametrize("case", cases("legal"))
def test_legal_cards_of_the_cases(case):
    hand = [parse_card(name) for name in case["input"]["hand"]]
    legal = legal_plays(hand, case["input"]["count"])
    assert names(legal).split() == case["expected"]


# The show.


def test_all_hands_and_starters_score_as_published():
    histogram = np.zeros((2, 30), np.int64)
    show_histogram(show_table(), histogram)
    published = json.loads((DATA / "score_histogram.json").read_text())
    assert histogram.tolist() == [published["hand"], published["crib"]]
    assert histogram.sum(axis=1).tolist() == [12_994_800] * 2 == [published["total"]] * 2
    means = histogram @ np.arange(30) / 12_994_800
    assert means.round(6).tolist() == [4.769152, 4.734819]


@pytest.mark.parametrize(
    ("cards_of_the_show", "scored"),
    [
        ("2C 4D 6H KC | JS", []),
        (
            "5H 5C 5S JD | 5D",
            [
                "fifteen 5H JD for 2",
                "fifteen 5C JD for 2",
                "fifteen 5S JD for 2",
                "fifteen JD 5D for 2",
                "fifteen 5H 5C 5S for 2",
                "fifteen 5H 5C 5D for 2",
                "fifteen 5H 5S 5D for 2",
                "fifteen 5C 5S 5D for 2",
                "pair 5H 5C for 2",
                "pair 5H 5S for 2",
                "pair 5H 5D for 2",
                "pair 5C 5S for 2",
                "pair 5C 5D for 2",
                "pair 5S 5D for 2",
                "nobs JD 5D for 1",
            ],
        ),
        (
            "7C 8D 8H 9S | 8C",
            [
                "fifteen 7C 8D for 2",
                "fifteen 7C 8H for 2",
                "fifteen 7C 8C for 2",
                "pair 8D 8H for 2",
                "pair 8D 8C for 2",
                "pair 8H 8C for 2",
                "run 7C 8D 9S for 3",
                "run 7C 8H 9S for 3",
                "run 7C 8C 9S for 3",
            ],
        ),
        (
            "4C 4D 6H 6S | 5C",
            [
                "fifteen 4C 6H 5C for 2",
                "fifteen 4C 6S 5C for 2",
                "fifteen 4D 6H 5C for 2",
                "fifteen 4D 6S 5C for 2",
                "pair 4C 4D for 2",
                "pair 6H 6S for 2",
                "run 4C 5C 6H for 3",
                "run 4C 5C 6S for 3",
                "run 4D 5C 6H for 3",
                "run 4D 5C 6S for 3",
            ],
        ),
        (
            "AC 2D 3H 4S | 9C",
            ["fifteen 2D 4S 9C for 2", "fifteen AC 2D 3H 9C for 2", "run AC 2D 3H 4S for 4"],
        ),
        (
            "TD JC QS KH | 9C",
            ["run 9C TD JC QS KH for 5", "nobs JC 9C for 1"],
        ),
        ("AC 2D QH KS | TD", []),  # no run goes around from king to ace
        ("AD 3D 7D QD | 9C", ["flush AD 3D 7D QD for 4"]),
        ("AD 3D 7D QD | 9D", ["flush AD 3D 7D QD 9D for 5"]),
        ("AD 3D 7D QC | 9D", []),
        ("2H 4H JH QH | 9C", ["fifteen 2H 4H 9C for 2", "flush 2H 4H JH QH for 4"]),
    ],
)
def test_what_scores_in_a_hand(cards_of_the_show, scored):
    hand, starter = hand_and_starter(cards_of_the_show)
    assert sorted(texts(score_show(hand, starter))) == sorted(scored)


@pytest.mark.parametrize(
    ("cards_of_the_show", "in_hand", "in_crib"),
    [
        ("AD 3D 7D QD | 9C", 4, 0),
        ("AD 3D 7D QD | 9D", 5, 5),
        ("AD 3D 7D QC | 9D", 0, 0),
        ("2H 4H 8H JH | TH", 6, 6),
        ("AD 3D 7D JD | QC", 4, 0),
        ("AD 3D 7D JC | QC", 1, 1),
    ],
)
def test_only_a_flush_is_worth_less_in_the_crib(cards_of_the_show, in_hand, in_crib):
    hand, starter = hand_and_starter(cards_of_the_show)
    assert total(score_show(hand, starter)) == in_hand
    assert total(score_show(hand, starter, crib=True)) == in_crib


def test_four_hands_with_one_starter_each_are_perfect_and_make_29():
    fives = set(cards("5C 5D 5H 5S"))
    perfect = [
        (hand, starter)
        for hand in combinations(range(PACK_SIZE), 4)
        if len(fives.intersection(hand)) >= 2
        for starter in range(PACK_SIZE)
        if starter not in hand and is_perfect_29(hand, starter)
    ]
    assert {names((*hand, starter)) for hand, starter in perfect} == {
        "5D 5H 5S JC 5C",
        "5C 5H 5S JD 5D",
        "5C 5D 5S JH 5H",
        "5C 5D 5H JS 5S",
    }
    assert [total(score_show(*pair)) for pair in perfect] == [29] * 4


@pytest.mark.parametrize("hand", ["5H 5C 5S JD", "JD 5S 5H 5C", "5S JD 5C 5H"])
def test_a_perfect_hand_is_known_in_any_order(hand):
    assert is_perfect_29(cards(hand), parse_card("5D"))


@pytest.mark.parametrize(
    "cards_of_the_show", ["5H 5C 5S JC | 5D", "5H 5C 5S 5D | JD", "5H 5C JD JH | 5D"]
)
def test_a_hand_of_fives_that_is_not_perfect(cards_of_the_show):
    hand, starter = hand_and_starter(cards_of_the_show)
    assert not is_perfect_29(hand, starter)
    assert total(score_show(hand, starter)) < 29


def test_heels_are_two_for_any_jack_and_only_for_jacks():
    assert score_heels(parse_card("JH")) == [Scored(Kind.HEELS, cards("JH"), 2)]
    jacks = [card for card in range(PACK_SIZE) if score_heels(card)]
    assert names(jacks) == "JC JD JH JS"


def any_five(chooser):
    """Four cards and a starter, of narrow ranks or few suits as often as of the whole pack."""
    lowest = chooser.randrange(10)
    suits = chooser.choice([(0,), (1, 2), (0, 1, 2, 3)])
    pool = chooser.choice(
        [
            range(PACK_SIZE),
            [card for card in range(PACK_SIZE) if lowest <= card // 4 < lowest + 4],
            [card for card in range(PACK_SIZE) if card % 4 in suits],
        ]
    )
    return chooser.sample(list(pool), 5)


def test_what_scores_is_what_the_naive_scorer_finds():
    chooser = random.Random(1)
    for _ in range(3_000):
        *hand, starter = any_five(chooser)
        for crib in (False, True):
            scored = score_show(hand, starter, crib=crib)
            five = (*hand, starter)
            assert sets_of(scored, Kind.FIFTEEN) == in_order(naive.fifteens(five))
            assert sets_of(scored, Kind.PAIR) == in_order(naive.pairs(five))
            assert sets_of(scored, Kind.RUN) == in_order(naive.runs(five))
            assert all(each.points == len(each.cards) for each in scored if each.kind is Kind.RUN)
            assert total(scored) == naive.show(hand, starter, crib)


@settings(deadline=None, max_examples=50)
@given(st.permutations(range(PACK_SIZE)), st.permutations(range(4)), st.booleans())
def test_the_order_of_a_hand_does_not_matter(pack, order, crib):
    hand, starter = pack[:4], pack[4]
    turned = [hand[place] for place in order]
    assert total(score_show(hand, starter, crib=crib)) == total(
        score_show(turned, starter, crib=crib)
    )


@pytest.mark.parametrize(
    ("thrown", "starter", "scored"),
    [
        (
            "5H JD",
            "5D",
            [
                "fifteen 5H JD for 2",
                "fifteen JD 5D for 2",
                "pair 5H 5D for 2",
                "nobs JD 5D for 1",
            ],
        ),
        ("7C 8D", "9H", ["fifteen 7C 8D for 2", "run 7C 8D 9H for 3"]),
        ("7C 7D", "7H", ["pair 7C 7D for 2", "pair 7C 7H for 2", "pair 7D 7H for 2"]),
        ("4D 5D", "6D", ["fifteen 4D 5D 6D for 2", "run 4D 5D 6D for 3"]),
        ("2C 4D", "JH", []),
    ],
)
def test_what_two_thrown_cards_score_with_a_starter(thrown, starter, scored):
    assert texts(score_thrown(cards(thrown), parse_card(starter))) == scored


# The play.


@pytest.mark.parametrize(
    ("pile", "points"),
    [
        ("7C 8D", [0, 2]),
        ("TC 5D 5H", [0, 2, 2]),
        ("7C 7D 7H 7S", [0, 2, 6, 12]),
        ("8C 7D 9H 6S AC", [0, 2, 3, 4, 2]),  # 7-8-9, then 6 to 9; the ace makes 31
        ("4C 2D 3H 5S 6C AD", [0, 0, 3, 4, 5, 6]),
        ("4C 2D 3H 4S", [0, 0, 3, 3]),
        ("4C 2D 3H 2S", [0, 0, 3, 0]),
        ("4C 3D 3H 2S", [0, 0, 2, 0]),
        ("TC JD QH AS", [0, 0, 3, 2]),
        ("KC AD 2H", [0, 0, 0]),
        ("AC AD 2H 3S", [0, 2, 0, 3]),
        ("TC JD JH AS", [0, 0, 2, 2]),
        ("3C 3D 3H 3S 9C TD", [0, 2, 6, 12, 0, 2]),
        ("7C 8D 9H 7S", [0, 2, 3, 5]),  # the last card makes 8-9-7 and 31
    ],
)
def test_what_each_card_of_a_pile_scores(pile, points):
    assert points_of_each_card(cards(pile)) == points


@pytest.mark.parametrize(
    ("pile", "scored"),
    [
        ("7C 8D", ["fifteen 7C 8D for 2"]),
        ("TC 7D 7H 7S", ["thirty-one TC 7D 7H 7S for 2", "pair royal 7D 7H 7S for 6"]),
        (
            "7C 2D 2H 2S 2C",
            ["fifteen 7C 2D 2H 2S 2C for 2", "double pair royal 2D 2H 2S 2C for 12"],
        ),
        ("KC 4H 6C 5D", ["run 4H 6C 5D for 3"]),
        ("4H 6C 5D", ["fifteen 4H 6C 5D for 2", "run 4H 6C 5D for 3"]),
        ("TC JD QH", ["run TC JD QH for 3"]),
        ("9C", []),
        ("QC QD", ["pair QC QD for 2"]),
    ],
)
def test_what_scores_on_a_pile(pile, scored):
    assert texts(score_play(cards(pile))) == scored


@settings(deadline=None, max_examples=500)
@given(st.integers(0, 10), st.lists(st.integers(0, 11), min_size=1, max_size=8, unique=True))
def test_a_pile_scores_as_the_naive_scorer_says(lowest, places):
    pile = [4 * lowest + place for place in places if 4 * lowest + place < PACK_SIZE]
    while sum(map(value_of, pile)) > 31:
        pile.pop()
    if pile:
        assert total(score_play(pile)) == naive.play(pile)


@pytest.mark.parametrize(
    ("some", "value"),
    [("AC", 1), ("2D 2S", 2), ("9H", 9), ("TC JD QH KS", 10)],
)
def test_what_a_card_counts(some, value):
    assert {value_of(card) for card in cards(some)} == {value}
