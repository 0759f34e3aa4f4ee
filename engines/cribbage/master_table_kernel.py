"""Samples of the play for Master's tables."""

from engines.cribbage.brain_kernel import THROW_COUNT, choose_throw, part
from engines.cribbage.match_kernel import PEGGING_DEALER, PEGGING_PONE, deal, play_cards
from engines.cribbage.scoring_kernel import show_index
from engines.kernel import inline, kernel
from engines.streams import below


@kernel
def sample_plays(table, search, samples, keeps, flushes, counts, margins, throws):
    """Plays of a hand kept at random (seat 0) against one that Expert keeps (seat 1).

    The roles alternate. int64[2, SHOWS] by role and ranks kept: keeps, how often Expert kept them
    of more than one suit; flushes, of one; counts, how often they were kept at random; margins,
    that seat's points less the other's. throws: int64[2, RANKS, RANKS] by role, lower and higher
    rank, how often Expert threw them. Cards and random throws are from table.deals.
    """
    hands, tally = table.hands, table.tally
    for sample in range(samples):
        starter = deal(table, 0)
        dealer = sample & 1
        at_random = below(table.deals, THROW_COUNT)
        by_expert = choose_throw(
            hands[1], dealer == 1, 0.0, 0.0, table.shows, table.cribs, table.values
        )
        row = _keep(table, 0, at_random)
        kept = _keep(table, 1, by_expert)
        if _is_flush(hands[1]):
            flushes[dealer, kept] += 1
        else:
            keeps[dealer, kept] += 1
        throws[dealer, table.crib[2] >> 2, table.crib[3] >> 2] += 1
        table.held[:] = 4
        tally[:] = 0
        play_cards(table, search, dealer, starter)
        margin = tally[0, PEGGING_DEALER] + tally[0, PEGGING_PONE]
        margin -= tally[1, PEGGING_DEALER] + tally[1, PEGGING_PONE]
        role = 1 - dealer
        counts[role, row] += 1
        margins[role, row] += margin


@inline
def _keep(table, seat, throw):
    """Leaves a seat the four cards that a throw keeps; the row of their ranks."""
    hand = table.hands[seat]
    part(hand, throw, hand, table.crib, 2 * seat)
    return show_index(hand[0] >> 2, hand[1] >> 2, hand[2] >> 2, hand[3] >> 2)


@inline
def _is_flush(hand):
    suit = hand[0] & 3
    return hand[1] & 3 == suit and hand[2] & 3 == suit and hand[3] & 3 == suit
