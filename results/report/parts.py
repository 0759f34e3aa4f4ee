"""What a report shows, as data: nothing here draws, reads a file or knows a game."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar


class ReportError(ValueError):
    """A report that cannot be made; the text says why and what to do."""


@dataclass(frozen=True)
class Cell:
    """One place of a table. small: a second line. code: whether it is something to type.

    bar: a share from 0 to 1 to draw behind the text, None for none.
    """

    text: str
    small: str = ""
    code: bool = False
    bar: float | None = None


@dataclass(frozen=True)
class Table:
    """Rows of texts and cells under a head. numeric: the columns set to the right, from 0.

    has_prose: whether there are texts that need several lines.
    """

    kind: ClassVar[str] = "table"
    head: tuple[str, ...]
    rows: tuple[tuple[Cell | str, ...], ...]
    numeric: frozenset[int] = frozenset()
    note: str = ""
    has_prose: bool = False


@dataclass(frozen=True)
class Point:
    """Estimates after so many units: the interval, and both point bounds, which may be equal."""

    units: int
    low: float
    high: float
    estimate_low: float
    estimate_high: float


@dataclass(frozen=True)
class Narrowing:
    """How an estimate narrowed as units were added. unit: "share" or what it counts."""

    kind: ClassVar[str] = "chart"
    title: str
    unit: str
    points: tuple[Point, ...]
    note: str = ""


@dataclass(frozen=True)
class Histogram:
    """How often values lie between edges, by group; edges are one more than the counts of each.

    The axis is logarithmic. is_time: whether values are seconds.
    marks: named values, in order, such as the median.
    """

    kind: ClassVar[str] = "chart"
    title: str
    axis: str
    edges: tuple[float, ...]
    groups: tuple[tuple[str, tuple[int, ...]], ...]
    is_time: bool = False
    marks: tuple[tuple[str, float], ...] = ()
    note: str = ""


@dataclass(frozen=True)
class HistogramRow:
    """One of several distributions of whole numbers under each other, and its mean."""

    label: str
    counts: Mapping[int, int]
    mean: float | None


@dataclass(frozen=True)
class HistogramRows:
    """Distributions of whole numbers on one axis, under each other."""

    kind: ClassVar[str] = "chart"
    title: str
    axis: str
    rows: tuple[HistogramRow, ...]
    note: str = ""


@dataclass(frozen=True)
class IntervalRow:
    """A labelled estimate; bounds are None where there are none. band: where it should lie."""

    label: str
    estimate: float
    low: float | None
    high: float | None
    band: tuple[float, float] | None = None


@dataclass(frozen=True)
class Intervals:
    """Estimates with their intervals under each other. zero: a value to draw a line at."""

    kind: ClassVar[str] = "chart"
    title: str
    unit: str
    rows: tuple[IntervalRow, ...]
    zero: float | None = None
    note: str = ""


@dataclass(frozen=True)
class RatioPath:
    """The log-likelihood ratio of a sequential test by pairs, and the bound of either decision."""

    kind: ClassVar[str] = "chart"
    title: str
    points: tuple[tuple[int, float], ...]
    bound: float
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """An SVG picture made by our own code, with what it shows."""

    svg: str
    caption: str


@dataclass(frozen=True)
class Pictures:
    """Pictures in order."""

    kind: ClassVar[str] = "pictures"
    pictures: tuple[Picture, ...]


Chart = Narrowing | Histogram | HistogramRows | Intervals | RatioPath
Part = Table | Pictures | Chart


@dataclass(frozen=True)
class Section:
    """A heading, a paragraph, and what stands below. commands: to type, under the paragraph."""

    title: str
    text: str
    parts: Sequence[Part]
    commands: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """A page. headline: the name, the estimate and its interval in words. facts: label and value.

    notices: what must be read first, such as that the run is incomplete.
    """

    title: str
    summary: str
    headline: tuple[str, str, str] | None
    facts: tuple[tuple[str, str], ...]
    command: str
    notices: tuple[str, ...]
    sections: tuple[Section, ...]
