"""farm coach cribbage: advice on a discard or a play."""

import json
import re

import pytest
from coach_desk import DECISION, DISCARD, EXPERT, FOR_THROW, LEAD, PLAY, cards, keys, shown

from engines.cards import pretty
from engines.cribbage import brain
from engines.cribbage.coach import Grade, grade_discard, grade_play, kept_traps
from engines.cribbage.lead_analysis import analyze_lead
from engines.cribbage.observation import Observation
from engines.cribbage.scoring import score_play, total

# Advice on a discard.


@pytest.mark.parametrize(("options", "count"), [((), 5), (("--all",), 15)])
def test_throws_are_ranked_with_hand_crib_and_value(options, count, coach):
    for crib, sign in (("--dealer", 1), ("--pone", -1)):
        output = coach("--hand", "5H 5C JD QS KD 2C", crib, *options)
        rows = re.findall(r"^ *(\d+)  (\S+ \S+) +(\S+ \S+ \S+ \S+)  (.*)$", output, re.MULTILINE)
        assert [int(row[0]) for row in rows] == list(range(1, count + 1))
        seen = Observation.for_discard(FOR_THROW.own_hand, crib == "--dealer")
        throws = {shown(throw.cards): throw for throw in brain.throws(seen)}
        for _, thrown, kept, numbers in rows:
            throw = throws[thrown]
            assert {*thrown.split(), *kept.split()} == set(map(pretty, seen.own_hand))
            assert [float(number) for number in numbers.split()] == pytest.approx(
                [throw.mean_hand, sign * throw.crib, throw.value], abs=0.0051
            )
        values = [throws[row[1]].value for row in rows]
        assert values == sorted((each.value for each in throws.values()), reverse=True)[:count]
        assert rows[0][1] == shown(brain.choose_discard(seen, EXPERT, 0.0))


@pytest.mark.parametrize("thrown", ["QS KD", "2C 5C", "kd, 2c"])
def test_a_throw_is_graded(thrown, coach):
    output = coach(*DISCARD, "--thrown", thrown)
    graded = grade_discard(FOR_THROW, cards(thrown.upper().replace(",", "")))
    judged = re.search(r"^  throw   (.*) from .*  (\w+)( +-\d+\.\d\d)?\n +(.*)$", output, re.M)
    assert judged[1] == shown(graded.thrown)
    assert judged[2] == graded.grade
    assert (judged[3] is None) == (graded.grade is Grade.BEST)
    assert judged[4] == graded.reason


def test_a_trap_in_the_hand_that_is_best_kept_or_was_kept_is_praised(coach):
    assert "five-card trap 4♥ 6♦ 6♠" in coach(
        "--hand", "4H 6D 6S 9C JD KD", "--pone", "--thrown", "KD JD"
    )
    assert "well kept" in coach("--hand", "AH AD 7S 8C 9D KD", "--pone")
    assert "well kept" not in coach(*DISCARD, "--thrown", "JD KD")


def test_scores_are_taken_and_shown(coach):
    assert "your crib, 50 to 60\n" in coach(*DISCARD, "--scores", "50-60")
    assert "your crib, 0 to 0\n" in coach(*DISCARD)


def test_the_json_of_advice_on_a_discard(coach):
    found = json.loads(coach(*DISCARD, "--scores", "7-9", "--json"))
    assert list(found) == ["judge", "seen", "throws", "thrown"]
    assert found["judge"] == {"tier": "expert", "unit": "points"}
    assert (found["seen"]["own_score"], found["seen"]["opponent_score"]) == (7, 9)
    assert len(found["throws"]) == 15
    assert found["thrown"] is None
    for throw in found["throws"]:
        assert list(throw) == keys("cards kept mean_hand crib value lost traps")
        assert throw["value"] == pytest.approx(throw["mean_hand"] + throw["crib"])
        assert throw["lost"] == pytest.approx(found["throws"][0]["value"] - throw["value"])
        assert [trap["name"] for trap in throw["traps"]] == [
            trap.name for trap in kept_traps(cards(" ".join(throw["kept"])))
        ]
    found = json.loads(coach(*DISCARD, "--thrown", "KD QS", "--json"))
    assert list(found["thrown"]) == keys(DECISION)
    assert found["thrown"]["chosen"] == ["QS", "KD"]
    assert found["thrown"]["grade"] == "costly"


