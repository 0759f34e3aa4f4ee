"""farm submit: scripts and manifests for clusters, written here and, with --go, submitted."""

import inspect
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
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
from farm.errors import RunProblem, UsageProblem
from farm.examples import epilog
from farm.options import option_parameters, parse_duration
from farm.starting import Order, Plan, check_shareable, checked
from farm.submission import kuberay, ray_jobs, slurm
from farm.submission.estimate import estimate
from farm.submission.render import shell_words
from farm.submission.request import Request, player_files, settled_location, write_script
from farm.sweep import Member, split
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
        units: Units = None,
        deals_file: DealsFile = None,
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
        fields = {**file_fields, **given}
        members, limits = split(job, fields)
        plans = [
            checked(Order(job, each.fields, out, limits, units, deals_file)) for each in members
        ]
        if own.get("array") is not None:
            if members[0].values:
                raise UsageProblem("--array: a sweep has several runs; submit each by itself")
            check_shareable("--array", job, plans[0].spec, limits)
        path = None if deals_file is None else str(Path(deals_file).absolute())
        request = Request(
            job, fields, name or job.NAME, settled_location(out), path, units, shard_size,
            activate or (), player_files(plan.spec for plan in plans),
        )  # fmt: skip
        if estimate_first:
            _show_estimate(job, members, plans, own)
        written = write(request, script, **own)
        print(f"wrote   {written.path}")
        if go:
            _submit(written)
        else:
            print(f"submit  {shell_words(*written.submit)}")
        print(f"watch   {written.watch}\ncancel  {written.cancel}")

    options = (*_options_of(write).values(), *own_options(submit), *option_parameters(job.Spec))
    help_text, end = f"{_HELP[target]} {job.SUMMARY}", epilog(f"farm submit {target}")
    return single_command(with_options(submit, options), named, help_text, end)


def target_app(target: str) -> typer.Typer:
    """The commands of a target: one for each job, with the job's options and the target's."""
    return job_group(_HELP[target], partial(_command, target))


def _options_of(write: Callable[..., Written]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(write).parameters
    return {name: item for name, item in parameters.items() if name not in ("request", "script")}


def _show_estimate(
    job: Job, members: list[Member], plans: list[Plan], options: dict[str, Any]
) -> None:
    cpus = (options.get("array") or options.get("nodes") or 1) * (options.get("cpus") or 1)
    for member, plan in zip(members, plans, strict=True):
        if member.values:
            print(member.folder)
        print("\n".join(estimate(job, plan).lines(cpus)))


def _submit(written: Written) -> None:
    command = written.submit
    try:
        done = subprocess.run(command, check=False)
    except FileNotFoundError:
        raise UsageProblem(
            f"--go: {command[0]} is not installed here; {written.path} is written"
        ) from None
    if done.returncode:
        again = shell_words(*command)
        raise RunProblem(
            f"{written.path} was not submitted, exit status {done.returncode}: run `{again}` again"
        )
