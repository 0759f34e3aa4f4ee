"""farm coach cribbage: the coach by Master."""

import json
import random
import re

import pytest
from coach_desk import (
    DISCARD,
    FOR_THROW,
    LEAD,
    PLAY,
    cards,
    document,
    shown,
    text_of,
    write,
)
from cribbage_seats import Chance

from engines.cards import pretty
from engines.cribbage.coach import Grade
from engines.cribbage.judge import MASTER_JUDGE, chances_of_cards, chances_of_throws
from engines.cribbage.match import play_match, random_deals
from engines.cribbage.observation import Observation, Played
from engines.cribbage.review import review_match
from farm.commands.coach import _history

BY_MASTER = ("--by", "master")
WHOLE = ("--hand", "5H JD QS", "--pile", "7H 8C", *PLAY[4:], "--discards", "2C 3C", *BY_MASTER)


def percent(chance):
    return f"{100 * chance:.1f} %"


def estimated(chance):
    """A chance to win as it is shown: never none, never certain."""
    return {"0.0 %": "<0.1 %", "100.0 %": ">99.9 %"}.get(percent(chance), percent(chance))


def test_a_review_by_master_speaks_of_chances_to_win(coach):
    output = coach(write("match.json", text_of(1)), *BY_MASTER)
    flat = " ".join(output.split())
    review = review_match(document(1), 0, deep=False, judge=MASTER_JUDGE)
    assert "; judged by the chances to win that Master goes by\n" in output
    assert "to the end of the play" not in output
    hands = output.partition("The best choice in")[0]
    judged = re.findall(r" +costly +-(\d+\.\d %)$", hands, re.MULTILINE)
    costly = [each.graded for each in review.decisions if each.graded.grade is Grade.COSTLY]
    assert judged == [percent(graded.lost) for graded in costly] != []
    for graded in costly:
        said = f"{graded.reason} ({estimated(graded.chance)} to win with the best choice)"
        assert said in flat
    firsts = {each.hand: each.graded for each in reversed(review.decisions)}
    before = re.findall(r"^hand .*, (\S+ %) to win", hands, re.MULTILINE)
    assert before == [estimated(firsts[hand].chance) for hand in sorted(firsts)]
    lost = review.lost(discards=True) + review.lost(discards=False)
    per_hand = lost / len(document(1)["hands"])
    shown_totals = re.search(r"^  all .* (\S+ %) +(\S+ %)$", output, re.MULTILINE).groups()
    assert {"<0.1 %"} < set(before)
    assert shown_totals == (percent(lost), percent(per_hand))


def test_the_json_of_a_review_by_master_has_the_unit_and_the_chances(coach):
    found = json.loads(coach(write("match.json", text_of(1)), *BY_MASTER, "--json"))
    assert found["judge"] == {"tier": "master", "unit": "chance to win"}
    review = review_match(document(1), 0, deep=False, judge=MASTER_JUDGE)
    decisions = [each for hand in found["hands"] for each in hand["decisions"]]
    graded = [each.graded for each in review.decisions]
    for key in ("lost", "chance", "reason"):
        assert [each[key] for each in decisions] == [getattr(each, key) for each in graded]
    assert {each["lead"] for each in decisions} == {None}
    assert any(each["lead"] for each in decisions_of(coach("match.json", *BY_MASTER, *DEEP)))
    assert {each["chance"] for each in decisions_of(coach("match.json", "--json"))} == {None}


DEEP = ("--deep", "--json")


def decisions_of(text):
    return [each for hand in json.loads(text)["hands"] for each in hand["decisions"]]


