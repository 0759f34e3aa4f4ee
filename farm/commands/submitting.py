"""farm submit: scripts and manifests for clusters, written here and, with --go, submitted."""

import inspect
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from farm.commands.running import known
from farm.errors import RunProblem, UsageProblem
from farm.examples import epilog
from farm.options import option_parameters, parse_duration, read_job_file
from farm.starting import Order, Plan, checked
from farm.submission import kuberay, ray_jobs, slurm
from farm.submission.estimate import estimate
from farm.submission.render import shell_words
from farm.submission.request import Request, settled_location, write_script
from farm.sweep import Member, split
from jobs import job_names, load_job
from jobs.job import Job


@dataclass(frozen=True)
class Written:
    """A script on disk, and how its target is told: argument lists without a shell."""

    path: Path
    submit: list[str]
    watch: str
    cancel: str


def _slurm(
    request: Request,
    script: str | None,
    nodes: Annotated[int, typer.Option(min=1, help="Nodes.")] = 1,
    cpus: Annotated[int, typer.Option(min=1, help="CPUs of each node.")] = 1,
    memory: Annotated[str | None, typer.Option(help="Memory of each node, such as 64G.")] = None,
    time: Annotated[str, typer.Option(help="Time limit, such as 90m or 12h.")] = "1h",
    drain: Annotated[
        str, typer.Option(help="How long before the time limit to stop and requeue.")
    ] = "180s",
    partition: Annotated[str | None, typer.Option(help="Partition.")] = None,
    account: Annotated[str | None, typer.Option(help="Account to be charged.")] = None,
    array: Annotated[
        int | None, typer.Option(min=1, help="Tasks of a job array, each on a node, without Ray.")
    ] = None,
    extra: Annotated[
        list[str] | None,
        typer.Option(help="An option of sbatch, such as --constraint=avx2, as it is."),
    ] = None,
) -> Written:
    seconds, before = parse_duration("--time", time), parse_duration("--drain", drain)
    assert seconds is not None and before is not None
    wanted = slurm.SlurmNodes(
        nodes, cpus, memory, seconds, before, partition, account, array, extra or ()
    )
    path = Path(script or f"{request.name}.sbatch")
    write_script(path, slurm.script(request, wanted), executable=True)
    return Written(path, ["sbatch", str(path)], "squeue --me", "scancel JOBID")


def _ray(
    request: Request,
    script: str | None,
    address: Annotated[
        str, typer.Option(help="The cluster's job server.")
    ] = "http://127.0.0.1:8265",
    follow: Annotated[bool, typer.Option("--follow", help="Show the log until the end.")] = False,
    extra: Annotated[
        list[str] | None, typer.Option(help="A line of shell before the submission, as it is.")
    ] = None,
) -> Written:
    folder = Path(script or f"{request.name}-ray")
    path = ray_jobs.write_folder(folder, request, address, follow=follow, extra=extra or ())
    where = shell_words("--address", address)
    return Written(
        path,
        ["bash", str(path)],
        f"ray job logs {where} --follow {request.name}",
        f"ray job stop {where} {request.name}",
    )


def _kuberay(
    request: Request,
    script: str | None,
    image: Annotated[str, typer.Option(help="Image with dealfarm and Ray.")],
    namespace: Annotated[str, typer.Option(help="Namespace.")] = "default",
    nodes: Annotated[int, typer.Option(min=1, help="Worker pods.")] = 1,
    min_nodes: Annotated[
        int | None, typer.Option(min=0, help="Let Ray scale between these and --nodes.")
    ] = None,
    cpus: Annotated[int, typer.Option(min=1, help="CPUs of each pod.")] = 2,
    memory: Annotated[str, typer.Option(help="Memory of each pod.")] = "8G",
    time: Annotated[str, typer.Option(help="Deadline of the job.")] = "24h",
    ttl: Annotated[str, typer.Option(help="How long the finished job stays to be seen.")] = "1h",
    retries: Annotated[int, typer.Option(min=0, help="New tries of a failed job.")] = 3,
    claim: Annotated[
        str | None, typer.Option(help=f"Volume claim, mounted at {kuberay.CLAIM_FOLDER}.")
    ] = None,
    secret: Annotated[
        str | None, typer.Option(help="Secret whose entries become environment variables.")
    ] = None,
    extra: Annotated[
        list[str] | None, typer.Option(help="A line of each pod's spec, as it is.")
    ] = None,
) -> Written:
    seconds, ttl_seconds = parse_duration("--time", time), parse_duration("--ttl", ttl)
    assert seconds is not None and ttl_seconds is not None
    pods = kuberay.Pods(
        namespace, image, nodes, min_nodes, cpus, memory, seconds, ttl_seconds, retries, claim,
        secret, extra or (),
    )  # fmt: skip
    path = Path(script or f"{request.name}.yaml")
    write_script(path, kuberay.manifest(request, pods), executable=False)
    where = shell_words("--namespace", namespace)
    return Written(
        path,
        ["kubectl", "apply", "-f", str(path)],
        f"kubectl get rayjob {request.name} {where} --watch",
        f"kubectl delete rayjob {request.name} {where}",
    )


