import json
from pathlib import Path

import pytest
from naive import skip_action as naive

from engines.klondike.deal import parse_deal_line, random_deal
from engines.klondike.rules import Rules, replay
from engines.klondike.skip_action import DEFAULT_LIMITS, solve
from engines.limits import Limits, Outcome

DATA = Path(__file__).parents[2] / "data"

VARIANTS = [
    Rules(),
    Rules(draw=1),
    Rules(draw=1, redeals=0),
    Rules(draw=2, worrying_back=False),
    Rules(draw=3, redeals=2),
    Rules(draw=5),
    Rules(draw=24),
]


def oracle_lines(name):
    return [parse_deal_line(line) for line in (DATA / name).read_text().splitlines()]


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_every_count_and_move_equals_the_naive_twin(rules):
    for unit in range(6):
        deal = random_deal(11, unit)
        found = solve(deal, rules, Limits(nodes=60))
        counts = (found.playouts, found.check_points, found.deepest_level, list(found.moves))
        assert (str(found.outcome), *counts) == naive.solve(deal, rules, 60)


@pytest.mark.parametrize("unit", [23, 114, 129, 281])
def test_a_search_that_widens_to_its_end_without_a_win_equals_the_naive_twin(unit):
    deal = random_deal(0, unit)
    found = solve(deal, Rules(), Limits(nodes=1_000))
    assert found.outcome is Outcome.EXHAUSTED
    counts = (found.playouts, found.check_points, found.deepest_level)
    assert ("exhausted", *counts, []) == naive.solve(deal, Rules(), 1_000)


def test_of_the_winnable_oracle_deals_enough_are_won_and_none_of_the_others():
    won = {Outcome.SOLVED: 0, Outcome.UNSOLVABLE: 0}
    for line in oracle_lines("klondike_draw3_deals.jsonl"):
        rules = Rules(draw=line.draw)
        found = solve(line.deal, rules, DEFAULT_LIMITS)
        if found.outcome is Outcome.SOLVED:
            assert replay(line.deal, rules, found.moves).won
            won[line.verdict] += 1
    assert won[Outcome.SOLVED] >= 146
    assert won[Outcome.UNSOLVABLE] == 0


def test_a_solution_is_replayed_where_worrying_back_is_forbidden():
    rules = Rules(worrying_back=False)
    found = [solve(random_deal(0, unit), rules, Limits(nodes=2_000)) for unit in range(20)]
    solved = [each for each in found if each.outcome is Outcome.SOLVED]
    assert len(solved) >= 5
    for unit, each in enumerate(found):
        if each.outcome is Outcome.SOLVED:
            assert replay(random_deal(0, unit), rules, each.moves).won


def test_the_outcome_says_which_limit_ended_the_search():
    lines = {line.id: line for line in oracle_lines("klondike_draw3_deals.jsonl")}
    hopeless = lines["solvitaire-klondike-seed-1"].deal
    assert solve(hopeless, Rules(), Limits(nodes=100)).outcome is Outcome.NODE_LIMIT
    small_memory = Limits(nodes=10**6, bytes=2**15)
    assert solve(hopeless, Rules(draw=1), small_memory).outcome is Outcome.MEMORY_LIMIT


def test_limits_are_kept_to_the_play_out():
    hard = next(
        line.deal
        for line in oracle_lines("klondike_draw3_deals.jsonl")
        if line.id == "solvitaire-klondike-seed-48"
    )
    for nodes in (1, 77, 20_001):
        assert solve(hard, Rules(), Limits(nodes=nodes)).playouts == nodes


def test_keep_going_finds_shorter_solutions_up_to_the_limit():
    deal = random_deal(7, 0)
    first = solve(deal)
    best = solve(deal, limits=Limits(nodes=20_000), keep_going=True)
    assert best.outcome is Outcome.SOLVED
    assert best.wins > 1
    assert len(best.moves) < len(first.moves)
    assert replay(deal, Rules(), best.moves).won
    assert best.playouts == 20_000


def test_progress_tells_the_step_of_level_one():
    seen = []
    hard = oracle_lines("klondike_draw3_deals.jsonl")[47].deal
    solve(
        hard, limits=Limits(nodes=100_000), progress=lambda step, steps: seen.append((step, steps))
    )
    assert seen
    assert all(1 <= step <= steps + 1 for step, steps in seen)


def test_the_same_deal_gives_the_same_result_whatever_was_solved_before():
    alone = solve(random_deal(3, 1), limits=Limits(nodes=500))
    solve(random_deal(3, 2), limits=Limits(nodes=500))
    assert solve(random_deal(3, 1), limits=Limits(nodes=500)) == alone


def test_special_deals_that_are_won_replay():
    for text in (DATA / "klondike_special_deals.jsonl").read_text().splitlines():
        line, note = parse_deal_line(text), json.loads(text)["note"]
        found = solve(line.deal, Rules(draw=line.draw), Limits(nodes=50_000))
        if found.outcome is Outcome.SOLVED:
            assert replay(line.deal, Rules(draw=line.draw), found.moves).won, note
