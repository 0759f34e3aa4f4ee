"""Filling templates so that nothing from a job file or an option becomes a command or a path."""

import json
import re
import shlex
from importlib.resources import files
from typing import Any

from farm.errors import UsageProblem

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_SLURM_VALUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._,:@+=/%\[\]-]*")
_SLURM_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_KUBERNETES_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,45}[a-z0-9])?")
_SIZE = re.compile(r"([1-9]\d*)([MGT])(i?)B?")


def fill(template: str, **values: str) -> str:
    """A template of jobs/templates with its {{names}} replaced, in one pass: values stay as is."""
    text = files("jobs").joinpath("templates", template).read_text(encoding="utf-8")
    return _PLACEHOLDER.sub(lambda match: values[match[1]], text)


def shell_words(*words: object) -> str:
    """Words quoted for a shell."""
    return shlex.join(map(str, words))


def toml_text(job_name: str, fields: dict[str, Any]) -> str:
    """A job file of these fields: a line for each, so that none can end a here-document."""
    return "".join(
        f"{key} = {_toml_value(value)}\n" for key, value in {"job": job_name, **fields}.items()
    )


def _toml_value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    # TOML's strings are JSON's, but for surrogates (not escaped here) and DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def yaml_text(value: Any) -> str:
    """A value for a YAML manifest: JSON is YAML, and quotes what must be quoted.

    But for JSON's two escapes of a character beyond the first 65,536, which YAML takes for two
    characters: such a character stays as it is. Line ends of YAML that JSON does not know, and
    what nobody could see, are escaped.
    """
    text = json.dumps(value, ensure_ascii=False)
    return "".join(each if each.isprintable() else _yaml_escape(each) for each in text)


def _yaml_escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def one_line(option: str, text: str) -> str:
    """The text; raises UsageProblem if it has a line break or a control character."""
    if not text.isprintable():
        raise UsageProblem(f"{option}: expected one line of text, got {text!r}")
    return text


def slurm_value(option: str, text: str) -> str:
    """A word for an #SBATCH line, where nothing can be quoted; raises UsageProblem."""
    return _matching(option, text, _SLURM_VALUE, "letters, digits and . _ , : @ + = / % [ ] -")


def slurm_name(option: str, text: str) -> str:
    """A job name for Slurm and Ray; raises UsageProblem."""
    return _matching(option, text, _SLURM_NAME, "a name of letters, digits and . _ -")


def kubernetes_name(option: str, text: str) -> str:
    """A name of a Kubernetes object; raises UsageProblem."""
    return _matching(option, text, _KUBERNETES_NAME, "at most 47 of a-z, 0-9 and -")


def mebibytes(option: str, text: str) -> int:
    """The MiB of "4G", "512M" or "1T"; raises UsageProblem."""
    match = _SIZE.fullmatch(text)
    if not match:
        raise UsageProblem(f"{option}: expected a size such as 4G or 512M, got {text!r}")
    return int(match[1]) * {"M": 1, "G": 1024, "T": 1024**2}[match[2]]


def _matching(option: str, text: str, pattern: re.Pattern[str], expected: str) -> str:
    if not pattern.fullmatch(text):
        raise UsageProblem(f"{option}: expected {expected}, got {text!r}")
    return text
