"""Master's play: the rest of the play searched over the hands that the opponent may hold.

In each sampled hand the opponent plays on as Expert. After its reply the search goes on with those
samples that would have replied so: a later decision of ours rests on what will be public by then,
and not on the hand that it happens to be.
"""

import numpy as np

from engines.cribbage.brain_kernel import (
    choose_card,
    first_best,
    legal_count,
    pile_points,
    value_of_rank,
)
from engines.cribbage.master_memory import (
    GOAL,
    HELD,
    MOST_SHOWN,
    OTHERS,
    OWN_DEAL,
    OWN_SHOW,
    SHOW,
    STARTER,
    SUIT_POINTS,
)
from engines.cribbage.reading_kernel import draw_hands, weigh_crib
from engines.cribbage.scoring import GAME
from engines.kernel import inline, kernel

# Fields of a line: where the play of one sampled hand stands.
_PILE, _SIZE, _COUNT, _REPLIED, _OWN, _OTHER = range(6)

# Fields of a frame: a set of samples that look alike, and the card that is tried with them.
_MEMBERS, _PLAYED, _PLACE, _RANK, _NEXT, _WAITING = range(6)
_TOTAL, _BEST = range(2)

_OVER = -1
_NOT_YET = -1.0
_COUNT_OVER, _GO = 14, 15  # beside ranks in what was seen of a line
_NOTHING = -1e18
TIE = 1e-9
"""Chances to win that differ by no more are equal: sums are rounded."""
_ZERO, _FOUR = np.uint64(0), np.uint64(4)


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
    opponent_score,
    own_known,
    opponent_known,
    opponent_deals,
    samples,
    roll,
):
    """The place in hand[0..legal-1] of the card that Master plays; legal is at least 1.

    Of cards that win equally often, the one that scores most at once, the first of those.
    The position as for `choose_card`. own_known and opponent_known: uint64[KNOWN_SIZE], of which of
    the opponent's only what is public is looked at. roll: in [0, 1), decides the samples.
    """
    if legal == 1:
        return 0
    weight = weigh_cards(
        search, hand, held, pile, size, count, opponent_cards, starter, own_score, opponent_score,
        own_known, opponent_known, opponent_deals, samples, roll,
    )  # fmt: skip
    least = search.sums[first_best(search.sums, legal)] - TIE * weight
    chosen, most = 0, -1
    for place in range(legal):
        rank = np.int64(hand[place] >> 2)
        points = pile_points(pile, size, rank, count + value_of_rank(rank))
        if search.sums[place] >= least and points > most:
            chosen, most = place, points
    return chosen


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
    opponent_score,
    own_known,
    opponent_known,
    opponent_deals,
    samples,
    roll,
):
    """Sums over the samples of weight times chance to win, into search.sums; their weight.

    A card that cannot be played, or equals the one before in rank, has a sum far below all others.
    """
    search.numbers[HELD], search.numbers[OTHERS] = held, opponent_cards
    search.numbers[STARTER], search.numbers[OWN_DEAL] = starter, 0 if opponent_deals else 1
    search.numbers[OWN_SHOW] = np.int64(own_known[SHOW])
    search.numbers[GOAL] = search.wins.shape[0]
    weigh_crib(search, own_known, opponent_deals)
    for own in range(own_score, search.numbers[GOAL]):
        for other in range(opponent_score, search.numbers[GOAL]):
            search.counts[own, other] = _NOT_YET
    for place in range(held):
        search.hand[place] = hand[place]
    samples = draw_hands(search, own_known, opponent_known, opponent_deals, samples, roll)
    weight = 0.0
    for sample in range(samples):
        weight += search.weights[sample]
        line = search.lines[0, sample]
        line[_PILE], line[_SIZE], line[_COUNT] = np.int64(pile), size, count
        line[_REPLIED], line[_OWN], line[_OTHER] = 0, own_score, opponent_score
        search.members[0, sample] = sample
    for place in range(4):
        search.sums[place] = _NOTHING
    if samples > 0:
        _search(search, samples)
    return weight


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
    for place in range(frame[_PLACE] + 1, search.numbers[HELD]):
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
            total += search.weights[sample] * _chance_to_win(search, level + 1, sample)
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
    replied, own, other = before[_REPLIED], before[_OWN], before[_OTHER]
    goal = search.numbers[GOAL]
    own_turn, seen = True, 1
    while True:
        count += value_of_rank(rank)
        points = pile_points(pile, size, rank, count)
        pile = pile << _FOUR | np.uint64(rank)
        size += 1
        own_least = _least_value(search.hand, search.numbers[HELD], played)
        other_least = _least_value(search.hands[sample], search.numbers[OTHERS], replied)
        if count < 31 and count + min(own_least, other_least) > 31:
            points += 1
        if own_turn:
            own += points
        else:
            other += points
        if own >= goal or other >= goal or (own_least == _NO_CARD and other_least == _NO_CARD):
            line[_OWN], line[_OTHER] = own, other
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
            line[_REPLIED], line[_OWN], line[_OTHER] = replied, own, other
            return seen
        place = _reply(search, sample, played, replied, pile, size, count, own)
        replied |= 1 << place
        rank = np.int64(search.hands[sample, place] >> 2)
        seen = seen << 4 | rank


@inline
def _chance_to_win(search, level, sample):
    """Our chance once the play has ended so, over what the suits of the sampled hand may score."""
    own, other = search.lines[level, sample, _OWN], search.lines[level, sample, _OTHER]
    goal = search.numbers[GOAL]
    if own >= goal:
        return 1.0
    if other >= goal:
        return 0.0
    chance = 0.0
    for kind in range(SUIT_POINTS.shape[0]):
        share = search.suited[sample, kind]
        if share > 0.0:
            other_show = search.counted[sample] + SUIT_POINTS[kind]
            chance += share * _chance_after_hands(search, own, other, other_show)
    return chance


@inline
def _chance_after_hands(search, own, other, other_show):
    """Our chance with hands that are counted so, the pone's first."""
    goal = search.numbers[GOAL]
    own += search.numbers[OWN_SHOW]
    other += other_show
    if own >= goal or other >= goal:
        # Of two that get there the pone is first.
        is_won = own >= goal and (other < goal or not search.numbers[OWN_DEAL])
        return 1.0 if is_won else 0.0
    if search.counts[own, other] == _NOT_YET:
        search.counts[own, other] = _chance_before_crib(search, own, other)
    return search.counts[own, other]


@inline
def _chance_before_crib(search, own, other):
    """Our chance over what may lie in the crib."""
    goal, chance = search.numbers[GOAL], 0.0
    for points in range(MOST_SHOWN + 1):
        if search.numbers[OWN_DEAL]:
            if own + points >= goal:
                chance += search.crib[points]
            else:
                chance += search.crib[points] * (1.0 - search.wins[other, own + points])
        elif other + points < goal:
            chance += search.crib[points] * search.wins[own, other + points]
    return chance


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
    for place in range(search.numbers[OTHERS]):
        if not replied >> place & 1:
            search.space[held] = search.hands[sample, place]
            held += 1
    own_cards = 0
    for place in range(search.numbers[HELD]):
        own_cards += 1 - (played >> place & 1)
    chosen = choose_card(
        search.space,
        held,
        legal_count(search.space, held, count),
        pile,
        size,
        count,
        own_cards,
        search.numbers[STARTER],
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
