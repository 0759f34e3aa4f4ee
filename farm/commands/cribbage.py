"""farm play cribbage: a match of a person against the brain, in the terminal."""

import re
import secrets
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.text import Text

from engines.cards import CARD_NAMES, PACK_SIZE, pretty, rank_of
from engines.cribbage import brain
from engines.cribbage.match import Act, Event, play_match, random_deals
from engines.cribbage.observation import Observation
from engines.cribbage.players import BrainPlayer, open_rolls
from engines.cribbage.scoring import GAME, MAX_COUNT, Kind, Scored, total, value_of
from engines.cribbage.tiers import PROFILES, Skill, Tier, TierError, profile_named
from engines.streams import SEED_LIMIT, open_stream, shuffle_end
from farm.errors import UsageProblem

YOU, OPPONENT = 0, 1
CUT_PURPOSE = "cribbage cut for the first deal"
FRESH_SEEDS = 10**9  # short enough to be typed again
USUAL_PROFILE = "calibrated"
EXPERT = Skill(Tier.EXPERT.level, 0.0)
WIDTH, MARGIN, HOLES = 78, " " * 10, 60  # a hole of the board line stands for two points
END_OF_COUNT = {Kind.THIRTY_ONE, Kind.GO, Kind.LAST_CARD}
HELP = """\
Type cards by name, as 5H or td: T is ten, and C D H S are ♣ ♦ ♥ ♠. Or by
place: "1 4" are the first and the fourth card of your hand.
  hint   what Expert would do, and the points that every other choice gives up
  ?      this help
  q      leaves the match, as Ctrl-D and Ctrl-C do
In the play 15 and 31 score 2, a pair 2, three of a kind 6, four 12, a run of
three or more its length, a go or the last card 1. Go is said for you, and the
only card that can be played is played for you."""


class First(StrEnum):
    """Who deals first: the person, the opponent, or whoever cuts the lower card."""

    YOU = "you"
    OPPONENT = "opponent"
    CUT = "cut"


class Left(Exception):
    """The person has left the match."""


def cards_text(cards: Sequence[int]) -> str:
    """Cards with their suit symbols: "5♥ K♦"."""
    return " ".join(map(pretty, cards))


def hand_text(hand: Sequence[int]) -> str:
    """A hand, and below each card its place and its name to type."""
    cards = "".join(f"{pretty(card):8}" for card in hand)
    names = "".join(f"{place} {CARD_NAMES[card]:6}" for place, card in enumerate(hand, start=1))
    return f"  hand    {cards.rstrip()}\n{MARGIN}{names.rstrip()}"


def count_text(scored: Sequence[Scored]) -> str:
    """A show counted aloud: "15-2 (5♥ K♦), pair is 4 (5♥ 5♦)"; empty where nothing scored."""
    items, points = [], 0
    for each in scored:
        points += each.points
        name = f"run of {each.points}" if each.kind is Kind.RUN else each.kind
        counted = f"15-{points}" if each.kind is Kind.FIFTEEN else f"{name} is {points}"
        # Lines break between items only.
        items.append(f"{counted} ({cards_text(each.cards)})".replace(" ", "\xa0"))
    lines = textwrap.wrap(", ".join(items), WIDTH - len(MARGIN))
    return "".join(f"\n{MARGIN}{line}" for line in lines).replace("\xa0", " ")


def hint_text(seen: Observation) -> str:
    """What Expert would do, what that is worth, and how much every other choice gives up."""
    values: dict[tuple[int, ...], float]
    if seen.starter is None:
        found = brain.throws(seen)
        best = found[brain.best_throw(found)]
        values = {throw.cards: throw.value for throw in found}
        chosen: tuple[int, ...] = best.cards
        crib = f"{best.crib:.2f} in your crib" if seen.own_crib else f"-{best.crib:.2f} in theirs"
        worth = f"{best.value:.2f} points ({best.mean_hand:.2f} in hand, {crib})"
        said = f"throws {cards_text(chosen)}: {worth}"
    else:
        values = {(card,): value for card, value in brain.play_values(seen, EXPERT.level)}
        chosen = (brain.choose_play(seen, EXPERT, 0.0),)
        worth = f"{values[chosen]:.2f} points, net of the reply it invites"
        said = f"plays {cards_text(chosen)}: {worth}"
    # Of throws that are all but equal Expert takes the safest, which may be worth a trifle less.
    lost = {cards: max(0.0, values[chosen] - value) for cards, value in values.items()}
    others = sorted((cards for cards in lost if cards != chosen), key=lambda cards: lost[cards])
    items = [f"{cards_text(cards)} {lost[cards]:.2f}" for cards in others]
    rows = ["".join(f"{item:13}" for item in items[at : at + 5]) for at in range(0, len(items), 5)]
    lines = [f"Expert {said}", "what every other choice gives up:", *rows]
    return "\n".join(f"  {line}".rstrip() for line in lines)


