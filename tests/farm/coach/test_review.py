"""farm coach cribbage: what a review of a match says, and what it leaves unsaid."""

import io
import json
import re
import sys

import pytest
from coach_desk import (
    DECISION,
    GUEST,
    HARD,
    Person,
    cards,
    document,
    keys,
    shown,
    text_of,
    transcript,
    write,
)

from engines.cards import pretty
from engines.cribbage.coach import Grade, kept_traps
from engines.cribbage.match import Act
from engines.cribbage.review import review_match
from engines.cribbage.scoring import total
from engines.cribbage.tiers import Tier
from engines.cribbage.transcript import RANDOM, Seat

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
    missed = lucky = unsure = 0
    said_right = 0
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
            top, errors = max(margins.values()), lead["errors"]
            is_best = margins[chosen] == top > min(margins.values())
            is_right = is_best and all(
                top - margins[card] > 2 * errors[card] or top - margins[card] == errors[card] == 0
                for card in margins
            )
            unsure += is_best and not is_right and each["grade"] != "costly" and own < other
            name, better = shown(cards(chosen)), shown(cards(lead["best"]))
            if lead["trap_missed"]:
                missed += 1
                assert (
                    f"a trap missed: to the end of the play {better} brings "
                    f"{margins[lead['best']]:+.1f} points, {name} {margins[chosen]:+.1f}"
                    + ("" if lead["exact"] else f": {lead['gain']:.1f} more, give or take ")
                ) in flat
            if is_right and each["grade"] != "costly" and own < other:
                lucky += 1
                said = f"your lead was right; the reply was luck ({own} to {other} from there)"
                assert said in flat
        said_right += flat.count("your lead was right; the reply was luck")
        assert "each played with its cards open to you and by your best line." in flat
        assert flat.count("a trap missed:") == sum(
            each["lead"]["trap_missed"] for each in decisions if each["lead"]
        )
    assert missed > 0
    assert lucky == said_right > 5
    assert unsure > 0


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
            assert list(given["lead"]) == keys("margins errors best gain hands exact trap_missed")
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
        ("[" * 100_000, "expected a transcript, got JSON nested too deeply"),
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
