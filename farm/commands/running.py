"""farm run, resume and extend: the commands that compute."""

import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from farm.commands.job_commands import (
    DealsFile,
    Units,
    job_group,
    own_options,
    single_command,
    with_options,
)
from farm.driver import Means, check_writable, work_on
from farm.errors import RunProblem, UsageProblem
from farm.examples import epilog
from farm.lease import Lease
from farm.options import make_spec, option_parameters, parse_duration, words_of
from farm.run_directory import Pass, Run, open_run
from farm.share import parse_share
from farm.starting import Order, default_directory, start
from farm.sweep import Member, split, write_table
from jobs.job import Job
from results.store import Store

Address = Annotated[
    str | None,
    typer.Option(help="Ray cluster to join, such as auto or HOST:PORT.", show_default=False),
]
ShardSize = Annotated[
    int | None,
    typer.Option(min=1, help="Units a shard; found by a short probe if not given."),
]
TimeLimit = Annotated[
    str | None, typer.Option(help="Stop after this time, such as 90s, 30m or 2h.")
]
UnitTimeout = Annotated[
    str | None,
    typer.Option(help="End a worker that takes longer than this on a unit, such as 60s."),
]
MaxCpus = Annotated[int | None, typer.Option(min=1, help="Use this many CPUs at most.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print no progress, only the end.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="A run directory.")]


def warn_of_gaps(run: Run) -> None:
    """Says on standard error where rows of a run are not all it will have."""
    if not run.is_complete():
        said = "the run is not complete: these are the rows so far"
        print(f"farm: {run.store}: {said}", file=sys.stderr)


def make_means(
    address: str | None,
    shard_size: int | None,
    time_limit: str | None,
    unit_timeout: str | None,
    max_cpus: int | None,
    quiet: bool,
    as_json: bool,
) -> Means:
    """The means that these options say; raises UsageProblem."""
    return Means(
        address=address,
        shard_size=shard_size,
        time_limit=parse_duration("--time-limit", time_limit),
        as_json=as_json,
        quiet=quiet,
        max_cpus=max_cpus,
        unit_timeout=parse_duration("--unit-timeout", unit_timeout),
    )


def _job_command(job: Job, file_fields: dict[str, Any], name: str) -> Any:
    """The command of one job; options given on the command line go before those of a job file."""

    def run(
        out: Annotated[
            str | None, typer.Option(help="Run directory. [default: runs/JOB-DATE-TIME]")
        ] = None,
        units: Units = None,
        deals_file: DealsFile = None,
        resume: Annotated[
            bool,
            typer.Option("--resume", help="Go on where --out holds this very run already."),
        ] = False,
        share: Annotated[
            str | None,
            typer.Option(
                metavar="I/N", help="Compute the I-th of N parts only, I from 0, beside the others."
            ),
        ] = None,
        shard_size: ShardSize = None,
        address: Address = None,
        time_limit: TimeLimit = None,
        unit_timeout: UnitTimeout = None,
        max_cpus: MaxCpus = None,
        quiet: Quiet = False,
        as_json: AsJson = False,
        **fields: Any,
    ) -> None:
        given = {key: value for key, value in fields.items() if value is not None}
        members, limits = split(job, {**file_fields, **given})
        means = make_means(address, shard_size, time_limit, unit_timeout, max_cpus, quiet, as_json)
        order = Order(
            job, members[0].fields, out, limits, units, deals_file, resume, parse_share(share)
        )
        options = [word for field, value in given.items() for word in words_of(field, value)]
        _start_all(order, members, means, ["farm", "run", name, *options])

    options = (*option_parameters(job.Spec), *own_options(run))
    end = epilog(f"farm run {job.NAME}")
    return single_command(with_options(run, options), name, job.SUMMARY, end)


run_app = job_group("Run a job, by name or from a TOML file of its options.", _job_command)


def _start_all(order: Order, members: list[Member], means: Means, words: list[str]) -> None:
    """The one run of an order, or all those of a sweep and their table.

    words: the command without the options that all jobs have.
    """
    if members[0].values == {}:
        start(order, means)
        return
    if order.share is not None:
        raise UsageProblem("--share: a sweep has several runs; submit each by itself")
    location = order.out or default_directory(f"sweep-{Path(words[2]).stem}")
    command = _sweep_command(words, order, location)
    deadline = None if means.time_limit is None else time.monotonic() + means.time_limit
    for member in members:
        each = replace(order, fields=member.fields, out=f"{location}/{member.folder}", resume=True)
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise RunProblem(f"stopped: the time limit is reached; go on with `{command}`")
            means = replace(means, time_limit=left)
        start(each, means, command)
    table = write_table(Store(location), members)
    if not means.as_json:
        print(f"\n{table}", end="")


def _sweep_command(words: list[str], order: Order, location: str) -> str:
    """The command that goes on with a sweep."""
    units = [] if order.units is None else ["--units", order.units]
    deals_file = [] if order.deals_file is None else ["--deals-file", order.deals_file]
    return shlex.join([*words, *units, *deals_file, "--out", location])


def resume(
    run_directory: RunArgument,
    limit_nodes: Annotated[
        int | None,
        typer.Option(min=1, help="Take up what is still open again, with this limit."),
    ] = None,
    shard_size: ShardSize = None,
    address: Address = None,
    time_limit: TimeLimit = None,
    unit_timeout: UnitTimeout = None,
    max_cpus: MaxCpus = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Finish an interrupted run, or what it left open.

    With --limit-nodes, what earlier passes left open is taken up with this larger limit.
    """
    means = make_means(address, shard_size, time_limit, unit_timeout, max_cpus, quiet, as_json)
    run = open_run(run_directory)
    check_writable(run.store)
    with Lease(run.store) as lease:
        run = open_run(run_directory)
        if limit_nodes is not None:
            _add_pass(run, limit_nodes)
        work_on(run, means, lease)


def _add_pass(run: Run, limit_nodes: int) -> None:
    """Adds a pass, or does nothing where an interrupted one has this very limit."""
    limit = run.spec_of_pass(len(run.record.passes) - 1).model_dump().get("limit_nodes")
    if limit is None:
        raise UsageProblem(f"{run.record.job} has no --limit-nodes")
    if limit_nodes < limit:
        raise UsageProblem(
            f"--limit-nodes: expected more than the {limit} of the pass before, got {limit_nodes}"
        )
    if limit_nodes > limit:
        run.record.passes.append(Pass(limits={"limit_nodes": limit_nodes}))
        run.save()


def extend(
    run_directory: RunArgument,
    deals: Annotated[
        int | None, typer.Option(min=1, help="Number of deals that the run shall have in all.")
    ] = None,
    matches: Annotated[
        int | None, typer.Option(min=1, help="Number of matches of each pairing in all.")
    ] = None,
    shard_size: ShardSize = None,
    address: Address = None,
    time_limit: TimeLimit = None,
    unit_timeout: UnitTimeout = None,
    max_cpus: MaxCpus = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Give a run more units; those it has stay."""
    means = make_means(address, shard_size, time_limit, unit_timeout, max_cpus, quiet, as_json)
    run = open_run(run_directory)
    unit_field = run.spec.UNIT_FIELD
    if unit_field not in run.spec.GROWS:
        raise UsageProblem(
            f"a run of {run.job.NAME} cannot be extended: its number of {unit_field} is fixed"
        )
    count = {"deals": deals, "matches": matches}.get(unit_field)
    if count is None:
        raise UsageProblem(f"expected --{unit_field} with the number the run shall have in all")
    if run.record.deals_sha256 is not None:
        raise UsageProblem("a run on a deal file has the deals of that file and no more")
    check_writable(run.store)
    with Lease(run.store) as lease:
        run = open_run(run_directory)
        before = getattr(run.spec, unit_field)
        if count < before:
            raise UsageProblem(
                f"--{unit_field}: expected at least the {before} of the run, got {count}"
            )
        spec = make_spec(run.job, {**run.record.spec, unit_field: count})
        run.record.stop = run.record.start + spec.unit_count
        run.record.spec[unit_field] = count
        run.save()
        work_on(run, means, lease)
