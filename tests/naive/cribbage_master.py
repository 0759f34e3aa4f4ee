"""How likely each card is to win, over hands that the opponent may hold.

On the plain rules: in each hand the opponent plays on as Expert; the player does its best with what
it will have seen by then, which is the same in all hands in which the same was said and laid. When
the play is over, the hands and the crib are counted: the opponent's hand in each of the ways in
which its ranks can be held, as often as it keeps such cards.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations, combinations_with_replacement, product
from typing import NamedTuple

from naive.cribbage_show import fifteens, flush, nobs, pairs, runs, value
from naive.cribbage_show import play as points_of_pile

from engines.cribbage import brain
from engines.cribbage.observation import Observation
from engines.cribbage.tiers import Skill

EXPERT = Skill(1.0, 0.0)
OWN, OTHER = 0, 1
PACK = range(52)


Shares = tuple[tuple[int, float], ...]
"""Points, and how often a hand of these ranks scores them."""


@dataclass(frozen=True, eq=False)
class Keeps:
    """A weight of four kept ranks, of cards that are not all of a suit and of such that are."""

    plain: dict[tuple[int, ...], float]
    flush: dict[tuple[int, ...], float]

    @classmethod
    def by(cls, tables, is_dealer):
        """What such an opponent keeps by Master's tables."""
        rows = (table[int(is_dealer)].tolist() for table in (tables.keeps, tables.flushes))
        return cls(*(dict(zip(rows_of_ranks(), row, strict=True)) for row in rows))

    def weight(self, four):
        is_flush = len({card % 4 for card in four}) == 1
        return (self.flush if is_flush else self.plain)[kept_ranks(four)]


class World(NamedTuple):
    """Where the play stands in one of the hands. hands and scores: the player's, the opponent's."""

    weight: float
    hands: tuple[tuple[int, ...], tuple[int, ...]]
    pile: tuple[int, ...]
    scores: tuple[int, int]
    shows: tuple[int, Shares]


@dataclass(frozen=True, eq=False)
class Deal:
    """What is the same in all hands.

    known: all cards that the player has seen. own_show: points of the player's four cards with the
    starter. laid: the cards that the opponent has played. keeps: what it keeps. crib: pairs of
    points and chance. wins: the dealer's chance by its score and the pone's; the match ends at as
    many points as it has rows.
    """

    known: frozenset[int]
    starter: int
    dealer: int
    own_show: int
    laid: tuple[int, ...]
    keeps: Keeps
    crib: list[tuple[int, float]]
    wins: list[list[float]]

    @property
    def goal(self):
        return len(self.wins)


def card_chances(hand, pile, scores, deal, weighed):
    """The mean chance to win of each legal card. weighed: pairs of weight and opponent's hand."""
    worlds = []
    for weight, other in weighed:
        shows = deal.own_show, shares_of_points(other, deal)
        worlds.append(World(weight, (hand, other), pile, scores, shows))
    whole = sum(weight for weight, _ in weighed)
    return {card: value_of_card(worlds, card, deal) / whole for card in playable(hand, pile)}


def value_of_card(worlds, card, deal):
    """The sum over worlds that look alike of weight times chance to win."""
    alike, total = defaultdict(list), 0.0
    for world in worlds:
        said, after = play_on(world, card, deal)
        if is_over(after, deal):
            total += after.weight * chance_to_win(after.scores, after.shows, deal)
        else:
            alike[said].append(after)
    for same in alike.values():
        cards = playable(same[0].hands[OWN], same[0].pile)
        total += max(value_of_card(same, next_card, deal) for next_card in cards)
    return total


def playable(hand, pile):
    return [card for card in hand if sum(map(value, pile)) + value(card) <= 31]


def is_over(world, deal):
    return max(world.scores) >= deal.goal or not any(world.hands)


