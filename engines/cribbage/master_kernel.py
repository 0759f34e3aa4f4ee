"""Master's play: the rest of the play searched over the hands that the opponent may hold.

In each sampled hand the opponent plays on as Expert. After its reply the search goes on with those
samples that would have replied so: a later decision of ours rests on what will be public by then,
and not on the hand that it happens to be.
"""

from typing import NamedTuple

import numpy as np

from engines.cards import PACK_SIZE
from engines.cribbage.brain_kernel import (
    THROW_COUNT,
    choose_card,
    legal_count,
    pile_points,
    value_of_rank,
)
from engines.cribbage.scoring import GAME
from engines.cribbage.scoring_kernel import RANKS, show_index, sort
from engines.kernel import inline, kernel
from engines.streams import STREAM_SIZE, below, open_stream, reopen

MAX_SAMPLES = 512
_LEVELS = 5  # a card of ours leads from each to the next

# What a seat knows of a deal: uint64[KNOWN_SIZE].
SEEN, LAID, LAID_SIZE, LEAST = range(4)
"""SEEN: a bit for each card it has seen. Of the seat itself, public: LAID, the ranks it has played,
packed as a pile, LAID_SIZE of them; LEAST, what each card it holds counts at least by its gos."""
KNOWN_SIZE = 4

# Fields of a line: where the play of one sampled hand stands.
_PILE, _SIZE, _COUNT, _REPLIED, _MARGIN, _OWN = range(6)
_LINE_SIZE = 6

# Fields of a frame: a set of samples that look alike, and the card that is tried with them.
_MEMBERS, _PLAYED, _PLACE, _RANK, _NEXT, _WAITING = range(6)
_FRAME_SIZE = 6
_TOTAL, _BEST = range(2)

_OVER = -1
_COUNT_OVER, _GO = 14, 15  # beside ranks in what was seen of a line
_NOTHING = -1e18
_ZERO, _ONE, _FOUR, _LOW = np.uint64(0), np.uint64(1), np.uint64(4), np.uint64(15)
SAMPLE_PURPOSE = "cribbage master samples"


class Search(NamedTuple):
    """Memory of a search over samples of the opponent's hand.

    hand: int8[4], own, ascending. hands: int8[MAX_SAMPLES, 4], ascending. numbers: int64[3], own
    cards, the opponent's, the starter. weights: float64[MAX_SAMPLES]. lines: int64[levels,
    MAX_SAMPLES, _LINE_SIZE]; seen and members: int64[levels, MAX_SAMPLES]. frames: int64[levels,
    _FRAME_SIZE]. totals: float64[levels, 2]. sums: float64[4], of the cards at the root. stream:
    uint64[STREAM_SIZE]. keeps: float64[2, SHOWS], of `master_tables`. pool: int8[52], space:
    int8[4], values: float64[15], all scratch.
    """

    hand: np.ndarray
    hands: np.ndarray
    numbers: np.ndarray
    weights: np.ndarray
    lines: np.ndarray
    seen: np.ndarray
    members: np.ndarray
    frames: np.ndarray
    totals: np.ndarray
    sums: np.ndarray
    stream: np.ndarray
    keeps: np.ndarray
    pool: np.ndarray
    space: np.ndarray
    values: np.ndarray


_HELD, _OTHERS, _STARTER = range(3)


def new_search(keeps: np.ndarray) -> Search:
    """Memory for any number of searches, one after the other."""
    return Search(
        hand=np.zeros(4, np.int8),
        hands=np.zeros((MAX_SAMPLES, 4), np.int8),
        numbers=np.zeros(3, np.int64),
        weights=np.zeros(MAX_SAMPLES),
        lines=np.zeros((_LEVELS, MAX_SAMPLES, _LINE_SIZE), np.int64),
        seen=np.zeros((_LEVELS, MAX_SAMPLES), np.int64),
        members=np.zeros((_LEVELS, MAX_SAMPLES), np.int64),
        frames=np.zeros((_LEVELS, _FRAME_SIZE), np.int64),
        totals=np.zeros((_LEVELS, 2)),
        sums=np.zeros(4),
        stream=np.zeros(STREAM_SIZE, np.uint64) + open_stream(0, 0, SAMPLE_PURPOSE),
        keeps=keeps,
        pool=np.zeros(PACK_SIZE, np.int8),
        space=np.zeros(4, np.int8),
        values=np.zeros(THROW_COUNT),
    )


@kernel
def choose_searched(
    search,
    hand,
    held,
    legal,
    pile,
    size,
    count,
    opponent_cards,
    starter,
    own_score,
    own_known,
    opponent_known,
    opponent_deals,
    samples,
    seed,
):
    """The place in hand[0..legal-1] of the card that Master plays; legal is at least 1.

    The position as for `choose_card`. own_known and opponent_known: uint64[KNOWN_SIZE], of which of
    the opponent's only what is public is looked at. seed: uint64, decides the samples.
    """
    if legal == 1:
        return 0
    weigh_cards(
        search, hand, held, pile, size, count, opponent_cards, starter, own_score,
        own_known, opponent_known, opponent_deals, samples, seed,
    )  # fmt: skip
    best = 0
    for place in range(1, legal):
        if search.sums[place] > search.sums[best]:
            best = place
    return best


