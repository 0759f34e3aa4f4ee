import copy
import json
import random

import pytest

from engines.cards import parse_card
from engines.cribbage.coach import Grade, grade_discard, grade_play
from engines.cribbage.fair_deal import FairMatch
from engines.cribbage.lead_analysis import SAMPLES, analyze_lead
from engines.cribbage.review import COSTLIEST, review_match
from engines.cribbage.tiers import Tier
from engines.cribbage.transcript import (
    OUTSIDE,
    PERSON,
    RANDOM,
    EndOfScript,
    Seat,
    TranscriptError,
    play_transcribed,
)

HARD, EXPERT = (Seat.brain(tier, "calibrated") for tier in (Tier.HARD, Tier.EXPERT))


class Person:
    """Decides at random, and leaves after so many decisions."""

    def __init__(self, seed, decisions=1000):
        self.rng, self.left = random.Random(seed), decisions

    def _decide(self):
        if not self.left:
            raise EndOfScript
        self.left -= 1

    def discard(self, seen):
        self._decide()
        return self.rng.sample(seen.own_hand, 2)

    def play(self, seen):
        self._decide()
        return self.rng.choice(seen.legal_plays())


def transcript(number, seats=(HARD, EXPERT), others=(None, None), **more):
    """A transcript as it is read from a file."""
    match = FairMatch.client_first(number, "review")
    return json.loads(json.dumps(play_transcribed(match, seats, others, **more)))


def with_person(number, decisions=1000):
    """A person in seat 0, and what it saw and chose."""
    told = []

    def decided(seat, seen, chosen):
        if seat == 0:
            told.append((seen, chosen))

    seats, others = [Seat(PERSON, "guest"), HARD], [Person(number, decisions), None]
    return transcript(number, seats, others, decided=decided), told


def test_each_decision_of_the_seat_is_there_in_order_but_for_forced_plays():
    for number in range(4):
        document, told = with_person(number)
        review = review_match(document, 0, deep=False)
        real = [each for each in told if each[0].starter is None or len(each[0].legal_plays()) > 1]
        assert len(real) < len(told)
        assert [each.seen for each in review.decisions] == [seen for seen, _ in real]
        for each, (seen, chosen) in zip(review.decisions, real, strict=True):
            assert each.is_discard == (seen.starter is None)
            if each.is_discard:
                assert each.graded == grade_discard(seen, chosen)
            else:
                assert each.graded == grade_play(seen, chosen[0])


def test_a_decision_knows_its_hand():
    document, _ = with_person(5)
    review = review_match(document, 0, deep=False)
    throws = [each for each in review.decisions if each.is_discard]
    assert [each.hand for each in throws] == list(range(len(document["hands"])))
    assert [each.hand for each in review.decisions] == sorted(
        each.hand for each in review.decisions
    )
    for each in review.decisions:
        hand = document["hands"][each.hand]
        dealt = set(map(parse_card, hand["dealt"][0]))
        assert {*each.seen.own_hand, *each.seen.own_discards} <= dealt
        assert each.seen.is_dealer == (hand["dealer"] == 0)


def test_points_given_up_and_grades_add_up():
    document, _ = with_person(6)
    review = review_match(document, 0, deep=False)
    for discards in (True, False):
        graded = [each.graded for each in review.decisions if each.is_discard == discards]
        assert review.lost(discards=discards) == pytest.approx(sum(each.lost for each in graded))
        shares = [review.share(grade, discards=discards) for grade in Grade]
        assert sum(count for count, _ in shares) == len(graded)
        assert {of for _, of in shares} == {len(graded)}
        assert shares[2][0] == sum(each.grade is Grade.COSTLY for each in graded) > 0
    whole = review.lost(discards=True) + review.lost(discards=False)
    assert whole == pytest.approx(sum(each.graded.lost for each in review.decisions))
    assert whole > 10


def test_the_costliest_come_first():
    for number in range(5):
        review = review_match(with_person(number)[0], 0, deep=False)
        worst = review.costliest
        lost = sorted((each.graded.lost for each in review.decisions), reverse=True)
        assert [each.graded.lost for each in worst] == lost[:COSTLIEST]
        assert all(each in review.decisions for each in worst)
        assert all(each.graded.grade is not Grade.BEST for each in worst)


