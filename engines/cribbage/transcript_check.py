"""Verifies transcripts of fair matches.

The match is played again from what the transcript reveals: programs decide anew, persons and
programs from outside decide as it says, and the document of that match must be the same to the last
entry.
"""

import re
import reprlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engines.cards import CARD_NAMES
from engines.cribbage.fair_deal import FairDealError, FairMatch, Protocol
from engines.cribbage.observation import Observation
from engines.cribbage.tiers import PROFILES, Tier
from engines.cribbage.transcript import (
    AGREED,
    BRAIN,
    BY_CUT,
    FORMAT,
    KINDS,
    VERSION,
    Decided,
    Document,
    EndOfScript,
    Seat,
    TranscriptError,
    fingerprint_for,
    nothing,
    play_transcribed,
)


@dataclass
class _Script:
    """A player who does as a transcript says, as long as that is allowed.

    discards and plays: the path of each list of them, the place in it, and the cards. stuck: the
    path of a list, and what is wrong with an entry of it.
    """

    discards: Iterator[tuple[str, int, list[str]]]
    plays: Iterator[tuple[str, int, str]]
    stuck: dict[str, str]

    def discard(self, seen: Observation) -> list[int]:
        """The next throw."""
        held = {CARD_NAMES[card]: card for card in seen.own_hand}
        for path, place, names in self.discards:
            if len(names) == 2 and names[0] != names[1] and held.keys() >= set(names):
                return [held[name] for name in names]
            self.stuck[path] = (
                f"{path}[{place}].cards: expected two cards of the hand, got {_shown(names)}"
            )
            break
        raise EndOfScript

    def play(self, seen: Observation) -> int:
        """The next card."""
        legal = {CARD_NAMES[card]: card for card in seen.legal_plays()}
        for path, place, name in self.plays:
            if name in legal:
                return legal[name]
            self.stuck[path] = (
                f"{path}[{place}].card: expected one of {' '.join(legal)}, got {_shown(name)}"
            )
            break
        raise EndOfScript


def verify_transcript(document: Document, decided: Decided = nothing) -> None:
    """Plays the match again; raises TranscriptError naming the first entry that differs.

    decided: is told of each decision on the way, before it is known whether the transcript holds.
    """
    _check_kind(document)
    match = _match_of(document)
    seats = [_seat_of(each, f"seats[{index}]") for index, each in enumerate(document["seats"])]
    tables = fingerprint_for(seats)
    if document["tables"] != tables:
        raise TranscriptError(
            f"tables: expected {tables}, got {_shown(document['tables'])}: the brain of another "
            "version decided; verify with that one"
        )
    stuck: dict[str, str] = {}
    scripts = [
        None if seat.is_program_of_ours else _script(document, index, stuck)
        for index, seat in enumerate(seats)
    ]
    by_cut = _one_of((BY_CUT, AGREED), document["first_deal"], "first_deal") == BY_CUT
    first_dealer = None if by_cut else _one_of((0, 1), document["first_dealer"], "first_dealer")
    again = play_transcribed(match, seats, scripts, first_dealer, decided=decided)
    _compare(again, document, "", stuck)


_SHAPE = {
    "protocol": int,
    "reveal": {"secret": str, "client_seed": str, "master_seed": None},
    "tables": str,
    "seats": [{"kind": str, "name": str}],
    "first_deal": str,
    "first_dealer": int,
    "hands": [{"discards": [{"seat": int, "cards": [str]}], "plays": [{"seat": int}]}],
}
"""What of a document is read before it is compared; None is anything."""

_KIND_NAMES = {str: "a text", int: "a whole number", list: "a list", dict: "an object"}


def _check_kind(document: Any) -> None:
    """Raises TranscriptError unless this is a transcript that this program can verify."""
    _check_shape({"format": None, "version": None}, document, "")
    if document["format"] != FORMAT:
        raise TranscriptError(f"format: expected {FORMAT!r}, got {_shown(document['format'])}")
    if document["version"] != VERSION:
        raise TranscriptError(
            f"this transcript has version {_shown(document['version'])}, "
            f"this program reads {VERSION}"
        )
    _check_shape(_SHAPE, document, "")
    if len(document["seats"]) != 2:
        raise TranscriptError(f"seats: expected 2 entries, got {len(document['seats'])}")


