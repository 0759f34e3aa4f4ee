import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.moves import IllegalMove
from engines.shenzhen.deal import (
    CARD_NAMES,
    DECK,
    CardError,
    Deal,
    DealError,
    check_deck,
    is_number,
    parse_card,
    random_deal,
)
from engines.shenzhen.moves import MOVES, Move, MoveKind, parse_move, parse_moves
from engines.shenzhen.position_text import deck_of
from engines.shenzhen.rules import Position, replay, run_length
from engines.shenzhen.rules import stacks_on as may_lie


def cards(text):
    return tuple(0 if name == "--" else parse_card(name) for name in text.split())


def board(*columns, cells="-- -- --", up="-- -- --", flower=True):
    """A position, not of a whole deck: columns from the left, cells and foundations."""
    tableau = tuple(cards(text) for text in (*columns, *[""] * (8 - len(columns))))
    return Position(tableau, cards(cells), flower, cards(up))


def legal(position):
    return {str(move) for move in position.legal_moves()}


def reason_against(position, move):
    with pytest.raises(IllegalMove) as error:
        position.apply(parse_move(move))
    return str(error.value).partition(": ")[2]


TABLE = board(
    "b9 r8 g7 r6",
    "RD g9",
    "b8 GD",
    "r9 b5 r4",
    "b3",
    "GD",
    cells="g5 GD --",
    up="r2 g2 b2",
)
PICTURE = """\
cells        g5  GD  --
flower       FL
foundations  r2  g2  b2
1   2   3   4   5   6   7   8
b9  RD  b8  r9  b3  GD  .   .
r8  g9  GD  b5  .   .   .   .
g7  .   .   r4  .   .   .   .
r6  .   .   .   .   .   .   ."""


def test_a_position_prints_itself():
    assert str(TABLE) == PICTURE


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("12", "r6 may not lie on g9 of column 2"),
        ("13x3", "r8 may not lie on GD of column 3"),
        ("12x4", "b9 may not lie on g9 of column 2"),
        ("12x5", "column 1 does not have 5 cards"),
        ("21x2", "the last 2 cards of column 2 are no run"),
        ("47x3", "the last 3 cards of column 4 are no run"),
        ("11", "a run cannot move onto its own column"),
        ("71", "column 7 is empty"),
        ("32", "GD may not lie on g9 of column 2"),
        ("1a", "cell a is taken"),
        ("c1", "cell c is empty"),
        ("a2", "g5 may not lie on g9 of column 2"),
        ("3F", "GD does not go to a foundation"),
        ("4F", "r4 does not follow on its foundation, which is at r2"),
        ("GD", "3 of the four GD are exposed"),
        ("RD", "0 of the four RD are exposed"),
    ],
)
def test_an_illegal_move_says_why(move, reason):
    assert reason_against(TABLE, move) == reason


def test_all_legal_moves_are_listed():
    to_empty = {"17", "17x2", "17x3", "17x4", "27", "37", "47", "47x2", "57", "67", "a7", "b7"}
    to_empty |= {move.replace("7", "8", 1) for move in to_empty if move[1] == "7"}
    onto = {"a1", "54", "12x3", "41x2"}
    to_cell = {"1c", "2c", "3c", "4c", "5c", "6c"}
    by_hand = {"5F"}
    assert legal(TABLE) == to_empty | onto | to_cell | by_hand


@pytest.mark.parametrize(
    ("column", "length"),
    [
        ("", 0), ("r5", 1), ("g9 r5", 1), ("b6 r5 g4", 3), ("g6 g5", 1), ("r7 g5", 1),
        ("b6 r5 RD", 1), ("RD r5", 1), ("b5 r6", 1), ("r9 GD b8 r7", 2),
    ],
)  # fmt: skip
def test_a_run_descends_by_one_in_changing_suits(column, length):
    assert run_length(cards(column)) == length


@pytest.mark.parametrize("group", ["g3 r2 GD", "g2 r1 g7", "b6 b5", "b6 r4"])
def test_a_group_that_is_no_run_never_moves(group):
    position = board(f"WD {group}", "b4", "", cells="RD -- --", flower=False)
    count = len(group.split())
    for target in range(2, 9):
        with pytest.raises(IllegalMove, match=r"are no run|may not lie"):
            position.apply(Move(MoveKind.RUN, 0, target - 1, count))


def test_a_long_run_moves_in_one_piece():
    position = board("WD r9 g8 r7 g6 r5 g4", cells="WD RD GD", flower=False)
    assert position.apply(parse_move("12x6")).columns[1] == cards("r9 g8 r7 g6 r5 g4")


def test_collected_dragons_take_the_leftmost_cell_that_is_empty_or_holds_one():
    position = board("RD", "r9 RD", "g9 RD", cells="-- g8 RD")
    after = position.apply(parse_move("RD"))
    assert after.cells == (-4, parse_card("g8"), 0)
    assert after.columns[:3] == ((), cards("r9"), cards("g9"))
    full = board("RD", "r9 RD", "g9 RD", cells="b9 g8 RD").apply(parse_move("RD"))
    assert full.cells == (*cards("b9 g8"), -4)


def test_dragons_need_a_cell_to_be_collected():
    position = board("RD", "RD", "g9 RD", "RD", cells="b9 g8 WD")
    assert reason_against(position, "RD") == "no cell is empty or holds a RD"


def test_a_covered_dragon_is_not_exposed():
    position = board("RD", "RD", "g9 RD", "RD b9")
    assert reason_against(position, "RD") == "3 of the four RD are exposed"


