"""The compiled work of one decision of the searching players: the best of some games per stock."""

from typing import NamedTuple

import numpy as np

from engines.gallery.play_kernel import (
    DEAL_SOURCE,
    LEFT,
    Board,
    copy_words,
    deal_known,
    play,
)
from engines.gallery.policy_kernel import finish_informed
from engines.kernel import kernel
from engines.streams import below


class Room(NamedTuple):
    """Room to work in.

    words: uint64[WORDS], a copy of a board. numbers, weights, found: for list_choices.
    """

    words: np.ndarray
    numbers: np.ndarray
    weights: np.ndarray
    found: np.ndarray


@kernel
def shuffle_stocks(board, stocks, stream):
    """Fills each row of stocks with the cards of the hidden stock in an order of its own."""
    left = np.int64(board.words[LEFT])
    for row in range(stocks.shape[0]):
        for index in range(left):
            stocks[row, index] = board.stock[index]
        for index in range(left - 1, 0, -1):
            other = below(stream, index + 1)
            kept = stocks[row, index]
            stocks[row, index] = stocks[row, other]
            stocks[row, other] = kept


@kernel
def sum_of_best(board, source, number, stocks, first, last, tries, table, room, stream):
    """After a move, for each of the stocks first..last-1 the best score of some informed games.

    Returns the sum of these scores.
    """
    total = 0
    for row in range(first, last):
        trial = Board(room.words, board.where, board.under, stocks[row])
        best = 96
        for _ in range(tries):
            copy_words(board.words, room.words)
            if source == DEAL_SOURCE:
                deal_known(trial)
            else:
                play(trial, number)
            score = finish_informed(
                trial, table, room.numbers, room.weights, room.found, True, stream
            )
            best = min(best, score)
        total += best
    return total
