"""farm play cribbage: a fair match of a person against the brain, in the terminal."""

import json
import re
import secrets
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from threading import Thread
from types import FrameType
from typing import Annotated

import typer
from rich.console import Console

from engines.cards import CARD_NAMES, pretty
from engines.cribbage import fast_brain
from engines.cribbage.fair_deal import SECRET_BYTES, SEED_LIMIT, FairMatch, commit_of
from engines.cribbage.match import Event
from engines.cribbage.observation import Observation
from engines.cribbage.scoring import GAME, MAX_COUNT, value_of
from engines.cribbage.tiers import EXPERT, PROFILES, Tier, TierError, profile_named
from engines.cribbage.transcript import PERSON, Document, EndOfScript, Seat, play_transcribed
from farm.commands.cribbage_table import (
    HELP,
    OPPONENT,
    YOU,
    Narrator,
    cards_text,
    hand_text,
    hint_text,
    result_text,
    say,
)
from farm.commands.prompt import prompted
from farm.errors import RunProblem, UsageProblem
from jobs.signals import handled_by

USUAL_PROFILE = "calibrated"
UNMIXED = "The cards are fixed, but may have been picked: nothing of yours is mixed in."
KNOWN_FIRST = "The cards are fixed, but may have been picked: your seed came before the commit."
LOADING_SECONDS = 3.0  # the compiled brain is read from the disk in less


class First(StrEnum):
    """Who deals first: the person, the opponent, or whoever cuts the lower card."""

    YOU = "you"
    OPPONENT = "opponent"
    CUT = "cut"


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
                raise EndOfScript
            if answer in ("?", "hint"):
                self.say(HELP if answer == "?" else hint_text(seen))
                continue
            try:
                return chosen_cards(answer, seen)
            except ValueError as problem:
                self.say(str(problem))


def ask(prompt: str) -> str:
    """A line from standard input; raises EndOfScript at its end and for Ctrl-C."""
    answer = prompted(prompt, say)
    if answer is None:
        raise EndOfScript
    return answer


@dataclass(frozen=True)
class Again:
    """A player who makes a person's choices once more, and leaves after the last."""

    choices: Iterator[tuple[int, ...]]

    def discard(self, seen: Observation) -> tuple[int, ...]:
        """The next choice."""
        del seen
        for chosen in self.choices:
            return chosen
        raise EndOfScript

    def play(self, seen: Observation) -> int:
        """The next choice."""
        return self.discard(seen)[0]


@dataclass(frozen=True)
class Shuffle:
    """What the options say of the cards. secret: of a match to play again."""

    seed: int | None
    secret: bytes | None
    client_seed: str | None

    @classmethod
    def given(cls, seed: int | None, secret: str | None, client_seed: str | None) -> "Shuffle":
        """The options as typed; raises UsageProblem."""
        if seed is not None and secret is not None:
            raise UsageProblem("--seed and --secret name two matches: give one of them")
        if seed is not None and not 0 <= seed < SEED_LIMIT:
            raise UsageProblem(f"--seed: expected a number from 0 to 2**63 - 1, got {seed}")
        if client_seed is not None and not client_seed.isprintable():
            raise UsageProblem(f"--client-seed: expected printable text, got {client_seed!r}")
        return cls(seed, None if secret is None else _secret_bytes(secret), client_seed)

    def agree(self) -> FairMatch:
        """Shows the commit, then settles the client seed; raises EndOfScript."""
        mixed = self.client_seed or ""
        if self.seed is not None:
            match = FairMatch.client_first(self.seed, mixed)
            say(f"commit {match.commit}")
            say(f"These are the cards of seed {self.seed}, the same each time.")
        elif self.secret is not None:
            match = FairMatch.commit_first(self.secret, mixed)
            say(f"commit {match.commit}")
            say("These are the cards of a secret that was shown before, the same each time.")
        else:
            secret = secrets.token_bytes(SECRET_BYTES)
            say(f"commit {commit_of(secret)}")
            say("That is the SHA-256 of the secret that fixes the shuffle, shown at the end.")
            asked = self.client_seed is None and sys.stdin.isatty()
            if asked:
                mixed = _ask_client_seed()
            match = FairMatch.commit_first(secret, mixed)
            if not mixed:
                say(UNMIXED)
            elif not asked:
                say(KNOWN_FIRST)
            if asked:
                return match  # the seed is on the screen as it was typed
        if mixed:
            say(f"client seed {mixed}")
        return match


def _secret_bytes(text: str) -> bytes:
    with suppress(ValueError):
        secret = bytes.fromhex(text)
        if len(secret) == SECRET_BYTES:
            return secret
    raise UsageProblem(f"--secret: expected {2 * SECRET_BYTES} hexadecimal digits, got {text!r}")


def _ask_client_seed() -> str:
    while True:
        text = ask("type anything to mix into the shuffle, Enter for none: ").strip()
        if text.isprintable():
            return text
        say("only printable text can be mixed in")


def load_brain() -> None:
    """Reads the compiled brain from the disk, or compiles it, by two decisions."""
    fast_brain.choose_discard(Observation.for_discard(range(6), True), EXPERT, 0.0)
    fast_brain.choose_play(Observation.for_play(range(4), (), 4, 51, True), EXPERT, 0.0)


def _await(loading: Thread) -> None:
    loading.join(LOADING_SECONDS)
    if loading.is_alive():
        screen = Console(stderr=True)
        screen.print("compiling the brain, once for this version: about 20 s", highlight=False)
        loading.join()


