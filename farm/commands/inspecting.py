"""farm jobs, status, report and verify: the commands that look at a run and change no row."""

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.progress import track
from rich.text import Text

from farm.commands.running import AsJson, RunArgument
from farm.driver import resume_command, show, sum_up
from farm.errors import RunProblem, UsageProblem
from farm.facts import now
from farm.following import LINE_SECONDS, SCREEN_SECONDS, Look, follow
from farm.progress import summary
from farm.reporting import gather
from farm.run_directory import Run, Stage, open_run
from jobs import job_names, load_job
from jobs.job import JobSpec, VerificationError
from results.report.page import check_libraries, render
from results.report.parts import ReportError
from results.shards import (
    Shard,
    ShardError,
    facts_of,
    list_shards,
    overlaps,
    parse_name,
    read_shard,
)
from results.store import Store

REPORT_FILE = "report.html"


def jobs(as_json: AsJson = False) -> None:
    """List the jobs that `farm run` knows."""
    found = {name: load_job(name).SUMMARY for name in job_names()}
    if as_json:
        print(json.dumps(found))
    else:
        for name, summary in found.items():
            print(f"{name}  {summary}")


def status(
    run_directory: RunArgument,
    following: Annotated[
        bool,
        typer.Option("--follow", help="Keep looking until the run is complete."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show how far a run is and what it has found.

    With --follow, on a terminal as a picture that changes, elsewhere as a line each minute.
    """
    if following:
        look = _follow(run_directory, as_json)
        show(look.run, look.benchmark, look.remarks, as_json)
        return
    run = open_run(run_directory)
    benchmark, remarks = sum_up(run)
    if not benchmark.complete:
        remarks = [*remarks, f"incomplete: go on with `{resume_command(run)}`"]
    show(run, benchmark, remarks, as_json)


def _follow(location: str, as_json: bool) -> Look:
    """Shows a run until it is complete; returns the last look, which is not shown."""

    def note(text: str) -> None:
        print(f"farm: {text}", file=sys.stderr, flush=True)

    def show_line(look: Look) -> None:
        if as_json:
            show(look.run, look.benchmark, look.remarks, as_json)
        else:
            print(f"{now()}  {look.line()}")
        sys.stdout.flush()

    screen = Console()
    if as_json or not screen.is_terminal:
        return follow(location, LINE_SECONDS, show_line, note)
    with Live(console=screen, auto_refresh=False, transient=True) as live:

        def show_screen(look: Look) -> None:
            text = summary(look.run, look.benchmark, look.remarks)
            live.update(Text(f"{text}\n\n{look.line()}\n{now()}; Ctrl-C ends this view only"))
            live.refresh()

        return follow(location, SCREEN_SECONDS, show_screen, note)


def report(
    run_directory: RunArgument,
    out: Annotated[
        str | None,
        typer.Option(
            help=f"The file to write: {REPORT_FILE} in the run directory.", show_default=False
        ),
    ] = None,
) -> None:
    """Write what a run has found as one HTML page.

    It needs no network, and can be sent to people as it is.
    """
    run = open_run(run_directory)
    try:
        check_libraries()
    except ReportError as error:
        raise UsageProblem(str(error)) from None
    if out is not None and Path(out).is_dir():
        raise UsageProblem(f"--out: expected a file to write, got the folder {out}")
    page = render(gather(run)).encode()
    if out is None:
        run.store.write(REPORT_FILE, page)
        print(f"{run.store}/{REPORT_FILE}")
    else:
        path = Path(out)
        Store(str(path.parent)).write(path.name, page)
        print(path)


def verify(run_directory: RunArgument, as_json: AsJson = False) -> None:
    """Check all rows of a run and replay their solutions."""
    run = open_run(run_directory)
    faults, rows, replayed = _check(run)
    if as_json:
        print(json.dumps({"rows": rows, "replayed": replayed, "faults": faults}))
    else:
        print(f"{rows:,} rows, {replayed:,} replayed, {len(faults)} faults")
        for fault in faults:
            print(f"  {fault}")
    if faults:
        raise RunProblem(f"{run.store} has {len(faults)} faults")


def _check(run: Run) -> tuple[list[str], int, int]:
    shards = list_shards(run.store)
    faults = [f"{first.name} and {second.name} overlap" for first, second in overlaps(shards)]
    faults += [
        f"{file.name} is no shard"
        for file in run.store.files("shards")
        if not parse_name(file.name) and not file.name.endswith(".tmp")
    ]
    with suppress(ShardError):  # which is told of below
        if not run.is_complete():
            faults.append("incomplete: units are missing, or a pass was cut short")
    rows = replayed = 0
    specs: dict[tuple[int, Stage], JobSpec] = {}
    screen = Console(stderr=True)
    for shard in track(shards, "verifying", console=screen, disable=not screen.is_terminal):
        if shard.stop > run.record.stop:
            faults.append(f"{shard.name} goes beyond the run, which ends at {run.record.stop - 1}")
            continue
        try:
            key = shard.pass_index, run.stage_of(shard.start)
            if key not in specs:
                specs[key] = run.spec_of(*key)
            shard_rows, shard_replayed, shard_faults = _check_shard(run, shard, specs[key])
        except ValueError as error:  # a damaged shard, or one whose stage has no spec
            faults.append(str(error))
        else:
            rows += shard_rows
            replayed += shard_replayed
            faults += shard_faults
    return faults, rows, replayed


def _check_shard(run: Run, shard: Shard, spec: JobSpec) -> tuple[int, int, list[str]]:
    """Rows, solutions replayed, and faults of one shard."""
    job = run.job
    table = read_shard(run.store, shard)
    faults = []
    made_by = facts_of(table).get("signature", "")
    if made_by and made_by != run.record.signature:
        faults.append(f"{shard.name} was made with engine signature {made_by}, not the run's")
    units = table["unit"].to_pylist()
    if shard.pass_index == 0 and sorted(set(units)) != list(shard.units):
        faults.append(f"{shard.name} does not hold each of its units")
    if not set(units) <= set(shard.units):
        faults.append(f"{shard.name} holds units that its name does not say")
    keys = [name for name in ("unit", "leg") if name in table.column_names]
    if table.select(keys).group_by(keys).aggregate([]).num_rows < table.num_rows:
        faults.append(f"{shard.name} holds a row twice")
    lines = run.lines(units)
    first = run.lines([shard.start])
    rows_of_a_unit = len(job.failed_rows(spec, shard.start, first[0] if first else None, ""))
    if table.num_rows < rows_of_a_unit * len(set(units)):
        faults.append(f"{shard.name} does not hold all {rows_of_a_unit} rows of each unit")
    replayed = 0
    for index, row in enumerate(table.to_pylist()):
        try:
            replayed += job.verify(spec, row, lines[index] if lines else None)
        except VerificationError as error:
            faults.append(str(error))
    return table.num_rows, replayed, faults
