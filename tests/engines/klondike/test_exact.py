import json
import random
from pathlib import Path

import pytest
from naive.klondike_exhaustive import TooMany, is_winnable

from engines.klondike import exact, free_talon_kernel, workspace_kernel
from engines.klondike.dead import is_dead
from engines.klondike.deal import parse_deal_line, random_deal
from engines.klondike.exact import solve
from engines.klondike.layer_kernel import (
    ALL_RULES,
    DEAD_TEST,
    FLOOR,
    FREE_TALON,
    LAZY_TALON,
    MERGED_TALON,
    OPEN_TALON,
    WORRYING_BACK,
    floor_of,
)
from engines.klondike.rules import Position, Rules, replay
from engines.limits import DECIDED, Limits, Outcome

DATA = Path(__file__).parents[2] / "data"
SOLVED, UNSOLVABLE = Outcome.SOLVED, Outcome.UNSOLVABLE

# Takes a million states.
LARGE = "solvitaire-klondike-seed-125"

ORACLE = "klondike_draw3_deals.jsonl"


def lines(name):
    return [parse_deal_line(line) for line in (DATA / name).read_text().splitlines()]


@pytest.mark.parametrize("name", [ORACLE, "klondike_special_deals.jsonl"])
def test_known_verdicts(name):
    for line in lines(name):
        rules = Rules(draw=line.draw)
        found = solve(line.deal, rules)
        assert found.outcome is line.verdict, line.id
        if found.outcome is SOLVED:
            assert replay(line.deal, rules, found.moves).won


VARIANTS = [
    Rules(draw=1),
    Rules(draw=1, worrying_back=False),
    Rules(draw=3),
    Rules(draw=3, worrying_back=False),
    Rules(draw=1, redeals=0),
    Rules(draw=1, redeals=2, worrying_back=False),
    Rules(draw=3, redeals=2),
    Rules(draw=7),
]


def decided_the_same(rules, deals, seed, nodes, use):
    """The outcomes by unit of deals decided with all shortcuts and with some, which must agree."""
    limits, outcomes = Limits(nodes=nodes), {}
    for unit in range(deals):
        deal = random_deal(seed, unit)
        full, ablated = solve(deal, rules, limits), solve(deal, rules, limits, use=use)
        if {full.outcome, ablated.outcome} <= DECIDED:
            outcomes[unit] = full.outcome
            assert full.outcome is ablated.outcome, unit
    return outcomes


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
@pytest.mark.parametrize(
    "use",
    [0, FLOOR, MERGED_TALON, DEAD_TEST, FREE_TALON, LAZY_TALON, OPEN_TALON | LAZY_TALON | FLOOR],
    ids=["none", "floor", "merged", "dead", "free", "lazy", "open"],
)
def test_no_verdict_depends_on_a_shortcut(rules, use):
    assert len(decided_the_same(rules, 40, 31, 20_000, use)) >= 10


def search(deal, rules, use, nodes=200_000):
    """How a search ends, and the workspace it leaves."""
    space = exact._workspace(Position.start(deal, rules))
    bits = use | WORRYING_BACK if rules.worrying_back else use
    return exact._search(space, rules.draw, bits, Limits(nodes=nodes, bytes=2**28), None)


