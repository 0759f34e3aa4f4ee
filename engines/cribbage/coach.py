"""The coach: grades decisions by the values that a judge goes by, and praises good formations.

It sees what the player saw, the public scores included, so that it judges as the judge plays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from engines.cards import PACK_SIZE, pretty, rank_of
from engines.cribbage.brain import (
    DANGER,
    DANGEROUS_COUNTS,
    ENDGAME_FACTOR,
    ENDGAME_SCORE,
    LEAD_OF_FIVE,
    threat,
)
from engines.cribbage.judge import EXPERT_JUDGE, Judge, Limits, Unit
from engines.cribbage.observation import Observation
from engines.cribbage.scoring import FIVE, GAME, MAX_COUNT, score_play, total, value_of

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
    """A card played.

    lost: given up against the best card, in the judge's unit. tags: what is to be noticed. chance:
    to win with the best card, None by a judge who goes by points.
    """

    card: int
    best: int
    lost: float
    grade: Grade
    tags: tuple[str, ...]
    reason: str
    chance: float | None = None


@dataclass(frozen=True)
class Trap:
    """A formation in a kept hand, and how it is played."""

    name: str
    cards: tuple[int, ...]
    technique: str


@dataclass(frozen=True)
class DiscardReview:
    """A throw. traps: in the hand that was kept; lost and chance as for a card played."""

    thrown: tuple[int, int]
    best: tuple[int, int]
    lost: float
    grade: Grade
    traps: tuple[Trap, ...]
    reason: str
    chance: float | None = None


def _name(card: int) -> str:
    return pretty(card) if 0 <= card < PACK_SIZE else str(card)


def grade_play(seen: Observation, card: int, judge: Judge = EXPERT_JUDGE) -> PlayReview:
    """Grades a card; raises ValueError where it cannot be played, or the judge cannot judge it."""
    weighed = judge.weigh_cards(seen)
    if card not in weighed.values:
        raise ValueError(f"expected a card that can be played, got {_name(card)}")
    best = weighed.best
    lost = max(0.0, weighed.values[best] - weighed.values[card])
    grade = _grade(lost, judge.play_limits)
    tags = []
    if not seen.pile and rank_of(card) == FIVE:
        tags.append(LED_A_FIVE)
    if seen.count + value_of(card) in DANGEROUS:
        tags.append(LEFT_A_DANGEROUS_COUNT)
    by_chance = judge.unit is Unit.CHANCE
    reason = _play_reason(seen, card, best, grade, lost if by_chance else None)
    chance = weighed.values[best] if by_chance else None
    return PlayReview(card, best, lost, grade, tuple(tags), reason, chance)


def _grade(lost: float, limits: Limits) -> Grade:
    if lost <= limits.best:
        return Grade.BEST
    return Grade.OK if lost < limits.ok else Grade.COSTLY


def _play_reason(
    seen: Observation, card: int, best: int, grade: Grade, chance_lost: float | None
) -> str:
    """In a line: what speaks most for the best card against the one played."""
    if grade is Grade.BEST:
        scored = score_play((*seen.pile, card))
        return f"well played: {total(scored)} at once" if scored else "well played"
    if grade is Grade.OK:
        return f"nearly as good as {pretty(best)}"
    better = pretty(best)
    more = _points(seen, best) - _points(seen, card)
    if chance_lost is not None:
        if seen.own_score + _points(seen, best) >= GAME:
            return f"{better} wins the match at once"
        at_once = f"scores {more} more at once and " if more > 0 else ""
        return f"{better} {at_once}{_wins_more(chance_lost)}"
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


def _wins_more(lost: float) -> str:
    share = f"{100.0 * lost:.1f}" if lost < 0.9995 else "over 99.9"
    return f"wins {share} % more often"


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


def grade_discard(
    seen: Observation, thrown: Sequence[int], judge: Judge = EXPERT_JUDGE
) -> DiscardReview:
    """Grades a throw; raises ValueError unless it is two cards of the hand."""
    weighed = judge.weigh_throws(seen)
    given = tuple(sorted(thrown))
    if len(given) != 2 or given not in weighed.values:
        raise ValueError(f"expected two cards of the hand, got {' '.join(map(_name, thrown))}")
    best = weighed.best
    lost = max(0.0, weighed.values[best] - weighed.values[given])
    grade = _grade(lost, judge.throw_limits)
    kept = [card for card in seen.own_hand if card not in given]
    crib = "your crib" if seen.own_crib else "the other's crib"
    better = " ".join(map(pretty, best))
    by_chance = judge.unit is Unit.CHANCE
    reason = {
        Grade.BEST: "well thrown",
        Grade.OK: f"nearly as good as {better}",
        Grade.COSTLY: f"{better} into {crib} "
        + (_wins_more(lost) if by_chance else f"is worth {lost:.1f} more"),
    }[grade]
    chance = weighed.values[best] if by_chance else None
    return DiscardReview(given, best, lost, grade, tuple(kept_traps(kept)), reason, chance)


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
