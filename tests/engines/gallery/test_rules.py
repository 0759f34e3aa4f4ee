"""Properties of the rules in random games, checked with counts that know nothing of `apply`."""

import json
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.cards import CARD_NAMES
from engines.gallery.deal import Deal, random_deal
from engines.gallery.moves import DEAL_MOVE, MOVES, Move, parse_move, parse_moves
from engines.gallery.picture import svg
from engines.gallery.position_text import parse_position, position_json
from engines.gallery.rules import LONGEST_GAME, Position, replay
from engines.moves import IllegalMove

ROWS = ("258J", "369Q", "47TK")


def naive_legal(position):
    """The legal moves by the words of the rules, on card names."""
    gallery = [[CARD_NAMES[card] for card in cards] for cards in position.gallery]
    tableau = [[CARD_NAMES[card] for card in cards] for cards in position.tableau]
    right = [
        bool(cards) and cards[0][0] == ROWS[place // 8][0] for place, cards in enumerate(gallery)
    ]

    def fits(name):
        row = next(row for row in range(3) if name[0] in ROWS[row])
        height = ROWS[row].index(name[0])
        for place in range(8 * row, 8 * row + 8):
            if height == 0 and not gallery[place]:
                return True
            below = ROWS[row][height - 1] + name[1]
            if height and right[place] and gallery[place][-1] == below:
                return True
        return False

    moves = {
        "ABC"[place // 8] + str(place % 8 + 1)
        for place, cards in enumerate(gallery)
        if cards and not right[place] and fits(cards[0])
    }
    moves |= {str(pile + 1) for pile, cards in enumerate(tableau) if cards and fits(cards[-1])}
    return moves | ({"D"} if position.stock else set())


def naive_score(position):
    names = [[CARD_NAMES[card] for card in cards] for cards in position.gallery]
    return 96 - sum(
        len(cards)
        for place, cards in enumerate(names)
        if cards and cards[0][0] == ROWS[place // 8][0]
    )


@st.composite
def games(draw):
    """The positions and moves of a whole random game."""
    deal = random_deal(draw(st.integers(0, 2**40)), 0)
    choose = random.Random(draw(st.integers(0, 2**40)))
    eager = draw(st.floats(0, 1))
    positions, moves = [Position.start(deal)], []
    while legal := list(positions[-1].legal_moves()):
        if legal[-1] == DEAL_MOVE and len(legal) > 1 and choose.random() > eager:
            legal.pop()
        moves.append(choose.choice(legal))
        positions.append(positions[-1].apply(moves[-1]))
    return deal, positions, moves


@settings(max_examples=25, deadline=None)
@given(games())
def test_a_game_obeys_the_rules(game):
    deal, positions, moves = game
    assert len(moves) <= LONGEST_GAME == 105
    assert replay(deal, moves) == positions[-1]
    every = Counter(deal.cards)
    aces = {card for card in every if card < 4}
    for position in positions:
        assert {str(move) for move in position.legal_moves()} == naive_legal(position)
        assert position.score == naive_score(position)
        shown = Counter(card for pile in (*position.gallery, *position.tableau) for card in pile)
        gone = every - shown - Counter(position.stock)
        assert set(gone) <= aces and not aces & set(shown), "aces leave the game, all else stays"
        assert parse_position(json.dumps(position_json(position))) == position
        if position.tableau_cards + len(position.stock) == 0:
            assert position.solved
    end = positions[-1]
    assert end.over and not end.stock
    assert end.solved == (end.tableau_cards == 0)


@settings(max_examples=25, deadline=None)
@given(games())
def test_a_move_of_a_card_moves_one_card_and_a_deal_eight(game):
    _, positions, moves = game
    for before, move, after in zip(positions, moves, positions[1:], strict=False):
        if move == DEAL_MOVE:
            assert after.stock == before.stock[8:]
            assert after.gallery == before.gallery
            for old, new, card in zip(before.tableau, after.tableau, before.stock, strict=False):
                assert new == (old if card < 4 else (*old, card))
        else:
            assert after.score == before.score - 1
            assert after.stock == before.stock
            assert after.tableau_cards == before.tableau_cards - (move.pile is not None)


def a_position(gallery, tableau=(), stock=()):
    """A position with some cards only, for rules that need no whole pack."""
    cards = {name: number for number, name in enumerate(CARD_NAMES)}
    places = [() for _ in range(24)]
    for where, names in gallery.items():
        places[parse_move(where).source] = tuple(cards[name] for name in names.split())
    piles = [tuple(cards[name] for name in names.split()) for names in tableau]
    piles += [()] * (8 - len(piles))
    return Position(tuple(places), tuple(piles), tuple(cards[name] for name in stock))


FULL = {f"{row}{place}": "KC" for row in "ABC" for place in range(1, 9)}


@pytest.mark.parametrize(
    ("change", "pile", "reason"),
    [
        ({"A1": ""}, "2C", None),
        ({"B1": ""}, "2C", "no place takes 2♣"),
        ({"A1": "2C"}, "5C", None),
        ({"A1": "2C"}, "5D", "no place takes 5♦"),
        ({"A1": "2C"}, "8C", "no place takes 8♣"),
        ({"A1": "5C"}, "8C", "no place takes 8♣"),  # never onto a misplaced card
        ({"B1": "2C"}, "5C", "no place takes 5♣"),
        ({"C1": "4C 7C TC"}, "KC", None),
        ({"A1": "2C 5C 8C JC"}, "QC", "no place takes Q♣"),
    ],
)
def test_where_a_card_may_go(change, pile, reason):
    position = a_position({**FULL, **change}, [pile])
    move = Move(24)
    if reason is None:
        assert position.apply(move).tableau_cards == 0
    else:
        with pytest.raises(IllegalMove, match=f"illegal move 1: {reason}"):
            position.apply(move)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A1", "2♣ at A1 is in place"),
        ("A2", "there is no card at A2"),
        ("8", "there is no card at 8"),
        ("D", "the stock is empty"),
    ],
)
def test_other_illegal_moves_say_why(text, reason):
    with pytest.raises(IllegalMove, match=reason):
        a_position({"A1": "2C"}).apply(parse_move(text))


def test_replay_names_the_first_illegal_move():
    with pytest.raises(IllegalMove, match="move 10: illegal move D: the stock is empty"):
        replay(random_deal(0, 0), [DEAL_MOVE] * 10)


def test_moves_are_read_back_from_their_text():
    assert [parse_move(str(move)) for move in MOVES.values()] == [Move(each) for each in range(33)]
    assert parse_moves("A1 8 D") == (Move(0), Move(31), DEAL_MOVE)
    for text in ("", "a1", "A9", "9", "DD"):
        with pytest.raises(ValueError, match="expected a move such as"):
            parse_move(text)
    with pytest.raises(ValueError, match="expected a source from 0 to 32, got 33"):
        Move(33)


def test_the_picture_shows_what_lies_where():
    position = a_position({"A1": "2C 5C", "B2": "KD"}, ["9S 3H", ""], [])
    assert str(position).splitlines()[1] == " A   5♣    --    --    --    --    --    --    --"
    assert str(position).splitlines()[2].startswith(" B   --    K♦.   --")
    assert str(position).endswith("score 94, 2 on the tableau   (. misplaced)")
    drawn = svg(position)
    assert drawn.count("<rect") == 24 + 2
    assert all(card in drawn for card in ("5♣", "K♦", "9♠", "3♥")) and "2♣" not in drawn


def test_deals_keep_their_aces_and_positions_do_not():
    deal = random_deal(2, 2)
    assert isinstance(deal, Deal)
    aces = sum(card < 4 for card in (*deal.gallery, *deal.tableau))
    position = Position.start(deal)
    assert sum(map(len, position.gallery)) + position.tableau_cards == 32 - aces
