"""No decision depends on what the player cannot see.

Hidden cards are exchanged for others that would look the same from the player's seat. The decision,
each value that led to it, to the last bit, and the use of rolls must stay. First on the plain
rules, where an `Observation` hides the cards; then in the kernel, where all lie on one table.
"""

import inspect
import random
import struct
from collections import Counter

import numpy as np
import pytest
from cribbage_seats import Script, Stop
from naive import cribbage_show as naive

from engines.cards import PACK_SIZE
from engines.cribbage import brain, brain_kernel, fast_brain, match_kernel
from engines.cribbage.crib_tables import default_tables
from engines.cribbage.master_tables import default_master_tables
from engines.cribbage.match import DEAL_PURPOSE, Act, Deal, play_match
from engines.cribbage.observation import Observation, legal_plays
from engines.cribbage.players import open_rolls
from engines.cribbage.scoring import Kind
from engines.cribbage.scoring_kernel import show_table
from engines.cribbage.tiers import Skill
from engines.kernel import kernel
from engines.streams import next_word, open_stream

PACK = range(PACK_SIZE)
SKILLS = [Skill(1.0, 0.0), Skill(0.85, 0.0), Skill(1.0, 0.15), Skill(0.35, 1.5), Skill(0.12, 5.0)]
MASTER = default_master_tables()
SEARCH = MASTER.search()
SCORES = [0, 50, 100, 113, 114, 115, 116]


def bits(values):
    return struct.pack(f"{len(values)}d", *values)


# The plain rules.


class Chance:
    """Throws and plays at random, and keeps what it was shown and what it answered."""

    def __init__(self, chooser):
        self.chooser, self.seen, self.thrown, self.played = chooser, [], None, []

    def discard(self, seen):
        self.seen.append(seen)
        self.thrown = tuple(self.chooser.sample(seen.own_hand, 2))
        return self.thrown

    def play(self, seen):
        self.seen.append(seen)
        self.played.append(self.chooser.choice(seen.legal_plays()))
        return self.played[-1]


def goes_of(events, seat):
    """The counts at which a seat said go."""
    found, count, ended = [], 0, False
    for event in events:
        if event.act is Act.PLAY:
            count = (0 if ended else count) + naive.value(event.cards[0])
            ended = any(
                each.kind in (Kind.GO, Kind.LAST_CARD, Kind.THIRTY_ONE) for each in event.scored
            )
        elif event.act is Act.GO and event.seat == seat:
            found.append(count)
    return found


def deals_at_random(number, seed):
    """Deals by chance players: both seats' hands, players, events, dealer and scores."""
    chooser = random.Random(seed)
    for _ in range(number):
        dealt = chooser.sample(PACK, 13)
        sixes, starter = [sorted(dealt[:6]), sorted(dealt[6:12])], dealt[12]
        dealer, scores = chooser.randrange(2), tuple(chooser.choices(SCORES, k=2))
        players, events = [Chance(chooser), Chance(chooser)], []
        play_one(players, sixes, starter, dealer, scores, events.append)
        yield chooser, sixes, starter, dealer, scores, players, events


def play_one(players, sixes, starter, dealer, scores, watch):
    deal = Deal(tuple(sixes[1 - dealer]), tuple(sixes[dealer]), starter)
    try:
        play_match(players, [deal], dealer, scores=scores, watch=watch)
    except ValueError as error:
        assert str(error) == "expected enough deals to end a match"


def shown_again(seat, sixes, starter, dealer, scores, scripts):
    """What a seat is shown at its next decision after its script."""
    deal = Deal(tuple(sixes[1 - dealer]), tuple(sixes[dealer]), starter)
    with pytest.raises(Stop) as stop:
        play_match(scripts, [deal], dealer, scores=scores)
    return stop.value.args[0]


def exchanged_before_the_cut(number, seed):
    """(what a player is shown, what it is shown with all other cards exchanged) at a discard."""
    for chooser, sixes, starter, dealer, scores, players, _ in deals_at_random(number, seed):
        seat = chooser.randrange(2)
        others = [card for card in PACK if card not in sixes[seat]]
        chooser.shuffle(others)
        exchanged = list(sixes)
        exchanged[1 - seat] = sorted(others[:6])
        assert (exchanged[1 - seat], others[6]) != (sixes[1 - seat], starter)
        scripts = [Script(others[:2], ()), Script(others[:2], ())]
        scripts[seat] = Script(None, ())
        again = shown_again(seat, exchanged, others[6], dealer, scores, scripts)
        yield players[seat].seen[0], again


