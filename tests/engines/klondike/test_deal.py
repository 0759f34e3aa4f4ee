import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.cards import CARD_NAMES, CardError, parse_card
from engines.klondike.deal import Deal, DealError, DealLine, parse_deal_line, random_deal
from engines.limits import Outcome

DATA = Path(__file__).parents[2] / "data"
DEALS = st.permutations(range(52)).map(Deal.from_pack)


def names(text):
    return text.split()


DEAL_0_0 = {
    "tableau": [
        ["QS"],
        ["2C", "QD"],
        ["8S", "8C", "7D"],
        ["4H", "KD", "KS", "4C"],
        ["9D", "8D", "2S", "3S", "8H"],
        ["KH", "5D", "9C", "JH", "5H", "JS"],
        ["3C", "JC", "TH", "9H", "4D", "4S", "6C"],
    ],
    "stock": names("TS QH AH 3H QC 9S 5C 2H 7H 5S TC 2D 7S AD 6D JD KC 7C TD AS 3D AC 6S 6H"),
}
DEAL_7_3 = {
    "tableau": [
        ["8H"],
        ["QS", "9H"],
        ["6D", "2H", "JD"],
        ["7H", "KS", "QH", "KC"],
        ["7D", "3S", "JH", "2D", "JC"],
        ["TH", "8C", "TS", "7C", "QC", "7S"],
        ["6S", "9D", "4C", "4H", "3H", "6C", "2S"],
    ],
    "stock": names("KH QD AC 5C 4S KD 3C 9C AS AD TC 5H TD 4D 8S JS 6H 3D 2C 5D 9S AH 5S 8D"),
}

# The example in MinimalKlondike's README.
DECK_STRING = (
    "072103023042094134111092051034044074114052123011083122012131091082124064014093033112071104"
    "132053133102084041013073063031061043081054113062024021101022032121"
)
DEALT_ROW_BY_ROW = [
    "7D TH 2H 4D 9S KS JC",
    "   9D 5C 3S 4S 7S JS",
    "      5D QH AC 8H QD",
    "         AD KC 9C 8D",
    "            QS 6S AS",
    "               9H 3H",
    "                  JD",
]
DEALT_STOCK = "7C TS KD 5H KH TD 8S 4C AH 7H 6H 3C 6C 4H 8C 5S JH 6D 2S 2C TC 2D 3D QC"


def numbers(text):
    return tuple(parse_card(name) for name in names(text))


def line(**changes):
    """Deal (0, 0) as a line, with other fields."""
    return json.dumps(DEAL_0_0 | changes)


@pytest.mark.parametrize(("seed", "unit", "expected"), [(0, 0, DEAL_0_0), (7, 3, DEAL_7_3)])
def test_golden_deals(seed, unit, expected):
    assert random_deal(seed, unit).as_json() == expected


def test_seed_and_unit_each_change_the_deal():
    assert len({random_deal(seed, unit) for seed in range(10) for unit in range(10)}) == 100


def test_random_deals_hold_the_whole_pack():
    for unit in range(50):
        deal = random_deal(1, unit)
        piles = (*deal.tableau, deal.stock)
        assert sorted(card for pile in piles for card in pile) == list(range(len(CARD_NAMES)))


def test_a_pack_is_dealt_row_by_row():
    assert Deal.from_pack(list(range(52))) == Deal(
        (
            (0,),
            (1, 7),
            (2, 8, 13),
            (3, 9, 14, 18),
            (4, 10, 15, 19, 22),
            (5, 11, 16, 20, 23, 25),
            (6, 12, 17, 21, 24, 26, 27),
        ),
        tuple(range(28, 52)),
    )


