"""The board: what is noted of deals, its solution and its check on the plain rules, the default."""

import dataclasses
import random
from collections import Counter

import numpy as np
import pytest
from naive import cribbage_board as naive

from engines.cards import PACK_SIZE
from engines.cribbage.board import Board, board_document, default_board, endless_board
from engines.cribbage.board_kernel import (
    CUTS,
    DEALER,
    NEVER,
    PONE,
    ZONES,
    check_board,
    sample_deals,
    solve_board,
)
from engines.cribbage.fast_match import built_in_player, seated
from engines.cribbage.master_tables import default_master_tables
from engines.cribbage.match import DEAL_PURPOSE, DEALT, Act, Deal, play_match, random_deals
from engines.cribbage.scoring import GAME, total
from engines.cribbage.tiers import EXPERT, Skill
from engines.streams import below, open_stream, shuffle_end

FEW_SAMPLES = Skill(1.0, 0.0, 3)


def a_table(player, unit, purpose=DEAL_PURPOSE):
    """A table with the same player in both seats."""
    table = seated(player, open_stream(8, unit, purpose), default_master_tables().pegging)
    for seat in range(2):
        table.rolls[seat] = rolls_of(seat)
    return table


def rolls_of(seat):
    return open_stream(8, seat, "rolls of a test")


def played(deal, players, scores=(0, 0)):
    """Deal of seat 0 on the plain rules: who scored what, in order, and who won or None."""
    events, winner = [], None
    try:
        winner = play_match(players, [deal], DEALER, scores=scores, watch=events.append).winner
    except ValueError as error:
        assert str(error) == "expected enough deals to end a match"
    scored = [
        (event.seat, total(event.scored))
        for event in events
        if event.act in (Act.PLAY, Act.HAND, Act.CRIB) or (event.act is Act.CUT and event.scored)
    ]
    return scored, winner


def scores_of(late):
    return tuple(115 * each for each in late)


def plain_deals(player, unit, number, scores=(0, 0)):
    """The scorings of the first so many deals of a stream, each played from the same scores."""
    players, deals = (
        [built_in_player(player, rolls_of(seat)) for seat in (0, 1)],
        random_deals(8, unit),
    )
    return [played(next(deals), players, scores)[0] for _ in range(number)]


def noted(player, unit, number):
    """What the kernel notes of them, from 0 and 115 of both."""
    when = np.full((2, 2, 2, GAME + 1, number), 99, np.uint8)
    gained = np.full((2, 2, number, 2), 99)
    for late in np.ndindex(2, 2):
        search = default_master_tables().search()
        sample_deals(a_table(player, unit), search, *scores_of(late), when[late], gained[late])
    return when, gained


@pytest.mark.parametrize(
    ("player", "number"), [(EXPERT, 150), (FEW_SAMPLES, 20), (None, 100)], ids=str
)
def test_what_is_noted_of_deals_is_what_the_plain_rules_give(player, number):
    when, gained = noted(player, 1, number)
    kinds = Counter()
    for late in np.ndindex(2, 2):
        for deal, scored in enumerate(plain_deals(player, 1, number, scores_of(late))):
            for role in (DEALER, PONE):
                points = [each if seat == role else 0 for seat, each in scored]
                assert gained[late][deal, role] == sum(points)
                so_far = np.cumsum(points).tolist()
                for reached in range(1, GAME + 1):
                    first = next((at for at, has in enumerate(so_far) if has >= reached), NEVER)
                    assert when[late][role, reached, deal] == first
            kinds["heels"] += len(scored) == 12
            kinds["ended", late] += len(scored) < 11
    assert kinds["heels"] > 0
    assert kinds["ended", (0, 0)] == 0
    assert min(kinds["ended", late] for late in [(0, 1), (1, 0), (1, 1)]) > number / 3


