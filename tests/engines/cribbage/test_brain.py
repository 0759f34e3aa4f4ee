import random
from fractions import Fraction
from functools import cache
from math import comb

import numpy as np
import pytest
from naive import cribbage_show as naive
from naive.cribbage_show import cards

from engines.cards import CARD_NAMES, PACK_SIZE, RANKS, parse_card
from engines.cribbage import brain, fast_brain
from engines.cribbage.crib_tables import CribTables, default_tables
from engines.cribbage.observation import Observation, ObservationError
from engines.cribbage.tiers import Skill, pick
from engines.streams import next_word, open_stream

EXPERT = Skill(1.0, 0.0)
LEVELS = [0.0, 0.12, 0.35, 0.849, 0.85, 1.0]
TEMPERATURES = [0.0, 0.15, 0.5, 1.2, 5.0]
BRAINS = [brain, fast_brain]

either_brain = pytest.mark.parametrize("either", BRAINS, ids=["plain", "fast"])


def name_of(card):
    return CARD_NAMES[card]


def names(some):
    return " ".join(map(name_of, some))


def to_discard(six, is_dealer=True):
    return Observation.for_discard(cards(six), is_dealer)


def to_play(hand, pile="", opponent_cards=4, starter="", opponent_score=0):
    return Observation.for_play(
        cards(hand),
        cards(pile),
        opponent_cards,
        parse_card(starter) if starter else None,
        True,
        opponent_score=opponent_score,
    )


def values_by_name(either, seen, level):
    rank_cards = either.play_values
    return {name_of(card): value for card, value in rank_cards(seen, level)}


def close_to(value):
    return pytest.approx(float(value), abs=1e-12)


def held(copies, pool, opponent_cards):
    """The chance that some of `opponent_cards` of `pool` cards are among `copies` of them."""
    return 1 - Fraction(comb(pool - copies, opponent_cards), comb(pool, opponent_cards))


# Discards.


def test_fifteen_throws_in_the_order_of_the_hand():
    hand = "2S 5C 5H 9D JD KC"
    thrown = "2S5C 2S5H 2S9D 2SJD 2SKC 5C5H 5C9D 5CJD 5CKC 5H9D 5HJD 5HKC 9DJD 9DKC JDKC"
    found = brain.throws(to_discard("KC JD 9D 5H 5C 2S"))
    assert " ".join("".join(map(name_of, throw.cards)) for throw in found) == thrown
    assert [names(cards(hand)[place] for place in throw) for throw in brain.THROWS] == [
        names(throw.cards) for throw in found
    ]


@cache
def throws_of(hand, is_dealer=True):
    return brain.throws(to_discard(hand, is_dealer))


def throw_of(hand, thrown, is_dealer=True):
    found = throws_of(hand, is_dealer)
    return next(throw for throw in found if throw.cards == tuple(sorted(cards(thrown))))


def test_the_parts_of_a_throw():
    # 5-5-5-J are worth 14. Over the 46 cuts there are 11 nobs of diamonds (13 less J and 9); the
    # fourth five adds 14, each of three jacks 8, each of twelve other cards of ten points 6.
    kept = 46 * 14 + 11 + 14 + 3 * 8 + 12 * 6
    # 2-9 makes fifteen with four fours (2-9-4) and four sixes (9-6), pairs with three cards each.
    thrown = 2 * (4 + 4) + 2 * (3 + 3)
    crib = default_tables()
    dealer = throw_of("5H 5C 5S JD 2C 9D", "2C 9D", is_dealer=True)
    pone = throw_of("5H 5C 5S JD 2C 9D", "2C 9D", is_dealer=False)
    assert dealer.mean_hand == pone.mean_hand == kept / 46
    assert dealer.crib == crib.dealer[RANKS.index("9"), RANKS.index("2")]
    assert pone.crib == crib.pone[RANKS.index("9"), RANKS.index("2")]
    assert dealer.value == kept / 46 + dealer.crib
    assert pone.value == kept / 46 - pone.crib
    assert dealer.safety == close_to((kept + thrown) / 46)
    assert pone.safety == close_to((kept - thrown) / 46)


