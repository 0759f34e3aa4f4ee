import json
from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from naive import cribbage_show as naive
from naive.cribbage_show import cards

from engines.cards import CARD_NAMES, PACK_SIZE, parse_card
from engines.cribbage.match import (
    Act,
    Deal,
    IllegalAnswer,
    MatchResult,
    Tally,
    play_match,
    random_deals,
)
from engines.cribbage.observation import Observation, Played
from engines.cribbage.players import (
    BrainPlayer,
    RandomPlayer,
    open_rolls,
    rolls_purpose,
)
from engines.cribbage.scoring import GAME, Kind, total
from engines.cribbage.tiers import Skill
from engines.streams import next_word, open_stream, shuffle_end

DATA = Path(__file__).parents[2] / "data" / "cribbage"
CASES = json.loads((DATA / "cases.json").read_text())

PONE, DEALER = 0, 1  # the seats of the deals below
SEATS = ("pone", "dealer")


def case(name):
    return next(case for case in CASES if case["id"] == name)


def names(some):
    return " ".join(CARD_NAMES[card] for card in some)


class Script:
    """Throws the two last cards of "4 kept | 2 thrown", then plays the kept ones in their order."""

    def __init__(self, text):
        kept, thrown = text.split(" | ")
        self.to_play, self.thrown = list(cards(kept)), cards(thrown)
        self.six = tuple(sorted((*self.to_play, *self.thrown)))
        self.seen = []

    def discard(self, seen):
        self.seen.append(seen)
        return self.thrown

    def play(self, seen):
        self.seen.append(seen)
        return self.to_play.pop(0)


def play_deal(pone, dealer, starter, scores=(0, 0)):
    """One deal of two scripts: events, the result if it ended the match, and the scripts."""
    scripts, events = (Script(pone), Script(dealer)), []
    deal = Deal(scripts[PONE].six, scripts[DEALER].six, parse_card(starter))
    try:
        result = play_match(scripts, [deal], DEALER, scores=scores, watch=events.append)
    except ValueError as error:
        assert str(error) == "expected enough deals to end a match"
        result = None
    return events, result, scripts


def story(events, acts=(Act.PLAY, Act.GO)):
    """Such as "pone TC 0; dealer KH 2; pone go"."""
    return "; ".join(
        f"{SEATS[event.seat]} {names(event.cards)} {total(event.scored)}"
        if event.act is Act.PLAY
        else f"{SEATS[event.seat]} {event.act}"
        for event in events
        if event.act in acts
    )


def counted(events):
    return [
        (str(event.act), SEATS[event.seat], total(event.scored))
        for event in events
        if event.act in (Act.CUT, Act.HAND, Act.CRIB)
    ]


# The play.


def test_after_31_the_opponent_of_the_last_player_leads():
    told = case("lead_after_31")
    played = [CARD_NAMES.index(card) for _, card in told["input"]["plays"]]
    assert names(played) == "KC QD AH TS"
    assert told["expected"] == {"points": [0, 0, 0, 2], "next_lead": "pone"}
    events, _, _ = play_deal("KC AH 2C 8C | 3C 3D", "QD TS 4D 6D | 5H 5S", "9H")
    assert story(events) == (
        "pone KC 0; dealer QD 0; pone AH 0; dealer TS 2; "
        "pone 2C 0; dealer 4D 0; pone 8C 0; dealer 6D 1"
    )