_TARGETS: dict[str, Callable[..., Written]] = {"slurm": _slurm, "ray": _ray, "kuberay": _kuberay}


def target_app(target: str) -> typer.Typer:
    """The commands of a target: one for each job, with the job's options and the target's."""

    class Group(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
            return job_names()

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            if ctx.resilient_parsing and not known(cmd_name):
                return None
            if cmd_name.endswith(".toml"):
                job, fields = read_job_file(cmd_name)
                return _command(target, job, fields, cmd_name)
            return _command(target, load_job(cmd_name), {}, cmd_name)

    app = typer.Typer(
        cls=Group,
        no_args_is_help=True,
        help=_HELP[target],
        subcommand_metavar="JOB|FILE.toml [OPTIONS]",
    )
    app.callback()(lambda: None)
    return app


_HELP = {
    "slurm": "Write a batch script for Slurm.",
    "ray": "Write a script that submits to a running Ray cluster.",
    "kuberay": "Write a RayJob manifest for Kubernetes.",
}


def _command(target: str, job: Job, file_fields: dict[str, Any], named: str) -> Any:
    write = _TARGETS[target]

    def submit(
        out: Annotated[
            str | None, typer.Option(help="Run directory: a shared folder or a URI.")
        ] = None,
        units: Annotated[
            str | None, typer.Option(metavar="A-B", help="Only units A to B, B included.")
        ] = None,
        deals_file: Annotated[
            str | None, typer.Option(metavar="FILE", help="Take the deals from a file.")
        ] = None,
        shard_size: Annotated[int | None, typer.Option(min=1, help="Units a shard.")] = None,
        name: Annotated[str | None, typer.Option(help="Name of the job. [default: JOB]")] = None,
        script: Annotated[
            str | None, typer.Option(help="Where to write. [default: named by the job]")
        ] = None,
        activate: Annotated[
            list[str] | None,
            typer.Option(help="A line that makes `farm` available, as it is."),
        ] = None,
        estimate_first: Annotated[
            bool, typer.Option("--estimate", help="Compute a small sample here, say what it costs.")
        ] = False,
        go: Annotated[bool, typer.Option("--go", help="Submit what was written.")] = False,
        **rest: Any,
    ) -> None:
        own = {item: rest.pop(item) for item in _options_of(write) if item in rest}
        given = {key: value for key, value in rest.items() if value is not None}
        members, limits = split(job, {**file_fields, **given})
        order = Order(job, members[0].fields, out, limits, units, deals_file)
        plans = [
            checked(Order(job, each.fields, out, limits, units, deals_file)) for each in members
        ]
        fields = {**file_fields, **given}
        path = None if deals_file is None else str(Path(deals_file).absolute())
        request = Request(
            job, fields, name or job.NAME, settled_location(out), path, units, shard_size,
            activate or (),
        )  # fmt: skip
        if estimate_first:
            _show_estimate(order, members, plans, own)
        written = write(request, script, **own)
        print(f"wrote   {written.path}")
        if go:
            _submit(written)
        else:
            print(f"submit  {shell_words(*written.submit)}")
        print(f"watch   {written.watch}\ncancel  {written.cancel}")

    signature = inspect.signature(submit)
    common = [item for item in signature.parameters.values() if item.name != "rest"]
    own = list(_options_of(write).values())
    parameters = [
        item.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for item in (*own, *common, *option_parameters(job.Spec))
    ]
    submit.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    submit.__annotations__ = {item.name: item.annotation for item in parameters}
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command(
        named, help=f"{_HELP[target]} {job.SUMMARY}", epilog=epilog(f"farm submit {target}")
    )(submit)
    return typer.main.get_command(app)


def _options_of(write: Callable[..., Written]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(write).parameters
    return {name: item for name, item in parameters.items() if name not in ("request", "script")}


def _show_estimate(
    order: Order, members: list[Member], plans: list[Plan], options: dict[str, Any]
) -> None:
    cpus = (options.get("array") or options.get("nodes") or 1) * (options.get("cpus") or 1)
    for member, plan in zip(members, plans, strict=True):
        if member.values:
            print(member.folder)
        print("\n".join(estimate(order.job, plan).lines(cpus)))


def _submit(written: Written) -> None:
    command = written.submit
    try:
        done = subprocess.run(command, env=dict(os.environ), check=False)
    except FileNotFoundError:
        raise UsageProblem(
            f"--go: {command[0]} is not installed here; {written.path} is written"
        ) from None
    if done.returncode:
        raise RunProblem(f"{shell_words(*command)} ended with exit status {done.returncode}")
