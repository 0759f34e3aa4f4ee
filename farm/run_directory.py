"""A run directory: run.json, the given deals, and the plan of shards that both lead to.

A run holds units `start` to `stop` - 1 of its job. Pass 0 takes them all; each later pass has
larger limits and takes up what the passes before it left open. A pass is planned in segments: a
range of units cut into shards of one size. Extending a run adds a segment; nothing written is
planned anew.
"""

import hashlib
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Literal

import numpy as np
import pyarrow.compute as pc
from pydantic import BaseModel, ConfigDict, ValidationError

from farm import facts
from farm.errors import UsageProblem
from farm.watching import CoreTime
from jobs import load_job
from jobs.job import Job, JobSpec
from results.rows import Batch, final_batches, merge_passes
from results.shards import UNIT_LIMIT, Shard, all_shards, cut_shard, list_shards, missing_ranges
from results.store import Store

RUN_FILE = "run.json"
DEALS_FILE = "deals.jsonl"
BENCHMARK_FILE = "benchmark.json"
LIMIT_FIELD = "limit_nodes"
"""The field of a spec that a later pass may enlarge."""
SESSIONS_FOLDER = "sessions"
"""Of the shares of a run, which do not write run.json."""


class Segment(BaseModel):
    """Units start to stop - 1, in shards of `size` units (the last may be shorter)."""

    model_config = ConfigDict(extra="forbid")

    start: int
    stop: int
    size: int


class Pass(BaseModel):
    """One round over the open units. limits: the spec's fields that this pass replaces."""

    model_config = ConfigDict(extra="forbid")

    limits: dict[str, Any]
    segments: list[Segment] = []


class Session(BaseModel):
    """One driver's work on a run. What stays None was not to be known when it was killed.

    seconds: from its start to its end; working_seconds: with workers at work.
    ended: "complete" or why it stopped. cpus: how many it could use at its start.
    """

    model_config = ConfigDict(extra="forbid")

    command: str
    node: str
    started: str
    seconds: float | None = None
    working_seconds: float | None = None
    ended: str | None = None
    cpus: int | None = None
    core_time: CoreTime | None = None


class Record(BaseModel):
    """The content of run.json.

    deals_sha256: of deals.jsonl, where deals were given.
    signature: of the engines, None until the first driver has computed it.
    """

    model_config = ConfigDict(extra="forbid")

    format: Literal["dealfarm-run"] = "dealfarm-run"
    version: Literal[1] = 1
    job: str
    spec: dict[str, Any]
    start: int
    stop: int
    deals_sha256: str | None = None
    signature: str | None = None
    versions: dict[str, str]
    passes: list[Pass]
    sessions: list[Session] = []


@dataclass(frozen=True)
class Stage:
    """Consecutive units of a run: stage `index`, from 0, of `of`."""

    index: int
    of: int
    units: range