def exchanged_in_the_play(number, seed, per_deal):
    """The same at a card: the opponent's other cards, its throw and the pack are exchanged."""
    for chooser, sixes, starter, dealer, scores, players, events in deals_at_random(number, seed):
        shown = [(seat, turn) for seat in (0, 1) for turn in range(len(players[seat].played))]
        for seat, turn in chooser.sample(shown, min(per_deal, len(shown))):
            seen, other = players[seat].seen[1 + turn], 1 - seat
            laid = [act.card for act in seen.history if not act.own and act.card is not None]
            # What it holds after its goes it could not lay down then: that much is public.
            goes = [act for act in seen.history if not act.own and act.card is None]
            least = max((32 - count for count in goes_of(events, other)[: len(goes)]), default=0)
            unseen = [card for card in PACK if card not in (*sixes[seat], *laid, starter)]
            chooser.shuffle(unseen)
            held = [card for card in unseen if naive.value(card) >= least][: 4 - len(laid)]
            thrown = [card for card in unseen if card not in held][:2]
            exchanged = list(sixes)
            exchanged[other] = sorted((*laid, *held, *thrown))
            scripts = [None, None]
            scripts[seat] = Script(players[seat].thrown, players[seat].played[:turn])
            scripts[other] = Script(thrown, laid)
            again = shown_again(seat, exchanged, starter, dealer, scores, scripts)
            yield seen, again, exchanged[other] != sixes[other]


def discard_decision(module, seen, skill, roll):
    if module is brain:
        parts = [
            (throw.mean_hand, throw.crib, throw.value, throw.safety) for throw in brain.throws(seen)
        ]
        values = [number for throw in parts for number in throw]
    else:
        values = fast_brain.discard_values(seen)
    return bits(values), module.choose_discard(seen, skill, roll)


def play_decision(module, seen, skill, roll):
    values = module.play_values
    of_cards = [value for _, value in values(seen, skill.level)]
    return bits(of_cards), module.choose_play(seen, skill, roll)


def test_a_discard_is_the_same_whatever_the_others_hold_and_is_cut():
    chooser = random.Random(20)
    for seen, again in exchanged_before_the_cut(2_000, seed=21):
        assert again == seen
        skill, roll = chooser.choice(SKILLS), chooser.random()
        decision = discard_decision(fast_brain, seen, skill, roll)
        assert discard_decision(fast_brain, again, skill, roll) == decision


def test_a_discard_of_the_plain_brain_is_the_same_too():
    chooser = random.Random(22)
    for seen, again in exchanged_before_the_cut(12, seed=23):
        assert again == seen
        skill, roll = chooser.choice(SKILLS), chooser.random()
        decision = discard_decision(brain, seen, skill, roll)
        assert discard_decision(brain, again, skill, roll) == decision


def test_a_card_is_the_same_whatever_the_others_hold():
    chooser, kinds = random.Random(24), Counter()
    for seen, again, other_cards in exchanged_in_the_play(700, seed=25, per_deal=4):
        assert again == seen
        assert again.as_json() == seen.as_json()
        skill, roll = chooser.choice(SKILLS), chooser.random()
        decision = play_decision(fast_brain, seen, skill, roll)
        assert play_decision(fast_brain, again, skill, roll) == decision
        kinds["other cards"] += other_cards
        kinds["a go before"] += any(act.card is None and not act.own for act in seen.history)
        kinds["a choice"] += len(seen.legal_plays()) > 1
        kinds["all"] += 1
    assert kinds["all"] > 2_000
    assert kinds["other cards"] > 0.99 * kinds["all"]
    assert min(kinds["a go before"], kinds["a choice"]) > 300


def test_a_card_of_the_plain_brain_is_the_same_too():
    chooser = random.Random(26)
    for seen, again, _ in exchanged_in_the_play(100, seed=27, per_deal=4):
        assert again == seen
        skill, roll = chooser.choice(SKILLS), chooser.random()
        decision = play_decision(brain, seen, skill, roll)
        assert play_decision(brain, again, skill, roll) == decision


