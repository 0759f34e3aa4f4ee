import json
import random
from collections import Counter
from itertools import combinations
from math import comb, inf, sqrt
from statistics import stdev

import pytest
from cribbage_seats import Chance
from naive import cribbage_leads as naive
from naive.cribbage_show import cards, value

from engines.cards import PACK_SIZE
from engines.cribbage import lead_analysis
from engines.cribbage.lead_analysis import (
    SAMPLES,
    TRAP_GAIN,
    TRAP_MARGIN,
    LeadAnalysis,
    analyze_lead,
    opponent_hands,
    unseen_pool,
)
from engines.cribbage.match import play_match, random_deals
from engines.cribbage.observation import Observation, Played

PACK = range(PACK_SIZE)
SCORES = [0, 60, 108, 112, 114, 115, 118, 120]


def lead(hand, opponent_cards=4, starter="2S", discards="", **more):
    return Observation.for_play(
        cards(hand),
        (),
        opponent_cards,
        cards(starter)[0],
        False,
        own_discards=cards(discards),
        **more,
    )


def lead_from(rng, held, opponent_cards, pool_size):
    """A lead with so many cards that the opponent may hold; all others were played before."""
    pack = rng.sample(PACK, PACK_SIZE)
    hand, discards, [starter] = pack[:held], pack[held : held + 2], pack[held + 2 : held + 3]
    gone = pack[held + 3 + pool_size :]
    seen = Observation.for_play(
        hand,
        (),
        opponent_cards,
        starter,
        rng.random() < 0.5,
        own_discards=discards,
        history=[Played(bool(place % 2), card) for place, card in enumerate(gone)],
        own_score=rng.choice(SCORES),
        opponent_score=rng.choice(SCORES),
    )
    return seen, sorted(pack[held + 3 : held + 3 + pool_size])


def margins_by_hand(seen, hands):
    return [
        naive.margins(seen.own_hand, tuple(map(int, hand)), seen.starter, seen.own_score)
        for hand in hands
    ]


def naive_margins(seen, hands):
    found = margins_by_hand(seen, hands)
    return {card: sum(each[card] for each in found) / len(found) for card in seen.own_hand}


def analysis(chosen, margins):
    return LeadAnalysis(chosen, margins, dict.fromkeys(margins, 0.1), 120, False)


def shown_in_matches(count, seed=1):
    """What players saw when they had to play, in matches at random."""
    shown = []
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        scores = rng.randrange(121), rng.randrange(121)
        play_match([Chance(rng, shown)] * 2, random_deals(seed, number), scores=scores)
    return shown


# The analysis.


@pytest.mark.parametrize("opponent_cards", range(5))
@pytest.mark.parametrize("held", [1, 2, 3, 4])
def test_where_every_hand_is_looked_at_the_margins_are_exact(held, opponent_cards):
    rng = random.Random(10 * held + opponent_cards)
    for _ in range(3):
        seen, pool = lead_from(rng, held, opponent_cards, opponent_cards + rng.randrange(3))
        found = analyze_lead(seen, seen.own_hand[0])
        every = list(combinations(pool, opponent_cards))
        assert (found.exact, found.hands) == (True, len(every))
        assert found.margins == naive_margins(seen, every)


def test_leads_of_real_matches_are_exact_where_few_hands_are_left():
    leads = [
        seen
        for seen in shown_in_matches(60)
        if not seen.pile and 1 <= seen.opponent_cards <= 2 and len(seen.own_hand) > 1
    ]
    exact = 0
    for seen in leads:
        every = list(combinations(unseen_pool(seen), seen.opponent_cards))
        found = analyze_lead(seen, seen.own_hand[-1])
        assert found.exact == (len(every) <= SAMPLES)
        if found.exact and exact < 40:
            exact += 1
            assert found.margins == naive_margins(seen, every)
    assert exact == 40


