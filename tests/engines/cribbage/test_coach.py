import random
from dataclasses import dataclass, replace
from itertools import combinations
from types import SimpleNamespace

import pytest
from naive.cribbage_show import cards, value

from engines.cards import PACK_SIZE
from engines.cribbage import brain, fast_brain, judge
from engines.cribbage.coach import (
    LED_A_FIVE,
    LEFT_A_DANGEROUS_COUNT,
    Grade,
    grade_discard,
    grade_play,
    kept_traps,
)
from engines.cribbage.fair_deal import FairMatch, Protocol
from engines.cribbage.judge import EXPERT_JUDGE, MASTER_JUDGE
from engines.cribbage.lead_analysis import analyze_lead
from engines.cribbage.match import Deal, play_match, random_deals
from engines.cribbage.observation import Observation, legal_plays
from engines.cribbage.scoring import GAME
from engines.cribbage.tiers import PROFILES, Skill, Tier
from engines.cribbage.transcript import PERSON, EndOfScript, Seat, play_transcribed

EXPERT = Skill(1.0, 0.0)
PACK = range(PACK_SIZE)


def play(hand, pile="", opponent_cards=3, starter="2S", **more):
    return Observation.for_play(
        cards(hand), cards(pile), opponent_cards, cards(starter)[0], False, **more
    )


def throw(hand, is_dealer=True, **more):
    return Observation.for_discard(cards(hand), is_dealer, **more)


def graded(seen, names):
    chosen = cards(names)
    return grade_discard(seen, chosen) if len(chosen) == 2 else grade_play(seen, chosen[0])


# Expert's own decisions.


def assert_best(review, chosen):
    assert (review.grade, review.lost, review.best) == (Grade.BEST, 0.0, chosen)


class WatchedExpert:
    """Decides as Expert does, and has each decision graded."""

    def __init__(self):
        self.decisions = 0

    def discard(self, seen):
        thrown = fast_brain.choose_discard(seen, EXPERT, 0.0)
        assert_best(grade_discard(seen, thrown), thrown)
        self.decisions += 1
        return thrown

    def play(self, seen):
        card = fast_brain.choose_play(seen, EXPERT, 0.0)
        assert_best(grade_play(seen, card), card)
        self.decisions += 1
        return card


def test_expert_is_the_expert_of_every_profile():
    assert {profile.tier(Tier.EXPERT) for profile in PROFILES.values()} == {EXPERT}


def test_every_throw_of_expert_is_best():
    rng = random.Random(1)
    for _ in range(4000):
        scores = rng.randrange(GAME), rng.randrange(GAME)
        seen = Observation.for_discard(rng.sample(PACK, 6), rng.random() < 0.5, *scores)
        thrown = fast_brain.choose_discard(seen, EXPERT, 0.0)
        assert_best(grade_discard(seen, thrown), thrown)