@dataclass
class Run:
    """A run directory, open. `save` writes the record back."""

    store: Store
    record: Record
    _offsets: np.ndarray | None = field(default=None, repr=False)

    @property
    def job(self) -> Job:
        """The run's job."""
        return load_job(self.record.job)

    @property
    def spec(self) -> JobSpec:
        """The spec of pass 0."""
        return self.job.Spec.model_validate(self.record.spec)

    def spec_of_pass(self, pass_index: int) -> JobSpec:
        """The spec with the limits of a pass."""
        fields = {**self.record.spec, **self.record.passes[pass_index].limits}
        return self.job.Spec.model_validate(fields)

    def stages(self) -> list[Stage]:
        """The stages in order. A job with one has all units of the run in it."""
        sizes = self.job.stages(self.spec)
        if len(sizes) == 1:
            return [Stage(0, 1, self.units)]
        ends = list(accumulate(sizes, initial=self.record.start))
        return [
            Stage(index, len(sizes), range(*ends[index : index + 2])) for index in range(len(sizes))
        ]

    def stage_of(self, unit: int) -> Stage:
        """The stage that a unit belongs to; raises ValueError for one beyond the run."""
        for stage in self.stages():
            if unit < stage.units.stop:
                return stage
        raise ValueError(f"unit {unit} is beyond the run, which ends at {self.record.stop - 1}")

    def spec_of(self, pass_index: int, stage: Stage) -> JobSpec:
        """The spec of a stage in a pass; raises ValueError where the stage before has gaps."""
        spec = self.spec_of_pass(pass_index)
        if stage.index == 0:
            return spec
        before = self.stages()[stage.index - 1].units
        shards = [shard for shard in list_shards(self.store) if shard.start in before]
        table = merge_passes(self.store, shards)
        if table is None or len(table["unit"].unique()) < len(before):
            raise ValueError(f"stage {stage.index} of {self.store} needs all of the one before")
        return spec.model_copy(update={"found": self.job.found(spec, stage.index, table)})

    def label(self, pass_index: int, stage: Stage) -> str:
        """What a person calls a stage of a pass."""
        if pass_index:
            return f"pass {pass_index}"
        return f"stage {stage.index + 1} of {stage.of}" if stage.of > 1 else "units"

    @property
    def units(self) -> range:
        """All units of the run."""
        return range(self.record.start, self.record.stop)

    def sessions(self) -> list[Session]:
        """The work of all drivers and shares on this run."""
        notes = self.store.files(SESSIONS_FOLDER)
        shares = [Session.model_validate_json(self.store.read(note.name)) for note in notes]
        return [*self.record.sessions, *shares]

    def save(self) -> None:
        """Writes run.json."""
        self.store.write(RUN_FILE, (self.record.model_dump_json(indent=2) + "\n").encode())

    def planned_stop(self, pass_index: int) -> int:
        """The first unit that no segment of the pass holds yet."""
        segments = self.record.passes[pass_index].segments
        return segments[-1].stop if segments else self.record.start

    def planned_shards(self, pass_index: int) -> Iterator[Shard]:
        """The shards of a pass as planned, in order."""
        for segment in self.record.passes[pass_index].segments:
            for start in range(segment.start, segment.stop, segment.size):
                stop = min(start + segment.size, segment.stop)
                yield Shard(pass_index, start, stop)

    def missing_shards(self, pass_index: int, present: Iterable[Shard]) -> list[Shard]:
        """What is left of the planned shards when those present are taken away."""
        of_pass = [shard for shard in present if shard.pass_index == pass_index]
        starts = np.array([shard.start for shard in of_pass])
        stops = np.array([shard.stop for shard in of_pass])
        missing = []
        for planned in self.planned_shards(pass_index):
            first = int(np.searchsorted(stops, planned.start, side="right"))
            last = int(np.searchsorted(starts, planned.stop, side="left"))
            gaps = missing_ranges(planned.units, of_pass[first:last])
            missing += [Shard(pass_index, gap.start, gap.stop) for gap in gaps]
        return missing

    def is_complete(self) -> bool:
        """Whether every pass has done its part; of a run with several, rows are read."""
        shards = list_shards(self.store)
        if not self.has_all(shards):
            return False
        if len(self.record.passes) == 1:
            return True
        batches = final_batches(self.store, shards, list(self.job.TALLY_COLUMNS))
        return not any(map(self.waiting, batches))

    def waiting(self, batch: Batch) -> int:
        """How many rows of a batch a later pass has still to take up."""
        if batch.pass_index == len(self.record.passes) - 1:
            return 0
        return pc.sum(self.job.is_open(batch.rows)).as_py() or 0

    def has_all(self, present: Iterable[Shard]) -> bool:
        """Whether pass 0 has all its units in these shards."""
        return self.planned_stop(0) == self.record.stop and not self.missing_shards(0, present)

    def first_gap(self, present: Iterable[Shard]) -> int:
        """The first unit that no shard of pass 0 holds, or the one after the run's last."""
        of_pass = [shard for shard in present if not shard.pass_index]
        gaps = missing_ranges(self.units, of_pass)
        return gaps[0].start if gaps else self.record.stop

    def end_at(self, stop: int) -> None:
        """Makes `stop` the end of a run with one pass: what was planned or done beyond is gone."""
        # The record last: an interruption leaves a longer run that has gaps, and is cut again.
        for shard in list_shards(self.store):
            if shard.start >= stop:
                self.store.delete(shard.name)
            elif shard.stop > stop:
                cut_shard(self.store, shard, stop)
        self.record.stop = stop
        plan = self.record.passes[0]
        plan.segments = [each for each in plan.segments if each.start < stop]
        plan.segments[-1].stop = min(plan.segments[-1].stop, stop)
        self.save()

    def lines(self, units: Iterable[int]) -> list[str] | None:
        """The deal file's lines of these units; None where no deals were given.

        Raises UsageProblem where the file is not the one that the run began with.
        """
        if self.record.deals_sha256 is None:
            return None
        if self._offsets is None:
            deals = self.store.read(DEALS_FILE)
            if (found := digest(deals)) != self.record.deals_sha256:
                raise UsageProblem(
                    f"{self.store}/{DEALS_FILE}: expected the deals of SHA-256 "
                    f"{self.record.deals_sha256}, got {found}"
                )
            content = np.frombuffer(deals, np.uint8)
            ends = np.flatnonzero(content == ord("\n")) + 1
            self._offsets = np.concatenate([[0], ends])
        lines = []
        with self.store.open(DEALS_FILE) as file:
            for unit in units:
                begin, end = self._offsets[unit], self._offsets[unit + 1]
                file.seek(int(begin))
                lines.append(file.read(int(end - begin)).decode())
        return lines