def test_of_equal_losses_the_first_comes_first():
    review = review_match(with_person(7)[0], 0, deep=False)
    doubled = type(review)(0, review.decisions + review.decisions)
    places = [review.decisions.index(each) for each in doubled.costliest]
    assert doubled.costliest[:2] == [review.costliest[0]] * 2
    assert places[0] == places[1]


def test_an_expert_gives_nothing_up_in_either_seat():
    decisions = 0
    for number in range(12):
        for seat, seats in ((1, (HARD, EXPERT)), (0, (EXPERT, HARD)), (0, (EXPERT, EXPERT))):
            review = review_match(transcript(number, seats), seat, deep=False)
            decisions += len(review.decisions)
            assert {each.graded.grade for each in review.decisions} == {Grade.BEST}
            assert review.costliest == []
            assert review.lost(discards=True) == review.lost(discards=False) == 0.0
    assert decisions > 900


def test_every_kind_of_seat_is_reviewed():
    seats = [Seat(OUTSIDE, "program"), Seat(RANDOM, "random")]
    document = transcript(8, seats, [Person(8), None])
    lost = [review_match(document, seat, deep=False).lost(discards=True) for seat in (0, 1)]
    assert all(each > 5 for each in lost)


def test_both_seats_of_a_match_are_told_apart():
    document = transcript(9)
    reviews = [review_match(document, seat, deep=False) for seat in (0, 1)]
    assert [review.seat for review in reviews] == [0, 1]
    hands = [[each.seen.own_hand for each in review.decisions] for review in reviews]
    assert not set(hands[0]) & set(hands[1])


def test_a_deep_review_analyses_the_leads_and_changes_no_grade():
    document, _ = with_person(10)
    deep, plain = review_match(document, 0), review_match(document, 0, deep=False)
    assert all(each.lead is None for each in plain.decisions)
    assert [each.graded for each in deep.decisions] == [each.graded for each in plain.decisions]
    leads = [each for each in deep.decisions if not each.is_discard and not each.seen.pile]
    assert len(leads) > 5
    assert [each for each in deep.decisions if each.lead is not None] == leads
    for each in leads:
        assert each.lead == analyze_lead(each.seen, each.graded.card)
        assert each.lead.exact or each.lead.hands == SAMPLES
    few = review_match(document, 0, samples=7)
    assert {each.lead.hands for each in few.decisions if each.lead and not each.lead.exact} == {7}


def test_the_same_transcript_gets_the_same_review():
    document, _ = with_person(11)
    assert review_match(document, 0) == review_match(copy.deepcopy(document), 0)


@pytest.mark.parametrize("decisions", [0, 1, 2, 5, 9])
def test_a_match_that_was_left_is_reviewed_as_far_as_it_went(decisions):
    document, told = with_person(12, decisions)
    assert document["winner"] is None
    review = review_match(document, 0)
    assert len(told) == decisions
    assert len(review.decisions) == sum(
        seen.starter is None or len(seen.legal_plays()) > 1 for seen, _ in told
    )


def changed(document, change):
    tampered = copy.deepcopy(document)
    change(tampered)
    return tampered


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.pop("hands"),
        lambda document: document.update(format="other"),
        lambda document: document["hands"][0]["plays"][0].update(card="AC"),
        lambda document: document["hands"][0].update(scores=[5, 5]),
        lambda document: document["hands"][-1]["shows"].pop(),
        lambda document: document.update(commit="0" * 64),
        lambda document: document["hands"][0]["discards"][0].update(cards=["AC", "AC"]),
        lambda document: document["hands"][0]["discards"][0].update(cards=["AC"]),
        lambda document: document["hands"][0]["discards"][0].update(cards=["XX", "AC"]),
    ],
)
def test_a_transcript_that_does_not_hold_is_not_reviewed(change):
    document, _ = with_person(13)
    review_match(document, 0)
    with pytest.raises(TranscriptError):
        review_match(changed(document, change), 0)