def test_the_board_of_a_few_deals_is_that_of_all_ways_they_can_follow_each_other():
    number = 7
    when, gained = noted(EXPERT, 2, number)
    found = np.full((GAME, GAME), np.nan)
    solve_board(when, gained, found)
    of_scores = {late: plain_deals(EXPERT, 2, number, scores_of(late)) for late in np.ndindex(2, 2)}
    assert len({str(deals) for deals in of_scores.values()}) == 4
    wins = naive.dealer_wins(of_scores)
    # From the end on, so that what is remembered keeps the recursion shallow.
    for dealer in reversed(range(GAME)):
        for pone in reversed(range(GAME)):
            assert found[dealer, pone] == pytest.approx(wins(dealer, pone), abs=1e-12)


def test_a_board_of_made_up_deals_to_check_by_eye():
    # Pone 3, then dealer 2; and in a second deal dealer 50 at once.
    deals = [[(PONE, 3), (DEALER, 2)], [(DEALER, 50)]]
    when = np.full((2, 2, 2, GAME + 1, 2), NEVER, np.uint8)
    when[..., PONE, 1:4, 0], when[..., DEALER, 1:3, 0], when[..., DEALER, 1:51, 1] = 0, 1, 0
    found = np.full((GAME, GAME), np.nan)
    solve_board(when, np.array([[[[2, 3], [50, 0]]] * 2] * 2), found)
    assert found[120, 120] == 0.5
    assert found[119, 117] == 1.0
    assert found[71, 118] == 0.5
    # 70-117: the second deal leaves 117 for the next dealer, 120 for the other. That one's deals
    # are lost at once or won at once; the first leaves 120 to deal against 72.
    assert found[117, 120] == 0.5
    assert found[120, 72] == 1.0
    assert found[70, 117] == pytest.approx(((1 - 1.0) + (1 - 0.5)) / 2)
    wins = naive.dealer_wins(dict.fromkeys(np.ndindex(2, 2), deals))
    assert [wins(*scores) for scores in ((120, 120), (70, 117), (70, 118))] == [
        found[120, 120], found[70, 117], found[70, 118]
    ]  # fmt: skip


def plain_check(player, unit, wins, counts):
    """As `check_board` sums, deal by deal on the plain rules."""
    stream = open_stream(8, unit, DEAL_PURPOSE)
    players = [built_in_player(player, rolls_of(seat)) for seat in (0, 1)]
    moved, squares = np.zeros((ZONES, ZONES)), np.zeros((ZONES, ZONES))
    firsts, ends = [0, *CUTS[:-1].tolist()], Counter()
    for of_dealer, of_pone in np.ndindex(ZONES, ZONES):
        for _ in range(counts[of_dealer, of_pone]):
            scores = tuple(
                firsts[zone] + int(below(stream, CUTS[zone] - firsts[zone]))
                for zone in (of_dealer, of_pone)
            )
            pack = np.arange(PACK_SIZE, dtype=np.int8)
            shuffle_end(stream, pack, DEALT)
            drawn = pack[::-1].tolist()
            deal = Deal(tuple(sorted(drawn[0:12:2])), tuple(sorted(drawn[1:12:2])), drawn[12])
            scored, winner = played(deal, players, scores)
            if winner is None:
                dealer, pone = (
                    scores[role] + sum(points for seat, points in scored if seat == role)
                    for role in (DEALER, PONE)
                )
                after = 1.0 - wins[pone, dealer]
            else:
                after = float(winner == DEALER)
            ends[winner] += 1
            moved[of_dealer, of_pone] += after - wins[scores]
            squares[of_dealer, of_pone] += (after - wins[scores]) ** 2
    return moved, squares, ends


@pytest.mark.parametrize(("player", "most"), [(EXPERT, 9), (FEW_SAMPLES, 3), (None, 4)], ids=str)
def test_the_check_sums_how_far_the_chance_moved(player, most):
    # A board at random, on which no two scores are worth the same.
    wins = np.random.Generator(np.random.Philox(4)).random((GAME, GAME))
    counts = np.arange(ZONES**2).reshape(ZONES, ZONES) % (most + 1)
    moved, squares = np.zeros((ZONES, ZONES)), np.zeros((ZONES, ZONES))
    search = default_master_tables().search()
    check_board(a_table(player, 3), search, wins, counts, moved, squares)
    of_plain, squares_of_plain, ends = plain_check(player, 3, wins, counts)
    assert moved == pytest.approx(of_plain, abs=1e-12)
    assert squares == pytest.approx(squares_of_plain, abs=1e-12)
    assert not moved[counts == 0].any()
    assert min(ends[DEALER], ends[PONE], ends[None]) > 0


