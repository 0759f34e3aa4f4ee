"""Command-line options made from a job's spec, and specs made from options and job files."""

import inspect
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from farm.errors import UsageProblem
from jobs import load_job
from jobs.job import Job, JobSpec

_UNITS = re.compile(r"(\d+)-(\d+)")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)([smh]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


def option_parameters(spec: type[JobSpec]) -> list[inspect.Parameter]:
    """An option for each field of a spec; all default to None, "not given"."""
    parameters = []
    for name, field in spec.model_fields.items():
        if name == "found":
            continue
        flag = f"--{name.replace('_', '-')}"
        is_switch = field.annotation is bool
        flags = f"{flag}/--no-{flag[2:]}" if is_switch else flag
        option = typer.Option(flags, help=_help(field), show_default=False)
        kind = bool if is_switch else int if int in _kinds(field) else str
        annotation = Annotated[kind | None, option]  # type: ignore[valid-type]
        parameters.append(
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
            )
        )
    return parameters


def _kinds(field: FieldInfo) -> tuple[Any, ...]:
    return get_args(field.annotation) or (field.annotation,)


def _help(field: FieldInfo) -> str:
    choices = ""
    if get_origin(field.annotation) is Literal:
        choices = f" One of {', '.join(get_args(field.annotation))}."
    if isinstance(field.default, bool):
        default = f" [default: {'yes' if field.default else 'no'}]"
    else:
        default = "" if field.default is None else f" [default: {field.default}]"
    return f"{field.description}{choices}{default}"


def make_spec(job: Job, fields: dict[str, Any]) -> JobSpec:
    """The spec with these fields, None meaning not given; raises UsageProblem naming the option."""
    given = {name: value for name, value in fields.items() if value is not None}
    known = [name for name in job.Spec.model_fields if name != "found"]
    if strangers := [name for name in given if name not in known]:
        raise UsageProblem(
            f"unknown field {strangers[0]!r} of {job.NAME}; known are {', '.join(known)}"
        )
    try:
        return job.Spec.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        if not name:
            raise UsageProblem(first["msg"]) from None
        flag = f"--{name.replace('_', '-')}"
        said = "" if ", got " in first["msg"] else f", got {first['input']!r}"
        raise UsageProblem(f"{flag}: {first['msg']}{said}") from None


def option_words(job: Job, fields: dict[str, Any]) -> list[str]:
    """The options that give the spec of these fields, and only those that make a difference."""
    spec = make_spec(job, fields)
    needed = {name: value for name, value in fields.items() if value is not None}
    for name in list(needed):
        rest = {key: value for key, value in needed.items() if key != name}
        if name == spec.UNIT_FIELD or _gives(job, rest) != spec:
            continue
        needed = rest
    return [word for name, value in needed.items() for word in words_of(name, value)]


def _gives(job: Job, fields: dict[str, Any]) -> JobSpec | None:
    try:
        return make_spec(job, fields)
    except UsageProblem:
        return None


def words_of(name: str, value: object) -> list[str]:
    """A field of a spec as it is typed: `--flag VALUE`, `--flag` or `--no-flag`."""
    flag = name.replace("_", "-")
    if isinstance(value, bool):
        return [f"--{flag}" if value else f"--no-{flag}"]
    parts = value if isinstance(value, list) else [value]
    # A record, such as that of a player from outside, has the text it was made of as its name.
    texts = [str(part["name"]) if isinstance(part, dict) else str(part) for part in parts]
    return [f"--{flag}", ",".join(texts)]


def read_job_file(path: str) -> tuple[Job, dict[str, Any]]:
    """The job and the fields of a TOML job file; raises UsageProblem."""
    try:
        fields = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageProblem(f"job file {path}: {error}") from None
    name = fields.pop("job", None)
    if not isinstance(name, str):
        raise UsageProblem(f'job file {path}: expected a line such as job = "klondike-solvability"')
    return load_job(name), fields


def parse_units(text: str) -> range:
    """The units of "A-B", B included; raises UsageProblem."""
    match = _UNITS.fullmatch(text)
    if not match or int(match[1]) > int(match[2]):
        raise UsageProblem(f"--units: expected first and last unit such as 0-999, got {text!r}")
    return range(int(match[1]), int(match[2]) + 1)


def parse_duration(option: str, text: str | None) -> float | None:
    """The seconds of "90", "90s", "30m" or "2h", None of None; raises UsageProblem."""
    if text is None:
        return None
    match = _DURATION.fullmatch(text)
    if not match:
        raise UsageProblem(f"{option}: expected a time such as 90s, 30m or 2h, got {text!r}")
    return float(match[1]) * _SECONDS[match[2]]


def read_deals(job: Job, spec: JobSpec, path: str) -> list[str]:
    """The canonical lines of a deal file; raises UsageProblem naming the first bad line."""
    try:
        # Iteration ends a line where a file does, unlike splitlines, which also does in JSON text.
        with Path(path).open(encoding="utf-8-sig") as file:
            given = [line.rstrip("\n") for line in file]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(f"deal file {path}: {error}") from None
    lines = []
    for number, line in enumerate(given, start=1):
        if not line.strip():
            raise UsageProblem(f"{path} line {number}: expected a deal, got an empty line")
        try:
            lines.append(job.read_line(line, spec))
        except ValueError as error:
            raise UsageProblem(f"{path} line {number}: {error}") from None
    if not lines:
        raise UsageProblem(f"deal file {path}: expected a deal on each line, got none")
    return lines
