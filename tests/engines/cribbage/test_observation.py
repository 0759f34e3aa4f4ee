import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.cribbage_show import cards

from engines.cards import CARD_NAMES, PACK_SIZE, parse_card
from engines.cribbage.observation import Observation, ObservationError, Played, legal_plays

SIX = "5H 5C JD 2S 9D KC"


def card_or_none(name):
    return parse_card(name) if name else None


def to_discard(six=SIX, **more):
    return Observation.for_discard(cards(six), True, **more)


def to_play(hand="5H 5C", pile="", opponent_cards=3, starter="9S", discards="", **more):
    return Observation.for_play(
        cards(hand),
        cards(pile),
        opponent_cards,
        card_or_none(starter),
        False,
        own_discards=cards(discards),
        **more,
    )


def names(some):
    return " ".join(CARD_NAMES[card] for card in some)


def problem_of(make, *arguments, **more):
    with pytest.raises(ObservationError) as error:
        make(*arguments, **more)
    return str(error.value)


# A field for a hidden card would let a player peek: whoever adds a field must come here and say why
# it holds nothing but what everybody sees, or one's own cards.


def test_there_is_no_field_for_what_the_opponent_holds():
    assert {field.name: field.type for field in dataclasses.fields(Observation)} == {
        "own_hand": tuple[int, ...],
        "own_discards": tuple[int, ...],
        "pile": tuple[int, ...],
        "history": tuple[Played, ...],
        "opponent_cards": int,
        "starter": int | None,
        "is_dealer": bool,
        "own_score": int,
        "opponent_score": int,
    }
    assert Played.__annotations__ == {"own": bool, "card": int | None}


