"""What scores in cribbage, with which cards, and how much: the plain scorer, and the authority.

Rules as those of the American Cribbage Congress, without muggins. `scoring_kernel.py` is the fast
twin.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, product

from engines.cards import CARD_NAMES, rank_of, suit_of

FIVE, JACK = 4, 10
MAX_COUNT = 31
GAME = 121
"""Points that win a match, at once."""


class Kind(StrEnum):
    """What scored."""

    FIFTEEN = "fifteen"
    PAIR = "pair"
    PAIR_ROYAL = "pair royal"
    DOUBLE_PAIR_ROYAL = "double pair royal"
    RUN = "run"
    FLUSH = "flush"
    NOBS = "nobs"
    HEELS = "heels"
    THIRTY_ONE = "thirty-one"
    GO = "go"
    LAST_CARD = "last card"


@dataclass(frozen=True)
class Scored:
    """One thing that scored: the cards that made it and its points."""

    kind: Kind
    cards: tuple[int, ...]
    points: int

    def __str__(self) -> str:
        """As in "fifteen 5H KD for 2"."""
        return f"{self.kind} {' '.join(CARD_NAMES[card] for card in self.cards)} for {self.points}"


_PAIRS_IN_PLAY = {
    2: (Kind.PAIR, 2),
    3: (Kind.PAIR_ROYAL, 6),
    4: (Kind.DOUBLE_PAIR_ROYAL, 12),
}


def value_of(card: int) -> int:
    """What a card counts: 1 for an ace, its number, 10 for a court card."""
    return min(rank_of(card) + 1, 10)


def total(scored: Sequence[Scored]) -> int:
    """The points of all of these together."""
    return sum(each.points for each in scored)


def score_show(hand: Sequence[int], starter: int, *, crib: bool = False) -> list[Scored]:
    """What a hand or crib of four cards scores with the starter when it is counted.

    Four cards of one suit in a hand are a flush of 4, of 5 with the starter; in the crib all five
    must agree. A starter that is a jack is heels, scored at the cut, and never nobs.
    """
    cards = [*hand, starter]
    return [
        *_fifteens(cards),
        *_pairs(cards),
        *_runs(cards),
        *_flush(hand, starter, crib),
        *_nobs(hand, starter),
    ]


def score_thrown(thrown: Sequence[int], starter: int) -> list[Scored]:
    """What two thrown cards score with a starter, the rest of the crib left out."""
    cards = [*thrown, starter]
    return [*_fifteens(cards), *_pairs(cards), *_runs(cards), *_nobs(thrown, starter)]


def _fifteens(cards: Sequence[int]) -> list[Scored]:
    return [
        Scored(Kind.FIFTEEN, chosen, 2)
        for size in range(2, len(cards) + 1)
        for chosen in combinations(cards, size)
        if sum(map(value_of, chosen)) == 15
    ]


def _pairs(cards: Sequence[int]) -> list[Scored]:
    return [
        Scored(Kind.PAIR, pair, 2)
        for pair in combinations(cards, 2)
        if rank_of(pair[0]) == rank_of(pair[1])
    ]


def _runs(cards: Sequence[int]) -> list[Scored]:
    """The longest runs of three or more, each choice among cards of equal rank its own."""
    of_rank: dict[int, list[int]] = {}
    for card in cards:
        of_rank.setdefault(rank_of(card), []).append(card)
    runs = []
    for start in of_rank:
        if start - 1 in of_rank:
            continue
        stop = start
        while stop in of_rank:
            stop += 1
        if stop - start >= 3:
            choices = product(*(of_rank[rank] for rank in range(start, stop)))
            runs += [Scored(Kind.RUN, chosen, stop - start) for chosen in choices]
    return runs


def _flush(hand: Sequence[int], starter: int, crib: bool) -> list[Scored]:
    if len(set(map(suit_of, hand))) > 1:
        return []
    if suit_of(starter) == suit_of(hand[0]):
        return [Scored(Kind.FLUSH, (*hand, starter), 5)]
    return [] if crib else [Scored(Kind.FLUSH, tuple(hand), 4)]


def _nobs(hand: Sequence[int], starter: int) -> list[Scored]:
    if rank_of(starter) == JACK:
        return []
    jacks = [card for card in hand if rank_of(card) == JACK and suit_of(card) == suit_of(starter)]
    return [Scored(Kind.NOBS, (jack, starter), 1) for jack in jacks]


def score_heels(starter: int) -> list[Scored]:
    """The dealer's 2 for a jack turned up."""
    return [Scored(Kind.HEELS, (starter,), 2)] if rank_of(starter) == JACK else []


def score_play(pile: Sequence[int]) -> list[Scored]:
    """What the last card of the pile of the current count scores for its player.

    Only cards next to each other on the pile make pairs and runs; a run may lie in any order. Go
    and last card, which depend on both hands, are not in it.
    """
    count = sum(map(value_of, pile))
    scored = []
    if count == 15:
        scored.append(Scored(Kind.FIFTEEN, tuple(pile), 2))
    if count == MAX_COUNT:
        scored.append(Scored(Kind.THIRTY_ONE, tuple(pile), 2))
    ranks = [rank_of(card) for card in pile]
    equal = 0
    while equal < len(pile) and ranks[-1 - equal] == ranks[-1]:
        equal += 1
    if equal in _PAIRS_IN_PLAY:
        kind, points = _PAIRS_IN_PLAY[equal]
        scored.append(Scored(kind, tuple(pile[-equal:]), points))
    for size in range(len(pile), 2, -1):
        if _consecutive(ranks[-size:]):
            scored.append(Scored(Kind.RUN, tuple(pile[-size:]), size))
            break
    return scored


def _consecutive(ranks: Sequence[int]) -> bool:
    return max(Counter(ranks).values()) == 1 and max(ranks) - min(ranks) == len(ranks) - 1


def is_perfect_29(hand: Sequence[int], starter: int) -> bool:
    """Whether this is the best hand there is: three fives and the jack of the fifth five's suit."""
    nobs = 4 * JACK + suit_of(starter)
    ranks = sorted(map(rank_of, hand))
    return rank_of(starter) == FIVE and ranks == [FIVE, FIVE, FIVE, JACK] and nobs in hand