# Advice on a play.


def table_of(output):
    """Rows of the table by card: its place and the numbers."""
    rows = re.findall(r"^ *(\d+)  (\S\S) +([-+.\d ]+)$", output, re.MULTILINE)
    return {card: [int(place), *map(float, numbers.split())] for place, card, numbers in rows}


@pytest.mark.parametrize("scores", ["0-0", "110-117", "120-120"])
def test_cards_are_ranked_with_what_they_score_the_threat_and_the_value(scores, coach):
    output = coach(*PLAY, "--scores", scores)
    own, other = map(int, scores.split("-"))
    seen = Observation.for_play(
        cards("5H JD QS"),
        cards("7H 8C"),
        3,
        cards("2S")[0],
        False,
        own_score=own,
        opponent_score=other,
    )
    values = dict(brain.play_values(seen, 1.0))
    table = table_of(output)
    for card, value in values.items():
        pile = (*seen.pile, card)
        place, *numbers = table.pop(pretty(card))
        expected = [total(score_play(pile)), brain.threat(seen, pile), value]
        assert numbers == pytest.approx(expected, abs=0.0051)
        assert place == sorted(values, key=lambda each: -values[each]).index(card) + 1
    assert table == {}
    assert "to the end" not in output
    assert output.startswith("What to play on 7♥ 8♣ (15) from 5♥ J♦ Q♠:\n")
    assert f"the other's crib, {own} to {other}, starter 2♠, 3 with the opponent" in output


@pytest.mark.parametrize("card", ["JD", "5H", "QS"])
def test_a_play_is_graded(card, coach):
    output = coach(*PLAY, "--played", card)
    seen = Observation.for_play(cards("5H JD QS"), cards("7H 8C"), 3, cards("2S")[0], False)
    graded = grade_play(seen, *cards(card))
    judged = re.search(r"^  play    (.*)  (\w+)( +-\d+\.\d\d)?\n((?: {10}.*\n)+)", output, re.M)
    assert judged[1].strip() == f"{shown(cards(card))} on 7♥ 8♣ (15) from 5♥ J♦ Q♠"
    assert judged[2] == graded.grade
    assert " ".join(judged[4].split()).endswith(graded.reason)


def test_tags_are_told_only_where_they_cost_something(coach):
    five = coach("--hand", "5H JD QS KC", "--starter", "2S", *LEAD[4:], "--played", "5H")
    assert "led a five, left a dangerous count" in " ".join(five.split())
    jack = coach("--hand", "5H JD QS KC", "--starter", "2S", *LEAD[4:], "--played", "JD")
    assert "dangerous" not in jack


def test_a_lead_is_seen_to_the_end_of_the_play(coach):
    seen = Observation.for_play(
        cards("4H 6D 6S 9C"), (), 4, cards("2S")[0], False, own_discards=cards("JD KD")
    )
    found = analyze_lead(seen, cards("6D")[0])
    output = coach(*LEAD, "--discards", "JD KD", "--played", "6D")
    table = table_of(output)
    for card, margin in found.margins.items():
        assert table[pretty(card)][-1] == pytest.approx(margin, abs=0.0051)
    flat = " ".join(output.split())
    errors = json.loads(coach(*LEAD, "--discards", "JD KD", "--json"))["lead"]["errors"]
    assert (
        f"over 120 hands that it may hold, give or take {2 * max(errors.values()):.1f} to the best "
        "lead; each is played with its cards open to you and by your best line"
    ) in flat
    assert "  lead    6♦ from 4♥ 6♦ 6♠ 9♣" in output
    assert table != table_of(coach(*LEAD))  # without the discards it may hold other cards
    assert "to the end" not in coach(*LEAD, "--no-deep")


