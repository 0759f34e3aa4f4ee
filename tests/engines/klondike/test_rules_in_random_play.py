import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.cards import CARD_NAMES, is_red, rank_of
from engines.klondike.deal import parse_deal_line, random_deal
from engines.klondike.moves import Move, MoveKind, parse_move
from engines.klondike.rules import Position, Rules, replay
from engines.moves import IllegalMove

SUIT_ORDER, RANK_ORDER = "CDHS", "A23456789TJQK"

# Every move; fields that its kind does not use keep their defaults.
ONE_CARD_MOVES = [
    Move(MoveKind.DRAW),
    Move(MoveKind.REDEAL),
    Move(MoveKind.WASTE_TO_FOUNDATION),
    *(Move(MoveKind.WASTE_TO_TABLEAU, target=target) for target in range(7)),
    *(Move(MoveKind.TABLEAU_TO_FOUNDATION, source) for source in range(7)),
    *(
        Move(MoveKind.FOUNDATION_TO_TABLEAU, suit, target)
        for suit in range(4)
        for target in range(7)
    ),
]


UNIVERSE = ONE_CARD_MOVES + [
    Move(MoveKind.TABLEAU_TO_TABLEAU, source, target, count)
    for source in range(7)
    for target in range(7)
    for count in range(1, 14)
]


def test_every_move_is_read_back_from_its_text():
    texts = [str(move) for move in UNIVERSE]
    assert [parse_move(text) for text in texts] == UNIVERSE
    assert len(set(texts)) == len(UNIVERSE) == 3 + 7 + 7 + 4 * 7 + 7 * 7 * 13


def legal(position):
    return {str(move) for move in position.legal_moves()}


EITHER = st.booleans()


def variants(worrying_back):
    redeals = st.sampled_from([None, 0, 1, 2])
    return st.builds(Rules, st.integers(1, 24), redeals, worrying_back)


FORWARD = {
    MoveKind.WASTE_TO_FOUNDATION,
    MoveKind.WASTE_TO_TABLEAU,
    MoveKind.TABLEAU_TO_FOUNDATION,
}


def random_line(position, choose, length):
    """The positions and moves of a random line of play that likes to build."""
    positions, moves = [position], []
    while len(moves) < length and (legal_moves := list(positions[-1].legal_moves())):
        forward = [move for move in legal_moves if move.kind in FORWARD]
        move = choose.choice(forward if forward and choose.random() < 0.5 else legal_moves)
        moves.append(move)
        positions.append(positions[-1].apply(move))
    return positions, moves


@st.composite
def lines_of_play(draw, worrying_back=EITHER):
    """A random deal and the positions and moves of a random line of play from it."""
    deal = random_deal(draw(st.integers(0, 2**32)), 0)
    start = Position.start(deal, draw(variants(worrying_back)))
    choose = random.Random(draw(st.integers(0, 2**32)))
    positions, moves = random_line(start, choose, draw(st.integers(0, 60)))
    return deal, positions, moves


few = settings(deadline=None, max_examples=20)


@few
@given(lines_of_play())
def test_all_52_cards_stay_in_the_game(line):
    _, positions, _ = line
    for position in positions:
        home = [
            4 * rank + suit
            for suit, height in enumerate(position.foundations)
            for rank in range(height)
        ]
        columns = [card for pile in position.tableau for card in pile.down + pile.up]
        assert sorted([*home, *columns, *position.stock, *position.waste]) == list(range(52))


@few
@given(lines_of_play())
def test_face_up_runs_are_built_down_in_alternating_colours(line):
    _, positions, _ = line
    for position in positions:
        for pile in position.tableau:
            for under, over in pairwise(pile.up):
                assert rank_of(over) == rank_of(under) - 1
                assert is_red(over) != is_red(under)


@few
@given(lines_of_play())
def test_the_top_card_of_a_column_is_face_up(line):
    _, positions, _ = line
    assert all(pile.up or not pile.down for position in positions for pile in position.tableau)


@few
@given(lines_of_play())
def test_legal_moves_are_just_the_moves_that_can_be_made(line):
    _, positions, _ = line
    for position in positions[::20]:
        listed = list(position.legal_moves())
        assert len(set(listed)) == len(listed)
        for move in UNIVERSE:
            if move in listed:
                position.apply(move)
            else:
                with pytest.raises(IllegalMove):
                    position.apply(move)


@few
@given(lines_of_play(worrying_back=st.just(False)))
def test_nothing_is_worried_back_where_it_is_not_allowed(line):
    _, positions, _ = line
    for position in positions:
        kinds = {move.kind for move in position.legal_moves()}
        assert MoveKind.FOUNDATION_TO_TABLEAU not in kinds


@few
@given(lines_of_play())
def test_the_waste_is_turned_over_as_often_as_the_rules_say(line):
    _, positions, moves = line
    limit, made = positions[0].rules.redeals, 0
    for position, move in zip(positions, [*moves, None], strict=True):
        left = limit is None or made < limit
        can_turn = bool(position.waste) and not position.stock and left
        assert can_turn == ("R" in legal(position))
        made += move == Move(MoveKind.REDEAL)


@few
@given(lines_of_play())
def test_replay_gives_the_last_position(line):
    deal, positions, moves = line
    assert replay(deal, positions[0].rules, moves) == positions[-1]


# A second move generator: columns are lists of [card, face_up], moves are texts.


def naive_start(deal, rules):
    columns = deal.as_json()["tableau"]
    return {
        "columns": [[[name, name == pile[-1]] for name in pile] for pile in columns],
        "home": dict.fromkeys(SUIT_ORDER, 0),
        "stock": deal.as_json()["stock"],
        "waste": [],
        "redeals": rules.redeals,
        "draw": rules.draw,
        "worrying_back": rules.worrying_back,
    }


