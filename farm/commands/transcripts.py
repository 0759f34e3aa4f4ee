"""farm verify-transcript and farm export vectors: for those who check or port a game's programs."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from engines.cribbage.transcript import TranscriptError
from engines.cribbage.transcript_check import verify_transcript
from engines.cribbage.vectors import decision_vectors
from farm.commands.running import AsJson
from farm.errors import RunProblem, UsageProblem


def verify(
    path: Annotated[
        str, typer.Argument(metavar="FILE", help="A transcript, or one on each line of a file.")
    ],
    as_json: AsJson = False,
) -> None:
    """Play transcripts of fair matches again.

    Names the first entry of each that differs.
    """
    count, faults = 0, []
    for name, text in _documents(path):
        count += 1
        try:
            verify_transcript(json.loads(text))
        except RecursionError:
            faults.append(f"{name}: expected a transcript, got JSON nested too deeply")
        except (TranscriptError, json.JSONDecodeError) as error:
            faults.append(f"{name}: {error}")
    if as_json:
        print(json.dumps({"transcripts": count, "faults": faults}))
    else:
        print(f"transcripts: {count:,}, faults: {len(faults):,}")
        for fault in faults:
            print(f"  {fault}")
    if faults:
        raise RunProblem(f"{path} has {len(faults)} faults")


def read_lines(path: str) -> tuple[str, list[tuple[int, str]]]:
    """The text of a file of transcripts, "-" for standard input, and its lines with their numbers.

    Empty lines are left out; raises UsageProblem where there are no others.
    """
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(f"{path}: {error}") from None
    # Only at line feeds: JSON may hold other line ends as they are.
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise UsageProblem(f"{path}: expected a transcript, got an empty file")
    return text, lines


def _documents(path: str) -> Iterator[tuple[str, str]]:
    """Where each document of a file is, and its text: the whole file, or each of its lines."""
    text, lines = read_lines(path)
    if lines[0][1].strip() == "{":
        yield path, text
        return
    for number, line in lines:
        yield f"{path} line {number}", line


def vectors(
    out: Annotated[str, typer.Option(metavar="FILE", help="File to write, a vector on each line.")],
    count: Annotated[int, typer.Option("--n", min=1, help="Number of vectors.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the positions.")] = 0,
) -> None:
    """Write decisions of the cribbage brain, to test a port to another language against it."""
    target = Path(out)
    if target.exists():
        raise UsageProblem(f"--out: {out} exists; choose another name")
    lines = (json.dumps(vector) for vector in decision_vectors(seed, count))
    try:
        target.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise UsageProblem(f"--out: {error}") from None
    print(f"{count:,} vectors in {out}")
