"""farm coach cribbage: what a review says and leaves unsaid, and advice on single decisions."""

import io
import json
import random
import re
import sys
from functools import cache
from pathlib import Path

import pytest

from engines.cards import CARD_NAMES, pretty
from engines.cribbage import brain, fast_brain
from engines.cribbage.coach import Grade, grade_discard, grade_play, kept_traps
from engines.cribbage.fair_deal import FairMatch
from engines.cribbage.judge import MASTER_JUDGE, chances_of_cards, chances_of_throws
from engines.cribbage.lead_analysis import analyze_lead
from engines.cribbage.match import Act, play_match, random_deals
from engines.cribbage.observation import Observation, Played
from engines.cribbage.review import review_match
from engines.cribbage.scoring import GAME, score_play, total
from engines.cribbage.tiers import Skill, Tier
from engines.cribbage.transcript import PERSON, RANDOM, EndOfScript, Seat, play_transcribed
from farm.commands.coach import _history, _is_dealer
from farm.errors import UsageProblem
from farm.main import main

EXPERT = Skill(1.0, 0.0)
HARD = Seat.brain(Tier.HARD, "calibrated")
GUEST = Seat(PERSON, "guest")
DISCARD = ("--hand", "5H 5C JD QS KD 2C", "--dealer")
PLAY = ("--hand", "5H JD QS", "--pile", "7H 8C", "--starter", "2S", "--opponent-cards", "3")
LEAD = ("--hand", "4H 6D 6S 9C", "--starter", "2S", "--opponent-cards", "4")


def cards(text):
    return tuple(CARD_NAMES.index(name) for name in text.split())


def shown(some):
    return " ".join(map(pretty, some))


class Person:
    """Plays near Expert, errs now and then, and leaves after so many decisions."""

    def __init__(self, seed, errs=0.3, decisions=1000):
        self.rng, self.errs, self.left = random.Random(seed), errs, decisions

    def _errs(self):
        if not self.left:
            raise EndOfScript
        self.left -= 1
        return self.rng.random() < self.errs

    def discard(self, seen):
        if self._errs():
            return self.rng.sample(seen.own_hand, 2)
        return fast_brain.choose_discard(seen, EXPERT, 0.0)

    def play(self, seen):
        if self._errs():
            return self.rng.choice(seen.legal_plays())
        return fast_brain.choose_play(seen, EXPERT, 0.0)


def transcript(number, seats=(GUEST, HARD), others=None, **more):
    players = [Person(number) if seat.kind == PERSON else None for seat in seats]
    match = FairMatch.client_first(number, "coach")
    return play_transcribed(match, seats, others or players, **more)


@cache
def text_of(number):
    return json.dumps(transcript(number))


def document(number):
    return json.loads(text_of(number))


@pytest.fixture
def coach(capsys, tmp_path, monkeypatch):
    """Runs the command; returns what it prints. Files are written to the current folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        assert main(["coach", "cribbage", *arguments]) == 0
        output = capsys.readouterr()
        assert output.err == ""
        if "--json" not in arguments:
            assert max(map(len, output.out.splitlines())) <= 80
        return output.out

    return run


@pytest.fixture
def refused(capsys, tmp_path, monkeypatch):
    """Runs the command where it is used in a wrong way; returns the line it says."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        assert main(["coach", "cribbage", *arguments]) == 2
        output = capsys.readouterr()
        assert output.out == ""
        assert re.fullmatch("farm: [^\n]+\n", output.err)
        return output.err[6:-1]

    return run


def write(path, *texts):
    Path(path).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def keys(text):
    return text.split()


# The review.