def naive_view(position):
    """A position in the naive layout."""
    names = [[CARD_NAMES[card] for card in pile.down + pile.up] for pile in position.tableau]
    return {
        "columns": [
            [[name, place >= len(pile.down)] for place, name in enumerate(column)]
            for pile, column in zip(position.tableau, names, strict=True)
        ],
        "home": dict(zip(SUIT_ORDER, position.foundations, strict=True)),
        "stock": [CARD_NAMES[card] for card in position.stock],
        "waste": [CARD_NAMES[card] for card in position.waste],
        "redeals": position.redeals_left,
        "draw": position.rules.draw,
        "worrying_back": position.rules.worrying_back,
    }


def goes_on(name, pile):
    if not pile:
        return name[0] == "K"
    top = pile[-1][0]
    colours = {"red" if suit in "DH" else "black" for suit in name[1] + top[1]}
    return name[0] + top[0] in RANK_ORDER and colours == {"red", "black"}


def goes_home(name, home):
    return RANK_ORDER.index(name[0]) == home[name[1]]


def naive_moves(game):
    columns, home, waste = game["columns"], game["home"], game["waste"]
    texts = []
    if game["stock"]:
        texts.append("D")
    elif waste and game["redeals"] != 0:
        texts.append("R")
    if waste:
        texts += ["WF"] if goes_home(waste[-1], home) else []
        texts += [f"W{to + 1}" for to in range(7) if goes_on(waste[-1], columns[to])]
    for source, pile in enumerate(columns):
        if pile and goes_home(pile[-1][0], home):
            texts.append(f"{source + 1}F")
        for place, (name, face_up) in enumerate(pile):
            size = len(pile) - place
            for to in range(7):
                if face_up and to != source and goes_on(name, columns[to]):
                    texts.append(f"{source + 1}{to + 1}" + (f"x{size}" if size > 1 else ""))
    for suit, height in home.items():
        if height and game["worrying_back"]:
            name = RANK_ORDER[height - 1] + suit
            texts += [f"{suit}{to + 1}" for to in range(7) if goes_on(name, columns[to])]
    return texts


def naive_play(game, text):
    columns = [[list(entry) for entry in pile] for pile in game["columns"]]
    home, stock, waste = dict(game["home"]), list(game["stock"]), list(game["waste"])
    redeals = game["redeals"]
    if text == "D":
        turned = game["draw"]
        stock, waste = stock[turned:], waste + stock[:turned]
    elif text == "R":
        stock, waste = waste, []
        redeals = redeals if redeals is None else redeals - 1
    else:
        source, to = text[0], text[1]
        size = int(text[3:] or 1)
        if source == "W":
            moved = [[waste.pop(), True]]
        elif source in SUIT_ORDER:
            home[source] -= 1
            moved = [[RANK_ORDER[home[source]] + source, True]]
        else:
            pile = columns[int(source) - 1]
            moved = [pile.pop() for _ in range(size)][::-1]
            if pile:
                pile[-1][1] = True
        if to == "F":
            home[moved[0][0][1]] += 1
        else:
            columns[int(to) - 1] += moved
    changed = {"columns": columns, "home": home, "stock": stock, "waste": waste}
    return game | changed | {"redeals": redeals}


@few
@given(lines_of_play())
def test_every_move_in_random_play_is_that_of_the_second_generator(line):
    _, positions, moves = line
    for (before, later), move in zip(pairwise(positions), moves, strict=True):
        assert legal(before) == set(naive_moves(naive_view(before)))
        assert naive_view(later) == naive_play(naive_view(before), str(move))


def count_lines(position, depth):
    moves = position.legal_moves()
    if depth == 1:
        return sum(1 for _ in moves)
    return sum(count_lines(position.apply(move), depth - 1) for move in moves)


def naive_count(game, depth):
    texts = naive_moves(game)
    if depth == 1:
        return len(texts)
    return sum(naive_count(naive_play(game, text), depth - 1) for text in texts)


SPECIAL_DEALS = Path(__file__).parents[2] / "data" / "klondike_special_deals.jsonl"
SPECIAL_DEAL = parse_deal_line(SPECIAL_DEALS.read_text().splitlines()[0]).deal


@pytest.mark.parametrize(
    ("deal", "draw", "lines"),
    [
        (random_deal(0, 0), 1, [3, 9, 31, 113]),
        (random_deal(0, 0), 3, [3, 10, 38, 142]),
        (random_deal(0, 2), 1, [1, 1, 2, 3]),
        (random_deal(0, 2), 3, [1, 2, 4, 5]),
        (random_deal(0, 3), 1, [4, 14, 43, 119]),
        (random_deal(0, 3), 3, [4, 15, 55, 201]),
        (random_deal(0, 4), 1, [5, 28, 167, 1028]),
        (random_deal(0, 4), 3, [5, 28, 169, 1065]),
        (SPECIAL_DEAL, 1, [4, 14, 44, 124]),
        (SPECIAL_DEAL, 3, [4, 14, 44, 124]),
    ],
)
def test_both_generators_count_the_lines_of_one_to_four_moves(deal, draw, lines):
    rules = Rules(draw=draw)
    start, naive = Position.start(deal, rules), naive_start(deal, rules)
    assert [count_lines(start, depth) for depth in (1, 2, 3, 4)] == lines
    assert [naive_count(naive, depth) for depth in (1, 2, 3, 4)] == lines