def play_on(world, card, deal):
    """What is said and laid from a card of the player to its next, and the world then.

    Where the player has no cards left all is played to the end, or until one of them has won.
    """
    said, side = [], OWN
    weight, hands, pile, scores, shows = world
    while True:
        hands = tuple(
            tuple(held for held in hand if held != card) if owner == side else hand
            for owner, hand in enumerate(hands)
        )
        pile = (*pile, card)
        points = points_of_pile(pile)
        if sum(map(value, pile)) < 31 and not any(playable(hand, pile) for hand in hands):
            points += 1  # a go, or the last card
        scores = with_points(scores, side, points)
        if sum(map(value, pile)) == 31:
            pile = ()
        world = World(weight, hands, pile, scores, shows)
        if is_over(world, deal):
            return tuple(said), world
        side, goes = 1 - side, 0
        while not playable(hands[side], pile):
            said.append(("go", side) if hands[side] else ("no cards", side))
            side, goes = 1 - side, goes + 1
            if goes == 2:
                pile, goes = (), 0
        if side == OWN:
            return tuple(said), World(weight, hands, pile, scores, shows)
        own_score = min(scores[OWN], 120)  # the most that can be seen of a score
        card = reply(hands[OTHER], pile, len(hands[OWN]), deal.starter, own_score)
        said.append(("card", card // 4))


def with_points(scores, side, points):
    own, other = scores
    return (own + points, other) if side == OWN else (own, other + points)


@cache
def chance_to_win(scores, shows, deal):
    """After the play: sure where it was won in the play, else by what may lie in the crib."""
    for side in (OWN, OTHER):
        if scores[side] >= deal.goal:
            return float(side == OWN)
    own_show, other_shows = shows
    return sum(
        share * chance * after_counts(scores, (own_show, other_show), points, deal)
        for other_show, share in other_shows
        for points, chance in deal.crib
    )


def after_counts(scores, shows, crib, deal):
    """With so many points in the crib. The pone counts first; who gets to the goal has won."""
    pone, dealer = 1 - deal.dealer, deal.dealer
    for side, points in [(pone, shows[pone]), (dealer, shows[dealer]), (dealer, crib)]:
        scores = with_points(scores, side, points)
        if scores[side] >= deal.goal:
            return float(side == OWN)
    # The pone deals next.
    chance_of_pone = deal.wins[scores[pone]][scores[dealer]]
    return chance_of_pone if pone == OWN else 1 - chance_of_pone


def shares_of_points(hand, deal):
    """What the opponent's hand scores with the cards laid, over all hands of its ranks."""
    weights = Counter()
    for same in hands_of_ranks(Counter(card // 4 for card in hand), deal.known):
        four = (*same, *deal.laid)
        weights[points_of(four, deal.starter)] += deal.keeps.weight(four)
    return tuple((points, weight / weights.total()) for points, weight in sorted(weights.items()))


def hands_of_ranks(ranks, known):
    """All hands of unseen cards with so many of each rank."""
    of_each = [
        combinations([card for card in PACK if card // 4 == rank and card not in known], number)
        for rank, number in ranks.items()
    ]
    return [tuple(chain(*parts)) for parts in product(*of_each)]


def points_of(four, starter, crib=False):
    """What four cards score in the show."""
    ranks = tuple(sorted(card // 4 for card in (*four, starter)))
    return points_of_ranks(ranks) + flush(four, starter, crib) + nobs(four, starter)


@cache
def points_of_ranks(ranks):
    five = cards_of_ranks(ranks)
    return 2 * len(fifteens(five)) + 2 * len(pairs(five)) + sum(map(len, runs(five)))


def crib_chances(known, own_discards, starter, throws):
    """Pairs of points and chance of the crib, over all pairs of unseen cards that may be in it.

    throws: a weight of two ranks, the lower first, of the opponent's throw.
    """
    weights = Counter()
    for pair in combinations([card for card in PACK if card not in known], 2):
        ranks = tuple(sorted(card // 4 for card in pair))
        weights[points_of((*own_discards, *pair), starter, crib=True)] += throws[ranks]
    return [(points, weight / weights.total()) for points, weight in sorted(weights.items())]


def reply(hand, pile, player_cards, starter, player_score):
    """The card that Expert plays."""
    allowed = playable(hand, pile)
    if len({card // 4 for card in allowed}) == 1:
        return allowed[0]
    ranks = [tuple(card // 4 for card in some) for some in (hand, pile, (starter,))]
    return hand[place_of_reply(*ranks, player_cards, player_score)]


@cache
def place_of_reply(hand, pile, starter, player_cards, player_score):
    """Suits are nothing in the play: of these ranks any cards."""
    some = cards_of_ranks((*hand, *pile, *starter))
    held, laid = some[: len(hand)], some[len(hand) : -1]
    seen = Observation.for_play(
        held, laid, player_cards, some[-1], True, opponent_score=player_score
    )
    return held.index(brain.choose_play(seen, EXPERT, 0.0))


def cards_of_ranks(ranks):
    """Different cards of these ranks."""
    copies, some = Counter(), []
    for rank in ranks:
        some.append(4 * rank + copies[rank])
        copies[rank] += 1
    return some


# The hands that the opponent may hold.


def possible_cards(known, least):
    return [card for card in PACK if card not in known and value(card) >= least]


def every_hand(known, least, size, laid, keeps):
    """All hands of unseen cards that count at least so much each, those of equal ranks together.

    known: all cards seen. laid: those the opponent has played.
    """
    excluded = {*PACK} - {*possible_cards(known, least)}
    found = []
    for ranks in combinations_with_replacement(range(13), size):
        alike = hands_of_ranks(Counter(ranks), excluded)
        if alike:
            found.append((sum(keeps.weight((*hand, *laid)) for hand in alike), alike[0]))
    return found


def drawn_hands(weighed, samples, roll):
    """Of these hands so many, at even distances along the sum of their weights.

    roll: where in its first part the first is taken, from 0 to 1.
    """
    step, passed, taken, found = sum(weight for weight, _ in weighed) / samples, 0.0, 0, []
    for weight, hand in weighed:
        passed += weight
        before = taken
        while taken < samples and (roll + taken) * step < passed:
            taken += 1
        if taken > before:
            found.append((taken - before, hand))
    return found


def kept_ranks(four):
    return tuple(sorted(card // 4 for card in four))


def rows_of_ranks():
    """The four ranks of each row of the tables: the highest settles most."""
    return [
        (a, b, c, d)
        for d in range(13)
        for c in range(d + 1)
        for b in range(c + 1)
        for a in range(b + 1)
    ]
