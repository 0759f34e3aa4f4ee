"""Lines and JSON of single decisions, for reviews and advice alike."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from engines.cards import CARD_NAMES, card_names, pretty
from engines.cribbage.coach import (
    DiscardReview,
    Grade,
    PlayReview,
    Trap,
)
from engines.cribbage.judge import Judge
from engines.cribbage.lead_analysis import LeadAnalysis
from engines.cribbage.observation import Observation
from engines.cribbage.review import Decision
from farm.commands.coach_leads import SURE, is_right
from farm.commands.cribbage_table import MARGIN, WIDTH, cards_text, chance_text

DISCARD_HAND, PLAY_HAND, DISCARDED = 6, 4, 2
VERDICT = 58  # the column after which a line says what a decision was


def chosen_cards(graded: DiscardReview | PlayReview) -> tuple[int, ...]:
    """The cards of a decision."""
    return (graded.card,) if isinstance(graded, PlayReview) else graded.thrown


def best_cards(graded: DiscardReview | PlayReview) -> tuple[int, ...]:
    """The cards that the judge would have chosen."""
    return (graded.best,) if isinstance(graded, PlayReview) else graded.best


def decision_line(seen: Observation, chosen: Sequence[int], verdict: str) -> str:
    """What was done, in its place, and in two words how that was."""
    label = "throw" if seen.starter is None else "play" if seen.pile else "lead"
    pile = f" on {cards_text(seen.pile)} ({seen.count})" if seen.pile else ""
    done = f"{cards_text(chosen)}{pile} from {cards_text(seen.own_hand)}"
    return _judged(label, done, verdict)


def _judged(label: str, what: str, verdict: str) -> str:
    return f"{f'  {label:8}{what}':{VERDICT}}{verdict:>13}"


def graded_lines(seen: Observation, graded: DiscardReview | PlayReview) -> Iterator[str]:
    """A decision with its grade, what it gave up, and why."""
    lost, reason = f"{-graded.lost:8.2f}", graded.reason
    if graded.chance is not None:
        lost = f"{percent_lost_text(graded.lost, '-'):>8}"
        reason += f" ({chance_text(graded.chance)} to win with the best choice)"
    if graded.grade is Grade.BEST:
        lost = ""
    yield decision_line(seen, chosen_cards(graded), graded.grade) + lost
    tags: tuple[str, ...] = ()
    if isinstance(graded, PlayReview) and graded.grade is Grade.COSTLY:
        tags = graded.tags
    yield from wrapped(f"{', '.join(tags)}: {reason}" if tags else reason)


def percent_lost_text(lost: float, sign: str = "") -> str:
    """A chance to win that was given up, in percent; 0.0 only where nothing was."""
    return f"{sign}{100.0 * lost:.1f} %" if lost >= 0.0005 or not lost else "<0.1 %"


def lead_lines(decision: Decision) -> Iterator[str]:
    """What the deep analysis adds to a lead."""
    lead, graded = decision.lead, decision.graded
    if lead is None:
        return
    best, chosen = pretty(lead.best), pretty(lead.chosen)
    if lead.is_trap_missed:
        margins = lead.margins[lead.best], lead.margins[lead.chosen]
        yield from wrapped(
            f"a trap missed: to the end of the play {best} brings {margins[0]:+.1f} points, "
            f"{chosen} {margins[1]:+.1f}{_give_or_take(lead)}"
        )
    elif is_right(lead) and graded.grade is Grade.COSTLY:
        yield from wrapped("to the end of the play, though, no other lead brings more")


def _give_or_take(lead: LeadAnalysis) -> str:
    """How much the best lead brings more than the chosen one, and how sure that is."""
    if lead.exact:
        return ""
    error = SURE * lead.errors[lead.chosen]
    return f": {lead.gain:.1f} more, give or take {error:.1f}"


def trap_lines(traps: Iterable[Trap], known: set[str]) -> Iterator[str]:
    """Praise of the traps in a kept hand; how one is played, unless that is known already."""
    names = set[str]()
    for trap in traps:
        if trap.name in names:
            continue  # one will do where four aces and ten-cards make it four times
        names.add(trap.name)
        yield _judged("kept", f"{trap.name} {cards_text(trap.cards)}", "well kept")
        if trap.name not in known:
            known.add(trap.name)
            yield from wrapped(trap.technique)


def wrapped(text: str, first: str = MARGIN) -> Iterator[str]:
    """A text in lines of the screen's width."""
    yield from textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=MARGIN if first else ""
    )


def decision_json(decision: Decision) -> dict[str, Any]:
    """A decision as JSON."""
    graded = decision.graded
    is_play = isinstance(graded, PlayReview)
    return {
        "kind": "play" if is_play else "throw",
        "seen": decision.seen.as_json(),
        "chosen": card_names(chosen_cards(graded)),
        "best": card_names(best_cards(graded)),
        "lost": graded.lost,
        "chance": graded.chance,
        "grade": str(graded.grade),
        "reason": graded.reason,
        "tags": list(graded.tags) if isinstance(graded, PlayReview) else [],
        "traps": [] if isinstance(graded, PlayReview) else traps_json(graded.traps),
        "lead": lead_json(decision.lead),
    }


def judge_json(judge: Judge) -> dict[str, str]:
    """Who judges, and in what unit losses and values are."""
    return {"tier": str(judge.tier), "unit": str(judge.unit)}


def traps_json(traps: Iterable[Trap]) -> list[dict[str, Any]]:
    """Traps as JSON."""
    return [
        {"name": trap.name, "cards": card_names(trap.cards), "technique": trap.technique}
        for trap in traps
    ]


def lead_json(lead: LeadAnalysis | None) -> dict[str, Any] | None:
    """A deep analysis of a position as JSON, None where there is none."""
    if lead is None:
        return None
    return {
        "margins": {CARD_NAMES[card]: margin for card, margin in lead.margins.items()},
        "errors": {CARD_NAMES[card]: error for card, error in lead.errors.items()},
        "best": CARD_NAMES[lead.best],
        "gain": lead.gain,
        "hands": lead.hands,
        "exact": lead.exact,
        "trap_missed": lead.is_trap_missed,
    }


def place_text(seen: Observation) -> str:
    """Whose crib it is, and the scores."""
    crib = "your crib" if seen.own_crib else "the other's crib"
    return f"{crib}, {seen.own_score} to {seen.opponent_score}"
