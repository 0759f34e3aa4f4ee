import random
from collections import Counter
from itertools import chain, product

import numpy as np
import pytest
from cribbage_seats import plain_tallies
from naive.cribbage_show import cards

from engines.cards import PACK_SIZE
from engines.cribbage import brain, brain_kernel, fast_brain, fast_match, match_kernel
from engines.cribbage.crib_tables import default_tables
from engines.cribbage.master_tables import default_master_tables
from engines.cribbage.match import DEAL_PURPOSE, Act, play_match, random_deals
from engines.cribbage.observation import legal_plays
from engines.cribbage.players import open_rolls
from engines.cribbage.scoring import score_play, score_show, total, value_of
from engines.cribbage.scoring_kernel import (
    SHOWS,
    show_index,
    show_points,
    show_table,
    sort,
    sum_over_all,
)
from engines.cribbage.tiers import PROFILES, Skill, Tier
from engines.kernel import kernel
from engines.streams import open_stream

RANKS = range(13)


# The inlined functions, compiled so that they can be called one by one.


@kernel
def pile_points(pile, size, rank, count):
    return brain_kernel.pile_points(pile, size, rank, count)


@kernel
def replies(pile, size, count):
    return brain_kernel.replies(pile, size, count)


@kernel
def legal_count(hand, held, count):
    return brain_kernel.legal_count(hand, held, count)


@kernel
def sort_in_place(some, first, stop):
    sort(some, first, stop)


@kernel
def row_of(a, b, c, d):
    return show_index(a, b, c, d)


@kernel
def sum_of_row(table, row):
    return sum_over_all(table, row)


def packed(ranks):
    pile = 0
    for rank in ranks:
        pile = pile << 4 | rank
    return np.uint64(pile)


def in_one_suit(ranks):
    """Cards of these ranks; that some are twice there does not matter to what a pile scores."""
    return [4 * rank for rank in ranks]


def count_of(ranks):
    return sum(min(rank + 1, 10) for rank in ranks)


def short_piles(longest):
    """All piles of one to so many cards, by ranks."""
    for size in range(1, longest + 1):
        yield from (ranks for ranks in product(RANKS, repeat=size) if count_of(ranks) <= 31)


def long_piles(number):
    """Piles of four to eight cards of a few low ranks, which make most of the runs and pairs."""
    chooser = random.Random(8)
    found = 0
    while found < number:
        low, size = chooser.randrange(5), chooser.randint(4, 8)
        pack = [rank for rank in range(low, low + chooser.randint(2, 7)) for _ in range(4)]
        ranks = tuple(chooser.sample(pack, min(size, len(pack))))
        if count_of(ranks) <= 31:
            found += 1
            yield ranks


def test_a_card_scores_on_a_pile_what_the_plain_rules_give():
    for ranks in chain(short_piles(3), long_piles(2_000)):
        *under, rank = ranks
        points = pile_points(packed(under), len(under), rank, count_of(ranks))
        assert points == total(score_play(in_one_suit(ranks))), ranks


def test_replies_to_a_pile_score_what_the_plain_brain_expects():
    for ranks in chain(short_piles(2), long_piles(2_000)):
        found = int(replies(packed(ranks), len(ranks), count_of(ranks)))
        pile = in_one_suit(ranks)
        assert [found >> 4 * rank & 15 for rank in RANKS] == [
            brain.reply_points(pile, rank) for rank in RANKS
        ], ranks
        assert found >> 4 * 13 == 0


