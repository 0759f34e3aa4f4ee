"""Players: fairness, the choices they say they make, and games that replay."""

import random
from dataclasses import replace

import numpy as np
import pytest

from engines.gallery import hindsight_kernel, play_kernel, search_kernel
from engines.gallery.automatic import safe_move
from engines.gallery.board import board_of
from engines.gallery.catalog import BOUNDS, NAMES, PLAYERS, QUICK, play
from engines.gallery.deal import DEAL_PURPOSE, Deal, random_deal
from engines.gallery.hindsight import BestOf, Hindsight, moves_of, new_lines
from engines.gallery.moves import DEAL_MOVE, parse_move
from engines.gallery.pimc import ORIGINAL, PUBLISHED, completes_alone
from engines.gallery.play_kernel import NO_CARD
from engines.gallery.players import Game, ReplayError, check_game, play_game, player_stream
from engines.gallery.rules import Position, replay
from engines.gallery.search import Searcher
from engines.streams import open_stream

SMALL = {
    **{name: PLAYERS[name] for name in ("random-uniform", "random-cards-first", "greedy")},
    "published": replace(PUBLISHED, samples=4),
    "original": replace(ORIGINAL, samples=4),
    "search": replace(QUICK, stocks=3, tries=2),
}


def middles(count, seed=0):
    """Positions in the middle of games with a choice and hidden cards."""
    choose = random.Random(seed)
    for unit in range(count):
        position = Position.start(random_deal(seed, unit))
        for _ in range(choose.randrange(40)):
            moves = list(position.legal_moves())
            after = position.apply(choose.choice(moves[:-1] or moves))
            if not after.stock:
                break
            position = after
        yield position


@pytest.mark.parametrize("player", SMALL.values(), ids=SMALL)
def test_the_order_of_the_stock_changes_no_decision(player):
    for position in middles(12):
        stock = list(position.stock)
        random.Random(1).shuffle(stock)
        other = Position(position.gallery, position.tableau, tuple(stock))
        choices = {
            player.choose(each.with_hidden_stock(), player_stream(1, 2, "x"))[0]
            for each in (position, other)
        }
        assert len(choices) == 1


@pytest.mark.parametrize("player", SMALL.values(), ids=SMALL)
def test_the_stock_is_the_same_before_and_after_a_decision(player):
    for position in middles(4, seed=1):
        before = np.array(position.stock, np.int8).tobytes()
        player.choose(position.with_hidden_stock(), player_stream(1, 2, "x"))
        assert np.array(position.stock, np.int8).tobytes() == before


class Spy:
    """A player that keeps what it is shown."""

    name = "spy"

    def __init__(self):
        self.seen = []

    def choose(self, seen, stream):
        self.seen.append(seen)
        return next(reversed(list(seen.legal_moves()))), 0


def test_no_player_is_shown_the_order_of_the_stock():
    spy = Spy()
    play_game(random_deal(0, 3), spy, player_stream(0, 3, "spy"))
    assert len(spy.seen) >= 9
    assert all(seen.stock == tuple(sorted(seen.stock)) for seen in spy.seen)


def test_a_players_stream_is_not_that_of_the_deal_nor_of_another_player():
    purposes = {f"gallery player {name}" for name in NAMES}
    assert DEAL_PURPOSE not in purposes
    keys = {int(open_stream(3, 4, purpose)[1]) for purpose in (*purposes, DEAL_PURPOSE)}
    assert len(keys) == len(NAMES) + 1
    for name in NAMES:
        assert (player_stream(3, 4, name) == open_stream(3, 4, f"gallery player {name}")).all()


@pytest.mark.parametrize("player", SMALL.values(), ids=SMALL)
def test_a_game_is_one_attempt_that_replays_to_its_score_and_repeats(player):
    deal = random_deal(4, 1)
    game = play_game(deal, player, player_stream(4, 1, "x"))
    end = replay(deal, game.moves)
    assert end.over
    assert (end.score, end.tableau_cards) == (game.score, game.tableau_cards)
    assert play_game(deal, player, player_stream(4, 1, "x")) == game


