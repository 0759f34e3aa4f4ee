"""farm coach cribbage: reviews a match from its transcript, or advises on one discard or play.

Keys of the JSON. Cards have names such as "TD"; scores are own, then the other's.

A decision: kind ("throw" or "play"); seen, what the player saw, as programs from outside get it;
chosen and best, lists of cards; lost, the points given up; grade ("best", "ok" or "costly");
reason; tags, whether or not they cost anything; traps of the kept hand, each with name, cards and
technique; lead, null or a deep analysis.

A deep analysis: margins, the mean of own points less the other's to the end of the play, by the
card led; best; gain of the best over the chosen; hands of the opponent that were looked at; exact,
whether these are all it may hold; trap_missed.

A review: seat, player, opponent, won (null where the match was left), scores; hands, each with
index (of the transcript, from 0), dealer, scores before it, and decisions, which have besides
followed: for a lead the points of both from it to the end of the play, else null; totals of throws,
plays and all, each with decisions, best, ok, costly, lost and lost_per_hand; costliest, up to three
decisions of grade costly, which have besides the index of their hand.

Advice on a discard: seen; throws, all 15, best first, each with cards, kept, mean_hand, crib (with
its sign), value, lost and traps; thrown, null or a decision.

Advice on a play: seen; cards, those that can be played, best first, each with card, scores, threat,
value and lost; lead, null or a deep analysis with the best card as the chosen one; played, null or
a decision.
"""

import json
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console

from engines.cards import CARD_NAMES, SUIT_SYMBOLS, SUITS, CardError, parse_card, pretty
from engines.cribbage import brain
from engines.cribbage.coach import (
    DiscardReview,
    Grade,
    PlayReview,
    Trap,
    grade_discard,
    grade_play,
    kept_traps,
)
from engines.cribbage.lead_analysis import LeadAnalysis, analyze_lead
from engines.cribbage.observation import Observation, ObservationError
from engines.cribbage.review import Decision, MatchReview, review_match
from engines.cribbage.scoring import GAME, MAX_COUNT, score_play, total, value_of
from engines.cribbage.transcript import BRAIN, PERSON, Document, TranscriptError
from farm.commands.cribbage_table import EXPERT, MARGIN, WIDTH, cards_text, say
from farm.commands.running import AsJson
from farm.errors import UsageProblem

DISCARD_HAND, PLAY_HAND, DISCARDED = 6, 4, 2
FIRST_THROWS = 5
OF_REVIEW = ("--match", "--seat", "--deep/--no-deep")
OF_DISCARD = ("--dealer/--pone", "--scores", "--thrown", "--all")
OF_PLAY = (
    *("--pile", "--starter", "--opponent-cards", "--dealer/--pone", "--scores"),
    *("--discards", "--played", "--deep/--no-deep"),
)
LONGEST_NAME = 24
VERDICT = 58  # the column after which a line says what a decision was
TEN = 10
NO_CARD_FROM = MAX_COUNT + 1 - TEN  # the least count at which a hand can have no card to play


