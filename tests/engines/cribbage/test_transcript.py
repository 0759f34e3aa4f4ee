import copy
import json
import math
import random
import re
import shutil
import subprocess
from dataclasses import replace
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import Path

import pytest
from benchmarks.cribbage_transcripts import (
    Whim,
    entry,
    is_claim,
    paths,
    random_transcript,
    written,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.cards import CARD_NAMES
from engines.cribbage import fast_brain, master_tables
from engines.cribbage.board import Board
from engines.cribbage.crib_tables import tables_fingerprint
from engines.cribbage.fair_deal import FairMatch, commit_of, fair_deal, hash_roll, server_secret
from engines.cribbage.master_tables import default_master_tables, master_fingerprint
from engines.cribbage.match import Act, IllegalAnswer
from engines.cribbage.scoring import GAME
from engines.cribbage.tiers import Tier, profile_named
from engines.cribbage.transcript import (
    FORMAT,
    OUTSIDE,
    PERSON,
    RANDOM,
    VERSION,
    Seat,
    TranscriptError,
    play_transcribed,
)
from engines.cribbage.transcript_check import verify_transcript

NODE = shutil.which("node")
NODE_VERIFIER = Path(__file__).parents[2] / "data" / "cribbage" / "verify_fair_deal.mjs"

ADA = Seat(PERSON, "Ada")
EASY, NORMAL = Seat.brain(Tier.EASY, "calibrated"), Seat.brain(Tier.NORMAL, "published")
EXPERT, MASTER = (Seat.brain(tier, "published") for tier in (Tier.EXPERT, Tier.MASTER))


def as_read(document):
    """As from a file."""
    return json.loads(json.dumps(document))


def transcript(match, seats, *, answers=None, first_dealer=None, seed=0):
    """Persons answer as they like, `answers` times if that is given."""
    others = [
        None if seat.is_program_of_ours else Whim(random.Random(seed), answers or 1_000_000)
        for seat in seats
    ]
    return as_read(play_transcribed(match, seats, others, first_dealer))


@lru_cache
def kept(name):
    """Some transcripts; to be copied before they are changed."""
    first, second = FairMatch.client_first(42, "seed-42"), FairMatch.commit_first(bytes(32), "me")
    return {
        "brains": lambda: transcript(first, [EASY, NORMAL]),
        "person": lambda: transcript(second, [ADA, NORMAL]),
        "agreed": lambda: transcript(second, [RANDOM_SEAT, ADA], first_dealer=1),
        "left": lambda: transcript(second, [ADA, EASY], answers=8),
    }[name]()


RANDOM_SEAT = Seat(RANDOM, "random")


def fresh(name):
    return copy.deepcopy(kept(name))


def refusal(document):
    """What is said of a document that does not verify: one line, of some length."""
    with pytest.raises(TranscriptError) as error:
        verify_transcript(document)
    said = str(error.value)
    assert said.splitlines() == [said]
    assert 10 < len(said) < 400
    return said


def steps(path):
    """Of a path such as "hands[0].plays[3].card"."""
    return [int(step) if step.isdigit() else step for step in re.findall(r"\w+", path)]


def change(document, path, value):
    """Puts a value, or what a function makes of the present one, where a path leads."""
    *way, last = steps(path)
    node = entry(document, way)
    node[last] = value(node[last]) if callable(value) else value


# Transcripts as they are.


@pytest.mark.parametrize("number", range(20))
def test_random_transcripts_verify(number):
    document = random_transcript(random.Random(f"random transcript {number}"))
    verify_transcript(document)
    assert document["format"] == FORMAT
    assert document["version"] == VERSION


def test_random_transcripts_are_of_all_kinds():
    documents = [
        random_transcript(random.Random(f"random transcript {number}")) for number in range(20)
    ]
    seats = [seat for document in documents for seat in document["seats"]]
    assert {seat["kind"] for seat in seats} == {PERSON, OUTSIDE, RANDOM, "brain"}
    assert {seat.get("profile") for seat in seats} == {None, "published", "calibrated"}
    assert {document["protocol"] for document in documents} == {1, 2}
    assert {bool(document["cuts"]) for document in documents} == {False, True}
    assert {document["winner"] for document in documents} == {None, 0, 1}


@pytest.mark.parametrize("name", ["brains", "person", "agreed", "left"])
def test_the_same_match_has_the_same_transcript(name):
    document = kept(name)
    kept.cache_clear()
    assert kept(name) == document
    verify_transcript(document)


def test_what_a_transcript_says_of_a_match():
    match = FairMatch.client_first(42, "seed-42")
    events = []
    document = as_read(play_transcribed(match, [EASY, NORMAL], watch=events.append))
    assert document == kept("brains")
    assert document["commit"] == match.commit
    assert document["reveal"] == {
        "secret": match.secret.hex(),
        "client_seed": "seed-42",
        "master_seed": "42",
    }
    assert document["cuts"] == [[CARD_NAMES[card] for card in cut] for cut in match.cuts()]
    deals = [event.cards for event in events if event.act is Act.DEAL]
    assert len(deals) == 2 * len(document["hands"])
    for index, hand in enumerate(document["hands"]):
        deal = fair_deal(match.hand_seed(index))
        dealt = [deal.dealer, deal.pone] if hand["dealer"] == 0 else [deal.pone, deal.dealer]
        assert hand["index"] == index
        assert hand["seed"] == str(match.hand_seed(index))
        assert hand["dealer"] == (document["first_dealer"] + index) % 2
        assert hand["dealt"] == [[CARD_NAMES[card] for card in six] for six in dealt]
        assert hand["cut"]["card"] == CARD_NAMES[deal.starter]
        assert [each["seat"] for each in hand["discards"]] == [0, 1]
    assert document["scores"] == document["hands"][-1]["scores"] == list(events[-1].scores)
    assert document["scores"][document["winner"]] == GAME


def test_the_seats_of_a_transcript():
    assert [seat.as_json() for seat in (ADA, RANDOM_SEAT, EASY)] == [
        {"kind": "person", "name": "Ada"},
        {"kind": "random", "name": "random"},
        {
            "kind": "brain",
            "name": "easy",
            "tier": "easy",
            "profile": "calibrated",
            "level": 0.12,
            "temperature": profile_named("calibrated").tier(Tier.EASY).temperature,
            "samples": 0,
        },
    ]


@pytest.mark.parametrize("name", ["brains", "person", "agreed", "left"])
def test_which_roll_belongs_to_which_decision(name):
    document = kept(name)
    ours = [seat["kind"] in ("brain", "random") for seat in document["seats"]]
    for hand in document["hands"]:
        plays = [0, 0]
        for each in hand["discards"] + hand["plays"]:
            if each.get("go"):
                continue
            seat = each["seat"]
            suffix = str(seat) if all(ours) else ""
            if "cards" in each:
                roll = hash_roll(int(hand["seed"]), f"aid{suffix}", 0)
            else:
                roll = hash_roll(int(hand["seed"]), f"aip{suffix}", plays[seat])
                plays[seat] += 1
            assert each["roll"] == (roll if ours[seat] else None)


def test_a_match_left_before_the_end_has_no_winner():
    document = kept("left")
    assert document["winner"] is None
    assert len(document["hands"]) == 2
    own = [
        each
        for hand in document["hands"]
        for each in hand["discards"] + hand["plays"]
        if each["seat"] == 0 and "go" not in each
    ]
    assert len(own) == 8


def test_a_match_left_before_the_first_decision():
    match = FairMatch.client_first(1)
    document = as_read(play_transcribed(match, [ADA, EASY], [Whim(random.Random(0), 0), None]))
    assert len(document["hands"]) == 1
    assert document["hands"][0] == {
        "index": 0,
        "seed": str(match.hand_seed(0)),
        "dealer": document["first_dealer"],
        "dealt": document["hands"][0]["dealt"],
        "discards": [],
        "cut": None,
        "plays": [],
        "shows": [],
        "scores": [0, 0],
    }
    assert document["scores"] == [0, 0]
    verify_transcript(document)


def test_a_player_for_each_seat():
    with pytest.raises(TranscriptError, match="expected a player for each seat"):
        play_transcribed(FairMatch.client_first(1), [ADA, EASY])


class Cheat(Whim):
    """Answers what it is told to."""

    def __init__(self, thrown, card):
        self.thrown, self.card = thrown, card

    def discard(self, seen):
        return seen.own_hand[:2] if self.thrown == "legal" else self.thrown

    def play(self, seen):
        return self.card


@pytest.mark.parametrize(
    ("thrown", "card"), [((0, 0), 0), ([99], 0), (None, 0), (7, 0), ("legal", 99), ("legal", None)]
)
def test_an_illegal_answer_ends_the_match_with_an_error(thrown, card):
    with pytest.raises(IllegalAnswer, match=r"^expected "):
        play_transcribed(FairMatch.client_first(1), [ADA, EASY], [Cheat(thrown, card), None])


# Tampering: one case for each thing that can be changed, with the path of what is noticed.


def other_card(name):
    return CARD_NAMES[(CARD_NAMES.index(name) + 1) % 52]


def other_seat(seat):
    return 1 - seat


def flipped(text):
    """Another hexadecimal digit at the end."""
    return text[:-1] + ("0" if text[-1] != "0" else "1")


def one_more(number):
    return number + 1


HEELS = [{"kind": "heels", "points": 2}]

# What is changed: the transcript, the path and the change; and the path that is named if it is not
# the same.
TAMPERED = {
    "a card dealt to seat 0": ("brains", "hands[1].dealt[0][2]", other_card),
    "a card dealt to seat 1": ("brains", "hands[3].dealt[1][5]", other_card),
    "a card dealt to a person": ("person", "hands[2].dealt[0][0]", other_card),
    "a card thrown by a program": ("brains", "hands[0].discards[1].cards[0]", other_card),
    "a card thrown by the random player": ("agreed", "hands[2].discards[0].cards[1]", other_card),
    "a card thrown by the program beside a person": (
        "left",
        "hands[1].discards[1].cards[0]",
        other_card,
    ),
    "a card played by a program": ("brains", "hands[2].plays[3].card", other_card),
    "a card played by the program beside a person": ("left", "hands[0].plays[2].card", other_card),
    "a go": ("brains", "hands[2].plays[5].go", False),
    "the starter": ("brains", "hands[1].cut.card", other_card),
    "the starter of the last hand": ("person", "hands[9].cut.card", other_card),
    "a card cut for the deal by seat 0": ("brains", "cuts[0][0]", other_card),
    "a card cut for the deal by seat 1": ("person", "cuts[0][1]", other_card),
    "a second cut for the deal": ("brains", "cuts", lambda cuts: [*cuts, *cuts], "cuts"),
    "no cut for the deal": ("brains", "cuts", [], "cuts"),
    "agreed for a cut": ("brains", "first_deal", "agreed", "cuts"),
    "a cut for agreed": ("agreed", "first_deal", "cut", "cuts"),
    "the first dealer": ("brains", "first_dealer", other_seat),
    "an agreed first dealer": ("agreed", "first_dealer", other_seat, "hands[0].dealer"),
    "an agreed first dealer, true for 1": ("agreed", "first_dealer", True),
    "the dealer of a hand": ("brains", "hands[4].dealer", other_seat),
    "the roll of a throw": ("brains", "hands[0].discards[0].roll", lambda roll: roll / 2),
    "the roll of a play": (
        "brains",
        "hands[5].plays[2].roll",
        lambda roll: math.nextafter(roll, 1),
    ),
    "the roll of a random player": ("agreed", "hands[0].discards[0].roll", 0.5),
    "a roll for a person": ("person", "hands[0].discards[0].roll", 0.5),
    "no roll for a program": ("brains", "hands[0].plays[0].roll", None),
    "the commit": ("brains", "commit", flipped),
    "the commit of protocol 2": ("person", "commit", flipped),
    "the secret of protocol 1": ("brains", "reveal.secret", flipped),
    "the secret of protocol 2": ("person", "reveal.secret", flipped, "commit"),
    "the client seed of protocol 1": ("brains", "reveal.client_seed", "seed-43", "reveal.secret"),
    "the client seed of protocol 2": ("person", "reveal.client_seed", "you", "cuts[0][0]"),
    "the client seed, agreed dealer": ("agreed", "reveal.client_seed", "you", "hands[0].seed"),
    "the master seed": ("brains", "reveal.master_seed", "43", "reveal.secret"),
    "the master seed as a number": ("brains", "reveal.master_seed", 42),
    "a master seed in protocol 2": ("person", "reveal.master_seed", "43"),
    "protocol 2 for 1": ("brains", "protocol", 2, "reveal.master_seed"),
    "protocol 1 for 2": ("person", "protocol", 1, "reveal.master_seed"),
    "a score after a hand": ("brains", "hands[2].scores[1]", one_more),
    "a score at the end": ("brains", "scores[0]", one_more),
    "a score of a match that was left": ("left", "scores[0]", one_more),
    "points of a play": ("brains", "hands[0].plays[3].scored[0].points", one_more),
    "points of a person's play": ("left", "hands[0].plays[11].scored[1].points", one_more),
    "points of a hand": ("brains", "hands[0].shows[0].scored[2].points", one_more),
    "points of a crib": ("brains", "hands[0].shows[2].scored[0].points", one_more),
    "heels": ("left", "hands[1].cut.scored", []),
    "no heels": ("brains", "hands[0].cut.scored", HEELS),
    "what scored": ("brains", "hands[0].plays[7].scored[0].kind", "go"),
    "a second time what scored": ("brains", "hands[0].shows[0].scored", lambda told: told + told),
    "who threw": ("brains", "hands[0].discards[0].seat", other_seat),
    "who played": ("brains", "hands[0].plays[0].seat", other_seat),
    "whose hand it was": ("brains", "hands[0].shows[0].seat", other_seat),
    "a hand for the crib": ("brains", "hands[0].shows[0].what", "crib"),
    "the winner": ("brains", "winner", other_seat),
    "no winner": ("brains", "winner", None),
    "a winner of a match that was left": ("left", "winner", 0),
    "a hand seed": ("brains", "hands[3].seed", lambda seed: str(int(seed) ^ 1)),
    "the number of a hand": ("brains", "hands[3].index", 4),
    "a hand less": ("brains", "hands", lambda hands: hands[:-1]),
    "a hand twice": ("brains", "hands", lambda hands: [*hands, hands[-1]]),
    "hands exchanged": (
        "brains",
        "hands",
        lambda hands: [hands[1], hands[0], *hands[2:]],
        "hands[0].index",
    ),
    "the tier alone": ("brains", "seats[0].tier", "normal", "seats[0].level"),
    "the profile alone": ("brains", "seats[0].profile", "published", "seats[0].temperature"),
    "the level": ("brains", "seats[1].level", 0.12),
    "the temperature": ("person", "seats[1].temperature", 0.0),
    "a brain for a random player": ("brains", "seats[0].kind", "random", "seats[0].tier"),
    "a brain for a person": ("brains", "seats[0].kind", "person", "seats[0].tier"),
    "a third seat": ("person", "seats", lambda seats: [*seats, seats[-1]]),
    "one seat": ("person", "seats", lambda seats: seats[:1]),
    "seats exchanged": ("brains", "seats", lambda seats: seats[::-1], "hands[0].discards"),
}


def test_the_cases_change_what_they_say():
    hands = kept("brains")["hands"]
    assert hands[0]["plays"][7]["scored"] == [{"kind": "last card", "points": 1}]
    assert hands[2]["plays"][5] == {"seat": 0, "go": True}
    assert kept("left")["hands"][0]["plays"][2]["seat"] == 1
    assert kept("left")["hands"][1]["cut"]["scored"] == HEELS
    assert len(kept("person")["hands"]) == 10
    assert (kept("agreed")["first_deal"], kept("agreed")["cuts"]) == ("agreed", [])
    for name, path, value, *_ in TAMPERED.values():
        document = fresh(name)
        change(document, path, value)
        assert json.dumps(document) != json.dumps(kept(name))


@pytest.mark.parametrize("tampering", TAMPERED)
def test_tampering_is_caught(tampering):
    name, path, value, *named = TAMPERED[tampering]
    document = fresh(name)
    change(document, path, value)
    assert re.match(rf"{re.escape(named[0] if named else path)}[^\w]", refusal(document))


def claim(document, seat, tier, profile):
    """Says that another tier sat there, with the level, temperature and tables of that."""
    document["seats"][seat] = Seat.brain(tier, profile).as_json()
    if tier == Tier.MASTER:
        document["tables"] = master_fingerprint()


CLAIMS = [(tier, profile) for tier in Tier for profile in ("published", "calibrated")]


@pytest.mark.parametrize(("name", "seat"), [("brains", 0), ("brains", 1), ("person", 1)])
@pytest.mark.parametrize(("tier", "profile"), CLAIMS)
def test_another_tier_or_profile_is_caught_by_what_it_decides(name, seat, tier, profile):
    document = fresh(name)
    claim(document, seat, tier, profile)
    if document == kept(name):
        verify_transcript(document)
        return
    hand, where, place = re.match(
        r"hands\[(\d+)\]\.(discards|plays)\[(\d+)\]\.ca", refusal(document)
    ).groups()
    decision = document["hands"][int(hand)][where][int(place)]
    assert decision["seat"] == seat


def test_expert_is_the_same_in_both_profiles():
    document = transcript(FairMatch.client_first(1), [EXPERT, NORMAL])
    claim(document, 0, Tier.EXPERT, "calibrated")
    verify_transcript(document)


def test_random_for_a_brain_is_caught():
    document = fresh("brains")
    document["seats"][0] = RANDOM_SEAT.as_json()
    assert re.match(r"hands\[\d+\]\.discards\[0\]\.cards\[[01]\]: ", refusal(document))


def test_another_master_seed_throughout_is_caught():
    document = fresh("brains")
    secret = server_secret(43, "seed-42")
    document["reveal"] |= {"secret": secret.hex(), "master_seed": "43"}
    assert refusal(document).startswith("commit: ")
    document["commit"] = commit_of(secret)
    assert refusal(document).startswith("cuts[0][0]: ")


def test_another_secret_throughout_is_caught():
    document = fresh("agreed")
    document["reveal"]["secret"] = bytes(range(32)).hex()
    document["commit"] = commit_of(bytes(range(32)))
    assert refusal(document).startswith("hands[0].seed: ")


def test_a_transcript_of_another_match_has_another_commit():
    # Verified by itself it holds: the commit is to be compared with the one given out before.
    other = transcript(FairMatch.client_first(43, "seed-42"), [EASY, NORMAL])
    verify_transcript(other)
    assert other["commit"] != kept("brains")["commit"]


# What a person decides.


def own_plays(document):
    """Hand by hand, the entries of the plays of seat 0."""
    return [
        [each for each in hand["plays"] if each["seat"] == 0 and "card" in each]
        for hand in document["hands"]
    ]


def place_of(document, hand, played):
    return document["hands"][hand]["plays"].index(played)


def test_a_card_that_a_person_did_not_hold_is_caught():
    document = fresh("person")
    first = own_plays(document)[3][0]
    first["card"] = document["hands"][3]["dealt"][1][0]
    path = f"hands[3].plays[{place_of(document, 3, first)}].card"
    assert refusal(document).startswith(f"{path}: expected one of ")


def test_a_card_that_a_person_played_twice_is_caught():
    document = fresh("person")
    first, second, *_ = own_plays(document)[3]
    path = f"hands[3].plays[{place_of(document, 3, second)}].card"
    second["card"] = first["card"]
    assert re.match(rf"{re.escape(path)}: expected one of .*{first['card']}'?$", refusal(document))


@pytest.mark.parametrize(
    ("cards", "said"),
    [
        (lambda six, two: [two[0], two[0]], "expected two cards of the hand"),
        (lambda six, two: two[:1], "expected two cards of the hand"),
        (lambda six, two: [*two, six[0]], "expected two cards of the hand"),
        (lambda six, two: [two[0], next(c for c in CARD_NAMES if c not in six)], "expected two "),
    ],
)
def test_a_throw_that_a_person_could_not_make_is_caught(cards, said):
    document = fresh("person")
    hand = document["hands"][2]
    hand["discards"][0]["cards"] = cards(hand["dealt"][0], hand["discards"][0]["cards"])
    assert refusal(document).startswith(f"hands[2].discards[0].cards: {said}")


def test_the_cards_of_a_throw_are_ascending():
    document = fresh("person")
    document["hands"][2]["discards"][0]["cards"].reverse()
    assert refusal(document).startswith("hands[2].discards[0].cards[0]: ")


def test_another_legal_card_of_a_person_is_caught_where_it_changes_what_follows():
    caught = 0
    for hand in range(len(kept("person")["hands"])):
        document = fresh("person")
        first, second, *_ = own_plays(document)[hand]
        place = place_of(document, hand, first)
        first["card"], second["card"] = second["card"], first["card"]
        try:
            verify_transcript(document)
        except TranscriptError:
            where = re.match(rf"hands\[{hand}\]\.plays\[(\d+)\]", refusal(document))
            assert int(where[1]) >= place
            caught += 1
    assert caught >= 5


def test_the_limit_another_choice_of_a_person_that_changes_nothing_is_his():
    # Two cards of a rank, played in the other order: all that follows is the same.
    found = 0
    for number in range(20):
        document = transcript(FairMatch.client_first(number), [ADA, EASY], answers=20, seed=number)
        for own in own_plays(document):
            for first, second in pairwise(own):
                if first["card"][0] == second["card"][0]:
                    first["card"], second["card"] = second["card"], first["card"]
                    verify_transcript(document)
                    found += 1
    assert found > 5


def test_the_limit_that_a_person_left_is_his_word():
    document = fresh("person")
    index, hand = next(
        (index, hand)
        for index, hand in enumerate(document["hands"])
        if index > 2 and "card" in hand["plays"][0] and hand["plays"][0]["seat"] == 0
    )
    # Nothing is said of what came after he was asked to lead in this hand.
    hand |= {"plays": [], "shows": [], "scores": document["hands"][index - 1]["scores"]}
    assert hand["cut"]["scored"] == []
    document |= {
        "hands": document["hands"][: index + 1],
        "scores": hand["scores"],
        "winner": None,
    }
    verify_transcript(document)
    # But once his answer is told, so is what follows from it.
    told = kept("person")["hands"][index]["plays"][0]
    hand["plays"] = [told]
    assert refusal(document).startswith(f"hands[{index}].plays: ")


def test_the_limit_who_sat_there_is_their_word():
    document = fresh("person")
    document["seats"][0] = {"kind": "outside", "name": "another"}
    verify_transcript(document)
    document["seats"][1] = {"kind": "person", "name": "not a program"}
    assert refusal(document).startswith("hands[0].discards[1].roll: ")
    for hand in document["hands"]:
        for each in hand["discards"] + hand["plays"]:
            if "roll" in each:
                each["roll"] = None
    verify_transcript(document)


# Every entry.


def altered(value):
    """Other values in place of one, the first of the same kind."""
    if isinstance(value, bool):
        others = [not value, int(value), None]
    elif isinstance(value, int):
        others = [value + 1, str(value), [value], None]
    elif isinstance(value, float):
        others = [value + 1, math.nextafter(value, 2), str(value), None]
    elif value in CARD_NAMES:
        others = [other_card(value), value.lower(), [value], None]
    elif isinstance(value, str):
        others = [value[:-1] + chr(ord(value[-1]) ^ 1) if value else "0", value + " ", None]
    elif value is None:
        others = [0, 0.5, "null", []]
    else:
        others = [type(value)(), "text", None]
    return [other for other in others if other != value or type(other) is not type(value)]


def edits(document):
    """Each way to change one entry: what it is, the path of what is replaced, and by what."""
    for path in paths(document):
        value, where, choice = entry(document, path), written(path), is_claim(document, path)
        for other in altered(value):
            if not choice or type(other) is not type(value):
                yield f"{where} = {other!r}", path, other
        if not choice:
            rest = copy.copy(entry(document, path[:-1]))
            del rest[path[-1]]
            yield f"{where} removed", path[:-1], rest
        if isinstance(value, dict):
            yield f"more in {where}", path, {**value, "more": 0}
        if isinstance(value, list):
            for more in (value[-1:] or [0], [None]):
                yield f"{where} + {more!r}", path, value + more
            for place, (one, other) in enumerate(pairwise(value)):
                both = [(*path, place), (*path, place + 1)]
                if one != other and not all(is_claim(document, each) for each in both):
                    exchanged = [*value[:place], other, one, *value[place + 2 :]]
                    yield f"{where}[{place}] and the next exchanged", path, exchanged


def unnoticed(document, stride):
    """Which of every so many edits still verify."""
    missed = []
    for what, path, value in islice(edits(document), 0, None, stride):
        changed = copy.deepcopy(document)
        if path:
            entry(changed, path[:-1])[path[-1]] = value
        try:
            verify_transcript(changed if path else value)
            missed.append(what)
        except TranscriptError:
            pass
    return missed


@pytest.mark.parametrize(("name", "stride"), [("left", 1), ("brains", 150), ("agreed", 190)])
def test_a_change_of_any_entry_is_caught(name, stride):
    document = kept(name)
    assert len(list(edits(document))) > 1_000
    assert unnoticed(document, stride) == []


# What is no transcript.


@pytest.mark.parametrize(
    "document",
    [None, True, 0, 1.5, "", "transcript", [], {}, [1, 2], {"format": FORMAT}, {"hands": []}],
    ids=repr,
)
def test_what_is_no_transcript(document):
    assert "unsupported" not in refusal(document)


@pytest.mark.parametrize("name", ["left", "brains"])
def test_a_key_that_is_not_there(name):
    for key in kept(name):
        document = fresh(name)
        del document[key]
        assert refusal(document).startswith(key)


@pytest.mark.parametrize("kind", [PERSON, OUTSIDE, RANDOM, "brain", "judge", None, ["person"]])
def test_a_seat_that_is_none(kind):
    document = fresh("left")
    document["seats"][1] = {"kind": kind}
    assert refusal(document).startswith("seats")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("format", "another", "format"),
        ("format", ["a\nb"], "format"),
        ("version", VERSION + 1, f"version {VERSION + 1}"),
        ("version", 0, "version 0"),
        ("version", "1\n2", "version"),
        ("version", True, "version"),
        ("protocol", 3, "protocol: expected .*1.*2, got 3"),
        ("protocol", "1", "protocol"),
        ("tables", "0123456789abcdef", "tables: expected [0-9a-f]{16}, got .?0123456789abcdef"),
        ("tables", "a\nb", "tables"),
        ("tables", None, "tables"),
        ("first_deal", "drawn", "first_deal"),
        ("first_dealer", 2, "first_dealer"),
        ("first_dealer", 1.0, "first_dealer"),
        ("seats", [], "seats"),
        ("seats", {}, "seats"),
        ("hands", {}, "hands"),
        ("hands", ["a"], "hands"),
        ("hands[0].discards", None, r"hands\[0\].discards"),
        ("hands[0].discards[0].cards", "9C", r"hands\[0\].discards\[0\].cards"),
        ("hands[0].plays[1].card", "6c", r"hands\[0\].plays\[1\].card"),
        ("hands[0].plays[1].card", {"6C": 1}, r"hands\[0\].plays\[1\].card"),
        ("seats[1].tier", "hardest", r"(seats\[1\].tier|.*'hardest')"),
        ("seats[1].tier", ["easy"], r"(seats\[1\].tier|.*'easy')"),
        ("seats[1].profile", "secret", r"(seats\[1\].profile|.*'secret')"),
        ("seats[1].profile", {}, r"seats\[1\].profile"),
        ("seats[0].name", ["Ada"], r"seats\[0\].name"),
        ("reveal", None, "reveal"),
        ("reveal.secret", "ab", "(reveal.secret|expected a secret of 32 bytes, got 1)"),
        ("reveal.secret", "no hexadecimal", "(reveal.secret|.*hexadecimal)"),
        ("reveal.secret", 7, "reveal.secret"),
        ("reveal.client_seed", 7, "reveal.client_seed"),
        ("reveal.client_seed", "\ud800", ".*surrogates"),
        ("more", 0, "more should not be there"),
        ("a\nb", 0, ".*should not be there"),
    ],
)
def test_a_document_with_something_else_in_it(key, value, said):
    document = fresh("left")
    if key in ("more", "a\nb"):
        document[key] = value
    else:
        change(document, key, value)
    assert re.search(said, refusal(document))


