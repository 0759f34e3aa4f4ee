"""What all targets are told: the job, where its rows go, and what the user adds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from farm.errors import UsageProblem
from farm.submission.render import one_line, shell_words, toml_text
from jobs.job import Job, JobSpec
from jobs.matches.outside_players import CommandProgram, OutsidePlayer
from results.store import Store


@dataclass(frozen=True)
class Request:
    """A job to be submitted.

    fields: of the job file, checked. out: the run directory, a URI or an absolute path.
    deals_file: an absolute path, or None. units: A-B, or None.
    activation: lines that make `farm` available, passed through untouched.
    player_files: of players from outside, as they are named from the current folder.
    """

    job: Job
    fields: dict[str, Any]
    name: str
    out: str
    deals_file: str | None = None
    units: str | None = None
    shard_size: int | None = None
    activation: Sequence[str] = ()
    player_files: Sequence[str] = ()

    @property
    def title(self) -> str:
        """What a reader of the script should know first."""
        return f"dealfarm: {self.job.NAME}, rows in {self.out}"

    @property
    def job_file(self) -> str:
        """The job file that travels with the submission."""
        return toml_text(self.job.NAME, self.fields)

    def options(self, deals_file: str | None = None) -> str:
        """The options of `farm run`, as shell words. deals_file: where it lies over there."""
        words: list[object] = ["--out", self.out, "--resume"]
        for flag, value in (
            ("--deals-file", deals_file or self.deals_file),
            ("--units", self.units),
            ("--shard-size", self.shard_size),
        ):
            words += [] if value is None else [flag, value]
        return shell_words(*words)

    @property
    def activation_lines(self) -> str:
        """The lines that make `farm` available."""
        return "\n".join(self.activation) or "# `farm` is expected on the PATH."


def settled_location(out: str | None) -> str:
    """A run directory by URI or absolute path; raises UsageProblem where it is not one line."""
    if not out:
        raise UsageProblem("expected --out with a run directory that all nodes can reach")
    one_line("--out", out)
    return out if "://" in out else Store(out).location


def player_files(specs: Iterable[JobSpec]) -> list[str]:
    """The files of all players from outside, as they are named from the current folder.

    But not what a command names by its whole path: a program that is installed wherever it runs.
    """
    values = [value for spec in specs for _, value in spec]
    files: dict[str, None] = {}
    for value in values:
        for player in value if isinstance(value, tuple) else (value,):
            if isinstance(player, OutsidePlayer):
                is_command = isinstance(player.program, CommandProgram)
                own = [
                    file for file in player.files if not (is_command and Path(file).is_absolute())
                ]
                files.update(dict.fromkeys(own))
    return list(files)


def write_script(path: Path, text: str, *, executable: bool) -> None:
    """Writes a script; raises UsageProblem rather than replace one that differs."""
    try:
        if path.exists() and path.read_text(encoding="utf-8") != text:
            raise UsageProblem(f"{path} exists and differs: choose another with --script")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageProblem(f"cannot write {path}: {error.strerror}") from None
    if executable:
        path.chmod(0o755)
