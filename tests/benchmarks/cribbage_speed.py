"""Matches of cribbage a second on one core, and beside those of other programs.

All take turns for some rounds; the rates are medians over the rounds, by CPU time and by the clock.

    python tests/benchmarks/cribbage_speed.py
    python tests/benchmarks/cribbage_speed.py --peers --cribbagesim-python PATH

With --peers, OpenSpiel's random games run beside those of the random player, and CribbageSim's own
strategy against itself beside the expert. Both are in the extra `peers`, but CribbageSim needs
Python 3.12: where this is an older one, PATH is another interpreter that has CribbageSim.
"""

import argparse
import importlib.metadata
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from engines.cribbage.fast_match import BuiltIn, play_pairs
from engines.cribbage.tiers import PROFILES, Tier

TIERS = PROFILES["calibrated"]
EXPERT = TIERS.tier(Tier.EXPERT)
PAIRINGS: dict[str, tuple[BuiltIn, BuiltIn]] = {
    "random - random": (None, None),
    "expert - expert": (EXPERT, EXPERT),
    "expert - random": (EXPERT, None),
    **{
        f"expert - {tier}, {TIERS.name}": (EXPERT, TIERS.tier(tier))
        for tier in (Tier.EASY, Tier.NORMAL, Tier.HARD)
    },
}
PAIRS_AT_ONCE = 500
OPEN_SPIEL = "OpenSpiel, random, its loop in C++"
OPEN_SPIEL_CALLS = "OpenSpiel, random, a call an action"
CRIBBAGE_SIM = "CribbageSim, its strategy"
AIMS = (
    ("random - random", OPEN_SPIEL, 10),
    ("random - random", OPEN_SPIEL_CALLS, 10),
    ("expert - expert", CRIBBAGE_SIM, 90),
)

# Runs under another interpreter: plays for as many seconds as each line of its input says.
CRIBBAGE_SIM_SCRIPT = """
import importlib.metadata, platform, random, sys, time
try:
    from CribbageSim.CribbageGame import CribbageGame
    from CribbageSim.CribbagePlayStrategy import (
        HoyleishDealerCribbagePlayStrategy as Dealer,
        HoyleishPlayerCribbagePlayStrategy as Pone,
    )
except ImportError as error:
    sys.exit(print(f"Python {platform.python_version()}: {error}"))
print("ready", importlib.metadata.version("CribbageSim"), platform.python_version(), flush=True)
random.seed(0)
for line in sys.stdin:
    games, cpu, clock = 0, time.process_time(), time.perf_counter()
    while time.process_time() - cpu < float(line):
        CribbageGame("0", "1", Pone(), Pone(), Dealer(), Dealer()).play()
        games += 1
    print(games, time.process_time() - cpu, time.perf_counter() - clock, flush=True)
"""


class Absent(Exception):
    """A peer that is not here, and what it needs."""


class Turn(NamedTuple):
    """Matches of one turn, and the seconds it took."""

    matches: int
    cpu: float
    clock: float


TakeTurn = Callable[[float], Turn]


@dataclass
class Contestant:
    """One who takes turns of some CPU seconds, and those it had."""

    take: TakeTurn
    turns: list[Turn] = field(default_factory=list)

    def rates(self, seconds: str) -> list[float]:
        """Matches a second of "cpu" or "clock", round by round."""
        return [turn.matches / getattr(turn, seconds) for turn in self.turns]


def repeated(play: Iterator[int]) -> TakeTurn:
    """Turns of playing on; each step of `play` says how many matches it played."""

    def take(seconds: float) -> Turn:
        matches, cpu, clock = 0, time.process_time(), time.perf_counter()
        while time.process_time() - cpu < seconds:
            matches += next(play)
        return Turn(matches, time.process_time() - cpu, time.perf_counter() - clock)

    return take


def ours(players: tuple[BuiltIn, BuiltIn]) -> Iterator[int]:
    """Matches of two built-in players, without end."""
    for start in count(0, PAIRS_AT_ONCE):
        yield 2 * len(play_pairs(0, range(start, start + PAIRS_AT_ONCE), players))


