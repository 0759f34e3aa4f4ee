"""What the coach says of a whole match: as text, and as JSON."""

import json
import textwrap
from collections import Counter
from collections.abc import Iterator
from typing import Any

from rich.console import Console

from engines.cards import CARD_NAMES, pretty
from engines.cribbage.coach import (
    DiscardReview,
    Grade,
)
from engines.cribbage.judge import Judge, Unit
from engines.cribbage.review import Decision, MatchReview, review_match
from engines.cribbage.scoring import GAME
from engines.cribbage.transcript import BRAIN, PERSON, Document, TranscriptError
from farm.commands.coach_leads import OPEN_CARDS, is_right
from farm.commands.coach_text import (
    PLAY_HAND,
    chosen_cards,
    decision_json,
    decision_line,
    graded_lines,
    judge_json,
    lead_lines,
    percent_lost_text,
    place_text,
    trap_lines,
    wrapped,
)
from farm.commands.cribbage_table import chance_text, say
from farm.commands.transcripts import parsed, read_transcripts
from farm.errors import UsageProblem

LONGEST_NAME = 24


def review(
    path: str, number: int, seat: int | None, judge: Judge, deep: bool, as_json: bool
) -> None:
    """Prints the review of a seat of a match of a file; raises UsageProblem."""
    where, document = _read(path, number)
    whose = _person(document) if seat is None else seat
    try:
        with Console(stderr=True).status("reviewing ..."):
            review = review_match(document, whose, deep=deep, judge=judge)
    except (TranscriptError, OverflowError, RecursionError) as error:
        raise UsageProblem(f"{where}: {error}") from None
    if as_json:
        print(json.dumps(_review_json(document, review)))
    else:
        say("\n".join(_review_lines(document, review)))


def _read(path: str, number: int) -> tuple[str, Document]:
    """Where match `number` of a file is, and what is there; raises UsageProblem."""
    places = read_transcripts(path)
    if not 0 <= number < len(places):
        known = f"0 to {len(places) - 1}" if len(places) > 1 else "0, the only one"
        raise UsageProblem(f"--match: expected {known} of {path}, got {number}")
    where, text = places[number]
    try:
        document = parsed(text)
    except TranscriptError as error:
        raise UsageProblem(f"{where}: {error}") from None
    if not isinstance(document, dict):
        raise UsageProblem(f"{where}: expected a transcript, got other JSON")
    return where, document


def _person(document: Document) -> int:
    """The first seat of a person, else seat 0; the document may be anything as yet."""
    seats = document.get("seats")
    for seat, each in enumerate(seats[:2] if isinstance(seats, list) else []):
        if isinstance(each, dict) and each.get("kind") == PERSON:
            return seat
    return 0


def _followed(document: Document, seat: int, decision: Decision) -> tuple[int, int] | None:
    """The points of both from an analysed lead to the end of the play, if it came to that."""
    if decision.lead is None:
        return None
    hand = document["hands"][decision.hand]
    plays = [each for each in hand["plays"] if "card" in each]
    if len(plays) < 2 * PLAY_HAND and GAME not in hand["scores"]:
        return None
    led = [each["card"] for each in plays].index(CARD_NAMES[decision.lead.chosen])
    points = [0, 0]
    for each in plays[led:]:
        points[each["seat"]] += sum(noted["points"] for noted in each["scored"])
    return points[seat], points[1 - seat]


def _costliest(review: MatchReview) -> list[Decision]:
    """Those that are worth a word."""
    return [each for each in review.costliest if each.graded.grade is Grade.COSTLY]


def _totals(review: MatchReview, hands: int) -> dict[str, dict[str, Any]]:
    """Of throws, plays and all: how many had each grade, and what was given up."""
    totals = {}
    kinds = (("throws", [True]), ("plays", [False]), ("all", [True, False]))
    for name, sorts in kinds:
        grades = {
            str(grade): sum(review.share(grade, discards=sort)[0] for sort in sorts)
            for grade in Grade
        }
        lost = sum(review.lost(discards=sort) for sort in sorts)
        totals[name] = {
            "decisions": sum(grades.values()),
            **grades,
            "lost": lost,
            "lost_per_hand": lost / hands if hands else 0.0,
        }
    return totals


