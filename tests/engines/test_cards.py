import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.cards import (
    CARD_NAMES,
    CardError,
    check_full_pack,
    is_red,
    parse_card,
    pretty,
    rank_of,
    suit_of,
)

PACK_TEXT = (
    "AC AD AH AS 2C 2D 2H 2S 3C 3D 3H 3S 4C 4D 4H 4S 5C 5D 5H 5S 6C 6D 6H 6S 7C 7D 7H 7S "
    "8C 8D 8H 8S 9C 9D 9H 9S TC TD TH TS JC JD JH JS QC QD QH QS KC KD KH KS"
)
PACK = PACK_TEXT.split()


def cards(text):
    return [PACK.index(name) for name in text.split()]


def test_the_names_of_the_52_cards_in_order():
    assert list(CARD_NAMES) == PACK


@pytest.mark.parametrize(
    ("name", "card", "rank", "suit", "red", "symbol"),
    [
        ("AC", 0, 0, 0, False, "A♣"),
        ("AD", 1, 0, 1, True, "A♦"),
        ("AH", 2, 0, 2, True, "A♥"),
        ("AS", 3, 0, 3, False, "A♠"),
        ("2C", 4, 1, 0, False, "2♣"),
        ("TD", 37, 9, 1, True, "T♦"),
        ("KS", 51, 12, 3, False, "K♠"),
    ],
)
def test_a_card_is_four_times_its_rank_plus_its_suit(name, card, rank, suit, red, symbol):
    assert parse_card(name) == card == 4 * rank + suit
    assert (rank_of(card), suit_of(card), is_red(card), pretty(card)) == (rank, suit, red, symbol)


def test_every_card_is_parsed_from_its_name():
    assert [parse_card(name) for name in CARD_NAMES] == list(range(52))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1D", "'1D'"),
        ("10D", "'10D'"),
        ("td", "'td'"),
        ("DT", "'DT'"),
        ("TD ", "'TD '"),
        ("T♦", "'T♦'"),
        ("T", "'T'"),
        ("", "''"),
        (37, "37"),
        (None, "None"),
        (["TD"], "['TD']"),
    ],
)
def test_what_is_not_a_card_is_shown_in_the_error(text, shown):
    with pytest.raises(CardError) as error:
        parse_card(text)
    expected = "expected a card such as 'TD' (rank A23456789TJQK, suit CDHS), got "
    assert str(error.value) == expected + shown


@given(st.permutations(range(52)))
def test_a_pack_is_full_in_any_order(pack):
    check_full_pack(pack)


@pytest.mark.parametrize(
    ("taken_out", "put_in", "faults"),
    [
        ("KS", "", "missing: KS"),
        ("TD AC", "", "missing: AC TD"),
        ("", "TD", "doubled: TD"),
        ("", "TD TD AS", "doubled: AS TD"),
        ("2H", "QC", "doubled: QC, missing: 2H"),
        ("QC 2H", "3S 3D", "doubled: 3D 3S, missing: 2H QC"),
    ],
)
def test_doubled_and_missing_cards_are_named(taken_out, put_in, faults):
    pack = [card for card in range(52) if card not in cards(taken_out)] + cards(put_in)
    with pytest.raises(CardError) as error:
        check_full_pack(pack)
    assert str(error.value) == f"expected each of the 52 cards once, got {faults}"


def test_no_cards_are_not_a_pack():
    with pytest.raises(CardError) as error:
        check_full_pack([])
    assert str(error.value) == f"expected each of the 52 cards once, got missing: {PACK_TEXT}"