def open_spiel() -> dict[str, TakeTurn]:
    """Random games by the loop of its bots, and by calls from Python; raises Absent."""
    try:
        import pyspiel
    except ImportError as error:
        raise Absent(f"OpenSpiel: {error}; it needs `pip install open_spiel`") from error
    game = pyspiel.load_game("cribbage")
    bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in (0, 1)]
    pick = random.Random(0).random

    def by_bots() -> Iterator[int]:
        for seed in count():
            pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
            yield 1

    def by_calls() -> Iterator[int]:
        while True:
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[int(pick() * len(legal))])
            yield 1

    print(f"open_spiel {importlib.metadata.version('open_spiel')}")
    return {OPEN_SPIEL: repeated(by_bots()), OPEN_SPIEL_CALLS: repeated(by_calls())}


def cribbage_sim(interpreter: str, running: ExitStack) -> dict[str, TakeTurn]:
    """Games under another interpreter, which is ended with `running`; raises Absent."""
    need = "it needs Python >= 3.12, `pip install CribbageSim`, and --cribbagesim-python PATH"
    try:
        process = subprocess.Popen(
            [interpreter, "-c", CRIBBAGE_SIM_SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    except OSError as error:
        raise Absent(f"CribbageSim: {error}; {need}") from error
    running.enter_context(process)
    requests, answers = process.stdin, process.stdout
    assert requests
    assert answers
    word, _, rest = answers.readline().strip().partition(" ")
    if word != "ready":
        raise Absent(f"CribbageSim: {word} {rest}; {need}")
    version, _, python = rest.partition(" ")
    print(f"CribbageSim {version}, Python {python}")

    def take(seconds: float) -> Turn:
        print(seconds, file=requests, flush=True)
        matches, cpu, clock = answers.readline().split()
        return Turn(int(matches), float(cpu), float(clock))

    return {CRIBBAGE_SIM: take}


def spread(values: list[float]) -> str:
    """The median, and the least and the most."""
    return f"{statistics.median(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def main() -> None:
    """Prints the rates, then how many times those of the peers they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="of CPU, for each turn")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", action="store_true", help="run OpenSpiel and CribbageSim, too")
    parser.add_argument(
        "--cribbagesim-python", metavar="PATH", default=sys.executable, help="has CribbageSim"
    )
    options = parser.parse_args()
    with ExitStack() as running:
        peers: dict[str, TakeTurn] = {}
        if options.peers:
            for find in (open_spiel, lambda: cribbage_sim(options.cribbagesim_python, running)):
                try:
                    peers |= find()
                except Absent as absent:
                    print(absent)
        takers = peers | {name: repeated(ours(players)) for name, players in PAIRINGS.items()}
        # A peer's turn comes next to ours, so that both have the same noise.
        order = [OPEN_SPIEL, "random - random", OPEN_SPIEL_CALLS, CRIBBAGE_SIM, *PAIRINGS]
        contestants = {
            name: Contestant(takers[name]) for name in dict.fromkeys(order) if name in takers
        }
        for contestant in contestants.values():
            contestant.take(0.01)  # compiles before the clock runs
        load = os.getloadavg()[0]
        for _ in range(options.rounds):
            for contestant in contestants.values():
                contestant.turns.append(contestant.take(options.seconds))
    print(f"load {load:.1f} before, {os.getloadavg()[0]:.1f} after, {os.cpu_count()} CPUs")
    print(f"{'matches a second':<40}{'of CPU':>10}{'by the clock':>14}")
    for name, contestant in contestants.items():
        cpu, clock = (statistics.median(contestant.rates(kind)) for kind in ("cpu", "clock"))
        print(f"{name:<40}{cpu:>10,.0f}{clock:>14,.0f}")
    for name, peer, aim in AIMS:
        if peer in contestants:
            cpu, clock = (
                [
                    mine / theirs
                    for mine, theirs in zip(
                        contestants[name].rates(kind), contestants[peer].rates(kind), strict=True
                    )
                ]
                for kind in ("cpu", "clock")
            )
            print(f"{name}: {spread(cpu)} times {peer}, by the clock {spread(clock)}; aim {aim}")


if __name__ == "__main__":
    main()