def test_a_game_that_does_not_give_its_score_is_an_error():
    deal = random_deal(4, 1)
    game = play_game(deal, SMALL["greedy"], player_stream(4, 1, "x"))
    check_game(deal, game)
    with pytest.raises(ReplayError, match="the moves give score"):
        check_game(deal, replace(game, score=game.score - 1))
    with pytest.raises(ReplayError, match="the game is not over"):
        check_game(deal, Game(game.moves[:-1], game.score, game.tableau_cards, 0))


def test_a_single_legal_move_is_played_without_games():
    position = next(position for position in middles(400) if len(list(position.legal_moves())) == 1)
    for player in SMALL.values():
        assert player.choose(position.with_hidden_stock(), player_stream(0, 0, "x"))[1] == 0


def test_pimc_takes_the_lowest_mean_and_of_equal_ones_the_first():
    for position in middles(10, seed=2):
        seen = position.with_hidden_stock()
        if len(list(seen.legal_moves())) == 1:
            continue
        means = PUBLISHED.evaluate(seen, player_stream(0, 0, "x"))
        assert list(means) == list(seen.legal_moves())
        best = min(means.values())
        first = next(move for move, mean in means.items() if mean == best)
        assert PUBLISHED.choose(seen, player_stream(0, 0, "x")) == (first, 160 * len(means))


def test_the_penalty_of_the_published_player_only_breaks_ties():
    assert 0 < PUBLISHED.penalty < 1 / PUBLISHED.samples
    assert (ORIGINAL.penalty, ORIGINAL.cards_first, ORIGINAL.safe_moves) == (0.5, True, True)


def test_the_penalty_is_for_a_lone_picture_card_whose_twin_is_in_play():
    met = {True: 0, False: 0}
    for unit in range(15):
        position = Position.start(random_deal(7, unit))
        while not position.over:
            moves = list(position.legal_moves())
            for move in moves:
                card = position.card_at(move)
                twins = [cards for cards in position.gallery if card in cards and len(cards) == 4]
                lone = (
                    move.pile is not None
                    and position.tableau[move.pile] == (card,)
                    and card // 4 in (10, 11, 12)
                )
                assert completes_alone(position, move) == (lone and not twins)
                met[completes_alone(position, move)] += 1
            position = position.apply(moves[0])
    assert met[True] > 5


def test_the_penalty_is_added_to_the_mean():
    free = replace(PUBLISHED, penalty=0.0)
    for unit in range(15):
        position = Position.start(random_deal(7, unit))
        while not position.over:
            moves = list(position.legal_moves())
            lone = [move for move in moves if completes_alone(position, move)]
            if lone and len(moves) > 1:
                seen = position.with_hidden_stock()
                with_it = PUBLISHED.evaluate(seen, player_stream(0, 0, "x"))
                without = free.evaluate(seen, player_stream(0, 0, "x"))
                extra = {move: with_it[move] - without[move] for move in moves}
                assert all(
                    extra[move] == pytest.approx(0.001 if move in lone else 0.0) for move in moves
                )
                return
            position = position.apply(moves[0])
    raise AssertionError("no such move came up")


def test_the_original_makes_safe_moves_at_once():
    moves = 0
    for position in middles(60, seed=3):
        safe = safe_move(position)
        if safe:
            assert ORIGINAL.choose(position.with_hidden_stock(), player_stream(0, 0, "x")) == (
                safe,
                0,
            )
            moves += 1
    assert moves > 5


def test_a_dominant_card_loses_nothing():
    """Whatever is reached without playing it at once is reached, or bettered, after it."""
    tried = 0
    for seed in range(30):
        position = Position.start(random_deal(8, seed))
        choose = random.Random(seed)
        while len(position.stock) > 8:
            moves = list(position.legal_moves())
            position = position.apply(choose.choice(moves[:-1] or moves))
        board = board_of(position)
        number = play_kernel.dominant_card(board.words)
        if number == NO_CARD:
            continue
        best = best_score(position)
        if best is None:
            continue
        source = int(board.where[number])
        move = next(move for move in position.legal_moves() if move.source == source)
        assert best_score(position.apply(move)) == best
        tried += 1
    assert tried > 2


