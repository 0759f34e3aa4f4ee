"""Master: the search of the play against a plain twin, in matches, and without a peek."""

import dataclasses
import inspect
import random
from collections import Counter

import numpy as np
import pytest
from cribbage_seats import Script, Stop, plain_tallies
from naive import cribbage_master as naive
from naive.cribbage_show import flush, nobs, show, value
from naive.cribbage_show import play as points_of_pile

from engines.cards import PACK_SIZE
from engines.cribbage import (
    brain_kernel,
    fast_brain,
    fast_match,
    master_kernel,
    match_kernel,
    reading_kernel,
    throw_kernel,
)
from engines.cribbage.board import endless_board
from engines.cribbage.brain import THROWS
from engines.cribbage.crib_tables import default_tables
from engines.cribbage.master_memory import (
    CARD_BITS,
    KNOWN_SIZE,
    LAID,
    LEAST,
    MAX_SAMPLES,
    OTHERS,
    SEEN,
    SHOW,
    STARTER,
    SUIT_POINTS,
    THROWN,
)
from engines.cribbage.master_tables import default_master_tables, tables_document
from engines.cribbage.match import Act, Deal, play_match
from engines.cribbage.observation import Observation, ObservationError
from engines.cribbage.players import BrainPlayer, open_rolls
from engines.cribbage.scoring import Kind
from engines.cribbage.scoring_kernel import RANKS, SHOWS, show_table
from engines.cribbage.tiers import MASTER_SAMPLES, PROFILES, Skill, Tier
from engines.kernel import kernel
from engines.streams import open_stream

PACK = range(PACK_SIZE)
EXPERT = Skill(1.0, 0.0)
SCORES = [0, 50, 95, 100, 105, 110, 113, 114, 115, 116, 119, 120]
ROW_OF = {ranks: row for row, ranks in enumerate(naive.rows_of_ranks())}
ENDS_A_COUNT = (Kind.GO, Kind.LAST_CARD, Kind.THIRTY_ONE)


def of_samples(samples):
    return Skill(1.0, 0.0, samples)


MASTER = of_samples(16)


# Positions.


class Chance:
    """Throws and plays at random, and keeps what it was shown and what it did."""

    def __init__(self, chooser, shown, seat, least):
        self.chooser, self.shown, self.seat, self.least = chooser, shown, seat, least
        self.thrown, self.played = (), []

    def discard(self, seen):
        self.thrown = tuple(self.chooser.sample(seen.own_hand, 2))
        return self.thrown

    def play(self, seen):
        self.shown.append((self.seat, len(self.played), seen, self.least[1 - self.seat]))
        self.played.append(self.chooser.choice(seen.legal_plays()))
        return self.played[-1]


def play_one(players, sixes, starter, dealer, scores, watch=lambda event: None):
    deal = Deal(tuple(sixes[1 - dealer]), tuple(sixes[dealer]), starter)
    try:
        play_match(players, [deal], dealer, scores=scores, watch=watch)
    except ValueError as error:
        if str(error) != "expected enough deals to end a match":
            raise


class Table:
    """One deal at random: what was dealt, and all that was shown in the play.

    shown: seat, how many cards it has played, what it sees, and what each card of the opponent
    counts at least by its gos.
    """

    def __init__(self, chooser):
        dealt = chooser.sample(PACK, 13)
        self.sixes, self.starter = [sorted(dealt[:6]), sorted(dealt[6:12])], dealt[12]
        self.dealer, self.scores = chooser.randrange(2), tuple(chooser.choices(SCORES, k=2))
        self.shown, self.least, self.count, self.ended = [], [0, 0], 0, False
        self.players = [Chance(chooser, self.shown, seat, self.least) for seat in (0, 1)]
        play_one(self.players, self.sixes, self.starter, self.dealer, self.scores, watch=self.watch)

    def watch(self, event):
        if event.act is Act.DEAL:
            self.least[:] = 0, 0
        if event.act is Act.PLAY:
            self.count = (0 if self.ended else self.count) + value(event.cards[0])
            self.ended = any(each.kind in ENDS_A_COUNT for each in event.scored)
        if event.act is Act.GO:
            self.least[event.seat] = max(self.least[event.seat], 32 - self.count)


