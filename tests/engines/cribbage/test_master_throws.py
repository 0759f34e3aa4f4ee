"""Master's throws near the end of a match: against a plain twin, and what they rest on."""

import math
import random
from collections import Counter

import numpy as np
import pytest
from naive import cribbage_throws as naive
from naive.cribbage_master import rows_of_ranks

from engines.cards import PACK_SIZE
from engines.cribbage import brain, brain_kernel, fast_brain
from engines.cribbage.brain import THROWS
from engines.cribbage.crib_tables import default_tables
from engines.cribbage.master_tables import default_master_tables
from engines.cribbage.observation import Observation
from engines.cribbage.scoring import GAME
from engines.cribbage.scoring_kernel import show_table
from engines.cribbage.throw_kernel import (
    NEAR_END,
    NO_CHANCE,
    SPREAD,
    THROW_PURPOSE,
    choose_board_throw,
    new_trials,
    weigh_throws,
)
from engines.cribbage.tiers import MASTER

PACK = range(PACK_SIZE)
ROW_OF = {ranks: row for row, ranks in enumerate(rows_of_ranks())}
SHOW_TABLE, CRIBS = show_table(), default_tables().stacked()
TABLES = default_master_tables()
WINS = TABLES.throw_board.dealer_wins


def points_of_throws(hand, is_dealer):
    """Of each throw by the plain brain, with what the kept ranks bring in the play."""
    values = []
    for throw in brain.throws(Observation.for_discard(hand, is_dealer)):
        ranks = tuple(card // 4 for card in hand if card not in throw.cards)
        values.append(throw.value + float(TABLES.pegging[int(is_dealer), ROW_OF[ranks]]))
    return values


def weighed(trials, hand, is_dealer, scores, samples, seed, spread=math.inf):
    """The values of the kernel and the plain mean chances of the same deals."""
    own, values = np.array(hand, np.int8), np.zeros(15)
    tables = SHOW_TABLE, CRIBS
    brain_kernel.weighed_values(own, is_dealer, *tables, TABLES.pegging, values)
    weigh_throws(trials, own, is_dealer, *scores, *tables, samples, np.uint64(seed), spread, values)
    return values, trials.sums[:, 0] / samples


@pytest.mark.parametrize(
    ("scores", "is_dealer", "spread"),
    [
        ((100, 100), True, 2.0),
        ((112, 108), False, SPREAD),
        ((119, 116), True, SPREAD),
        ((120, 120), False, 2.0),
        ((120, 119), True, 4.0),
        ((88, 118), False, 2.0),
        ((63, 90), True, 6.0),
    ],
)
def test_throws_are_weighed_as_on_the_plain_rules(scores, is_dealer, spread):
    chooser, samples, seed = random.Random(sum(scores)), 4, 1_000 + scores[0]
    hand = tuple(sorted(chooser.sample(PACK, 6)))
    points = points_of_throws(hand, is_dealer)
    expected = naive.chances(
        hand, is_dealer, scores, points, (seed, THROW_PURPOSE), samples, spread, WINS.tolist()
    )
    values, _ = weighed(new_trials(WINS), hand, is_dealer, scores, samples, seed, spread)
    assert len(expected) > 1
    found = {throw: values[throw] for throw in expected}
    assert found == pytest.approx(expected, abs=1e-9)
    others = [values[throw] for throw in range(15) if throw not in expected]
    assert set(others) <= {NO_CHANCE}


def over_rolls(hand, is_dealer, scores, rolls, samples):
    """Of so many rolls, float64[rolls, 15] each: values, and plain mean chances."""
    trials = new_trials(WINS)
    found = [weighed(trials, hand, is_dealer, scores, samples, roll) for roll in range(rolls)]
    return np.array([each[0] for each in found]), np.array([each[1] for each in found])


POSITIONS = [
    ((0, 5, 19, 24, 38, 41), True, (100, 100)),
    ((1, 17, 23, 26, 30, 46), False, (112, 106)),
]
CONTROL = 0.02
"""How wrong the mean chance may be: what the tables leave out that give the points of throws, of
cribs and of the play."""


@pytest.mark.parametrize(("hand", "is_dealer", "scores"), POSITIONS)
def test_the_mean_over_many_rolls_is_the_plain_mean_chance(hand, is_dealer, scores):
    values, plain = over_rolls(hand, is_dealer, scores, 300, 64)
    wrong = values - plain
    error = wrong.std(axis=0, ddof=1) / math.sqrt(len(wrong))
    assert (np.abs(wrong.mean(axis=0)) < CONTROL + 4 * error).all()
    # Without what is taken out they are the chances of the deals.
    seen, trials = Observation.for_discard(hand, is_dealer, *scores), new_trials(WINS)
    _, chances = weighed(trials, hand, is_dealer, scores, 500, 2**52)
    assert fast_brain.throw_chances(seen, 500, 0.5) == chances.tolist()
    assert abs(plain.mean(axis=0) - chances).max() < 0.1


@pytest.mark.parametrize(("hand", "is_dealer", "scores"), POSITIONS)
def test_what_the_margin_takes_out_leaves_throws_apart_as_they_are(hand, is_dealer, scores):
    values, plain = over_rolls(hand, is_dealer, scores, 300, 64)
    wrong = (values - values[:, :1]) - (plain - plain[:, :1])
    error = wrong.std(axis=0, ddof=1) / math.sqrt(len(wrong))
    assert (np.abs(wrong.mean(axis=0)) < CONTROL + 4 * error).all()
    # And it is worth it: the difference between two throws is less uncertain.
    uncertain, without = ((each - each[:, :1]).var(axis=0)[1:].mean() for each in (values, plain))
    assert uncertain < 0.9 * without


def board_throw(hand, is_dealer, scores, samples, seed, trials=None):
    own, values = np.array(hand, np.int8), np.full(15, np.nan)
    throw = choose_board_throw(
        trials or new_trials(WINS), own, is_dealer, *scores, SHOW_TABLE, CRIBS, TABLES.pegging,
        samples, np.uint64(seed), values,
    )  # fmt: skip
    return int(throw), values.tolist()


def test_far_from_the_end_throws_are_those_by_points():
    chooser, kinds = random.Random(90), Counter()
    for _ in range(300):
        hand, is_dealer = sorted(chooser.sample(PACK, 6)), chooser.random() < 0.5
        scores = chooser.choices([0, 60, 84, 85, 86, 100, 120], k=2)
        by_points = np.zeros(15)
        own = np.array(hand, np.int8)
        brain_kernel.weighed_values(own, is_dealer, SHOW_TABLE, CRIBS, TABLES.pegging, by_points)
        throw, values = board_throw(hand, is_dealer, scores, 8, 5)
        assert throw == values.index(max(values))
        if max(scores) < GAME - NEAR_END:
            assert values == by_points.tolist()
            kinds["far"] += 1
            continue
        # Only throws that are not much worse by points are played on.
        asked = [by_points.max() - each <= SPREAD for each in by_points]
        assert [value > NO_CHANCE for value in values] == asked
        kinds["near"] += 1
        kinds["another throw"] += throw != int(by_points.argmax())
    assert NEAR_END == GAME - 85
    assert min(kinds["far"], kinds["another throw"]) > 20


def test_the_seed_settles_the_deals_and_nothing_is_remembered():
    chooser, trials, asked = random.Random(91), new_trials(WINS), []
    for _ in range(30):
        hand, is_dealer = sorted(chooser.sample(PACK, 6)), chooser.random() < 0.5
        scores = chooser.choices(range(85, GAME), k=2)
        asked.append((hand, is_dealer, scores, 8, chooser.randrange(2**53)))
    forth = [board_throw(*each, trials) for each in asked]
    back = [board_throw(*each, trials) for each in reversed(asked)]
    assert back[::-1] == forth == [board_throw(*each) for each in asked]
    other = [board_throw(*each[:-1], each[-1] + 1) for each in asked]
    # Where one throw is so much better that it alone is played on, it may win in all deals.
    assert sum(one[1] != another[1] for one, another in zip(forth, other, strict=True)) > 20


def test_a_throw_of_the_tier_is_that_of_its_kernel():
    chooser = random.Random(92)
    for _ in range(12):
        hand, is_dealer = sorted(chooser.sample(PACK, 6)), chooser.random() < 0.5
        scores, roll = chooser.choices([50, 84, 95, 110, 118], k=2), chooser.random()
        throw, _ = board_throw(hand, is_dealer, scores, MASTER.samples, int(roll * 2**53))
        seen = Observation.for_discard(hand, is_dealer, *scores)
        thrown = fast_brain.choose_discard(seen, MASTER, roll)
        assert thrown == tuple(hand[place] for place in THROWS[throw])


def test_the_opponent_and_the_starter_are_any_of_the_other_cards():
    # Over the twin's deals, which are the kernel's: each card is as often held, and turned up.
    hand, number = (0, 5, 19, 24, 38, 41), 6_000
    held, starters = Counter(), Counter()
    for six, starter in naive.deals(hand, (3, THROW_PURPOSE), number):
        assert len({*hand, *six, starter}) == 13
        held.update(six)
        starters[starter] += 1
    for counts, each in ((held, number * 6 / 46), (starters, number / 46)):
        assert len(counts) == 46
        chi_square = sum((count - each) ** 2 / each for count in counts.values())
        assert chi_square < 90  # 45 degrees of freedom: one in ten thousand
