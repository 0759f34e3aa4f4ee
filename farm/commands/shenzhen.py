"""farm deal, solve, recommend and calibrate for Shenzhen solitaire."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

from engines.deal_text import DealError
from engines.limits import DECIDED, Limits
from engines.shenzhen import exact
from engines.shenzhen.board_reader import ORDER_NOTE, Reading, UnclearBoard, read_board
from engines.shenzhen.deal import CardError
from engines.shenzhen.drawing import draw_move
from engines.shenzhen.fingerprints import (
    FingerprintError,
    Fingerprints,
    calibrate,
    fingerprints_json,
    guess_deal,
    parse_fingerprints,
    shipped_fingerprints,
)
from engines.shenzhen.moves import Move
from engines.shenzhen.position_text import (
    TopRowUnknown,
    parse_position,
    position_json,
)
from engines.shenzhen.recommend import DEFAULT_DEPTH, DEFAULT_LIMITS, Basis, recommend
from engines.shenzhen.rules import Position
from engines.shenzhen.vision import PictureError, VisionMissing, decode_image, encode_png
from farm.capture import grab_clipboard, grab_screen
from farm.commands.deal_source import Seed, Source, Unit, find_line, read_text
from farm.commands.running import AsJson
from farm.errors import RunProblem, UsageProblem
from jobs import load_job
from results.store import whole

JOB = "shenzhen-solvability"
_DEEPEST = 5
_BAD_INPUT = (PictureError, DealError, CardError, FingerprintError, VisionMissing)

Nodes = Annotated[int | None, typer.Option(help="Positions explored at most.", min=1)]
Table = Annotated[
    str | None, typer.Option(help="Fingerprints of other art, made by farm calibrate shenzhen.")
]
TopRow = Annotated[
    str | None,
    typer.Option(
        help="The top row where the picture does not show it: three cells, FL or --, three "
        "foundations, such as 'XWD -- g3 FL g2 -- --'."
    ),
]


def deal(
    source: Source = None, seed: Seed = None, unit: Unit = None, as_json: AsJson = False
) -> None:
    """Show a Shenzhen deal after its automatic moves: as a picture, or as JSON."""
    position, _ = _find(source, seed, unit, {})
    print(json.dumps(position_json(position)) if as_json else position)


def solve(
    source: Source = None,
    seed: Seed = None,
    unit: Unit = None,
    limit_nodes: Nodes = None,
    as_json: AsJson = False,
) -> None:
    """Solve a Shenzhen deal or position and print its moves."""
    position, spec = _find(source, seed, unit, {"limit_nodes": limit_nodes})
    if not as_json:
        print(f"{position}\n", flush=True)
    with Console(stderr=True).status("searching ...") as shown:
        found = exact.solve_short(
            position,
            spec.limits,
            progress=lambda nodes, _: shown.update(f"{nodes:,} positions explored"),
        )
    facts = {
        "outcome": str(found.outcome),
        "moves": len(found.moves),
        "nodes": found.nodes,
        "states": found.states,
    }
    if as_json:
        print(json.dumps({**facts, "solution": " ".join(map(str, found.moves))}))
    else:
        _print_line(position, found.moves)
        print("\n" + ", ".join(f"{name} {value}" for name, value in facts.items()))
    if found.outcome not in DECIDED:
        raise RunProblem(f"no solution was found ({found.outcome}); that proves nothing")


def recommend_move(
    board: Annotated[
        str | None,
        typer.Argument(
            metavar="[PICTURE|TEXT|JSON]",
            help="A file with a picture of the game or a position; - reads it from the input.",
            show_default=False,
        ),
    ] = None,
    screen: Annotated[
        bool, typer.Option("--screen", help="Read the board off the screen.")
    ] = False,
    clipboard: Annotated[
        bool, typer.Option("--clipboard", help="Read the board off a picture in the clipboard.")
    ] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Print the whole winning line.")] = False,
    picture: Annotated[
        str | None, typer.Option(help="Write the picture as PNG with the move drawn on it.")
    ] = None,
    save: Annotated[
        str | None, typer.Option(help="Write the board as read, to be corrected and fed back.")
    ] = None,
    top_row: TopRow = None,
    fingerprints: Table = None,
    depth: Annotated[
        int,
        typer.Option(help="Depth of the method that advises at the limit.", min=1, max=_DEEPEST),
    ] = DEFAULT_DEPTH,
    limit_nodes: Nodes = None,
    as_json: AsJson = False,
) -> None:
    """Recommend a move of Shenzhen solitaire on the board of a picture or a text.

    The move is the first of a line that wins, where one is found. Otherwise it is said whether the
    board cannot be won, which is proved by trying everything, or whether the limit was reached.
    """
    if screen + clipboard + (board is not None) != 1:
        raise UsageProblem("expected one of a picture or a position, --screen, --clipboard")
    grab = grab_screen if screen else grab_clipboard if clipboard else None
    name = "the screen" if screen else "the clipboard" if clipboard else str(board)
    image, reading, position = _read(name, grab, top_row, fingerprints, save)
    if picture is not None and image is None:
        raise UsageProblem("--picture: expected a picture to draw on, got a typed position")
    limits = Limits(limit_nodes or DEFAULT_LIMITS.nodes, DEFAULT_LIMITS.bytes)
    with Console(stderr=True).status("searching ...") as shown:
        found = recommend(
            position,
            depth=depth,
            limits=limits,
            progress=lambda nodes, _: shown.update(f"{nodes:,} positions explored"),
        )
    if picture is not None and image is not None and reading is not None and found.move:
        _write(picture, encode_png(draw_move(image, reading.layout, position, found.move)))
    if as_json:
        facts = {
            **(reading.as_json() if reading else position_json(position)),
            "basis": str(found.basis),
            "move": str(found.move) if found.move else None,
            "line": [str(move) for move in found.line],
            "positions": found.positions,
        }
        print(json.dumps(facts))
        return
    print(f"{position}\n")
    if reading is not None and not reading.order_known:
        print(f"{ORDER_NOTE}\n")
    if position.won:
        print("the game is won")
    elif found.basis is Basis.UNSOLVABLE:
        print(f"cannot be won: all {found.positions:,} positions that can be reached were tried")
    elif found.basis is Basis.WON:
        print(f"play {found.line[0]}  {position.describe(found.line[0])}")
        print(f"wins in {len(found.line)} moves")
    else:
        print(f"limit reached after {found.positions:,} positions: neither a win nor a proof")
        if found.advice:
            move = found.advice
            print(f"advice of the depth-{depth} method: {move}  {position.describe(move)}")
    if plan and found.line:
        print()
        _print_line(position, found.line)


def calibrate_reader(
    pictures: Annotated[
        list[str],
        typer.Argument(
            metavar="SCREENSHOT...", help="Pictures of fresh deals, all in the same art."
        ),
    ],
    board: Annotated[
        list[str] | None,
        typer.Option(help="A file with what each picture shows; else it is guessed and printed."),
    ] = None,
    out: Annotated[str, typer.Option(help="The file to write.")] = "shenzhen-fingerprints.json",
) -> None:
    """Measure the fingerprints of cards in other art, for --fingerprints of farm recommend."""
    if board and len(board) != len(pictures):
        raise UsageProblem(f"expected a --board for each picture, got {len(board)}")
    shown = []
    for number, path in enumerate(pictures):
        try:
            image = decode_image(_read_bytes(path))
            if board:
                position = _parse(_read_bytes(board[number]), board[number], None)
            else:
                position = guess_deal(image, shipped_fingerprints())
        except _BAD_INPUT as error:
            raise UsageProblem(f"{path}: {error}") from None
        shown.append((image, position))
        if not board:
            print(f"{path} is taken for\n{position}\n")
    try:
        table = calibrate(shown)
    except _BAD_INPUT as error:
        raise UsageProblem(str(error)) from None
    for path, (image, position) in zip(pictures, shown, strict=True):
        try:
            same = read_board(image, table).position == position
        except (PictureError, DealError) as error:
            raise UsageProblem(
                f"{path} cannot be read with its own fingerprints: {error}"
            ) from None
        if not same:
            raise UsageProblem(f"{path} reads differently with its own fingerprints")
    _write(out, fingerprints_json(table).encode())
    if not board:
        print("if a board above is not right, give the right ones with --board FILE")
    print(f"written: {out}")


def _read(
    name: str,
    grab: Callable[[], np.ndarray] | None,
    top_row: str | None,
    table: str | None,
    save: str | None,
) -> tuple[np.ndarray | None, Reading | None, Position]:
    """The picture, what was read of it, and the position; the first two None for a typed one.

    name: a file, unless `grab` fetches the picture.
    """
    data = b"" if grab else _read_bytes(name)
    if not grab and _is_text(data):
        position = _parse(data, name, top_row).settled()
        if save is not None:
            _write(save, (json.dumps(position_json(position)) + "\n").encode())
        return None, None, position
    try:
        image = grab() if grab else decode_image(data)
        reading = read_board(image, _fingerprints(table), top_row)
    except UnclearBoard as error:
        hint = "with --save FILE it can be corrected by hand"
        if save is not None:
            _write(save, (error.draft + "\n").encode())
            hint = f"what was read is in {save}, to be corrected by hand"
        raise UsageProblem(f"{name}: {error}; {hint}") from None
    except TopRowUnknown as error:
        raise UsageProblem(f"{name}: the top row is not shown; {error}: use --top-row") from None
    except _BAD_INPUT as error:
        raise UsageProblem(f"{name}: {error}") from None
    if save is not None:
        _write(save, (json.dumps(reading.as_json()) + "\n").encode())
    return image, reading, reading.position


def _fingerprints(path: str | None) -> Fingerprints | None:
    if path is None:
        return None
    try:
        return parse_fingerprints(_read_bytes(path).decode())
    except (FingerprintError, UnicodeDecodeError) as error:
        raise UsageProblem(f"{path}: {error}") from None


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False
    return b"\0" not in data


def _parse(data: bytes, name: str, top_row: str | None) -> Position:
    try:
        return parse_position(data.decode("utf-8-sig"), top_row)
    except TopRowUnknown as error:
        raise UsageProblem(f"{name}: {error}: use --top-row") from None
    except (DealError, CardError, UnicodeDecodeError) as error:
        raise UsageProblem(f"{name}: {error}") from None


def _read_bytes(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageProblem(f"{path}: {error.strerror}") from None


def _write(path: str, data: bytes) -> None:
    """Writes a file whole or not at all."""
    try:
        with whole(Path(path)) as part:
            part.write_bytes(data)
    except OSError as error:
        raise UsageProblem(f"{path}: {error.strerror}") from None


def _print_line(position: Position, moves: tuple[Move, ...]) -> None:
    for number, move in enumerate(moves, start=1):
        print(f"{number:4}  {move!s:5}  {position.describe(move)}")
        position = position.apply(move)


def _find(
    source: str | None, seed: int | None, unit: int | None, fields: dict[str, Any]
) -> tuple[Position, Any]:
    """The position of a run, a file, or a seed and unit, and the spec that options make."""
    job: Any = load_job(JOB)
    text = read_text(source, seed, unit)
    if text is not None and not text.lstrip().startswith("{"):
        spec, _, _ = find_line(job, None, None, 0, 0, fields)
        return _parse(text.encode(), str(source), None).settled(), spec
    spec, unit, line = find_line(job, source, text, seed, unit, fields)
    return job.position_of(spec, unit, line).position.settled(), spec
