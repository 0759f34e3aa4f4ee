import json
import random

import pytest

from engines.cards import CardError
from engines.klondike.deal import DealError, random_deal
from engines.klondike.exact import solve
from engines.klondike.position_text import parse_position, position_json
from engines.klondike.rules import Position, Rules
from engines.limits import Outcome

PICTURE = """\
foundations  ♣3  ♦-- ♥A  ♠--
waste        K♣ 4♠
stock        --
  1    2    3    4    5    6    7
 K♥  [2♦]  K♠            [5♠]
 Q♠   3♥   Q♥             6♥
"""


def played(seed, rules):
    chooser = random.Random(seed)
    position = Position.start(random_deal(seed, 0), rules)
    for _ in range(chooser.randrange(80)):
        position = position.apply(chooser.choice(list(position.legal_moves())))
    return position


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("rules", [Rules(), Rules(draw=1, redeals=3, worrying_back=False)], ids=str)
def test_both_forms_are_read_back(seed, rules):
    position = played(seed, rules)
    read = parse_position(json.dumps(position_json(position)))
    asked = {"draw": rules.draw, "redeals": rules.redeals, "worrying_back": rules.worrying_back}
    pictured = parse_position(str(position), **asked)
    assert str(read) == str(pictured) == str(position)
    assert (read.tableau, read.foundations) == (position.tableau, position.foundations)
    assert (read.stock, read.waste) == (position.stock, position.waste)
    assert read.redeals_left == position.redeals_left
    assert pictured.tableau == position.tableau


def test_a_position_that_was_read_is_solved():
    position = played(3, Rules(draw=1))
    assert solve(parse_position(json.dumps(position_json(position)))) == solve(position)
    assert solve(position).outcome is Outcome.SOLVED


def changed(**fields):
    return json.dumps({**position_json(Position.start(random_deal(0, 0), Rules())), **fields})


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (PICTURE, CardError, "expected each of the 52 cards once, got missing: "),
        ("nothing", DealError, "expected a picture with lines for foundations, waste, stock"),
        ("{", DealError, "expected a JSON object, which fails: "),
        (changed(surprise=1), DealError, "unknown key 'surprise'; known are "),
        (changed(draw=0), DealError, "expected draw to be from 1 to 24, got 0"),
        (changed(draw="x"), DealError, "expected 'draw' to be a number, got 'x'"),
        (changed(draw=2.5), DealError, "expected 'draw' to be a number, got 2.5"),
        (changed(draw=True), DealError, "expected 'draw' to be a number, got True"),
        (changed(redeals_left=1.5), DealError, "expected 'redeals_left' to be a number, got 1.5"),
        (changed(redeals_left=-1), DealError, "expected redeals to be 0 or more, got -1"),
        (
            changed(worrying_back="no"),
            DealError,
            "expected 'worrying_back' to be true or false, got 'no'",
        ),
        (changed(tableau=[]), DealError, "expected seven columns, got 0"),
        (changed(stock=["1X"]), CardError, "expected a card such as 'TD'"),
        (changed(stock=None), DealError, "expected 'stock' to be a list of cards, got None"),
        (
            changed(foundations={"C": 14, "D": 0, "H": 0, "S": 0}),
            DealError,
            "expected a height from 0 to 13 on foundation C, got 14",
        ),
        (
            changed(tableau=[{"down": [], "up": ["AS", "AD"]}] + [{}] * 6),
            DealError,
            "AD may not lie on AS in column 1",
        ),
        (
            changed(tableau=[{}, {"down": ["AS"], "up": []}] + [{}] * 5),
            DealError,
            "expected a face-up card on the face-down cards of column 2",
        ),
        (
            changed(tableau=[{"down": ["AS"], "up": ["AD"]}] + [{}] * 6),
            DealError,
            "expected at most 0 face-down cards in column 1, got 1",
        ),
    ],
)
def test_what_is_no_position_is_refused(text, error, message):
    with pytest.raises(error) as refused:
        parse_position(text)
    assert str(refused.value).startswith(message)


def test_rules_asked_for_hold_where_a_position_is_silent():
    fields = position_json(Position.start(random_deal(0, 0), Rules()))
    for key in ("draw", "redeals_left", "worrying_back"):
        del fields[key]
    read = parse_position(json.dumps(fields), draw=1, redeals=2, worrying_back=False)
    assert (read.rules, read.redeals_left) == (Rules(1, 2, False), 2)
    assert parse_position(json.dumps(fields)).rules == Rules()
    said = json.dumps({**fields, "draw": 1, "redeals_left": 2, "worrying_back": False})
    assert parse_position(said, draw=1, redeals=2, worrying_back=False).rules == read.rules


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"draw": 1}, "the position says 3 for 'draw', but 1 was asked for"),
        ({"redeals": 0}, "the position says null for 'redeals_left', but 0 was asked for"),
        ({"worrying_back": False}, "the position says true for 'worrying_back', but false was"),
    ],
)
def test_rules_asked_for_that_a_position_contradicts_are_refused(asked, message):
    with pytest.raises(DealError, match=message):
        parse_position(changed(), **asked)
