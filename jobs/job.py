"""What a job module gives: here, and nowhere else, jobs and farm meet.

A job is a module of this package; its name on the command line is the module's with dashes. The
farm calls `compute` for one unit at a time, so that an error costs one unit, and adds up tallies
from wherever they were counted.
"""

from collections import Counter
from typing import Any, ClassVar, Protocol

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field

from engines.streams import SEED_LIMIT
from results.statistics import Metric

Row = dict[str, Any]


class VerificationError(ValueError):
    """A row that does not hold what it says."""


class JobSpec(BaseModel):
    """What all jobs can be told. A job's own spec adds its fields, each with a description.

    UNIT_FIELD: the field with the number of units, such as "deals".
    GROWS: the fields that a later command may change on an existing run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    UNIT_FIELD: ClassVar[str]
    GROWS: ClassVar[frozenset[str]]

    seed: int = Field(0, ge=0, lt=SEED_LIMIT, description="Seed of everything random.")

    @property
    def unit_count(self) -> int:
        """The number of units."""
        return int(getattr(self, self.UNIT_FIELD))


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
    def failed_row(spec: Any, unit: int, line: str | None, error: str) -> Row:
        """The row of a unit that ended in an error."""

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
    def metrics(tally: Counter[str]) -> list[Metric]:
        """The estimates that a tally gives, the headline first."""

    @staticmethod
    def remarks(tally: Counter[str]) -> list[str]:
        """What a user must be told about a tally beside its metrics, a line each."""
