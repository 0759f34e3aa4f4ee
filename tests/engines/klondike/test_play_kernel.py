"""The compiled positions and actions against the plain rules, move by move."""

import random

import numpy as np
import pytest
from naive import skip_action as naive

from engines.klondike import play_kernel as play
from engines.klondike import skip_action_kernel as core
from engines.klondike.deal import COLUMNS, random_deal
from engines.klondike.rules import Position, Rules
from engines.klondike.skip_action import load_row, ordinary_moves

VARIANTS = [
    Rules(draw=1),
    Rules(draw=3),
    Rules(draw=3, worrying_back=False),
    Rules(draw=4, redeals=1),
    Rules(draw=7, redeals=0),
    Rules(draw=24),
]


def start_row(deal, rules):
    rows = np.zeros((1, play.ROW_SIZE), np.int8)
    load_row(rows[0], deal, rules)
    return rows


def all_actions(rows, rules):
    scratch = np.zeros(play.SCRATCH_SIZE, np.int64)
    actions = []
    while True:
        skips = np.int64(len(actions))
        action = play.significant_action(rows, 0, scratch, rules.draw, rules.worrying_back, skips)
        if action == play.NONE:
            return actions
        actions.append(action)


def moves_of(position, action):
    return list(ordinary_moves(position, [action])[0])


def described(rows):
    """What a row says, in the terms of Position."""
    row = rows[0].tolist()
    tableau = []
    for number in range(COLUMNS):
        first = play.CARDS + play.COLUMN_STRIDE * number
        down, size = row[play.DOWN + number], row[play.SIZE + number]
        cards = tuple(row[first : first + size])
        tableau.append((cards[:down], cards[down:]))
    talon = tuple(row[play.TALON : play.TALON + row[play.TALON_SIZE]])
    redeals = None if row[play.REDEALS] == play.UNLIMITED else row[play.REDEALS]
    foundations = tuple(row[play.FOUNDATION : play.FOUNDATION + 4])
    return tuple(tableau), foundations, talon, row[play.WASTE], redeals


def described_position(position):
    tableau = tuple((column.down, column.up) for column in position.tableau)
    talon = position.waste + position.stock
    return tableau, position.foundations, talon, len(position.waste), position.redeals_left


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_random_lines_of_actions_agree_with_the_rules_at_every_move(rules):
    chooser = random.Random(5)
    kinds = set()
    for unit in range(25):
        deal = random_deal(21, unit)
        rows, position = start_row(deal, rules), Position.start(deal, rules)
        while not position.won:
            actions = all_actions(rows, rules)
            expected = naive.significant_actions(position)
            assert [moves_of(position, each) for each in actions] == expected
            forced = play.forced_action(rows, 0)
            assert (moves_of(position, forced) if forced else None) == naive.forced_action(position)
            if not actions:
                break
            action = chooser.choice(actions)
            kinds.add(action & 0xFF)
            moves = moves_of(position, action)
            assert play.apply_action(rows, 0, rules.draw, action) == len(moves)
            position = naive.play(position, moves)
            assert described(rows) == described_position(position)
    if rules == Rules():
        every_kind = {play.UP, play.RUN, play.PART, play.TALON_UP, play.TALON_DOWN}
        assert kinds == every_kind | {play.BACK_RUN, play.BACK_TALON}


def test_positions_hash_alike_when_only_columns_are_exchanged():
    rows = start_row(random_deal(1, 1), Rules())
    before = core.position_hash(rows, 0, 3)
    for first in (play.DOWN, play.SIZE):
        rows[0, [first + 2, first + 5]] = rows[0, [first + 5, first + 2]]
    columns = rows[0, play.CARDS : play.CARDS + 7 * play.COLUMN_STRIDE].reshape(7, -1)
    columns[[2, 5]] = columns[[5, 2]]
    assert core.position_hash(rows, 0, 3) == before
    rows[0, play.FOUNDATION] += 1
    rows[0, play.SIZE + 6] -= 1
    assert core.position_hash(rows, 0, 3) != before


@pytest.mark.parametrize(
    ("redeals", "waste", "same"),
    [(None, 3, True), (None, 24, True), (None, 4, False), (2, 3, False)],
)
def test_a_waste_that_draws_can_leave_hashes_as_none(redeals, waste, same):
    rows = start_row(random_deal(1, 1), Rules(redeals=redeals))
    before = core.position_hash(rows, 0, 3)
    rows[0, play.WASTE] = waste
    assert (core.position_hash(rows, 0, 3) == before) is same


def test_equal_hashes_mean_equal_canonical_positions_over_random_lines():
    chooser, rules, seen = random.Random(2), Rules(), {}
    for unit in range(40):
        deal = random_deal(4, unit % 4)
        rows, position = start_row(deal, rules), Position.start(deal, rules)
        while actions := all_actions(rows, rules):
            key = naive.canonical(position)
            hashed = core.position_hash(rows, 0, rules.draw)
            assert seen.setdefault(hashed, key) == key
            action = chooser.choice(actions)
            position = naive.play(position, moves_of(position, action))
            play.apply_action(rows, 0, rules.draw, action)
    assert len(seen) == len(set(seen.values()))