def random_play(rng):
    """Any position of the play, also such as no match comes to."""
    held, laid = rng.randint(1, 4), rng.choice([0, 0, 1, 2, 3, 4, 5])
    hand, pile, starter = [], [], None
    while not legal_plays(hand, sum(min(card // 4 + 1, 10) for card in pile)):
        pack = rng.sample(PACK, held + laid + 1)
        hand, pile, starter = pack[:held], pack[held:-1], pack[-1]
    return Observation.for_play(
        hand,
        pile,
        rng.randint(0, 4),
        starter,
        rng.random() < 0.5,
        own_score=rng.randrange(GAME),
        opponent_score=rng.choice([rng.randrange(GAME), rng.randint(110, 120)]),
    )


def test_every_play_of_expert_is_best():
    rng = random.Random(2)
    for number in range(8000):
        seen = random_play(rng)
        card = fast_brain.choose_play(seen, EXPERT, 0.0)
        assert_best(grade_play(seen, card), card)
        if number < 200:
            assert brain.choose_play(seen, EXPERT, 0.0) == card


def test_every_decision_of_expert_in_whole_matches_is_best_at_all_scores():
    player = WatchedExpert()
    for score in range(GAME):
        play_match(
            (player, player),
            random_deals(3, score),
            score % 2,
            scores=(score, score * 37 % GAME),
        )
    assert player.decisions > 3000


def test_the_coach_knows_the_scores():
    rng, differing = random.Random(4), 0
    for _ in range(3000):
        calm = replace(random_play(rng), opponent_score=100)
        tense = replace(calm, opponent_score=115)
        card = fast_brain.choose_play(tense, EXPERT, 0.0)
        if card != fast_brain.choose_play(calm, EXPERT, 0.0):
            differing += 1
            assert grade_play(tense, card).lost == 0.0 < grade_play(calm, card).lost
    assert differing > 5


# Grades.


@pytest.mark.parametrize(
    ("lost", "grade"),
    [
        (0.0, "best"),
        (0.05, "best"),
        (0.0501, "ok"),
        (0.3499, "ok"),
        (0.35, "costly"),
        (9, "costly"),
    ],
)
def test_a_play_is_graded_by_what_it_gives_up(lost, grade, monkeypatch):
    seen = play("5H JD QS", "7H")
    values = list(zip(seen.own_hand, [-lost, 0.0, -9.0], strict=True))
    stub = SimpleNamespace(
        play_values=lambda seen, level: values, choose_play=lambda seen, skill, roll: values[1][0]
    )
    monkeypatch.setattr(judge, "fast_brain", stub)
    found = graded(seen, "5H")
    assert (found.lost, found.grade, found.best) == (lost, grade, cards("JD")[0])


@pytest.mark.parametrize(
    ("lost", "grade"),
    [(0.0, "best"), (0.1, "best"), (0.1001, "ok"), (0.7499, "ok"), (0.75, "costly"), (9, "costly")],
)
def test_a_throw_is_graded_by_what_it_gives_up(lost, grade, monkeypatch):
    seen = throw("2C 5C 5H JD QS KD")
    stub = SimpleNamespace(
        discard_values=lambda seen: [0.0, -lost, *[-9.0] * 13],
        choose_discard=lambda seen, skill, roll: cards("2C 5C"),
    )
    monkeypatch.setattr(judge, "fast_brain", stub)
    found = graded(seen, "5H 2C")
    assert (found.lost, found.grade, found.best) == (lost, grade, cards("2C 5C"))


def test_points_given_up_are_those_of_the_values_that_expert_goes_by():
    rng = random.Random(5)
    for _ in range(300):
        seen = random_play(rng)
        values = dict(brain.play_values(seen, EXPERT.level))
        for card, worth in values.items():
            found = grade_play(seen, card)
            assert found.card == card
            assert found.lost == pytest.approx(max(values.values()) - worth)
            assert found.best == brain.choose_play(seen, EXPERT, 0.0)
    for _ in range(20):
        seen = Observation.for_discard(rng.sample(PACK, 6), rng.random() < 0.5)
        throws = brain.throws(seen)
        best = throws[brain.best_throw(throws)]
        for each in throws:
            found = grade_discard(seen, each.cards)
            assert (found.thrown, found.best) == (each.cards, best.cards)
            assert found.lost == pytest.approx(max(0.0, best.value - each.value))


def test_a_throw_of_equal_worth_is_best_though_expert_takes_the_safer_one():
    # Either five leaves the same hand and crib.
    found = [graded(throw("2C 5C 5H JD QS KD"), names) for names in ("2C 5C", "2C 5H")]
    assert [each.grade for each in found] == [Grade.BEST] * 2
    assert {each.best for each in found} == {cards("2C 5C")}


def test_the_order_of_the_cards_is_nothing_to_the_coach():
    assert graded(throw("KD QS JD 5H 5C 2C"), "KD QS") == graded(
        throw("2C 5C 5H JD QS KD"), "QS KD"
    )


# Tags and reasons.


@pytest.mark.parametrize(
    ("hand", "pile", "card", "tags"),
    [
        ("5H 9D KS", "", "5H", (LED_A_FIVE, LEFT_A_DANGEROUS_COUNT)),
        ("5H 9D KS", "", "9D", ()),
        ("5H 9D KS", "", "KS", (LEFT_A_DANGEROUS_COUNT,)),
        ("5H 9D KS", "AC", "9D", (LEFT_A_DANGEROUS_COUNT,)),
        ("5H 9D KS", "AC", "KS", (LEFT_A_DANGEROUS_COUNT,)),
        ("5H 4D KS", "AC", "4D", (LEFT_A_DANGEROUS_COUNT,)),
        ("5H 4D KS", "7C", "5H", ()),
        ("5H AD KS", "TC JC", "AD", (LEFT_A_DANGEROUS_COUNT,)),
        ("5H 2D KS", "TC JC", "2D", (LEFT_A_DANGEROUS_COUNT,)),
        ("5H 3D KS", "TC JC", "3D", ()),
        ("5H 3D AS", "TC JC", "5H", ()),
        ("4D AS", "AC", "4D", (LEFT_A_DANGEROUS_COUNT,)),
    ],
)
def test_tags_say_what_is_to_be_noticed(hand, pile, card, tags):
    assert graded(play(hand, pile), card).tags == tags


@pytest.mark.parametrize(
    ("hand", "pile", "opponent_cards", "card", "reason"),
    [
        ("5H 8D KS", "TC", 3, "5H", "well played: 2 at once"),
        ("5H 8D KS", "TC", 3, "KS", "5♥ scores 2 more at once"),
        ("2C 6S KS", "5D 4S", 3, "KS", "6♠ scores 5 more at once"),
        ("4D 9S KS", "4H 4C 4S", 3, "KS", "4♦ scores 12 more at once"),
        ("5H 9D", "", 1, "5H", "a five led invites a ten-card; 9♦ is safer"),
        ("AC 2D 7C", "KC JH", 3, "AC", "a count of 21 invites a score; 7♣ is safer"),
        ("4D 7C 9D 9H", "AS", 3, "4D", "a count of 5 invites a score; 9♦ is safer"),
        ("2H 3H 8C", "QC QD", 3, "3H", "8♣ leaves a better count"),
    ],
)
def test_a_reason_says_what_speaks_most_for_the_best_card(hand, pile, opponent_cards, card, reason):
    assert graded(play(hand, pile, opponent_cards, "7S"), card).reason == reason


def test_a_reason_for_less_than_costly_does_not_nag():
    rng, seen_grades = random.Random(6), set()
    for _ in range(400):
        seen = random_play(rng)
        for card in seen.legal_plays():
            found = grade_play(seen, card)
            seen_grades.add(found.grade)
            assert found.reason.startswith("well played") == (found.grade is Grade.BEST)
            assert ("as good as" in found.reason) == (found.grade is Grade.OK)
            assert "\n" not in found.reason and len(found.reason) < 60
    assert seen_grades == set(Grade)


@pytest.mark.parametrize(
    ("is_dealer", "better"),
    [(True, "2♣ 5♣ into your crib"), (False, "2♣ K♦ into the other's crib")],
)
def test_a_reason_for_a_throw_names_the_better_one_and_the_crib(is_dealer, better):
    found = graded(throw("2C 5C 5H JD QS KD", is_dealer), "QS KD")
    assert found.lost > 3
    assert found.reason == f"{better} is worth {found.lost:.1f} more"
    assert graded(throw("2C 5C 5H JD QS KD"), "2C 5C").reason == "well thrown"


# Traps.


def names_and_cards(hand):
    return [(trap.name, trap.cards) for trap in kept_traps(cards(hand))]


@pytest.mark.parametrize(
    ("hand", "traps"),
    [
        ("4H 6D 6S KC", [("five-card trap", "4H 6D 6S")]),
        ("4H 6C 6D 6S", [("five-card trap", "4H 6C 6D")]),
        ("4H 4S 6D 6S", [("five-card trap", "4H 6D 6S"), ("pair-royal bait", "4H 4S")]),
        ("AC AS 5D 8H", [("pair-royal bait", "AC AS")]),
        ("2C 2S 5D 7H", [("pair-royal bait", "2C 2S")]),
        ("3C 3S 5D 7H", [("pair-royal bait", "3C 3S")]),
        ("4C 4S 9D KH", [("pair-royal bait", "4C 4S")]),
        ("AC AS 4D 4H", [("pair-royal bait", "AC AS"), ("pair-royal bait", "4D 4H")]),
        ("2C 9D 5S KH", [("magic eleven", "2C 9D")]),
        ("3C 8D QS KH", [("magic eleven", "3C 8D")]),
        ("4C 7D QS KH", [("magic eleven", "4C 7D")]),
        ("5C 6D QS KH", [("magic eleven", "5C 6D")]),
        ("AC 7D 8S KH", [("magic eleven", "AC KH")]),
        ("2C 9D 9S KH", [("magic eleven", "2C 9D"), ("magic eleven", "2C 9S")]),
        ("2C 3D 8S 9H", [("magic eleven", "2C 9H"), ("magic eleven", "3D 8S")]),
        ("7C 8D 9S KH", [("run bait", "7C 8D 9S")]),
        ("9C TD JS QH", [("run bait", "9C TD JS"), ("run bait", "TD JS QH")]),
        ("AC 2D 3S 6H", [("run bait", "AC 2D 3S")]),
        ("7C 7D 8S 9H", [("run bait", "7C 8S 9H")]),
        # Fives and higher pairs, a single six, court cards alone, and a king beside an ace.
        ("5C 5S 9D KH", []),
        ("6C 6S 9D KH", []),
        ("4H 6D 9S KC", []),
        ("TC JD KS 8H", []),
        ("AC 3D 7S 9H", []),
        ("QC KD 2S 3H", []),
        ("AC 2D KS QH", [("magic eleven", "AC QH"), ("magic eleven", "AC KS")]),
    ],
)
def test_traps_in_a_kept_hand(hand, traps):
    expected = [(name, cards(names)) for name, names in traps]
    assert names_and_cards(hand) == expected
    shuffled = list(cards(hand))
    random.Random(hand).shuffle(shuffled)
    assert [(trap.name, trap.cards) for trap in kept_traps(shuffled)] == expected


def test_each_trap_has_one_line_of_technique():
    traps = [trap for hand in ("4H 4S 6D 6S", "2C 3D 4S 9H") for trap in kept_traps(cards(hand))]
    by_name = {trap.name: trap.technique for trap in traps}
    assert sorted(by_name) == ["five-card trap", "magic eleven", "pair-royal bait", "run bait"]
    assert len(set(by_name.values())) == 4
    assert all(0 < len(line) < 80 and "\n" not in line for line in by_name.values())


def test_traps_are_those_of_the_four_cards_that_were_kept():
    seen = throw("4H 6D 6S 9C JD KD", is_dealer=False)
    for thrown in combinations(seen.own_hand, 2):
        kept = [card for card in seen.own_hand if card not in thrown]
        assert list(grade_discard(seen, thrown).traps) == kept_traps(kept)
    assert [trap.name for trap in graded(seen, "JD KD").traps] == ["five-card trap"]


# What the coach must not know.


DEALER_PLAYS = "the dealer plays"


@dataclass(frozen=True)
class Laid(FairMatch):
    """A match of one deal that was laid out."""

    deal: Deal | None = None

    def deals(self):
        yield self.deal
        raise EndOfScript


class Script:
    """Throws these two and plays these cards, then leaves."""

    def __init__(self, thrown, played):
        self.thrown, self.played = thrown, iter(played)

    def discard(self, seen):
        return self.thrown

    def play(self, seen):
        for card in self.played:
            return card
        raise EndOfScript


class Chance:
    """Throws and plays at random, and keeps it."""

    def __init__(self, rng):
        self.rng, self.played = rng, []

    def discard(self, seen):
        self.thrown = tuple(self.rng.sample(seen.own_hand, 2))
        return self.thrown

    def play(self, seen):
        self.played.append(self.rng.choice(seen.legal_plays()))
        return self.played[-1]


def told(deal, pone, dealer, judge):
    """What the pone is told of its decisions, with the deep analysis of its leads.

    And in between, each time that the dealer plays, DEALER_PLAYS.
    """
    words = []

    def decided(seat, seen, chosen):
        if seat == 1:
            words.extend([] if seen.starter is None else [DEALER_PLAYS])
        elif seen.starter is None:
            words.append(grade_discard(seen, chosen, judge))
        else:
            words.append(grade_play(seen, chosen[0], judge))
            if not seen.pile:
                words.append(analyze_lead(seen, chosen[0], samples=20))

    match = Laid(Protocol.CLIENT_FIRST, bytes(32), "", 1, deal)
    seats = [Seat(PERSON, "pone"), Seat(PERSON, "dealer")]
    play_transcribed(match, seats, [pone, dealer], 1, decided=decided)
    return words


def with_other(six, gone, come):
    return tuple(sorted({*six} - {*gone} | {*come}))


@pytest.mark.parametrize(("judge", "deals"), [(EXPERT_JUDGE, 60), (MASTER_JUDGE, 12)])
def test_the_throw_of_the_opponent_changes_no_word_of_the_coach(judge, deals):
    for number in range(deals):
        rng = random.Random(number)
        deal = next(random_deals(8, number))
        pone, dealer = Chance(rng), Chance(rng)
        words = told(deal, pone, dealer, judge)
        unknown = sorted({*PACK} - {*deal.pone, *deal.dealer, deal.starter})
        thrown = tuple(rng.sample(unknown, 2))
        other = replace(deal, dealer=with_other(deal.dealer, dealer.thrown, thrown))
        again = told(other, Script(pone.thrown, pone.played), Script(thrown, dealer.played), judge)
        assert again == words
        assert len(words) >= 10


@pytest.mark.parametrize(("judge", "deals"), [(EXPERT_JUDGE, 120), (MASTER_JUDGE, 24)])
def test_a_card_that_the_opponent_still_holds_changes_no_word_of_the_coach(judge, deals):
    later = 0
    for number in range(deals):
        rng = random.Random(number)
        deal = next(random_deals(9, number))
        pone, dealer = Chance(rng), Chance(rng)
        words = told(deal, pone, dealer, judge)
        *played, last = dealer.played
        before = len(words) - words[::-1].index(DEALER_PLAYS) - 1
        known = {*deal.pone, *deal.dealer, deal.starter}
        # One that counts no less has to stay in the hand wherever the other had to.
        come = rng.choice([c for c in PACK if c not in known and value(c) >= value(last)] or [last])
        other = replace(deal, dealer=with_other(deal.dealer, [last], [come]))
        again = told(other, Script(pone.thrown, pone.played), Script(dealer.thrown, played), judge)
        assert again[:before] == words[:before]
        later += before >= 7 and come // 4 != last // 4
    assert later > deals / 2


# Wrong answers.


@pytest.mark.parametrize(
    ("seen", "chosen"),
    [
        (play("5H JD QS"), "KC"),
        (play("5H JD QS", "KC TD 7S"), "JD"),
        (throw("2C 5C 5H JD QS KD"), "2C 3C"),
    ],
)
def test_what_cannot_be_chosen_is_not_graded(seen, chosen):
    with pytest.raises(ValueError, match="expected"):
        graded(seen, chosen)


@pytest.mark.parametrize("thrown", ["2C", "2C 5C 5H", "2C 2C", ""])
def test_a_throw_is_two_cards(thrown):
    with pytest.raises(ValueError, match="expected two cards of the hand"):
        grade_discard(throw("2C 5C 5H JD QS KD"), cards(thrown))


def test_a_go_and_a_hand_that_was_thrown_from_are_no_decisions():
    with pytest.raises(ValueError, match="can be played at 30"):
        grade_play(play("5H JD QS", "KC TD TS"), cards("5H")[0])
    with pytest.raises(ValueError, match="six cards"):
        grade_discard(play("5H JD QS KC"), cards("5H JD"))
