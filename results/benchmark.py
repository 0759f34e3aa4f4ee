"""Benchmark JSON: what a run found, how, and on which machine; versioned and checked on reading.

Versions: 1, the first; 2, shares may have a band, estimates
beside shares, and a verdict; 3, estimates may be means of cards.
"""

import json
import math
from typing import Annotated, Any, Literal, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from results.statistics import Count, Metric

FORMAT_VERSION = 3

Seconds = Annotated[float, Field(ge=0)]


class BenchmarkError(ValueError):
    """A file that is not a benchmark this version can read."""


class Machine(BaseModel):
    """Where the driver of a run was."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    node: str
    system: str
    processor: str
    cpus: Count
    memory_bytes: Count


class Benchmark(BaseModel):
    """What a run found.

    units: first unit and the one after the last. units_done: those that have their rows.
    complete: whether all have; if not, metrics are of those that have.
    verdict: of a sequential test, which ended the run early or not.
    counts: how many rows there are of each kind, such as each outcome.
    seconds: wall time of the run's drivers, summed, but for drivers that were killed.
    working_seconds: of these, between the start of the workers and their end.
    core_seconds: time spent computing units, by the rows.
    command: makes the same rows, with the version named.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    format: Literal["dealfarm-benchmark"] = "dealfarm-benchmark"
    version: Literal[1, 2, 3] = 3
    job: str
    spec: dict[str, Any]
    units: tuple[int, int]
    passes: list[dict[str, Any]]
    units_done: Count
    complete: bool
    verdict: str | None = None
    counts: dict[str, Count]
    metrics: list[Metric]
    seconds: Seconds
    working_seconds: Seconds
    core_seconds: Seconds
    signature: str
    versions: dict[str, str]
    machine: Machine
    command: str
    started: str

    def to_json(self) -> str:
        """The file's text."""
        return json.dumps(self.model_dump(mode="json"), indent=2) + "\n"


def load_benchmark(text: str | bytes) -> Benchmark:
    """Reads a benchmark file; raises BenchmarkError saying what is wrong and what to do."""
    return load_document(text, Benchmark, FORMAT_VERSION)


Document = TypeVar("Document", bound=BaseModel)


def load_document(text: str | bytes, model: type[Document], newest: int) -> Document:
    """Reads a file of a model whose first fields are `format` and `version`, up to the newest.

    Raises BenchmarkError saying what is wrong and what to do.
    """
    name = model.model_fields["format"].default
    fields = parse_document(text)
    if fields.get("format") != name:
        raise BenchmarkError(f"expected benchmark JSON with format {name!r}")
    version = fields.get("version")
    if type(version) is int and version > newest:
        raise BenchmarkError(
            f"this benchmark has version {version}, this program reads up to {newest}: "
            "update it with `pip install --upgrade dealfarm`"
        )
    if "version" not in fields:  # which a default would fill in
        raise BenchmarkError("benchmark field version: expected a number, got none")
    if isinstance(version, bool):  # which Python takes for 0 and 1
        raise BenchmarkError(f"benchmark field version: expected a number, got {version}")
    try:
        # As JSON, so that nothing is taken for something else: true for 1, or "7" for 7.
        return model.model_validate_json(json.dumps(fields), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        if not where:
            raise BenchmarkError(f"expected benchmark JSON: {first['msg']}") from None
        raise BenchmarkError(f"benchmark field {where}: {first['msg']}") from None


def parse_document(text: str | bytes) -> dict[str, Any]:
    """The JSON object that a text is, without numbers that are none; raises BenchmarkError."""
    try:
        fields = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise BenchmarkError(f"expected benchmark JSON, got {error}") from None
    if not isinstance(fields, dict):
        raise BenchmarkError(f"expected benchmark JSON, got a {type(fields).__name__}")
    return fields


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word}, which JSON does not have")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:40]}, which is too large")
    return value


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a benchmark file, as published in benchmark.schema.json."""
    return Benchmark.model_json_schema(mode="serialization")