@pytest.mark.parametrize(
    ("pone", "dealer", "starter", "told"),
    [
        pytest.param(
            "TC 9D 2S 8H | AC AD",
            "KH QS 5C 4D | 6D 3H",
            "7C",
            "pone TC 0; dealer KH 0; pone 9D 0; dealer go; pone 2S 2; "
            "dealer QS 0; pone 8H 0; dealer 5C 0; dealer 4D 1",
            id="a go, then 31: no point for the go; who is out of cards says nothing",
        ),
        pytest.param(
            "TC TD 9H 8S | AC AD",
            "KC KD QH 7S | 6D 3H",
            "7C",
            "pone TC 0; dealer KC 0; pone TD 1; dealer go; pone go; "
            "dealer KD 0; pone 9H 0; dealer QH 1; pone go; dealer go; "
            "pone 8S 0; dealer 7S 3",
            id="a go for 1 each, the opponent leads; fifteen and last card",
        ),
        pytest.param(
            "4C 3D 2H AS | 9C 9D",
            "KC KD KH QS | 6D 3H",
            "7C",
            "pone 4C 0; dealer KC 0; pone 3D 0; dealer KD 0; pone 2H 0; dealer go; "
            "pone AS 1; dealer KH 0; dealer QS 1",
            id="one who said go is passed over until the count ends, and says it once",
        ),
        pytest.param(
            "KS 4C 3C AC | 9C 9D",
            "KC KD KH QS | 6D 3H",
            "7C",
            "pone KS 0; dealer KC 2; pone 4C 0; dealer go; pone 3C 0; pone AC 1; "
            "dealer KD 0; dealer KH 2; dealer QS 1",
            id="three in a row by one player",
        ),
        pytest.param(
            "QC TC JC AH | 9C 9D",
            "KD AD TH TS | 6D 3H",
            "7C",
            "pone QC 0; dealer KD 0; pone TC 0; dealer AD 2; "
            "pone JC 0; dealer TH 0; pone AH 0; dealer TS 2",
            id="31 with the last card of all is 2, not 3",
        ),
        pytest.param(
            "QC TC JC AH | 9C 9D",
            "KD AD TH 9S | 6D 3H",
            "7C",
            "pone QC 0; dealer KD 0; pone TC 0; dealer AD 2; "
            "pone JC 0; dealer TH 0; pone AH 0; dealer 9S 1",
            id="30 with the last card of all is 1",
        ),
        pytest.param(
            "7C AC AH KC | 9C 9D",
            "2D 2H 2S 2C | 6D 3H",
            "KH",
            "pone 7C 0; dealer 2D 0; pone AC 0; dealer 2H 0; pone AH 0; dealer 2S 2; "
            "pone KC 0; dealer 2C 1",
            id="fifteen with small cards",
        ),
        pytest.param(
            "4C 5C 6C 3C | 9C 9D",
            "5D 4D 2D AD | 6D 3H",
            "KH",
            "pone 4C 0; dealer 5D 0; pone 5C 2; dealer 4D 0; pone 6C 3; dealer 2D 0; "
            "pone 3C 5; dealer AD 7",
            id="runs of three, five and six, and last card",
        ),
    ],
)
def test_the_play_of_a_deal(pone, dealer, starter, told):
    events, _, _ = play_deal(pone, dealer, starter)
    assert story(events) == told


@pytest.mark.parametrize(
    ("pone", "dealer", "kinds"),
    [
        ("TC TD 9H 8S | AC AD", "KC KD QH 7S | 6D 3H", ["go", "go", "fifteen", "last card"]),
        ("QC TC JC AH | 9C 9D", "KD AD TH TS | 6D 3H", ["thirty-one", "thirty-one"]),
    ],
)
def test_what_the_points_of_the_play_are_for(pone, dealer, kinds):
    events, _, _ = play_deal(pone, dealer, "7C")
    scored = [each for event in events if event.act is Act.PLAY for each in event.scored]
    assert [str(each.kind) for each in scored] == kinds