def test_a_brain_remembers_nothing():
    # The same question after many others has the same answer.
    positions = [seen for seen, _, _ in exchanged_in_the_play(60, seed=28, per_deal=4)]
    skill = Skill(0.35, 1.5)
    for module in (brain, fast_brain):
        asked = [play_decision(module, seen, skill, 0.4) for seen in positions]
        backwards = [play_decision(module, seen, skill, 0.4) for seen in reversed(positions)]
        assert backwards[::-1] == asked


# The kernel. What the match uses to decide, so that it can be asked on a table laid by hand.


@kernel
def searched_throw_of(table, search, seat, dealer):
    return match_kernel._throw(table, search, seat, dealer)


def throw_of(table, *position):
    return searched_throw_of(table, SEARCH, *position)


@kernel
def searched_card_of(table, search, seat, pile, size, count, starter):
    return match_kernel._card(table, search, seat, 0, pile, size, count, starter)


def card_of(table, *position):
    return searched_card_of(table, SEARCH, *position)


def lay(table, chooser, seat, own, held, skill, scores, held_by_other):
    """Lays what a seat may know on the table, and chance wherever it may not look."""
    other = 1 - seat
    for array in (table.pack, table.crib, table.hands):
        array[:] = np.array(chooser.choices(PACK, k=array.size)).reshape(array.shape)
    table.hands[seat, : len(own)] = own
    table.held[seat], table.held[other] = held, held_by_other
    table.tally[:] = np.array(chooser.choices(range(121), k=table.tally.size)).reshape(
        table.tally.shape
    )
    table.tally[seat, match_kernel.SCORE] = scores[0]
    table.tally[other, match_kernel.SCORE] = scores[1]
    table.players[seat] = player_fields(skill)
    table.players[other] = player_fields(chooser.choice([*SKILLS, None]))
    table.rolls[seat] = open_stream(1, 2, "own rolls")
    for stream in (table.rolls[other], table.deals):
        stream[:] = open_stream(chooser.randrange(1_000), 0, "rolls of others")
    table.values[:] = [chooser.uniform(-30, 30) for _ in range(table.values.size)]


def player_fields(skill):
    if skill is None:
        return match_kernel.RANDOM, 0.0, 0.0, 0.0
    return match_kernel.BRAIN, skill.level, skill.temperature, skill.samples


def decision(table, seat, place, weighed):
    """The place decided for, the values weighed to the last bit, and what is left of the rolls."""
    return place, table.values[:weighed].tobytes(), table.rolls[seat].tobytes()


def a_table():
    return match_kernel.new_table(show_table(), default_tables().stacked(), MASTER.pegging)


def test_a_throw_in_the_kernel_is_the_same_whatever_else_lies_on_the_table():
    chooser, table, places = random.Random(30), a_table(), Counter()
    for _ in range(3_000):
        seat, dealer = chooser.randrange(2), chooser.randrange(2)
        own, skill = sorted(chooser.sample(PACK, 6)), chooser.choice([*SKILLS, None])
        decisions = set()
        for _ in range(2):
            # For a throw not even the scores are looked at, nor how many cards are held.
            scores, (held, others) = chooser.choices(SCORES, k=2), chooser.choices(range(7), k=2)
            lay(table, chooser, seat, own, held, skill, scores, others)
            place = throw_of(table, seat, dealer)
            decisions.add(decision(table, seat, place, 0 if skill is None else 15))
        assert len(decisions) == 1
        places[decisions.pop()[0]] += 1
    assert len(places) == 15


