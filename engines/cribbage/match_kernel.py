"""Whole matches, fast: what `match.py` and the players of `players.py` make of the same cards."""

from typing import NamedTuple

import numpy as np

from engines.cards import PACK_SIZE
from engines.cribbage.brain_kernel import (
    THROW_COUNT,
    choose_card,
    choose_throw,
    legal_count,
    part,
    pile_points,
    value_of_rank,
)
from engines.cribbage.master_kernel import choose_searched
from engines.cribbage.master_memory import (
    CARD_BITS,
    KNOWN_SIZE,
    LAID,
    LEAST,
    SEEN,
    SHOW,
    THROWN,
)
from engines.cribbage.match import DEALT
from engines.cribbage.scoring import GAME
from engines.cribbage.scoring_kernel import JACK, show_points, sort
from engines.cribbage.throw_kernel import choose_board_throw
from engines.kernel import constant, inline, kernel
from engines.streams import STREAM_SIZE, below, next_word, reopen, shuffle_end

# Columns of a tally, one row a seat: the fields of `match.Tally`.
SCORE, DEALS, PEGGING_DEALER, PEGGING_PONE, HANDS_DEALER, HAND_DEALER = range(6)
HANDS_PONE, HAND_PONE, CRIBS, CRIB, HEELS = range(6, 11)
TALLY_SIZE = 11

LOG_SEAT, LOG_POINTS = range(2)
LOG_SIZE = 0  # of row 0
LOG_LENGTH = 12  # the starter, eight cards, two hands and the crib

# Fields of a player: float64[PLAYER_SIZE]; a random one is uniform over throws and legal cards.
# SAMPLES: hands over which it searches the play and weighs throws by it; 0 looks one reply ahead.
KIND, LEVEL, TEMPERATURE, SAMPLES = range(4)
PLAYER_SIZE = 4
RANDOM, BRAIN = 0.0, 1.0

ROLLS = 9007199254740992.0  # 2**53: a roll is a multiple of 1 / ROLLS

_ONE, _FOUR = np.uint64(1), np.uint64(4)
_NOTHING = np.uint64(0)
_NO_PILE = np.uint64(0)


class Table(NamedTuple):
    """What a match is played with. Seat s decides with players[s] and rolls[s].

    players: float64[2, PLAYER_SIZE]. rolls: uint64[2, STREAM_SIZE]. deals: uint64[STREAM_SIZE].
    shows: uint8[SHOWS, ROW]. cribs: float64[2, 13, 13].
    pegging: float64[2, SHOWS], of `master_tables`. pack: int8[52]. hands: int8[2, 6], ascending.
    held: int64[2]. crib: int8[4]. known: uint64[2, KNOWN_SIZE], what each seat knows. values:
    float64[15], scratch. tally: int64[2, TALLY_SIZE]. log: int64[1 + LOG_LENGTH, 2], in row 0 how
    often points were scored in this deal, then each time by whom and how many.
    """

    players: np.ndarray
    rolls: np.ndarray
    deals: np.ndarray
    shows: np.ndarray
    cribs: np.ndarray
    pegging: np.ndarray
    pack: np.ndarray
    hands: np.ndarray
    held: np.ndarray
    crib: np.ndarray
    known: np.ndarray
    values: np.ndarray
    tally: np.ndarray
    log: np.ndarray


def new_table(shows: np.ndarray, cribs: np.ndarray, pegging: np.ndarray) -> Table:
    """A table with nobody at it."""
    return Table(
        players=np.zeros((2, PLAYER_SIZE)),
        rolls=np.zeros((2, STREAM_SIZE), np.uint64),
        deals=np.zeros(STREAM_SIZE, np.uint64),
        shows=constant(shows),
        cribs=constant(cribs),
        pegging=constant(pegging),
        pack=np.zeros(PACK_SIZE, np.int8),
        hands=np.zeros((2, 6), np.int8),
        held=np.zeros(2, np.int64),
        crib=np.zeros(4, np.int8),
        known=np.zeros((2, KNOWN_SIZE), np.uint64),
        values=np.zeros(THROW_COUNT),
        tally=np.zeros((2, TALLY_SIZE), np.int64),
        log=np.zeros((1 + LOG_LENGTH, 2), np.int64),
    )


