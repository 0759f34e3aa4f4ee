"""A script for Ray Jobs, and the package beside it that Ray takes to the cluster."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from farm.errors import UsageProblem
from farm.submission.render import fill, one_line, shell_words, slurm_name
from farm.submission.request import Request, write_script

PACKAGES = ("engines", "results", "jobs", "farm")
_FILES = ("job.toml", "deals.jsonl", "drive.sh")


def write_folder(
    folder: Path, request: Request, address: str, *, follow: bool, extra: Sequence[str]
) -> Path:
    """Writes submit.sh and package/ into a folder; returns the script's path.

    address: of the cluster's job server, such as http://127.0.0.1:8265. follow: show the log until
    the job ends. extra: lines of shell before the submission. Raises UsageProblem.
    """
    name = slurm_name("--name", request.name)
    one_line("--address", address)
    where = shell_words("--address", address)
    package = folder / "package"
    if package.exists():
        raise UsageProblem(f"{package} exists: choose another folder with --script")
    for file in request.player_files:
        _check_travels(file)
    source = Path(__file__).parents[2]
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
    deals_file = None
    try:
        package.mkdir(parents=True)
        for each in PACKAGES:
            shutil.copytree(source / each, package / each, ignore=ignored)
        (package / "job.toml").write_text(request.job_file, encoding="utf-8")
        if request.deals_file is not None:
            shutil.copyfile(request.deals_file, package / "deals.jsonl")
            deals_file = "deals.jsonl"
        for file in request.player_files:
            (package / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, package / file)  # with its mode: it may be a program
        (package / "drive.sh").write_text(driver_script(request, deals_file), encoding="utf-8")
    except OSError as error:
        raise UsageProblem(f"cannot write {package}: {error.strerror}") from None
    script = fill(
        "ray.sh",
        title=request.title,
        watch=f"ray job logs {where} --follow {name}",
        stop=f"ray job stop {where} {name}",
        extra="\n".join(extra),
        address=shell_words(address),
        name=name,
        no_wait="" if follow else " --no-wait",
    )
    path = folder / "submit.sh"
    write_script(path, script, executable=True)
    return path


def _check_travels(file: str) -> None:
    """Raises UsageProblem where a player's file has no place of its own name in the package."""
    path = Path(file)
    if path.is_absolute() or ".." in path.parts:
        raise UsageProblem(
            f"expected a player's file below the current folder, since it is copied, got {file}"
        )
    hides = path.name == file and path.stem in sys.stdlib_module_names
    if hides or path.parts[0] in (*PACKAGES, *_FILES):
        raise UsageProblem(f"{file} has a name that the package or Python needs: rename it")


def driver_script(request: Request, deals_file: str | None = None) -> str:
    """What runs on the head: a script, since Ray quotes no word of an entrypoint for a shell."""
    return fill(
        "drive.sh",
        title=request.title,
        activation=request.activation_lines,
        options=request.options(deals_file),
    )