def test_what_players_are_shown():
    _, _, (pone, dealer) = play_deal(
        "TC 9D 2S 8H | AC AD", "KH QS 5C 4D | 6D 3H", "7C", scores=(30, 40)
    )
    assert len(pone.seen) == len(dealer.seen) == 5
    assert pone.seen[0] == Observation.for_discard(cards("TC 9D 2S 8H AC AD"), False, 30, 40)
    assert dealer.seen[0] == Observation.for_discard(cards("KH QS 5C 4D 6D 3H"), True, 40, 30)
    assert pone.seen[1] == Observation.for_play(
        cards("TC 9D 2S 8H"),
        (),
        4,
        parse_card("7C"),
        False,
        own_discards=cards("AC AD"),
        own_score=30,
        opponent_score=40,
    )
    # The last of the dealer's: after 31 by the pone, who has no cards left.
    assert dealer.seen[4] == Observation.for_play(
        cards("4D"),
        cards("QS 8H 5C"),
        0,
        parse_card("7C"),
        True,
        own_discards=cards("6D 3H"),
        history=history("-TC +KH -9D +go -2S +QS -8H +5C"),
        own_score=40,
        opponent_score=32,
    )
    assert pone.seen[4].history == history("+TC -KH +9D -go +2S -QS")
    assert pone.seen[3].history == history("+TC -KH +9D -go")
    assert names(pone.seen[3].pile) == "TC KH 9D"
    assert names(pone.seen[4].pile) == "QS"
    assert [seen.opponent_cards for seen in pone.seen] == [6, 4, 3, 3, 2]
    assert [seen.opponent_cards for seen in dealer.seen] == [6, 3, 1, 0, 0]


def history(text):
    """Of a text such as "-TC +KH +go": plus for one's own."""
    return tuple(
        Played(act[0] == "+", None if act[1:] == "go" else parse_card(act[1:]))
        for act in text.split()
    )


def test_goes_of_both_are_in_the_history_before_the_next_count():
    _, _, (pone, dealer) = play_deal("TC TD 9H 8S | AC AD", "KC KD QH 7S | 6D 3H", "7C")
    first_count = "-TC +KC -TD +go -go"
    second_count = "+KD -9H +QH -go +go"
    assert dealer.seen[2].history == history(first_count)
    assert dealer.seen[4].history == history(f"{first_count} {second_count} -8S")
    assert pone.seen[4].history == history("+TC -KC +TD -go +go -KD +9H -QH +go -go")
    assert not dealer.seen[2].pile


def test_a_player_is_not_asked_where_it_can_only_say_go():
    for seed in range(5):
        for seen in shown_in_a_random_match(seed):
            assert seen.legal_plays() or len(seen.own_hand) == 6


def shown_in_a_random_match(seed):
    watchers = [Watcher(RandomPlayer(open_rolls(seed, 0, 0, player))) for player in range(2)]
    play_match(watchers, random_deals(seed, 0))
    return [seen for watcher in watchers for seen in watcher.seen]


class Watcher:
    """Decides as another player does, and keeps what it was shown."""

    def __init__(self, player):
        self.player, self.seen = player, []

    def discard(self, seen):
        self.seen.append(seen)
        return self.player.discard(seen)

    def play(self, seen):
        self.seen.append(seen)
        return self.player.play(seen)


# The count, and the end of a match.


def test_heels_end_a_match_before_the_play():
    told = case("win_on_heels")
    assert told["input"] == {"dealer_score": 119, "pone_score": 120, "starter": "JD"}
    assert told["expected"] == {"winner": "dealer", "dealer_score": 121, "pegging_played": False}
    events, result, _ = play_deal(
        "TC TD 9H 8S | AC AD", "KC KD QH 7S | 6D 3H", "JD", scores=(120, 119)
    )
    assert result == MatchResult(DEALER, (Tally(score=120), Tally(score=121, deals=1, heels=2)))
    assert [str(event.act) for event in events] == ["deal", "deal", "discard", "discard", "cut"]
    assert [each.kind for each in events[-1].scored] == [Kind.HEELS]


# In the play of this deal the dealer gets 2 for 31 and 1 for the last card. Then the pone counts 14
# for 5-5-5-J, the dealer 2 for 4-4 and 4 for the crib of K-K-Q-Q.
FIVES = "5C 5D 5H JC | KC QC"
FOURS = "4C 4D 8H TD | KD QD"
STARTER = "2S"