@kernel
def weigh_cards(
    search,
    hand,
    held,
    pile,
    size,
    count,
    opponent_cards,
    starter,
    own_score,
    own_known,
    opponent_known,
    opponent_deals,
    samples,
    seed,
):
    """Sums over the samples of weight times margin of each card, into search.sums; their weight.

    A card that cannot be played, or equals the one before in rank, has a sum far below all others.
    """
    search.numbers[_HELD], search.numbers[_OTHERS] = held, opponent_cards
    search.numbers[_STARTER] = starter
    for place in range(held):
        search.hand[place] = hand[place]
    samples = _draw_hands(search, own_known, opponent_known, opponent_deals, samples, seed)
    weight = 0.0
    for sample in range(samples):
        weight += search.weights[sample]
        line = search.lines[0, sample]
        line[_PILE], line[_SIZE], line[_COUNT] = np.int64(pile), size, count
        line[_REPLIED], line[_MARGIN], line[_OWN] = 0, 0, own_score
        search.members[0, sample] = sample
    for place in range(4):
        search.sums[place] = _NOTHING
    _search(search, samples)
    return weight


@inline
def _draw_hands(search, own_known, opponent_known, opponent_deals, samples, seed):
    """Hands of unseen cards that the opponent's gos allow, with their weights; how many.

    Of one or two cards all there are, by rank: suits are nothing in the play. Of more, a sample.
    """
    pool, filled = search.pool, 0
    left = _ZERO  # cards of each rank, packed
    for card in range(PACK_SIZE):
        is_seen = own_known[SEEN] >> np.uint64(card) & _ONE
        if not is_seen and np.uint64(value_of_rank(card >> 2)) >= opponent_known[LEAST]:
            pool[filled] = card
            filled += 1
            left += _ONE << np.uint64(4 * (card >> 2))
    cards = search.numbers[_OTHERS]
    drawn = 0
    if cards <= 2:
        for high in range(RANKS if cards > 0 else 1):
            for low in range(high + 1 if cards > 1 else 1):
                ways = _ways(left, high, low, cards)
                if ways > 0:
                    search.hands[drawn, 0], search.hands[drawn, 1] = 4 * high, 4 * high
                    if cards > 1:
                        search.hands[drawn, 0] = 4 * low
                    search.weights[drawn] = ways
                    drawn += 1
    else:
        search.stream[0] = seed
        reopen(search.stream, 0)
        drawn = min(samples, MAX_SAMPLES)
        for sample in range(drawn):
            for place in range(cards):
                last = filled - 1 - place
                other = below(search.stream, last + 1)
                pool[last], pool[other] = pool[other], pool[last]
                search.hands[sample, place] = pool[last]
            sort(search.hands[sample], 0, cards)
            search.weights[sample] = 1.0
    for sample in range(drawn):
        row = _kept_row(search.hands, sample, cards, opponent_known)
        search.weights[sample] *= search.keeps[1 if opponent_deals else 0, row]
    return drawn


@inline
def _ways(left, high, low, cards):
    """In how many ways two cards of these ranks can be held, or one of the higher, or none."""
    of_high = np.int64(left >> np.uint64(4 * high) & _LOW)
    if cards == 0:
        return 1
    if cards == 1:
        return of_high
    if high == low:
        return of_high * (of_high - 1) // 2
    return of_high * np.int64(left >> np.uint64(4 * low) & _LOW)


@inline
def _kept_row(hands, sample, cards, opponent_known):
    """The row of the four ranks that the opponent kept: those it has laid and those sampled."""
    counts = _ZERO
    for place in range(cards):
        counts += _ONE << np.uint64(4 * (hands[sample, place] >> 2))
    laid = opponent_known[LAID]
    for _ in range(np.int64(opponent_known[LAID_SIZE])):
        counts += _ONE << _FOUR * (laid & _LOW)
        laid >>= _FOUR
    a, b, c, d = 0, 0, 0, 0
    for rank in range(RANKS):
        for _ in range(np.int64(counts >> np.uint64(4 * rank) & _LOW)):
            a, b, c, d = b, c, d, rank
    return show_index(a, b, c, d)


@inline
def _search(search, samples):
    """Depth first over our cards and what can be seen of the replies, on a stack of frames."""
    _open_frame(search, 0, samples, 0)
    level = 0
    while level >= 0:
        if search.frames[level, _WAITING] > 0:
            _take_group(search, level)
            level += 1
            continue
        if search.frames[level, _PLACE] >= 0:
            total = search.totals[level, _TOTAL]
            search.totals[level, _BEST] = max(search.totals[level, _BEST], total)
            if level == 0:
                search.sums[search.frames[0, _PLACE]] = total
        if _next_card(search, level):
            _lay_card(search, level)
        else:
            level -= 1
            if level >= 0:
                search.totals[level, _TOTAL] += search.totals[level + 1, _BEST]


@inline
def _open_frame(search, level, members, played):
    frame = search.frames[level]
    frame[_MEMBERS], frame[_PLAYED], frame[_PLACE], frame[_RANK] = members, played, -1, -1
    frame[_WAITING] = 0
    search.totals[level, _BEST] = _NOTHING