@pytest.mark.parametrize(
    ("hand", "opponent_cards"),
    [
        ("4H 6D 6S 9C", 4),
        ("AH AD 5S KC", 4),
        ("5H JD QS KC", 4),
        ("3H 4D 5S 5C", 4),
        ("7C 7D 8H 9S", 4),
        ("4H 6D 6S", 4),
        ("2H 9S", 3),
        ("TD TC TH", 3),
    ],
)
def test_sampled_hands_are_played_as_the_plain_rules_say(hand, opponent_cards):
    for score in (0, 113):
        seen = lead(hand, opponent_cards, discards="KD JH", own_score=score)
        sample, exact = opponent_hands(seen, 6)
        found = analyze_lead(seen, seen.own_hand[0], samples=6)
        assert (exact, found.exact, found.hands) == (False, False, 6)
        assert found.margins == naive_margins(seen, sample)


def test_a_lead_against_no_cards_is_the_best_order_of_ones_own():
    found = analyze_lead(lead("5H JD QS", 0), cards("JD")[0])
    # The five and a jack or queen make 15, and the last card scores 1, in any order.
    assert found.margins == dict(zip(cards("5H JD QS"), [3, 3, 3], strict=True))
    assert (found.hands, found.exact) == (1, True)


def test_leads_of_one_rank_are_worth_the_same():
    found = analyze_lead(lead("6C 6D 6S KH"), cards("6S")[0])
    assert len({found.margins[card] for card in cards("6C 6D 6S")}) == 1


@pytest.mark.parametrize(
    ("best", "chosen", "missed"),
    [
        (TRAP_MARGIN, TRAP_MARGIN - TRAP_GAIN, True),
        (TRAP_MARGIN - 0.01, -3.0, False),
        (3.0, 3.01 - TRAP_GAIN, False),
        (3.0, 3.0 - TRAP_GAIN, True),
        (3.0, 3.0, False),
    ],
)
def test_a_trap_is_a_good_lead_that_beats_the_chosen_one(best, chosen, missed):
    found = analysis(7, {3: -1.0, 5: best, 7: chosen})
    assert (found.best, found.gain, found.is_trap_missed) == (5, best - chosen, missed)


def test_the_best_lead_is_the_first_of_equal_ones():
    found = analysis(9, {3: 1.0, 5: 2.0, 9: 2.0})
    assert (found.best, found.gain) == (5, 0.0)


# How sure it is.


@pytest.mark.parametrize("hand", ["4H 6D 6S 9C", "2D 3C 3H 5H", "TH JD"])
def test_errors_are_of_the_differences_in_the_same_hands(hand):
    seen = lead(hand)
    found = analyze_lead(seen, seen.own_hand[0], samples=30)
    played = margins_by_hand(seen, opponent_hands(seen, 30)[0])
    for card in seen.own_hand:
        behind = [each[found.best] - each[card] for each in played]
        assert found.errors[card] == pytest.approx(stdev(behind) / sqrt(30))
    assert found.errors[found.best] == 0.0


def test_errors_are_those_that_other_samples_show(monkeypatch):
    """Over many samples of 120 the mean differences spread as the error of one says."""
    seen = lead("2D 3C 3H 5H")
    three, five = seen.own_hand[1], seen.own_hand[3]
    whole, _ = opponent_hands(seen, 120 * 60)
    differences, errors = [], []
    for start in range(0, len(whole), 120):
        sample = whole[start : start + 120], False
        monkeypatch.setattr(lead_analysis, "opponent_hands", lambda *_, sample=sample: sample)
        found = analyze_lead(seen, five)
        assert found.best == three
        differences.append(found.gain)
        errors.append(found.errors[five])
    assert stdev(differences) == pytest.approx(sum(errors) / len(errors), rel=0.3)


def test_an_exact_analysis_has_no_error_and_one_sample_shows_none():
    found = analyze_lead(lead("5H JD", opponent_cards=1), cards("5H")[0])
    assert (found.exact, set(found.errors.values())) == (True, {0.0})
    found = analyze_lead(lead("5H JD"), cards("5H")[0], samples=1)
    assert (found.hands, set(found.errors.values())) == (1, {inf})


