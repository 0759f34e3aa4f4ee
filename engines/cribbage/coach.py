"""The coach: grades decisions by the values that Expert goes by, and praises good formations.

It sees what the player saw, the public scores included, so that it judges as Expert plays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from engines.cards import PACK_SIZE, pretty, rank_of
from engines.cribbage import fast_brain
from engines.cribbage.brain import (
    DANGER,
    DANGEROUS_COUNTS,
    ENDGAME_FACTOR,
    ENDGAME_SCORE,
    LEAD_OF_FIVE,
    THROWS,
    threat,
)
from engines.cribbage.observation import Observation
from engines.cribbage.scoring import FIVE, MAX_COUNT, score_play, total, value_of
from engines.cribbage.tiers import EXPERT

PLAY_BEST, PLAY_OK = 0.05, 0.35
"""Points lost up to which a play is best, and under which it is not worth a word; the report's."""

DISCARD_BEST, DISCARD_OK = 0.10, 0.75
"""The same for a discard; our own. A throw's value is uncertain by about 0.1: that much the suits
and one's own six cards, which the crib tables leave out, change it."""

DANGEROUS = (5, 10, 11, 21, 22)
"""Counts that invite a fifteen or a thirty-one."""

LED_A_FIVE = "led a five"
LEFT_A_DANGEROUS_COUNT = "left a dangerous count"


class Grade(StrEnum):
    """What a decision was."""

    BEST = "best"
    OK = "ok"
    COSTLY = "costly"


@dataclass(frozen=True)
class PlayReview:
    """A card played. lost: points given up against the best card; tags: what is to be noticed."""

    card: int
    best: int
    lost: float
    grade: Grade
    tags: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Trap:
    """A formation in a kept hand, and how it is played."""

    name: str
    cards: tuple[int, ...]
    technique: str


@dataclass(frozen=True)
class DiscardReview:
    """A throw. lost: points given up against the best; traps: in the hand that was kept."""

    thrown: tuple[int, int]
    best: tuple[int, int]
    lost: float
    grade: Grade
    traps: tuple[Trap, ...]
    reason: str


def _name(card: int) -> str:
    return pretty(card) if 0 <= card < PACK_SIZE else str(card)


def grade_play(seen: Observation, card: int) -> PlayReview:
    """Grades a card; raises ValueError where it cannot be played."""
    values = dict(fast_brain.play_values(seen, EXPERT.level))
    if card not in values:
        raise ValueError(f"expected a card that can be played, got {_name(card)}")
    best = fast_brain.choose_play(seen, EXPERT, 0.0)
    lost = max(0.0, values[best] - values[card])
    grade = _grade(lost, PLAY_BEST, PLAY_OK)
    tags = []
    if not seen.pile and rank_of(card) == FIVE:
        tags.append(LED_A_FIVE)
    if seen.count + value_of(card) in DANGEROUS:
        tags.append(LEFT_A_DANGEROUS_COUNT)
    return PlayReview(card, best, lost, grade, tuple(tags), _play_reason(seen, card, best, grade))


def _grade(lost: float, best: float, ok: float) -> Grade:
    if lost <= best:
        return Grade.BEST
    return Grade.OK if lost < ok else Grade.COSTLY


def _play_reason(seen: Observation, card: int, best: int, grade: Grade) -> str:
    """In a line: what speaks most for the best card against the one played."""
    if grade is Grade.BEST:
        scored = score_play((*seen.pile, card))
        return f"well played: {total(scored)} at once" if scored else "well played"
    if grade is Grade.OK:
        return f"nearly as good as {pretty(best)}"
    better = pretty(best)
    more = _points(seen, best) - _points(seen, card)
    safer = _weighed_threat(seen, card) - _weighed_threat(seen, best)
    wiser = _penalty(seen, card) - _penalty(seen, best)
    if max(more, safer, wiser) <= 0.0:
        return f"{better} leaves a better count"
    if more >= max(safer, wiser):
        return f"{better} scores {more} more at once"
    if safer >= wiser:
        return f"{better} invites {safer:.1f} points less in reply"
    if not seen.pile and rank_of(card) == FIVE:
        return f"a five led invites a ten-card; {better} is safer"
    return f"a count of {seen.count + value_of(card)} invites a score; {better} is safer"


def _weighed_threat(seen: Observation, card: int) -> float:
    """The threat of a card as Expert weighs it."""
    if seen.count + value_of(card) >= MAX_COUNT:
        return 0.0
    late = seen.opponent_score >= ENDGAME_SCORE
    return threat(seen, (*seen.pile, card)) * (ENDGAME_FACTOR if late else 1.0)


def _penalty(seen: Observation, card: int) -> float:
    """What Expert takes off for a dangerous count and for a five led."""
    penalty = DANGER if seen.count + value_of(card) in DANGEROUS_COUNTS else 0.0
    return penalty + LEAD_OF_FIVE if not seen.pile and rank_of(card) == FIVE else penalty


def _points(seen: Observation, card: int) -> int:
    return total(score_play((*seen.pile, card)))


def grade_discard(seen: Observation, thrown: Sequence[int]) -> DiscardReview:
    """Grades a throw; raises ValueError unless it is two cards of the hand."""
    values = fast_brain.discard_values(seen)
    throws = [(seen.own_hand[first], seen.own_hand[second]) for first, second in THROWS]
    given = tuple(sorted(thrown))
    if given not in throws:
        raise ValueError(f"expected two cards of the hand, got {' '.join(map(_name, thrown))}")
    best = fast_brain.choose_discard(seen, EXPERT, 0.0)
    lost = max(0.0, values[throws.index(best)] - values[throws.index(given)])
    grade = _grade(lost, DISCARD_BEST, DISCARD_OK)
    kept = [card for card in seen.own_hand if card not in given]
    crib = "your crib" if seen.own_crib else "the other's crib"
    better = " ".join(map(pretty, best))
    reason = {
        Grade.BEST: "well thrown",
        Grade.OK: f"nearly as good as {better}",
        Grade.COSTLY: f"{better} into {crib} is worth {lost:.1f} more",
    }[grade]
    return DiscardReview(given, best, lost, grade, tuple(kept_traps(kept)), reason)


def kept_traps(kept: Sequence[int]) -> list[Trap]:
    """The formations in four kept cards that lay a trap in the play."""
    by_rank: dict[int, list[int]] = {}
    for card in sorted(kept):
        by_rank.setdefault(rank_of(card), []).append(card)
    found = []
    four, six = by_rank.get(3, []), by_rank.get(5, [])
    if four and len(six) >= 2:
        found.append(
            Trap(
                "five-card trap",
                (four[0], *six[:2]),
                "lead a 6: a 5 in reply runs into 4-5-6",
            )
        )
    found += [
        Trap(
            "pair-royal bait",
            tuple(cards[:2]),
            "lead one of the pair: who pairs it gets the third, for 6",
        )
        for rank, cards in by_rank.items()
        if rank <= 3 and len(cards) >= 2
    ]
    found += [
        Trap(
            "magic eleven",
            (one, other),
            "two that make 11: after two ten-cards one of them makes 31 with the other",
        )
        for one, other in combinations(sorted(kept), 2)
        if rank_of(one) < 9 and value_of(one) + value_of(other) == 11
    ]
    found += [
        Trap(
            "run bait",
            (by_rank[low][0], by_rank[low + 1][0], by_rank[low + 2][0]),
            "offer one end: who runs or pairs opens the way for the rest",
        )
        for low in by_rank
        if low + 1 in by_rank and low + 2 in by_rank
    ]
    return found