@pytest.mark.parametrize(
    "seed", ["", "x", "1.5", "9223372036854775808", 1.5, math.inf, math.nan, [], {}, None, True]
)
def test_a_master_seed_that_cannot_be(seed):
    document = fresh("brains")
    document["reveal"]["master_seed"] = seed
    assert "seed" in refusal(document)


def test_a_client_seed_is_a_text():
    document = transcript(FairMatch.client_first(1, "5"), [EASY, NORMAL])
    document["reveal"]["client_seed"] = 5
    assert refusal(document).startswith("reveal.client_seed")


@pytest.mark.parametrize("key", ["scores", "winner", "commit", "seats", "hands", "version"])
def test_an_entry_that_goes_on_and_on(key):
    deep = []
    for _ in range(5_000):
        deep = [deep]
    document = {**kept("left"), key: deep}
    refusal(document)
    refusal({**kept("left"), key: "long" * 10_000})
    refusal({**kept("left"), key: [7] * 10_000})


def test_whole_numbers_may_lose_their_point():
    # JSON written by a program in JavaScript says 1 for 1.0.
    document = transcript(FairMatch.client_first(1), [EXPERT, NORMAL])
    assert document["seats"][0]["level"] == 1.0
    document["seats"][0] |= {"level": 1, "temperature": 0}
    verify_transcript(document)