def _check_shape(shape: Any, given: Any, where: str) -> None:
    """Raises TranscriptError unless the entries of a shape are there, and of its types."""
    if shape is None:
        return
    kind = shape if isinstance(shape, type) else type(shape)
    is_of_kind = type(given) is kind
    if not is_of_kind:
        raise TranscriptError(
            f"{where or 'a transcript'}: expected {_KIND_NAMES[kind]}, got {_shown(given)}"
        )
    if isinstance(shape, dict):
        for key, below in shape.items():
            path = f"{where}.{key}" if where else key
            if key not in given:
                raise TranscriptError(f"{path} is missing")
            _check_shape(below, given[key], path)
    elif isinstance(shape, list):
        for index, each in enumerate(given):
            _check_shape(shape[0], each, f"{where}[{index}]")


def _one_of(allowed: Sequence[Any], given: Any, where: str) -> Any:
    if given not in allowed:
        expected = ", ".join(map(str, allowed))
        raise TranscriptError(f"{where}: expected one of {expected}, got {_shown(given)}")
    return given


def _match_of(document: Document) -> FairMatch:
    reveal = document["reveal"]
    secret, client_seed = reveal["secret"], reveal["client_seed"]
    if not re.fullmatch("[0-9a-f]{64}", secret):
        raise TranscriptError(
            f"reveal.secret: expected 64 hexadecimal digits, got {_shown(secret)}"
        )
    protocol = _one_of(tuple(map(int, Protocol)), document["protocol"], "protocol")
    try:
        client_seed.encode()
        if protocol == Protocol.COMMIT_FIRST:
            return FairMatch.commit_first(bytes.fromhex(secret), client_seed)
        match = FairMatch.client_first(_master_seed(reveal["master_seed"]), client_seed)
    except FairDealError as error:
        raise TranscriptError(f"reveal.master_seed: {error}") from None
    except UnicodeEncodeError as error:
        raise TranscriptError(f"reveal.client_seed: {error}") from None
    if match.secret.hex() != secret:
        raise TranscriptError(
            f"reveal.secret: expected {match.secret.hex()}, made of the master seed and the "
            f"client seed, got {secret}"
        )
    return match


def _master_seed(text: Any) -> int:
    if not isinstance(text, str) or not re.fullmatch("-?[0-9]{1,19}", text):
        raise TranscriptError(
            f"reveal.master_seed: expected a whole number as a text, got {_shown(text)}"
        )
    return int(text)


def _seat_of(given: Document, where: str) -> Seat:
    kind = _one_of(KINDS, given["kind"], f"{where}.kind")
    if kind != BRAIN:
        return Seat(kind, given["name"])
    tier = _one_of(tuple(Tier), given.get("tier"), f"{where}.tier")
    profile = _one_of(tuple(PROFILES), given.get("profile"), f"{where}.profile")
    return Seat(kind, given["name"], tier, profile)


def _script(document: Document, seat: int, stuck: dict[str, str]) -> _Script:
    hands = document["hands"]
    discards = (
        (f"hands[{index}].discards", place, each["cards"])
        for index, hand in enumerate(hands)
        for place, each in enumerate(hand["discards"])
        if each["seat"] == seat
    )
    plays = (
        (f"hands[{index}].plays", place, each["card"])
        for index, hand in enumerate(hands)
        for place, each in enumerate(hand["plays"])
        if each["seat"] == seat and isinstance(each.get("card"), str)
    )
    return _Script(discards, plays, stuck)


def _compare(expected: Any, given: Any, where: str, stuck: dict[str, str]) -> None:
    """Raises TranscriptError at the first entry that differs, in the order of the document."""
    if isinstance(expected, dict) and isinstance(given, dict):
        for key in [*expected, *given]:
            name = key if key.isidentifier() and len(key) < 40 else _shown(key)
            path = f"{where}.{name}" if where else name
            if key not in given or key not in expected:
                missing = "is missing" if key not in given else "should not be there"
                raise TranscriptError(f"{path} {missing}")
            _compare(expected[key], given[key], path, stuck)
    elif isinstance(expected, list) and isinstance(given, list):
        for index, (one, other) in enumerate(zip(expected, given, strict=False)):
            _compare(one, other, f"{where}[{index}]", stuck)
        if len(expected) != len(given):
            raise TranscriptError(
                stuck.get(where)
                or f"{where}: expected {len(expected)} entries as played again, got {len(given)}"
            )
    elif not _is_same(expected, given):
        raise TranscriptError(
            f"{where}: expected {_shown(expected)} as played again, got {_shown(given)}"
        )


def _is_same(expected: Any, given: Any) -> bool:
    """Whether two values are equal; a number with a point may have lost it on its way."""
    kinds = (float, int) if type(expected) is float else (type(expected),)
    return type(given) in kinds and bool(expected == given)


_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 2, 80, 80
_MOST_SHOWN = 140
"""Characters: what lies within others adds up."""


def _shown(value: Any) -> str:
    """A value in one line of some length."""
    text = _SHORT.repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
