"""Cribbage programs of others beside our players: how fast they play, and how strong one is."""

import random
import shlex
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import pyarrow as pa

from engines.cribbage.fast_match import play_pairs
from engines.cribbage.scoring import GAME
from engines.cribbage.tiers import Tier
from farm import facts
from farm.errors import RunProblem
from farm.peers import Absent
from jobs import cribbage_ladder as ladder
from jobs.matches.match_rows import LEGS, RANDOM
from jobs.matches.outside_players import GAME as GAME_NAME
from jobs.matches.outside_players import PROTOCOL, START_SECONDS, PlayerError, read_player
from jobs.matches.player_process import PlayerFault, PlayerProcess
from results.compare import compare_turns
from results.peer_benchmark import Peer, PeerBenchmark, Solver
from results.statistics import Metric

OPEN_SPIEL_LOOP = "OpenSpiel, loop in C++"
OPEN_SPIEL_CALLS = "OpenSpiel, a call an action"
CRIBBAGE_SIM = "CribbageSim"
MATCHES = "matches"

_SCRIPT = Path(__file__).with_name("cribbage_sim_player.py")
_PAIRS_AT_ONCE = 250
_WARM_UP = 0.01  # seconds: what is compiled or loaded late is so before the first round


class Turn(NamedTuple):
    """Matches played in a turn, and the CPU seconds that they took."""

    matches: int
    seconds: float


TakeTurn = Callable[[float], Turn]
"""Plays for some CPU seconds, and one match at least."""


@dataclass
class _Contestant:
    """A player against itself, with its turns so far."""

    name: str
    version: str
    settings: str
    take: TakeTurn
    turns: list[Turn] = field(default_factory=list)

    def match_seconds(self) -> list[float]:
        """The seconds of a match in each round."""
        return [turn.seconds / turn.matches for turn in self.turns]

    def sum_up(self) -> Solver:
        """What it made of all turns."""
        return Solver(
            name=self.name,
            version=self.version,
            settings=self.settings,
            counts={MATCHES: sum(turn.matches for turn in self.turns)},
            seconds=sum(turn.seconds for turn in self.turns),
        )


def run_cribbage(
    seed: int,
    rounds: int,
    seconds: float,
    matches: int,
    interpreter: str,
    progress: Callable[[str], None],
) -> PeerBenchmark:
    """Each peer beside a player of ours, who comes first changing from round to round.

    seconds: of CPU for a turn. matches: of our expert against CribbageSim, two on the same cards
    each. interpreter: a Python that has CribbageSim. progress: told what is done. Raises
    RunProblem where a peer that is there breaks off.
    """
    started = facts.now()
    peers: list[Peer] = []
    present: list[tuple[_Contestant, _Contestant]] = []
    with ExitStack() as running:
        finders: tuple[tuple[str, str, Callable[[], _Contestant]], ...] = (
            (OPEN_SPIEL_LOOP, RANDOM, lambda: _open_spiel_loop(seed)),
            (OPEN_SPIEL_CALLS, RANDOM, lambda: _open_spiel_calls(seed)),
            (CRIBBAGE_SIM, Tier.EXPERT, lambda: _cribbage_sim(seed, interpreter, running)),
        )
        for name, our_player, find in finders:
            try:
                present.append((find(), _ours(seed, our_player)))
            except Absent as absent:
                peers.append(Peer(name=name, absent=str(absent)))
        _take_turns(present, rounds, seconds, progress)
    for peer, ours in present:
        strength: list[Metric] = []
        remarks: list[str] = []
        if peer.name == CRIBBAGE_SIM and matches:
            strength, remarks = _strength(seed, matches, interpreter, progress)
        peers.append(
            Peer(
                name=peer.name,
                solver=peer.sum_up(),
                ours=ours.sum_up(),
                comparison=compare_turns(peer.match_seconds(), ours.match_seconds()),
                strength=strength,
                remarks=remarks,
            )
        )
    return PeerBenchmark(
        game=GAME_NAME,
        rules={"points": GAME},
        seed=seed,
        units=(0, rounds),
        peers=peers,
        versions=facts.versions(),
        machine=facts.machine(),
        command=facts.command_line(),
        started=started,
    )


def _take_turns(
    present: list[tuple[_Contestant, _Contestant]],
    rounds: int,
    seconds: float,
    progress: Callable[[str], None],
) -> None:
    """All rounds. A peer's turn is next to that of ours, so that both meet the same noise."""
    for pair in present:
        for contestant in pair:
            contestant.take(_WARM_UP)
    for number in range(rounds):
        progress(f"round {number + 1:,} of {rounds:,}")
        for pair in present:
            for contestant in pair if number % 2 else reversed(pair):
                contestant.turns.append(contestant.take(seconds))