def test_zones_reach_from_0_to_the_end():
    assert CUTS.tolist() == [60, 90, 106, GAME]
    assert ZONES == 4


# The default board.


def test_the_default_board_rises_with_the_own_score_and_falls_with_the_other():
    wins = default_board().dealer_wins
    assert wins.shape == (GAME, GAME)
    assert (wins >= 0).all()
    assert (wins <= 1).all()
    assert (np.diff(wins, axis=0) >= 0).all()
    assert (np.diff(wins, axis=1) <= 0).all()
    # Where the match is open, each point counts.
    assert (np.diff(wins[:60, :60], axis=0) > 0).mean() > 0.95
    with pytest.raises(ValueError, match="read-only"):
        wins[0, 0] = 0.5


def test_the_dealer_is_ahead_at_equal_scores():
    level = np.diag(default_board().dealer_wins)
    # But where both need about what hands bring, or one deal and two, the pone counts first.
    assert (level[:60] > 0.5).all()
    assert level[[100, 103]].min() > 0.75
    assert level[[113, 114, 115]].max() < 0.35


def test_the_first_dealer_wins_as_often_as_is_published():
    """55.98 % of matches (55.76 to 56.20), of 200,000 of Expert against itself."""
    assert default_board().chance(0, 0, True) == pytest.approx(0.5598, abs=0.01)


def test_the_default_board_says_how_it_came_about():
    document = board_document()
    assert (document["format"], document["version"]) == ("dealfarm-board", 1)
    assert document["made_by"].startswith("farm run cribbage-board")
    assert document["deals"] >= 1_000_000
    assert document["largest_standard_error"] < 0.002
    assert document["first_dealer_wins"] == pytest.approx(document["dealer_wins"][0][0], abs=1e-4)


def test_the_default_board_is_in_line_with_new_deals():
    when, gained = noted(EXPERT, 4, 6_000)
    found = np.zeros((GAME, GAME))
    solve_board(when, gained, found)
    apart = np.abs(found - default_board().dealer_wins)
    assert apart.max() < 0.05
    assert apart.mean() < 0.006


def test_what_one_side_may_win_the_other_may_lose():
    chooser = random.Random(5)
    for board in (default_board(), endless_board()):
        for _ in range(200):
            own, other = chooser.choices(range(GAME), k=2)
            dealer = board.chance(own, other, True)
            assert dealer == board.dealer_wins[own, other]
            assert dealer + board.chance(other, own, False) == pytest.approx(1.0, abs=1e-15)


def test_a_board_tells_the_scores_apart():
    board = Board(np.array([[0.5, 0.25], [0.75, 0.625]]))
    assert board.chance(0, 1, True) == 0.25
    assert board.chance(0, 1, False) == 1 - 0.75
    assert board.chance(1, 0, False) == 1 - 0.25


def test_on_an_endless_board_a_point_is_worth_the_same_at_any_score():
    wins = endless_board().dealer_wins
    assert wins.shape == (2 * GAME, 2 * GAME)
    assert wins.min() > 0.0
    assert wins.max() < 1.0
    assert np.diag(wins).tolist() == [0.5] * (2 * GAME)
    each = 1 / (4 * GAME)
    assert np.allclose(np.diff(wins, axis=0), each, atol=1e-15)
    assert np.allclose(np.diff(wins, axis=1), -each, atol=1e-15)


def test_a_board_of_another_size_is_refused(monkeypatch):
    monkeypatch.setattr("engines.cribbage.board.board_document", lambda: {"dealer_wins": [[0.5]]})
    with pytest.raises(ValueError, match=r"expected a board of 121 by 121 scores, got \(1, 1\)"):
        default_board.__wrapped__()


def test_master_goes_by_the_default_board():
    master = default_master_tables()
    assert master.board is master.throw_board is default_board()
    search = dataclasses.replace(master, throw_board=endless_board()).search()
    assert np.shares_memory(search.wins, default_board().dealer_wins)
    assert search.trials.wins.shape == (2 * GAME, 2 * GAME)