@inline
def _next_card(search, level):
    """Moves a frame on to its next card that can be played; whether there is one."""
    frame = search.frames[level]
    count = search.lines[level, search.members[level, 0], _COUNT]
    for place in range(frame[_PLACE] + 1, search.numbers[_HELD]):
        if frame[_PLAYED] >> place & 1:
            continue
        rank = np.int64(search.hand[place] >> 2)
        if count + value_of_rank(rank) > 31:
            return False
        if rank != frame[_RANK]:
            frame[_PLACE], frame[_RANK] = place, rank
            return True
    return False


@inline
def _lay_card(search, level):
    """Plays the frame's card on in each of its samples; those that are over are summed."""
    frame = search.frames[level]
    played = frame[_PLAYED] | 1 << frame[_PLACE]
    total, waiting = 0.0, 0
    for index in range(frame[_MEMBERS]):
        sample = search.members[level, index]
        seen = _play_on(search, level, sample, frame[_RANK], played)
        search.seen[level, sample] = seen
        if seen == _OVER:
            total += search.weights[sample] * search.lines[level + 1, sample, _MARGIN]
        else:
            waiting += 1
    search.totals[level, _TOTAL] = total
    frame[_WAITING], frame[_NEXT] = waiting, 0


@inline
def _take_group(search, level):
    """Gathers the next samples that look alike into a frame of the next level."""
    frame = search.frames[level]
    while search.seen[level, search.members[level, frame[_NEXT]]] == _OVER:
        frame[_NEXT] += 1
    seen = search.seen[level, search.members[level, frame[_NEXT]]]
    members = 0
    for index in range(frame[_NEXT], frame[_MEMBERS]):
        sample = search.members[level, index]
        if search.seen[level, sample] == seen:
            search.seen[level, sample] = _OVER
            search.members[level + 1, members] = sample
            members += 1
    frame[_WAITING] -= members
    _open_frame(search, level + 1, members, frame[_PLAYED] | 1 << frame[_PLACE])


@kernel
def _play_on(search, level, sample, rank, played):
    """Lays our card of a rank and plays on until it is our turn with a card for the count.

    Returns what was seen on the way, _OVER where the play is over. The line is that of level + 1.
    """
    before, line = search.lines[level, sample], search.lines[level + 1, sample]
    pile, size, count = np.uint64(before[_PILE]), before[_SIZE], before[_COUNT]
    replied, margin, own = before[_REPLIED], before[_MARGIN], before[_OWN]
    own_turn, seen = True, 1
    while True:
        count += value_of_rank(rank)
        points = pile_points(pile, size, rank, count)
        pile = pile << _FOUR | np.uint64(rank)
        size += 1
        own_least = _least_value(search.hand, search.numbers[_HELD], played)
        other_least = _least_value(search.hands[sample], search.numbers[_OTHERS], replied)
        if count < 31 and count + min(own_least, other_least) > 31:
            points += 1
        margin += points if own_turn else -points
        own += points if own_turn else 0
        if own_least == _NO_CARD and other_least == _NO_CARD:
            line[_MARGIN] = margin
            return _OVER
        own_turn = not own_turn
        if count == 31 or count + min(own_least, other_least) > 31:
            pile, size, count = _ZERO, 0, 0
            seen = seen << 4 | _COUNT_OVER
        if own_turn and count + own_least > 31:
            own_turn = False
        elif not own_turn and count + other_least > 31:
            own_turn = True
            seen = seen << 4 | _GO
        if own_turn:
            line[_PILE], line[_SIZE], line[_COUNT] = np.int64(pile), size, count
            line[_REPLIED], line[_MARGIN], line[_OWN] = replied, margin, own
            return seen
        place = _reply(search, sample, played, replied, pile, size, count, own)
        replied |= 1 << place
        rank = np.int64(search.hands[sample, place] >> 2)
        seen = seen << 4 | rank


_NO_CARD = 99


@inline
def _least_value(hand, held, played):
    """What the lowest card counts that is not played yet, _NO_CARD where all are."""
    for place in range(held):
        if not played >> place & 1:
            return value_of_rank(np.int64(hand[place] >> 2))
    return _NO_CARD


@inline
def _reply(search, sample, played, replied, pile, size, count, own):
    """The place in a sampled hand of the card that Expert plays from it."""
    held = 0
    for place in range(search.numbers[_OTHERS]):
        if not replied >> place & 1:
            search.space[held] = search.hands[sample, place]
            held += 1
    own_cards = 0
    for place in range(search.numbers[_HELD]):
        own_cards += 1 - (played >> place & 1)
    chosen = choose_card(
        search.space,
        held,
        legal_count(search.space, held, count),
        pile,
        size,
        count,
        own_cards,
        search.numbers[_STARTER],
        min(own, GAME - 1),
        1.0,
        0.0,
        0.0,
        search.values,
    )
    place = 0
    while replied >> place & 1 or chosen > 0:
        if not replied >> place & 1:
            chosen -= 1
        place += 1
    return place
