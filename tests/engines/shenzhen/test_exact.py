import json
import random
from pathlib import Path

import numpy as np
import pytest
from naive.shenzhen_exhaustive import canonical, reachable

from engines.limits import Limits, Outcome
from engines.shenzhen import board_kernel, exact
from engines.shenzhen.deal import DECK, Deal, is_number, parse_card, random_deal, rank_of
from engines.shenzhen.exact import SHORT, encode, solve, solve_short
from engines.shenzhen.moves import parse_moves
from engines.shenzhen.rules import Position, replay

ORACLE = json.loads((Path(__file__).parents[2] / "data" / "shenzhen_seeds.json").read_text())


def seeded_deal(seed):
    """The deal of a seed of the file's generator."""
    cards = [f"{suit}{rank}" for suit in "rgb" for rank in range(1, 10)]
    cards += ["RD", "GD", "WD"] * 4 + ["FL"]
    random.Random(seed).shuffle(cards)
    return Deal.from_deck(map(parse_card, cards))


def ending(seed, collected=2, up=6):
    """The last cards in random columns: two colours collected, numbers up to a rank."""
    pick = random.Random(seed)
    gone = {-1, -2, -3} if collected == 3 else {-1, -2}
    left = [
        card
        for card in DECK
        if (is_number(card) and rank_of(card) > up) or (card < 0 and card not in gone)
    ]
    pick.shuffle(left)
    columns = [[] for _ in range(8)]
    for card in left:
        columns[pick.choice([k for k in range(3) if len(columns[k]) < 5] or [3])].append(card)
    tops = tuple(3 * up + suit for suit in range(3))
    cells = tuple(4 * dragon for dragon in sorted(gone, reverse=True))
    cells += (0,) * (3 - len(cells))
    return Position(tuple(map(tuple, columns)), cells, True, tops).settled()


def test_verdicts_and_state_counts_are_those_of_trying_everything():
    """Stuck positions of random play, which are lost, and endings, which are won."""
    outcomes = []
    for start in (*map(stuck, range(24)), *map(blocked, range(9, 21))):
        naive = reachable(start, 300)
        if naive is None:
            continue
        seen, won = naive
        found = solve(start)
        assert found.outcome is (Outcome.SOLVED if won else Outcome.UNSOLVABLE)
        if not won:
            assert found.states == len(seen)
        outcomes.append((found.outcome, len(seen) > 10))
    assert outcomes.count((Outcome.UNSOLVABLE, True)) >= 2
    assert outcomes.count((Outcome.SOLVED, True)) >= 3


def stuck(unit):
    """The first position with at most two legal moves in random play of a deal."""
    pick = random.Random(unit)
    position = Position.start(random_deal(31, unit))
    while len(moves := list(position.legal_moves())) > 2:
        position = position.apply(pick.choice(moves))
    return position


def blocked(seed):
    """The last numbers and two colours of dragons, with little room: two numbers are in cells."""
    pick = random.Random(seed)
    numbers = [card for card in DECK if is_number(card) and rank_of(card) > 6]
    pick.shuffle(numbers)
    left = numbers[2:] + [-2] * 4 + [-3] * 4
    pick.shuffle(left)
    columns = tuple(tuple(left[start : start + 2]) for start in range(0, 16, 2))
    return Position(columns, (-4, *numbers[:2]), True, (18, 19, 20)).settled()


def test_a_key_is_the_position_up_to_the_order_of_its_piles():
    """Along random play, keys made from scratch with the facts of the start agree with positions:
    equal keys if and only if equal canonical positions; and they decode to the position."""
    for unit in range(6):
        pick = random.Random(unit)
        start = Position.start(random_deal(21, unit))
        facts, _ = encode(start)
        keys = {}
        for _ in range(12):
            position = start
            for _ in range(20):
                key = tuple(key_of(position, start))
                assert keys.setdefault(key, canonical(position)) == canonical(position)
                assert decoded(key, facts) == canonical(position)
                moves = list(position.legal_moves())
                if not moves:
                    break
                position = position.apply(pick.choice(moves))
        assert len(set(keys.values())) == len(keys)


def key_of(position, start):
    """The key that the search gives a position reached from a start: by one search of one state."""
    space = exact.workspace(start)
    return exact_key(position, start, space)


def exact_key(position, start, space):
    """The key by the definition in SOUNDNESS.md, without the kernels."""
    facts = space.start
    _, own = encode(position)
    words = [int(own[0]), int(own[1])]
    # A card that lies where it lay at the start is coded by that, and so is one on a card that it
    # does not follow; of dragons, `encode` numbers them by where they are now: number them anew.
    words[1] &= ~(0xFFF << board_kernel.FREED)
    at_start = {}
    for number in range(board_kernel.FIRST_DRAGON, board_kernel.FLOWER):
        column = int(facts[board_kernel.COLUMN, number])
        if column >= 0:
            below, depth = int(facts[board_kernel.BELOW, number]), 0
            while below >= 0:
                depth, below = depth + 1, int(facts[board_kernel.BELOW, below])
            at_start[number] = (column, depth)
    for number in range(board_kernel.FIRST_DRAGON, board_kernel.FLOWER):
        freed = True
        if number in at_start:
            column, depth = at_start[number]
            cards, first = position.columns[column], start.columns[column]
            same = cards[: depth + 1] == first[: depth + 1]
            freed = not (same and (depth > 0 or len(cards) > 1))
        if freed:
            words[1] |= 1 << (board_kernel.FREED + number - board_kernel.FIRST_DRAGON)
    return words