@settings(deadline=None)
@given(
    DEALS,
    st.none() | st.text('k-1♣"', max_size=5),
    st.none() | st.integers(1, 24),
    st.none() | st.sampled_from([Outcome.SOLVED, Outcome.UNSOLVABLE]),
)
def test_a_deal_is_read_back_from_its_json(deal, identifier, draw, verdict):
    fields = {"id": identifier, "draw": draw, "verdict": verdict}
    said = {key: value for key, value in fields.items() if value is not None}
    text = json.dumps(deal.as_json() | said)
    assert parse_deal_line(text) == DealLine(deal, identifier, draw, verdict)
    assert parse_deal_line(f"  {text}\n") == parse_deal_line(text)


@given(st.permutations(range(52)))
def test_a_deal_is_read_back_from_its_deck_string(pack):
    text = "".join(f"{card // 4 + 1:02}{card % 4 + 1}" for card in pack)
    assert parse_deal_line(text) == DealLine(Deal.from_pack(pack))


def test_the_documented_deck_string_gives_the_documented_layout():
    columns = [
        tuple(
            parse_card(row[3 * column : 3 * column + 2]) for row in DEALT_ROW_BY_ROW[: column + 1]
        )
        for column in range(7)
    ]
    assert parse_deal_line(DECK_STRING) == DealLine(Deal(tuple(columns), numbers(DEALT_STOCK)))


def test_what_only_people_read_is_left_alone():
    text = line(decided_by=5, note="a card must be worried back")
    assert parse_deal_line(text) == parse_deal_line(line())


TABLEAU, STOCK = DEAL_0_0["tableau"], DEAL_0_0["stock"]
FULL_PACK = "expected each of the 52 cards once, got "
CARD = "expected a card such as 'TD' (rank A23456789TJQK, suit CDHS), got "
COLUMNS = "expected seven columns of 1 to 7 cards, got sizes "
LISTS = "expected 'tableau' to be a list of seven lists of cards, got "
DRAW = "expected 'draw' to be a number from 1 to 24, got "
VERDICT = "expected 'verdict' to be one of solved, unsolvable, got "
EITHER_FORM = "expected a JSON object or a deck string of 156 digits, got "
DECK_CARD = "expected rank 01-13 and suit 1-4 as card "

