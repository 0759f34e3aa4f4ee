"""farm verify-transcript and farm export vectors: for those who check or port a game's programs."""

import json
import re
import sys
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import typer

from engines.cribbage.transcript import TranscriptError
from engines.cribbage.transcript_check import verify_transcript
from engines.cribbage.vectors import decision_vectors
from engines.streams import SEED_LIMIT
from farm.commands.running import AsJson
from farm.errors import RunProblem, UsageProblem


def verify(
    path: Annotated[
        str, typer.Argument(metavar="FILE", help="A transcript, or one on each line of a file.")
    ],
    commit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HEX",
            help="The commit given out before the match; of several matches once for each, in "
            "the order of the file.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play transcripts of fair matches again, and compare the commits given out before them.

    Names the first entry of each that differs. Without the commit from before the match nothing
    shows that the deals were not chosen after it.
    """
    places = read_transcripts(path)
    given = [_commit(text) for text in commit or ()]
    if given and len(given) != len(places):
        raise UsageProblem(
            f"--commit: expected one for each of the {len(places):,} transcripts, got {len(given)}"
        )
    faults: list[str] = []
    verified: list[str | None] = []
    for (where, text), expected in zip_longest(places, given):
        try:
            verified.append(_verified_commit(parsed(text), expected))
        except (TranscriptError, OverflowError, RecursionError) as error:
            verified.append(None)
            faults.append(f"{where}: {error}")
    if as_json:
        facts = {"transcripts": len(places), "faults": faults, "commits": verified}
        print(json.dumps(facts))
    else:
        print(f"transcripts: {len(places):,}, faults: {len(faults):,}")
        for fault in faults:
            print(f"  {fault}")
        for (where, _), found in zip(places, verified, strict=True):
            if found is not None:
                print(f"  {where}: commit {found}{', as given' if given else ''}")
        if not given and any(verified):
            print("compare with the commit from before the match, or let --commit do so")
    if faults:
        raise RunProblem(f"{path} has {len(faults)} faults")


def _commit(text: str) -> str:
    if not re.fullmatch("[0-9a-fA-F]{64}", text):
        raise UsageProblem(f"--commit: expected 64 hexadecimal digits, got {text!r}")
    return text.lower()


def _verified_commit(document: Any, given: str | None) -> str:
    """The commit of a transcript that holds; raises TranscriptError.

    given: what was given out before the match, if that is known.
    """
    claimed = document.get("commit") if isinstance(document, dict) else None
    if given is not None and isinstance(claimed, str) and claimed != given:
        raise TranscriptError(
            f"commit: expected {given} as given out before the match, got {claimed[:80]!r}"
        )
    verify_transcript(document)
    return str(claimed)


def read_transcripts(path: str) -> list[tuple[str, str]]:
    """Where each transcript of a file is, and its text; "-" is standard input.

    The whole file is one where it is one JSON value, with whatever white space; else each line
    that is not empty, if the first is JSON or any has the key "format". Raises UsageProblem for a
    file that cannot be read or is empty.
    """
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(f"{path}: {error}") from None
    # Only at line feeds: JSON may hold other line ends as they are.
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise UsageProblem(f"{path}: expected a transcript, got an empty file")
    of_lines = [(f"{path} line {number}", line) for number, line in lines]
    if len(lines) == 1 or _is_json(text):
        return [(path, text)]
    is_of_lines = _is_json(lines[0][1]) or any(_has_format(line) for _, line in lines)
    return of_lines if is_of_lines else [(path, text)]


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_int=str)  # a number may be too long to be read, and the form right
    except (ValueError, RecursionError):
        return False
    return True


def _has_format(line: str) -> bool:
    """Whether a line is an object with the key that a transcript, and nothing in one, has."""
    if not _is_json(line):
        return False
    value = json.loads(line, parse_int=str)
    return isinstance(value, dict) and "format" in value


def parsed(text: str) -> Any:
    """What a transcript's text holds; raises TranscriptError where it is no JSON."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise TranscriptError(f"expected a transcript in JSON: {error}") from None
    except ValueError:
        raise TranscriptError("expected a transcript, got a number of too many digits") from None
    except RecursionError:
        raise TranscriptError("expected a transcript, got JSON nested too deeply") from None


def vectors(
    out: Annotated[str, typer.Option(metavar="FILE", help="File to write, a vector on each line.")],
    count: Annotated[int, typer.Option("--n", min=1, help="Number of vectors.")] = 1000,
    seed: Annotated[
        int, typer.Option(min=0, max=SEED_LIMIT - 1, help="Seed of the positions.")
    ] = 0,
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
