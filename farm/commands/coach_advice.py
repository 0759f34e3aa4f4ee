"""What the coach says of one discard or play: all choices ranked, as text and as JSON."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from engines.cards import CARD_NAMES, card_names, pretty
from engines.cribbage import brain
from engines.cribbage.coach import (
    grade_discard,
    grade_play,
    kept_traps,
)
from engines.cribbage.judge import Judge, Unit
from engines.cribbage.lead_analysis import LeadAnalysis, analyze_lead
from engines.cribbage.observation import Observation
from engines.cribbage.review import Decision
from engines.cribbage.scoring import MAX_COUNT, score_play, total, value_of
from farm.commands.coach_leads import OPEN_CARDS, SURE
from farm.commands.coach_text import (
    PLAY_HAND,
    chosen_cards,
    decision_json,
    graded_lines,
    judge_json,
    lead_json,
    lead_lines,
    place_text,
    trap_lines,
    traps_json,
    wrapped,
)
from farm.commands.cribbage_table import cards_text, chance_text, say
from farm.errors import UsageProblem

FIRST_THROWS = 5


def advise_discard(
    seen: Observation, thrown: Sequence[int], every: bool, judge: Judge, as_json: bool
) -> None:
    """Prints the throws of a hand, the best first, and the grade of the one that was made."""
    if strangers := [card for card in thrown if card not in seen.own_hand]:
        raise UsageProblem(f"--thrown: {pretty(strangers[0])} is no card of the hand")
    ranked = _ranked_throws(seen, judge)
    graded = Decision(0, seen, grade_discard(seen, thrown, judge)) if thrown else None
    if as_json:
        facts = {
            "judge": judge_json(judge),
            "seen": seen.as_json(),
            "throws": [
                {
                    "cards": card_names(throw.cards),
                    "kept": card_names(_kept(seen, throw.cards)),
                    "mean_hand": throw.mean_hand,
                    "crib": throw.crib,
                    "value": throw.value,
                    "lost": max(0.0, ranked[0].value - throw.value),
                    "traps": traps_json(kept_traps(_kept(seen, throw.cards))),
                }
                for throw in ranked
            ],
            "thrown": None if graded is None else decision_json(graded),
        }
        print(json.dumps(facts))
        return
    lines = [
        f"What to throw from {cards_text(seen.own_hand)}: {place_text(seen)}",
        "",
        f"{'':5}{'throw':9}{'kept':17}{'hand':>8}{'crib':>8}{_worth_title(judge):>9}",
    ]
    for place, throw in enumerate(ranked if every else ranked[:FIRST_THROWS], start=1):
        thrown_text, kept = cards_text(throw.cards), cards_text(_kept(seen, throw.cards))
        lines.append(
            f"{place:3}  {thrown_text:9}{kept:17}{throw.mean_hand:8.2f}{throw.crib:+8.2f}"
            f"{_worth_text(judge, throw.value):>9}"
        )
    lines.append("")
    shown = ranked[0].cards if graded is None else chosen_cards(graded.graded)
    if graded is not None:
        lines += graded_lines(seen, graded.graded)
    lines += trap_lines(kept_traps(_kept(seen, shown)), set())
    say("\n".join(lines).rstrip())


class ThrowAdvice(NamedTuple):
    """A throw. mean_hand and crib (with its sign): in points; value: what the judge goes by."""

    cards: tuple[int, int]
    mean_hand: float
    crib: float
    value: float


def _ranked_throws(seen: Observation, judge: Judge) -> list[ThrowAdvice]:
    """The 15 throws, the one that the judge takes first, then by value."""
    weighed = judge.weigh_throws(seen)
    throws = [
        ThrowAdvice(
            each.cards, each.mean_hand, each.value - each.mean_hand, weighed.values[each.cards]
        )
        for each in brain.throws(seen)
    ]
    return sorted(throws, key=lambda throw: (throw.cards != weighed.best, -throw.value))


def _worth_title(judge: Judge) -> str:
    return "wins" if judge.unit is Unit.CHANCE else "value"


def _worth_text(judge: Judge, value: float) -> str:
    if judge.unit is not Unit.CHANCE:
        return f"{value:.2f}"
    return "at once" if value == 1.0 else chance_text(value)  # 1 is what wins the match at once


def _kept(seen: Observation, thrown: Sequence[int]) -> list[int]:
    return [card for card in seen.own_hand if card not in thrown]


def advise_play(
    seen: Observation, played: Sequence[int], deep: bool, judge: Judge, as_json: bool
) -> None:
    """Prints the cards that can be played, the best first, and the grade of the one that was."""
    for card in played:
        if card not in seen.own_hand:
            raise UsageProblem(f"--played: {pretty(card)} is no card of the hand")
        if card not in seen.legal_plays():
            count = seen.count + value_of(card)
            raise UsageProblem(f"--played: {pretty(card)} would make {count}, over {MAX_COUNT}")
    ranked = _ranked_cards(seen, judge)
    lead = graded = None
    if deep and not seen.pile:
        lead = analyze_lead(seen, ranked[0].card)
    if played:
        of_played = None if lead is None else replace(lead, chosen=played[0])
        graded = Decision(0, seen, grade_play(seen, played[0], judge), of_played)
    if as_json:
        facts = {
            "judge": judge_json(judge),
            "seen": seen.as_json(),
            "cards": [
                {
                    "card": CARD_NAMES[each.card],
                    "scores": each.scores,
                    "threat": each.threat,
                    "value": each.value,
                    "lost": ranked[0].value - each.value,
                }
                for each in ranked
            ],
            "lead": lead_json(lead),
            "played": None if graded is None else decision_json(graded),
        }
        print(json.dumps(facts))
    else:
        say("\n".join(_play_lines(seen, ranked, judge, lead, graded)))


class CardAdvice(NamedTuple):
    """A card that can be played. scores: now; threat: of the reply; value: to the judge."""

    card: int
    scores: int
    threat: float
    value: float


def _ranked_cards(seen: Observation, judge: Judge) -> list[CardAdvice]:
    """The cards that can be played by value, the one that the judge takes first."""
    if not seen.legal_plays():
        return []
    found = [
        CardAdvice(
            card,
            total(score_play((*seen.pile, card))),
            brain.threat(seen, (*seen.pile, card)),
            value,
        )
        for card, value in judge.weigh_cards(seen).values.items()
    ]
    return sorted(found, key=lambda each: -each.value)


def _play_lines(
    seen: Observation,
    ranked: Sequence[CardAdvice],
    judge: Judge,
    lead: LeadAnalysis | None,
    graded: Decision | None,
) -> Iterator[str]:
    table = f"on {cards_text(seen.pile)} ({seen.count})" if seen.pile else "as the lead"
    yield f"What to play {table} from {cards_text(seen.own_hand)}:"
    starter = "" if seen.starter is None else f", starter {pretty(seen.starter)}"
    yield f"{place_text(seen)}{starter}, {seen.opponent_cards} with the opponent"
    yield ""
    if not ranked:
        yield f"no card can be played at {seen.count}: say go"
        return
    to_the_end = "" if lead is None else f"{'to the end':>13}"
    yield f"{'':5}{'card':4}{'scores':>9}{'threat':>9}{_worth_title(judge):>9}{to_the_end}"
    for place, each in enumerate(ranked, start=1):
        margin = "" if lead is None else f"{lead.margins[each.card]:+13.2f}"
        yield (
            f"{place:3}  {pretty(each.card):4}{each.scores:9}{each.threat:9.2f}"
            f"{_worth_text(judge, each.value):>9}{margin}"
        )
    if lead is not None:
        yield ""
        yield from wrapped(_analysis_text(seen, lead), "")
    if graded is not None:
        yield ""
        yield from graded_lines(seen, graded.graded)
        yield from lead_lines(graded)


def _analysis_text(seen: Observation, lead: LeadAnalysis) -> str:
    which = f"all {lead.hands} hands" if lead.exact else f"{lead.hands} hands"
    if lead.hands == 1:
        which = "the one hand"
    down = 2 * PLAY_HAND - len(seen.own_hand) - seen.opponent_cards
    unknown = "; the cards already played are not known here and may be among them" if down else ""
    error = SURE * max(lead.errors.values())
    unsure = "" if lead.exact else f", give or take {error:.1f} to the best lead"
    return (
        "to the end: your points less the other's until the cards are out, on average over "
        f"{which} that it may hold{unsure}{unknown}; each is played {OPEN_CARDS}"
    )
