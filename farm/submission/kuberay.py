"""A RayJob manifest for KubeRay, with the job file in a ConfigMap."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from farm.errors import UsageProblem
from farm.submission.ray_jobs import driver_script
from farm.submission.render import fill, kubernetes_name, mebibytes, one_line, yaml_text
from farm.submission.request import Request

CLAIM_FOLDER = "/data"
"""Where a persistent volume claim is mounted."""


@dataclass(frozen=True)
class Pods:
    """What is asked of Kubernetes.

    seconds: the deadline; ttl_seconds: how long a finished job stays to be looked at.
    minimum_nodes: autoscaling between these and `nodes`; None for a fixed number.
    claim: of a volume mounted at CLAIM_FOLDER. secret: whose entries are environment variables.
    extra: lines of each pod's spec, such as `nodeSelector: {pool: batch}`, passed through.
    """

    namespace: str
    image: str
    nodes: int
    minimum_nodes: int | None
    cpus: int
    memory: str
    seconds: float
    ttl_seconds: float
    retries: int
    claim: str | None
    secret: str | None
    extra: Sequence[str]


def manifest(request: Request, pods: Pods) -> str:
    """The manifest; raises UsageProblem."""
    if request.deals_file is not None:
        raise UsageProblem("kuberay: a deal file does not travel with a manifest; use slurm or ray")
    if request.player_files:
        raise UsageProblem(
            f"kuberay: {request.player_files[0]} does not travel with a manifest; use slurm or "
            "ray, or name a program of the image by its whole path"
        )
    claimed = pods.claim is not None and request.out.startswith(f"{CLAIM_FOLDER}/")
    if "://" not in request.out and not claimed:
        raise UsageProblem(
            f"--out: expected a URI such as s3://bucket/run, or a folder under {CLAIM_FOLDER} "
            f"with --claim, got {request.out}"
        )
    if pods.minimum_nodes is not None and pods.minimum_nodes > pods.nodes:
        raise UsageProblem(
            f"--min-nodes: expected at most the {pods.nodes} of --nodes, got {pods.minimum_nodes}"
        )
    one_line("--image", pods.image)
    data_mount = [{"name": "data", "mountPath": CLAIM_FOLDER}] if pods.claim else []
    data: list[dict[str, Any]] = []
    if pods.claim is not None:
        claim = {"claimName": kubernetes_name("--claim", pods.claim)}
        data = [{"name": "data", "persistentVolumeClaim": claim}]
    secrets = []
    if pods.secret is not None:
        secrets = [{"secretRef": {"name": kubernetes_name("--secret", pods.secret)}}]
    name = kubernetes_name("--name", request.name)
    job_mount = {"name": "job", "mountPath": "/etc/dealfarm"}
    return fill(
        "kuberay.yaml",
        title=request.title,
        name=name,
        namespace=kubernetes_name("--namespace", pods.namespace),
        job_file=yaml_text(request.job_file),
        drive=yaml_text(driver_script(request)),
        image=yaml_text(pods.image),
        ray_version=yaml_text(version("ray")),
        autoscaling="false" if pods.minimum_nodes is None else "true",
        nodes=str(pods.nodes),
        minimum_nodes=str(pods.nodes if pods.minimum_nodes is None else pods.minimum_nodes),
        cpus=yaml_text(str(pods.cpus)),
        memory=yaml_text(f"{mebibytes('--memory', pods.memory)}Mi"),
        deadline=f"{pods.seconds:.0f}",
        ttl=f"{pods.ttl_seconds:.0f}",
        retries=str(pods.retries),
        secrets=yaml_text(secrets),
        head_mounts=yaml_text([job_mount, *data_mount]),
        head_volumes=yaml_text([{"name": "job", "configMap": {"name": name}}, *data]),
        worker_mounts=yaml_text(data_mount),
        worker_volumes=yaml_text(data),
        pod_extra=_indented(pods.extra, 10),
        worker_extra=_indented(pods.extra, 12),
    )


def _indented(lines: Sequence[str], width: int) -> str:
    return "".join(f"{' ' * width}{one_line('--extra', line)}\n" for line in lines)
