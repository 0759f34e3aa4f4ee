"""What a job module gives: here, and nowhere else, jobs and farm meet.

A job is a module of this package; its name on the command line is the module's with dashes. The
farm calls `compute` for one unit at a time, so that an error costs one unit, and adds up tallies
from wherever they were counted.

A job whose later units depend on the rows of earlier ones has stages: consecutive ranges of units.
A stage begins when the one before it is complete, with a spec in which `found` says what that gave.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field

from engines.streams import SEED_LIMIT
from results.benchmark import Benchmark
from results.report.parts import Section
from results.statistics import Metric

Row = dict[str, Any]


class VerificationError(ValueError):
    """A row that does not hold what it says."""


class NotReadyError(Exception):
    """What every unit needs is missing on this machine: the run stops, and no unit has failed."""


class JobSpec(BaseModel):
    """What all jobs can be told. A job's own spec adds its fields, each with a description.

    UNIT_FIELD: the field with the number of units, such as "deals".
    GROWS: the fields that a later command may change on an existing run.
    METHOD: the fields that say how units are worked on, and not which game they are.
    DEALS: the fields that, beside the seed, say which cards a unit has.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    UNIT_FIELD: ClassVar[str]
    GROWS: ClassVar[frozenset[str]]
    METHOD: ClassVar[frozenset[str]] = frozenset()
    DEALS: ClassVar[frozenset[str]] = frozenset()

    seed: int = Field(0, ge=0, lt=SEED_LIMIT, description="Seed of everything random.")
    found: dict[str, Any] = Field({}, description="What earlier stages found; set by the farm.")

    @property
    def unit_count(self) -> int:
        """The number of units."""
        return int(getattr(self, self.UNIT_FIELD))

    def of_units(self, count: int) -> Self:
        """The same for this number of units."""
        return self.model_copy(update={self.UNIT_FIELD: count})

    def rules(self) -> dict[str, Any]:
        """The fields that say which game is played: where they agree, so must proved verdicts."""
        apart = {"seed", "found", self.UNIT_FIELD, *self.GROWS, *self.METHOD}
        return self.model_dump(mode="json", exclude=apart)


ReadRows = Callable[[Sequence[str]], pa.Table]
"""Reads these columns of the final rows of a run."""


@dataclass(frozen=True)
class RunView:
    """A run with rows, for who says what a report shows of it.

    read: final rows, in order. lines: of the deal file for these units, None where there is none.
    metrics: of all rows; asked for after `read`, they cost no second reading.
    first_gap: the first unit without rows, or the one after the last.
    location: the run as `farm solve` takes it, None where it cannot.
    resume: the command that goes on with the run.
    """

    read: ReadRows
    lines: Callable[[Sequence[int]], list[str] | None]
    metrics: Callable[[], Sequence[Metric]]
    first_gap: int
    location: str | None
    resume: str


class Sequential(Protocol):
    """A test fed with rows in order of unit, wherever they were computed."""

    def take(self, table: pa.Table) -> None:
        """The next rows, with the job's TALLY_COLUMNS."""

    @property
    def verdict(self) -> str | None:
        """The decision in words, None before."""

    @property
    def decided_by(self) -> int | None:
        """The unit whose rows made the decision, None before it: the last one that counts."""