def digest(deals: bytes) -> str:
    """The SHA-256 of the canonical lines of a deal file."""
    return hashlib.sha256(deals).hexdigest()


def create(
    store: Store,
    job: Job,
    spec: JobSpec,
    units: range,
    deals: str | None = None,
    limits: Sequence[dict[str, Any]] = (),
) -> Run:
    """Starts a run directory; raises UsageProblem where there is a run already.

    deals: the canonical lines of a deal file. limits: of the passes after the first.
    """
    run = new_run(store, job, spec, units, deals, limits)
    run.save()
    return run


def new_run(
    store: Store,
    job: Job,
    spec: JobSpec,
    units: range,
    deals: str | None = None,
    limits: Sequence[dict[str, Any]] = (),
) -> Run:
    """As `create`, but run.json is not written yet."""
    if store.exists(RUN_FILE):
        command = shlex.join(["farm", "resume", store.location])
        raise UsageProblem(f"{store} holds a run already: continue it with `{command}`")
    if all_shards(store):
        raise UsageProblem(
            f"{store} holds shards without a {RUN_FILE}: choose another folder with --out, or "
            "remove them"
        )
    if units.stop > UNIT_LIMIT:
        raise UsageProblem(f"expected units below {UNIT_LIMIT:,}, got {units.stop - 1:,}")
    content = None if deals is None else deals.encode()
    if content is not None:
        store.write(DEALS_FILE, content)
    record = Record(
        job=job.NAME,
        spec=spec.model_dump(mode="json", exclude={"found"}),
        start=units.start,
        stop=units.stop,
        deals_sha256=None if content is None else digest(content),
        versions=facts.versions(),
        passes=[Pass(limits={}), *(Pass(limits=each) for each in limits)],
    )
    return Run(store, record)


def open_run(location: str) -> Run:
    """The run at a path or URI; raises UsageProblem where there is none that can be read."""
    store = Store(location)
    if not store.exists(RUN_FILE):
        raise UsageProblem(f"expected a run directory with {RUN_FILE}, got {location}")
    try:
        run = Run(store, Record.model_validate_json(store.read(RUN_FILE)))
        for index in range(len(run.record.passes)):
            run.spec_of_pass(index)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "text"
        raise UsageProblem(
            f"{store}/{RUN_FILE}: field {where}: {first['msg']}; "
            "if a newer dealfarm made this run, use that one"
        ) from None
    return run


def settle_signature(run: Run, signature: str) -> None:
    """Notes the engine signature of a new run; raises UsageProblem when other engines made it."""
    if run.record.signature is None:
        run.record.signature = signature
    elif run.record.signature != signature:
        raise UsageProblem(
            f"{run.store} was made with engine signature {run.record.signature} "
            f"(dealfarm {run.record.versions.get('dealfarm')}), this is {signature} "
            f"(dealfarm {facts.versions()['dealfarm']}): go on with the version that started it"
        )