def test_the_count_of_both_hands_and_the_crib():
    events, result, _ = play_deal(FIVES, FOURS, STARTER)
    assert result is None
    assert story(events) == (
        "pone 5C 0; dealer 4C 0; pone 5D 0; dealer 4D 0; pone 5H 0; dealer 8H 2; "
        "pone JC 0; dealer TD 1"
    )
    assert counted(events) == [
        ("cut", "dealer", 0),
        ("hand", "pone", 14),
        ("hand", "dealer", 2),
        ("crib", "dealer", 4),
    ]
    assert events[-1].scores == (14, 9)
    assert [names(event.cards) for event in events[-3:]] == [
        "5C 5D 5H JC 2S",
        "4C 4D 8H TD 2S",
        "QC QD KC KD 2S",
    ]


@pytest.mark.parametrize(
    ("scores", "final", "shows"),
    [
        pytest.param((107, 117), (121, 120), ["hand"], id="the pone counts first"),
        pytest.param((106, 117), (120, 121), ["hand", "hand"], id="then the dealer"),
        pytest.param((106, 114), (120, 121), ["hand", "hand", "crib"], id="then the crib"),
        pytest.param((106, 112), (120, 121), ["hand", "hand", "crib"], id="with just 121"),
        pytest.param((106, 111), (120, 120), ["hand", "hand", "crib"], id="not with 120"),
        pytest.param((107, 118), (107, 121), [], id="with the last card"),
        pytest.param((120, 119), (120, 121), [], id="with 31 in the play"),
        pytest.param((116, 100), (121, 103), ["hand"], id="no more than 121"),
    ],
)
def test_a_match_ends_at_once_at_121(scores, final, shows):
    events, result, _ = play_deal(FIVES, FOURS, STARTER, scores)
    assert [str(event.act) for event in events if event.act in (Act.HAND, Act.CRIB)] == shows
    assert events[-1].scores == final
    if GAME in final:
        assert result.winner == final.index(GAME)
        assert tuple(tally.score for tally in result.tallies) == final
    else:
        assert result is None


def test_a_point_for_a_go_ends_a_match_before_the_go_is_said():
    events, result, _ = play_deal(
        "TC TD 9H 8S | AC AD", "KC KD QH 7S | 6D 3H", "7C", scores=(120, 120)
    )
    assert story(events) == "pone TC 0; dealer KC 0; pone TD 1"
    assert result == MatchResult(
        PONE, (Tally(score=121, pegging_pone=1), Tally(score=120, deals=1))
    )


def test_a_hand_without_points_does_not_bring_120_home():
    events, result, _ = play_deal(
        "KC 6H 2C 4D | 5C 5D", "9S 3C TD 7D | 5H 5S", "QS", scores=(119, 93)
    )
    assert story(events) == (
        "pone KC 0; dealer 9S 0; pone 6H 0; dealer 3C 0; pone 2C 1; dealer go; pone go; "
        "dealer TD 0; pone 4D 0; dealer 7D 1"
    )
    assert counted(events) == [
        ("cut", "dealer", 0),
        ("hand", "pone", 0),
        ("hand", "dealer", 0),
        ("crib", "dealer", 28),
    ]
    assert (result.winner, events[-1].scores) == (DEALER, (120, 121))


def test_points_of_a_count_are_whole_where_121_cuts_them_short():
    _, result, _ = play_deal(FIVES, FOURS, STARTER, scores=(116, 100))
    assert result.tallies == (
        Tally(score=121, hands_pone=1, hand_pone=14),
        Tally(score=103, deals=1, pegging_dealer=3),
    )


def test_both_deal_in_turn():
    for first_dealer in (0, 1):
        events = []
        players = [RandomPlayer(open_rolls(0, 0, 0, player)) for player in range(2)]
        play_match(players, random_deals(0, 0), first_dealer, watch=events.append)
        dealers = [event.seat for event in events if event.act is Act.CUT]
        assert len(dealers) > 5
        assert dealers == [(first_dealer + number) % 2 for number in range(len(dealers))]