def test_nothing_can_be_hung_on_an_observation():
    seen = to_play()
    assert not hasattr(seen, "__dict__")
    with pytest.raises(AttributeError):
        object.__setattr__(seen, "opponent_hand", cards("KS"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        seen.own_score = 1


def test_before_the_cut_there_are_six_own_cards_and_no_others():
    seen = to_discard(own_score=3, opponent_score=4)
    assert dataclasses.astuple(seen) == (
        cards("2S 5C 5H 9D JD KC"),
        (),
        (),
        (),
        6,
        None,
        True,
        3,
        4,
    )


def test_hand_and_discards_ascend_and_the_pile_stays_in_order():
    seen = to_play("KC 2S 9D", pile="QS 4D 7H", discards="JD 5C")
    assert names(seen.own_hand) == "2S 9D KC"
    assert names(seen.own_discards) == "5C JD"
    assert names(seen.pile) == "QS 4D 7H"


@settings(deadline=None, max_examples=50)
@given(st.permutations(cards(SIX)))
def test_the_order_in_which_a_hand_is_given_does_not_matter(six):
    assert Observation.for_discard(six, True) == to_discard()
    assert Observation.for_play(six[:4], (), 4, None, True).own_hand == tuple(sorted(six[:4]))


def test_a_crib_is_the_dealers():
    assert Observation.for_discard(cards(SIX), True).own_crib
    assert not Observation.for_discard(cards(SIX), False).own_crib


@pytest.mark.parametrize(
    ("pile", "count"), [("", 0), ("KC", 10), ("KC QD AH", 21), ("TC JC QC AC", 31)]
)
def test_the_count_is_what_the_pile_adds_up_to(pile, count):
    assert to_play("5H 5S", pile).count == count


@pytest.mark.parametrize(
    ("hand", "pile", "legal"),
    [
        ("KC 2S 9D AH", "", "AH 2S 9D KC"),
        ("KC 2S 9D AH", "QS QD", "AH 2S 9D KC"),
        ("KC 2S 9D AH", "QS QD 2D", "AH 2S 9D"),
        ("KC 2S 9D AH", "QS QD 9C", "AH 2S"),
        ("KC 2S 9D AH", "QS QD TC", "AH"),
        ("KC 2S 9D 3H", "QS QD TC", ""),
        ("KC 2S 9D 3H", "QS QD TC AD", ""),
    ],
)
def test_what_can_be_played(hand, pile, legal):
    assert names(to_play(hand, pile).legal_plays()) == legal


def test_legal_cards_stay_in_the_order_of_the_hand():
    assert legal_plays(cards("KC 2S 9D AH"), 22) == list(cards("2S 9D AH"))


def test_an_observation_as_json():
    seen = to_play(
        "5H 4C",
        pile="9D",
        discards="JD JC",
        history=[
            Played(False, parse_card("KS")),
            Played(True, parse_card("TD")),
            Played(False, parse_card("AS")),
            Played(True, None),
            Played(False, None),
            Played(True, parse_card("9D")),
        ],
        own_score=17,
        opponent_score=120,
    )
    document = {
        "own_hand": ["4C", "5H"],
        "own_discards": ["JC", "JD"],
        "pile": ["9D"],
        "count": 9,
        "history": [
            {"by": "opponent", "card": "KS"},
            {"by": "self", "card": "TD"},
            {"by": "opponent", "card": "AS"},
            {"by": "self", "card": None},
            {"by": "opponent", "card": None},
            {"by": "self", "card": "9D"},
        ],
        "opponent_cards": 3,
        "starter": "9S",
        "dealer": "opponent",
        "own_score": 17,
        "opponent_score": 120,
    }
    assert seen.as_json() == document
    assert json.loads(json.dumps(seen.as_json())) == document


def test_a_discard_as_json():
    assert to_discard().as_json() == {
        "own_hand": ["2S", "5C", "5H", "9D", "JD", "KC"],
        "own_discards": [],
        "pile": [],
        "count": 0,
        "history": [],
        "opponent_cards": 6,
        "starter": None,
        "dealer": "self",
        "own_score": 0,
        "opponent_score": 0,
    }


@pytest.mark.parametrize(
    ("six", "problem"),
    [
        ("5H 5C JD 2S 9D", "expected six cards to discard from, got 2S 5C 5H 9D JD"),
        ("", "expected six cards to discard from, got "),
        ("AC 2C 3C 4C 5C 6C 7C", "expected six cards to discard from, got AC 2C 3C 4C 5C 6C 7C"),
        ("5H 5C 5H 2S 9D KC", "expected different cards, got 5H twice"),
    ],
)
def test_a_hand_that_nobody_can_discard_from(six, problem):
    assert problem_of(to_discard, six) == problem


@pytest.mark.parametrize("stranger", [-1, PACK_SIZE])
def test_a_number_that_is_not_a_card(stranger):
    problem = f"expected cards from 0 to 51, got {stranger}"
    assert (
        problem_of(Observation.for_discard, (*cards("5H 5C JD 2S 9D"), stranger), True) == problem
    )
    assert problem_of(Observation.for_play, (stranger,), (), 4, None, True) == problem
    assert problem_of(Observation.for_play, cards("5H"), (stranger,), 4, None, True) == problem
    assert problem_of(Observation.for_play, cards("5H"), (), 4, stranger, True) == problem


@pytest.mark.parametrize(
    ("position", "problem"),
    [
        (
            {"hand": ""},
            "expected 1 to 4 own cards and 0 to 4 of the opponent in the play, got none and 3",
        ),
        (
            {"hand": "5H 5C JD 2S 9D"},
            "expected 1 to 4 own cards and 0 to 4 of the opponent in the play, "
            "got 2S 5C 5H 9D JD and 3",
        ),
        (
            {"opponent_cards": 5},
            "expected 1 to 4 own cards and 0 to 4 of the opponent in the play, got 5C 5H and 5",
        ),
        (
            {"opponent_cards": -1},
            "expected 1 to 4 own cards and 0 to 4 of the opponent in the play, got 5C 5H and -1",
        ),
        ({"hand": "5H 5H"}, "expected different cards, got 5H twice"),
        ({"pile": "KD 5C"}, "expected different cards, got 5C twice"),
        ({"pile": "KD KD"}, "expected different cards, got KD twice"),
        ({"starter": "5H"}, "expected different cards, got 5H twice"),
        ({"discards": "5H 2C"}, "expected different cards, got 5H twice"),
        ({"pile": "9S"}, "expected different cards, got 9S twice"),
        ({"pile": "KD KH KS 2D"}, "expected a count up to 31, got KD KH KS 2D"),
        ({"own_score": 121}, "expected scores from 0 to 120, got 121"),
        ({"own_score": -1}, "expected scores from 0 to 120, got -1"),
        ({"opponent_score": 121}, "expected scores from 0 to 120, got 121"),
    ],
)
def test_a_position_that_cannot_be(position, problem):
    assert problem_of(to_play, **position) == problem


def test_scores_are_looked_at_before_the_cut_too():
    assert problem_of(to_discard, own_score=121) == "expected scores from 0 to 120, got 121"