def test_a_thrown_jack_may_make_nobs_with_the_cut():
    # J-K: two fifteens with each of four fives, a pair with three jacks and three kings, a run with
    # four queens, and nobs with 11 diamonds (13 less J and 4).
    thrown = 4 * 4 + 2 * (3 + 3) + 3 * 4 + 11
    found = throw_of("2C 4D 6H 8S JD KC", "JD KC")
    assert found.safety - found.mean_hand == close_to(Fraction(thrown, 46))


def any_six(chooser):
    """Six cards, of few ranks or few suits as often as of the whole pack."""
    lowest = chooser.randrange(10)
    pool = chooser.choice(
        [
            range(PACK_SIZE),
            [card for card in range(PACK_SIZE) if lowest <= card // 4 < lowest + 4],
            [card for card in range(PACK_SIZE) if card % 4 < 2],
            [card for card in range(PACK_SIZE) if card % 4 == 3 or card // 4 == 10],
        ]
    )
    return sorted(chooser.sample(list(pool), 6))


def test_the_mean_hand_is_the_naive_mean_over_the_cuts():
    chooser = random.Random(2)
    for _ in range(4):
        six = any_six(chooser)
        cuts = [card for card in range(PACK_SIZE) if card not in six]
        for throw in brain.throws(Observation.for_discard(six, True)):
            kept = [card for card in six if card not in throw.cards]
            assert throw.mean_hand == sum(naive.show(kept, cut) for cut in cuts) / 46


@either_brain
@pytest.mark.parametrize(
    ("hand", "is_dealer", "thrown"),
    [
        ("5H 5C 5S JD 2C 9D", True, "2C 9D"),
        ("5H 5C 5S JD 2C 9D", False, "2C 9D"),
        ("4C 5D 6H 6S KC TD", False, "TD KC"),
        ("7C 8D 8H 9S KC 2D", False, "2D KC"),
        ("AD 4D 7D QD 2C KS", False, "2C KS"),
    ],
)
def test_a_throw_that_nobody_doubts(either, hand, is_dealer, thrown):
    assert names(either.choose_discard(to_discard(hand, is_dealer), EXPERT, 0.0)) == thrown


@either_brain
def test_fives_go_to_the_own_crib_and_not_to_the_others(either):
    hand = "5C 5D AH 2H 3H 4H"
    assert names(either.choose_discard(to_discard(hand, True), EXPERT, 0.0)) == "5C 5D"
    assert names(either.choose_discard(to_discard(hand, False), EXPERT, 0.0)) != "5C 5D"


def tables_that_tell(hand, wanted):
    """Tables by which throws of a hand of six ranks have the wanted values, all others -50."""
    tables = CribTables(np.zeros((13, 13)), np.zeros((13, 13)))
    for throw in throws_of(hand):
        value = wanted.get(names(throw.cards), -50.0)
        first, second = (card // 4 for card in throw.cards)
        for ranks in ((first, second), (second, first)):
            tables.dealer[ranks] = value - throw.mean_hand
            tables.pone[ranks] = throw.mean_hand - value
    return tables


# Six ranks: each throw has an entry of its own in the tables.
TIES = "2C 4D 6H 8S TC QC"


def safety_of(thrown, is_dealer):
    return throw_of(TIES, thrown, is_dealer).safety


@either_brain
@pytest.mark.parametrize("is_dealer", [True, False])
@pytest.mark.parametrize(
    ("behind", "safest_wins"),
    [(0.0, True), (0.0005, True), (0.00099, True), (0.00101, False), (0.002, False)],
)
def test_safety_decides_between_throws_that_are_a_thousandth_apart(
    either, is_dealer, behind, safest_wins
):
    for one, other in [("2C 4D", "TC QC"), ("4D 6H", "8S QC"), ("2C QC", "6H 8S")]:
        safest, riskier = sorted(
            (one, other), key=lambda throw: safety_of(throw, is_dealer), reverse=True
        )
        assert safety_of(safest, is_dealer) > safety_of(riskier, is_dealer)
        tables = tables_that_tell(TIES, {safest: 20.0 - behind, riskier: 20.0})
        chosen = either.choose_discard(to_discard(TIES, is_dealer), EXPERT, 0.0, tables)
        assert names(chosen) == (safest if safest_wins else riskier)


@either_brain
def test_a_rival_of_the_second_best_is_none_of_the_best(either):
    # Each is near the next, but the safest is too far behind the best.
    order = sorted(["2C 4D", "TC QC", "8S QC"], key=lambda throw: safety_of(throw, True))
    wanted = dict(zip(order, (20.0, 19.9994, 19.9988), strict=True))
    chosen = either.choose_discard(to_discard(TIES), EXPERT, 0.0, tables_that_tell(TIES, wanted))
    assert names(chosen) == order[1]


@either_brain
@pytest.mark.parametrize("is_dealer", [True, False])
def test_of_throws_that_are_alike_the_first_is_taken(either, is_dealer):
    # Whichever six or queen is kept, the suits make no flush and no nobs.
    seen = to_discard("6C 6D 9H QC QD KS", is_dealer)
    tables = CribTables(np.full((13, 13), -50.0), np.full((13, 13), 50.0))
    tables.dealer[5, 11] = tables.dealer[11, 5] = 50.0
    tables.pone[5, 11] = tables.pone[11, 5] = -50.0
    assert names(either.choose_discard(seen, EXPERT, 0.0, tables)) == "6C QC"


@either_brain
def test_a_discard_takes_six_cards(either):
    seen = to_play("5H 5C 5S JD")
    discard_values = brain.throws if either is brain else fast_brain.discard_values
    for ask in (discard_values, lambda seen: either.choose_discard(seen, EXPERT, 0.0)):
        with pytest.raises(ObservationError) as error:
            ask(seen)
        assert str(error.value) == "expected six cards to discard from, got 4"


# Cards: points now, the threat, and the small terms.


@either_brain
@pytest.mark.parametrize(
    ("hand", "pile", "values"),
    [
        # 0.02 a point of the count; a five led is 1.2 worse, a count of 5 or 21 a point.
        ("4C 5D TH KS", "", {"4C": 0.08, "5D": 0.10 - 1.0 - 1.2, "TH": 0.20, "KS": 0.20}),
        ("5C AH", "4D", {"5C": 0.18, "AH": 0.10 - 1.0}),
        ("5C AH", "TD", {"5C": 2 + 0.30, "AH": 0.22}),
        ("TH JC KS", "TD AC", {"TH": 0.42 - 1.0, "JC": 0.42 - 1.0, "KS": 0.42 - 1.0}),
        ("AH 2H JS", "TD JC", {"AH": 0.42 - 1.0, "2H": 0.44, "JS": 2 + 0.60}),
        ("AH 2H JS", "TD JC QD", {"AH": 2 + 0.62}),
        ("QD 9D 8H", "TD JC", {"QD": 3 + 0.60, "9D": 3 + 0.58, "8H": 0.56}),
    ],
)
def test_values_of_a_brain_that_fears_nothing(either, hand, pile, values):
    found = values_by_name(either, to_play(hand, pile), level=0.0)
    assert found == {card: close_to(value) for card, value in values.items()}


@either_brain
def test_a_lead_of_five_is_shunned(either):
    found = values_by_name(either, to_play("5D 9H", starter="KC"), level=1.0)
    threat = 2 * held(4, 49, 4)  # fifteen with a ten, of 49 unseen cards
    assert found["5D"] == close_to(0.10 - 1.0 - 1.2 - float(threat))
    assert found["5D"] < found["9H"]


@either_brain
@pytest.mark.parametrize(
    ("hand", "pile", "opponent_cards", "starter", "card", "threat"),
    [
        # A lead of 4 can only be paired; one of the fours is gone.
        ("4C KS", "", 4, "", "4C", 2 * held(3, 50, 4)),
        ("4C KS", "", 4, "4H", "4C", 2 * held(2, 49, 4)),
        ("4C 4D", "", 4, "4H", "4C", 2 * held(1, 49, 4)),
        # A lead of K is paired by three kings or made fifteen by four fives: the largest counts,
        # not the sum.
        ("4C KS", "", 4, "", "KS", 2 * held(4, 50, 4)),
        ("5C KS", "", 4, "5D", "KS", 2 * held(3, 49, 4)),
        # 7-8: a run with 6 or 9 for 3 is more than a pair for 2.
        ("8D", "7C", 3, "", "8D", 3 * held(4, 50, 3)),
        ("8D 9D", "7C", 3, "6C", "8D", 3 * held(3, 48, 3)),
        ("8D 9D", "7C", 1, "6C", "8D", 3 * Fraction(3, 48)),
        # 7-7: a third seven for 6, or an ace for 2.
        ("7D", "7C", 4, "", "7D", max(6 * held(2, 50, 4), 2 * held(4, 50, 4))),
        ("7D 7H", "7C", 4, "7S", "7D", 2 * held(4, 48, 4)),
        # Q-J: a run with a ten or a king for 3; an ace comes to 21 and scores nothing.
        ("JS", "QD", 2, "", "JS", 3 * held(4, 50, 2)),
        # 29: only a two fits, and makes 31.
        ("9H", "TD JC", 2, "2C", "9H", 2 * held(3, 48, 2)),
        # 30: an ace.
        ("QH", "KD TC", 2, "", "QH", 2 * held(4, 49, 2)),
        # No more cards, no threat.
        ("8D", "7C", 0, "", "8D", 0),
        # 31: nothing can follow.
        ("AD", "TC JC KC", 4, "", "AD", 0),
    ],
)
def test_the_threat_is_the_largest_of_points_times_chance(
    either, hand, pile, opponent_cards, starter, card, threat
):
    seen = to_play(hand, pile, opponent_cards, starter)
    bare = values_by_name(either, seen, level=0.0)[card]
    count = naive.value(parse_card(card)) + sum(map(naive.value, cards(pile)))
    for level in (0.12, 0.35, 1.0):
        close = 0.10 * (count - 21) if 21 < count < 31 else 0.0
        value = values_by_name(either, seen, level)[card]
        assert value == close_to(bare + level * (close - float(threat)))


@either_brain
@pytest.mark.parametrize(
    ("level", "opponent_score", "weight"),
    [
        (1.0, 0, 1.0),
        (1.0, 114, 1.0),
        (1.0, 115, 1.5),
        (1.0, 120, 1.5),
        (0.85, 114, 0.85),
        (0.85, 115, 0.85 * 1.5),
        (0.849, 115, 0.849),
        (0.35, 120, 0.35),
        (0.0, 120, 0.0),
    ],
)
def test_a_threat_weighs_more_when_the_opponent_is_nearly_home(
    either, level, opponent_score, weight
):
    seen = to_play("4C KS", opponent_score=opponent_score)
    value = values_by_name(either, seen, level)["4C"]
    assert value == close_to(0.08 - weight * 2 * float(held(3, 50, 4)))


def test_replies_that_a_pile_invites():
    def invited(pile):
        points = [brain.reply_points(cards(pile), rank) for rank in range(13)]
        return {RANKS[rank]: score for rank, score in enumerate(points) if score}

    assert invited("KC") == {"5": 2, "K": 2}
    assert invited("7C 8D") == {"6": 3, "8": 2, "9": 3}
    assert invited("7C 7D") == {"A": 2, "7": 6}
    assert invited("4C 5D") == {"3": 3, "5": 2, "6": 5}
    assert invited("3C 3D 3H") == {"3": 12, "6": 2}
    assert invited("TC JD AH") == dict.fromkeys("A", 2) | dict.fromkeys("TJQK", 2)
    assert invited("KC KD 9H") == {"2": 2}
    assert invited("KC KD TH AC") == {}
    assert invited("AC 2D 4H 5S") == {"3": 7, "5": 2, "6": 3}


@pytest.mark.parametrize("pool", [1, 3, 10, 36, 45, 47, 51])
def test_the_chance_that_a_card_is_held(pool):
    for copies in range(min(pool, 4) + 1):
        for opponent_cards in range(5):
            chance = brain.chance_held(copies, pool, opponent_cards)
            expected = held(copies, pool, min(opponent_cards, pool))
            assert chance == close_to(expected)


def test_what_is_unseen_is_neither_held_nor_on_the_pile_nor_the_starter():
    seen = to_play("5C 5D KH", "9S 9C KD", starter="AC")
    unseen = dict(zip(RANKS, brain.unseen_ranks(seen), strict=True))
    assert unseen == dict.fromkeys(RANKS, 4) | {"A": 3, "5": 2, "9": 2, "K": 2}


@either_brain
@pytest.mark.parametrize(
    ("hand", "pile", "card"),
    [
        ("5C TD", "KH", "5C"),  # fifteen
        ("5C 9D TD", "", "TD"),  # not the five
        ("TD KC", "9C AS QH", "TD"),  # 30 or 30: the first
        ("7C 7D", "", "7C"),
        ("KC AD 9H", "TD JC QC", "AD"),  # the only one
    ],
)
def test_the_card_that_is_played(either, hand, pile, card):
    assert name_of(either.choose_play(to_play(hand, pile), EXPERT, 0.0)) == card


@either_brain
def test_at_a_go_there_is_nothing_to_choose(either):
    for skill in (EXPERT, Skill(0.35, 1.5)):
        with pytest.raises(ObservationError) as error:
            either.choose_play(to_play("5C 9D", "TD JC QC"), skill, 0.5)
        assert str(error.value) == "expected a card that can be played at 30, got none"


# Rolls.


def test_a_roll_is_the_upper_53_bits_of_a_word():
    assert brain.roll_of_word(0) == 0.0
    assert brain.roll_of_word(2**11 - 1) == 0.0
    assert brain.roll_of_word(2**63) == 0.5
    assert brain.roll_of_word(2**64 - 1) == 1 - 2**-53


@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1])
def test_a_decision_seed_stands_for_the_first_roll_of_its_stream(seed):
    word = int(next_word(open_stream(seed, 0, "cribbage decision")))
    assert brain.roll_of(seed) == brain.roll_of_word(word)


def test_decision_seeds_stand_for_many_rolls():
    rolls = sorted(brain.roll_of(seed) for seed in range(1_000))
    assert all(abs(roll - place / 1_000) < 0.06 for place, roll in enumerate(rolls))


@either_brain
def test_a_roll_does_nothing_where_there_are_no_errors(either):
    seen = to_play("4C 5D TH KS")
    assert len({either.choose_play(seen, EXPERT, roll) for roll in (0.0, 0.3, 0.7, 0.999)}) == 1


@either_brain
def test_a_roll_goes_through_the_cards_in_hand_order(either):
    seen = to_play("4C 5D TH KS")
    chosen = [either.choose_play(seen, Skill(1.0, 5.0), step / 200) for step in range(200)]
    assert chosen == sorted(chosen)
    assert names(sorted(set(chosen))) == "4C 5D TH KS"


# Both brains are one.


def test_both_brains_value_and_choose_the_same_throws():
    chooser = random.Random(3)
    for index in range(30):
        seen = Observation.for_discard(any_six(chooser), index % 2 == 0)
        found = brain.throws(seen)
        values = [throw.value for throw in found]
        assert fast_brain.discard_values(seen) == values
        best = found[brain.best_throw(found)].cards
        assert fast_brain.choose_discard(seen, EXPERT, 0.0) == best
        for temperature in TEMPERATURES[1:]:
            for roll in (0.0, chooser.random(), chooser.random(), 1 - 2**-53):
                picked = found[pick(values, temperature, roll)].cards
                assert fast_brain.choose_discard(seen, Skill(0.5, temperature), roll) == picked


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_both_brains_are_asked_for_a_discard(temperature):
    chooser = random.Random(4)
    for is_dealer in (True, False):
        seen = Observation.for_discard(any_six(chooser), is_dealer)
        skill, roll = Skill(0.5, temperature), chooser.random()
        chosen = brain.choose_discard(seen, skill, roll)
        assert fast_brain.choose_discard(seen, skill, roll) == chosen


@pytest.mark.parametrize("is_dealer", [True, False])
def test_both_brains_are_as_careful_where_all_throws_are_near_each_other(is_dealer):
    chooser = random.Random(5)
    not_the_first = 0
    for _ in range(10):
        six = [4 * rank + chooser.randrange(4) for rank in sorted(chooser.sample(range(13), 6))]
        near = {
            names((six[first], six[second])): 20.0 - chooser.choice([0.0, 0.0005, 0.0015])
            for first, second in brain.THROWS
        }
        seen, tables = Observation.for_discard(six, is_dealer), tables_that_tell(names(six), near)
        found = brain.throws(seen, tables)
        chosen = brain.best_throw(found)
        assert fast_brain.choose_discard(seen, EXPERT, 0.0, tables) == found[chosen].cards
        not_the_first += chosen != max(range(15), key=lambda throw: found[throw].value)
    assert not_the_first >= 5


def any_position(chooser):
    """A hand and a pile to play to, of few ranks as often as of the whole pack; or None."""
    lowest, width = chooser.randrange(10), chooser.choice([3, 5, 13])
    pool = [card for card in range(PACK_SIZE) if lowest <= card // 4 < lowest + width]
    chooser.shuffle(pool)
    hand = [pool.pop() for _ in range(chooser.randint(1, 4))]
    pile, count = [], 0
    for _ in range(chooser.randint(0, min(7, len(pool)))):
        if count + naive.value(pool[-1]) > 31:
            break
        count += naive.value(pool[-1])
        pile.append(pool.pop())
    if count + min(map(naive.value, hand)) > 31:
        return None
    starter = pool.pop() if pool and chooser.random() < 0.9 else None
    return Observation.for_play(
        hand,
        pile,
        chooser.randint(0, 4),
        starter,
        chooser.random() < 0.5,
        own_score=chooser.randrange(121),
        opponent_score=chooser.choice([0, 60, 113, 114, 115, 116, 120]),
    )


def test_both_brains_value_and_choose_the_same_cards():
    chooser = random.Random(6)
    positions = 0
    while positions < 600:
        seen = any_position(chooser)
        if seen is None:
            continue
        positions += 1
        for level in chooser.sample(LEVELS, 2):
            values = brain.play_values(seen, level)
            assert fast_brain.play_values(seen, level) == values
            skill = Skill(level, chooser.choice(TEMPERATURES))
            roll = chooser.choice([0.0, chooser.random(), 1 - 2**-53])
            card = brain.choose_play(seen, skill, roll)
            assert fast_brain.choose_play(seen, skill, roll) == card
            best = max(values, key=lambda value: value[1])[0]
            assert fast_brain.choose_play(seen, Skill(level, 0.0), roll) == best


def test_neither_brain_looks_at_what_the_published_one_ignores():
    # Own discards and what was played in earlier counts stay unseen to it.
    chooser = random.Random(7)
    for _ in range(200):
        seen = any_position(chooser)
        if seen is None:
            continue
        known = {*seen.own_hand, *seen.pile, seen.starter}
        others = [card for card in range(PACK_SIZE) if card not in known]
        told = Observation.for_play(
            seen.own_hand,
            seen.pile,
            seen.opponent_cards,
            seen.starter,
            not seen.is_dealer,
            own_discards=others[:2],
            history=[(True, others[2]), (False, others[3])],
            own_score=120 - seen.own_score,
            opponent_score=seen.opponent_score,
        )
        for level in (0.35, 1.0):
            assert brain.play_values(told, level) == brain.play_values(seen, level)
            assert fast_brain.play_values(told, level) == fast_brain.play_values(seen, level)