def decoded(key, facts):
    board = np.zeros(board_kernel.BOARD_SIZE, np.int8)
    above = np.zeros(board_kernel.CARDS, np.int8)
    board_kernel.decode(np.array(key, np.uint64), facts, board, above)
    columns = []
    for column in range(8):
        first, height = 16 * column, board[board_kernel.HEIGHT + column]
        columns.append(tuple(card_of(int(card)) for card in board[first : first + height]))
    cells = [card_of(int(c)) for c in board[board_kernel.CELL : board_kernel.CELL + 3] if c >= 0]
    stacks = board[board_kernel.STACKS : board_kernel.STACKS + 3]
    cells += [-4 * (colour + 1) for colour in range(3) if stacks[colour]]
    cells += [0] * (3 - len(cells))
    tops = [
        3 * int(board[board_kernel.TOP + suit]) + suit if board[board_kernel.TOP + suit] else 0
        for suit in range(3)
    ]
    flower = bool(key[1] >> board_kernel.FLOWER_UP & 1)
    return canonical(Position(tuple(columns), tuple(cells), flower, tuple(tops)))


def card_of(number):
    if number == board_kernel.FLOWER:
        return 1
    if number >= board_kernel.FIRST_DRAGON:
        return -1 - (number - board_kernel.FIRST_DRAGON) // 4
    return 3 * (number // 4 + 1) + number % 4


def test_known_seeds_are_decided_as_known():
    for seed in (*ORACLE["unsolvable"], *range(2, 30)):
        found = solve(seeded_deal(seed))
        known = Outcome.UNSOLVABLE if seed in ORACLE["unsolvable"] else Outcome.SOLVED
        assert found.outcome is known, seed
        if found.moves:
            assert replay(seeded_deal(seed), found.moves).won


def test_a_deal_that_players_found_hopeless_is_proved_unsolvable():
    """The larger of the two takes seconds: tests/benchmarks/shenzhen_oracle.py."""
    cards = ORACLE["extra_unsolvable_deals"][1]
    found = solve(Deal.from_deck(map(parse_card, cards)))
    assert (found.outcome, found.states) == (Outcome.UNSOLVABLE, 12_926)


@pytest.mark.parametrize("weights", [SHORT, exact.Weights(1, 0, 0, 0, 0, 0, 0)])
def test_the_order_of_exploring_does_not_change_a_proof(weights):
    first, found = solve(seeded_deal(1)), solve(seeded_deal(1), weights=weights)
    assert found.outcome is first.outcome is Outcome.UNSOLVABLE
    assert found.states == first.states


def test_short_solutions_are_short():
    lengths = []
    for unit in range(30):
        found = solve_short(random_deal(5, unit))
        if found.moves:
            assert replay(random_deal(5, unit), found.moves).won
            lengths.append(len(found.moves))
    assert sorted(lengths)[len(lengths) // 2] <= 30


def test_breadth_first_finds_the_shortest_solution():
    start = next(
        position
        for position in (ending(seed) for seed in range(50))
        if not position.won and solve(position).outcome is Outcome.SOLVED
    )
    best = len(solve(start, weights=exact.Weights(1, 0, 0, 0, 0, 0, 0, reopen=True)).moves)
    level, moves = {canonical(start): start}, 0
    while not any(position.won for position in level.values()):
        after = [p.apply(m) for p in level.values() for m in p.legal_moves()]
        level, moves = {canonical(position): position for position in after}, moves + 1
    assert best == moves


def test_limits_end_a_search_without_a_verdict():
    assert solve(seeded_deal(43), Limits(100)).outcome is Outcome.NODE_LIMIT
    assert solve(seeded_deal(43), Limits(10**6, 2**18)).outcome is Outcome.MEMORY_LIMIT


@pytest.mark.parametrize("limit", [2**20, 3 * 2**20, 2**23, 2**24])
def test_the_limit_of_memory_holds_for_all_arrays(limit, monkeypatch):
    """A deal that takes more memory than any of these limits."""
    deal = Deal.from_deck(map(parse_card, ORACLE["extra_unsolvable_deals"][0]))
    spaces = []
    plain = exact._search

    def search(*arguments):
        outcome, space = plain(*arguments)
        spaces.append(space)
        return outcome, space

    monkeypatch.setattr(exact, "_search", search)
    found = solve(deal, Limits(10**9, limit))
    taken = sum(array.nbytes for array in spaces[0])
    assert found.outcome is Outcome.MEMORY_LIMIT
    assert limit // 4 < taken <= limit


def test_a_won_position_has_an_empty_solution():
    won = Position(((),) * 8, (-4, -8, -12), True, (27, 28, 29))
    assert solve(won).moves == ()
    assert solve(won).outcome is Outcome.SOLVED


def test_the_automatic_moves_of_a_typed_position_come_first():
    deal = random_deal(5, 1)
    raw = Position(deal.columns)
    assert solve(raw).moves == solve(deal).moves


def test_a_player_s_dead_position_is_proved():
    """A position reported as a deadlock, which A* programs gave up on (287,972 positions)."""
    names = [
        "b3 g2 b9 GD g9 r8 b7 g6 r5 g4 r3", "b2 GD RD WD", "r2 WD RD GD RD", "r9 b8 g7 r6 b5 r4",
        "RD", "GD", "", "g8 r7 b6 g5 b4 g3",
    ]  # fmt: skip
    columns = tuple(tuple(map(parse_card, column.split())) for column in names)
    position = Position(columns, (0, -3, -3), True, (4, 3, 5))
    found = solve(position.settled())
    assert (found.outcome, found.states) == (Outcome.UNSOLVABLE, 287_972)
    assert parse_moves("") == ()