@pytest.mark.parametrize("number", range(4))
def test_a_review_has_a_word_for_each_costly_decision_and_for_no_coin_flip(number, coach):
    output = coach(write("match.json", text_of(number)))
    review = review_match(document(number), 0)
    hands = output.partition("The best choice in")[0]
    judged = re.findall(r"^  (throw|lead|play) +(.*?)  +costly +(-\d+\.\d\d)$", hands, re.MULTILINE)
    costly = [each for each in review.decisions if each.graded.grade is Grade.COSTLY]
    assert len(judged) == len(costly) > 0
    flat = " ".join(hands.split())
    for (label, said, lost), each in zip(judged, costly, strict=True):
        graded = each.graded
        chosen = graded.thrown if each.is_discard else [graded.card]
        assert said.startswith(shown(chosen))
        assert said.endswith(f"from {shown(each.seen.own_hand)}")
        assert label == ("throw" if each.is_discard else "play" if each.seen.pile else "lead")
        assert float(lost) == pytest.approx(-graded.lost, abs=0.0051)
        tags = "" if each.is_discard or not graded.tags else f"{', '.join(graded.tags)}: "
        assert f"{tags}{graded.reason}" in flat
    assert "as good as" not in output
    assert "well played" not in output


@pytest.mark.parametrize("number", range(3))
def test_a_review_counts_each_hand_and_all_together(number, coach):
    output = coach(write("match.json", text_of(number)))
    review = review_match(document(number), 0, deep=False)
    hands = re.findall(
        r"^hand (\d+) +(your crib|the other's crib), (\d+) to (\d+) +(.*)$", output, re.MULTILINE
    )
    hands = hands[: len(document(number)["hands"])]
    for index, (place, crib, own, other, counted) in enumerate(hands):
        decisions = [each for each in review.decisions if each.hand == index]
        seen = decisions[0].seen
        assert int(place) == index + 1
        assert (crib == "your crib") == seen.is_dealer
        assert (int(own), int(other)) == (seen.own_score, seen.opponent_score)
        grades = [each.graded.grade for each in decisions]
        expected = {str(grade): grades.count(grade) for grade in Grade if grade in grades}
        assert {word: int(count) for count, word in re.findall(r"(\d+) (\w+)", counted)} == expected
    rows = {
        name: [float(value) for value in values.split()]
        for name, values in re.findall(r"^  (throws|plays|all) +([\d. ]+)$", output, re.MULTILINE)
    }
    for name, discards in (("throws", True), ("plays", False)):
        shares = [review.share(grade, discards=discards) for grade in Grade]
        lost = review.lost(discards=discards)
        expected = [shares[0][1], *[count for count, _ in shares], lost, lost / len(hands)]
        assert rows[name] == pytest.approx(expected, abs=0.0051)
    both = zip(rows["throws"], rows["plays"], strict=True)
    assert rows["all"] == pytest.approx([sum(pair) for pair in both], abs=0.0151)
    assert f"The best choice in {rows['all'][1]:.0f} of {rows['all'][0]:.0f} decisions." in output


def test_the_costliest_moments_have_hand_place_and_better_choice(coach):
    output = coach(write("match.json", text_of(1)))
    moments = output.partition("The costliest moments:\n")[2]
    worst = review_match(document(1), 0).costliest
    assert [each.graded.grade for each in worst] == [Grade.COSTLY] * 3
    parts = re.split(r"^\d\. ", moments, flags=re.MULTILINE)[1:]
    for part, each in zip(parts, worst, strict=True):
        seen = each.seen
        assert part.startswith(f"hand {each.hand + 1}: ")
        assert f"{seen.own_score} to {seen.opponent_score}" in part.splitlines()[0]
        assert (seen.starter is None) or f"starter {pretty(seen.starter)}" in part.splitlines()[0]
        assert f"from {shown(seen.own_hand)} " in part
        assert f"{-each.graded.lost:.2f}" in part
        assert each.graded.reason in " ".join(part.split())


def test_who_plays_as_expert_reads_nothing_but_praise(coach):
    seats = (Seat.brain(Tier.EXPERT, "published"), Seat(RANDOM, "random"))
    output = coach(write("match.json", json.dumps(transcript(3, seats))))
    assert output.startswith("Review of seat 0, expert (published), against random:\n")
    assert "Well played: no decision was costly.\n" in output
    decisions, best = re.search(r"^  all +(\d+) +(\d+) ", output, re.MULTILINE).groups()
    assert decisions == best
    assert " costly  " not in output.replace("ok  costly   given up", "")
    assert "moment" not in output