WORDS = st.sampled_from(
    [*CARD_NAMES, "format", "version", "seats", "hands", "seat", "card", "cards", "kind", "go"]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 60)
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | WORDS
)
JSON = st.recursive(
    SCALARS,
    lambda below: (
        st.lists(below, max_size=4)
        | st.dictionaries(st.text(max_size=4) | WORDS, below, max_size=4)
    ),
    max_leaves=8,
)


@given(JSON)
def test_random_json_is_no_transcript(document):
    refusal(document)


def test_a_large_value_is_cut_as_a_whole():
    document = fresh("left")
    shows = document["hands"][0]["shows"][1]
    shows["scored"] = {letter * 9: dict.fromkeys("abcd", "x" * 90) for letter in "wxyz"}
    assert refusal(document).startswith("hands[0].shows[1].scored: expected [")


@settings(max_examples=150)
@given(st.integers(0), JSON)
def test_a_transcript_with_random_json_in_it(number, value):
    document = fresh("left")
    ways = list(paths(document))
    path = ways[number % len(ways)]
    before = entry(document, path)
    entry(document, path[:-1])[path[-1]] = value
    if repr(before) == repr(value) or (path[-1] == "name" and isinstance(value, str)):
        verify_transcript(document)
    else:
        refusal(document)


@pytest.mark.parametrize("name", ["keeps", "flushes", "pegging", "throws", "board"])
def test_other_tables_of_master_are_another_version(name, monkeypatch):
    document = transcript(FairMatch.client_first(1), [MASTER, EXPERT])
    verify_transcript(document)
    tables = default_master_tables()
    if name == "board":
        other = replace(tables, board=Board(0.9 * tables.board.dealer_wins + 0.05))
    else:
        other = replace(tables, **{name: 0.9 * getattr(tables, name) + 0.05})
    for module in (fast_brain, master_tables):
        monkeypatch.setattr(module, "default_master_tables", lambda: other)
    assert "the brain of another version decided" in refusal(document)
    verify_transcript(transcript(FairMatch.client_first(1), [MASTER, EXPERT]))


