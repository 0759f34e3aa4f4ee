"""The exact solver against an exhaustive search on the plain rules."""

import random

import pytest

from engines.gallery import exact
from engines.gallery import exact_kernel as core
from engines.gallery.board import board_of
from engines.gallery.deal import random_deal
from engines.gallery.rules import Position
from engines.limits import Limits, Outcome

CASES = 44


def late_positions():
    """Positions near the end of random games and of games that leave few cards."""
    for seed in range(CASES):
        position, choose = Position.start(random_deal(12, seed)), random.Random(seed)
        while position.stock:
            legal = list(position.legal_moves())
            position = position.apply(choose.choice(legal[:-1] or legal))
        yield position
    for seed in range(CASES):
        position = Position.start(random_deal(11, seed))
        solution = exact.solve(position, Limits(1)).moves
        choose = random.Random(seed)
        for number, move in enumerate(solution):
            legal = list(position.legal_moves())
            stray = len(position.stock) <= 16 and number > len(solution) // 2
            if stray and choose.random() < 0.25:
                move = choose.choice(legal)
            if move not in legal:
                break
            position = position.apply(move)
            if len(position.stock) <= 8 and choose.random() < 0.06:
                break
        if solution and len(position.stock) <= 8 and not position.over:
            yield position


def exhaustive(position, limit=500):
    """Whether a position can be won, by looking at all lines; None past the limit."""
    seen, stack = set(), [position]
    while stack:
        each = stack.pop()
        if each.solved:
            return True
        key = (each.gallery, each.tableau, each.stock)
        if key not in seen:
            seen.add(key)
            if len(seen) > limit:
                return None
            stack += [each.apply(move) for move in each.legal_moves()]
    return False


@pytest.fixture(scope="module")
def decided():
    found = [(position, exhaustive(position)) for position in late_positions()]
    found = [(position, verdict) for position, verdict in found if verdict is not None]
    assert sum(verdict for _, verdict in found) >= 3
    assert sum(not verdict for _, verdict in found) >= 3
    return found


@pytest.mark.parametrize(
    "rules",
    [exact.ALL_RULES, 0, core.DOMINANCE, core.TWINS, core.DEAD],
    ids=["all", "none", "dominance", "twins", "dead"],
)
def test_verdicts_are_those_of_an_exhaustive_search_with_any_rule_off(decided, rules):
    for position, verdict in decided:
        result = exact.solve(position, rules=rules, nested_games=())
        assert result.outcome == (Outcome.SOLVED if verdict else Outcome.UNSOLVABLE)
        end = position
        for move in result.moves:
            end = end.apply(move)
        assert end.solved == verdict


@pytest.mark.parametrize("rule", [core.DOMINANCE, core.TWINS])
def test_every_rule_spares_work(decided, rule):
    def work(rules):
        return sum(exact.solve(each, rules=rules, nested_games=()).states for each, _ in decided)

    assert work(rule) < work(0)


def test_a_dead_deal_needs_no_long_search():
    position = Position.start(random_deal(4, 38))
    dead_ends = exact.solve(position, Limits(20_000), nested_games=())
    without = exact.solve(
        position, Limits(20_000), rules=core.DOMINANCE | core.TWINS, nested_games=()
    )
    assert (dead_ends.outcome, without.outcome) == (Outcome.UNSOLVABLE, Outcome.NODE_LIMIT)


def test_a_position_called_dead_is_lost(decided):
    dead = [verdict for position, verdict in decided if core.is_dead(board_of(position))]
    assert dead and not any(dead)


def test_whole_deals_are_won_and_replayed():
    results = [exact.solve(Position.start(random_deal(0, unit)), Limits(500)) for unit in range(12)]
    outcomes = [result.outcome for result in results]
    assert set(outcomes) <= {Outcome.SOLVED, Outcome.UNSOLVABLE, Outcome.NODE_LIMIT}
    assert Outcome.SOLVED in outcomes and Outcome.NODE_LIMIT in outcomes
    assert all(bool(result.moves) == (result.outcome is Outcome.SOLVED) for result in results)


def test_limits_of_nodes_and_bytes_are_kept():
    position = Position.start(random_deal(4, 0))
    result = exact.solve(position, Limits(3_000), nested_games=())
    assert (result.outcome, result.nodes) == (Outcome.NODE_LIMIT, 3_000)
    small = exact.solve(position, Limits(10**9, 2**18), nested_games=())
    assert small.outcome is Outcome.MEMORY_LIMIT
    assert exact.solve(position, Limits(3_000), nested_games=()) == result
