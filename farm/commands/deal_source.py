"""Where a command that looks at one deal takes it from: a run, a file, or seed and unit."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from farm.errors import UsageProblem
from farm.options import make_spec
from farm.run_directory import RUN_FILE, open_run

Source = Annotated[
    str | None,
    typer.Argument(
        metavar="[RUN:UNIT|FILE]",
        help="A unit of a run, or a file with a deal or a position; else give --seed and --unit.",
        show_default=False,
    ),
]
Seed = Annotated[int | None, typer.Option(help="Seed of the deal.", show_default=False)]
Unit = Annotated[
    int | None,
    typer.Option(help="Number of the deal.", min=0, max=2**63 - 1, show_default=False),
]


def find_line(
    job: Any,
    source: str | None,
    text: str | None,
    seed: int | None,
    unit: int | None,
    fields: dict[str, Any],
    same_deals: tuple[str, ...] = (),
) -> tuple[Any, int, str | None]:
    """The spec that options make, the unit, and its line of a deal file, None where there is none.

    text: of the source, where it is a file. fields: options of the job, None where not given.
    same_deals: other jobs whose runs may be the source, for their units are the same deals.
    Raises UsageProblem.
    """
    if source is None:
        if seed is None or unit is None:
            raise UsageProblem("expected RUN:UNIT, a FILE, or both --seed and --unit")
        return make_spec(job, {"seed": seed, **fields}), unit, None
    run_location, _, number = source.rpartition(":")
    if number.isdecimal() and _is_file(Path(run_location, RUN_FILE)):
        run = open_run(run_location)
        unit = int(number)
        if run.record.job not in (jobs := (job.NAME, *same_deals)):
            raise UsageProblem(
                f"expected a run of {' or '.join(jobs)}, got {run.store}, one of {run.record.job}"
            )
        if unit not in run.units:
            last = run.record.stop - 1
            raise UsageProblem(
                f"expected a unit from {run.record.start} to {last} of {run.store}, got {unit}"
            )
        changed = {name: value for name, value in fields.items() if value is not None}
        known = job.Spec.model_fields
        kept = {name: value for name, value in run.record.spec.items() if name in known}
        if "solver" in changed:  # the limit of another solver counts other things
            kept.pop("limit_nodes")
        lines = run.lines([unit])
        return make_spec(job, {**kept, **changed}), unit, lines[0] if lines else None
    spec = make_spec(job, fields)
    if text is None:
        raise UsageProblem(f"expected RUN:UNIT or a file with a deal or a position, got {source}")
    text = text.strip()
    lines = text.splitlines()
    if len(lines) > 1 and not _is_spread(lines):
        raise UsageProblem(f"{source}: expected one deal, got {len(lines)} lines")
    where = source if len(lines) > 1 else f"{source} line 1"
    try:
        return spec, 0, job.read_line(text, spec)
    except ValueError as error:
        raise UsageProblem(f"{where}: {error}") from None


def _is_spread(lines: list[str]) -> bool:
    """Whether lines are one JSON object, not one on each."""
    first = lines[0].rstrip()
    return first.startswith("{") and not first.endswith("}")


def read_text(source: str | None, seed: int | None, unit: int | None) -> str | None:
    """The text of a file named as a source; None where the source is no file.

    Raises UsageProblem for a file that is no text, and where a seed or a unit stands beside it.
    """
    if source is not None and (seed is not None or unit is not None):
        raise UsageProblem("expected RUN:UNIT, a FILE, or --seed and --unit; got more than one")
    if source is None or (source != "-" and not _is_file(Path(source))):
        return None
    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        return data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(f"{source}: {error}") from None


def _is_file(path: Path) -> bool:
    """Whether there is such a file; a name that is too long is none."""
    try:
        return path.is_file()
    except OSError:
        return False