def _repeated(play: Iterator[int]) -> TakeTurn:
    """Turns of playing on; each step of `play` says how many matches it played."""

    def take(seconds: float) -> Turn:
        matches, started = 0, process_time()
        while process_time() - started < seconds:
            matches += next(play)
        return Turn(matches, process_time() - started)

    return take


def _ours(seed: int, name: str) -> _Contestant:
    player = ladder.Spec().built_in(name)

    def play() -> Iterator[int]:
        for start in count(0, _PAIRS_AT_ONCE):
            pairs = range(start, start + _PAIRS_AT_ONCE)
            yield LEGS * len(play_pairs(seed, pairs, (player, player)))

    return _Contestant(
        "dealfarm", facts.versions()["dealfarm"], f"{name} against itself", _repeated(play())
    )


# OpenSpiel. Its seeds are of 32 bits.


def _open_spiel_loop(seed: int) -> _Contestant:
    """Its random bots by its own loop; raises Absent."""
    pyspiel = _load_open_spiel()
    game, draw = pyspiel.load_game("cribbage"), random.Random(seed)
    bots = [pyspiel.make_uniform_random_bot(seat, draw.getrandbits(31)) for seat in (0, 1)]

    def play() -> Iterator[int]:
        while True:
            pyspiel.evaluate_bots(game.new_initial_state(), bots, draw.getrandbits(31))
            yield 1

    return _open_spiel(pyspiel, OPEN_SPIEL_LOOP, "evaluate_bots", play())


def _open_spiel_calls(seed: int) -> _Contestant:
    """Random games by calls from Python, as a player written in Python needs; raises Absent."""
    pyspiel = _load_open_spiel()
    game, pick = pyspiel.load_game("cribbage"), random.Random(seed).random

    def play() -> Iterator[int]:
        while True:
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[int(pick() * len(legal))])
            yield 1

    return _open_spiel(pyspiel, OPEN_SPIEL_CALLS, "apply_action", play())


def _load_open_spiel() -> Any:
    try:
        import pyspiel
    except ImportError as error:
        raise Absent(f"{error}; pip install 'dealfarm[peers]'") from None
    return pyspiel


def _open_spiel(pyspiel: Any, name: str, call: str, play: Iterator[int]) -> _Contestant:
    settings = f"random against itself, {call}"
    return _Contestant(name, pyspiel.__version__, settings, _repeated(play))


# CribbageSim.


def _cribbage_sim(seed: int, interpreter: str, running: ExitStack) -> _Contestant:
    """Its strategy under another Python, which ends with `running`; raises Absent."""
    remedy = (
        "pip install CribbageSim for a Python of 3.12 or later, and name that by "
        "--cribbagesim-python"
    )
    try:
        process = PlayerProcess([interpreter, str(_SCRIPT)], Path.cwd())
        running.callback(process.end)
        hello = process.ask(
            {"ask": "hello", "game": GAME_NAME, "protocol": PROTOCOL}, START_SECONDS
        )
    except (OSError, PlayerFault) as error:
        raise Absent(f"{interpreter}: {error}; {remedy}") from None
    if "python" not in hello:
        raise Absent(f"{interpreter}: expected a Python; {remedy}")
    numbers = count()

    def take(seconds: float) -> Turn:
        question = {"ask": "games", "seed": f"{seed} {next(numbers)}", "seconds": seconds}
        try:
            answer = process.ask(question, START_SECONDS + 100 * seconds)
        except PlayerFault as fault:
            raise RunProblem(f"{CRIBBAGE_SIM}: {fault}") from None
        return Turn(answer["games"], answer["seconds"])

    settings = f"Hoyle-ish against itself, Python {hello['python']}"
    return _Contestant(CRIBBAGE_SIM, hello["version"], settings, take)


def _strength(
    seed: int, matches: int, interpreter: str, progress: Callable[[str], None]
) -> tuple[list[Metric], list[str]]:
    """Our expert against it as a ladder plays: what the matches say, and what must be told."""
    try:
        peer = read_player(f"cmd:{shlex.join([interpreter, str(_SCRIPT)])}")
        peer = peer.model_copy(update={"name": CRIBBAGE_SIM})
        spec = ladder.Spec(seed=seed, matches=matches, player=Tier.EXPERT, against=(peer,))
        rows = []
        for unit in range(spec.unit_count):
            progress(f"match {LEGS * unit:,} of {matches:,} against {CRIBBAGE_SIM}")
            rows += ladder.compute(spec, unit, None)
    except PlayerError as error:
        raise RunProblem(f"{CRIBBAGE_SIM}: {error}") from None
    for row in rows:
        ladder.verify(spec, row, None)
    tally = ladder.tally(pa.Table.from_pylist(rows, schema=ladder.SCHEMA))
    return ladder.metrics(tally), ladder.remarks(tally)
