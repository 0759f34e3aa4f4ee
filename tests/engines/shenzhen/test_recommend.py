import random

import numpy as np
import pytest
from naive.shenzhen_exhaustive import canonical

from engines.limits import Limits, Outcome
from engines.shenzhen.deal import parse_card, random_deal
from engines.shenzhen.exact import solve
from engines.shenzhen.moves import parse_move
from engines.shenzhen.recommend import (
    FITTED,
    Basis,
    Constants,
    best_path,
    matrix,
    operate,
    position_of,
    recommend,
    valid,
)
from engines.shenzhen.rules import Position, replay


def cards(text):
    return tuple(0 if name == "--" else parse_card(name) for name in text.split())


def board(*columns, cells="-- -- --", up="-- -- --", flower=True):
    tableau = tuple(cards(text) for text in (*columns, *[""] * (8 - len(columns))))
    return matrix(Position(tableau, cards(cells), flower, cards(up)))


def test_the_matrix_is_that_of_the_sketch():
    position = Position(
        (cards("r9 g8"), cards("RD"), *[()] * 6), (-8, -3, 0), True, cards("b1 r2 --")
    )
    expected = np.zeros((14, 8), int)
    expected[0] = [-8, -3, 0, 1, 5, 6, 0, 0]  # id = rank * 3 + suit: b1 is 5, r2 is 6
    expected[1:3, 0] = [27, 25]
    expected[1, 1] = -1
    assert (matrix(position) == expected).all()
    assert position_of(matrix(position)) == position


def test_operations_are_the_moves_of_the_rules():
    """Random play: the same boards come out, and none is missing but for the order of places."""
    for unit in range(12):
        pick, position = random.Random(unit), Position.start(random_deal(5, unit))
        for _ in range(30):
            moves = valid(matrix(position))
            legal = list(position.legal_moves())
            assert set(moves) <= set(legal)
            assert {canonical(position.apply(move)) for move in moves} >= {
                canonical(position.apply(move)) for move in legal
            } - {canonical(position)}
            if not moves:
                break
            move = pick.choice(moves)
            after, _ = operate(matrix(position), move)
            position = position.apply(move)
            assert position_of(after) == position


PLAIN = Constants(dead_end=-100, collect=30, empty_column=8, automatic=4, manual_up=2, won=100_000)


@pytest.mark.parametrize(
    ("start", "move", "score"),
    [
        (board("WD r9 g8", "WD b7", up="r6 g6 b5"), "21", 3.0),  # r9 g8 b7
        (board("WD r9 g8", "b7", up="r6 g6 b5"), "21", 3.0 + 8),
        (board("WD r9", "WD g8 b7", up="r6 g6 b5"), "21x2", 3.0),
        (board("WD r9 g8", cells="b7 RD RD"), "a1", 3.0),
        (board("WD r9 g8"), "1a", 0.0),
        (board("WD r9 g8"), "12", 0.0),
        (board("WD r5", up="r4 g2 b2"), "1F", 2.0),
        (board("RD", "RD", "b9 RD", "b8 RD"), "RD", 30.0 + 16),
        (board("WD g9 r3 r8", up="r2 g2 b2"), "1a", 4.0),  # r3 goes up by itself
        (board("WD g1 r8"), "1a", 4.0),
        (board("g1 r8"), "1a", 4.0 + 8),
    ],
)
def test_an_operation_scores_its_manual_and_its_automatic_part(start, move, score):
    assert operate(start, parse_move(move), PLAIN)[1] == score


def naive_best(path, depth, constants):
    """The largest sum over all paths, by recursion on the operations."""
    best = -np.inf
    for move in valid(path[-1]):
        after, score = operate(path[-1], move, constants)
        if position_of(after).won:
            total = score + constants.won
        elif any((after == earlier).all() for earlier in path) or not valid(after):
            total = score + constants.dead_end
        else:
            total = score
            if depth > 1:
                total += naive_best([*path, after], depth - 1, constants)
        best = max(best, total)
    return best


@pytest.mark.parametrize(("unit", "depth"), [(0, 1), (1, 1), (2, 2), (3, 2), (4, 2)])
def test_the_best_path_has_the_largest_sum_of_all(unit, depth):
    pick, path = random.Random(unit), [matrix(Position.start(random_deal(6, unit)))]
    for _ in range(8):
        moves, total = best_path(path, depth)
        assert total == pytest.approx(naive_best(path, depth, FITTED))
        if not moves:
            break
        path.append(operate(path[-1], pick.choice(valid(path[-1])))[0])


def test_a_return_to_a_board_of_the_path_counts_as_a_dead_end():
    """b7 can do nothing but go from one g8 to the other and back."""
    rest = ("GD", "GD", "GD", "WD", "WD", "WD")
    there = board("RD r9 g8 b7", "RD g8", *rest, cells="RD RD b9")
    back = board("RD r9 g8", "RD g8 b7", *rest, cells="RD RD b9")
    assert best_path([back], 1, PLAIN) == ((parse_move("21"),), 3.0)
    assert best_path([there, back], 1, PLAIN) == ((parse_move("21"),), 3.0 - 100)


def test_a_board_without_operations_gives_none():
    stuck = board(*["WD RD"] * 8, cells="r9 g9 b9")
    assert best_path([stuck], 3) == ((), -np.inf)
    with pytest.raises(ValueError, match="expected a depth of 1 or more, got 0"):
        best_path([stuck], 0)


def test_a_recommendation_is_the_start_of_a_line_that_wins():
    deal = random_deal(5, 0)
    found = recommend(Position.start(deal))
    assert found.basis is Basis.WON
    assert replay(deal, found.line).won
    assert found.move == found.line[0]
    assert found.advice is None


def test_a_lost_position_is_said_to_be_lost():
    lost = next(p for p in map(stuck, range(20)) if solve(p).outcome is Outcome.UNSOLVABLE)
    found = recommend(lost)
    assert (found.basis, found.move) == (Basis.UNSOLVABLE, None)


def stuck(unit):
    """The first position with at most two legal moves in random play of a deal."""
    pick, position = random.Random(unit), Position.start(random_deal(31, unit))
    while len(moves := list(position.legal_moves())) > 2:
        position = position.apply(pick.choice(moves))
    return position


def test_at_the_limit_the_advice_is_labelled():
    position = Position.start(random_deal(5, 0))
    found = recommend(position, depth=1, limits=Limits(1), short_limits=Limits(1))
    assert found.basis is Basis.LIMIT
    assert found.line == ()
    assert found.move == found.advice == best_path([matrix(position)], 1)[0][0]
