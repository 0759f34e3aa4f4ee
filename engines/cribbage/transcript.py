"""Transcripts of fair matches: everything that was said, dealt, rolled, decided and scored.

A transcript is a JSON document (FAIR_DEAL.md describes it), written while the match is played;
transcript_check.py verifies it.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from engines.cards import card_names
from engines.cribbage.crib_tables import tables_fingerprint
from engines.cribbage.fair_deal import FairMatch
from engines.cribbage.master_tables import master_fingerprint
from engines.cribbage.match import Act, Event, Player, Watch, nobody, play_match
from engines.cribbage.observation import Observation
from engines.cribbage.ranked import RankedPlayer
from engines.cribbage.tiers import Tier, profile_named

FORMAT = "dealfarm-cribbage-transcript"
VERSION = 1
KINDS = PERSON, OUTSIDE, RANDOM, BRAIN = "person", "outside", "random", "brain"
BY_CUT, AGREED = "cut", "agreed"

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
                "samples": skill.samples,
            }
        return document


Decided = Callable[[int, Observation, tuple[int, ...]], None]
"""Told of a decision: the seat, what it saw, and the cards it chose."""


def nothing(seat: int, seen: Observation, chosen: tuple[int, ...]) -> None:
    """Hears of a decision and does nothing."""


@dataclass
class _Observed:
    """A player, and what it saw when it was last asked."""

    player: Player
    seen: Observation | None = None

    def discard(self, seen: Observation) -> Sequence[int]:
        self.seen = seen
        return self.player.discard(seen)

    def play(self, seen: Observation) -> int:
        self.seen = seen
        return self.player.play(seen)


@dataclass
class _Recorder:
    """Turns the events of a match into hands."""

    match: FairMatch
    players: Sequence[Player]
    first_dealer: int
    hands: list[Document] = field(default_factory=list)

    def watch(self, event: Event) -> None:
        """Notes an event."""
        names = card_names(event.cards)
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
                "cut": None,
                "plays": [],
                "shows": [],
                "scores": [],
            }
        )

    def _roll(self, seat: int) -> float | None:
        player = self.players[seat]
        return player.rolls[-1] if isinstance(player, RankedPlayer) else None


def fingerprint_for(seats: Sequence[Seat]) -> str:
    """The tables that the brains of the seats go by; Master has more than the others."""
    is_searched = any(seat.tier == Tier.MASTER for seat in seats)
    return master_fingerprint() if is_searched else tables_fingerprint()


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

    observed = [_Observed(player) for player in players]

    def both(event: Event) -> None:
        recorder.watch(event)
        seen = observed[event.seat].seen
        if seen is not None and event.act in (Act.DISCARD, Act.PLAY):
            decided(event.seat, seen, event.cards)
        watch(event)

    winner: int | None = None
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
        "tables": fingerprint_for(seats),
        "seats": [seat.as_json() for seat in seats],
        "first_deal": BY_CUT if first_dealer is None else AGREED,
        "cuts": [card_names(cut) for cut in cuts],
        "first_dealer": dealer,
        "hands": recorder.hands,
        "scores": recorder.hands[-1]["scores"] if recorder.hands else [0, 0],
        "winner": winner,
    }


def _lower(cut: tuple[int, int]) -> int:
    return 0 if cut[0] < cut[1] else 1
