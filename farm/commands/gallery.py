"""farm deal, solve and play gallery: one deal, for a person."""

import json
from typing import Annotated, Any

import typer
from rich.console import Console

from engines.gallery import exact
from engines.gallery.catalog import PLAYERS, STRONG
from engines.gallery.deal import Deal
from engines.gallery.moves import DEAL_MOVE, Move, parse_move
from engines.gallery.picture import svg
from engines.gallery.players import Game, play_game, player_stream
from engines.gallery.position_text import is_position, parse_position, position_json
from engines.gallery.rules import Position
from engines.limits import DECIDED, Limits
from farm.commands.deal_source import Seed, Source, Unit, find_line, read_text
from farm.commands.prompt import prompted
from farm.commands.running import AsJson
from farm.errors import RunProblem, UsageProblem
from jobs import load_job

JOB, SAME_DEALS = "gallery-solvability", ("gallery-pimc",)
HELP = "moves: A1 to C8 a misplaced card, 1 to 8 a tableau pile, D deals; l lists them, q gives up"


def deal(
    source: Source = None,
    seed: Seed = None,
    unit: Unit = None,
    as_json: AsJson = False,
    as_svg: Annotated[bool, typer.Option("--svg", help="As an SVG picture.")] = False,
) -> None:
    """Show a Gallery deal: as a picture, or as the JSON line that deal files take."""
    found = _find(source, seed, unit)
    position = Position.start(found) if isinstance(found, Deal) else found
    if as_json:
        print(json.dumps(found.as_json() if isinstance(found, Deal) else position_json(found)))
    else:
        print(svg(position) if as_svg else position)


def solve(
    source: Source = None,
    seed: Seed = None,
    unit: Unit = None,
    limit_nodes: Annotated[
        int, typer.Option(help="Positions searched at most.", min=1)
    ] = exact.DEFAULT_LIMITS.nodes,
    as_json: AsJson = False,
) -> None:
    """Solve a Gallery deal with the order of its stock known, and print the moves."""
    found = _find(source, seed, unit)
    position = Position.start(found) if isinstance(found, Deal) else found
    if not as_json:
        print(f"{position}\n", flush=True)
    with Console(stderr=True).status("searching ...") as shown:
        result = exact.solve(
            position,
            Limits(limit_nodes, exact.DEFAULT_LIMITS.bytes),
            progress=lambda nodes: shown.update(f"{nodes:,} positions searched"),
        )
    facts = {
        "outcome": str(result.outcome),
        "moves": len(result.moves),
        "nodes": result.nodes,
        "states": result.states,
    }
    if as_json:
        print(json.dumps({**facts, "solution": " ".join(map(str, result.moves))}))
    else:
        _print_moves(position, result.moves)
        print(", ".join(f"{name} {value}" for name, value in facts.items()))
    if result.outcome not in DECIDED:
        raise RunProblem(f"no solution was found ({result.outcome}); that proves nothing")


def play(
    source: Source = None,
    seed: Seed = None,
    unit: Unit = None,
    player: Annotated[str, typer.Option(help=f"The opponent: {', '.join(PLAYERS)}.")] = STRONG.name,
) -> None:
    """Play a Gallery deal; then see what the AI made of it with its single attempt."""
    if player not in PLAYERS:
        raise UsageProblem(f"--player: expected {', '.join(PLAYERS)}, got {player!r}")
    found = _find(source, seed, unit)
    if not isinstance(found, Deal):
        raise UsageProblem("expected a deal, not a partly played position")
    print(f"{HELP}\n")
    own = _person_plays(Position.start(found))
    if own is None:
        raise RunProblem("you gave up")
    with Console(stderr=True).status(f"{player} plays ..."):
        game = play_game(found, PLAYERS[player], player_stream(seed or 0, unit or 0, player))
    print(f"\nThe game of {player}:\n")
    _print_moves(Position.start(found), game.moves)
    print(_verdict(own, player, game))


def _verdict(own: Position, player: str, game: Game) -> str:
    better = {True: "you win", False: f"{player} wins"}
    result = "a draw" if own.score == game.score else better[own.score < game.score]
    return (
        f"you left {own.score} cards ({own.tableau_cards} on the tableau), "
        f"{player} {game.score} ({game.tableau_cards}): {result}"
    )


def _print_moves(position: Position, moves: tuple[Move, ...]) -> None:
    for number, move in enumerate(moves, start=1):
        print(f"{number:4}  {move!s:3} {position.describe(move)}")
        position = position.apply(move)
    if moves:
        print(f"\n{position}\n")


def _person_plays(position: Position) -> Position | None:
    """The position at the end of a person's game; None where the person gave up."""
    while not position.over:
        print(f"{position.with_hidden_stock()}\n")
        position_after = None
        while position_after is None:
            answer = prompted("move: ", print)
            if answer is None or answer.strip().lower() == "q":
                return None
            word = answer.strip().upper()
            if word in ("L", "?"):
                print(HELP)
                for move in position.legal_moves():
                    hidden = "deal" if move == DEAL_MOVE else None
                    print(f"  {move!s:3} {hidden or position.describe(move)}")
                continue
            try:
                position_after = position.apply(parse_move(word))
            except ValueError as problem:
                print(problem)
        position = position_after
    print(f"{position}\n\nthe game is over")
    return position


def _find(source: str | None, seed: int | None, unit: int | None) -> Deal | Position:
    """The deal, or the position of a file."""
    job: Any = load_job(JOB)
    text = read_text(source, seed, unit)
    if text is not None and is_position(text):
        try:
            return parse_position(text)
        except ValueError as error:
            raise UsageProblem(f"{source}: {error}") from None
    spec, unit, line = find_line(job, source, text, seed, unit, {}, SAME_DEALS)
    found: Deal = job.deal_of(spec, unit, line).deal
    return found