def any_five(chooser):
    """Four cards and a starter: of few suits, of jacks and one suit, or of the whole pack."""
    pool = chooser.choice(
        [
            range(PACK_SIZE),
            [card for card in range(PACK_SIZE) if card % 4 == 1],
            [card for card in range(PACK_SIZE) if card % 4 < 2],
            [card for card in range(PACK_SIZE) if card % 4 == 2 or card // 4 == 10],
        ]
    )
    return chooser.sample(list(pool), 5)


@kernel
def sorted_show_points(table, cards, starter, is_crib):
    sort(cards, 0, 4)
    return show_points(table, cards[0], cards[1], cards[2], cards[3], starter, is_crib)


def test_a_show_is_worth_what_the_plain_rules_give():
    chooser, table = random.Random(9), show_table()
    for _ in range(4_000):
        *hand, starter = any_five(chooser)
        for crib in (False, True):
            points = sorted_show_points(table, np.array(hand, np.int8), starter, crib)
            assert points == total(score_show(hand, starter, crib=crib))


@pytest.mark.parametrize(
    ("hand", "starter", "in_hand", "in_crib"),
    [
        ("5H 5C 5S JD", "5D", 29, 29),
        ("5H 5C 5S 5D", "JD", 28, 28),
        ("2H 4H 8H QH", "TH", 5, 5),
        ("2H 4H 8H QH", "TC", 4, 0),
        ("2H 4H 8H JH", "TC", 4, 0),
        ("2H 4H 8H JC", "QC", 1, 1),
        ("2H 4H 8H JC", "JH", 2, 2),
    ],
)
def test_shows_to_check_by_eye(hand, starter, in_hand, in_crib):
    for crib, points in ((False, in_hand), (True, in_crib)):
        four = np.array(cards(hand), np.int8)
        assert sorted_show_points(show_table(), four, cards(starter)[0], crib) == points


def test_rows_of_the_show_table_are_all_multisets_of_four_ranks():
    rows = [
        row_of(a, b, c, d)
        for d in RANKS
        for c in range(d + 1)
        for b in range(c + 1)
        for a in range(b + 1)
    ]
    assert rows == list(range(SHOWS))


def test_a_row_knows_its_sum_over_the_52_starters():
    table = show_table()
    sums = [sum_of_row(table, row) for row in range(SHOWS)]
    assert sums == (4 * table[:, :13].astype(int).sum(axis=1)).tolist()
    assert max(sums) > 255  # so that both bytes are needed


def test_the_show_table_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        show_table()[0, 0] = 1


def test_legal_cards_are_the_first_of_an_ascending_hand():
    chooser = random.Random(10)
    for count in range(32):
        for _ in range(20):
            hand = sorted(chooser.sample(range(PACK_SIZE), chooser.randint(1, 4)))
            legal = legal_plays(hand, count)
            assert legal == hand[: legal_count(np.array(hand, np.int8), len(hand), count)]


def test_what_a_rank_counts():
    assert [brain_kernel.value_of_rank(card // 4) for card in range(PACK_SIZE)] == [
        value_of(card) for card in range(PACK_SIZE)
    ]


def test_a_few_cards_are_sorted_and_others_left_alone():
    chooser = random.Random(11)
    for _ in range(300):
        some = chooser.sample(range(PACK_SIZE), 10)
        first, stop = sorted(chooser.sample(range(11), 2))
        found = np.array(some, np.int8)
        sort_in_place(found, first, stop)
        assert found.tolist() == some[:first] + sorted(some[first:stop]) + some[stop:]


# Whole matches: the kernel's are those of the plain rules, card by card, or the tallies would part.

EXPERT = PROFILES["published"].tier(Tier.EXPERT)
CALIBRATED = PROFILES["calibrated"]


@pytest.mark.parametrize(
    "players",
    [
        (EXPERT, EXPERT),
        (EXPERT, None),
        (None, EXPERT),
        (None, None),
        (EXPERT, CALIBRATED.tier(Tier.EASY)),
        (CALIBRATED.tier(Tier.NORMAL), CALIBRATED.tier(Tier.HARD)),
        (PROFILES["published"].tier(Tier.NORMAL), PROFILES["published"].skill(0.0)),
    ],
    ids=str,
)
def test_matches_of_the_kernel_are_those_of_the_plain_rules(players):
    pairs = [*range(8), 1_000_003, 77]
    found = fast_match.play_pairs(12, pairs, players)
    for index, pair in enumerate(pairs):
        plain = plain_tallies(12, pair, players, fast_brain)
        assert found[index].tolist() == plain, pair


@pytest.mark.parametrize(
    "players", [(EXPERT, CALIBRATED.tier(Tier.NORMAL)), (Skill(0.12, 5.0), EXPERT)], ids=str
)
def test_matches_of_the_kernel_are_those_of_the_plain_brain(players):
    found = fast_match.play_pairs(13, [3], players)
    assert found[0].tolist() == plain_tallies(13, 3, players, brain)


def scored_on_the_plain_rules(pair, players, dealer, scores):
    """Who was given how many points, each time points are given, and whether the match ended."""
    events, seats = [], []
    for seat, skill in enumerate(players):
        seats.append(fast_match.built_in_player(skill, open_rolls(16, pair, 0, seat)))
    try:
        deal = next(random_deals(16, pair))
        play_match(seats, [deal], dealer, scores=scores, watch=events.append)
        ended = True
    except ValueError:
        ended = False
    given = [
        [event.seat, total(event.scored)]
        for event in events
        if event.act in (Act.PLAY, Act.HAND, Act.CRIB) or (event.act is Act.CUT and event.scored)
    ]
    return given, ended


def test_the_log_of_a_deal_is_what_scores_on_the_plain_rules():
    chooser, lengths = random.Random(17), Counter()
    master = default_master_tables()
    table = match_kernel.new_table(show_table(), default_tables().stacked(), master.pegging)
    search = master.search()
    skills = [EXPERT, None, CALIBRATED.tier(Tier.EASY), Skill(1.0, 0.0, 3)]
    for pair in range(250):
        players, dealer = chooser.choices(skills, k=2), chooser.randrange(2)
        scores = tuple(chooser.choices([0, 90, 105, 112, 117, 119, 120], k=2))
        table.deals[:] = open_stream(16, pair, DEAL_PURPOSE)
        table.tally[:] = 0
        for seat in (0, 1):
            table.players[seat] = fast_match.fields_of(players[seat])
            table.rolls[seat] = open_rolls(16, pair, 0, seat)
            table.tally[seat, match_kernel.SCORE] = scores[seat]
        ended = match_kernel.play_deal(table, search, dealer)
        given, ends = scored_on_the_plain_rules(pair, players, dealer, scores)
        size = int(table.log[0, match_kernel.LOG_SIZE])
        assert table.log[1 : 1 + size].tolist() == given
        assert ended == ends
        lengths[size] += 1
    # Ended by heels or by a first card, and whole with and without heels.
    assert min(lengths[1], lengths[11], lengths[12]) > 0
    assert max(lengths) == match_kernel.LOG_LENGTH == 12


def test_a_pair_of_matches_does_not_depend_on_the_others():
    players = (EXPERT, None)
    together = fast_match.play_pairs(0, range(20), players)
    assert np.array_equal(fast_match.play_pairs(0, [19, 4], players), together[[19, 4]])


def test_two_players_alike_change_places_with_the_legs():
    # Without rolls both legs are the same match, seat by seat.
    found = fast_match.play_pairs(0, range(50), (EXPERT, EXPERT))
    assert np.array_equal(found[:, 0], found[:, 1, ::-1])


def test_points_of_expert_play_are_those_that_are_published():
    found = fast_match.play_pairs(1, range(10_000), (EXPERT, EXPERT))[:, 0]
    fields = "score deals pegging_dealer pegging_pone hands_dealer hand_dealer hands_pone hand_pone"
    totals = dict(
        zip(f"{fields} cribs crib heels".split(), found.sum(axis=(0, 1)).tolist(), strict=True)
    )
    for points, times, mean in [
        ("pegging_dealer", "deals", 3.5),
        ("pegging_pone", "deals", 2.0),
        ("hand_dealer", "hands_dealer", 8.0),
        ("hand_pone", "hands_pone", 8.1),
        ("crib", "cribs", 4.7),
    ]:
        assert totals[points] / totals[times] == pytest.approx(mean, abs=0.2), points
    assert totals["heels"] / totals["deals"] == pytest.approx(2 / 13, abs=0.01)
    first_dealers = np.arange(10_000) % 2
    won = found[np.arange(10_000), first_dealers, 0] == 121
    assert 0.545 < won.mean() < 0.57