def test_a_match_needs_deals_enough():
    players = [RandomPlayer(open_rolls(0, 0, 0, player)) for player in range(2)]
    with pytest.raises(ValueError, match="expected enough deals to end a match"):
        play_match(players, islice(random_deals(0, 0), 3))


def test_an_event_in_words():
    events, _, _ = play_deal("TC TD 9H 8S | AC AD", "KC KD QH 7S | 6D 3H", "JC")
    told = [str(event) for event in events]
    assert told[:5] == [
        "seat 0 deal A♣ A♦ 8♠ 9♥ T♣ T♦",
        "seat 1 deal 3♥ 6♦ 7♠ Q♥ K♣ K♦",
        "seat 0 discard A♣ A♦",
        "seat 1 discard 3♥ 6♦",
        "seat 1 cut J♣; heels for 2",
    ]
    assert told[7:9] == ["seat 0 play T♦; go for 1", "seat 1 go"]
    assert told[-4] == "seat 1 play 7♠; fifteen for 2; last card for 1"


# Illegal answers.


class Answers:
    """Throws its first two cards and plays its first, but for the answer to test."""

    def __init__(self, thrown=None, card=None):
        self.thrown, self.card = thrown, card

    def discard(self, seen):
        return seen.own_hand[:2] if self.thrown is None else self.thrown(seen)

    def play(self, seen):
        return seen.legal_plays()[0] if self.card is None else self.card(seen)


PONE_SIX = "5C 5D 9H TC JC QC"
DEALER_SIX = "2C 4D 8H TD QD KD"


def refusal_of(players, dealer_six=DEALER_SIX):
    deal = Deal(cards(PONE_SIX), cards(dealer_six), parse_card("2S"))
    with pytest.raises(IllegalAnswer) as error:
        play_match(players, [deal], DEALER, scores=(50, 60))
    return error.value


@pytest.mark.parametrize("seat", [PONE, DEALER])
@pytest.mark.parametrize(
    ("thrown", "got"),
    [
        (lambda seen: seen.own_hand[:1], {PONE: "5C", DEALER: "2C"}),
        (lambda seen: seen.own_hand[:3], {PONE: "5C 5D 9H", DEALER: "2C 4D 8H"}),
        (lambda seen: [], {PONE: "none", DEALER: "none"}),
        (lambda seen: seen.own_hand[:1] * 2, {PONE: "5C 5C", DEALER: "2C 2C"}),
        (lambda seen: cards("AC AD"), {PONE: "AC AD", DEALER: "AC AD"}),
        (lambda seen: (seen.own_hand[0], 2), {PONE: "5C AH", DEALER: "2C AH"}),
        (lambda seen: (seen.own_hand[0], 52), {PONE: "(16, 52)", DEALER: "(4, 52)"}),
        (lambda seen: (seen.own_hand[0], -1), {PONE: "(16, -1)", DEALER: "(4, -1)"}),
        (lambda seen: None, {PONE: "None", DEALER: "None"}),
        (lambda seen: 7, {PONE: "7", DEALER: "7"}),
        (lambda seen: ["5C", "5D"], {PONE: "['5C', '5D']", DEALER: "['5C', '5D']"}),
        (lambda seen: (None, 4), {PONE: "(None, 4)", DEALER: "(None, 4)"}),
        (lambda seen: [[1], [2]], {PONE: "[[1], [2]]", DEALER: "[[1], [2]]"}),
        (lambda seen: (16.0, 4.0), {PONE: "(16.0, 4.0)", DEALER: "(16.0, 4.0)"}),
    ],
)
def test_a_throw_that_is_not_allowed(seat, thrown, got):
    players = [Answers(), Answers()]
    players[seat] = Answers(thrown=thrown)
    refusal = refusal_of(players)
    assert str(refusal) == f"expected two cards of the hand, got {got[seat]}"
    assert refusal.seat == seat
    six, scores = ((PONE_SIX, (50, 60)), (DEALER_SIX, (60, 50)))[seat]
    assert refusal.seen == Observation.for_discard(cards(six), seat == DEALER, *scores)