@pytest.mark.parametrize(
    "rules", [Rules(draw=3), Rules(draw=2), Rules(draw=5, worrying_back=False)], ids=str
)
def test_a_lost_deal_has_the_same_components_with_and_without_the_merged_talon(rules):
    compared = 0
    for unit in range(200):
        deal = random_deal(9, unit)
        merged, space = search(deal, rules, FLOOR | MERGED_TALON, nodes=20_000)
        if merged is not UNSOLVABLE:
            continue
        compared += 1
        plain, plain_space = search(deal, rules, FLOOR)
        assert plain is UNSOLVABLE
        keys = {int(key) - 1 for key in space.table[:, 0] if key}
        # Without the merged talon, the waste size is the last digit of the key, in base 25.
        plain_keys = {(int(key) - 1) // 25 for key in plain_space.table[:, 0] if key}
        assert keys == plain_keys, unit
    assert compared >= 5


def test_a_deal_whose_win_needs_a_step_taken_with_another_waste_size():
    assert solve(random_deal(5, 179)).outcome is SOLVED


@pytest.mark.parametrize("worrying_back", [True, False])
def test_a_lazy_talon_changes_no_verdict(worrying_back):
    rules = Rules(draw=1, worrying_back=worrying_back)
    outcomes = decided_the_same(rules, 150, 13, 30_000, ALL_RULES & ~LAZY_TALON)
    assert len(outcomes) >= 100
    assert set(outcomes.values()) == DECIDED


@pytest.mark.parametrize(
    "rules",
    [Rules(draw=3), Rules(draw=2, worrying_back=False), Rules(draw=3, redeals=1)],
    ids=str,
)
def test_an_open_talon_rules_out_only_lost_states(rules):
    outcomes = decided_the_same(rules, 150, 14, 30_000, ALL_RULES & ~OPEN_TALON)
    assert len(outcomes) >= 80
    assert set(outcomes.values()) == DECIDED


def winnable_with_a_free_talon(deal):
    space = exact._workspace(Position.start(deal, Rules()))
    while True:
        locked = int(space.stack[0, 0]) >> workspace_kernel.LOCKED_SHIFT & 0xFFFFFFF
        won = free_talon_kernel.decide(space.free, space.deal, locked, 0, ALL_RULES)
        if not space.free.counters[free_talon_kernel.FREE_FULL]:
            return won == 1
        space = space._replace(free=exact._larger(space.free))


def test_every_winnable_deal_can_be_won_with_a_free_talon_and_some_others_cannot():
    found = {line.id: winnable_with_a_free_talon(line.deal) for line in lines(ORACLE)}
    lost = [line for line in lines(ORACLE) if not found[line.id]]
    assert {line.verdict for line in lost} == {UNSOLVABLE}
    assert "solvitaire-klondike-seed-22" in {line.id for line in lost}


def test_no_winnable_deal_is_dead_and_some_others_are():
    dead = {line.id: is_dead(Position.start(line.deal, Rules())) for line in lines(ORACLE)}
    verdicts = {line.id: line.verdict for line in lines(ORACLE)}
    found = {verdicts[name] for name, is_so in dead.items() if is_so}
    assert found == {UNSOLVABLE}
    assert sum(dead.values()) == 8


def test_a_dead_deal_is_decided_at_once():
    line = next(line for line in lines(ORACLE) if line.id == "solvitaire-klondike-seed-39")
    found = solve(line.deal)
    assert (found.outcome, found.nodes) == (UNSOLVABLE, 1_000)


def late_positions(rules, count):
    """Positions off the later part of a solution by some random moves: some won, some lost."""
    chooser, unit = random.Random(1), 0
    while count:
        unit += 1
        moves = solve(random_deal(33, unit), rules, Limits(nodes=2_000)).moves
        if not moves:
            continue
        played = chooser.randrange(len(moves) // 3, len(moves) * 5 // 6)
        position = replay(random_deal(33, unit), rules, moves[:played])
        for _ in range(chooser.randrange(20)):
            legal = list(position.legal_moves())
            if legal:
                position = position.apply(chooser.choice(legal))
        count -= 1
        yield position


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_verdicts_equal_those_of_a_search_over_whole_positions(rules):
    verdicts = []
    for position in late_positions(rules, count=10):
        try:
            expected = is_winnable(position, limit=1_000)
        except TooMany:
            continue
        verdicts.append(expected)
        assert (solve(position).outcome is SOLVED) is expected, str(position)
    assert len(verdicts) >= 3


def test_easier_rules_win_whatever_harder_rules_win():
    # A win on the right is a win on the left.
    harder = [
        (Rules(draw=1), Rules(draw=3)),
        (Rules(draw=3), Rules(draw=6)),
        (Rules(draw=2), Rules(draw=6)),
        (Rules(draw=3), Rules(draw=3, worrying_back=False)),
        (Rules(draw=3), Rules(draw=3, redeals=2)),
        (Rules(draw=3, redeals=2), Rules(draw=3, redeals=0)),
    ]
    limits = Limits(nodes=20_000)
    wins = 0
    for unit in range(60):
        deal = random_deal(32, unit)
        for easy, hard in harder:
            if solve(deal, hard, limits).outcome is SOLVED:
                wins += 1
                assert solve(deal, easy, limits).outcome is not UNSOLVABLE, (unit, easy)
    assert wins > 60


def test_a_partly_played_position_is_won_by_the_rest_of_a_solution_or_another():
    deal = random_deal(7, 0)
    moves = solve(deal).moves
    for played in range(0, len(moves), 9):
        found = solve(replay(deal, Rules(), moves[:played]))
        assert found.outcome is SOLVED
        assert replay(deal, Rules(), [*moves[:played], *found.moves]).won


def test_limits_leave_a_deal_undecided():
    large = next(line.deal for line in lines(ORACLE) if line.id == LARGE)
    limited = solve(large, limits=Limits(nodes=1_000))
    assert (limited.outcome, limited.nodes, limited.moves) == (Outcome.NODE_LIMIT, 1_000, ())
    small = solve(large, limits=Limits(nodes=10**6, bytes=2**20), use=ALL_RULES & ~OPEN_TALON)
    assert small.outcome is Outcome.MEMORY_LIMIT


def test_the_same_deal_gives_the_same_result_whatever_was_solved_before():
    alone = solve(random_deal(3, 1))
    solve(random_deal(3, 2), Rules(draw=1))
    solve(random_deal(3, 3), limits=Limits(nodes=5))
    assert solve(random_deal(3, 1)) == alone


def test_a_lost_deal_has_no_moves():
    line = lines(ORACLE)[0]
    found = solve(line.deal)
    assert (found.outcome, found.moves) == (UNSOLVABLE, ())
    assert found.states > 0


@pytest.mark.parametrize("seed", range(5))
def test_the_floor_is_the_greatest_vector_that_needs_no_card_back(seed):
    chooser = random.Random(seed)
    for _ in range(100):
        heights = [chooser.randint(0, 13) for _ in range(4)]
        expected = list(heights)
        changed = True
        while changed:  # clubs and spades are black: suits 0 and 3
            lowered = [
                min(
                    expected[suit],
                    *(
                        expected[other] + 2
                        for other in range(4)
                        if (suit in (0, 3)) != (other in (0, 3))
                    ),
                    expected[3 - suit] + 3,
                )
                for suit in range(4)
            ]
            changed, expected = lowered != expected, lowered
        packed = sum(height << 4 * suit for suit, height in enumerate(heights))
        floor = floor_of(packed)
        assert [floor >> 4 * suit & 15 for suit in range(4)] == expected


def test_shortcuts_are_all_on_by_default():
    assert ALL_RULES & FLOOR
    assert ALL_RULES & MERGED_TALON
    assert ALL_RULES & FREE_TALON
    assert ALL_RULES & LAZY_TALON
    assert ALL_RULES & OPEN_TALON
    note = json.loads((DATA / "klondike_special_deals.jsonl").read_text().splitlines()[4])
    assert "over-eager" in note["note"]