@inline
def _give(table, seat, source, points):
    """Gives points; whether they end the match."""
    tally, log = table.tally, table.log
    log[0, LOG_SIZE] += 1
    log[log[0, LOG_SIZE], LOG_SEAT], log[log[0, LOG_SIZE], LOG_POINTS] = seat, points
    tally[seat, source] += points
    tally[seat, SCORE] = min(GAME, tally[seat, SCORE] + points)
    return tally[seat, SCORE] == GAME


@inline
def deal(table, first):
    """Deals a fresh pack, seat `first` the first card; the starter."""
    pack, hands = table.pack, table.hands
    table.log[0, LOG_SIZE] = 0
    for card in range(PACK_SIZE):
        pack[card] = card
    shuffle_end(table.deals, pack, DEALT)
    for place in range(6):
        hands[first, place] = pack[PACK_SIZE - 1 - 2 * place]
        hands[1 - first, place] = pack[PACK_SIZE - 2 - 2 * place]
    sort(hands[0], 0, 6)
    sort(hands[1], 0, 6)
    return np.int64(pack[PACK_SIZE - DEALT])


@inline
def _next_roll(player, stream):
    """As `brain.roll_of_word` of the stream's next word; who needs no chance draws none."""
    if player[TEMPERATURE] <= 0.0 and player[SAMPLES] <= 0.0:
        return 0.0
    return np.float64(next_word(stream) >> np.uint64(11)) * (1.0 / ROLLS)


@inline
def _throw(table, search, seat, dealer):
    """The index in THROWS of what a seat throws: from its own six cards and who deals."""
    player, rolls = table.players[seat], table.rolls[seat]
    if player[KIND] == RANDOM:
        return below(rolls, THROW_COUNT)
    roll = _next_roll(player, rolls)
    if player[SAMPLES] > 0.0:
        return choose_board_throw(
            search.trials,
            table.hands[seat],
            seat == dealer,
            table.tally[seat, SCORE],
            table.tally[1 - seat, SCORE],
            table.shows,
            table.cribs,
            table.pegging,
            np.int64(player[SAMPLES]),
            np.uint64(roll * ROLLS),
            table.values,
        )
    return choose_throw(
        table.hands[seat],
        seat == dealer,
        player[TEMPERATURE],
        roll,
        table.shows,
        table.cribs,
        table.values,
    )


@inline
def _card(table, search, seat, dealer, pile, size, count, starter):
    """The place in its hand of the card that a seat plays.

    Of the other seat it is given the score, the number of cards, and what is public of `known`.
    """
    player, rolls = table.players[seat], table.rolls[seat]
    hand, held = table.hands[seat], table.held[seat]
    legal = legal_count(hand, held, count)
    if player[KIND] == RANDOM:
        return below(rolls, legal)
    roll = _next_roll(player, rolls)
    if player[SAMPLES] > 0.0:
        return choose_searched(
            search,
            hand,
            held,
            legal,
            pile,
            size,
            count,
            table.held[1 - seat],
            starter,
            table.tally[seat, SCORE],
            table.tally[1 - seat, SCORE],
            table.known[seat],
            table.known[1 - seat],
            dealer != seat,
            np.int64(player[SAMPLES]),
            roll,
        )
    return choose_card(
        hand,
        held,
        legal,
        pile,
        size,
        count,
        table.held[1 - seat],
        starter,
        table.tally[1 - seat, SCORE],
        player[LEVEL],
        player[TEMPERATURE],
        roll,
        table.values,
    )


@inline
def _discard(table, search, dealer):
    """Both seats throw two cards; each hand keeps four."""
    for seat in range(2):
        hand = table.hands[seat]
        throw = _throw(table, search, seat, dealer)
        table.known[seat, SEEN] = _NOTHING
        for place in range(6):
            table.known[seat, SEEN] |= _ONE << np.uint64(hand[place])
        part(hand, throw, hand, table.crib, 2 * seat)
        low, high = table.crib[2 * seat], table.crib[2 * seat + 1]
        table.known[seat, THROWN] = np.uint64(low) << CARD_BITS | np.uint64(high)
        table.held[seat] = 4
    sort(table.crib, 0, 4)


@inline
def _least_value(table, seat):
    """What the lowest card held counts, 99 without cards."""
    return value_of_rank(table.hands[seat, 0] >> 2) if table.held[seat] else 99