@contextmanager
def _left_by_signals() -> Iterator[None]:
    """Lets SIGHUP, as of a terminal that is closed, and SIGTERM leave the match as Ctrl-C does.

    The first one only: a closed terminal and its shell send one each, and the second would spoil
    the way out. A signal that is ignored, as under nohup, stays so.
    """
    both = (signal.SIGHUP, signal.SIGTERM)
    heeded = [number for number in both if signal.getsignal(number) != signal.SIG_IGN]

    def leave(number: int, frame: FrameType | None) -> None:
        del number, frame
        for each in heeded:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    with handled_by(heeded, leave):
        yield


@contextmanager
def _reserved(path: Path | None) -> Iterator[None]:
    """A new file for the transcript, removed at the end if nothing was written to it."""
    if path is None:
        yield
        return
    try:
        path.touch(exist_ok=False)
    except OSError as error:
        raise UsageProblem(
            f"--transcript: expected a new file, got {path}: {error.strerror}"
        ) from None
    try:
        yield
    finally:
        if path.exists() and not path.stat().st_size:
            path.unlink()


def _play_out(
    match: FairMatch, tier: Tier, profile: str, first: First, loading: Thread
) -> Document:
    """Plays the match before the person; what happened is its transcript."""
    seats = Seat(PERSON, "you"), Seat.brain(tier, profile)
    agreed = {First.YOU: YOU, First.OPPONENT: OPPONENT}.get(first)
    dealer = agreed
    if dealer is None:
        for yours, other in match.cuts():
            say(f"For the deal you cut {pretty(yours)}, {tier} cuts {pretty(other)}.")
        dealer = YOU if yours < other else OPPONENT
    narrator = Narrator(tier, dealer)
    choices: list[tuple[int, ...]] = []

    def watch(event: Event) -> None:
        if (text := narrator.tell(event)) is not None:
            say(text)

    def decided(seat: int, seen: Observation, chosen: tuple[int, ...]) -> None:
        del seen
        if seat == YOU:
            _await(loading)  # the person decides before the brain in each match
            choices.append(chosen)

    try:
        return play_transcribed(match, seats, (Person(ask, say), None), agreed, watch, decided)
    except (KeyboardInterrupt, OSError):
        # Between two questions, or a screen that is gone: the match is left at the next question.
        with suppress(OSError):
            say("")
        return play_transcribed(match, seats, (Again(iter(choices)), None), agreed)


def play(
    tier: Annotated[Tier, typer.Option(help="How strong the opponent is.")] = Tier.HARD,
    profile: Annotated[
        str, typer.Option(help=f"How often the tiers err: {' or '.join(PROFILES)}.")
    ] = USUAL_PROFILE,
    first: Annotated[First, typer.Option(help="Who deals first; cut: the lower card.")] = First.CUT,
    client_seed: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="What you mix into the shuffle. Given here it is known before the secret is "
            "drawn: that the cards are fixed can be checked then, not that they were not picked. "
            "[default: asked for once the commit is shown, which leaves nothing to pick]",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of cards that are the same each time.")
    ] = None,
    secret: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="Secret of a match, to play its cards again."),
    ] = None,
    transcript: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="New file for all that was dealt, rolled and decided."),
    ] = None,
) -> None:
    """Play a match of cribbage to 121 against the brain, which sees only what you may see.

    The shuffle is fixed before the first card, and can be checked after the last.
    """
    try:
        profile_named(profile)
    except TierError as error:
        raise UsageProblem(f"--profile: {error}") from None
    shuffle = Shuffle.given(seed, secret, client_seed)
    with _left_by_signals(), _reserved(transcript):
        loading = Thread(target=load_brain, name="load-brain", daemon=True)
        loading.start()
        try:
            match = shuffle.agree()
        except EndOfScript:
            say("you left before the first card")
            return
        say(f"\nCribbage to {GAME} against {tier} ({profile}).")
        say("Type ? for help, hint for a hint, q to leave.")
        document = _play_out(match, tier, profile, first, loading)
        # Before anything is said, as the screen may be gone.
        problem = None if transcript is None else _write(document, transcript)
        yours, other = document["scores"]
        if document["winner"] is None:
            say(f"you left the match at {yours} to {other}")
        else:
            say(result_text(tier, document["winner"], (yours, other)))
        say(f"\nsecret {match.secret.hex()}")
        say("The SHA-256 of these 32 bytes is the commit at the start.")
        if transcript is None:
            say("the same cards again:")
            say(_command(match, tier, profile, first))
            return
        if problem is not None:
            raise RunProblem(f"--transcript: {transcript}: {problem.strerror}")
        say("check every card, roll and decision:")
        say(shlex.join(["farm", "verify-transcript", str(transcript), "--commit", match.commit]))


def _write(document: Document, transcript: Path) -> OSError | None:
    """Writes the transcript; returns what kept it from that, and leaves nothing half-written."""
    try:
        transcript.write_text(f"{json.dumps(document, indent=2)}\n", encoding="utf-8")
    except OSError as error:
        with suppress(OSError):
            transcript.unlink()
        return error
    return None


def _command(match: FairMatch, tier: Tier, profile: str, first: First) -> str:
    """The command that plays the same cards again."""
    words = ["farm", "play", "cribbage"]
    if match.master_seed is None:
        words += ["--secret", match.secret.hex()]
    else:
        words += ["--seed", str(match.master_seed)]
    choices = (
        ("--client-seed", match.client_seed, ""),
        ("--tier", tier, Tier.HARD),
        ("--profile", profile, USUAL_PROFILE),
        ("--first", first, First.CUT),
    )
    for name, value, usual in choices:
        words += [name, value] if value != usual else []
    return shlex.join(words)
