"""The compiled work of one decision of the PIMC players: random games after each legal move."""

import numpy as np

from engines.bits import lowest
from engines.gallery.play_kernel import (
    DEAL_SOURCE,
    LEFT,
    NO_CARD,
    Board,
    copy_words,
    deal_random,
    finish_at_random,
    play,
    playable,
)
from engines.kernel import kernel

_ONE = np.uint64(1)


@kernel
def list_moves(board, numbers):
    """Writes the card of each legal move at its source, NO_CARD for a deal; elsewhere -1."""
    numbers[:] = -1
    for copy in range(2):
        cards = playable(board.words, copy)
        while cards:
            number = 64 * copy + lowest(cards)
            cards &= cards - _ONE
            numbers[board.where[number]] = number
    if board.words[LEFT]:
        numbers[DEAL_SOURCE] = NO_CARD


@kernel
def sum_of_scores(board, work, number, samples, how, stream):
    """The sum of the scores of random games after a move, each with a fresh shuffle of the stock.

    work: words for a copy of the board. number: the card, or NO_CARD for a deal.
    how: see finish_at_random.
    """
    trial = Board(work, board.where, board.under, board.stock)
    total = 0
    for _ in range(samples):
        copy_words(board.words, work)
        if number == NO_CARD:
            deal_random(trial, stream)
        else:
            play(trial, number)
        total += finish_at_random(trial, stream, how)
    return total
