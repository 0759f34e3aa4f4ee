"""What Master knows of a deal and the memory of its search."""

from typing import NamedTuple

import numpy as np

from engines.cribbage.brain_kernel import THROW_COUNT
from engines.cribbage.scoring import GAME
from engines.cribbage.scoring_kernel import RANKS, ROW, SHOWS
from engines.cribbage.throw_kernel import Trials, new_trials
from engines.kernel import constant

# What a seat knows of a deal: uint64[KNOWN_SIZE].
SEEN, SHOW, THROWN, LAID, LEAST = range(5)
"""SEEN: a bit for each card it has seen. SHOW: the points of its four cards with the starter.
THROWN: the two cards it threw, CARD_BITS bits each. Of the seat itself, public: LAID, the cards it
has played, packed likewise, the last one lowest; LEAST, what each card it holds counts at least by
its gos."""
KNOWN_SIZE = 5
CARD_BITS = np.uint64(6)

MAX_SAMPLES = 512
LEVELS = 5  # a card of ours leads from each to the next
LINE_SIZE = FRAME_SIZE = 6
MOST_SHOWN = 29
"""Points of a hand or a crib."""
SUIT_POINTS = np.array([0, 1, 4, 5, 6])
"""What a hand may score by its suits: his nobs, a flush, and with the starter both."""

# Fields of a search's numbers.
HELD, OTHERS, STARTER, OWN_DEAL, OWN_SHOW, GOAL = range(6)


class Search(NamedTuple):
    """Memory of a search over samples of the opponent's hand.

    hand: int8[4], own, ascending. numbers: int64[6], own cards, the opponent's, the starter,
    whether it is our deal, own show, the score that ends the match.
    every: int8[SHOWS + 1, 4] and chances: float64[SHOWS], the opponent's hands and their weights.
    Of those that are looked at: hands, int8[MAX_SAMPLES, 4], ascending; weights,
    float64[MAX_SAMPLES]; counted, int64[MAX_SAMPLES], what they show by their ranks; suited,
    float64[MAX_SAMPLES, 5], the chance of each of SUIT_POINTS beside that.
    crib: float64[30], the chance of each number of points. counts: float64[goal, goal], the chance
    to win by own and opponent's score before the crib, below 0 where it is not worked out yet.
    lines: int64[levels, MAX_SAMPLES, LINE_SIZE]; seen and members: int64[levels, MAX_SAMPLES].
    frames: int64[levels, FRAME_SIZE]. totals: float64[levels, 2]. sums: float64[4], of the cards at
    the root. keeps and flushes: float64[2, SHOWS], throws: float64[2, 13, 13], of `master_tables`.
    shows: uint8[SHOWS, ROW]. wins: float64[goal, goal], of `board`. space: int8[4], values:
    float64[15], scratch. trials: for throws.
    """

    hand: np.ndarray
    hands: np.ndarray
    numbers: np.ndarray
    weights: np.ndarray
    counted: np.ndarray
    suited: np.ndarray
    crib: np.ndarray
    counts: np.ndarray
    lines: np.ndarray
    seen: np.ndarray
    members: np.ndarray
    frames: np.ndarray
    totals: np.ndarray
    sums: np.ndarray
    keeps: np.ndarray
    flushes: np.ndarray
    throws: np.ndarray
    shows: np.ndarray
    wins: np.ndarray
    every: np.ndarray
    chances: np.ndarray
    space: np.ndarray
    values: np.ndarray
    trials: Trials


def new_search(
    keeps: np.ndarray,
    flushes: np.ndarray,
    throws: np.ndarray,
    shows: np.ndarray,
    wins: np.ndarray,
    throw_wins: np.ndarray,
) -> Search:
    """Memory for any number of searches, one after the other."""
    return Search(
        hand=np.zeros(4, np.int8),
        hands=np.zeros((MAX_SAMPLES, 4), np.int8),
        numbers=np.zeros(6, np.int64),
        weights=np.zeros(MAX_SAMPLES),
        counted=np.zeros(MAX_SAMPLES, np.int64),
        suited=np.zeros((MAX_SAMPLES, SUIT_POINTS.shape[0])),
        crib=np.zeros(MOST_SHOWN + 1),
        counts=np.zeros_like(wins),
        lines=np.zeros((LEVELS, MAX_SAMPLES, LINE_SIZE), np.int64),
        seen=np.zeros((LEVELS, MAX_SAMPLES), np.int64),
        members=np.zeros((LEVELS, MAX_SAMPLES), np.int64),
        frames=np.zeros((LEVELS, FRAME_SIZE), np.int64),
        totals=np.zeros((LEVELS, 2)),
        sums=np.zeros(4),
        keeps=constant(keeps),
        flushes=constant(flushes),
        throws=constant(throws),
        shows=constant(shows),
        wins=constant(wins),
        every=np.zeros((SHOWS + 1, 4), np.int8),
        chances=np.zeros(SHOWS),
        space=np.zeros(4, np.int8),
        values=np.zeros(THROW_COUNT),
        trials=new_trials(throw_wins),
    )


def idle_search() -> Search:
    """What the kernels of the match are given where nobody searches."""
    return new_search(
        np.ones((2, SHOWS)),
        np.ones((2, SHOWS)),
        np.ones((2, RANKS, RANKS)),
        np.zeros((SHOWS, ROW), np.uint8),
        np.zeros((GAME, GAME)),
        np.zeros((GAME, GAME)),
    )