def test_without_master_only_the_crib_tables_are_named():
    documents = [kept(name) for name in ("brains", "person", "agreed", "left")]
    assert {document["tables"] for document in documents} == {tables_fingerprint()}


# Another program, in another language.


def node_says(document):
    finished = subprocess.run(
        [NODE, NODE_VERIFIER],
        input=json.dumps(document),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )
    assert finished.stderr == ""
    assert finished.returncode == (0 if finished.stdout == "ok\n" else 1)
    return finished.stdout.rstrip("\n")


needs_node = pytest.mark.skipif(NODE is None, reason="needs node")


@needs_node
@pytest.mark.parametrize("name", ["brains", "person", "agreed", "left"])
def test_node_agrees(name):
    assert node_says(kept(name)) == "ok"


@needs_node
def test_node_agrees_on_random_transcripts():
    for number in range(6):
        assert node_says(random_transcript(random.Random(f"node {number}"))) == "ok"


@needs_node
@pytest.mark.parametrize(
    ("name", "path", "value", "named"),
    [
        ("brains", "commit", flipped, "commit"),
        ("brains", "reveal.master_seed", "43", "reveal.secret"),
        ("person", "reveal.client_seed", "you", "cuts"),
        ("person", "cuts[0][1]", other_card, "cuts"),
        ("person", "first_dealer", other_seat, "first_dealer"),
        ("brains", "hands[3].seed", lambda seed: str(int(seed) ^ 1), "hands[3].seed"),
        ("brains", "hands[1].dealt[0][2]", other_card, "hands[1].dealt[0]"),
        ("brains", "hands[1].cut.card", other_card, "hands[1].cut.card"),
        (
            "brains",
            "hands[5].plays[2].roll",
            lambda roll: math.nextafter(roll, 1),
            "hands[5].plays[2].roll",
        ),
        ("left", "hands[0].discards[1].roll", 0.5, "hands[0].discards[1].roll"),
        ("left", "hands[0].plays[1].roll", 0.5, "hands[0].plays[1].roll"),
    ],
)
def test_node_names_the_first_difference(name, path, value, named):
    document = fresh(name)
    change(document, path, value)
    assert node_says(document).startswith(f"{named}: expected ")


@needs_node
def test_node_on_what_is_no_transcript():
    assert node_says([]).startswith("no transcript: ")
    assert node_says({"reveal": {}, "protocol": 1}).startswith("no transcript: ")
