"""Master as the judge of the coach: its grades are the chances that Master goes by."""

import random
from itertools import pairwise

import pytest
from naive.cribbage_show import cards
from naive.cribbage_show import play as points_of_pile

from engines.cards import PACK_SIZE, pretty
from engines.cribbage import fast_brain
from engines.cribbage.coach import Grade, grade_discard, grade_play
from engines.cribbage.fair_deal import FairMatch
from engines.cribbage.judge import (
    ALMOST,
    MASTER_JUDGE,
    MASTER_PLAY_LIMITS,
    MASTER_THROW_LIMITS,
    ROLL,
    THROW_TRIALS,
)
from engines.cribbage.master_memory import MAX_SAMPLES
from engines.cribbage.master_tables import default_master_tables
from engines.cribbage.match import Deal, play_match
from engines.cribbage.observation import Observation, ObservationError, Played
from engines.cribbage.review import review_match
from engines.cribbage.tiers import Tier
from engines.cribbage.transcript import Seat, play_transcribed

PACK = range(PACK_SIZE)
SCORES = [0, 40, 90, 108, 115, 118, 120]


class Chance:
    """Throws and plays at random, and keeps what it saw."""

    def __init__(self, seed):
        self.rng, self.throws, self.plays = random.Random(seed), [], []

    def discard(self, seen):
        self.throws.append(seen)
        return self.rng.sample(seen.own_hand, 2)

    def play(self, seen):
        self.plays.append(seen)
        return self.rng.choice(seen.legal_plays())


def positions(seed, deals):
    """Throws and plays of deals at random, at scores of all kinds."""
    rng, throws, plays = random.Random(seed), [], []
    for number in range(deals):
        dealt = rng.sample(PACK, 13)
        deal = Deal(tuple(sorted(dealt[:6])), tuple(sorted(dealt[6:12])), dealt[12])
        players, scores = [Chance(number), Chance(-number)], tuple(rng.choices(SCORES, k=2))
        try:
            play_match(players, [deal], rng.randrange(2), scores=scores)
        except ValueError as error:
            assert str(error) == "expected enough deals to end a match"
        for player in players:
            throws += player.throws
            plays += [seen for seen in player.plays if len(seen.legal_plays()) > 1]
    return throws, plays


THROWS, PLAYS = positions(1, 8)


def test_throws_are_graded_by_masters_chances():
    grades = set()
    for seen in THROWS[::3]:
        found = fast_brain.throw_chances(seen, THROW_TRIALS, ROLL)
        chances = [min(chance, ALMOST) for chance in found]
        throws = [
            (seen.own_hand[first], seen.own_hand[second]) for first, second in fast_brain.THROWS
        ]
        best = throws[chances.index(max(chances))]
        for thrown, chance in zip(throws, chances, strict=True):
            graded = grade_discard(seen, thrown, MASTER_JUDGE)
            assert (graded.best, graded.chance) == (best, max(chances))
            assert graded.lost == max(chances) - chance
            assert (graded.grade is Grade.BEST) == (graded.lost <= MASTER_THROW_LIMITS.best)
            assert (graded.grade is Grade.COSTLY) == (graded.lost >= MASTER_THROW_LIMITS.ok)
            grades.add(graded.grade)
        assert grade_discard(seen, best, MASTER_JUDGE).lost == 0.0
    assert grades == set(Grade)


def test_cards_are_graded_by_masters_chances():
    grades = set()
    for seen in PLAYS:
        found = dict(fast_brain.play_chances(seen, MAX_SAMPLES, ROLL))
        points = {card: points_of_pile((*seen.pile, card)) for card in found}
        alike = [card for card in found if found[card] >= max(found.values()) - 1e-9]
        best = max(alike, key=lambda card: points[card])
        chances = {
            card: 1.0 if seen.own_score + points[card] >= 121 else min(chance, ALMOST)
            for card, chance in found.items()
        }
        for card, chance in chances.items():
            graded = grade_play(seen, card, MASTER_JUDGE)
            assert (graded.best, graded.chance) == (best, chances[best])
            assert graded.lost == chances[best] - chance
            assert (graded.grade is Grade.BEST) == (graded.lost <= MASTER_PLAY_LIMITS.best)
            assert (graded.grade is Grade.COSTLY) == (graded.lost >= MASTER_PLAY_LIMITS.ok)
            grades.add(graded.grade)
        assert grade_play(seen, best, MASTER_JUDGE).lost == 0.0
    assert grades == set(Grade)