def best_score(position, limit=400):
    """The lowest score that any line reaches, by looking at all; None past the limit."""
    seen, stack, best = set(), [position], 96
    while stack:
        each = stack.pop()
        key = (each.gallery, each.tableau, each.stock)
        if key in seen:
            continue
        seen.add(key)
        if len(seen) > limit:
            return None
        best = min(best, each.score)
        stack += [each.apply(move) for move in each.legal_moves()]
    return best


@pytest.mark.parametrize("moves", range(1, 20))
@pytest.mark.parametrize("halving", [True, False])
def test_halving_costs_what_no_halving_costs(moves, halving):
    rounds = Searcher("x", stocks=24, halving=halving)._rounds(moves)
    assert rounds[0][0] == moves
    assert [alive for alive, _ in rounds] == sorted((alive for alive, _ in rounds), reverse=True)
    work = sum(alive * count for alive, count in rounds)
    assert work == pytest.approx(24 * moves, rel=0.1)


def test_all_moves_of_a_decision_meet_the_same_stocks():
    position = Position.start(random_deal(1, 1)).with_hidden_stock()
    board = board_of(position)
    stocks = np.zeros((50, 72), np.int64)
    search_kernel.shuffle_stocks(board, stocks, player_stream(0, 0, "x"))
    left = len(position.stock)
    for row in stocks:
        assert sorted(row[:left]) == sorted(board.stock[:left])
    assert len({tuple(row) for row in stocks}) == 50
    kept = stocks.copy()
    search_kernel.sum_of_best(
        board,
        np.zeros_like(board.words),
        NO_CARD,
        stocks,
        0,
        50,
        2,
        player_stream(0, 0, "x"),
    )
    assert (stocks == kept).all()


def test_more_tries_for_each_stock_give_lower_sums():
    position = Position.start(random_deal(1, 1)).with_hidden_stock()
    board = board_of(position)
    stocks = np.zeros((40, 72), np.int64)
    search_kernel.shuffle_stocks(board, stocks, player_stream(0, 0, "x"))
    sums = [
        search_kernel.sum_of_best(
            board,
            np.zeros_like(board.words),
            NO_CARD,
            stocks,
            0,
            40,
            tries,
            player_stream(0, 0, "x"),
        )
        for tries in (1, 4, 16)
    ]
    assert sums[0] > sums[1] > sums[2]


def test_bounds_replay_and_are_better_with_more_games():
    deals = [random_deal(1, unit) for unit in range(12)]

    def total(player):
        return sum(player.play(deal, player_stream(1, 0, "x")).score for deal in deals)

    assert total(BestOf(games=1)) > total(BestOf(games=100)) > total(Hindsight(games=8))


def test_the_nested_search_ends_with_the_score_it_says():
    for unit in range(5):
        position = Position.start(random_deal(2, unit))
        lines = new_lines()
        score = hindsight_kernel.nested(board_of(position), 2, lines, player_stream(0, unit, "x"))
        numbers = lines.best[: lines.best[hindsight_kernel.LENGTH]].tolist()
        assert moves_of(position, numbers)[1].score == score


def test_names_are_those_of_players_and_bounds():
    assert not set(PLAYERS) & set(BOUNDS)
    assert all(PLAYERS[name].name == name for name in PLAYERS)
    with pytest.raises(KeyError):
        play(random_deal(0, 0), "nobody", 0, 0)
    game = play(random_deal(0, 0), "random-cards-first", 0, 0)
    assert isinstance(game, Game) and DEAL_MOVE in game.moves
    assert isinstance(random_deal(0, 0), Deal) and parse_move("D") == DEAL_MOVE