@dataclass
class Narrator:
    """Tells the person at seat YOU what happens, and nothing that is not public yet.

    dealer: of the deal that is played or comes next. scores: after all that was told.
    """

    opponent: str
    dealer: int
    scores: tuple[int, int] = (0, 0)
    deals: int = 0
    pile: list[int] = field(default_factory=list)

    def tell(self, event: Event) -> str | None:
        """The text of an event; None for what the person may not see or need not be told."""
        self.scores = event.scores
        match event.act:
            case Act.DEAL if event.seat == YOU:
                self.deals += 1
                who = "you deal" if self.dealer == YOU else f"{self.opponent} deals"
                return f"\n── deal {self.deals}: {who}, {self._crib()} ".ljust(WIDTH + 1, "─")
            case Act.DISCARD if event.seat == YOU:
                return self._line("you", f"{cards_text(event.cards)} into {self._crib()}")
            case Act.CUT:
                return self._line("cut", cards_text(event.cards), event.scored)
            case Act.PLAY:
                self.pile += event.cards
                count = sum(map(value_of, self.pile))
                what = f"{cards_text(event.cards)}{count:6}"
                line = self._line(self._name(event.seat), what, event.scored)
                if END_OF_COUNT.isdisjoint(each.kind for each in event.scored):
                    return line
                self.pile = []
                return f"{line}\n"
            case Act.GO if self.pile:  # else the go is paid for already, and the count is over
                return self._line(self._name(event.seat), "go")
            case Act.HAND:
                return self._show(self._name(event.seat), event)
            case Act.CRIB:
                shown = self._show("crib", event)
                self.dealer = 1 - self.dealer
                return f"{shown}\n\n{self._track(YOU)}\n{self._track(OPPONENT)}"
        return None

    def result(self, winner: int) -> str:
        """Who won, and by how much."""
        lost = self.scores[1 - winner]
        skunk = "" if lost > 90 else ": a skunk" if lost > 60 else ": a double skunk"
        verb = "win" if winner == YOU else "wins"
        return f"\n{self._name(winner)} {verb} {GAME} to {lost}, by {GAME - lost}{skunk}"

    def _name(self, seat: int) -> str:
        return "you" if seat == YOU else self.opponent

    def _crib(self) -> str:
        return "your crib" if self.dealer == YOU else f"{self.opponent}'s crib"

    def _line(self, label: str, what: str, scored: Sequence[Scored] = ()) -> str:
        line = f"  {label:8}{what}"
        said = ", ".join(f"{each.kind} for {each.points}" for each in scored)
        return f"{line:22}{said:36}{self._score()}" if scored else line

    def _show(self, label: str, event: Event) -> str:
        *hand, starter = event.cards
        line = f"  {label:8}{cards_text(hand)} + {pretty(starter)}{total(event.scored):7}"
        return f"{line:58}{self._score()}{count_text(event.scored)}"

    def _score(self) -> str:
        return f"you {self.scores[YOU]}  {self.opponent} {self.scores[OPPONENT]}"

    def _track(self, seat: int) -> str:
        """The peg of a seat on its track of the board."""
        behind = self.scores[seat] * HOLES // GAME
        track = "━" * behind + "●" + "·" * (HOLES - behind)
        return f"  {self._name(seat):8}{self.scores[seat]:3}  {track}"


def chosen_cards(answer: str, seen: Observation) -> tuple[int, ...]:
    """The cards that an answer names: two before the cut, then one.

    Raises ValueError, saying in a line what is wrong, for anything that is not a legal choice.
    """
    hand = seen.own_hand
    typed: dict[str, int] = {}
    for place, card in enumerate(hand, start=1):
        typed |= {str(place): card, CARD_NAMES[card]: card, pretty(card): card}
    cards: list[int] = []
    for word in re.findall(r"[^\s,]+", answer.upper()):
        name = re.sub("^10", "T", word)
        if name not in typed:
            names = " ".join(CARD_NAMES[card] for card in hand)
            raise ValueError(f"{word!r} is no card of your hand: {names}, or 1 to {len(hand)}")
        cards.append(typed[name])
    given = cards_text(cards) or "none"
    if seen.starter is None:
        if len(cards) != 2 or cards[0] == cards[1]:
            raise ValueError(f"two different cards go into the crib, not {given}")
    elif len(cards) != 1:
        raise ValueError(f"one card is played at a time, not {given}")
    elif cards[0] not in seen.legal_plays():
        count = seen.count + value_of(cards[0])
        raise ValueError(f"{pretty(cards[0])} would make {count}, more than {MAX_COUNT}")
    return tuple(cards)