def test_traps_in_kept_hands_are_praised_and_explained_once(coach):
    output = coach(write("match.json", text_of(1)))
    praised = re.findall(r"^  kept +(.*?)  +well kept$", output, re.MULTILINE)
    expected = []
    for each in review_match(document(1), 0).decisions:
        if each.is_discard:
            first = {trap.name: trap for trap in reversed(each.graded.traps)}
            names = dict.fromkeys(trap.name for trap in each.graded.traps)
            expected += [f"{name} {shown(first[name].cards)}" for name in names]
    assert praised == expected != []
    flat = " ".join(output.split())
    techniques = [
        trap.technique
        for hand in ("4H 4S 6D 6S", "2C 3D 4S 9H")
        for trap in kept_traps(cards(hand))
    ]
    assert {flat.count(technique) for technique in techniques} <= {0, 1}
    assert any(technique in flat for technique in techniques)


def test_leads_are_seen_to_the_end_of_the_play(coach):
    missed = lucky = 0
    for number in range(16):
        flat = " ".join(coach(write("match.json", text_of(number))).split())
        plain = coach("match.json", "--no-deep")
        assert not re.search("trap missed|well led|to the end", plain)
        found = json.loads(coach("match.json", "--json"))
        decisions = [each for hand in found["hands"] for each in hand["decisions"]]
        for each in (each for each in decisions if each["lead"]):
            lead, [chosen] = each["lead"], each["chosen"]
            own, other = each["followed"]
            margins = lead["margins"]
            is_right = margins[chosen] == max(margins.values()) > min(margins.values())
            name, better = shown(cards(chosen)), shown(cards(lead["best"]))
            if lead["trap_missed"]:
                missed += 1
                assert (
                    f"a trap missed: to the end of the play {better} brings "
                    f"{margins[lead['best']]:+.1f} points, {name} {margins[chosen]:+.1f}"
                ) in flat
            if is_right and each["grade"] != "costly" and own < other:
                lucky += 1
                said = f"your lead was right; the reply was luck ({own} to {other} from there)"
                assert said in flat
        assert flat.count("a trap missed:") == sum(
            each["lead"]["trap_missed"] for each in decisions if each["lead"]
        )
    assert missed > 0
    assert lucky > 5


def test_what_followed_a_lead_is_what_both_scored_in_that_play(coach):
    events, leads = [], []

    def decided(seat, seen, chosen):
        if seat == 0 and seen.starter is not None and not seen.pile:
            leads.append((len(events), seen))

    made = transcript(7, watch=events.append, decided=decided)
    found = json.loads(coach(write("match.json", json.dumps(made)), "--json"))
    told = [
        tuple(each["followed"])
        for hand in found["hands"]
        for each in hand["decisions"]
        if each["lead"]
    ]
    expected = []
    for start, seen in leads:
        if len(seen.legal_plays()) == 1:
            continue
        points = [0, 0]
        for event in events[start:]:
            if event.act in (Act.HAND, Act.DEAL):
                break
            points[event.seat] += total(event.scored)
        expected.append(tuple(points))
    assert told == expected
    assert len(told) > 4


def test_a_lead_of_a_play_that_was_left_is_no_luck(coach):
    for decisions in range(2, 12):
        made = transcript(8, others=[Person(8, decisions=decisions), None], first_dealer=1)
        assert made["winner"] is None
        found = json.loads(coach(write("match.json", json.dumps(made)), "--json"))
        last = found["hands"][-1]["decisions"]
        in_play = len([each for each in made["hands"][-1]["plays"] if "card" in each])
        if 0 < in_play < 8:
            assert all(each["followed"] is None for each in last)


def test_a_match_that_was_left_is_reviewed_as_far_as_it_went(coach):
    made = transcript(9, others=[Person(9, decisions=7), None])
    output = coach(write("match.json", json.dumps(made)))
    own, other = made["scores"]
    assert f"\nleft at {own} to {other}; judged by" in output
    made = transcript(9, others=[Person(9, decisions=0), None])
    output = coach(write("match.json", json.dumps(made)))
    assert "\nleft at 0 to 0; judged by" in output
    assert output.endswith("\n\nno decision to review\n")
    assert json.loads(coach("match.json", "--json"))["totals"]["all"]["lost_per_hand"] == 0.0


# The JSON.

DECISION = "kind seen chosen best lost chance grade reason tags traps lead"