@pytest.mark.parametrize(
    ("hand", "played", "is_missed"),
    [("2D 3C 3H 5H", "5H", True), ("2D 3C 3H 5H", "3H", False), ("5H JD QS KC", "5H", False)],
)
def test_a_trap_missed_is_told_to_who_asks(hand, played, is_missed, coach):
    options = ("--hand", hand, *LEAD[2:], "--played", played)
    lead = json.loads(coach(*options, "--json"))["played"]["lead"]
    assert lead["trap_missed"] == is_missed
    assert lead["gain"] == lead["margins"][lead["best"]] - lead["margins"][played]
    said = (
        f"a trap missed: to the end of the play {shown(cards(lead['best']))} brings "
        f"{lead['margins'][lead['best']]:+.1f} points, {shown(cards(played))} "
        f"{lead['margins'][played]:+.1f}: {lead['gain']:.1f} more, give or take "
        f"{2 * lead['errors'][played]:.1f}"
    )
    assert (said in " ".join(coach(*options).split())) == is_missed


def test_a_costly_lead_that_is_best_to_the_end_is_called_so(coach):
    options = ("--hand", "5C 5H 5S 7D", *LEAD[2:])
    said = "to the end of the play, though, no other lead brings more"
    for card in ("5C", "5H", "5S"):  # one is as good as another
        output = coach(*options, "--played", card)
        assert "costly" in output
        assert said in output
    assert said not in coach(*options, "--played", "7D")
    unsure = ("--hand", "3D 5C 5D 5S", *LEAD[2:], "--played", "5C")  # ahead by half an error
    lead = json.loads(coach(*unsure, "--json"))["lead"]
    assert 0 < lead["margins"]["5C"] - lead["margins"]["3D"] < lead["errors"]["3D"]
    assert said not in coach(*unsure)
    assert said not in coach("--hand", "5H JD QS KC", *LEAD[2:], "--played", "5H")


def test_an_exact_analysis_and_a_later_lead_say_so(coach):
    output = " ".join(coach("--hand", "5H JD", "--starter", "2S", "--opponent-cards", "1").split())
    assert "over all 49 hands that it may hold; the cards already played are not known" in output
    output = " ".join(coach("--hand", "5H JD", "--starter", "2S", "--opponent-cards", "0").split())
    assert "over the one hand that it may hold" in output


def test_the_json_of_advice_on_a_play(coach):
    found = json.loads(coach(*PLAY, "--json"))
    assert list(found) == ["judge", "seen", "cards", "lead", "played"]
    assert (found["lead"], found["played"]) == (None, None)
    assert [list(each) for each in found["cards"]] == [keys("card scores threat value lost")] * 3
    assert [each["card"] for each in found["cards"]] == ["JD", "QS", "5H"]
    assert found["cards"][0]["lost"] == 0.0 < found["cards"][2]["lost"]
    found = json.loads(coach(*LEAD, "--played", "9C", "--json"))
    assert list(found["played"]) == keys(DECISION)
    assert found["played"]["chosen"] == ["9C"]
    assert found["played"]["lead"]["margins"] == found["lead"]["margins"]
    assert found["lead"]["gain"] >= 0.0


def test_where_nothing_can_be_played_the_advice_is_to_say_go(coach):
    held = ("--hand", "5H JD", "--pile", "KD QD 9C", "--starter", "2S", "--opponent-cards", "3")
    assert coach(*held).endswith("\nno card can be played at 29: say go\n")
    found = json.loads(coach(*held, "--json"))
    assert (found["cards"], found["lead"]) == ([], None)


@pytest.mark.parametrize("hand", ["5H JD QS", "5h,jd,qs", "5♥ j♦ Q♠", " 5H  JD\tQS "])
def test_cards_are_written_in_many_ways(hand, coach):
    assert coach("--hand", hand, *PLAY[2:]) == coach(*PLAY)
    assert "T♦" in coach("--hand", "5H 10D QS", *PLAY[2:])