@dataclass(frozen=True)
class Person:
    """A player who is asked: ask shows a prompt and returns a line, say shows a text."""

    ask: Callable[[str], str]
    say: Callable[[str], None]

    def discard(self, seen: Observation) -> tuple[int, ...]:
        """The two cards that the person names."""
        return self._choose(seen, f"two for {'your' if seen.own_crib else 'their'} crib: ")

    def play(self, seen: Observation) -> int:
        """The card that the person names; a single legal one is played unasked."""
        legal = seen.legal_plays()
        if len(legal) == 1:
            last = len(seen.own_hand) == 1
            self.say("  (your last card)" if last else f"  (only {pretty(legal[0])} can be played)")
            return legal[0]
        return self._choose(seen, f"count {seen.count}, play: " if seen.pile else "lead: ")[0]

    def _choose(self, seen: Observation, prompt: str) -> tuple[int, ...]:
        self.say(hand_text(seen.own_hand))
        while True:
            answer = self.ask(prompt).strip().lower()
            if answer == "q":
                raise Left
            if answer in ("?", "hint"):
                self.say(HELP if answer == "?" else hint_text(seen))
                continue
            try:
                return chosen_cards(answer, seen)
            except ValueError as problem:
                self.say(str(problem))


def cuts_for_deal(seed: int, number: int) -> list[tuple[int, int]]:
    """The cuts of both seats for the first deal, repeated until their ranks differ."""
    stream = open_stream(seed, number, CUT_PURPOSE)
    cuts: list[tuple[int, int]] = []
    while not cuts or rank_of(cuts[-1][YOU]) == rank_of(cuts[-1][OPPONENT]):
        pack = np.arange(PACK_SIZE, dtype=np.int8)
        shuffle_end(stream, pack, 2)
        cuts.append((int(pack[-1]), int(pack[-2])))
    return cuts


def say(text: str, end: str = "\n") -> None:
    """Prints a text, its red cards in red where the terminal has colours."""
    shown = Text(text)
    shown.highlight_regex(r"\w[♦♥]", "red")
    shown.highlight_regex(r"\b[1-6] \w[CDHS]\b", "dim")
    Console(soft_wrap=True).print(shown, end=end)


def ask(prompt: str) -> str:
    """A line from standard input; raises Left at its end and for Ctrl-C."""
    say(prompt, end="")
    try:
        answer = input()
    except (EOFError, KeyboardInterrupt):
        say("")
        raise Left from None
    except UnicodeDecodeError:  # half a character, as a backspace leaves it in some terminals
        return ""
    if not sys.stdin.isatty():
        say(answer)  # a terminal has shown it already
    return answer


def play(
    tier: Annotated[Tier, typer.Option(help="How strong the opponent is.")] = Tier.HARD,
    profile: Annotated[
        str, typer.Option(help=f"How often the tiers err: {' or '.join(PROFILES)}.")
    ] = USUAL_PROFILE,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the cards. [default: a fresh one]")
    ] = None,
    number: Annotated[int, typer.Option("--match", help="Number of the match of a seed.")] = 0,
    first: Annotated[First, typer.Option(help="Who deals first; cut: the lower card.")] = First.CUT,
) -> None:
    """Play a match of cribbage to 121 against the brain, which sees only what you may see."""
    try:
        skill = profile_named(profile).tier(tier)
    except TierError as error:
        raise UsageProblem(f"--profile: {error}") from None
    seed = secrets.randbelow(FRESH_SEEDS) if seed is None else seed
    for option, value in (("--seed", seed), ("--match", number)):
        if not 0 <= value < SEED_LIMIT:
            raise UsageProblem(f"{option}: expected a number from 0 to 2**63 - 1, got {value}")
    say(f"Cribbage to {GAME} against {tier} ({profile}), seed {seed}.")
    say("Type ? for help, hint for a hint, q to leave.")
    dealer = OPPONENT if first is First.OPPONENT else YOU
    if first is First.CUT:
        for yours, other in cuts_for_deal(seed, number):
            say(f"For the deal you cut {pretty(yours)}, {tier} cuts {pretty(other)}.")
            dealer = YOU if yours < other else OPPONENT
    narrator = Narrator(tier, dealer)

    def watch(event: Event) -> None:
        if (text := narrator.tell(event)) is not None:
            say(text)

    # The plain brain: it decides as the fast one does, and nobody waits for a compilation.
    players = Person(ask, say), BrainPlayer(skill, open_rolls(seed, number, 0, OPPONENT), brain)
    try:
        result = play_match(players, random_deals(seed, number), dealer, watch=watch)
    except (Left, KeyboardInterrupt):
        say(f"you left the match at {narrator.scores[YOU]} to {narrator.scores[OPPONENT]}")
    else:
        say(narrator.result(result.winner))
    choices = (
        ("--tier", tier, Tier.HARD),
        ("--profile", profile, USUAL_PROFILE),
        ("--match", number, 0),
        ("--first", first, First.CUT),
    )
    options = "".join(f" {name} {value}" for name, value, usual in choices if value != usual)
    say(f"the same cards again: farm play cribbage --seed {seed}{options}")