def test_the_json_of_a_review_has_the_documented_keys(coach):
    found = json.loads(coach(write("match.json", text_of(2)), "--json"))
    made = document(2)
    assert list(found) == keys("judge seat player opponent won scores hands totals costliest")
    assert (found["seat"], found["player"], found["opponent"]) == (0, "guest", "hard")
    assert found["won"] == (made["winner"] == 0)
    assert found["scores"] == made["scores"]
    assert [hand["index"] for hand in found["hands"]] == list(range(len(made["hands"])))
    review = review_match(made, 0)
    decisions = [each for hand in found["hands"] for each in hand["decisions"]]
    for given, each in zip(decisions, review.decisions, strict=True):
        graded = each.graded
        assert list(given) == [*keys(DECISION), "followed"]
        assert given["kind"] == ("throw" if each.is_discard else "play")
        assert given["seen"] == json.loads(json.dumps(each.seen.as_json()))
        pairs = (graded.thrown, graded.best) if each.is_discard else ([graded.card], [graded.best])
        assert [cards(" ".join(given[key])) for key in ("chosen", "best")] == list(
            map(tuple, pairs)
        )
        assert (given["lost"], given["grade"]) == (graded.lost, graded.grade)
        assert given["tags"] == ([] if each.is_discard else list(graded.tags))
        assert (given["lead"] is None) == (each.lead is None)
        if each.lead is not None:
            assert list(given["lead"]) == keys("margins best gain hands exact trap_missed")
            assert list(given["lead"]["margins"].values()) == list(each.lead.margins.values())
    assert [list(hand) for hand in found["hands"]] == [keys("index dealer scores decisions")] * len(
        made["hands"]
    )
    assert list(found["totals"]) == ["throws", "plays", "all"]
    for name, kinds in (("throws", ["throw"]), ("plays", ["play"]), ("all", ["throw", "play"])):
        of_kind = [each for each in decisions if each["kind"] in kinds]
        lost = sum(each["lost"] for each in of_kind)
        assert found["totals"][name] == pytest.approx(
            {
                "decisions": len(of_kind),
                **{
                    grade: [each["grade"] for each in of_kind].count(grade)
                    for grade in ("best", "ok", "costly")
                },
                "lost": lost,
                "lost_per_hand": lost / len(made["hands"]),
            }
        )
    worst = sorted(decisions, key=lambda each: -each["lost"])[:3]
    assert [list(each) for each in found["costliest"]] == [[*keys(DECISION), "index"]] * 3
    assert [each["lost"] for each in found["costliest"]] == [each["lost"] for each in worst]


# Where a transcript comes from.


def test_the_seat_of_a_person_is_reviewed_unless_another_is_named(coach):
    write("match.json", json.dumps(transcript(4, (HARD, GUEST))))
    assert coach("match.json").startswith("Review of seat 1, guest, against hard (calibrated):\n")
    assert coach("match.json", "--seat", "0").startswith(
        "Review of seat 0, hard (calibrated), against guest:\n"
    )
    write("match.json", json.dumps(transcript(4, (HARD, HARD))))
    assert "seat 0" in coach("match.json").splitlines()[0]


def test_one_of_several_matches_is_chosen(coach, refused):
    write("two.jsonl", text_of(0), "", text_of(1))
    assert coach("two.jsonl") == coach(write("first.json", text_of(0)))
    assert coach("two.jsonl", "--match", "1") == coach(write("second.json", text_of(1)))
    assert refused("two.jsonl", "--match", "2") == "--match: expected 0 to 1 of two.jsonl, got 2"
    assert refused("two.jsonl", "--match", "-1").startswith("--match: expected 0 to 1")
    assert refused("first.json", "--match", "1") == (
        "--match: expected 0, the only one of first.json, got 1"
    )


@pytest.mark.parametrize("indent", [0, 2])
def test_a_document_may_have_many_lines(indent, coach):
    write("lines.json", json.dumps(document(0), indent=indent))
    assert coach("lines.json") == coach(write("line.json", text_of(0)))


def test_a_transcript_is_read_from_standard_input(coach, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(text_of(0)))
    assert coach("-") == coach(write("match.json", text_of(0)))