def any_position(chooser):
    """Own cards of which one can be played, those of the pile, their count, and the starter."""
    while True:
        lowest, width = chooser.randrange(10), chooser.choice([4, 13])
        pool = [card for card in PACK if lowest <= card // 4 < lowest + width]
        chosen = chooser.sample(pool, min(len(pool), 9))
        own, starter = sorted(chosen[: chooser.randint(1, 4)]), chosen[4]
        pile = chosen[5 : 5 + chooser.randrange(5)]
        count = sum(map(naive.value, pile))
        if count + naive.value(own[0]) <= 31:
            return own, pile, count, starter


def packed(pile):
    found = 0
    for card in pile:
        found = found << 4 | card // 4
    return np.uint64(found)


def test_a_card_in_the_kernel_is_the_same_whatever_else_lies_on_the_table():
    chooser, table, places = random.Random(31), a_table(), Counter()
    for _ in range(4_000):
        seat, skill = chooser.randrange(2), chooser.choice([*SKILLS, None])
        own, pile, count, starter = any_position(chooser)
        public = packed(pile), len(pile), count, starter
        opponent_score, opponent_cards = chooser.choice(SCORES), chooser.randrange(5)
        legal = len(legal_plays(own, count))
        weighed = 0 if skill is None or legal == 1 else legal
        decisions = set()
        for _ in range(2):
            scores = chooser.choice(SCORES), opponent_score  # the own score is not looked at
            lay(table, chooser, seat, own, len(own), skill, scores, opponent_cards)
            decisions.add(decision(table, seat, card_of(table, seat, *public), weighed))
        assert len(decisions) == 1
        place, values, _ = decisions.pop()
        places[place] += 1
        if skill is not None and skill.temperature == 0.0:
            seen = Observation.for_play(
                own, pile, opponent_cards, starter, True, opponent_score=opponent_score
            )
            assert fast_brain.choose_play(seen, skill, 0.0) == own[place]
            of_cards = [value for _, value in fast_brain.play_values(seen, skill.level)]
            assert values == bits(of_cards[:weighed])
    assert set(places) == {0, 1, 2, 3}


def values_on(table, chooser, seat, own, public, score, opponent_cards):
    lay(table, chooser, seat, own, len(own), SKILLS[0], (0, score), opponent_cards)
    card_of(table, seat, *public)
    legal = len(legal_plays(own, public[2]))
    return table.values[:legal].tobytes() if legal > 1 else b""


def test_what_is_public_is_looked_at():
    # Or the tests above would hold for a brain that looks at nothing.
    chooser, table, changed = random.Random(32), a_table(), Counter()
    for _ in range(300):
        own, pile, count, starter = any_position(chooser)
        public = packed(pile), len(pile), count, starter
        other_starter = packed(pile), len(pile), count, (starter + 26) % 52
        asked = table, chooser, 0, own
        before = values_on(*asked, public, 114, 4)
        changed["score"] += values_on(*asked, public, 115, 4) != before
        changed["cards"] += values_on(*asked, public, 114, 3) != before
        changed["starter"] += values_on(*asked, other_starter, 114, 4) != before
    assert min(changed.values()) > 50


def test_the_kernels_of_the_brain_have_no_argument_for_hidden_cards():
    public = ["pile", "size", "count", "opponent_cards", "starter", "opponent_score"]
    assert list(inspect.signature(brain_kernel.choose_card.py_func).parameters) == [
        *["hand", "held", "legal"],
        *public,
        *["level", "temperature", "roll", "values"],
    ]
    assert list(inspect.signature(brain_kernel.choose_throw.py_func).parameters) == [
        *["hand", "is_dealer"],
        *["temperature", "roll", "shows", "cribs", "values"],
    ]


def test_what_a_kernel_leaves_in_its_scratch_does_not_reach_the_next_decision():
    chooser, shows, cribs = random.Random(33), show_table(), default_tables().stacked()
    for _ in range(500):
        own, roll = np.array(sorted(chooser.sample(PACK, 6)), np.int8), chooser.random()
        temperature = chooser.choice([0.0, 0.15, 5.0])
        decisions = {
            int(brain_kernel.choose_throw(own, True, temperature, roll, shows, cribs, scratch))
            for scratch in (np.zeros(15), np.full(15, 1e9), np.full(15, np.nan))
        }
        assert len(decisions) == 1


def test_rolls_have_no_word_of_the_deals_or_of_each_other():
    streams = [open_stream(7, 3, DEAL_PURPOSE)]
    streams += [open_rolls(7, 3, leg, player) for leg in range(2) for player in range(2)]
    words = {int(next_word(stream)) for stream in streams for _ in range(1_000)}
    assert len(words) == 5 * 1_000
