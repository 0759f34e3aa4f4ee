"""A whole match reviewed: each decision of a seat graded, and where it gave up most."""

from dataclasses import dataclass

from engines.cribbage.coach import (
    DiscardReview,
    Grade,
    PlayReview,
    grade_discard,
    grade_play,
)
from engines.cribbage.judge import EXPERT_JUDGE, Judge
from engines.cribbage.lead_analysis import SAMPLES, LeadAnalysis, analyze_lead
from engines.cribbage.observation import Observation
from engines.cribbage.transcript import Document
from engines.cribbage.transcript_check import verify_transcript

COSTLIEST = 3


@dataclass(frozen=True)
class Decision:
    """One decision and what the coach says. hand: its number, from 0. lead: of an analysed lead."""

    hand: int
    seen: Observation
    graded: DiscardReview | PlayReview
    lead: LeadAnalysis | None = None

    @property
    def is_discard(self) -> bool:
        """Whether it was a throw."""
        return isinstance(self.graded, DiscardReview)


@dataclass(frozen=True)
class MatchReview:
    """The decisions of one seat in a match, in order; forced plays are left out."""

    seat: int
    decisions: tuple[Decision, ...]
    judge: Judge = EXPERT_JUDGE

    def lost(self, *, discards: bool) -> float:
        """Given up by all throws, or by all plays, in the judge's unit."""
        return sum(each.graded.lost for each in self.decisions if each.is_discard == discards)

    def share(self, grade: Grade, *, discards: bool) -> tuple[int, int]:
        """How many throws or plays had a grade, and of how many."""
        grades = [each.graded.grade for each in self.decisions if each.is_discard == discards]
        return grades.count(grade), len(grades)

    @property
    def costliest(self) -> list[Decision]:
        """The COSTLIEST decisions that gave up most, the worst first; none that was best."""
        costly = [each for each in self.decisions if each.graded.grade is not Grade.BEST]
        return sorted(costly, key=lambda each: -each.graded.lost)[:COSTLIEST]


def review_match(
    document: Document,
    seat: int,
    *,
    deep: bool = True,
    samples: int = SAMPLES,
    judge: Judge = EXPERT_JUDGE,
) -> MatchReview:
    """Reviews a seat of a transcript, which is verified; raises TranscriptError where it fails.

    deep: also analyse each lead to the end of the play.
    """
    if seat not in (0, 1):
        raise ValueError(f"expected seat 0 or 1, got {seat}")
    decisions: list[Decision] = []
    hand = -1

    def decided(who: int, seen: Observation, chosen: tuple[int, ...]) -> None:
        nonlocal hand
        if who != seat:
            return
        if seen.starter is None:
            hand += 1
            decisions.append(Decision(hand, seen, grade_discard(seen, chosen, judge)))
        elif len(seen.legal_plays()) > 1:
            lead = analyze_lead(seen, chosen[0], samples) if deep and not seen.pile else None
            decisions.append(Decision(hand, seen, grade_play(seen, chosen[0], judge), lead))

    verify_transcript(document, decided)
    return MatchReview(seat, tuple(decisions), judge)
