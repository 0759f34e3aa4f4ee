"""farm coach cribbage: options that do not go together, and positions that cannot be."""

import random
import re

import pytest
from coach_desk import DISCARD, LEAD, PLAY, cards
from cribbage_seats import Chance

from engines.cribbage.match import play_match, random_deals
from engines.cribbage.scoring import GAME
from farm.commands.coach import _is_dealer
from farm.errors import UsageProblem
from farm.main import main


def test_every_position_of_a_match_is_possible_for_its_seat():
    positions = []
    for number in range(25):
        rng = random.Random(number)
        scores = rng.randrange(GAME), rng.randrange(GAME)
        players = [Chance(rng, positions)] * 2
        play_match(players, random_deals(5, number), scores=scores)
    settled = 0
    for seen in positions[:150]:
        position = seen.own_hand, seen.pile, seen.opponent_cards
        assert _is_dealer(*position, seen.is_dealer) == seen.is_dealer
        settled += _is_dealer(*position, None) == seen.is_dealer
    assert settled > 100


@pytest.mark.parametrize(
    ("hand", "pile", "opponent_cards", "possible"),
    [
        ("5H JD QS KC", "", 4, "pone"),
        ("5H JD QS KC", "7H", 3, "dealer"),
        ("5H JD QS", "7H 8C", 3, "pone"),
        ("5H JD QS", "7H 8C 9C", 2, "dealer"),
        ("5H JD QS KC", "", 3, ""),  # after one card no count is over
        ("5H JD QS", "", 3, ""),  # nor after two
        ("5H JD QS", "", 2, "dealer"),  # three ten-cards, and nobody had an ace
        ("5H JD QS KC", "7H 8C", 2, ""),  # nobody says go at 7
        ("5H JD QS", "7H 8C", 2, ""),  # the first of the three is no count
        ("5H JD", "7H", 3, ""),  # two cards before it are no count
        ("5H", "", 1, "pone"),
        ("5H", "", 4, ""),
        ("5H", "TC TD", 4, ""),
        ("AH", "KC QC TD", 2, ""),  # two cards before
        ("AH JH", "KC QC TD", 3, "pone"),  # the opponent has said go
        ("9H JH", "KC QC TD", 3, "pone"),  # one's own go is next
        ("JD", "", 0, "pone dealer"),
        ("AD 2D", "TC TD 9C", 2, ""),
        ("AD 2D 3D", "TC TD 9C", 2, "dealer"),
    ],
)
def test_positions_that_no_play_comes_to_are_refused(hand, pile, opponent_cards, possible):
    for name, is_dealer in (("pone", False), ("dealer", True)):
        if name in possible.split():
            assert _is_dealer(cards(hand), cards(pile), opponent_cards, is_dealer) is is_dealer
        else:
            with pytest.raises(UsageProblem):
                _is_dealer(cards(hand), cards(pile), opponent_cards, is_dealer)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "expected a FILE to review, or a --hand to get advice on"),
        (("match.json", *DISCARD), "expected a FILE to review, or a --hand to get advice on"),
        (("match.json", "--dealer"), "--dealer/--pone: does not go with a review, which takes --m"),
        (("match.json", "--all"), "--all: does not go with a review"),
        (("match.json", "--seat", "2"), "Invalid value for '--seat': "),
        (("match.json", "--match", "x"), "Invalid value for '--match': "),
        (DISCARD[:2], "--dealer or --pone: a discard depends on whose the crib is"),
        (("--hand", "5H 5C JD QS KD", "--dealer"), "--hand: expected six cards for a discard, or"),
        (("--hand", "", "--dealer"), "--hand: expected six cards .*, got 0"),
        (("--hand", "5H 5C JD QS KD 2C 3C", "--pone"), "--hand: expected six cards .*, got 7"),
        (("--hand", "5H 5C JD QS KD 1C", "--dealer"), "--hand: expected cards .* got '1C'"),
        (("--hand", "5H 5C JD QS KD 5H", "--dealer"), "--hand: expected different cards, got 5♥"),
        ((*DISCARD, "--thrown", "QS"), "--thrown: expected 2 cards, got 'QS'"),
        ((*DISCARD, "--thrown", ""), "--thrown: expected 2 cards, got ''"),
        ((*DISCARD, "--thrown", "QS 3C"), "--thrown: 3♣ is no card of the hand"),
        ((*DISCARD, "--thrown", "QS QS"), "--thrown: expected different cards"),
        ((*DISCARD, "--scores", "50"), "--scores: expected your score and the other's as 50-60"),
        ((*DISCARD, "--scores", "50-121"), "expected scores from 0 to 120, got 121"),
        ((*DISCARD, "--scores", ""), "--scores: expected"),
        ((*DISCARD, "--pile", "3C"), "--pile: does not go with a discard, which takes --dealer/-"),
        ((*DISCARD, "--starter", "3C"), "--starter: does not go with a discard"),
        ((*DISCARD, "--opponent-cards", "0"), "--opponent-cards: does not go with a discard"),
        ((*DISCARD, "--discards", "3C 4C"), "--discards: does not go with a discard"),
        ((*DISCARD, "--played", "3C"), "--played: does not go with a discard"),
        ((*DISCARD, "--no-deep"), "--deep/--no-deep: does not go with a discard"),
        ((*DISCARD, "--match", "0"), "--match: does not go with a discard"),
        ((*PLAY, "--thrown", "QS KD"), "--thrown: does not go with a play, which takes --pile"),
        ((*PLAY, "--all"), "--all: does not go with a play"),
        ((*PLAY, "--seat", "0"), "--seat: does not go with a play"),
        (PLAY[:6], "expected --starter and --opponent-cards with a --hand to play"),
        ((*PLAY[:4], *PLAY[6:]), "expected --starter and --opponent-cards with a --hand to play"),
        ((*PLAY[:6], "--opponent-cards", "5"), "Invalid value for '--opponent-cards': "),
        ((*PLAY, "--starter", "2S 3S"), "--starter: expected one card, got '2S 3S'"),
        ((*PLAY, "--starter", "8C"), "expected different cards, got 8C twice"),
        ((*PLAY, "--discards", "8C 2C"), "expected different cards, got 8C twice"),
        ((*PLAY, "--discards", "2C"), "--discards: expected 2 cards, got '2C'"),
        ((*PLAY, "--played", "8C"), "--played: 8♣ is no card of the hand"),
        ((*PLAY, "--played", "5H JD"), "--played: expected one card, got '5H JD'"),
        (
            (*PLAY, "--dealer"),
            "--dealer: no play of the cards comes to your turn with 3 in hand, 3",
        ),
        ((*LEAD, "--dealer"), "--dealer: no play .* and nothing as the pile"),
        (
            ("--hand", "5H JD", "--pile", "KD QD 9C", *PLAY[4:], "--played", "5H"),
            "--played: 5♥ would make 34, over 31",
        ),
        (
            (
                "--hand",
                "5H JD",
                "--pile",
                "KD QD AC TC",
                "--starter",
                "2S",
                "--opponent-cards",
                "2",
            ),
            "--pile: 31 ends a count: leave --pile out for the lead that follows",
        ),
        (
            (
                "--hand",
                "5H JD",
                "--pile",
                "KD QD 2C TC",
                "--starter",
                "2S",
                "--opponent-cards",
                "2",
            ),
            "--pile: expected a count up to 31, got 32",
        ),
        (
            (
                "--hand",
                "5H JD QS",
                "--pile",
                "7H 8C 2C",
                "--starter",
                "2S",
                "--opponent-cards",
                "3",
            ),
            "--pile: expected at most 2 cards, as 3 are in hand and 3 with the opponent, got 3",
        ),
        (
            ("--hand", "5H JD QS", "--starter", "2S", "--opponent-cards", "3"),
            "no play of the cards comes to your turn with 3 in hand, 3 with the opponent, and not",
        ),
    ],
)
def test_wrong_options_get_one_line_and_exit_code_2(arguments, problem, refused):
    assert re.match(problem, refused(*arguments))


def test_the_coach_is_listed_after_the_play(capsys):
    assert main(["--help"]) == 0
    listed = re.findall(r"^  (play|coach) +(.*)$", capsys.readouterr().out, re.MULTILINE)
    assert [name for name, _ in listed] == ["play", "coach"]
    assert listed[1][1] == "Review decisions of a game."
    assert main(["coach", "cribbage", "--help"]) == 0
    assert "FILE" in capsys.readouterr().out