# The hands that are looked at.


def test_all_hands_up_to_the_limit_and_a_sample_beyond_it():
    rng = random.Random(3)
    for size in (3, 9, 10, 11):
        seen, pool = lead_from(rng, 4, 3, size)
        hands, exact = opponent_hands(seen, comb(10, 3))
        if size <= 10:
            assert exact
            assert [tuple(hand) for hand in hands.tolist()] == list(combinations(pool, 3))
        else:
            assert (exact, len(hands)) == (False, 120)


def test_a_sample_holds_different_cards_of_the_pool_in_order():
    seen = lead("4H 6D 6S 9C", discards="KD JH")
    pool = unseen_pool(seen)
    hands, exact = opponent_hands(seen, 3000)
    assert not exact
    assert all(list(hand) == sorted(set(hand)) and set(hand) <= set(pool) for hand in hands)
    drawn = Counter(hands.ravel().tolist())
    expected = 3000 * 4 / len(pool)
    # Chi-square with 44 degrees of freedom is beyond 87 once in 10,000.
    assert sum((drawn[card] - expected) ** 2 / expected for card in pool) < 87


def test_the_sample_depends_on_the_position_and_on_nothing_else():
    seen = lead("4H 6D 6S 9C", discards="KD JH")
    first = opponent_hands(seen, SAMPLES)[0].tolist()
    random.seed(5)
    opponent_hands(lead("4H 6D 6S KC"), SAMPLES)
    again = lead("9C 6S 6D 4H", discards="JH KD")  # the same, in another order
    assert opponent_hands(again, SAMPLES)[0].tolist() == first
    analyses = [analyze_lead(again, card) for card in again.own_hand]
    assert len({json.dumps(list(each.margins.items())) for each in analyses}) == 1
    others = [
        lead("4H 6D 6S 9C", discards="KD JH", own_score=1),
        lead("4H 6D 6S 9C", discards="KD JH", opponent_score=1),
        lead("4H 6D 6S 9C", discards="KD JS"),
        lead("4H 6D 6S 9C", starter="2C", discards="KD JH"),
    ]
    assert all(opponent_hands(other, SAMPLES)[0].tolist() != first for other in others)


# The cards that the opponent may hold.


def history_of(text):
    """As "+KD -QD -go": a card or a go of oneself (+) or of the opponent (-)."""
    return [
        Played(word[0] == "+", None if word[1:] == "go" else cards(word[1:])[0])
        for word in text.split()
        if word != "|"
    ]


def said(own_plays, own_held, other_plays, other_held, own_leads):
    """The history if both hold these cards and lay them in these orders; None if they cannot.

    It ends at the first turn of the player on which all of own_plays is down.
    """
    plays = {True: list(own_plays), False: list(other_plays)}
    held = {True: list(own_held), False: list(other_held)}
    acts, count, gone, own = [], 0, set(), own_leads
    while any(plays.values()) or any(held.values()):
        options = [c for c in plays[own] + held[own] if count + value(c) <= 31]
        if options:
            if not plays[own]:
                return acts if own else None
            card = plays[own].pop(0)
            if count + value(card) > 31:
                return None
            acts.append(Played(own, card))
            count += value(card)
            if count == 31:
                count, gone = 0, set()
        else:
            if (plays[own] or held[own]) and own not in gone:
                gone.add(own)
                acts.append(Played(own, None))
            rest = plays[not own] + held[not own]
            if not any(count + value(c) <= 31 for c in rest):
                if rest and (not own) not in gone:
                    acts.append(Played(not own, None))
                count, gone, own = 0, set(), not own  # turned back below: the first who could not
        own = not own
    return None


def can_hold(seen, hand, own_leads):
    own = [act.card for act in seen.history if act.own and act.card is not None]
    other = [act.card for act in seen.history if not act.own and act.card is not None]
    return said(own, seen.own_hand, other, hand, own_leads) == list(seen.history)


