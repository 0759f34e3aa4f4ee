"""farm deal klondike and farm solve klondike: one deal, for a person."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from farm.commands.running import AsJson
from farm.errors import RunProblem, UsageProblem
from farm.options import make_spec
from farm.run_directory import RUN_FILE, open_run
from jobs import load_job

JOB = "klondike-solvability"

Source = Annotated[
    str | None,
    typer.Argument(
        metavar="[RUN:UNIT|FILE]",
        help="A unit of a run, or a file whose first line is a deal; else give --seed and --unit.",
        show_default=False,
    ),
]
Seed = Annotated[int | None, typer.Option(help="Seed of the deal.", show_default=False)]
Unit = Annotated[int | None, typer.Option(help="Number of the deal.", show_default=False)]
Draw = Annotated[int | None, typer.Option(help="Cards drawn at a time. [default: 3]")]
Redeals = Annotated[
    int | None, typer.Option(help="How often the waste may be turned over: without limit.")
]
WorryingBack = Annotated[
    bool | None,
    typer.Option(
        "--worrying-back/--no-worrying-back",
        help="Whether a card may return from its foundation. [default: yes]",
        show_default=False,
    ),
]


def deal(
    source: Source = None,
    seed: Seed = None,
    unit: Unit = None,
    draw: Draw = None,
    as_json: AsJson = False,
) -> None:
    """Show a Klondike deal: as a picture, or as the JSON line that deal files take."""
    from engines.klondike.rules import Position

    given, rules, _ = _find(source, seed, unit, {"draw": draw})
    if as_json:
        print(json.dumps({"draw": rules.draw, **given.deal.as_json()}))
    else:
        print(Position.start(given.deal, rules))


def solve(
    source: Source = None,
    seed: Seed = None,
    unit: Unit = None,
    draw: Draw = None,
    redeals: Redeals = None,
    worrying_back: WorryingBack = None,
    limit_nodes: Annotated[int | None, typer.Option(help="Play-outs at most.")] = None,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Go on and keep the shortest solution.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Solve a Klondike deal and print its moves, so that it can be played with real cards."""
    from engines.klondike.rules import Position
    from engines.klondike.skip_action import solve as skip_action
    from engines.limits import Limits, Outcome

    fields = {
        "draw": draw,
        "redeals": redeals,
        "worrying_back": worrying_back,
        "limit_nodes": limit_nodes,
    }
    given, rules, spec = _find(source, seed, unit, fields)
    position = Position.start(given.deal, rules)
    if not as_json:
        print(f"{position}\n", flush=True)
    screen = Console(stderr=True)
    with screen.status("searching ...") as shown:
        found = skip_action(
            given.deal,
            rules,
            Limits(spec.limit_nodes),
            keep_going=keep_going,
            progress=lambda step, steps: shown.update(f"level one, step {step} of {steps}"),
        )
    facts = {
        "outcome": str(found.outcome),
        "moves": len(found.moves),
        "playouts": found.playouts,
        "check_points": found.check_points,
        "deepest_level": found.deepest_level,
        "wins": found.wins,
    }
    if as_json:
        print(json.dumps({**facts, "solution": " ".join(map(str, found.moves))}))
    else:
        for number, move in enumerate(found.moves, start=1):
            print(f"{number:4}  {move!s:5}  {position.describe(move)}")
            position = position.apply(move)
        print(
            "\n" + ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in facts.items())
        )
    if found.outcome is not Outcome.SOLVED:
        raise RunProblem(f"no solution was found ({found.outcome}); that proves nothing")


def _find(
    source: str | None, seed: int | None, unit: int | None, fields: dict[str, Any]
) -> tuple[Any, Any, Any]:
    """The deal with what its line says, the rules, and the spec that options make."""
    job: Any = load_job(JOB)
    if source is not None and (seed is not None or unit is not None):
        raise UsageProblem("expected RUN:UNIT, a FILE, or --seed and --unit; got more than one")
    if source is None and (seed is None or unit is None):
        raise UsageProblem("expected RUN:UNIT, a FILE, or both --seed and --unit")
    line = None
    if source is None:
        spec = make_spec(job, {"seed": seed, **fields})
    else:
        run_location, _, number = source.rpartition(":")
        if number.isdecimal() and Path(run_location, RUN_FILE).exists():
            run = open_run(run_location)
            unit = int(number)
            if unit not in run.units:
                last = run.record.stop - 1
                raise UsageProblem(
                    f"expected a unit from {run.record.start} to {last} of {run.store}, got {unit}"
                )
            changed = {name: value for name, value in fields.items() if value is not None}
            spec = make_spec(job, {**run.record.spec, **changed})
            lines = run.lines([unit])
            line = lines[0] if lines else None
        else:
            spec = make_spec(job, fields)
            line = _first_line(source, job, spec)
    given, rules = job.position_of(spec, unit or 0, line)
    return given, rules, spec


def _first_line(path: str, job: Any, spec: Any) -> str:
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(f"deal file {path}: {error}") from None
    first = text.strip().partition("\n")[0]
    try:
        canonical: str = job.read_line(first, spec)
    except ValueError as error:
        raise UsageProblem(f"{path} line 1: {error}") from None
    return canonical