def positions(seed, wanted):
    """What was shown in deals at random where there is a choice, so many for which it is wanted.

    wanted: numbers by kind, of `kind_of`. Yields what was seen, and the opponent's least.
    """
    chooser, left = random.Random(seed), Counter(wanted)
    while left.total():
        for _, _, seen, least in Table(chooser).shown:
            legal = {card // 4 for card in seen.legal_plays()}
            if len(legal) > 1 and left[seen.opponent_cards] > 0:
                left[seen.opponent_cards] -= 1
                yield seen, least


def cards_known(seen):
    laid = [act.card for act in seen.history if act.card is not None]
    return {*seen.own_hand, *seen.own_discards, seen.starter, *laid}


def laid_by(own, seen):
    return [act.card for act in seen.history if act.own == own and act.card is not None]


def weighed_hands(seen, least, samples, roll):
    keeps = naive.Keeps.by(default_master_tables(), not seen.is_dealer)
    about = cards_known(seen), least, seen.opponent_cards, laid_by(False, seen), keeps
    weighed = naive.every_hand(*about)
    return weighed if len(weighed) <= samples else naive.drawn_hands(weighed, samples, roll)


def deal_of(seen, wins):
    """What the naive search goes by, of what was seen."""
    throws = default_master_tables().throws[0 if seen.is_dealer else 1]
    weights = {(low, high): float(throws[low, high]) for high in range(13) for low in range(13)}
    return naive.Deal(
        known=frozenset(cards_known(seen)),
        starter=seen.starter,
        dealer=naive.OWN if seen.is_dealer else naive.OTHER,
        own_show=show((*seen.own_hand, *laid_by(True, seen)), seen.starter),
        laid=tuple(laid_by(False, seen)),
        keeps=naive.Keeps.by(default_master_tables(), not seen.is_dealer),
        crib=naive.crib_chances(cards_known(seen), seen.own_discards, seen.starter, weights),
        wins=wins.tolist(),
    )


def points_at_once(seen):
    return {card: points_of_pile((*seen.pile, card)) for card in seen.legal_plays()}


def naive_chances(seen, hands, deal):
    scores = seen.own_score, seen.opponent_score
    return naive.card_chances(seen.own_hand, seen.pile, scores, deal, hands)


# The search.


@pytest.mark.parametrize(
    ("opponent_cards", "number", "samples"),
    [(0, 30, 9), (1, 100, 9), (2, 30, 91), (3, 50, 12), (4, 20, 10)],
)
def test_the_search_finds_what_the_plain_rules_give(opponent_cards, number, samples):
    wins = default_master_tables().board.dealer_wins
    chooser, kinds = random.Random(opponent_cards), Counter()
    for seen, least in positions(40 + opponent_cards, {opponent_cards: number}):
        roll, skill = chooser.random(), of_samples(samples)
        hands = weighed_hands(seen, least, samples, roll)
        deal = deal_of(seen, wins)
        expected = naive_chances(seen, hands, deal)
        found = fast_brain.play_chances(seen, samples, roll)
        assert dict(found) == pytest.approx(expected, abs=1e-9)
        best, points = max(dict(found).values()), points_at_once(seen)
        alike = [card for card, chance in found if chance >= best - 1e-9]
        first = max(alike, key=lambda card: points[card])
        assert fast_brain.choose_play(seen, skill, roll) == first
        # Who saw the hand would do better: the search must not.
        of_each = [(weight, naive_chances(seen, [(1.0, hand)], deal)) for weight, hand in hands]
        whole = sum(weight for weight, _ in hands)
        told = {card: sum(w * each[card] for w, each in of_each) / whole for card in expected}
        assert all(told[card] > expected[card] - 1e-9 for card in expected)
        kinds["would do better"] += any(told[card] > expected[card] + 1e-9 for card in expected)
        kinds["lead"] += not seen.pile
        kinds["middle"] += len(seen.pile) > 1
        kinds["go"] += least > 0
        kinds["dealer"] += seen.is_dealer
        kinds["pone"] += not seen.is_dealer
        kinds["own score near the end"] += seen.own_score > 110 > seen.opponent_score
        kinds["other score near the end"] += seen.opponent_score > 110 > seen.own_score
        kinds["both near the end"] += min(seen.own_score, seen.opponent_score) > 110
        kinds["it matters"] += max(expected.values()) > min(expected.values()) + 0.001
    assert kinds["lead"] > 0 or opponent_cards == 3
    assert kinds["middle"] > 0 or opponent_cards == 4
    assert kinds["go"] > 0 or opponent_cards > 2
    assert kinds["would do better"] > 0 or opponent_cards < 2
    # Against four cards it is the pone that leads; without any a choice matters to nobody.
    assert kinds["dealer"] > 4 or opponent_cards == 4
    assert min(kinds["pone"], kinds["it matters"]) > 4 or opponent_cards == 0
    assert min(kinds[kind] for kind in kinds if kind.endswith("near the end")) > 1


def test_on_a_board_without_end_the_search_is_for_points(monkeypatch):
    board = endless_board()
    master = dataclasses.replace(default_master_tables(), board=board)
    monkeypatch.setattr(fast_brain, "default_master_tables", lambda: master)
    for seen, least in positions(53, {0: 3, 1: 5, 2: 5, 3: 5, 4: 5}):
        hands = weighed_hands(seen, least, 8, 0.5)
        found = dict(fast_brain.play_chances(seen, 8, 0.5))
        deal = deal_of(seen, board.dealer_wins)
        assert found == pytest.approx(naive_chances(seen, hands, deal), abs=1e-9)
        # A point more before the card is a point more after it.
        level = dataclasses.replace(seen, own_score=60, opponent_score=60)
        ahead = dataclasses.replace(seen, own_score=61, opponent_score=60)
        before, after = (fast_brain.play_chances(each, 8, 0.5) for each in (level, ahead))
        for (_, chance), (_, more) in zip(before, after, strict=True):
            assert more - chance == pytest.approx(1 / 484, abs=1e-12)


def test_a_roll_settles_the_samples():
    chooser, changed = random.Random(50), Counter()
    for seen, _ in positions(51, {1: 40, 2: 40, 3: 40, 4: 40}):
        few = of_samples(4 if seen.opponent_cards > 1 else 13)
        rolls = [chooser.random() for _ in range(8)]
        asked = [fast_brain.choose_play(seen, few, roll) for roll in rolls]
        assert [fast_brain.choose_play(seen, few, roll) for roll in rolls] == asked
        values = [fast_brain.play_chances(seen, few.samples, roll) for roll in rolls]
        assert [fast_brain.play_chances(seen, few.samples, roll) for roll in rolls] == values
        changed[seen.opponent_cards] += len(set(asked)) > 1
    # Of one card there are no more than 13 hands.
    assert changed[1] == 0
    assert min(changed[2], changed[3], changed[4]) > 10


def test_the_number_of_samples_has_a_limit():
    ((seen, _),) = positions(52, {4: 1})
    most = fast_brain.play_chances(seen, MAX_SAMPLES, 0.25)
    more = fast_brain.play_chances(seen, 10 * MAX_SAMPLES, 0.25)
    assert more == most


def incomplete(seen):
    """The same with a part left out of what is public or the player's own."""
    cards = [index for index, act in enumerate(seen.history) if act.card is not None]
    yield dataclasses.replace(seen, starter=None)
    yield dataclasses.replace(seen, own_discards=())
    yield dataclasses.replace(seen, own_discards=seen.own_discards[:1])
    for index in cards:
        history = (*seen.history[:index], *seen.history[index + 1 :])
        yield dataclasses.replace(seen, history=history)
    if cards:
        yield dataclasses.replace(seen, history=())
    yield dataclasses.replace(seen, own_hand=(*seen.own_hand, 51))
    yield dataclasses.replace(seen, opponent_cards=5)


def test_a_deal_that_is_not_told_whole_is_refused():
    asked = 0
    for seen, _ in positions(54, {1: 5, 2: 5, 3: 5, 4: 5}):
        for some in incomplete(dataclasses.replace(seen, own_score=3, opponent_score=4)):
            for ask in (
                lambda: fast_brain.play_chances(some, 4, 0.5),  # noqa: B023
                lambda: fast_brain.choose_play(some, MASTER, 0.5),  # noqa: B023
            ):
                with pytest.raises(ObservationError) as refused:
                    ask()
                message = str(refused.value)
                assert "\n" not in message
                assert "expected all of the deal for a search" in message
                assert message.endswith(f"got {some.as_json()}")
                asked += 1
    assert asked > 150


def test_only_a_go_is_no_card_to_search():
    seen = Observation.for_play([44, 48], [40, 45, 49], 3, 4, True)
    with pytest.raises(ObservationError, match="expected a card that can be played at 30"):
        fast_brain.play_chances(seen, 4, 0.5)


# The hands that it thinks of.


@kernel
def draw_hands(search, own_known, opponent_known, opponent_deals, samples, roll):
    return reading_kernel.draw_hands(
        search, own_known, opponent_known, opponent_deals, samples, roll
    )


@kernel
def weigh_crib(search, own_known, opponent_deals):
    reading_kernel.weigh_crib(search, own_known, opponent_deals)


def known_of(seen_cards=(), laid=(), least=0, thrown=(0, 0)):
    known = np.zeros(KNOWN_SIZE, np.uint64)
    known[THROWN] = min(thrown) << int(CARD_BITS) | max(thrown)
    known[SEEN] = sum(1 << card for card in seen_cards)
    for card in laid:
        known[LAID] = int(known[LAID]) << int(CARD_BITS) | card
    known[LEAST] = least
    return known


def suit_chances(hand, laid, starter, seen, keeps):
    """How often the hands of these ranks score each of SUIT_POINTS by their suits."""
    weights = Counter()
    for each in naive.hands_of_ranks(Counter(card // 4 for card in hand), seen):
        four = (*each, *laid)
        weights[flush(four, starter, crib=False) + nobs(four, starter)] += keeps.weight(four)
    return [weights[each] / weights.total() for each in SUIT_POINTS.tolist()]


@pytest.mark.parametrize("size", range(5))
def test_hands_are_of_unseen_cards_that_the_gos_allow(size):
    chooser, search = random.Random(60 + size), default_master_tables().search()
    by_suits = np.zeros(5)
    for _ in range(200):
        cards, least = chooser.sample(PACK, 13 - size), chooser.randrange(11)
        if chooser.random() < 0.4:
            # So that the cards laid are often of a suit, and the starter as often of it as not.
            cards = chooser.sample([card for card in PACK if card % 4 < 2], 13 - size)
            cards.sort(key=lambda card: card % 4)
            cards.append(cards.pop(chooser.choice([5, -1])))
        laid, seen = cards[: 4 - size], set(cards)
        search.numbers[OTHERS], search.numbers[STARTER] = size, cards[-1]
        own, other = known_of(seen), known_of(chooser.sample(PACK, 20), laid, least)
        opponent_deals, samples = chooser.random() < 0.5, chooser.choice([7, 25, 91, 512])
        keeps = naive.Keeps.by(default_master_tables(), opponent_deals)
        drawn = draw_hands(search, own, other, opponent_deals, samples, chooser.random())
        hands = [tuple(hand) for hand in search.hands[:drawn, :size].tolist()]
        assert search.counted[:drawn].tolist() == [
            naive.points_of_ranks(tuple(sorted(c // 4 for c in (*hand, *laid, cards[-1]))))
            for hand in hands
        ]
        for index in chooser.sample(range(drawn), min(drawn, 8)):
            expected = suit_chances(hands[index], laid, cards[-1], seen, keeps)
            assert search.suited[index].tolist() == pytest.approx(expected, abs=1e-12)
            by_suits += search.suited[index] > 0
        every = {
            tuple(card // 4 for card in hand): weight
            for weight, hand in naive.every_hand(seen, least, size, laid, keeps)
        }
        ranks = [tuple(card // 4 for card in hand) for hand in hands]
        weights = dict(zip(ranks, search.weights[:drawn].tolist(), strict=True))
        assert len(weights) == drawn
        if len(every) <= samples:
            assert weights == pytest.approx(every)
        else:
            # How often a hand is drawn is its share of the samples, rounded up or down.
            assert sum(weights.values()) == samples
            whole = sum(every.values())
            for each, weight in every.items():
                assert abs(weights.get(each, 0) - samples * weight / whole) < 1.0
    assert by_suits.min() > 0


def test_all_hands_that_are_kept_and_all_throws_have_a_weight():
    tables = default_master_tables()
    assert (tables.keeps > 0).all()
    for ranks, row in ROW_OF.items():
        assert (tables.flushes[:, row] > 0).all() == (len({*ranks}) == 4)
    for role in (0, 1):
        assert (tables.throws[role][np.triu_indices(RANKS)] > 0).all()


def test_a_crib_is_of_unseen_cards_as_they_are_thrown():
    chooser, search, tables = random.Random(65), default_master_tables().search(), []
    for _ in range(40):
        known = chooser.sample(PACK, chooser.randint(7, 13))
        if chooser.random() < 0.5:
            known.sort(key=lambda card: card % 4)  # so that starter and throw are often of a suit
        starter, *thrown = known[:3]
        for opponent_deals in (False, True):
            throws = default_master_tables().throws[int(opponent_deals)]
            weights = {(low, high): throws[low, high] for high in range(13) for low in range(13)}
            search.numbers[STARTER] = starter
            weigh_crib(search, known_of(known, thrown=thrown), opponent_deals)
            expected = dict(naive.crib_chances(known, thrown, starter, weights))
            found = {points: each for points, each in enumerate(search.crib.tolist()) if each > 0}
            assert found == pytest.approx(expected, abs=1e-12)
            tables.append(found)
    assert all(tables[place] != tables[place + 1] for place in range(0, 80, 2))


# Whole matches: what the kernel gives the search is what the history of an Observation gives.


@pytest.mark.parametrize(
    "players",
    [
        (MASTER, EXPERT),
        (MASTER, None),
        (MASTER, MASTER),
        (None, MASTER),
        (Skill(0.35, 1.5), of_samples(5)),
    ],
    ids=str,
)
def test_matches_of_the_kernel_are_those_of_the_plain_rules(players):
    pairs = [*range(11), 1_000_003]
    found = fast_match.play_pairs(14, pairs, players)
    for index, pair in enumerate(pairs):
        assert found[index].tolist() == plain_tallies(14, pair, players), pair


def test_a_pair_of_matches_does_not_depend_on_the_others():
    players = (MASTER, of_samples(3))
    together = fast_match.play_pairs(0, range(10), players)
    assert np.array_equal(fast_match.play_pairs(0, [9, 4], players), together[[9, 4]])


def test_master_beats_expert():
    tallies = fast_match.play_pairs(15, range(150), (of_samples(32), EXPERT))
    won = tallies[:, :, 0, match_kernel.SCORE] == 121
    assert won.mean() > 0.5


# No peek, on the plain rules.


def shown_to(seat, table, sixes, scripts, starter=None):
    """What a seat is shown at its next decision after its script; None if another's comes first."""
    starter = table.starter if starter is None else starter
    try:
        play_one(scripts, sixes, starter, table.dealer, table.scores)
    except Stop as stop:
        return stop.args[0]
    except ValueError:
        return None  # the exchanged cards could not have been played like that
    raise AssertionError("a script that never ends")


def exchanged(chooser, table, seat, turn, seen):
    """What the seat is shown where the opponent holds, and has thrown, other cards; or None."""
    laid = [act.card for act in seen.history if not act.own and act.card is not None]
    hidden = [card for card in PACK if card not in cards_known(seen)]
    for _ in range(60):
        held_and_thrown = chooser.sample(hidden, 6 - len(laid))
        sixes, scripts = [*table.sixes], [None, None]
        sixes[1 - seat] = sorted((*laid, *held_and_thrown))
        scripts[seat] = Script(table.players[seat].thrown, table.players[seat].played[:turn])
        scripts[1 - seat] = Script(tuple(held_and_thrown[:2]), laid)
        again = shown_to(seat, table, sixes, scripts)
        if again == seen:
            return again
    return None


def test_a_card_is_the_same_whatever_the_others_hold():
    chooser, kinds = random.Random(70), Counter()
    for _ in range(200):
        table = Table(chooser)
        for seat, turn, seen, least in chooser.sample(table.shown, min(3, len(table.shown))):
            again = exchanged(chooser, table, seat, turn, seen)
            if again is None:
                continue
            skill, roll = of_samples(chooser.choice([1, 8, 32])), chooser.random()
            chances = fast_brain.play_chances(seen, skill.samples, roll)
            assert fast_brain.play_chances(again, skill.samples, roll) == chances
            card = fast_brain.choose_play(seen, skill, roll)
            assert fast_brain.choose_play(again, skill, roll) == card
            kinds["all"] += 1
            kinds["a go before"] += least > 0
            kinds["a choice"] += len(seen.legal_plays()) > 1
    assert kinds["all"] > 450
    assert min(kinds["a go before"], kinds["a choice"]) > 80


def test_a_throw_is_the_same_whatever_the_others_hold_and_is_cut():
    chooser, by_roll, near_end = random.Random(71), 0, 0
    for _ in range(250):
        table, seat = Table(chooser), chooser.randrange(2)
        roll, decisions, rolls = chooser.random(), set(), set()
        for _ in range(2):
            others = chooser.sample([card for card in PACK if card not in table.sixes[seat]], 7)
            sixes, scripts = [*table.sixes], [Script(tuple(others[:2]), ())] * 2
            sixes[1 - seat], scripts[seat] = sorted(others[:6]), Script(None, ())
            seen = shown_to(seat, table, sixes, scripts, starter=others[6])
            assert seen.own_hand == tuple(table.sixes[seat])
            chances = tuple(fast_brain.throw_chances(seen, 4, roll))
            decisions.add((fast_brain.choose_discard(seen, MASTER, roll), chances))
            rolls.add(fast_brain.choose_discard(seen, MASTER, chooser.random()))
        assert len(decisions) == 1
        near_end += max(table.scores) >= 85
        by_roll += len(rolls) > 1
        # Far from the end nothing is sampled.
        assert len(rolls) == 1 or max(table.scores) >= 85
    assert near_end > 100
    assert by_roll > 5


def test_nothing_is_remembered():
    asked = list(positions(72, {1: 20, 2: 20, 3: 20, 4: 20}))
    forth = [fast_brain.play_chances(seen, 16, 0.4) for seen, _ in asked]
    back = [fast_brain.play_chances(seen, 16, 0.4) for seen, _ in reversed(asked)]
    assert back[::-1] == forth


# No peek, in the kernel, where all cards lie on one table.


@kernel
def throw_of(table, search, seat, dealer):
    return match_kernel._throw(table, search, seat, dealer)


@kernel
def card_of(table, search, seat, dealer, pile, size, count, starter):
    return match_kernel._card(table, search, seat, dealer, pile, size, count, starter)


def a_table():
    pegging = default_master_tables().pegging
    return match_kernel.new_table(show_table(), default_tables().stacked(), pegging)


def words(chooser, size):
    return np.array([chooser.getrandbits(64) for _ in range(size)], np.uint64)


def lay_noise(table, chooser):
    """Chance, wherever a table can be written to."""
    for array in (table.pack, table.crib, table.hands):
        array[:] = np.array(chooser.choices(PACK, k=array.size)).reshape(array.shape)
    table.held[:] = chooser.choices(range(7), k=2)
    table.tally[:] = np.array(chooser.choices(range(121), k=table.tally.size)).reshape(
        table.tally.shape
    )
    for seat in (0, 1):
        table.known[seat] = words(chooser, KNOWN_SIZE)
        table.players[seat] = chooser.choice(
            [(match_kernel.RANDOM, 0, 0, 0), (match_kernel.BRAIN, 0.35, 1.5, 0)]
        )
    for stream in (*table.rolls, table.deals):
        stream[:] = open_stream(chooser.randrange(1_000), 0, "rolls of others")
    table.values[:] = [chooser.uniform(-30, 30) for _ in range(table.values.size)]


def lay_scratch(search, chooser):
    """What another search may have left."""
    for array in (search.hand, search.hands, search.every, search.space):
        array[:] = chooser.randrange(PACK_SIZE)
    for array in (search.lines, search.seen, search.members, search.frames):
        array[:] = chooser.randrange(3)
    for array in (
        search.weights,
        search.totals,
        search.sums,
        search.values,
        search.crib,
        search.counts,
        search.suited,
        search.chances,
    ):
        array[:] = chooser.choice([0.0, 1e9, np.nan])
    search.numbers[:] = chooser.choices(range(5), k=6)
    search.counted[:] = chooser.randrange(20)
    trials = search.trials
    for array in (trials.pack, trials.six, trials.kept, trials.hands, trials.crib):
        array[:] = chooser.randrange(PACK_SIZE)
    for array in (trials.held, trials.scores):
        array[:] = chooser.randrange(130)
    for array in (trials.sums, trials.brain):
        array[:] = chooser.choice([0.0, 1e9, np.nan])
    trials.stream[:] = open_stream(chooser.randrange(1_000), 5, throw_kernel.THROW_PURPOSE)


def packed(pile):
    found = 0
    for card in pile:
        found = found << 4 | card // 4
    return np.uint64(found)


def any_position(chooser):
    """A position of a card in the middle of a deal: own cards, laid ones, pile, count, starter."""
    while True:
        lowest, width = chooser.randrange(10), chooser.choice([4, 13])
        pool = [card for card in PACK if lowest <= card // 4 < lowest + width]
        chosen = chooser.sample(pool, min(len(pool), 11))
        own, starter = sorted(chosen[: chooser.randint(1, 4)]), chosen[4]
        laid = chosen[5 : 5 + chooser.randrange(5)]
        pile = laid[: chooser.randint(0, len(laid))]
        count = sum(map(value, pile))
        if count + value(own[0]) <= 31:
            return own, laid, pile, count, starter


def test_a_card_in_the_kernel_is_the_same_whatever_else_lies_on_the_table():
    chooser, table, places = random.Random(73), a_table(), Counter()
    search = default_master_tables().search()
    for _ in range(2_500):
        own, laid, pile, count, starter = any_position(chooser)
        seat, dealer = chooser.randrange(2), chooser.randrange(2)
        others = chooser.randrange(5)
        by_other = laid[: 4 - others]
        thrown = chooser.sample(PACK, 2)
        seen = {*own, *thrown, *laid, starter}
        scores, samples = chooser.choices(SCORES, k=2), chooser.choice([1, 4, 16])
        show_points = chooser.randrange(25)
        least = chooser.choice([0, 0, 1, 5, 9, 10])
        rolls, decisions = open_stream(chooser.randrange(1_000), 2, "own rolls"), set()
        for _ in range(2):
            lay_noise(table, chooser)
            lay_scratch(search, chooser)
            table.hands[seat, : len(own)] = own
            table.held[seat], table.held[1 - seat] = len(own), others
            table.tally[seat, match_kernel.SCORE] = scores[0]
            table.tally[1 - seat, match_kernel.SCORE] = scores[1]
            table.players[seat] = match_kernel.BRAIN, 1.0, 0.0, samples
            table.rolls[seat] = rolls
            table.known[seat, SEEN] = known_of(seen)[SEEN]
            table.known[seat, SHOW] = show_points
            table.known[seat, THROWN] = known_of(thrown=thrown)[THROWN]
            table.known[1 - seat, LAID:] = known_of((), by_other, least)[LAID:]
            place = card_of(table, search, seat, dealer, packed(pile), len(pile), count, starter)
            legal = sum(count + value(card) <= 31 for card in own)
            sums = search.sums.tobytes() if legal > 1 else b""
            decisions.add((place, sums, table.rolls[seat].tobytes()))
        assert len(decisions) == 1
        places[decisions.pop()[0]] += 1
    assert set(places) == {0, 1, 2, 3}


def test_what_is_public_is_looked_at():
    # Or the test above would hold for a search that looks at nothing.
    changed = Counter()
    for seen, _ in positions(74, {3: 60}):
        before = fast_brain.play_chances(seen, 16, 0.3)
        unseen = [card for card in PACK if card not in cards_known(seen)]
        acts = [
            act._replace(card=None if act.card is None else (act.card + 4) % 52)
            for act in seen.history
        ]
        for name, other in [
            ("starter", {"starter": unseen[0]}),
            ("role", {"is_dealer": not seen.is_dealer}),
            ("own discards", {"own_discards": (unseen[0], unseen[-1])}),
            ("history", {"history": tuple(acts)}),
            ("own score", {"own_score": 118}),
            ("other score", {"opponent_score": 118}),
        ]:
            again = dataclasses.replace(seen, **other)
            changed[name] += fast_brain.play_chances(again, 16, 0.3) != before
    assert len(changed) == 6
    assert min(changed.values()) > 5, changed


def test_a_throw_in_the_kernel_is_the_same_whatever_else_lies_on_the_table():
    chooser, table, places = random.Random(75), a_table(), Counter()
    search, near_end = default_master_tables().search(), 0
    for _ in range(2_000):
        seat, dealer = chooser.randrange(2), chooser.randrange(2)
        own, scores = sorted(chooser.sample(PACK, 6)), chooser.choices(SCORES, k=2)
        rolls, decisions = open_stream(chooser.randrange(1_000), 4, "own rolls"), set()
        for _ in range(2):
            lay_noise(table, chooser)
            lay_scratch(search, chooser)
            table.hands[seat] = own
            table.tally[seat, match_kernel.SCORE] = scores[0]
            table.tally[1 - seat, match_kernel.SCORE] = scores[1]
            table.players[seat] = match_kernel.BRAIN, 1.0, 0.0, 8
            table.rolls[seat] = rolls
            place = throw_of(table, search, seat, dealer)
            decisions.add((place, table.values.tobytes(), table.rolls[seat].tobytes()))
        assert len(decisions) == 1
        places[decisions.pop()[0]] += 1
        near_end += max(scores) >= 85
    assert len(places) == 15
    assert 1_000 < near_end < 2_000


def test_the_kernels_have_no_argument_for_hidden_cards():
    known = ["own_known", "opponent_known", "opponent_deals", "samples", "roll"]
    public = ["pile", "size", "count", "opponent_cards", "starter", "own_score", "opponent_score"]
    for function, of_hand in [
        (master_kernel.choose_searched, ["hand", "held", "legal"]),
        (master_kernel.weigh_cards, ["hand", "held"]),
    ]:
        names = list(inspect.signature(function.py_func).parameters)
        assert names == ["search", *of_hand, *public, *known]
    scores, tables = ["own_score", "opponent_score"], ["shows", "cribs"]
    for function, rest in [
        (throw_kernel.choose_board_throw, ["pegging", "samples", "seed", "values"]),
        (throw_kernel.weigh_throws, ["samples", "seed", "spread", "values"]),
    ]:
        names = list(inspect.signature(function.py_func).parameters)
        assert names == ["trials", "hand", "is_dealer", *scores, *tables, *rest]


def test_a_throw_is_weighed_by_what_is_kept_for_the_play():
    chooser, shows, cribs = random.Random(80), show_table(), default_tables().stacked()
    pegging, changed = default_master_tables().pegging, 0
    for _ in range(500):
        hand, is_dealer = sorted(chooser.sample(PACK, 6)), chooser.random() < 0.5
        plain, weighed, own = np.zeros(15), np.full(15, np.nan), np.array(hand, np.int8)
        brain_kernel.throw_values(own, is_dealer, shows, cribs, plain)
        brain_kernel.weighed_values(own, is_dealer, shows, cribs, pegging, weighed)
        rows = [
            ROW_OF[tuple(card // 4 for place, card in enumerate(hand) if place not in throw)]
            for throw in THROWS
        ]
        expected = [
            before + pegging[int(is_dealer), row] for before, row in zip(plain, rows, strict=True)
        ]
        assert weighed.tolist() == expected
        seen = Observation.for_discard(hand, is_dealer, *chooser.choices([0, 60, 84], k=2))
        chosen = expected.index(max(expected))
        first, second = THROWS[chosen]
        for roll in (0.0, chooser.random()):
            thrown = fast_brain.choose_discard(seen, of_samples(1), roll)
            assert thrown == (hand[first], hand[second])
        changed += fast_brain.choose_discard(seen, EXPERT, 0.0) != thrown
    assert changed > 20


# The tier.


def test_master_is_the_same_in_all_profiles():
    skills = {profile.tier(Tier.MASTER) for profile in PROFILES.values()}
    assert skills == {Skill(1.0, 0.0, 64)}
    assert MASTER_SAMPLES == 64
    assert list(Tier)[-1] is Tier.MASTER
    assert all(profile.tier(Tier.EXPERT) == EXPERT for profile in PROFILES.values())


def test_who_needs_rolls():
    assert PROFILES["published"].tier(Tier.MASTER).needs_rolls
    assert Skill(1.0, 0.0, 1).needs_rolls
    assert Skill(0.5, 0.1).needs_rolls
    assert not EXPERT.needs_rolls


def words_taken(player, decide):
    """How many words of its rolls a decision takes."""
    before = int(4 * player.rolls[2] + player.rolls[4])
    decide()
    return int(4 * player.rolls[2] + player.rolls[4]) - before


def test_a_decision_takes_one_roll():
    for skill, expected in ((of_samples(2), 1), (EXPERT, 0)):
        player = BrainPlayer(skill, open_rolls(1, 2, 0, 1))
        chooser, forced = random.Random(81), 0
        for _ in range(20):
            table = Table(chooser)
            six = Observation.for_discard(table.sixes[0], True)
            assert words_taken(player, lambda: player.discard(six)) == expected  # noqa: B023
            for _, _, seen, _ in table.shown:
                forced += len(seen.legal_plays()) == 1
                assert words_taken(player, lambda: player.play(seen)) == expected  # noqa: B023
        assert forced > 20


# The tables.


def test_the_committed_tables_are_whole():
    document, tables = tables_document(), default_master_tables()
    assert (document["format"], document["version"]) == ("dealfarm-master-tables", 3)
    assert document["plays"] >= 10_000_000
    assert document["least_plays_of_a_hand"] > 0
    assert document["made_by"].startswith("farm run cribbage-master-tables")
    for table, shape in [
        (tables.keeps, (2, SHOWS)),
        (tables.flushes, (2, SHOWS)),
        (tables.pegging, (2, SHOWS)),
        (tables.throws, (2, RANKS, RANKS)),
    ]:
        assert table.shape == shape
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0] = 1.0
    # In how many ways of the pack four ranks can be held: how often they are kept at random.
    ways, suits = np.zeros(SHOWS), np.zeros(SHOWS)
    copies = [1, 4, 6, 4, 1]
    for ranks, row in ROW_OF.items():
        ways[row] = np.prod([copies[number] for number in Counter(ranks).values()])
        suits[row] = 4 * (len({*ranks}) == 4)
    assert (ways.sum(), suits.sum()) == (270_725, 4 * 715)
    for role in (0, 1):
        assert abs(np.average(tables.pegging[role], weights=ways)) < 0.02
        # Of all hands kept, each once: the mean of how much more often than at random is 1.
        kept = tables.keeps[role] * (ways - suits) + tables.flushes[role] * suits
        assert kept.sum() / ways.sum() == pytest.approx(1.0, abs=1e-4)
        # A flush scores four points, so that it is kept more often than the same ranks without it.
        of_one_suit = suits > 0
        more = tables.flushes[role, of_one_suit] / tables.keeps[role, of_one_suit]
        assert (more > 1.0).mean() > 0.9
    # The same for two ranks thrown, of 1326 pairs of cards; the lower rank comes first.
    pairs = np.triu(np.full((RANKS, RANKS), 16.0), 1) + 6 * np.eye(RANKS)
    assert pairs.sum() == 1326
    for role in (0, 1):
        assert np.average(tables.throws[role], weights=pairs) == pytest.approx(1.0, abs=0.001)
        assert not tables.throws[role][pairs == 0].any()
    # A pone keeps its fives, a dealer throws them into its own crib.
    assert tables.throws[1, 4, 4] > 5 * tables.throws[0, 4, 4]
