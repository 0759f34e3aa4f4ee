"""Transcripts of fair matches: everything that was said, dealt, rolled, decided and scored.

A transcript is a JSON document (FAIR_DEAL.md describes it). It is verified by playing the match
again from what it reveals: programs decide anew, persons and programs from outside decide as it
says, and the document of that match must be the same to the last entry.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from engines.cards import CARD_NAMES, CardError, parse_card
from engines.cribbage.crib_tables import tables_fingerprint
from engines.cribbage.fair_deal import FairDealError, FairMatch, Protocol
from engines.cribbage.match import (
    Act,
    Event,
    IllegalAnswer,
    Player,
    Watch,
    nobody,
    play_match,
)
from engines.cribbage.observation import Observation
from engines.cribbage.ranked import RankedPlayer
from engines.cribbage.tiers import Tier, TierError, profile_named

FORMAT = "dealfarm-cribbage-transcript"
VERSION = 1
PERSON, OUTSIDE, RANDOM, BRAIN = "person", "outside", "random", "brain"

Document = dict[str, Any]


class TranscriptError(ValueError):
    """A document that is no transcript, or not one of a match as it must have gone."""


class EndOfScript(Exception):
    """A player who has no more answers: the match ends here."""


@dataclass(frozen=True)
class Seat:
    """Who sits in a seat. kind: person, outside, random or brain; tier and profile: of a brain."""

    kind: str
    name: str
    tier: str | None = None
    profile: str | None = None

    @classmethod
    def brain(cls, tier: Tier, profile: str) -> "Seat":
        """A tier of a profile."""
        return cls(BRAIN, str(tier), str(tier), profile)

    @property
    def is_program_of_ours(self) -> bool:
        """Whether its decisions can be made again."""
        return self.kind in (RANDOM, BRAIN)

    def as_json(self) -> Document:
        """With level and temperature of a brain, so that another program need not know tiers."""
        document: Document = {"kind": self.kind, "name": self.name}
        if self.kind == BRAIN and self.tier is not None and self.profile is not None:
            skill = profile_named(self.profile).tier(Tier(self.tier))
            document |= {
                "tier": self.tier,
                "profile": self.profile,
                "level": skill.level,
                "temperature": skill.temperature,
            }
        return document


Decided = Callable[[int, Observation, tuple[int, ...]], None]
"""Told of a decision: the seat, what it saw, and the cards it chose."""


def nothing(seat: int, seen: Observation, chosen: tuple[int, ...]) -> None:
    """Hears of a decision and does nothing."""


@dataclass(frozen=True)
class _Observed:
    """A player whose decisions are told."""

    player: Player
    seat: int
    decided: Decided

    def discard(self, seen: Observation) -> Sequence[int]:
        thrown = self.player.discard(seen)
        self.decided(self.seat, seen, tuple(thrown))
        return thrown

    def play(self, seen: Observation) -> int:
        card = self.player.play(seen)
        self.decided(self.seat, seen, (card,))
        return card


@dataclass
class _Recorder:
    """Turns the events of a match into hands."""

    match: FairMatch
    players: Sequence[Player]
    first_dealer: int
    hands: list[Document] = field(default_factory=list)

    def watch(self, event: Event) -> None:
        """Notes an event."""
        names = [CARD_NAMES[card] for card in event.cards]
        if event.act is Act.DEAL and event.seat == 0:
            self._begin()
        hand = self.hands[-1]
        noted = [{"kind": str(each.kind), "points": each.points} for each in event.scored]
        match event.act:
            case Act.DEAL:
                hand["dealt"].append(names)
            case Act.DISCARD:
                roll = self._roll(event.seat)
                hand["discards"].append({"seat": event.seat, "cards": names, "roll": roll})
            case Act.CUT:
                hand["cut"] = {"card": names[0], "scored": noted}
            case Act.PLAY:
                roll = self._roll(event.seat)
                hand["plays"].append(
                    {"seat": event.seat, "card": names[0], "roll": roll, "scored": noted}
                )
            case Act.GO:
                hand["plays"].append({"seat": event.seat, "go": True})
            case Act.HAND | Act.CRIB:
                hand["shows"].append({"seat": event.seat, "what": str(event.act), "scored": noted})
        hand["scores"] = list(event.scores)

    def _begin(self) -> None:
        index = len(self.hands)
        self.hands.append(
            {
                "index": index,
                "seed": str(self.match.hand_seed(index)),
                "dealer": (self.first_dealer + index) % 2,
                "dealt": [],
                "discards": [],
                "plays": [],
                "shows": [],
            }
        )

    def _roll(self, seat: int) -> float | None:
        player = self.players[seat]
        return player.rolls[-1] if isinstance(player, RankedPlayer) else None


def ranked_players(match: FairMatch, seats: Sequence[Seat]) -> list[RankedPlayer | None]:
    """The players of the seats that are programs of ours, None for the others."""
    both = all(seat.is_program_of_ours for seat in seats)
    players: list[RankedPlayer | None] = []
    for index, seat in enumerate(seats):
        suffix = str(index) if both else ""
        if seat.kind == RANDOM:
            players.append(RankedPlayer(None, match, suffix))
        elif seat.kind == BRAIN and seat.tier is not None and seat.profile is not None:
            skill = profile_named(seat.profile).tier(Tier(seat.tier))
            players.append(RankedPlayer(skill, match, suffix))
        else:
            players.append(None)
    return players


def play_transcribed(
    match: FairMatch,
    seats: Sequence[Seat],
    others: Sequence[Player | None] = (None, None),
    first_dealer: int | None = None,
    watch: Watch = nobody,
    decided: Decided = nothing,
) -> Document:
    """Plays a fair match and returns its transcript. Raises IllegalAnswer.

    others: the players of the seats that are no programs of ours; one that raises EndOfScript ends
    the match, without a winner. first_dealer: None for who cuts the lower card. decided: is told
    of each decision.
    """
    cuts = match.cuts() if first_dealer is None else []
    dealer = _lower(cuts[-1]) if first_dealer is None else first_dealer
    players: list[Player] = []
    for ours, given in zip(ranked_players(match, seats), others, strict=True):
        player = ours or given
        if player is None:
            raise TranscriptError("expected a player for each seat that is no program of ours")
        players.append(player)
    recorder = _Recorder(match, players, dealer)

    def both(event: Event) -> None:
        recorder.watch(event)
        watch(event)

    winner: int | None = None
    observed = [_Observed(player, seat, decided) for seat, player in enumerate(players)]
    with suppress(EndOfScript):
        winner = play_match(observed, match.deals(), dealer, watch=both).winner
    return {
        "format": FORMAT,
        "version": VERSION,
        "protocol": int(match.protocol),
        "commit": match.commit,
        "reveal": {
            "secret": match.secret.hex(),
            "client_seed": match.client_seed,
            "master_seed": None if match.master_seed is None else str(match.master_seed),
        },
        "tables": tables_fingerprint(),
        "seats": [seat.as_json() for seat in seats],
        "cuts": [[CARD_NAMES[card] for card in cut] for cut in cuts],
        "first_dealer": dealer,
        "hands": recorder.hands,
        "scores": recorder.hands[-1]["scores"] if recorder.hands else [0, 0],
        "winner": winner,
    }


def _lower(cut: tuple[int, int]) -> int:
    return 0 if cut[0] < cut[1] else 1


@dataclass
class _Script:
    """A player who does as a transcript says."""

    discards: Iterator[list[int]]
    plays: Iterator[int]

    def discard(self, seen: Observation) -> list[int]:
        """The next throw."""
        del seen
        for cards in self.discards:
            return cards
        raise EndOfScript

    def play(self, seen: Observation) -> int:
        """The next card."""
        del seen
        for card in self.plays:
            return card
        raise EndOfScript


def verify_transcript(document: Document, decided: Decided = nothing) -> None:
    """Plays the match again; raises TranscriptError naming the first entry that differs.

    decided: is told of each decision on the way, before it is known whether the transcript holds.
    """
    try:
        again = _play_again(document, decided)
    except IllegalAnswer as error:
        raise TranscriptError(f"seat {error.seat}: {error}") from None
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise TranscriptError(f"expected a whole transcript, got one without {error}") from None
    except (CardError, FairDealError, TierError, ValueError) as error:
        raise TranscriptError(str(error)) from None
    _compare(again, document, "")


def _play_again(document: Document, decided: Decided) -> Document:
    if document["format"] != FORMAT:
        raise TranscriptError(f"expected format {FORMAT!r}, got {document['format']!r}")
    if document["version"] != VERSION:
        raise TranscriptError(
            f"this transcript has version {document['version']}, this program reads {VERSION}"
        )
    if document["tables"] != tables_fingerprint():
        raise TranscriptError(
            f"tables: expected {tables_fingerprint()}, got {document['tables']}: the brain of "
            "another version decided; verify with that one"
        )
    match = _match_of(document)
    seats = [
        Seat(each["kind"], each["name"], each.get("tier"), each.get("profile"))
        for each in document["seats"]
    ]
    if [seat.kind for seat in seats if seat.kind not in (PERSON, OUTSIDE, RANDOM, BRAIN)]:
        raise TranscriptError("seats: expected the kinds person, outside, random or brain")
    scripts = [
        None if seat.is_program_of_ours else _script(document, index)
        for index, seat in enumerate(seats)
    ]
    first = None if document["cuts"] else document["first_dealer"]
    if first not in (None, 0, 1):
        raise TranscriptError(f"first_dealer: expected 0 or 1, got {first!r}")
    return play_transcribed(match, seats, scripts, first, decided=decided)


def _match_of(document: Document) -> FairMatch:
    reveal = document["reveal"]
    secret, client_seed = bytes.fromhex(reveal["secret"]), reveal["client_seed"]
    if document["protocol"] == Protocol.CLIENT_FIRST:
        match = FairMatch.client_first(int(reveal["master_seed"]), client_seed)
        if match.secret != secret:
            raise TranscriptError(
                f"reveal.secret: expected {match.secret.hex()}, made of the master seed and the "
                f"client seed, got {secret.hex()}"
            )
        return match
    if document["protocol"] == Protocol.COMMIT_FIRST:
        return FairMatch.commit_first(secret, client_seed)
    raise TranscriptError(f"protocol: expected 1 or 2, got {document['protocol']!r}")


def _script(document: Document, seat: int) -> _Script:
    hands = document["hands"]
    discards = (
        [parse_card(name) for name in each["cards"]]
        for hand in hands
        for each in hand["discards"]
        if each["seat"] == seat
    )
    plays = (
        parse_card(each["card"])
        for hand in hands
        for each in hand["plays"]
        if each["seat"] == seat and "card" in each
    )
    return _Script(discards, plays)


def _compare(expected: Any, given: Any, where: str) -> None:
    """Raises TranscriptError at the first entry that differs, in the order of the document."""
    if isinstance(expected, dict) and isinstance(given, dict):
        for key in [*expected, *given]:
            path = f"{where}.{key}" if where else key
            if key not in given or key not in expected:
                missing = "is missing" if key not in given else "should not be there"
                raise TranscriptError(f"{path} {missing}")
            _compare(expected[key], given[key], path)
    elif isinstance(expected, list) and isinstance(given, list):
        for index, (one, other) in enumerate(zip(expected, given, strict=False)):
            _compare(one, other, f"{where}[{index}]")
        if len(expected) != len(given):
            raise TranscriptError(
                f"{where}: expected {len(expected)} entries as played again, got {len(given)}"
            )
    elif expected != given or type(expected) is not type(given):
        raise TranscriptError(f"{where}: expected {expected!r} as played again, got {given!r}")
