"""The published brain: it ranks throws by expected points and plays by net value.

A pure function of what is seen, the skill, and a decision seed or a roll in [0, 1). It ignores
`history` and `own_discards`, as the brain of the report does: cards of earlier counts and its own
discards stay "unseen". It does not search: a skill's samples are for `fast_brain.py` alone.
`brain_kernel.py` is the fast twin.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from engines.cards import PACK_SIZE, rank_of
from engines.cribbage.crib_tables import CribTables, default_tables
from engines.cribbage.observation import Observation, ObservationError
from engines.cribbage.scoring import (
    FIVE,
    MAX_COUNT,
    score_play,
    score_show,
    score_thrown,
    total,
    value_of,
)
from engines.cribbage.tiers import Skill, pick
from engines.streams import next_word, open_stream

NEAR_TIE = 0.001
"""Throws whose values are this close to the best are told apart by their safety."""

THROWS = tuple(combinations(range(6), 2))
"""The 15 throws as pairs of places in the hand, in the order in which a choice is drawn."""

RANKS = 13
LEAD_OF_FIVE = 1.2
DANGEROUS_COUNTS = (5, 21)
DANGER = 1.0
HIGHER_COUNT = 0.02
NEAR_31 = 0.10
NEAR_31_ABOVE = 21
ENDGAME_SCORE = 115
ENDGAME_LEVEL = 0.85
ENDGAME_FACTOR = 1.5


@dataclass(frozen=True)
class Throw:
    """Two cards to discard and what that is worth, in points.

    mean_hand: of the four kept, over the 46 cards that may be cut. crib: expected of the crib with
    this pair, by the table of the seat. value: mean_hand plus the own crib or minus the other's.
    safety: the same with, for the crib, only what the pair scores with the cut.
    """

    cards: tuple[int, int]
    mean_hand: float
    crib: float
    value: float
    safety: float


def roll_of(decision_seed: int) -> float:
    """The roll in [0, 1) that a decision seed (0 to 2**63 - 1) stands for."""
    return roll_of_word(int(next_word(open_stream(decision_seed, 0, "cribbage decision"))))


def roll_of_word(word: int) -> float:
    """The roll of 64 random bits: the upper 53 of them over 2**53."""
    return (word >> 11) / 2**53


def throws(seen: Observation, tables: CribTables | None = None) -> list[Throw]:
    """The 15 throws in the order of THROWS."""
    if len(seen.own_hand) != 6:
        raise ObservationError(f"expected six cards to discard from, got {len(seen.own_hand)}")
    tables = tables or default_tables()
    table = tables.dealer if seen.own_crib else tables.pone
    sign = 1.0 if seen.own_crib else -1.0
    hand = seen.own_hand
    cuts = [card for card in range(PACK_SIZE) if card not in hand]
    found = []
    for first, second in THROWS:
        thrown = hand[first], hand[second]
        kept = [card for card in hand if card not in thrown]
        mean_hand = sum(total(score_show(kept, cut)) for cut in cuts) / len(cuts)
        mean_thrown = sum(total(score_thrown(thrown, cut)) for cut in cuts) / len(cuts)
        crib = float(table[rank_of(thrown[0]), rank_of(thrown[1])])
        found.append(
            Throw(thrown, mean_hand, crib, mean_hand + sign * crib, mean_hand + sign * mean_thrown)
        )
    return found


def best_throw(found: list[Throw]) -> int:
    """The index of the best value; of those within NEAR_TIE of it the safest, then the first."""
    best = max(throw.value for throw in found)
    near = [index for index, throw in enumerate(found) if best - throw.value <= NEAR_TIE]
    return max(near, key=lambda index: (found[index].safety, -index))


def choose_discard(
    seen: Observation, skill: Skill, roll: float, tables: CribTables | None = None
) -> tuple[int, int]:
    """The two cards to throw; the roll is used only by a skill that errs."""
    found = throws(seen, tables)
    if skill.temperature <= 0.0:
        return found[best_throw(found)].cards
    return found[pick([throw.value for throw in found], skill.temperature, roll)].cards


def play_values(seen: Observation, level: float) -> list[tuple[int, float]]:
    """Each legal card with its net value in points, in hand order."""
    return [(card, _net_value(seen, card, level)) for card in seen.legal_plays()]


def choose_play(seen: Observation, skill: Skill, roll: float) -> int:
    """The card to play; raises ObservationError where only go is possible.

    Without temperature the first best in hand order.
    """
    values = play_values(seen, skill.level)
    if not values:
        raise ObservationError(f"expected a card that can be played at {seen.count}, got none")
    if skill.temperature <= 0.0:
        return max(values, key=lambda item: item[1])[0]
    return values[pick([value for _, value in values], skill.temperature, roll)][0]


def _net_value(seen: Observation, card: int, level: float) -> float:
    """Points of a card now, less the threat it opens, and the small terms of the report."""
    pile = (*seen.pile, card)
    count = seen.count + value_of(card)
    value = float(total(score_play(pile)))
    if level > 0.0 and count < MAX_COUNT:
        weight = level
        if level >= ENDGAME_LEVEL and seen.opponent_score >= ENDGAME_SCORE:
            weight *= ENDGAME_FACTOR
        value -= weight * threat(seen, pile)
    if count in DANGEROUS_COUNTS:
        value -= DANGER
    value += count * HIGHER_COUNT
    if seen.count == 0 and rank_of(card) == FIVE:
        value -= LEAD_OF_FIVE
    if level > 0.0 and NEAR_31_ABOVE < count < MAX_COUNT:
        value += level * NEAR_31 * (count - NEAR_31_ABOVE)
    return value


def threat(seen: Observation, pile: tuple[int, ...]) -> float:
    """The largest, over ranks, of a reply's points to the pile times the chance that it is held."""
    unseen = unseen_ranks(seen)
    pool = sum(unseen)
    return max(
        reply_points(pile, rank) * chance_held(unseen[rank], pool, seen.opponent_cards)
        for rank in range(RANKS)
    )


def unseen_ranks(seen: Observation) -> list[int]:
    """How many of each rank are neither in one's hand, nor in the pile, nor the starter."""
    unseen = [4] * RANKS
    starter = () if seen.starter is None else (seen.starter,)
    for card in (*seen.own_hand, *seen.pile, *starter):
        unseen[rank_of(card)] -= 1
    return unseen


def reply_points(pile: tuple[int, ...], rank: int) -> int:
    """What a card of this rank would score on the pile: 0 above 31, and no point for a go."""
    reply = 4 * rank
    if sum(map(value_of, pile)) + value_of(reply) > MAX_COUNT:
        return 0
    return total(score_play((*pile, reply)))


@lru_cache(maxsize=4096)
def chance_held(copies: int, pool: int, held: int) -> float:
    """The chance that `held` of `pool` unseen cards have one of `copies`: 1 - P(none)."""
    if copies <= 0 or held <= 0:
        return 0.0
    none = 1.0
    for drawn in range(min(held, pool)):
        none *= max(0.0, (pool - copies - drawn) / (pool - drawn))
    return 1.0 - none