def test_names_that_others_chose_spoil_no_line(coach):
    for name in ("x" * 500, "\x1b[31m\nred\t", "", "\ud800"):
        made = document(0)
        made["seats"][0]["name"] = name
        output = coach(write("match.json", json.dumps(made)))
        first = output.splitlines()[0]
        assert re.fullmatch(r"Review of seat 0, [^\x1b]+, against hard \(calibrated\):", first)


def changed(change):
    made = document(0)
    change(made)
    return json.dumps(made)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected a transcript, got an empty file"),
        ("\n \n", "expected a transcript, got an empty file"),
        ("hello", "expected a transcript in JSON: "),
        ("[1, 2]", "expected a transcript, got other JSON"),
        ("[" * 100_000, "expected a transcript in JSON: "),
        ("{}", "format"),
        (changed(lambda made: made.update(format="x")), "format: expected"),
        (changed(lambda made: made.update(version=9)), "this transcript has version 9"),
        (changed(lambda made: made.update(tables="x")), "tables: expected"),
        (changed(lambda made: made.update(commit="x")), "commit: expected"),
        (changed(lambda made: made["hands"][1].update(scores=[1, 2])), r"hands\[1\].scores"),
        (changed(lambda made: made.pop("seats")), "seats"),
        (changed(lambda made: made.update(seats=5)), "seats"),
        (changed(lambda made: made["reveal"].update(master_seed=float("inf"))), ".*inf"),
    ],
)
def test_what_is_no_transcript_gets_one_line(text, problem, refused):
    path = write("match.json", text)
    assert re.match(f"match.json: {problem}", refused(path))
    for option in (["--seat", "1"], ["--json"]):
        refused(path, *option)


def test_the_line_of_a_wrong_transcript_is_named(refused):
    path = write("some.jsonl", text_of(0), "", changed(lambda made: made.update(winner=None)))
    assert refused(path, "--match", "1") == (
        f"some.jsonl line 3: winner: expected {document(0)['winner']} as played again, got None"
    )


def test_files_that_cannot_be_read_get_one_line(refused, tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe{}")
    assert refused("missing.json").startswith("missing.json: ")
    assert refused(".").startswith(".: ")
    assert refused("bytes").startswith("bytes: ")


# Advice on a discard.

FOR_THROW = Observation.for_discard(cards("5H 5C JD QS KD 2C"), True)


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
    assert "over 120 hands that it may hold\n" in output
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
        f"{lead['margins'][played]:+.1f}"
    )
    assert (said in " ".join(coach(*options).split())) == is_missed


def test_a_costly_lead_that_is_best_to_the_end_is_called_so(coach):
    options = ("--hand", "3D 5C 5D 5S", *LEAD[2:])
    said = "to the end of the play, though, no other lead brings more"
    for card in ("5C", "5D", "5S"):  # one is as good as another
        output = coach(*options, "--played", card)
        assert "costly" in output
        assert said in output
    assert said not in coach(*options, "--played", "3D")
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


# By Master.

BY_MASTER = ("--by", "master")
WHOLE = ("--hand", "5H JD QS", "--pile", "7H 8C", *PLAY[4:], "--discards", "2C 3C", *BY_MASTER)


def percent(chance):
    return f"{100 * chance:.1f} %"


class Chance:
    def __init__(self, rng, shown):
        self.rng, self.shown = rng, shown

    def discard(self, seen):
        return self.rng.sample(seen.own_hand, 2)

    def play(self, seen):
        self.shown.append(seen)
        return self.rng.choice(seen.legal_plays())


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
        said = f"{graded.reason} ({percent(graded.chance)} to win with the best choice)"
        assert said in flat
    firsts = {each.hand: each.graded for each in reversed(review.decisions)}
    before = re.findall(r"^hand .*, (\d+\.\d %) to win", hands, re.MULTILINE)
    assert before == [percent(firsts[hand].chance) for hand in sorted(firsts)]
    lost = review.lost(discards=True) + review.lost(discards=False)
    per_hand = lost / len(document(1)["hands"])
    shown_totals = re.search(r"^  all .* (\S+ %) +(\S+ %)$", output, re.MULTILINE).groups()
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
    assert rows == [(shown(throw), percent(chance)) for throw, chance in values.items()][:5]
    lost = found["thrown"]["lost"]
    assert f"into your crib wins {percent(lost)} more often" in " ".join(output.split())


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
    assert rows == {pretty(card): percent(chance) for card, chance in chances.items()}
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