def test_a_stack_stays_for_good():
    position = Position((cards("g9"), *[()] * 7), (-4, 0, 0))
    assert reason_against(position, "a2") == "cell a holds collected dragons"


@pytest.mark.parametrize(
    ("columns", "up", "gone"),
    [
        (["g9 FL"], "-- -- --", "flower"),
        (["g9 r1"], "-- -- --", "r1"),
        (["g9 g1", "r9 g2"], "-- -- --", "g1 g2"),  # twos do not wait for the other suits
        (["g9 r3"], "r2 g2 --", ""),  # b1 is still buried
        (["g9 r3"], "r2 g2 b2", "r3"),
        (["g9 r4"], "r3 g2 b3", ""),
        (["g9 r4"], "r3 g3 b3", "r4"),
    ],
)
def test_which_cards_go_up_by_themselves(columns, up, gone):
    before = board(*columns, up=up, flower=gone != "flower")
    left = [card for column in before.settled().columns for card in column]
    names = " ".join(CARD_NAMES[c] for c in (set(cards(" ".join(columns))) - set(left)))
    assert set(names.split()) == set(gone.replace("flower", "FL").split())


def test_a_suit_takes_the_leftmost_empty_foundation():
    position = board("g9 b1", "b9 r1", up="g2 -- --").settled()
    assert position.foundations == cards("g2 b1 r1")


def test_the_game_is_won_without_cards_in_columns_and_cells():
    assert Position(((),) * 8, (-4, -8, -12), True, cards("r9 g9 b9")).won
    assert not Position(((),) * 8, (-4, -8, -3), True, cards("r9 g9 b9")).won
    assert not Position(((),) * 8, (-4, -8, -12), False, cards("r9 g9 b9")).won


def test_moves_read_as_they_print():
    assert all(parse_move(text) == move for text, move in MOVES.items())
    assert parse_moves("35 35x4 3a a5 3F aF RD") == tuple(
        MOVES[text] for text in ("35", "35x4", "3a", "a5", "3F", "aF", "RD")
    )
    with pytest.raises(ValueError, match=r"expected a move such as 35, .* got '90'"):
        parse_move("90")
    with pytest.raises(ValueError, match="expected target 0 to 2 to move column to cell, got 3"):
        Move(MoveKind.TO_CELL, 0, 3)


def test_a_replay_names_the_first_illegal_move():
    with pytest.raises(IllegalMove, match=r"move 2: illegal move c1: cell c is empty\ncells"):
        replay(random_deal(0, 0), parse_moves("1a c1 1a"))


def test_deals_are_checked_and_reproducible():
    assert random_deal(3, 4) == random_deal(3, 4) != random_deal(3, 5)
    with pytest.raises(DealError, match="expected eight columns of five cards, got sizes"):
        Deal.from_deck(DECK[:-1])
    doubled = [DECK[0], *DECK[:-1]]
    with pytest.raises(CardError, match="too many: r1, missing: FL"):
        Deal.from_deck(doubled)
    with pytest.raises(CardError, match=r"expected a card such as r1, .* got 'r0'"):
        parse_card("r0")


def canonical(position):
    tops = sorted(position.foundations)
    return sorted(position.columns), sorted(position.cells), position.flower, tops


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 10**6), st.permutations(range(8)))
def test_random_play_keeps_the_deck_and_the_rules(unit, choices, order):
    """Properties that hold after every move, and in a mirrored game with its columns shuffled."""
    pick = random.Random(choices)
    position = Position.start(random_deal(11, unit))
    mirror = Position(tuple(position.columns[column] for column in order), flower=position.flower)
    mirror = Position(mirror.columns, (0, 0, 0), position.flower, position.foundations)
    for _ in range(25):
        check_deck(deck_of(position.columns, position.cells, position.flower, position.foundations))
        assert position.settled() == position
        assert max(map(len, position.columns)) <= 13
        for column in position.columns:
            for place in range(5, len(column)):
                assert may_lie(column[place], column[place - 1])
        moves = list(position.legal_moves())
        assert {canonical_of(mirror, order, move) for move in moves} == {
            str(canonical(mirror.apply(move))) for move in mirror.legal_moves()
        }
        if not moves:
            break
        move = pick.choice(moves)
        before = position
        position = position.apply(move)
        mirror = mirror.apply(mirrored(move, order))
        assert canonical(position) == canonical(mirror)
        ups = [sum(map(rank, p.foundations)) for p in (before, position)]
        assert ups[0] <= ups[1]


def rank(card):
    return card // 3


def mirrored(move, order):
    """The move of a game whose column k is column order[k] of ours."""
    place = {column: number for number, column in enumerate(order)}
    match move.kind:
        case MoveKind.RUN:
            return Move(move.kind, place[move.source], place[move.target], move.count)
        case MoveKind.FROM_CELL:
            return Move(move.kind, move.source, place[move.target])
        case MoveKind.TO_CELL | MoveKind.COLUMN_UP:
            return Move(move.kind, place[move.source], move.target)
    return move


def canonical_of(mirror, order, move):
    return str(canonical(mirror.apply(mirrored(move, order))))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_dragons_and_the_flower_are_never_covered_by_a_move(unit, choices):
    pick = random.Random(choices)
    position = Position.start(random_deal(12, unit))
    for _ in range(20):
        moves = list(position.legal_moves())
        if not moves:
            break
        before, move = position, pick.choice(moves)
        position = position.apply(move)
        if move.kind in (MoveKind.RUN, MoveKind.FROM_CELL) and before.columns[move.target]:
            assert is_number(before.columns[move.target][-1])