class Job(Protocol):
    """The attributes of a job module."""

    NAME: str
    SUMMARY: str
    SCHEMA: pa.Schema
    """Of the rows, with a description of each field; it has `unit` (int64)."""
    Spec: type[JobSpec]

    @staticmethod
    def signature(spec: Any) -> str:
        """A hash of golden deals and a short fixed computation; compiles what the spec needs."""

    @staticmethod
    def read_line(text: str, spec: JobSpec) -> str:
        """Checks a line of a deal file against the spec; its canonical form, or ValueError."""

    @staticmethod
    def compute(spec: Any, unit: int, line: str | None) -> list[Row]:
        """The rows of a unit; `line` is its line of the deal file, None where there is no file."""

    @staticmethod
    def compute_many(spec: Any, units: Sequence[int]) -> pa.Table | None:
        """The rows of many units at once, checked; None where the job has only `compute` for it.

        Where it raises, the farm takes the units one by one.
        """

    @staticmethod
    def failed_rows(spec: Any, unit: int, line: str | None, error: str) -> list[Row]:
        """The rows of a unit that ended in an error."""

    @staticmethod
    def verify(spec: Any, row: Row, line: str | None) -> bool:
        """Replays what a row claims on the plain rules; whether there was something to replay.

        Raises VerificationError.
        """

    TALLY_COLUMNS: tuple[str, ...]
    """The columns, `unit` among them, that `is_open` and `tally` look at."""

    @staticmethod
    def is_open(table: pa.Table) -> pa.ChunkedArray:
        """For each row whether a pass with larger limits should take its unit up again."""

    @staticmethod
    def tally(table: pa.Table) -> Counter[str]:
        """Counts of rows that can be added up over shards and runs."""

    @staticmethod
    def stages(spec: Any) -> Sequence[int]:
        """The number of units of each stage; together the unit count."""

    @staticmethod
    def found(spec: Any, stage: int, rows: pa.Table) -> dict[str, Any]:
        """What a stage, from 1, is told: made from the rows of the one before it."""

    @staticmethod
    def sequential(spec: Any) -> "Sequential | None":
        """A test that ends the run once it has decided; None where all units are wanted."""

    @staticmethod
    def counts(tally: Counter[str]) -> dict[str, int]:
        """How many rows there are of each kind, for people."""

    @staticmethod
    def artifacts(spec: Any, read: ReadRows, benchmark: Benchmark) -> dict[str, str]:
        """Files, by name, that a complete run has beside its benchmark."""

    @staticmethod
    def metrics(tally: Counter[str]) -> list[Metric]:
        """The estimates that a tally gives, the headline first."""

    @staticmethod
    def remarks(tally: Counter[str]) -> list[str]:
        """What a user must be told about a tally beside its metrics, a line each."""

    @staticmethod
    def report_sections(spec: Any, run: RunView) -> list[Section]:
        """What a report shows beside the metrics; `spec` is that of the last pass."""


def one_by_one(spec: JobSpec, units: Sequence[int]) -> None:
    """The `compute_many` of a job that has none."""
    del spec, units


def one_stage(spec: JobSpec) -> Sequence[int]:
    """The `stages` of a job whose units do not depend on each other."""
    return (spec.unit_count,)


def all_units(spec: JobSpec) -> None:
    """The `sequential` of a job that ends with its last unit."""
    del spec


def failed_rows_open(table: pa.Table) -> pa.ChunkedArray:
    """The `is_open` of a job whose rows are final unless they failed."""
    return table["error"].is_valid()


def made_and_failed(table: pa.Table, what: str) -> Counter[str]:
    """The `tally` of such a job, which makes `what`."""
    failed = len(table) - table["error"].null_count
    return Counter({what: len(table) - failed, "failed": failed})


def failed_remarks(what: str) -> Callable[[Counter[str]], list[str]]:
    """The `remarks` of such a job."""

    def remarks(tally: Counter[str]) -> list[str]:
        return [f"{tally['failed']} {what} failed"] if tally["failed"] else []

    return remarks


def nothing_found(spec: JobSpec, stage: int, rows: pa.Table) -> dict[str, Any]:
    """The `found` of a job with one stage."""
    del spec, stage, rows
    return {}


def no_artifacts(spec: JobSpec, read: ReadRows, benchmark: Benchmark) -> dict[str, str]:
    """The `artifacts` of a job whose benchmark says it all."""
    del spec, read, benchmark
    return {}


def no_sections(spec: JobSpec, run: RunView) -> list[Section]:
    """The `report_sections` of a job whose metrics say it all."""
    del spec, run
    return []


def no_deals(name: str) -> Callable[[str, JobSpec], str]:
    """The `read_line` of a job of this name that plays cards of its own only."""

    def read_line(text: str, spec: JobSpec) -> str:
        del text, spec
        raise ValueError(f"{name} takes no deal file")

    return read_line


def no_metrics(tally: Counter[str]) -> list[Metric]:
    """The `metrics` of a job whose artifacts are its result."""
    del tally
    return []