def coach(
    path: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="A transcript to review, or a file with one on each line; - for standard input.",
            show_default=False,
        ),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option("--match", help="Review: number of the match in the file. [default: 0]"),
    ] = None,
    seat: Annotated[
        int | None,
        typer.Option(min=0, max=1, help="Review: whose decisions. [default: the person's, else 0]"),
    ] = None,
    hand: Annotated[
        str | None, typer.Option(help="Advice: six cards to discard from, or those still held.")
    ] = None,
    dealer: Annotated[
        bool | None, typer.Option("--dealer/--pone", help="Advice: whether the crib is yours.")
    ] = None,
    scores: Annotated[
        str | None, typer.Option(metavar="OWN-OTHER", help="Advice: the scores. [default: 0-0]")
    ] = None,
    thrown: Annotated[str | None, typer.Option(help="Discard: two cards to grade.")] = None,
    every: Annotated[
        bool | None,
        typer.Option("--all", help=f"Discard: all 15 throws, not only {FIRST_THROWS}."),
    ] = None,
    pile: Annotated[
        str | None, typer.Option(help="Play: the cards of the count so far; without, a lead.")
    ] = None,
    starter: Annotated[str | None, typer.Option(help="Play: the card that was cut.")] = None,
    opponent_cards: Annotated[
        int | None, typer.Option(min=0, max=4, help="Play: how many cards the opponent holds.")
    ] = None,
    discards: Annotated[str | None, typer.Option(help="Play: the two cards you threw.")] = None,
    played: Annotated[str | None, typer.Option(help="Play: the card to grade.")] = None,
    deep: Annotated[
        bool | None,
        typer.Option(
            "--deep/--no-deep", help="Look at leads to the end of the play. [default: deep]"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Review your decisions in a match of cribbage, or ask for advice on a discard or a play.

    A review takes the transcript of a match as FILE. For advice give your cards:
    --hand "5H 5C JD QS KD 2C" --dealer, or, in the play,
    --hand "5H JD QS" --pile "7H 8C" --starter 2S --opponent-cards 3.
    """
    if (path is None) == (hand is None):
        raise UsageProblem("expected a FILE to review, or a --hand to get advice on")
    options = {
        "--match": number,
        "--seat": seat,
        "--dealer/--pone": dealer,
        "--scores": scores,
        "--thrown": thrown,
        "--all": every,
        "--pile": pile,
        "--starter": starter,
        "--opponent-cards": opponent_cards,
        "--discards": discards,
        "--played": played,
        "--deep/--no-deep": deep,
    }
    is_deep = deep is not False
    if path is not None:
        _refuse_others(options, "a review", OF_REVIEW)
        _review(path, number or 0, seat, is_deep, as_json)
        return
    cards, [own, other] = _cards("--hand", hand), _scores(scores)
    try:
        if len(cards) == DISCARD_HAND:
            _refuse_others(options, "a discard", OF_DISCARD)
            if dealer is None:
                raise UsageProblem("--dealer or --pone: a discard depends on whose the crib is")
            seen = Observation.for_discard(cards, dealer, own, other)
            _advise_discard(seen, _cards("--thrown", thrown, DISCARDED), bool(every), as_json)
        elif 1 <= len(cards) <= PLAY_HAND:
            _refuse_others(options, "a play", OF_PLAY)
            if starter is None or opponent_cards is None:
                raise UsageProblem("expected --starter and --opponent-cards with a --hand to play")
            laid = _cards("--pile", pile)
            seen = Observation.for_play(
                cards,
                laid,
                opponent_cards,
                _cards("--starter", starter, 1)[0],
                _is_dealer(cards, laid, opponent_cards, dealer),
                own_discards=_cards("--discards", discards, DISCARDED),
                own_score=own,
                opponent_score=other,
            )
            _advise_play(seen, _cards("--played", played, 1), is_deep, as_json)
        else:
            raise UsageProblem(
                "--hand: expected six cards for a discard, or one to four for a play, "
                f"got {len(cards)}"
            )
    except ObservationError as error:
        raise UsageProblem(str(error)) from None


# What the options say.


def _refuse_others(options: dict[str, Any], what: str, known: Sequence[str]) -> None:
    for name, value in options.items():
        if value is not None and name not in known:
            raise UsageProblem(f"{name}: does not go with {what}, which takes {', '.join(known)}")


def _cards(option: str, text: str | None, size: int | None = None) -> list[int]:
    """The cards of an option, none where it was not given; as 5H, td, 10C or 5♥."""
    cards = []
    for word in re.findall(r"[^\s,]+", text or ""):
        name = re.sub("^10", "T", word.upper()).translate(str.maketrans(SUIT_SYMBOLS, SUITS))
        try:
            cards.append(parse_card(name))
        except CardError:
            raise UsageProblem(f"{option}: expected cards such as TD or 5H, got {word!r}") from None
    if doubled := [card for card, times in Counter(cards).items() if times > 1]:
        raise UsageProblem(f"{option}: expected different cards, got {pretty(doubled[0])} twice")
    if text is not None and size not in (None, len(cards)):
        cards_wanted = "one card" if size == 1 else f"{size} cards"
        raise UsageProblem(f"{option}: expected {cards_wanted}, got {text!r}")
    return cards


def _scores(text: str | None) -> tuple[int, int]:
    given = "0-0" if text is None else text
    found = re.fullmatch(r"\s*(\d{1,3})\s*-\s*(\d{1,3})\s*", given, re.ASCII)
    if found is None:
        raise UsageProblem(f"--scores: expected your score and the other's as 50-60, got {text!r}")
    return int(found[1]), int(found[2])


def _is_dealer(
    hand: Sequence[int], pile: Sequence[int], opponent_cards: int, given: bool | None
) -> bool:
    """Whether the player deals; raises UsageProblem where no play of the cards comes to this."""
    down = 2 * PLAY_HAND - len(hand) - opponent_cards
    count = sum(map(value_of, pile))
    if count >= MAX_COUNT:
        over = f"{MAX_COUNT} ends a count: leave --pile out for the lead that follows"
        beyond = f"expected a count up to {MAX_COUNT}, got {count}"
        raise UsageProblem(f"--pile: {over if count == MAX_COUNT else beyond}")
    if len(pile) > down:
        raise UsageProblem(
            f"--pile: expected at most {down} cards, as {len(hand)} are in hand and "
            f"{opponent_cards} with the opponent, got {len(pile)}"
        )
    possible = [deals for deals in (False, True) if _can_come(hand, pile, opponent_cards, deals)]
    if given is None and possible:
        return possible[0]
    if given is not None and given in possible:
        return given
    seat = {None: "", True: "--dealer: ", False: "--pone: "}[given]
    raise UsageProblem(
        f"{seat}no play of the cards comes to your turn with {len(hand)} in hand, "
        f"{opponent_cards} with the opponent, and {cards_text(pile) or 'nothing'} as the pile"
    )


class _Table(NamedTuple):
    """A play seen from outside. left: cards of oneself and the opponent; out: who has said go."""

    left: tuple[int, int]
    turn: int
    total: int = 0
    out: frozenset[int] = frozenset()


def _can_come(
    hand: Sequence[int], pile: Sequence[int], opponent_cards: int, is_dealer: bool
) -> bool:
    """Whether any cards played before lead to this hand, pile and turn."""
    # From these counts on a side may have nothing to play: its held cards are known, or are not.
    stuck_from = MAX_COUNT + 1 - min(map(value_of, hand)), NO_CARD_FROM

    def is_stuck(table: _Table, side: int) -> bool:
        return not table.left[side] or table.total >= stuck_from[side]

    def laid(table: _Table, values: Iterable[int]) -> Iterator[_Table]:
        """The tables after one more card, its count maybe over."""
        other = 1 - table.turn
        for side in (table.turn, other):
            if not table.left[side] or side in table.out:
                continue
            if side == other and not is_stuck(table, table.turn):
                continue
            left = list(table.left)
            left[side] -= 1
            out = table.out | ({table.turn} if side == other and table.left[table.turn] else set())
            for value in values:
                if table.total + value <= MAX_COUNT:
                    yield _Table((left[0], left[1]), 1 - side, table.total + value, out)

    leads, waiting = set[_Table](), [_Table((PLAY_HAND, PLAY_HAND), 1 if is_dealer else 0)]
    met = set(waiting)
    while waiting:
        table = waiting.pop()
        if not table.total:
            leads.add(table)
        after = set(laid(table, range(1, TEN + 1)))
        if table.total and is_stuck(table, 0) and is_stuck(table, 1):
            after.add(_Table(table.left, table.turn))
        after = {
            _Table(each.left, each.turn) if each.total == MAX_COUNT else each for each in after
        }
        waiting += after - met
        met |= after
    tables = leads
    for card in pile:
        tables = {after for table in tables for after in laid(table, [value_of(card)])}
    return any(
        table.left == (len(hand), opponent_cards)
        and 0 not in table.out
        and (table.turn == 0 or is_stuck(table, 1))
        for table in tables
    )


# The review of a match.


def _review(path: str, number: int, seat: int | None, deep: bool, as_json: bool) -> None:
    where, document = _read(path, number)
    try:
        with Console(stderr=True).status("reviewing ..."):
            review = review_match(document, _person(document) if seat is None else seat, deep=deep)
    except (TranscriptError, OverflowError, RecursionError) as error:
        raise UsageProblem(f"{where}: {error}") from None
    if as_json:
        print(json.dumps(_review_json(document, review)))
    else:
        say("\n".join(_review_lines(document, review)))


def _read(path: str, number: int) -> tuple[str, Document]:
    """Where match `number` of a file is, and what is there; raises UsageProblem."""
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(f"{path}: {error}") from None
    lines = [(at, line) for at, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise UsageProblem(f"{path}: expected a transcript, got an empty file")
    places = [(f"{path} line {at}", line) for at, line in lines]
    if len(lines) == 1 or not _is_json(lines[0][1]):
        places = [(path, text)]
    if not 0 <= number < len(places):
        known = f"0 to {len(places) - 1}" if len(places) > 1 else "0, the only one"
        raise UsageProblem(f"--match: expected {known} of {path}, got {number}")
    where, chosen = places[number]
    try:
        document = json.loads(chosen)
    except (ValueError, RecursionError) as error:
        raise UsageProblem(f"{where}: expected a transcript in JSON: {error}") from None
    if not isinstance(document, dict):
        raise UsageProblem(f"{where}: expected a transcript, got other JSON")
    return where, document


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


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
    """Of throws, plays and all: how many had each grade, and the points given up."""
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
        hand["decisions"].append(_decision_json(each) | followed)
    return {
        "seat": seat,
        "player": document["seats"][seat]["name"],
        "opponent": document["seats"][1 - seat]["name"],
        "won": None if winner is None else winner == seat,
        "scores": [document["scores"][seat], document["scores"][1 - seat]],
        "hands": list(hands.values()),
        "totals": _totals(review, len(hands)),
        "costliest": [_decision_json(each) | {"index": each.hand} for each in _costliest(review)],
    }


def _review_lines(document: Document, review: MatchReview) -> Iterator[str]:
    seat = review.seat
    names = [_seat_text(each) for each in document["seats"]]
    ended = {None: "left at", seat: "won", 1 - seat: "lost"}[document["winner"]]
    own, other = document["scores"][seat], document["scores"][1 - seat]
    yield f"Review of seat {seat}, {names[seat]}, against {names[1 - seat]}:"
    yield f"{ended} {own} to {other}; judged by the values that Expert goes by"
    yield ""
    hands = list(dict.fromkeys(each.hand for each in review.decisions))
    known = set[str]()
    for index in hands:
        decisions = [each for each in review.decisions if each.hand == index]
        grades = Counter(each.graded.grade for each in decisions)
        counted = ", ".join(f"{grades[grade]} {grade}" for grade in Grade if grades[grade])
        yield f"hand {index + 1:<5}{_place_text(decisions[0].seen):38}{counted}"
        for each in decisions:
            yield from _remarks(each, _followed(document, seat, each))
            if isinstance(each.graded, DiscardReview):
                yield from _trap_lines(each.graded.traps, known)
    if not hands:
        yield "no decision to review"
        return
    totals = _totals(review, len(hands))
    yield ""
    yield f"The best choice in {totals['all']['best']} of {totals['all']['decisions']} decisions."
    yield f"{'':12}decisions    best      ok  costly   given up   per hand"
    for name, row in totals.items():
        yield (
            f"  {name:10}{row['decisions']:9}{row['best']:8}{row['ok']:8}{row['costly']:8}"
            f"{row['lost']:11.2f}{row['lost_per_hand']:11.2f}"
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
        yield f"{place}. hand {each.hand + 1}: {_place_text(seen)}{starter}"
        yield from _graded_lines(seen, each.graded)


def _seat_text(seat: Document) -> str:
    """Who sits there; the name may be anything that a program or a person has written."""
    name = "".join(letter if letter.isprintable() else " " for letter in str(seat["name"]))
    name = textwrap.shorten(name, LONGEST_NAME, placeholder="...") or "nameless"
    return f"{name} ({seat['profile']})" if seat["kind"] == BRAIN else name


def _remarks(decision: Decision, followed: tuple[int, int] | None) -> Iterator[str]:
    """What is worth a word about a decision of a match."""
    seen, graded, lead = decision.seen, decision.graded, decision.lead
    if graded.grade is Grade.COSTLY:
        yield from _graded_lines(seen, graded)
    elif lead is not None and lead.is_trap_missed:
        yield _line(seen, _chosen(graded), "trap missed")
    elif lead is not None and _is_right(lead) and followed is not None:
        own, other = followed
        if own < other:
            yield _line(seen, _chosen(graded), "well led")
            luck = f"your lead was right; the reply was luck ({own} to {other} from there)"
            yield from _wrapped(luck)
    yield from _lead_lines(decision)


# Advice.


def _advise_discard(seen: Observation, thrown: Sequence[int], every: bool, as_json: bool) -> None:
    if strangers := [card for card in thrown if card not in seen.own_hand]:
        raise UsageProblem(f"--thrown: {pretty(strangers[0])} is no card of the hand")
    ranked = _ranked_throws(seen)
    graded = Decision(0, seen, grade_discard(seen, thrown)) if thrown else None
    if as_json:
        facts = {
            "seen": seen.as_json(),
            "throws": [
                {
                    "cards": _names(throw.cards),
                    "kept": _names(_kept(seen, throw.cards)),
                    "mean_hand": throw.mean_hand,
                    "crib": throw.value - throw.mean_hand,
                    "value": throw.value,
                    "lost": max(0.0, ranked[0].value - throw.value),
                    "traps": _traps_json(kept_traps(_kept(seen, throw.cards))),
                }
                for throw in ranked
            ],
            "thrown": None if graded is None else _decision_json(graded),
        }
        print(json.dumps(facts))
        return
    lines = [
        f"What to throw from {cards_text(seen.own_hand)}: {_place_text(seen)}",
        "",
        f"{'':5}{'throw':9}{'kept':17}{'hand':>8}{'crib':>8}{'value':>9}",
    ]
    for place, throw in enumerate(ranked if every else ranked[:FIRST_THROWS], start=1):
        thrown_text, kept = cards_text(throw.cards), cards_text(_kept(seen, throw.cards))
        crib = throw.value - throw.mean_hand
        lines.append(
            f"{place:3}  {thrown_text:9}{kept:17}{throw.mean_hand:8.2f}{crib:+8.2f}"
            f"{throw.value:9.2f}"
        )
    lines.append("")
    shown = ranked[0].cards if graded is None else _chosen(graded.graded)
    if graded is not None:
        lines += _graded_lines(seen, graded.graded)
    lines += _trap_lines(kept_traps(_kept(seen, shown)), set())
    say("\n".join(lines).rstrip())


def _ranked_throws(seen: Observation) -> list[brain.Throw]:
    """The 15 throws, the one that Expert takes first, then by value."""
    throws = brain.throws(seen)
    best = throws[brain.best_throw(throws)]
    return sorted(throws, key=lambda throw: (throw is not best, -throw.value))


def _kept(seen: Observation, thrown: Sequence[int]) -> list[int]:
    return [card for card in seen.own_hand if card not in thrown]


def _advise_play(seen: Observation, played: Sequence[int], deep: bool, as_json: bool) -> None:
    for card in played:
        if card not in seen.own_hand:
            raise UsageProblem(f"--played: {pretty(card)} is no card of the hand")
        if card not in seen.legal_plays():
            count = seen.count + value_of(card)
            raise UsageProblem(f"--played: {pretty(card)} would make {count}, over {MAX_COUNT}")
    ranked = _ranked_cards(seen)
    lead = graded = None
    if deep and not seen.pile:
        lead = analyze_lead(seen, ranked[0].card)
    if played:
        of_played = None if lead is None else replace(lead, chosen=played[0])
        graded = Decision(0, seen, grade_play(seen, played[0]), of_played)
    if as_json:
        facts = {
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
            "lead": _lead_json(lead),
            "played": None if graded is None else _decision_json(graded),
        }
        print(json.dumps(facts))
    else:
        say("\n".join(_play_lines(seen, ranked, lead, graded)))


class CardAdvice(NamedTuple):
    """A card that can be played. scores: now; threat: of the reply; value: what Expert goes by."""

    card: int
    scores: int
    threat: float
    value: float


def _ranked_cards(seen: Observation) -> list[CardAdvice]:
    """The cards that can be played by value, the one that Expert takes first."""
    found = [
        CardAdvice(
            card,
            total(score_play((*seen.pile, card))),
            brain.threat(seen, (*seen.pile, card)),
            value,
        )
        for card, value in brain.play_values(seen, EXPERT.level)
    ]
    return sorted(found, key=lambda each: -each.value)


def _play_lines(
    seen: Observation,
    ranked: Sequence[CardAdvice],
    lead: LeadAnalysis | None,
    graded: Decision | None,
) -> Iterator[str]:
    table = f"on {cards_text(seen.pile)} ({seen.count})" if seen.pile else "as the lead"
    yield f"What to play {table} from {cards_text(seen.own_hand)}:"
    starter = "" if seen.starter is None else f", starter {pretty(seen.starter)}"
    yield f"{_place_text(seen)}{starter}, {seen.opponent_cards} with the opponent"
    yield ""
    if not ranked:
        yield f"no card can be played at {seen.count}: say go"
        return
    to_the_end = "" if lead is None else f"{'to the end':>13}"
    yield f"{'':5}{'card':4}{'scores':>9}{'threat':>9}{'value':>9}{to_the_end}"
    for place, each in enumerate(ranked, start=1):
        margin = "" if lead is None else f"{lead.margins[each.card]:+13.2f}"
        yield (
            f"{place:3}  {pretty(each.card):4}{each.scores:9}{each.threat:9.2f}{each.value:9.2f}"
            f"{margin}"
        )
    if lead is not None:
        yield ""
        yield from _wrapped(_analysis_text(seen, lead), "")
    if graded is not None:
        yield ""
        yield from _graded_lines(seen, graded.graded)
        yield from _lead_lines(graded)


def _analysis_text(seen: Observation, lead: LeadAnalysis) -> str:
    which = f"all {lead.hands} hands" if lead.exact else f"{lead.hands} hands"
    if lead.hands == 1:
        which = "the one hand"
    down = 2 * PLAY_HAND - len(seen.own_hand) - seen.opponent_cards
    unknown = "; the cards already played are not known here and may be among them" if down else ""
    return (
        "to the end: your points less the other's until the cards are out, on average over "
        f"{which} that it may hold{unknown}"
    )


# What reviews and advice have in common.


def _place_text(seen: Observation) -> str:
    crib = "your crib" if seen.own_crib else "the other's crib"
    return f"{crib}, {seen.own_score} to {seen.opponent_score}"


def _chosen(graded: DiscardReview | PlayReview) -> tuple[int, ...]:
    return (graded.card,) if isinstance(graded, PlayReview) else graded.thrown


def _best(graded: DiscardReview | PlayReview) -> tuple[int, ...]:
    return (graded.best,) if isinstance(graded, PlayReview) else graded.best


def _line(seen: Observation, chosen: Sequence[int], verdict: str) -> str:
    """What was done, in its place, and in two words how that was."""
    label = "throw" if seen.starter is None else "play" if seen.pile else "lead"
    pile = f" on {cards_text(seen.pile)} ({seen.count})" if seen.pile else ""
    done = f"{cards_text(chosen)}{pile} from {cards_text(seen.own_hand)}"
    return _judged(label, done, verdict)


def _judged(label: str, what: str, verdict: str) -> str:
    return f"{f'  {label:8}{what}':{VERDICT}}{verdict:>13}"


def _graded_lines(seen: Observation, graded: DiscardReview | PlayReview) -> Iterator[str]:
    """A decision with its grade, what it gave up, and why."""
    lost = f"{-graded.lost:8.2f}" if graded.grade is not Grade.BEST else ""
    yield _line(seen, _chosen(graded), graded.grade) + lost
    tags: tuple[str, ...] = ()
    if isinstance(graded, PlayReview) and graded.grade is Grade.COSTLY:
        tags = graded.tags
    yield from _wrapped(f"{', '.join(tags)}: {graded.reason}" if tags else graded.reason)


def _lead_lines(decision: Decision) -> Iterator[str]:
    """What the deep analysis adds to a lead."""
    lead, graded = decision.lead, decision.graded
    if lead is None:
        return
    best, chosen = pretty(lead.best), pretty(lead.chosen)
    if lead.is_trap_missed:
        margins = lead.margins[lead.best], lead.margins[lead.chosen]
        yield from _wrapped(
            f"a trap missed: to the end of the play {best} brings {margins[0]:+.1f} points, "
            f"{chosen} {margins[1]:+.1f}"
        )
    elif _is_right(lead) and graded.grade is Grade.COSTLY:
        yield from _wrapped("to the end of the play, though, no other lead brings more")


def _is_right(lead: LeadAnalysis) -> bool:
    """Whether no lead brings more than the chosen one, and another less."""
    return lead.gain <= 0.0 and min(lead.margins.values()) < lead.margins[lead.chosen]


def _trap_lines(traps: Iterable[Trap], known: set[str]) -> Iterator[str]:
    """Praise of the traps in a kept hand; how one is played, unless that is known already."""
    names = set[str]()
    for trap in traps:
        if trap.name in names:
            continue  # one will do where four aces and ten-cards make it four times
        names.add(trap.name)
        yield _judged("kept", f"{trap.name} {cards_text(trap.cards)}", "well kept")
        if trap.name not in known:
            known.add(trap.name)
            yield from _wrapped(trap.technique)


def _wrapped(text: str, first: str = MARGIN) -> Iterator[str]:
    yield from textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=MARGIN if first else ""
    )


def _names(cards: Iterable[int]) -> list[str]:
    return [CARD_NAMES[card] for card in cards]


def _decision_json(decision: Decision) -> dict[str, Any]:
    graded = decision.graded
    is_play = isinstance(graded, PlayReview)
    return {
        "kind": "play" if is_play else "throw",
        "seen": decision.seen.as_json(),
        "chosen": _names(_chosen(graded)),
        "best": _names(_best(graded)),
        "lost": graded.lost,
        "grade": str(graded.grade),
        "reason": graded.reason,
        "tags": list(graded.tags) if isinstance(graded, PlayReview) else [],
        "traps": [] if isinstance(graded, PlayReview) else _traps_json(graded.traps),
        "lead": _lead_json(decision.lead),
    }


def _traps_json(traps: Iterable[Trap]) -> list[dict[str, Any]]:
    return [
        {"name": trap.name, "cards": _names(trap.cards), "technique": trap.technique}
        for trap in traps
    ]


def _lead_json(lead: LeadAnalysis | None) -> dict[str, Any] | None:
    if lead is None:
        return None
    return {
        "margins": {CARD_NAMES[card]: margin for card, margin in lead.margins.items()},
        "best": CARD_NAMES[lead.best],
        "gain": lead.gain,
        "hands": lead.hands,
        "exact": lead.exact,
        "trap_missed": lead.is_trap_missed,
    }
