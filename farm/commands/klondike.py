"""farm deal klondike and farm solve klondike: one deal, for a person."""

import json
from collections.abc import Callable
from dataclasses import fields as fields_of
from typing import Annotated, Any

import typer
from rich.console import Console

from engines.klondike import exact, skip_action
from engines.klondike.deal import Deal
from engines.klondike.position_text import is_position, parse_position
from engines.klondike.rules import Position
from engines.limits import DECIDED, Outcome
from farm.commands.deal_source import Seed, Source, Unit, find_line, read_text
from farm.commands.running import AsJson
from farm.errors import RunProblem, UsageProblem
from farm.options import make_spec
from jobs import load_job

JOB = "klondike-solvability"

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
    given, rules, _ = _find(source, read_text(source, seed, unit), seed, unit, {"draw": draw})
    if as_json:
        print(json.dumps({"draw": rules.draw, **given.deal.as_json()}))
    else:
        print(Position.start(given.deal, rules))


def solve(
    source: Source = None,
    seed: Seed = None,
    unit: Unit = None,
    solver: Annotated[
        str | None, typer.Option(help="exact or skip-action. [default: exact]")
    ] = None,
    draw: Draw = None,
    redeals: Redeals = None,
    worrying_back: WorryingBack = None,
    limit_nodes: Annotated[
        int | None, typer.Option(help="States (exact) or play-outs (skip-action) at most.")
    ] = None,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Skip-action: keep the shortest solution.")
    ] = False,
    hint: Annotated[
        bool, typer.Option("--hint", help="Print only the first move of a solution.")
    ] = False,
    first_moves: Annotated[
        bool,
        typer.Option("--first-moves", help="Say of each move that is legal now whether it wins."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Solve a Klondike deal and print its moves, so that it can be played with real cards."""
    fields = {
        "solver": solver,
        "draw": draw,
        "redeals": redeals,
        "worrying_back": worrying_back,
        "limit_nodes": limit_nodes,
        "keep_going": keep_going or None,
    }
    text = read_text(source, seed, unit)
    if text is not None and is_position(text):
        spec: Any = make_spec(load_job(JOB), fields)
        start, position = None, _parse(source, text, draw, redeals, worrying_back)
    else:
        given, rules, spec = _find(source, text, seed, unit, fields)
        start, position = given.deal, Position.start(given.deal, rules)
    if first_moves:
        if spec.solver != "exact":
            raise UsageProblem(f"--first-moves: expected the exact solver, got {spec.solver}")
        _show_first_moves(position, spec, as_json)
        return
    if not (as_json or hint):
        print(f"{position}\n", flush=True)
    with Console(stderr=True).status("searching ...") as shown:
        found = _search(start, position, spec, shown.update)
    facts = {
        "outcome": str(found.outcome),
        "moves": len(found.moves),
        **{
            field.name: getattr(found, field.name)
            for field in fields_of(found)
            if field.name not in ("outcome", "moves")
        },
    }
    if as_json:
        print(json.dumps({**facts, "solution": " ".join(map(str, found.moves))}))
    elif hint and found.moves:
        print(f"{found.moves[0]}  {position.describe(found.moves[0])}")
    else:
        for number, move in enumerate(found.moves, start=1):
            print(f"{number:4}  {move!s:5}  {position.describe(move)}")
            position = position.apply(move)
        words = (f"{name.replace('_', ' ')} {value}" for name, value in facts.items())
        print("\n" + ", ".join(words))
    if found.outcome not in DECIDED:
        raise RunProblem(f"no solution was found ({found.outcome}); that proves nothing")


def _show_first_moves(position: Position, spec: Any, as_json: bool) -> None:
    """Prints how the game stands after each legal move, and how many moves still win.

    Raises RunProblem where that was not decided within the limits for every move.
    """
    outcomes = {
        move: exact.solve(position.apply(move), limits=spec.limits).outcome
        for move in position.legal_moves()
    }
    solved = list(outcomes.values()).count(Outcome.SOLVED)
    undecided = len([outcome for outcome in outcomes.values() if outcome not in DECIDED])
    if as_json:
        moves = {str(move): str(outcome) for move, outcome in outcomes.items()}
        counts = {"solved": solved, "undecided": undecided, "of": len(outcomes)}
        print(json.dumps({"moves": moves, **counts}))
    else:
        for move, outcome in outcomes.items():
            print(f"{move!s:5}  {outcome!s:10}  {position.describe(move)}")
        most = f" to {solved + undecided}" if undecided else ""
        rest = f", {undecided} undecided" if undecided else ""
        print(f"\n{solved}{most} of {len(outcomes)} moves keep the game winnable{rest}")
    if undecided:
        raise RunProblem(f"{undecided} of {len(outcomes)} moves were not decided within the limit")


def _search(deal: Deal | None, position: Position, spec: Any, show: Callable[[str], None]) -> Any:
    """Runs the solver of the spec, showing how far it is; deal is None for a partly played one."""
    if spec.solver == "exact":
        return exact.solve(
            position,
            None,
            spec.limits,
            progress=lambda nodes, states: show(f"{nodes:,} states explored, {states:,} met"),
        )
    if deal is None:
        raise UsageProblem("the skip-action solver takes deals only, not partly played positions")
    return skip_action.solve(
        deal,
        position.rules,
        spec.limits,
        keep_going=spec.keep_going,
        progress=lambda step, steps: show(f"level one, step {step} of {steps}"),
    )


def _find(
    source: str | None,
    text: str | None,
    seed: int | None,
    unit: int | None,
    fields: dict[str, Any],
) -> tuple[Any, Any, Any]:
    """The deal with what its line says, the rules, and the spec that options make.

    text: of the source, where it is a file.
    """
    job: Any = load_job(JOB)
    spec, unit, line = find_line(job, source, text, seed, unit, fields)
    given, rules = job.position_of(spec, unit, line)
    return given, rules, spec


def _parse(
    source: str | None,
    text: str,
    draw: int | None,
    redeals: int | None,
    worrying_back: bool | None,
) -> Position:
    try:
        return parse_position(text, draw=draw, redeals=redeals, worrying_back=worrying_back)
    except ValueError as error:
        raise UsageProblem(f"{source}: {error}") from None