@pytest.mark.parametrize("scores", [(0, 0), (60, 60), (95, 110), (118, 100)])
@pytest.mark.parametrize("is_dealer", [False, True])
def test_the_chance_before_a_throw_is_about_what_the_board_says(scores, is_dealer):
    # Twenty hands, each of which moves the chance to one side or the other.
    rng, board = random.Random(2), default_master_tables().board
    hands = [Observation.for_discard(rng.sample(PACK, 6), is_dealer, *scores) for _ in range(20)]
    chances = [max(MASTER_JUDGE.weigh_throws(seen).values.values()) for seen in hands]
    assert sum(chances) / 20 == pytest.approx(board.chance(*scores, is_dealer), abs=0.08)


def test_the_reason_says_how_much_more_often_the_better_choice_wins():
    for seen in PLAYS:
        for card in seen.legal_plays()[:2]:
            graded = grade_play(seen, card, MASTER_JUDGE)
            if graded.grade is not Grade.COSTLY:
                assert graded.reason.startswith(("well played", "nearly as good as"))
            elif "the match at once" not in graded.reason:
                assert graded.reason.endswith(f"wins {100 * graded.lost:.1f} % more often")
            assert len(graded.reason) < 60
    six = Observation.for_discard(cards("2C 5C 5H JD QS KD"), True)
    graded = grade_discard(six, cards("QS KD"), MASTER_JUDGE)
    better = " ".join(map(pretty, graded.best))
    assert graded.reason == f"{better} into your crib wins {100 * graded.lost:.1f} % more often"


def whole_play(hand, pile, own_score, opponent_score):
    """The pone's second card: it has led the first of the pile."""
    led, replied = cards(pile)
    return Observation.for_play(
        cards(hand),
        (led, replied),
        3,
        cards("2S")[0],
        False,
        own_discards=cards("2C 3C"),
        history=[Played(True, led), Played(False, replied)],
        own_score=own_score,
        opponent_score=opponent_score,
    )


def test_points_at_once_and_a_match_that_ends_are_told():
    seen = whole_play("8H JD QS", "7H 8C", 50, 50)
    jack = grade_play(seen, cards("JD")[0], MASTER_JUDGE)
    assert jack.reason == f"8♥ scores 2 more at once and wins {100 * jack.lost:.1f} % more often"
    last = whole_play("8H JD QS", "7H 8C", 119, 119)
    jack = grade_play(last, cards("JD")[0], MASTER_JUDGE)
    assert (jack.reason, jack.chance) == ("8♥ wins the match at once", 1.0)


def test_the_same_is_judged_alike_whatever_was_judged_before():
    def judged():
        throws = [MASTER_JUDGE.weigh_throws(seen) for seen in THROWS[:4]]
        return throws, [MASTER_JUDGE.weigh_cards(seen) for seen in PLAYS[:20]]

    assert judged() == judged()


def test_a_review_by_master_sees_what_the_player_saw():
    seats, told = [Seat.brain(Tier.HARD, "calibrated")] * 2, []
    match = FairMatch.client_first(3, "judge")
    document = play_transcribed(
        match, seats, decided=lambda seat, seen, chosen: told.append((seat, seen, chosen))
    )
    review = review_match(document, 1, deep=False, judge=MASTER_JUDGE)
    assert review.judge is MASTER_JUDGE
    expected = [
        grade_discard(seen, chosen, MASTER_JUDGE)
        if seen.starter is None
        else grade_play(seen, chosen[0], MASTER_JUDGE)
        for seat, seen, chosen in told
        if seat == 1 and (seen.starter is None or len(seen.legal_plays()) > 1)
    ]
    assert [each.graded for each in review.decisions] == expected
    worst = [each.graded.lost for each in review.costliest]
    assert all(one >= other for one, other in pairwise(worst))


def test_master_does_not_judge_a_play_of_which_it_does_not_know_all():
    seen = Observation.for_play(cards("5H JD QS"), cards("7H 8C"), 3, cards("2S")[0], False)
    with pytest.raises(ObservationError, match="expected all of the deal"):
        grade_play(seen, cards("5H")[0], MASTER_JUDGE)