# Options that do not go together, and positions that cannot be.


def test_every_position_of_a_match_is_possible_for_its_seat():
    positions = []
    for number in range(25):
        rng = random.Random(number)
        scores = rng.randrange(GAME), rng.randrange(GAME)
        players = [Chance(rng, positions)] * 2
        play_match(players, random_deals(5, number), scores=scores)
    settled = 0
    for seen in positions[:150]:
        position = seen.own_hand, seen.pile, seen.opponent_cards
        assert _is_dealer(*position, seen.is_dealer) == seen.is_dealer
        settled += _is_dealer(*position, None) == seen.is_dealer
    assert settled > 100


@pytest.mark.parametrize(
    ("hand", "pile", "opponent_cards", "possible"),
    [
        ("5H JD QS KC", "", 4, "pone"),
        ("5H JD QS KC", "7H", 3, "dealer"),
        ("5H JD QS", "7H 8C", 3, "pone"),
        ("5H JD QS", "7H 8C 9C", 2, "dealer"),
        ("5H JD QS KC", "", 3, ""),  # after one card no count is over
        ("5H JD QS", "", 3, ""),  # nor after two
        ("5H JD QS", "", 2, "dealer"),  # three ten-cards, and nobody had an ace
        ("5H JD QS KC", "7H 8C", 2, ""),  # nobody says go at 7
        ("5H JD QS", "7H 8C", 2, ""),  # the first of the three is no count
        ("5H JD", "7H", 3, ""),  # two cards before it are no count
        ("5H", "", 1, "pone"),
        ("5H", "", 4, ""),
        ("5H", "TC TD", 4, ""),
        ("AH", "KC QC TD", 2, ""),  # two cards before
        ("AH JH", "KC QC TD", 3, "pone"),  # the opponent has said go
        ("9H JH", "KC QC TD", 3, "pone"),  # one's own go is next
        ("JD", "", 0, "pone dealer"),
        ("AD 2D", "TC TD 9C", 2, ""),
        ("AD 2D 3D", "TC TD 9C", 2, "dealer"),
    ],
)
def test_positions_that_no_play_comes_to_are_refused(hand, pile, opponent_cards, possible):
    for name, is_dealer in (("pone", False), ("dealer", True)):
        if name in possible.split():
            assert _is_dealer(cards(hand), cards(pile), opponent_cards, is_dealer) is is_dealer
        else:
            with pytest.raises(UsageProblem):
                _is_dealer(cards(hand), cards(pile), opponent_cards, is_dealer)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "expected a FILE to review, or a --hand to get advice on"),
        (("match.json", *DISCARD), "expected a FILE to review, or a --hand to get advice on"),
        (("match.json", "--dealer"), "--dealer/--pone: does not go with a review, which takes --m"),
        (("match.json", "--all"), "--all: does not go with a review"),
        (("match.json", "--seat", "2"), "Invalid value for '--seat': "),
        (("match.json", "--match", "x"), "Invalid value for '--match': "),
        (DISCARD[:2], "--dealer or --pone: a discard depends on whose the crib is"),
        (("--hand", "5H 5C JD QS KD", "--dealer"), "--hand: expected six cards for a discard, or"),
        (("--hand", "", "--dealer"), "--hand: expected six cards .*, got 0"),
        (("--hand", "5H 5C JD QS KD 2C 3C", "--pone"), "--hand: expected six cards .*, got 7"),
        (("--hand", "5H 5C JD QS KD 1C", "--dealer"), "--hand: expected cards .* got '1C'"),
        (("--hand", "5H 5C JD QS KD 5H", "--dealer"), "--hand: expected different cards, got 5♥"),
        ((*DISCARD, "--thrown", "QS"), "--thrown: expected 2 cards, got 'QS'"),
        ((*DISCARD, "--thrown", ""), "--thrown: expected 2 cards, got ''"),
        ((*DISCARD, "--thrown", "QS 3C"), "--thrown: 3♣ is no card of the hand"),
        ((*DISCARD, "--thrown", "QS QS"), "--thrown: expected different cards"),
        ((*DISCARD, "--scores", "50"), "--scores: expected your score and the other's as 50-60"),
        ((*DISCARD, "--scores", "50-121"), "expected scores from 0 to 120, got 121"),
        ((*DISCARD, "--scores", ""), "--scores: expected"),
        ((*DISCARD, "--pile", "3C"), "--pile: does not go with a discard, which takes --dealer/-"),
        ((*DISCARD, "--starter", "3C"), "--starter: does not go with a discard"),
        ((*DISCARD, "--opponent-cards", "0"), "--opponent-cards: does not go with a discard"),
        ((*DISCARD, "--discards", "3C 4C"), "--discards: does not go with a discard"),
        ((*DISCARD, "--played", "3C"), "--played: does not go with a discard"),
        ((*DISCARD, "--no-deep"), "--deep/--no-deep: does not go with a discard"),
        ((*DISCARD, "--match", "0"), "--match: does not go with a discard"),
        ((*PLAY, "--thrown", "QS KD"), "--thrown: does not go with a play, which takes --pile"),
        ((*PLAY, "--all"), "--all: does not go with a play"),
        ((*PLAY, "--seat", "0"), "--seat: does not go with a play"),
        (PLAY[:6], "expected --starter and --opponent-cards with a --hand to play"),
        ((*PLAY[:4], *PLAY[6:]), "expected --starter and --opponent-cards with a --hand to play"),
        ((*PLAY[:6], "--opponent-cards", "5"), "Invalid value for '--opponent-cards': "),
        ((*PLAY, "--starter", "2S 3S"), "--starter: expected one card, got '2S 3S'"),
        ((*PLAY, "--starter", "8C"), "expected different cards, got 8C twice"),
        ((*PLAY, "--discards", "8C 2C"), "expected different cards, got 8C twice"),
        ((*PLAY, "--discards", "2C"), "--discards: expected 2 cards, got '2C'"),
        ((*PLAY, "--played", "8C"), "--played: 8♣ is no card of the hand"),
        ((*PLAY, "--played", "5H JD"), "--played: expected one card, got '5H JD'"),
        (
            (*PLAY, "--dealer"),
            "--dealer: no play of the cards comes to your turn with 3 in hand, 3",
        ),
        ((*LEAD, "--dealer"), "--dealer: no play .* and nothing as the pile"),
        (
            ("--hand", "5H JD", "--pile", "KD QD 9C", *PLAY[4:], "--played", "5H"),
            "--played: 5♥ would make 34, over 31",
        ),
        (
            (
                "--hand",
                "5H JD",
                "--pile",
                "KD QD AC TC",
                "--starter",
                "2S",
                "--opponent-cards",
                "2",
            ),
            "--pile: 31 ends a count: leave --pile out for the lead that follows",
        ),
        (
            (
                "--hand",
                "5H JD",
                "--pile",
                "KD QD 2C TC",
                "--starter",
                "2S",
                "--opponent-cards",
                "2",
            ),
            "--pile: expected a count up to 31, got 32",
        ),
        (
            (
                "--hand",
                "5H JD QS",
                "--pile",
                "7H 8C 2C",
                "--starter",
                "2S",
                "--opponent-cards",
                "3",
            ),
            "--pile: expected at most 2 cards, as 3 are in hand and 3 with the opponent, got 3",
        ),
        (
            ("--hand", "5H JD QS", "--starter", "2S", "--opponent-cards", "3"),
            "no play of the cards comes to your turn with 3 in hand, 3 with the opponent, and not",
        ),
    ],
)
def test_wrong_options_get_one_line_and_exit_code_2(arguments, problem, refused):
    assert re.match(problem, refused(*arguments))


def test_the_coach_is_listed_after_the_play(capsys):
    assert main(["--help"]) == 0
    listed = re.findall(r"^  (play|coach) +(.*)$", capsys.readouterr().out, re.MULTILINE)
    assert [name for name, _ in listed] == ["play", "coach"]
    assert listed[1][1] == "Review decisions of a game."
    assert main(["coach", "cribbage", "--help"]) == 0
    assert "FILE" in capsys.readouterr().out
