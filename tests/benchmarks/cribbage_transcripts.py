"""Whether random transcripts verify, and whether one changed entry in each is caught.

Seats of every kind, both protocols, a cut or an agreed first dealer, matches left before the end.

    python tests/benchmarks/cribbage_transcripts.py --matches 1000 --seed 2026
"""

import argparse
import copy
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engines.cribbage.fair_deal import FairMatch
from engines.cribbage.observation import Observation
from engines.cribbage.tiers import PROFILES, Tier
from engines.cribbage.transcript import (
    OUTSIDE,
    PERSON,
    RANDOM,
    Document,
    EndOfScript,
    Seat,
    TranscriptError,
    play_transcribed,
)
from engines.cribbage.transcript_check import verify_transcript

Path = tuple[str | int, ...]


@dataclass
class Whim:
    """Any legal answer, and after so many of them the match is left."""

    rng: random.Random
    answers: int = 1_000_000

    def _count(self) -> None:
        if not self.answers:
            raise EndOfScript
        self.answers -= 1

    def discard(self, seen: Observation) -> list[int]:
        """Any two cards, in any order."""
        self._count()
        return self.rng.sample(seen.own_hand, 2)

    def play(self, seen: Observation) -> int:
        """Any legal card."""
        self._count()
        return self.rng.choice(seen.legal_plays())


def random_match(rng: random.Random) -> FairMatch:
    """Either protocol, with a client seed that may be empty or hold any letters."""
    client_seed = rng.choice(["", "alice", "x|y", "Zoë ♠", str(rng.getrandbits(64))])
    if rng.random() < 0.5:
        return FairMatch.client_first(rng.getrandbits(64) - 2**63, client_seed)
    return FairMatch.commit_first(rng.randbytes(32), client_seed)


def random_seat(rng: random.Random) -> Seat:
    """A brain as often as all the others."""
    kind = rng.choice([PERSON, OUTSIDE, RANDOM, "brain", "brain", "brain"])
    if kind == "brain":
        return Seat.brain(rng.choice(list(Tier)), rng.choice(list(PROFILES)))
    return Seat(kind, f"some {kind}")


def random_transcript(rng: random.Random) -> Document:
    """A transcript as read from a file; three in ten with a person or outsider are left early."""
    seats = [random_seat(rng), random_seat(rng)]
    others = [
        None
        if seat.is_program_of_ours
        else Whim(rng, rng.randrange(60) if rng.random() < 0.3 else 1_000_000)
        for seat in seats
    ]
    document = play_transcribed(random_match(rng), seats, others, rng.choice([None, None, 0, 1]))
    read: Document = json.loads(json.dumps(document))
    return read


def paths(node: Any, path: Path = ()) -> Iterator[Path]:
    """The way to each entry below a node, in order."""
    entries = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, value in entries:
        yield (*path, key)
        yield from paths(value, (*path, key))


def entry(node: Any, path: Path) -> Any:
    """What is at the end of the way."""
    for key in path:
        node = node[key]
    return node


def written(path: Path) -> str:
    """As in "hands[0].plays[3].card"."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)[1:]


def is_claim(document: Document, path: Path) -> bool:
    """Whether nothing else in a transcript follows from this entry: a name, a person's choice.

    That a person has left, and when, is his choice as well.
    """
    if path[0] == "seats":
        return path[2:] == ("name",)
    if path[0] != "hands" or len(path) < 4 or path[2] not in ("discards", "plays"):
        return False
    seat = entry(document, path[:4])["seat"]
    return document["seats"][seat]["kind"] in (PERSON, OUTSIDE) and (
        len(path) == 4 or path[4] in ("card", "cards")
    )


def changed(rng: random.Random, value: Any) -> Any:
    """Another value in place of this one."""
    if isinstance(value, bool) or value is None:
        return 1
    if isinstance(value, int | float):
        return value + rng.choice([-1, 1])
    if isinstance(value, str):
        return value[:-1] + chr(ord(value[-1]) ^ 1) if value else "0"
    return None


def compile_brains() -> None:
    """A match with all that is compiled, so that no other is timed with it."""
    seats = [Seat.brain(Tier.EASY, "published"), Seat.brain(Tier.EXPERT, "published")]
    verify_transcript(play_transcribed(FairMatch.client_first(0), seats))


def main() -> None:
    """Prints how many transcripts verified, and how many changed ones were found out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    compile_brains()
    kinds, hands, decisions, ended, size = Counter[str](), 0, 0, 0, 0
    playing = verifying = 0.0
    missed = []
    for number in range(options.matches):
        rng = random.Random(f"{options.seed} {number}")
        began = time.perf_counter()
        document = random_transcript(rng)
        playing += time.perf_counter() - began
        began = time.perf_counter()
        verify_transcript(document)
        verifying += time.perf_counter() - began
        kinds.update(
            [f"protocol {document['protocol']}", "cut" if document["cuts"] else "agreed dealer"]
        )
        kinds.update(" ".join([s["kind"], s.get("profile", "")]) for s in document["seats"])
        hands += len(document["hands"])
        decisions += sum(len(h["discards"]) + len(h["plays"]) for h in document["hands"])
        ended += document["winner"] is not None
        size += len(json.dumps(document))
        bound = [path for path in paths(document) if not is_claim(document, path)]
        path = rng.choice(bound)
        tampered = copy.deepcopy(document)
        entry(tampered, path[:-1])[path[-1]] = changed(rng, entry(document, path))
        try:
            verify_transcript(tampered)
            missed.append(f"match {number}: {written(path)}")
        except TranscriptError:
            pass
    count = options.matches
    print(f"{count:,} transcripts verified: {ended:,} to the end, {hands:,} hands,")
    print(f"{decisions:,} decisions and gos, {size / count / 1000:.1f} kB each")
    print(f"playing {1000 * playing / count:.1f} ms, verifying {1000 * verifying / count:.1f} ms")
    print(", ".join(f"{kind.strip()} {times:,}" for kind, times in sorted(kinds.items())))
    print(f"one entry changed in each: {count - len(missed):,} found out, {len(missed):,} not")
    for line in missed:
        print(line)


if __name__ == "__main__":
    main()