@pytest.mark.parametrize(
    ("card", "got"),
    [
        (lambda seen: parse_card("5C"), "5C"),  # thrown
        (lambda seen: parse_card("2S"), "2S"),  # the starter
        (lambda seen: parse_card("KD"), "KD"),  # the opponent's
        (lambda seen: 52, "[52]"),
        (lambda seen: -1, "[-1]"),
        (lambda seen: None, "[None]"),
        (lambda seen: "9H", "['9H']"),
        (lambda seen: [34], "[[34]]"),
        (lambda seen: 34.0, "[34.0]"),
        (lambda seen: True, "[True]"),
    ],
)
def test_a_card_that_is_not_held(card, got):
    refusal = refusal_of([Answers(card=card), Answers()])
    assert str(refusal) == f"expected one of 9H TC JC QC, got {got}"
    assert refusal.seat == PONE
    assert refusal.seen == Observation.for_play(
        cards("9H TC JC QC"),
        (),
        4,
        parse_card("2S"),
        False,
        own_discards=cards("5C 5D"),
        own_score=50,
        opponent_score=60,
    )


def test_a_card_that_goes_beyond_31():
    highest = Answers(card=lambda seen: seen.own_hand[-1])
    refusal = refusal_of([Answers(), highest], "AC AD 2H TD QD KD")
    assert str(refusal) == "expected one of 2H, got QD"
    assert (refusal.seat, names(refusal.seen.pile)) == (DEALER, "9H KD TC")


# Deals.


@pytest.mark.parametrize(
    ("pair", "deals"),
    [
        (
            0,
            [
                ("AH 2D 4C 7S 9D QS", "2H 2S 6D TH QC KD", "4H"),
                ("2H 3S 4H 9D TS JD", "3D 4S 8D JH QH KS", "4C"),
            ],
        ),
        (1, [("2D 4C 7H 9C JD KH", "AD 5C 6C 6D 8H 9D", "QS")]),
    ],
)
def test_golden_deals_of_seed_0(pair, deals):
    for deal, (pone, dealer, starter) in zip(random_deals(0, pair), deals, strict=False):
        assert (names(deal.pone), names(deal.dealer)) == (pone, dealer)
        assert CARD_NAMES[deal.starter] == starter


def test_deals_are_the_end_of_a_shuffled_pack_in_turn():
    stream = open_stream(9, 4, "cribbage deals")
    for deal in islice(random_deals(9, 4), 20):
        pack = np.arange(PACK_SIZE)
        shuffle_end(stream, pack, 13)
        from_the_top = pack[::-1].tolist()
        assert deal.pone == tuple(sorted(from_the_top[0:12:2]))
        assert deal.dealer == tuple(sorted(from_the_top[1:12:2]))
        assert deal.starter == from_the_top[12]


def test_a_deal_has_thirteen_cards():
    for pair in range(20):
        for deal in islice(random_deals(3, pair), 20):
            dealt = (*deal.pone, *deal.dealer, deal.starter)
            assert len(set(dealt)) == 13
            assert all(0 <= card < PACK_SIZE for card in dealt)


def test_every_card_comes_to_every_place_about_equally_often():
    places = np.zeros((3, PACK_SIZE), int)
    deals = 2_600
    for deal in islice(random_deals(4, 0), deals):
        for place, dealt in enumerate((deal.pone, deal.dealer, (deal.starter,))):
            places[place, list(dealt)] += 1
    for row, cards_dealt in zip(places, (6, 6, 1), strict=True):
        expected = deals * cards_dealt / PACK_SIZE
        assert ((row - expected) ** 2 / expected).sum() < 100  # chi-square, 51 degrees of freedom


def test_seeds_and_pairs_have_deals_of_their_own():
    firsts = {next(random_deals(seed, pair)) for seed in range(10) for pair in range(10)}
    assert len(firsts) == 100
    assert next(random_deals(3, 4)) == next(random_deals(3, 4))


