"""The board: how often the dealer wins from each pair of scores, from a sample of deals."""

import numpy as np

from engines.cribbage.brain import ENDGAME_SCORE
from engines.cribbage.match_kernel import LOG_POINTS, LOG_SEAT, LOG_SIZE, SCORE, play_deal
from engines.cribbage.scoring import GAME
from engines.kernel import inline, kernel
from engines.streams import below

NEVER = 255
DEALER, PONE = 0, 1


@kernel
def sample_deals(table, search, dealer_score, pone_score, when, gained):
    """Plays deals of seat 0 from these scores, and notes how they went.

    when: uint8[2, GAME + 1, deals], by role and points the number of the scoring at which the role
    has gained so many, NEVER where it does not come to that. gained: int64[deals, 2], points by
    role. table and search as for `play_deal`.
    """
    for deal in range(gained.shape[0]):
        table.tally[:] = 0
        table.tally[DEALER, SCORE], table.tally[PONE, SCORE] = dealer_score, pone_score
        play_deal(table, search, DEALER)
        gained[deal, DEALER], gained[deal, PONE] = 0, 0
        for number in range(table.log[0, LOG_SIZE]):
            role, points = table.log[number + 1, LOG_SEAT], table.log[number + 1, LOG_POINTS]
            for reached in range(gained[deal, role] + 1, gained[deal, role] + points + 1):
                when[role, reached, deal] = number
            gained[deal, role] += points
        for role in (DEALER, PONE):
            for reached in range(gained[deal, role] + 1, GAME + 1):
                when[role, reached, deal] = NEVER


@kernel
def solve_board(when, gained, wins):
    """The share of matches that the dealer wins from each pair of scores: float64[GAME, GAME].

    wins: by the dealer's and the pone's score before the deal. Each deal is one of a sample, all
    alike likely; who is first to the end wins, else the other deals the next one.
    when and gained as of `sample_deals`, four samples in the first two axes: begun with the dealer
    and with the pone at 0 or at ENDGAME_SCORE. Expert plays by no more of the scores than whether
    the other one is that far. So a sample is that of all scores on the same side of it, but for
    those that pass it during the deal.
    """
    deals = gained.shape[2]
    for both in range(2 * (GAME - 1), -1, -1):
        for dealer in range(max(0, both - GAME + 1), min(GAME - 1, both) + 1):
            pone = both - dealer
            late = int(dealer >= ENDGAME_SCORE), int(pone >= ENDGAME_SCORE)
            of_dealer, of_pone = when[late][DEALER, GAME - dealer], when[late][PONE, GAME - pone]
            won = 0.0
            for deal in range(deals):
                if of_dealer[deal] < of_pone[deal]:
                    won += 1.0
                elif of_dealer[deal] == NEVER and of_pone[deal] == NEVER:
                    after_pone = pone + gained[late][deal, PONE]
                    after_dealer = dealer + gained[late][deal, DEALER]
                    won += 1.0 - wins[after_pone, after_dealer]
            wins[dealer, pone] = won / deals


CUTS = np.array([60, 90, 106, GAME])
"""Scores of a zone are below the cut."""
ZONES = CUTS.shape[0]


@kernel
def check_board(table, search, wins, deals, moved, squares):
    """Plays deals from scores drawn at random, and sums by how much the board's chance moved.

    Of a board that fits the play, the chance that the dealer wins does not move in the mean. By
    zone of the dealer's and of the pone's score, [ZONES, ZONES]: deals, int64, how many to play;
    moved and squares, float64, the chance after the deal (1 or 0 where it ended the match) less
    that before, and its square.
    """
    for dealer_zone in range(ZONES):
        for pone_zone in range(ZONES):
            for _ in range(deals[dealer_zone, pone_zone]):
                dealer = _score_in(table.deals, dealer_zone)
                pone = _score_in(table.deals, pone_zone)
                table.tally[:] = 0
                table.tally[DEALER, SCORE], table.tally[PONE, SCORE] = dealer, pone
                if play_deal(table, search, DEALER):
                    after = 1.0 if table.tally[DEALER, SCORE] == GAME else 0.0
                else:
                    after = 1.0 - wins[table.tally[PONE, SCORE], table.tally[DEALER, SCORE]]
                by = after - wins[dealer, pone]
                moved[dealer_zone, pone_zone] += by
                squares[dealer_zone, pone_zone] += by * by


@inline
def _score_in(stream, zone):
    first = CUTS[zone - 1] if zone > 0 else 0
    return first + below(stream, CUTS[zone] - first)