@inline
def _say_go(table, seat, count):
    """Everyone learns that each card that a seat holds would go beyond 31."""
    if table.held[seat] > 0:
        table.known[seat, LEAST] = max(table.known[seat, LEAST], np.uint64(32 - count))


@inline
def _show(table, card):
    """Both seats have seen a card."""
    for seat in range(2):
        table.known[seat, SEEN] |= _ONE << np.uint64(card)


@inline
def play_cards(table, search, dealer, starter):
    """The play; whether it ended the match."""
    held, hands, known = table.held, table.hands, table.known
    for seat in range(2):
        known[seat, LAID], known[seat, LEAST] = _NOTHING, _NOTHING
        a, b, c, d = hands[seat, 0], hands[seat, 1], hands[seat, 2], hands[seat, 3]
        known[seat, SHOW] = np.uint64(show_points(table.shows, a, b, c, d, starter, False))
    _show(table, starter)
    seat = 1 - dealer
    pile, size, count = _NO_PILE, 0, 0
    while held[0] + held[1] > 0:
        if count + _least_value(table, seat) > 31:
            _say_go(table, seat, count)
            seat = 1 - seat
            if count + _least_value(table, seat) > 31:
                _say_go(table, seat, count)
                pile, size, count = _NO_PILE, 0, 0
                seat = 1 - seat
                continue
        hand = table.hands[seat]
        place = _card(table, search, seat, dealer, pile, size, count, starter)
        rank = np.int64(hand[place] >> 2)
        _show(table, hand[place])
        known[seat, LAID] = known[seat, LAID] << CARD_BITS | np.uint64(hand[place])
        held[seat] -= 1
        for above in range(place, held[seat]):
            hand[above] = hand[above + 1]
        count += value_of_rank(rank)
        points = pile_points(pile, size, rank, count)
        pile = pile << _FOUR | np.uint64(rank)
        size += 1
        least = min(_least_value(table, 0), _least_value(table, 1))
        if count < 31 and count + least > 31:
            points += 1
        if _give(table, seat, PEGGING_DEALER if seat == dealer else PEGGING_PONE, points):
            return True
        if count == 31:
            pile, size, count = _NO_PILE, 0, 0
        seat = 1 - seat
    return False


@kernel
def play_deal(table, search, dealer):
    """One deal, shuffle to crib; whether it ended the match."""
    tally, known = table.tally, table.known
    tally[dealer, DEALS] += 1
    starter = deal(table, 1 - dealer)
    _discard(table, search, dealer)
    if starter >> 2 == JACK and _give(table, dealer, HEELS, 2):
        return True
    if play_cards(table, search, dealer, starter):
        return True
    pone = 1 - dealer
    tally[pone, HANDS_PONE] += 1
    if _give(table, pone, HAND_PONE, np.int64(known[pone, SHOW])):
        return True
    tally[dealer, HANDS_DEALER] += 1
    if _give(table, dealer, HAND_DEALER, np.int64(known[dealer, SHOW])):
        return True
    crib = table.crib
    tally[dealer, CRIBS] += 1
    points = show_points(table.shows, crib[0], crib[1], crib[2], crib[3], starter, True)
    return _give(table, dealer, CRIB, points)


@inline
def _copy(source, target):
    for place in range(source.shape[0]):
        target[place] = source[place]


@kernel
def play_pairs(table, search, pairs, players, rolls, found):
    """Plays the pairs of matches with these numbers into found.

    In leg l player p sits in seat p ^ l; seat pair % 2 deals first.
    pairs: int64[n]. players: float64[2, PLAYER_SIZE]. rolls: uint64[2, 2, STREAM_SIZE], of leg and
    player. found: int64[n, 2, 2, TALLY_SIZE], by leg and player. search: of `new_search`.
    """
    for index in range(pairs.shape[0]):
        pair = pairs[index]
        for leg in range(2):
            reopen(table.deals, pair)
            table.tally[:] = 0
            for player in range(2):
                seat = player ^ leg
                reopen(rolls[leg, player], pair)
                _copy(rolls[leg, player], table.rolls[seat])
                _copy(players[player], table.players[seat])
            dealer = pair % 2
            while not play_deal(table, search, dealer):
                dealer = 1 - dealer
            for player in range(2):
                _copy(table.tally[player ^ leg], found[index, leg, player])