# Players.


def test_the_streams_of_rolls_have_names_of_their_own():
    purposes = [rolls_purpose(leg, player) for leg in range(2) for player in range(2)]
    assert purposes == [
        "cribbage rolls of player 0 in leg 0",
        "cribbage rolls of player 1 in leg 0",
        "cribbage rolls of player 0 in leg 1",
        "cribbage rolls of player 1 in leg 1",
    ]
    assert np.array_equal(open_rolls(5, 6, 1, 0), open_stream(5, 6, purposes[2]))


def words_used(player, ask):
    """How many words a player takes from its stream to answer."""
    fresh = player.rolls.copy()
    ask(player)
    used = 0
    while not np.array_equal(fresh, player.rolls):
        next_word(fresh)
        used += 1
    return used


@pytest.mark.parametrize(
    ("skill", "words"), [(None, 1), (Skill(0.35, 0.5), 1), (Skill(1.0, 0.0), 0)]
)
def test_a_player_takes_one_word_a_decision_if_it_needs_any(skill, words):
    rolls = open_rolls(0, 0, 0, 0)
    player = RandomPlayer(rolls) if skill is None else BrainPlayer(skill, rolls)
    discard = Observation.for_discard(cards(PONE_SIX), True)
    assert words_used(player, lambda player: player.discard(discard)) == words
    for hand in ("5C 9H TC JC", "5C"):  # one card as well: what is drawn next must not tell
        play = Observation.for_play(cards(hand), (), 4, parse_card("2S"), True)
        assert words_used(player, lambda player, play=play: player.play(play)) == words


def test_a_random_player_is_uniform():
    player = RandomPlayer(open_rolls(0, 0, 0, 0))
    discard = Observation.for_discard(cards(PONE_SIX), True)
    throws = Counter(player.discard(discard) for _ in range(3_000))
    assert len(throws) == 15
    assert 150 < min(throws.values()) <= max(throws.values()) < 250
    play = Observation.for_play(cards("5C 9H TC JC"), cards("KC KD AH"), 4, None, True)
    played = Counter(names([player.play(play)]) for _ in range(2_000))
    assert sorted(played) == ["5C", "9H", "JC", "TC"]
    assert 400 < min(played.values()) <= max(played.values()) < 600


# Whole matches.


def brains(skills):
    return [
        RandomPlayer(open_rolls(1, 1, 0, player))
        if skill is None
        else BrainPlayer(skill, open_rolls(1, 1, 0, player))
        for player, skill in enumerate(skills)
    ]


EXPERT, COWARD, EASY = Skill(1.0, 0.0), Skill(0.0, 0.0), Skill(0.12, 5.0)


def watched(seats, pair, first_dealer, scores=(0, 0)):
    events = []
    deals = random_deals(8, pair)
    result = play_match(seats, deals, first_dealer, scores=scores, watch=events.append)
    return events, result


@pytest.mark.parametrize("skills", [(EXPERT, COWARD), (EXPERT, EASY), (None, EASY)], ids=str)
def test_seats_that_change_places_change_the_result(skills):
    for pair in range(5):
        events, result = watched(brains(skills), pair, pair % 2, (5, 70))
        mirrored_events, mirrored = watched(brains(skills)[::-1], pair, 1 - pair % 2, (70, 5))
        assert mirrored == MatchResult(1 - result.winner, result.tallies[::-1])
        # Dealing and discarding goes by seat; what is to be seen goes by who deals.
        public = [event for event in events if event.act not in (Act.DEAL, Act.DISCARD)]
        mirror = [event for event in mirrored_events if event.act not in (Act.DEAL, Act.DISCARD)]
        assert [(event.act, event.seat, event.cards, event.scores) for event in public] == [
            (event.act, 1 - event.seat, event.cards, event.scores[::-1]) for event in mirror
        ]


SOURCES = ["pegging_dealer", "pegging_pone", "hand_dealer", "hand_pone", "crib", "heels"]


