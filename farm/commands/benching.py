"""farm bench: solvers of others beside ours, on the same deals in one run."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from engines.klondike import exact
from engines.klondike.deal import MAX_DRAW
from engines.streams import SEED_LIMIT
from farm.commands.comparing import comparison_lines
from farm.commands.running import AsJson
from farm.errors import RunProblem, UsageProblem
from farm.peers import PEER_STATES, run_klondike
from results.peer_benchmark import PeerBenchmark, Solver
from results.store import StorageError, Store


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
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the result as benchmark JSON.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Solve Klondike deals by dealfarm and by pyksolve (extra `peers`), in turns.

    A speed is how many times as fast dealfarm is, by CPU time. Exits with 1 where one solved what
    the other called unsolvable.
    """
    if out is not None and Path(out).exists():
        raise UsageProblem(f"--out: {out} exists; choose another name")
    with Console(stderr=True).status("solving ...") as shown:
        found = run_klondike(
            seed,
            range(deals),
            draw,
            limit_nodes,
            peer_states,
            lambda done: shown.update(f"solving ... {done:,} of {deals:,} deals"),
        )
    if out is not None:
        try:
            Store(str(Path(out).parent)).write(Path(out).name, found.to_json().encode())
        except StorageError as error:
            raise UsageProblem(f"--out: {error}") from None
    print(found.model_dump_json() if as_json else "\n".join(_lines(found)))
    contradicted = [
        peer.name
        for peer in found.peers
        if peer.comparison and peer.comparison.verdicts and peer.comparison.verdicts.contradictions
    ]
    if contradicted:
        raise RunProblem(f"CONTRADICTION: dealfarm and {', '.join(contradicted)} differ")


def _lines(found: PeerBenchmark) -> list[str]:
    first, stop = found.units
    lines = [f"{found.game}, draw {found.rules['draw']}, seed {found.seed}, {stop - first:,} deals"]
    lines.append(_solver_text(found.ours))
    for peer in found.peers:
        if peer.solver is None or peer.comparison is None:
            lines.append(f"\n{peer.name} is ABSENT: {peer.absent}")
            continue
        lines += [_solver_text(peer.solver), "", f"A {peer.name}, B {found.ours.name}"]
        lines += comparison_lines(peer.comparison, same_rules=True)
    return lines


def _solver_text(solver: Solver) -> str:
    counts = ", ".join(f"{number:,} {outcome}" for outcome, number in sorted(solver.counts.items()))
    return (
        f"{solver.name} {solver.version} ({solver.settings}): {counts}; "
        f"{solver.seconds:.2f} s of CPU"
    )
