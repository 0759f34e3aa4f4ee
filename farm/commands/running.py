"""farm run, resume and extend: the commands that compute."""

import inspect
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from farm.driver import Means, check_writable, work_on
from farm.errors import UsageProblem
from farm.lease import Lease
from farm.options import (
    make_spec,
    option_parameters,
    parse_duration,
    parse_units,
    read_deals,
    read_job_file,
)
from farm.run_directory import Pass, Run, create, open_run
from jobs import job_names, load_job
from jobs.job import Job, JobSpec
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
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="A run directory.")]


class JobGroup(TyperGroup):
    """`farm run` has a command for each job, with the fields of its spec as options."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The jobs."""
        return job_names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a job or a job file."""
        if cmd_name.endswith(".toml"):
            job, fields = read_job_file(cmd_name)
            return _job_command(job, fields, cmd_name)
        if ctx.resilient_parsing and cmd_name not in job_names():
            return None
        return _job_command(load_job(cmd_name), {}, cmd_name)


run_app = typer.Typer(
    cls=JobGroup,
    no_args_is_help=True,
    help="Run a job, by name or from a TOML file of its options.",
    subcommand_metavar="JOB|FILE.toml [OPTIONS]",
)


@run_app.callback()
def _run_jobs() -> None:
    """Run a job, by name or from a TOML file of its options."""


def _job_command(job: Job, file_fields: dict[str, Any], name: str) -> Any:
    """The command of one job; options given on the command line go before those of a job file."""

    def run(
        out: Annotated[
            str | None, typer.Option(help="Run directory. [default: runs/JOB-DATE-TIME]")
        ] = None,
        units: Annotated[
            str | None, typer.Option(metavar="A-B", help="Only units A to B, B included.")
        ] = None,
        deals_file: Annotated[
            str | None, typer.Option(metavar="FILE", help="Take the deals from a file.")
        ] = None,
        shard_size: ShardSize = None,
        address: Address = None,
        time_limit: TimeLimit = None,
        as_json: AsJson = False,
        **fields: Any,
    ) -> None:
        given = {key: value for key, value in fields.items() if value is not None}
        merged = {**file_fields, **given}
        means = Means(address, shard_size, parse_duration(time_limit), as_json)
        start_run(job, merged, means, out, units, deals_file)

    signature = inspect.signature(run)
    own = [item for item in signature.parameters.values() if item.name != "fields"]
    parameters = [
        item.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for item in (*option_parameters(job.Spec), *own)
    ]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {item.name: item.annotation for item in parameters}
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command(name, help=job.SUMMARY)(run)
    return typer.main.get_command(app)


def start_run(
    job: Job,
    fields: dict[str, Any],
    means: Means,
    out: str | None,
    units: str | None,
    deals_file: str | None,
) -> None:
    """Checks everything that can be checked, then starts a run and drives it to its end."""
    spec = make_spec(job, fields)
    lines = read_deals(job, spec, deals_file) if deals_file else None
    wanted = _wanted_units(spec, fields, units, lines)
    if len(job.stages(spec)) > 1 and wanted != range(spec.unit_count):
        raise UsageProblem(f"{job.NAME} has stages that need all its units: leave out --units")
    if len(wanted) != spec.unit_count:
        spec = spec.of_units(len(wanted))
    store = Store(out or _default_directory(job))
    check_writable(store)
    deals = None if lines is None else "".join(line + "\n" for line in lines)
    run = create(store, job, spec, wanted, deals)
    with Lease(store) as lease:
        work_on(run, means, lease)


def _wanted_units(
    spec: JobSpec, fields: dict[str, Any], units: str | None, lines: list[str] | None
) -> range:
    count_given = spec.UNIT_FIELD in fields
    if units and count_given:
        raise UsageProblem(f"--units and --{spec.UNIT_FIELD} both say which units: give one")
    if units:
        wanted = parse_units(units)
    elif count_given or lines is None:
        wanted = range(spec.unit_count)
    else:
        wanted = range(len(lines))
    if lines is not None and wanted.stop > len(lines):
        raise UsageProblem(
            f"expected at least {wanted.stop} deals in the deal file, got {len(lines)}"
        )
    return wanted


def _default_directory(job: Job) -> str:
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    return str(Path("runs") / f"{job.NAME}-{stamp}")


def resume(
    run_directory: RunArgument,
    limit_nodes: Annotated[
        int | None,
        typer.Option(min=1, help="Take up what is still open again, with this limit."),
    ] = None,
    shard_size: ShardSize = None,
    address: Address = None,
    time_limit: TimeLimit = None,
    as_json: AsJson = False,
) -> None:
    """Finish a run that was interrupted; with --limit-nodes, take up what it left open."""
    means = Means(address, shard_size, parse_duration(time_limit), as_json)
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
    as_json: AsJson = False,
) -> None:
    """Give a run more units: those it has stay as they are."""
    means = Means(address, shard_size, parse_duration(time_limit), as_json)
    run = open_run(run_directory)
    unit_field = run.spec.UNIT_FIELD
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
        if len(run.job.stages(spec)) > 1:
            raise UsageProblem(f"{run.job.NAME} has stages: it cannot be extended")
        run.record.stop = run.record.start + spec.unit_count
        run.record.spec[unit_field] = count
        run.save()
        work_on(run, means, lease)
