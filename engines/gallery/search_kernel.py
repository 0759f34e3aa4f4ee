"""The compiled work of one decision of the searching players: the best of some games per stock."""

import numpy as np

from engines.gallery.play_kernel import (
    CARDS_IN_PLAY,
    LEFT,
    NO_CARD,
    Board,
    copy_words,
    deal_known,
    dominant_card,
    nth_playable,
    play,
    play_known,
    playable_count,
    score_of,
)
from engines.kernel import kernel
from engines.streams import below, shuffle

_ZERO = np.uint64(0)


@kernel
def shuffle_stocks(board, stocks, stream):
    """Fills each row of stocks with the cards of the hidden stock in an order of its own."""
    left = np.int64(board.words[LEFT])
    for row in range(stocks.shape[0]):
        for index in range(left):
            stocks[row, index] = board.stock[index]
        shuffle(stream, stocks[row, :left])


@kernel
def finish(board, stream):
    """Plays to the end, dominant cards first, else any legal move with equal chance; the score.

    The stock is dealt in its order.
    """
    words = board.words
    while True:
        number = dominant_card(words)
        if number != NO_CARD:
            play(board, number)
            continue
        count = playable_count(words)
        choices = count + 1 if words[LEFT] != _ZERO else count
        if choices == 0:
            return score_of(words)
        chosen = below(stream, choices) if choices > 1 else 0
        if chosen == count:
            deal_known(board)
        else:
            play(board, nth_playable(words, chosen))


@kernel
def sum_of_best(board, work, number, stocks, first, last, tries, stream):
    """After a move, for each of the stocks first..last-1 the best score of some random games.

    Returns the sum of these scores. work: words for a copy of the board.
    number: the card, or NO_CARD for a deal.
    """
    total = 0
    for row in range(first, last):
        trial = Board(work, board.where, board.under, stocks[row])
        best = CARDS_IN_PLAY
        for _ in range(tries):
            copy_words(board.words, work)
            play_known(trial, number)
            best = min(best, finish(trial, stream))
        total += best
    return total
