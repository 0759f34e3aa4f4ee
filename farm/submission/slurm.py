"""Batch scripts for Slurm: Ray over the nodes of one job, or an array of jobs on one node each."""

from collections.abc import Sequence
from dataclasses import dataclass

from farm.errors import UsageProblem
from farm.submission.render import fill, mebibytes, one_line, slurm_name, slurm_value
from farm.submission.request import Request

REQUEUES = 100
"""How often a script goes back to the queue at its time limit."""


@dataclass(frozen=True)
class SlurmNodes:
    """What is asked of Slurm.

    seconds: the time limit; drain_seconds: how long before it the farm is told to stop.
    array: the number of array tasks, None for one job over all nodes with Ray.
    extra: options of sbatch, such as --constraint=avx2, passed through untouched.
    """

    nodes: int
    cpus: int
    memory: str | None
    seconds: float
    drain_seconds: float
    partition: str | None
    account: str | None
    array: int | None
    extra: Sequence[str]


def script(request: Request, nodes: SlurmNodes) -> str:
    """The batch script; raises UsageProblem."""
    if nodes.drain_seconds >= nodes.seconds:
        raise UsageProblem(
            f"--drain: expected less than the time limit of {nodes.seconds:.0f} s, "
            f"got {nodes.drain_seconds:.0f} s"
        )
    common = {
        "title": request.title,
        "directives": "\n".join(_directives(request, nodes)),
        "job_file": request.job_file,
        "activation": request.activation_lines,
        "options": request.options(),
        "requeues": str(REQUEUES),
    }
    if nodes.array is None:
        return fill("slurm.sh", **common)
    if request.shard_size is None:
        raise UsageProblem(
            "--array: expected --shard-size as well, since the tasks must agree on the shards; "
            "--estimate names one"
        )
    if nodes.nodes != 1:
        raise UsageProblem(f"--array: each task has one node, got --nodes {nodes.nodes}")
    return fill("slurm_array.sh", **common, tasks=str(nodes.array))


def _directives(request: Request, nodes: SlurmNodes) -> list[str]:
    name = slurm_name("--name", request.name)
    options = [f"--job-name={name}", f"--time={_slurm_time(nodes.seconds)}"]
    if nodes.array is None:
        options += [f"--nodes={nodes.nodes}", "--ntasks-per-node=1", f"--output={name}-%j.log"]
    else:
        options += [f"--array=0-{nodes.array - 1}", "--nodes=1", "--ntasks=1"]
        options += [f"--output={name}-%A-%a.log"]
    options += [f"--cpus-per-task={nodes.cpus}"]
    if nodes.memory is not None:
        options.append(f"--mem={mebibytes('--memory', nodes.memory)}M")
    for flag, value in (("--partition", nodes.partition), ("--account", nodes.account)):
        if value is not None:
            options.append(f"{flag}={slurm_value(flag, value)}")
    options += ["--requeue", "--open-mode=append", f"--signal=B:USR1@{nodes.drain_seconds:.0f}"]
    options += [one_line("--extra", line) for line in nodes.extra]
    return [f"#SBATCH {option}" for option in options]


def _slurm_time(seconds: float) -> str:
    """Seconds as D-HH:MM:SS, as Slurm's --time takes them."""
    whole = round(seconds)
    return f"{whole // 86400}-{whole // 3600 % 24:02}:{whole // 60 % 60:02}:{whole % 60:02}"
