"""Klondike solvers of others beside ours, in turns on the same deals of one process."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

import pyarrow as pa

from engines.klondike import exact
from engines.klondike.deal import Deal, random_deal
from engines.klondike.moves import Move
from engines.klondike.rules import Rules, replay
from engines.limits import Limits, Outcome
from farm import facts
from farm.errors import RunProblem
from farm.peers import Absent
from results.compare import compare_rows
from results.peer_benchmark import Peer, PeerBenchmark, Solver

PYKSOLVE = "pyksolve"
PEER_STATES = 1_000_000
_OF_PYKSOLVE = {
    "SolvedMinimal": Outcome.SOLVED,
    "SolvedMayNotBeMinimal": Outcome.SOLVED,
    "Impossible": Outcome.UNSOLVABLE,
}

Solve = Callable[[Deal], tuple[Outcome, Sequence[Move]]]
"""The outcome, and the moves of a solution where they are known."""


@dataclass
class _Contestant:
    """A solver with the outcome and the CPU seconds of each deal so far."""

    name: str
    version: str
    settings: str
    solve: Solve
    outcomes: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def take(self, deal: Deal, rules: Rules) -> None:
        """Solves a deal; the replay of its moves is not timed. Raises RunProblem."""
        started = time.process_time()
        outcome, moves = self.solve(deal)
        self.seconds.append(time.process_time() - started)
        self.outcomes.append(str(outcome))
        if moves and not replay(deal, rules, moves).won:
            raise RunProblem(f"the moves of {self.name} do not win {deal.as_json()}")

    def table(self, units: range) -> pa.Table:
        """Rows as of a run."""
        columns = {"unit": list(units), "outcome": self.outcomes, "seconds": self.seconds}
        return pa.table(columns)

    def sum_up(self) -> Solver:
        """What it made of all deals."""
        return Solver(
            name=self.name,
            version=self.version,
            settings=self.settings,
            counts=dict(Counter(self.outcomes)),
            seconds=sum(self.seconds),
        )


def run_klondike(
    seed: int,
    units: range,
    draw: int,
    limit_nodes: int,
    peer_states: int,
    progress: Callable[[int], None],
) -> PeerBenchmark:
    """Our exact solver and its peers on random deals, who comes first changing from deal to deal.

    Every solution of ours is replayed on the rules. progress: told the deals done. Raises
    RunProblem where a solution does not win.
    """
    started = facts.now()
    rules = Rules(draw=draw)
    ours = _ours(rules, limit_nodes)
    present: list[_Contestant] = []
    peers: list[Peer] = []
    try:
        present.append(_pyksolve(draw, peer_states))
    except Absent as absent:
        peers.append(Peer(name=PYKSOLVE, absent=str(absent)))
    exact.solve(random_deal(seed, units.start), rules, Limits(1))  # compiles before the clock runs
    for unit in units:
        contestants: Sequence[_Contestant] = (ours, *present)
        for contestant in contestants if unit % 2 else reversed(contestants):
            contestant.take(random_deal(seed, unit), rules)
        progress(unit - units.start + 1)
    for peer in present:
        found = compare_rows(peer.table(units), ours.table(units))
        peers.append(Peer(name=peer.name, solver=peer.sum_up(), comparison=found))
    return PeerBenchmark(
        game="klondike",
        rules={"draw": draw, "redeals": None, "worrying_back": True},
        seed=seed,
        units=(units.start, units.stop),
        ours=ours.sum_up(),
        peers=peers,
        versions=facts.versions(),
        machine=facts.machine(),
        command=facts.command_line(),
        started=started,
    )


def _ours(rules: Rules, limit_nodes: int) -> _Contestant:
    def solve(deal: Deal) -> tuple[Outcome, Sequence[Move]]:
        found = exact.solve(deal, rules, Limits(limit_nodes, exact.DEFAULT_LIMITS.bytes))
        return found.outcome, found.moves

    settings = f"exact, at most {limit_nodes:,} states"
    return _Contestant("dealfarm", facts.versions()["dealfarm"], settings, solve)


def _pyksolve(draw: int, states: int) -> _Contestant:
    """Its quick solver, whose solutions need not be the shortest; raises Absent."""
    try:
        from pyksolve import solver
    except ImportError as error:
        raise Absent(f"{error}; pip install 'dealfarm[peers]'") from None

    def solve(deal: Deal) -> tuple[Outcome, Sequence[Move]]:
        game = solver.Solitaire()
        game.load_solitaire(deal.as_deck_string())
        game.draw_count = draw
        game.reset_game()
        result = game.solve_fast(max_closed_count=states)
        return _OF_PYKSOLVE.get(result.name, Outcome.NODE_LIMIT), ()

    settings = f"solve_fast, at most {states:,} states"
    return _Contestant(PYKSOLVE, version(PYKSOLVE), settings, solve)