@pytest.mark.parametrize("skills", [(EXPERT, EASY), (None, None)], ids=str)
def test_points_come_from_somewhere(skills):
    for pair in range(10):
        events, result = watched(brains(skills), pair, 0)
        assert result.winner == events[-1].seat
        for seat, tally in enumerate(result.tallies):
            points = sum(getattr(tally, source) for source in SOURCES)
            last = total(events[-1].scored)
            if seat == result.winner:
                assert tally.score == GAME
                assert points - last < GAME <= points
            else:
                assert tally.score == points < GAME
            own = [event for event in events if event.seat == seat]
            assert points == sum(total(event.scored) for event in own)
            shows = [event.act for event in own]
            assert tally.deals == shows.count(Act.CUT)
            assert tally.cribs == shows.count(Act.CRIB)
            assert tally.hands_pone + tally.hands_dealer == shows.count(Act.HAND)


def referee(events, first_dealer):
    """What must have happened in a match, told anew from the deals, throws and cards played."""
    scores, dealer, told = [0, 0], first_dealer, []
    dealt = [event for event in events if event.act is Act.DEAL]
    thrown = [event for event in events if event.act is Act.DISCARD]
    starters = [event.cards[0] for event in events if event.act is Act.CUT]
    played = iter([event.cards[0] for event in events if event.act is Act.PLAY])

    def tell(act, seat, some, points=0):
        scores[seat] = min(121, scores[seat] + points)
        told.append((act, seat, tuple(some), points, tuple(scores)))
        return scores[seat] == 121

    for number, starter in enumerate(starters):
        six = [event.cards for event in dealt[2 * number : 2 * number + 2]]
        throws = [event.cards for event in thrown[2 * number : 2 * number + 2]]
        kept = [[c for c in six[seat] if c not in throws[seat]] for seat in (0, 1)]
        for seat in (0, 1):
            tell("deal", seat, six[seat])
        for seat in (0, 1):
            tell("discard", seat, throws[seat])
        if tell("cut", dealer, [starter], 2 * (naive.rank(starter) == "J")):
            return told
        hands, pile, gone, seat = [set(hand) for hand in kept], [], set(), 1 - dealer
        while hands[0] or hands[1]:
            count = sum(map(naive.value, pile))
            able = [any(count + naive.value(c) <= 31 for c in hand) for hand in hands]
            if able[seat]:
                card = next(played)
                hands[seat].remove(card)
                pile.append(card)
                count += naive.value(card)
                assert count <= 31
                rest = [c for hand in hands for c in hand if count + naive.value(c) <= 31]
                if tell("play", seat, [card], naive.play(pile) + (count < 31 and not rest)):
                    return told
                if count == 31:
                    pile, gone = [], set()
                seat = 1 - seat
                continue
            if hands[seat] and seat not in gone:
                gone.add(seat)
                tell("go", seat, [])
            seat = 1 - seat
            if not able[seat]:
                if hands[seat] and seat not in gone:
                    tell("go", seat, [])
                # `seat` laid the last card, as it is the other's turn.
                pile, gone, seat = [], set(), 1 - seat
        crib = sorted((*throws[0], *throws[1]))
        for act, seat, four in [
            ("hand", 1 - dealer, kept[1 - dealer]),
            ("hand", dealer, kept[dealer]),
            ("crib", dealer, crib),
        ]:
            points = naive.show(four, starter, crib=act == "crib")
            if tell(act, seat, (*four, starter), points):
                return told
        dealer = 1 - dealer
    raise AssertionError("a match that nobody won")


@pytest.mark.parametrize(
    "skills", [(EXPERT, EXPERT), (EXPERT, EASY), (None, EASY), (None, None)], ids=str
)
def test_a_referee_who_knows_only_the_rules_agrees(skills):
    for pair in range(8):
        events, _ = watched(brains(skills), pair, pair % 2)
        assert referee(events, pair % 2) == [
            (str(event.act), event.seat, event.cards, total(event.scored), event.scores)
            for event in events
        ]
