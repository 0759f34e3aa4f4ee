"""The compiled game move by move against the plain rules."""

import random

import numpy as np
import pytest

from engines.gallery import play_kernel as core
from engines.gallery.automatic import safe_reason
from engines.gallery.board import board_of
from engines.gallery.deal import random_deal
from engines.gallery.moves import DEAL_MOVE, DEAL_SOURCE, Move
from engines.gallery.pimc_kernel import list_moves, sum_of_scores
from engines.gallery.players import RandomPlayer, play_game, player_stream
from engines.gallery.rules import Position
from engines.streams import open_stream


def walk(seed):
    """The positions and moves of a random game."""
    choose = random.Random(seed)
    position = Position.start(random_deal(seed, 0))
    while moves := list(position.legal_moves()):
        if len(moves) > 1 and moves[-1] == DEAL_MOVE:
            moves = moves if choose.random() < 0.2 else moves[:-1]
        move = choose.choice(moves)
        yield position, move
        position = position.apply(move)
    yield position, None


def legal_sources(board):
    numbers = np.zeros(DEAL_SOURCE + 1, np.int64)
    list_moves(board, numbers)
    return [source for source in range(DEAL_SOURCE + 1) if numbers[source] >= 0], numbers


def facts(board):
    """What a board says, without the numbers of copies."""
    words = [int(word) for word in board.words]

    def both(kind):
        return sorted(
            card for copy in range(2) for card in range(52) if words[kind + copy] >> card & 1
        )

    piles = []
    for pile in range(8):
        number, cards = words[core.TOPS] >> 8 * pile & 255, []
        while number != core.NO_CARD:
            cards.append(number & 63)
            number = int(board.under[number])
        piles.append(cards)
    plain = [words[kind] for kind in (core.OPEN, core.EMPTY, core.MISPLACED, core.LEFT)]
    built = words[core.OPEN_TWICE] >> 16  # base cards have no second place counted
    return [both(core.READY), both(core.PLACED), both(core.STOCK), piles, plain, built]


@pytest.mark.parametrize("seed", range(25))
def test_a_board_stays_that_of_the_position(seed):
    start = next(walk(seed))[0]
    board = board_of(start)
    for position, move in walk(seed):
        assert facts(board) == facts(board_of(position))
        sources, numbers = legal_sources(board)
        assert [Move(source) for source in sources] == list(position.legal_moves())
        assert core.score_of(board.words) == position.score
        if move == DEAL_MOVE:
            core.deal_known(board)
        elif move is not None:
            assert numbers[move.source] & 63 == position.card_at(move)
            core.play(board, numbers[move.source])


@pytest.mark.parametrize("seed", range(25, 50))
def test_safe_cards_are_those_of_the_plain_reasons(seed):
    for position, _ in walk(seed):
        board = board_of(position)
        numbers = legal_sources(board)[1]
        for move in position.legal_moves():
            reason = safe_reason(position, move)
            if move != DEAL_MOVE:
                assert core.is_safe(board, numbers[move.source]) == bool(reason)


def test_every_safe_reason_comes_up():
    met = {
        safe_reason(position, move)
        for seed in range(40)
        for position, _ in walk(seed)
        for move in position.legal_moves()
    }
    assert len(met) == 8 + 1


@pytest.mark.parametrize(("how", "cards_first"), [(core.UNIFORM, False), (core.CARDS_FIRST, True)])
def test_random_games_have_the_mean_of_plain_random_games(how, cards_first):
    """From one position, whose stock is shuffled anew for each plain game."""
    position = Position.start(random_deal(3, 3))
    while len(position.stock) > 24:
        position = position.apply(next(position.legal_moves()))
    board = board_of(position.with_hidden_stock())
    work = np.zeros_like(board.words)
    choose, player = random.Random(1), RandomPlayer("random", cards_first)
    stream = player_stream(0, 0, "test")
    scores = []
    for _ in range(150):
        stock = list(position.stock)
        choose.shuffle(stock)
        plain = Position(position.gallery, position.tableau, tuple(stock)).apply(DEAL_MOVE)
        while not plain.over:
            plain = plain.apply(player.choose(plain, stream)[0])
        scores.append(plain.score)
    count = 20_000
    mean = sum_of_scores(board, work, core.NO_CARD, count, how, stream) / count
    error = np.std(scores) / np.sqrt(len(scores))
    assert abs(mean - np.mean(scores)) < 4 * error


def test_the_stock_is_shuffled_evenly():
    """Each hidden card is as often as any other among the first eight dealt."""
    board = board_of(Position.start(random_deal(0, 0)).with_hidden_stock())
    dealt = np.zeros(core.CARDS, int)
    stream = open_stream(0, 0, "test")
    words = board.words.copy()
    games = 4000
    for _ in range(games):
        core.copy_words(words, board.words)
        core.deal_random(board, stream)
        dealt[board.stock[64:]] += 1
    counts = dealt[np.sort(board.stock)]
    expected = games * 8 / 72
    # The counts of cards drawn without return vary less than independent ones.
    assert ((counts - expected) ** 2 / expected).sum() < 72 + 4 * np.sqrt(2 * 72)
    assert dealt.sum() == games * 8


def test_a_whole_game_with_random_moves_replays():
    game = play_game(random_deal(0, 1), RandomPlayer("r", True), player_stream(0, 1, "r"))
    assert 0 <= game.score <= 96