def test_advice_by_master_on_a_discard(coach):
    options = (*DISCARD, "--scores", "100-108", "--thrown", "QS KD", *BY_MASTER)
    output, found = coach(*options), json.loads(coach(*options, "--json"))
    chances = chances_of_throws(Observation.for_discard(FOR_THROW.own_hand, True, 100, 108))
    assert found["judge"] == {"tier": "master", "unit": "chance to win"}
    values = {cards(" ".join(each["cards"])): each["value"] for each in found["throws"]}
    assert values == chances.values
    assert list(values.values()) == sorted(values.values(), reverse=True)
    for each in found["throws"]:
        assert each["lost"] == max(values.values()) - each["value"]
    rows = re.findall(r"^ +\d  (\S+ \S+) .* (\S+ %)$", output, re.MULTILINE)
    assert rows == [(shown(throw), estimated(chance)) for throw, chance in values.items()][:5]
    lost = found["thrown"]["lost"]
    assert f"into your crib wins {percent(lost)} more often" in " ".join(output.split())


def test_a_card_that_wins_the_match_is_told_from_one_that_nearly_does(coach):
    options = ("--hand", "8D JD QS", *WHOLE[2:], "--scores", "119-20")
    rows = dict(re.findall(r"^ +\d  (\S+) .*  (at once|\S+ %)$", coach(*options), re.MULTILINE))
    assert rows == dict.fromkeys(map(pretty, cards("JD QS")), ">99.9 %") | {
        pretty(cards("8D")[0]): "at once"
    }


def test_advice_by_master_on_a_play_of_which_all_is_known(coach):
    output, found = coach(*WHOLE), json.loads(coach(*WHOLE, "--played", "5H", "--json"))
    assert [each["by"] for each in found["seen"]["history"]] == ["self", "opponent"]
    seen = Observation.for_play(
        cards("5H JD QS"),
        cards("7H 8C"),
        3,
        cards("2S")[0],
        False,
        own_discards=cards("2C 3C"),
        history=[Played(True, cards("7H")[0]), Played(False, cards("8C")[0])],
    )
    chances = chances_of_cards(seen).values
    assert {cards(each["card"])[0]: each["value"] for each in found["cards"]} == chances
    assert found["played"]["chance"] == max(chances.values())
    assert found["played"]["lost"] == max(chances.values()) - chances[cards("5H")[0]]
    rows = dict(re.findall(r"^ +\d  (\S+) .* (\S+ %)$", output, re.MULTILINE))
    assert rows == {pretty(card): estimated(chance) for card, chance in chances.items()}
    lead = coach(*LEAD, "--discards", "JD KD", *BY_MASTER)
    assert "wins\n" in lead
    stuck = ("--hand", "JD QS", "--pile", "KD QD 9C AD", "--starter", "2S", "--pone")
    go = coach(*stuck, "--opponent-cards", "2", "--discards", "2C 3C", *BY_MASTER)
    assert go.endswith("\nno card can be played at 30: say go\n")


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        (PLAY, "--discards"),
        (LEAD, "--discards"),
        (
            ("--hand", "5H JD QS", *LEAD[2:4], "--opponent-cards", "2", "--discards", "2C 3C"),
            "the 3 cards of earlier counts, which only a review knows",
        ),
        (
            ("--hand", "JD", *LEAD[2:4], "--opponent-cards", "0"),
            "--discards; --dealer or --pone; the 7 cards of earlier counts, which only a review "
            "knows",
        ),
    ],
)
def test_master_has_to_know_all_of_the_deal(arguments, missing, refused):
    assert refused(*arguments, *BY_MASTER) == (
        f"--by master: expected all of the deal, as Master goes by it; missing: {missing}"
    )


def test_no_other_tier_judges(refused):
    assert refused(*DISCARD, "--by", "hard").startswith("Invalid value for '--by': ")


def test_the_history_of_a_first_count_is_that_of_the_match():
    positions = []
    for number in range(40):
        rng = random.Random(number)
        play_match([Chance(rng, positions)] * 2, random_deals(6, number))
    goes = 0
    for seen in positions:
        if len(seen.pile) == 8 - len(seen.own_hand) - seen.opponent_cards:
            position = len(seen.own_hand), seen.opponent_cards, seen.is_dealer
            assert tuple(_history(seen.pile, *position)) == seen.history
            goes += any(act.card is None for act in seen.history)
    assert goes > 30
