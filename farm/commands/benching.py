"""farm bench: programs of others beside ours, in one run."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from engines.klondike import exact
from engines.klondike.deal import MAX_DRAW
from engines.streams import SEED_LIMIT
from farm.commands.comparing import comparison_lines, ratio_text
from farm.commands.running import AsJson
from farm.errors import RunProblem, UsageProblem
from farm.peers.cribbage import run_cribbage
from farm.peers.klondike import PEER_STATES, run_klondike
from farm.progress import estimate_text
from results.peer_benchmark import Peer, PeerBenchmark, Solver
from results.store import StorageError, Store

Out = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write the result as benchmark JSON.")
]


def klondike(
    deals: Annotated[int, typer.Option(min=1, help="Number of deals.")] = 100,
    seed: Annotated[int, typer.Option(min=0, max=SEED_LIMIT - 1, help="Seed of the deals.")] = 0,
    draw: Annotated[int, typer.Option(min=1, max=MAX_DRAW, help="Cards drawn at a time.")] = 3,
    limit_nodes: Annotated[
        int, typer.Option(min=1, help="States for each deal at most, ours.")
    ] = exact.DEFAULT_LIMITS.nodes,
    peer_states: Annotated[
        int, typer.Option(min=1, help="States for each deal at most, a peer's.")
    ] = PEER_STATES,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Solve Klondike deals by dealfarm and by pyksolve (extra `peers`), in turns.

    A speed is how many times as fast dealfarm is, by CPU time. Exits with 1 where one solved what
    the other called unsolvable.
    """
    _refuse_existing(out)
    with Console(stderr=True).status("solving ...") as shown:
        found = run_klondike(
            seed,
            range(deals),
            draw,
            limit_nodes,
            peer_states,
            lambda done: shown.update(f"solving ... {done:,} of {deals:,} deals"),
        )
    _keep(found, out)
    print(found.model_dump_json() if as_json else "\n".join(_klondike_lines(found)))
    contradicted = [
        peer.name
        for peer in found.peers
        if peer.comparison and peer.comparison.verdicts and peer.comparison.verdicts.contradictions
    ]
    if contradicted:
        raise RunProblem(f"CONTRADICTION: dealfarm and {', '.join(contradicted)} differ")


def cribbage(
    rounds: Annotated[int, typer.Option(min=1, help="Turns of each player.")] = 5,
    seconds: Annotated[float, typer.Option(min=0.01, help="CPU time of a turn.")] = 1.0,
    matches: Annotated[
        int,
        typer.Option(min=0, help="Matches of our expert against CribbageSim, 0 for none."),
    ] = 200,
    seed: Annotated[int, typer.Option(min=0, max=SEED_LIMIT - 1, help="Seed of the cards.")] = 0,
    cribbagesim_python: Annotated[
        str, typer.Option(metavar="PATH", help="A Python that has CribbageSim.")
    ] = sys.executable,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Play cribbage by dealfarm, OpenSpiel and CribbageSim (extra `peers`), in turns.

    A speed is how many times as fast dealfarm plays matches, by CPU time: random players beside
    those of OpenSpiel, the expert beside CribbageSim's strategy, each against itself. Then the
    expert plays that strategy, each pair of matches on the same cards with the seats swapped.
    """
    _refuse_existing(out)
    if matches % 2:
        raise UsageProblem(
            "--matches: expected an even number, since each pair of matches is played on the same "
            f"cards, got {matches}"
        )
    with Console(stderr=True).status("playing ...") as shown:
        found = run_cribbage(
            seed,
            rounds,
            seconds,
            matches,
            cribbagesim_python,
            lambda done: shown.update(f"playing ... {done}"),
        )
    _keep(found, out)
    print(found.model_dump_json() if as_json else "\n".join(_cribbage_lines(found, seconds)))


def _refuse_existing(out: str | None) -> None:
    if out is not None and Path(out).exists():
        raise UsageProblem(f"--out: {out} exists; choose another name")


def _keep(found: PeerBenchmark, out: str | None) -> None:
    """Writes the file that was asked for."""
    if out is None:
        return
    try:
        Store(str(Path(out).parent)).write(Path(out).name, found.to_json().encode())
    except StorageError as error:
        raise UsageProblem(f"--out: {error}") from None


def _klondike_lines(found: PeerBenchmark) -> list[str]:
    first, stop = found.units
    lines = [f"{found.game}, draw {found.rules['draw']}, seed {found.seed}, {stop - first:,} deals"]
    assert found.ours
    lines.append(_solver_text(found.ours))
    for peer in found.peers:
        if peer.solver is None or peer.comparison is None:
            lines += ["", _absent_text(peer)]
            continue
        lines += [_solver_text(peer.solver), "", f"A {peer.name}, B {found.ours.name}"]
        lines += comparison_lines(peer.comparison, same_rules=True)
    return lines


def _cribbage_lines(found: PeerBenchmark, seconds: float) -> list[str]:
    rounds = found.units[1]
    lines = [f"{found.game}, seed {found.seed}, {rounds:,} rounds, turns of {seconds:g} s of CPU"]
    for peer in found.peers:
        if peer.solver is None or peer.ours is None or peer.comparison is None:
            lines += ["", _absent_text(peer)]
            continue
        lines += ["", _solver_text(peer.solver), _solver_text(peer.ours)]
        lines += [
            f"dealfarm is {ratio_text(speed)} times as fast, n {speed.n:,} rounds"
            for speed in peer.comparison.speeds
        ]
        lines += [f"{each.name}: {estimate_text(each)}, n {each.n:,}" for each in peer.strength]
        lines += [f"NOTE: {remark}" for remark in peer.remarks]
    return lines


def _absent_text(peer: Peer) -> str:
    return f"{peer.name} is ABSENT: {peer.absent}"


def _solver_text(solver: Solver) -> str:
    counts = ", ".join(f"{number:,} {outcome}" for outcome, number in sorted(solver.counts.items()))
    return (
        f"{solver.name} {solver.version} ({solver.settings}): {counts}; "
        f"{solver.seconds:.2f} s of CPU"
    )