BAD_LINES = {
    "missing and doubled card": (
        line(tableau=[["2C"], *TABLEAU[1:]]),
        CardError,
        f"{FULL_PACK}doubled: 2C, missing: QS",
    ),
    "two doubled cards": (
        line(stock=["AS", "KD", *STOCK[2:]]),
        CardError,
        f"{FULL_PACK}doubled: AS KD, missing: TS QH",
    ),
    "unknown card": (line(stock=["1D", *STOCK[1:]]), CardError, f"{CARD}'1D'"),
    "unknown card in a column": (line(tableau=[["qs"], *TABLEAU[1:]]), CardError, f"{CARD}'qs'"),
    "card as a number": (line(stock=[5, *STOCK[1:]]), CardError, f"{CARD}5"),
    "six columns": (line(tableau=TABLEAU[:6]), DealError, f"{COLUMNS}[1, 2, 3, 4, 5, 6]"),
    "columns the other way round": (
        line(tableau=TABLEAU[::-1]),
        DealError,
        f"{COLUMNS}[7, 6, 5, 4, 3, 2, 1]",
    ),
    "empty column": (
        line(tableau=[[], *TABLEAU[1:]]),
        DealError,
        f"{COLUMNS}[0, 2, 3, 4, 5, 6, 7]",
    ),
    "short stock": (line(stock=STOCK[:23]), DealError, "expected a stock of 24 cards, got 23"),
    "long stock": (line(stock=[*STOCK, "AS"]), DealError, "expected a stock of 24 cards, got 25"),
    "no tableau": (json.dumps({"stock": STOCK}), DealError, f"{LISTS}None"),
    "tableau of cards": (line(tableau=["QS", "QD"]), DealError, f"{LISTS}['QS', 'QD']"),
    "no stock": (
        json.dumps({"tableau": TABLEAU}),
        DealError,
        "expected 'stock' to be a list of 24 cards, got None",
    ),
    "bad JSON": (
        '{"tableau": [["QS"]}',
        DealError,
        "expected a JSON object, which fails: Expecting ',' delimiter at column 20",
    ),
    "text after the JSON": (
        "{} {}",
        DealError,
        "expected a JSON object, which fails: Extra data at column 4",
    ),
    "unknown key": (
        line(drw=3),
        DealError,
        "unknown key 'drw'; known are decided_by, draw, id, note, stock, tableau, verdict",
    ),
    "draw 0": (line(draw=0), DealError, f"{DRAW}0"),
    "draw 25": (line(draw=25), DealError, f"{DRAW}25"),
    "draw as text": (line(draw="3"), DealError, f"{DRAW}'3'"),
    "draw as truth value": (line(draw=True), DealError, f"{DRAW}True"),
    "unknown verdict": (line(verdict="won"), DealError, f"{VERDICT}'won'"),
    "undecided verdict": (line(verdict="exhausted"), DealError, f"{VERDICT}'exhausted'"),
    "id as a number": (line(id=5), DealError, "expected 'id' to be a text, got 5"),
    "short deck string": (
        DECK_STRING[:-3],
        DealError,
        "expected a deck string of 156 digits, got 153",
    ),
    "long deck string": (
        DECK_STRING + "0",
        DealError,
        "expected a deck string of 156 digits, got 157",
    ),
    "rank 14 in a deck string": (
        "141" + DECK_STRING[3:],
        CardError,
        f"{DECK_CARD}1 of the deck, got '141'",
    ),
    "rank 0 in a deck string": (
        DECK_STRING[:3] + "001" + DECK_STRING[6:],
        CardError,
        f"{DECK_CARD}2 of the deck, got '001'",
    ),
    "suit 5 in a deck string": (
        DECK_STRING[:-3] + "125",
        CardError,
        f"{DECK_CARD}52 of the deck, got '125'",
    ),
    "suit 0 in a deck string": (
        DECK_STRING[:-3] + "120",
        CardError,
        f"{DECK_CARD}52 of the deck, got '120'",
    ),
    "doubled card in a deck string": (
        DECK_STRING[:-3] + "072",
        CardError,
        f"{FULL_PACK}doubled: 7D, missing: QC",
    ),
    "free text": ("the queen of spades", DealError, f"{EITHER_FORM}'the queen of spades'"),
    "long free text": ("A" * 41, DealError, f"{EITHER_FORM}'{'A' * 40}'"),
    "JSON list": ("[1]", DealError, f"{EITHER_FORM}'[1]'"),
    "empty line": (" \n", DealError, f"{EITHER_FORM}''"),
}


@pytest.mark.parametrize(
    ("text", "error_type", "message"), BAD_LINES.values(), ids=BAD_LINES.keys()
)
def test_a_bad_line_is_refused_saying_what_is_wrong(text, error_type, message):
    with pytest.raises(error_type) as error:
        parse_deal_line(text)
    assert type(error.value) is error_type
    assert str(error.value) == message


def test_a_deal_built_from_wrong_piles_is_refused():
    deal = random_deal(0, 0)
    with pytest.raises(DealError):
        replace(deal, tableau=deal.tableau[1:])
    with pytest.raises(CardError):
        replace(deal, stock=(*deal.stock[:-1], deal.stock[0]))


@pytest.mark.parametrize(
    ("file", "count"),
    [("klondike_draw3_deals.jsonl", 200), ("klondike_special_deals.jsonl", 5)],
)
def test_the_deals_of_the_test_data_are_read(file, count):
    lines = (DATA / file).read_text().splitlines()
    assert len(lines) == count
    for text in lines:
        fields, read = json.loads(text), parse_deal_line(text)
        assert read.deal.as_json() == {key: fields[key] for key in ("tableau", "stock")}
        assert (read.id, read.draw, read.verdict) == (
            fields["id"],
            fields["draw"],
            fields["verdict"],
        )