def _review_json(document: Document, review: MatchReview) -> dict[str, Any]:
    seat, winner = review.seat, document["winner"]
    hands: dict[int, dict[str, Any]] = {}
    for each in review.decisions:
        seen = each.seen
        hand = hands.setdefault(
            each.hand,
            {
                "index": each.hand,
                "dealer": seen.is_dealer,
                "scores": [seen.own_score, seen.opponent_score],
                "decisions": [],
            },
        )
        followed = {"followed": _followed(document, seat, each)}
        hand["decisions"].append(decision_json(each) | followed)
    return {
        "judge": judge_json(review.judge),
        "seat": seat,
        "player": document["seats"][seat]["name"],
        "opponent": document["seats"][1 - seat]["name"],
        "won": None if winner is None else winner == seat,
        "scores": [document["scores"][seat], document["scores"][1 - seat]],
        "hands": list(hands.values()),
        "totals": _totals(review, len(hands)),
        "costliest": [decision_json(each) | {"index": each.hand} for each in _costliest(review)],
    }


def _review_lines(document: Document, review: MatchReview) -> Iterator[str]:
    seat = review.seat
    names = [_seat_text(each) for each in document["seats"]]
    ended = {None: "left at", seat: "won", 1 - seat: "lost"}[document["winner"]]
    own, other = document["scores"][seat], document["scores"][1 - seat]
    yield f"Review of seat {seat}, {names[seat]}, against {names[1 - seat]}:"
    by_chance = review.judge.unit is Unit.CHANCE
    values = "chances to win" if by_chance else "values"
    tier = review.judge.tier.capitalize()
    yield f"{ended} {own} to {other}; judged by the {values} that {tier} goes by"
    yield ""
    hands = list(dict.fromkeys(each.hand for each in review.decisions))
    known = set[str]()
    for index in hands:
        decisions = [each for each in review.decisions if each.hand == index]
        grades = Counter(each.graded.grade for each in decisions)
        counted = ", ".join(f"{grades[grade]} {grade}" for grade in Grade if grades[grade])
        where, chance = f"{place_text(decisions[0].seen):38}", decisions[0].graded.chance
        if chance is not None:
            where = f"{f'{where.rstrip()}, {chance_text(chance)} to win':46}"
        yield f"hand {index + 1:<5}{where}{counted}"
        for each in decisions:
            yield from _remarks(each, _followed(document, seat, each))
            if isinstance(each.graded, DiscardReview):
                yield from trap_lines(each.graded.traps, known)
    if any(each.lead is not None for each in review.decisions):
        yield ""
        yield from wrapped(
            "Leads are seen to the end of the play in hands that the other may hold, each played "
            f"{OPEN_CARDS}.",
            "",
        )
    if not hands:
        yield "no decision to review"
        return
    totals = _totals(review, len(hands))
    yield ""
    yield f"The best choice in {totals['all']['best']} of {totals['all']['decisions']} decisions."
    yield f"{'':12}decisions    best      ok  costly   given up   per hand"
    for name, row in totals.items():
        given_up = [row["lost"], row["lost_per_hand"]]
        shown = [percent_lost_text(lost) if by_chance else f"{lost:.2f}" for lost in given_up]
        yield (
            f"  {name:10}{row['decisions']:9}{row['best']:8}{row['ok']:8}{row['costly']:8}"
            f"{shown[0]:>11}{shown[1]:>11}"
        )
    yield ""
    costliest = _costliest(review)
    if not costliest:
        yield "Well played: no decision was costly."
        return
    yield "The costliest moment:" if len(costliest) == 1 else "The costliest moments:"
    for place, each in enumerate(costliest, start=1):
        seen = each.seen
        starter = "" if seen.starter is None else f", starter {pretty(seen.starter)}"
        yield f"{place}. hand {each.hand + 1}: {place_text(seen)}{starter}"
        yield from graded_lines(seen, each.graded)


def _seat_text(seat: Document) -> str:
    """Who sits there; the name may be anything that a program or a person has written."""
    name = "".join(letter if letter.isprintable() else " " for letter in str(seat["name"]))
    name = textwrap.shorten(name, LONGEST_NAME, placeholder="...") or "nameless"
    return f"{name} ({seat['profile']})" if seat["kind"] == BRAIN else name


def _remarks(decision: Decision, followed: tuple[int, int] | None) -> Iterator[str]:
    """What is worth a word about a decision of a match."""
    seen, graded, lead = decision.seen, decision.graded, decision.lead
    if graded.grade is Grade.COSTLY:
        yield from graded_lines(seen, graded)
    elif lead is not None and lead.is_trap_missed:
        yield decision_line(seen, chosen_cards(graded), "trap missed")
    elif lead is not None and is_right(lead) and followed is not None:
        own, other = followed
        if own < other:
            yield decision_line(seen, chosen_cards(graded), "well led")
            luck = f"your lead was right; the reply was luck ({own} to {other} from there)"
            yield from wrapped(luck)
    yield from lead_lines(decision)
