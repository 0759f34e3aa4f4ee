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
    pictured = parse_position(str(position), rules)
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
        (changed(draw="x"), DealError, "'<=' not supported"),
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
            changed(tableau=[{"down": ["AS"], "up": []}] + [{}] * 6),
            DealError,
            "expected a face-up card on the face-down cards of column 1",
        ),
    ],
)
def test_what_is_no_position_is_refused(text, error, message):
    with pytest.raises(error) as refused:
        parse_position(text)
    assert str(refused.value).startswith(message)
