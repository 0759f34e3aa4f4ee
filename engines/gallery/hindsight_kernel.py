"""The compiled players that know the stock: the best of many games, and nested random games."""

from typing import NamedTuple

import numpy as np

from engines.bits import lowest
from engines.gallery.play_kernel import (
    CARDS_IN_PLAY,
    LEFT,
    NO_CARD,
    Board,
    copy_words,
    deal_known,
    nth_playable,
    play,
    play_known,
    playable,
    playable_count,
    score_of,
)
from engines.kernel import kernel
from engines.streams import below

_ONE, _ZERO = np.uint64(1), np.uint64(0)
LENGTH = 127
"""Where a line keeps its number of moves. A line is int64[128], NO_CARD standing for a deal."""


class Lines(NamedTuple):
    """Room for games: uint64[WORDS] of a trial, the best line and the one tried, and choices."""

    words: np.ndarray
    best: np.ndarray
    tried: np.ndarray
    choices: np.ndarray


@kernel
def finish_known(board, line, first, stream):
    """Plays random moves to the end, dealing where no card can move; the score.

    Writes the moves from line[first] on.
    """
    words, length = board.words, first
    while True:
        count = playable_count(words)
        if count > 0:
            number = nth_playable(words, below(stream, count) if count > 1 else 0)
            play(board, number)
        elif words[LEFT] != _ZERO:
            number = NO_CARD
            deal_known(board)
        else:
            line[LENGTH] = length
            return score_of(words)
        line[length] = number
        length += 1


@kernel
def best_of(board, games, lines, stream):
    """The best score of some random games from a board, whose moves are left in lines.best."""
    trial = Board(lines.words, board.where, board.under, board.stock)
    best = CARDS_IN_PLAY + 1
    for _ in range(games):
        copy_words(board.words, lines.words)
        score = finish_known(trial, lines.tried, 0, stream)
        if score < best:
            best = score
            for index in range(lines.tried.shape[0]):
                lines.best[index] = lines.tried[index]
    return best


@kernel
def _list_choices(words, choices):
    count = 0
    for copy in range(2):
        cards = playable(words, copy)
        while cards:
            choices[count] = 64 * copy + lowest(cards)
            cards &= cards - _ONE
            count += 1
    if words[LEFT] != _ZERO:
        choices[count] = NO_CARD
        count += 1
    return count


@kernel
def nested(board, games, lines, stream):
    """Plays to the end along the best line found; its score, its moves left in lines.best.

    At each step some random games after each move look for a better line. board is played on.
    """
    trial = Board(lines.words, board.where, board.under, board.stock)
    copy_words(board.words, lines.words)
    best, tried, choices = lines.best, lines.tried, lines.choices
    score = finish_known(trial, best, 0, stream)
    step = 0
    while score > 0 and step < best[LENGTH]:
        count = _list_choices(board.words, choices)
        for index in range(count if count > 1 else 0):
            for _ in range(games):
                copy_words(board.words, lines.words)
                play_known(trial, choices[index])
                tried[step] = choices[index]
                found = finish_known(trial, tried, step + 1, stream)
                if found < score:
                    score = found
                    for place in range(step, tried[LENGTH]):
                        best[place] = tried[place]
                    best[LENGTH] = tried[LENGTH]
        play_known(board, best[step])
        step += 1
    return score