def never_seen(seen):
    known = {*seen.own_hand, *seen.own_discards, seen.starter}
    known |= {act.card for act in seen.history}
    return [card for card in PACK if card not in known]


def check_pool(seen, own_leads, most=1000):
    pool = set(unseen_pool(seen))
    every = list(combinations(never_seen(seen), seen.opponent_cards))
    if len(every) > most:
        every = random.Random(len(every)).sample(every, most)
    possible = [hand for hand in every if can_hold(seen, hand, own_leads)]
    assert possible == [hand for hand in every if set(hand) <= pool]
    return len(possible)


def test_the_pool_is_that_of_all_hands_with_which_a_match_goes_as_it_went():
    after_go = [
        seen
        for seen in shown_in_matches(40, seed=2)
        if seen.opponent_cards and any(act.card is None and not act.own for act in seen.history)
    ]
    narrowed = 0
    for seen in after_go[:150]:
        check_pool(seen, own_leads=not seen.is_dealer, most=400)
        narrowed += len(unseen_pool(seen)) < len(never_seen(seen))
    assert narrowed == 150
    for seen in shown_in_matches(6, seed=3):
        if 1 <= seen.opponent_cards <= 3:
            check_pool(seen, own_leads=not seen.is_dealer, most=60)


@pytest.mark.parametrize(
    ("history", "hand", "opponent_cards", "least"),
    [
        ("", "4H 6D 6S 9C", 4, 1),
        ("+TD -JD", "5C 4S KH", 3, 1),
        ("+TD -JD +5C -go", "4S KH", 3, 7),
        ("+TD -JD +2C -go", "QH 9S", 3, 10),
        # What a go has said still holds in the next count.
        ("+TD -JD +5C -go +4S +go | -KS", "KH", 2, 7),
        ("+TD -JD +9C -go +go | -5D", "KH QH", 2, 3),
        ("+TD -JD +2C -go +9C | -QS", "QH", 2, 10),
        # A second go says more.
        ("+TD -JD +9C -go +go | -5D +QD -9D +go -go", "KH", 1, 8),
        ("+TD -JD +9C -go +go | -QD +QH -3D +go -go", "9S", 1, 9),
        # 31 ends a count: the go that follows is said at 26, not at 57.
        ("+TD -JD +AS -TH | +9D -9H +8C -go", "2S", 1, 6),
        # One's own go says nothing about the opponent; its own, after a last card, does.
        ("-TD +JD -5C +go -6S", "KH QH 9S", 1, 1),
        ("-TD +JD -5C +go -4S -go", "KH QH 9S", 1, 3),
        # The opponent is out of cards and says nothing more.
        ("-TD +JD -2C +8D -go +go | -9C +9D -3S", "7S", 0, 2),
        ("-TD +JD -9C +go -2S | +5D -8D +KH +go", "QH", 0, 1),
    ],
)
def test_who_says_go_holds_no_card_for_the_count(history, hand, opponent_cards, least):
    seen = Observation.for_play(
        cards(hand),
        (),
        opponent_cards,
        cards("3C")[0],
        False,
        own_discards=cards("KD JH"),
        history=history_of(history),
    )
    assert unseen_pool(seen) == [card for card in never_seen(seen) if value(card) >= least]
    assert check_pool(seen, own_leads=not history.startswith("-")) > 0


@pytest.mark.parametrize(
    ("seen", "card"),
    [
        (Observation.for_play(cards("5H JD"), cards("9C"), 3, cards("2S")[0], True), "5H"),
        (lead("5H JD QS"), "KC"),
        (Observation.for_discard(cards("5H 5C JD QS KD 2C"), True), "5H"),
    ],
)
def test_only_a_lead_of_a_card_that_is_held_is_analysed(seen, card):
    with pytest.raises(ValueError):
        analyze_lead(seen, cards(card)[0])
