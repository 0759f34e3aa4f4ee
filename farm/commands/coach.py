"""farm coach cribbage: reviews a match from its transcript, or advises on one discard or play.

Keys of the JSON. Cards have names such as "TD"; scores are own, then the other's.

judge: tier, "expert" or "master", by whose values decisions are judged; unit of all lost and value:
"points", or "chance to win", from 0 to 1.

A decision: kind ("throw" or "play"); seen, what the player saw, as programs from outside get it;
chosen and best, lists of cards; lost, what was given up; chance to win with the best choice, null
where the unit is points; grade ("best", "ok" or "costly"); reason; tags, whether or not they cost
anything; traps of the kept hand, each with name, cards and technique; lead, null or a deep
analysis.

A deep analysis: margins, the mean of own points less the other's to the end of the play, by the
card led, where each hand is played with its cards open and by the best line against it; errors, by
the card led, the standard error of how much less it brings than the best, 0 where exact; best;
gain of the best over the chosen; hands of the opponent that were looked at; exact, whether these
are all it may hold; trap_missed.

A review: judge; seat, player, opponent, won (null where the match was left), scores; hands, each
with index (of the transcript, from 0), dealer, scores before it, and decisions, which have besides
followed: for a lead the points of both from it to the end of the play, else null; totals of throws,
plays and all, each with decisions, best, ok, costly, lost and lost_per_hand; costliest, up to three
decisions of grade costly, which have besides the index of their hand.

Advice on a discard: judge; seen; throws, all 15, best first, each with cards, kept, mean_hand and
crib (in points, with its sign), value, lost and traps; thrown, null or a decision.

Advice on a play: judge; seen; cards, those that can be played, best first, each with card, scores,
threat, value and lost; lead, null or a deep analysis with the best card as the chosen one; played,
null or a decision.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Annotated, Any, NamedTuple

import typer

from engines.cards import SUIT_SYMBOLS, SUITS, CardError, parse_card, pretty
from engines.cribbage.judge import EXPERT_JUDGE, MASTER_JUDGE
from engines.cribbage.observation import Observation, ObservationError, Played
from engines.cribbage.scoring import MAX_COUNT, value_of
from farm.commands.coach_advice import FIRST_THROWS, advise_discard, advise_play
from farm.commands.coach_review import review
from farm.commands.coach_text import DISCARD_HAND, DISCARDED, PLAY_HAND
from farm.commands.cribbage_table import cards_text
from farm.commands.running import AsJson
from farm.errors import UsageProblem

OF_REVIEW = ("--match", "--seat", "--deep/--no-deep")
OF_DISCARD = ("--dealer/--pone", "--scores", "--thrown", "--all")
OF_PLAY = (
    *("--pile", "--starter", "--opponent-cards", "--dealer/--pone", "--scores"),
    *("--discards", "--played", "--deep/--no-deep"),
)
TEN = 10
NO_CARD_FROM = MAX_COUNT + 1 - TEN  # the least count at which a hand can have no card to play


class By(StrEnum):
    """Who judges."""

    EXPERT = "expert"
    MASTER = "master"


JUDGES = {By.EXPERT: EXPERT_JUDGE, By.MASTER: MASTER_JUDGE}


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
            "--deep/--no-deep",
            help="Look at leads to the end of the play. [default: deep by expert; master does so "
            "with every card]",
        ),
    ] = None,
    by: Annotated[
        By, typer.Option(help="Who judges: expert by points, master by the chance to win.")
    ] = By.EXPERT,
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
    is_deep = by is By.EXPERT if deep is None else deep
    judge = JUDGES[by]
    if path is not None:
        _refuse_others(options, "a review", OF_REVIEW)
        review(path, number or 0, seat, judge, is_deep, as_json)
        return
    cards, [own, other] = _cards("--hand", hand), _scores(scores)
    try:
        if len(cards) == DISCARD_HAND:
            _refuse_others(options, "a discard", OF_DISCARD)
            if dealer is None:
                raise UsageProblem("--dealer or --pone: a discard depends on whose the crib is")
            seen = Observation.for_discard(cards, dealer, own, other)
            given = _cards("--thrown", thrown, DISCARDED)
            advise_discard(seen, given, bool(every), judge, as_json)
        elif 1 <= len(cards) <= PLAY_HAND:
            _refuse_others(options, "a play", OF_PLAY)
            if starter is None or opponent_cards is None:
                raise UsageProblem("expected --starter and --opponent-cards with a --hand to play")
            laid = _cards("--pile", pile)
            is_dealer = _is_dealer(cards, laid, opponent_cards, dealer)
            history: list[Played] = []
            if by is By.MASTER:
                _refuse_unknown(cards, laid, opponent_cards, dealer, discards)
                history = _history(laid, len(cards), opponent_cards, is_dealer)
            seen = Observation.for_play(
                cards,
                laid,
                opponent_cards,
                _cards("--starter", starter, 1)[0],
                is_dealer,
                own_discards=_cards("--discards", discards, DISCARDED),
                history=history,
                own_score=own,
                opponent_score=other,
            )
            advise_play(seen, _cards("--played", played, 1), is_deep, judge, as_json)
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
    possible = _possible_seats(hand, pile, opponent_cards)
    if given is None and possible:
        return possible[0]
    if given is not None and given in possible:
        return given
    seat = {None: "", True: "--dealer: ", False: "--pone: "}[given]
    raise UsageProblem(
        f"{seat}no play of the cards comes to your turn with {len(hand)} in hand, "
        f"{opponent_cards} with the opponent, and {cards_text(pile) or 'nothing'} as the pile"
    )


def _refuse_unknown(
    hand: Sequence[int],
    pile: Sequence[int],
    opponent_cards: int,
    dealer: bool | None,
    discards: str | None,
) -> None:
    """Raises UsageProblem unless all of the deal that is public can be known of a play."""
    missing = [] if discards is not None else ["--discards"]
    if dealer is None and len(_possible_seats(hand, pile, opponent_cards)) > 1:
        missing.append("--dealer or --pone")
    if earlier := 2 * PLAY_HAND - len(hand) - opponent_cards - len(pile):
        cards = "card" if earlier == 1 else "cards"
        missing.append(f"the {earlier} {cards} of earlier counts, which only a review knows")
    if missing:
        raise UsageProblem(
            f"--by master: expected all of the deal, as Master goes by it; missing: "
            f"{'; '.join(missing)}"
        )


def _history(
    pile: Iterable[int], own_cards: int, opponent_cards: int, is_dealer: bool
) -> list[Played]:
    """Who played what and said go in the first count, when so many cards are still held.

    Who says go plays no more in a count: before it the players take turns, after it one goes on.
    """
    left = {True: PLAY_HAND - own_cards, False: PLAY_HAND - opponent_cards}
    history: list[Played] = []
    own = not is_dealer
    for card in pile:
        if not left[own]:
            _say_go(history, own)
            own = not own
        left[own] -= 1
        history.append(Played(own, card))
        own = not own
    if not own and opponent_cards:
        _say_go(history, own)
    return history


def _say_go(history: list[Played], own: bool) -> None:
    """Once a count."""
    if Played(own, None) not in history:
        history.append(Played(own, None))


def _possible_seats(hand: Sequence[int], pile: Sequence[int], opponent_cards: int) -> list[bool]:
    """Whether the player deals: what the cards allow."""
    return [deals for deals in (False, True) if _can_come(hand, pile, opponent_cards, deals)]


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
