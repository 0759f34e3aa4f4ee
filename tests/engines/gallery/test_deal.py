import json
from collections import Counter
from pathlib import Path

import pytest

from engines.cards import CARD_NAMES, CardError
from engines.gallery.deal import DealError, DealLine, parse_deal_line, random_deal
from engines.gallery.position_text import position_json
from engines.gallery.rules import Position
from engines.limits import Outcome

SITE = json.loads((Path(__file__).parents[2] / "data/gallery/deal_import.json").read_text())


def test_a_deal_of_the_site_gives_the_layout_it_shows():
    position = Position.start(parse_deal_line(SITE["values"]).deal)
    shown = position_json(position)
    assert [[cards[0] if cards else None for cards in row] for row in shown["gallery"]] == SITE[
        "gallery_after_deal"
    ]
    assert shown["tableau"] == SITE["tableau_after_deal"]
    assert len(position.stock) == SITE["stock_left"]
    assert shown["stock"][:8] == SITE["next_dealt"]
    assert position.score == SITE["score_after_deal"]


def test_both_forms_are_read_back():
    deal = random_deal(5, 6)
    assert parse_deal_line(deal.as_site_line()).deal == deal
    line = DealLine(deal, "mine", Outcome.UNSOLVABLE)
    assert parse_deal_line(json.dumps(line.as_json())) == line
    assert parse_deal_line(SITE["values"]).deal.as_site_line() == SITE["values"]


def test_a_random_deal_is_two_packs_and_never_changes():
    deal = random_deal(0, 0)
    assert set(Counter(deal.cards).values()) == {2}
    assert " ".join(CARD_NAMES[card] for card in deal.cards[:8]) == GOLDEN
    assert random_deal(0, 1) != deal != random_deal(1, 0)


GOLDEN = "QS TS 8S 8D TH QH 6D 9S"

VALUES = SITE["values"].split(",")
CARDS = random_deal(0, 0).as_json()["cards"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a JSON object or 104 numbers with commas between, got ''"),
        (",".join(VALUES[:-1]), "expected 104 numbers with commas between, got 103"),
        (",".join(["52", *VALUES[1:]]), "expected a number from 0 to 51 as value 1, got '52'"),
        (",".join([*VALUES[:-1], "x"]), "expected a number from 0 to 51 as value 104, got 'x'"),
        (
            ",".join(["12", *VALUES[1:]]),
            "expected each of the 52 cards twice, got 3D 1 times, KC 3 times",
        ),
        ("[1]", "expected a JSON object or 104 numbers"),
        ('{"cards": 3}', "expected 'cards' to be a list of 104 cards, got 3"),
        ('{"stock": []}', "unknown key 'stock'; known are cards, id, verdict"),
        ('{"cards": [], "cards": []}', "key 'cards' comes twice"),
        (json.dumps({"cards": CARDS, "id": 3}), "expected 'id' to be a text, got 3"),
        (
            json.dumps({"cards": CARDS, "verdict": "lost"}),
            "expected 'verdict' to be one of ",
        ),
        ('{"cards": []}', "expected each of the 52 cards twice, got AC 0 times"),
    ],
)
def test_what_is_no_deal_is_refused_in_a_line(text, message):
    with pytest.raises(DealError, match=message.replace("[", r"\[")) as error:
        parse_deal_line(text)
    assert "\n" not in str(error.value)


def test_what_is_no_card_is_refused():
    with pytest.raises(CardError, match="got 'XX'"):
        parse_deal_line(json.dumps({"cards": ["XX", *CARDS[1:]]}))
