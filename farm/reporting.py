"""Everything that a run's report says, gathered from its directory."""

import json
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from farm.driver import resume_command, sum_up
from farm.progress import cores_text, duration, method_text, rows_text, speed_text, units_text
from farm.run_directory import BENCHMARK_FILE, Run, Session
from jobs.job import RunView
from results.benchmark import Benchmark, BenchmarkError, Machine, load_benchmark
from results.report.metrics import metrics_table, narrowings
from results.report.parts import Cell, Report, Section, Table
from results.rows import Batch, in_order, merge_passes
from results.shards import facts_of, list_shards
from results.statistics import Metric
from results.tables import band, estimate, interval, number

_PREFIXES = 60
_FIRST_PREFIX = 10
_PREFIX_RANGE = 1000
"""How much longer the last prefix is than the first, about."""
_LONGEST_VALUE = 300


def gather(run: Run) -> Report:
    """The report of a run as it is now; raises ShardError and StorageError."""
    once = _Once(run)
    own = run.job.report_sections(run.spec_of_pass(-1), _view(run, once)) if once.any() else []
    benchmark, remarks = once.summed_up()
    metrics, sessions = benchmark.metrics, run.sessions()
    sections = []
    if charts := narrowings(once.grown.prefixes()):
        text = (
            "Each picture shows the estimate and its interval on the first units, in their order, "
            "up to all that are done. Four times as many units halve an interval, about."
        )
        sections.append(Section("How the estimate narrowed", text, charts))
    sections += own
    if metrics and benchmark.units_done:
        sections.append(Section("All figures", "", [metrics_table(metrics)]))
    sections.append(_provenance(run, sessions, once.grown.nodes))
    return Report(
        title=_title(run),
        summary=run.job.SUMMARY,
        headline=_headline(metrics[0]) if metrics and metrics[0].n else None,
        facts=tuple(_facts(benchmark, sessions)),
        command=benchmark.command,
        notices=(*_unfinished(run, benchmark), *remarks),
        sections=tuple(sections),
    )


def _title(run: Run) -> str:
    return f"{run.record.job}, seed {run.spec.seed}"


def _headline(metric: Metric) -> tuple[str, str, str]:
    words = [f"{interval(metric)}, {method_text(metric)}, n = {number(metric.n)}", band(metric)]
    return metric.name, estimate(metric), "; ".join(filter(None, words))


def _unfinished(run: Run, benchmark: Benchmark) -> list[str]:
    if benchmark.complete:
        return []
    go_on = f"go on with {resume_command(run)}"
    if not benchmark.units_done:
        return [f"No rows yet: nothing has been measured; {go_on}"]
    if benchmark.units_done == len(run.units):
        return [f"Incomplete: the last pass was cut short before all that is open; {go_on}"]
    done = f"{units_text(benchmark)} units are done, and all figures are of these"
    return [f"Incomplete: {done}; {go_on}"]


def _facts(benchmark: Benchmark, sessions: Sequence[Session]) -> list[tuple[str, str]]:
    facts = [("units", units_text(benchmark)), ("rows", rows_text(benchmark))]
    if benchmark.verdict:
        facts.append(("verdict", benchmark.verdict))
    if speed := speed_text(sessions):
        facts.append(("speed", speed))
    if cores := cores_text(sessions):
        facts.append(("cores", cores))
    facts.append(("computing time", duration(benchmark.core_seconds)))
    if sessions:
        facts.append(("started", benchmark.started))
    return facts


class _Grown:
    """Tallies of growing prefixes of the units, and how many shards each node made.

    Pieces of the rows, cut where prefixes end, are tallied wherever they come and added up in order
    of unit.
    """

    def __init__(self, run: Run) -> None:
        self.nodes: Counter[str] = Counter()
        self._job = run.job
        self._ends = run.record.start + _prefix_lengths(len(run.units))
        self._tallies: list[Counter[str]] = [Counter() for _ in self._ends]
        self._counts = [0] * len(self._ends)

    def take(self, batch: Batch) -> None:
        """Final rows of some shards."""
        for shard in batch.by_shard:
            self.nodes[facts_of(shard).get("node", "unknown")] += 1
        table = batch.rows
        cuts = [0, *np.searchsorted(table["unit"].to_numpy(), self._ends).tolist()]
        for index, (begin, end) in enumerate(pairwise(cuts)):
            if begin < end:
                piece = table.slice(begin, end - begin)
                self._tallies[index].update(self._job.tally(piece))
                self._counts[index] += len(piece["unit"].unique())

    def prefixes(self) -> list[tuple[int, Sequence[Metric]]]:
        """The units of each prefix that are done, and their metrics."""
        found: list[tuple[int, Sequence[Metric]]] = []
        total: Counter[str] = Counter()
        done = 0
        for tally, count in zip(self._tallies, self._counts, strict=True):
            total.update(tally)
            done += count
            if count:
                found.append((done, self._job.metrics(total)))
        return found


def _prefix_lengths(units: int) -> np.ndarray:
    """Numbers of units, each larger than the last by about the same factor."""
    first = min(units, max(_FIRST_PREFIX, units // _PREFIX_RANGE))
    return np.unique(np.round(np.geomspace(first, units, _PREFIXES)).astype(np.int64))


class _Once:
    """Reads the rows once for the figures and for the columns of the job's sections.

    The first columns that are asked for are kept while the run is summed up.
    """

    def __init__(self, run: Run) -> None:
        self.grown = _Grown(run)
        self._run = run
        self.shards = list_shards(run.store)
        self._summed_up: tuple[Benchmark, list[str]] | None = None

    def any(self) -> bool:
        """Whether the run has rows."""
        return bool(self.shards)

    def summed_up(self) -> tuple[Benchmark, list[str]]:
        """What `sum_up` returns."""
        if self._summed_up is None:
            self._summed_up = sum_up(self._run, self.grown.take, shards=self.shards)
        return self._summed_up

    def read(self, columns: Sequence[str]) -> pa.Table:
        """These columns of the rows in order."""
        if self._summed_up is not None:
            return merge_passes(self._run.store, self.shards, list(columns))
        kept: list[pa.Table] = []

        def take(batch: Batch) -> None:
            self.grown.take(batch)
            kept.append(batch.rows.select(columns))

        self._summed_up = sum_up(self._run, take, columns, self.shards)
        return in_order(kept)


def _view(run: Run, once: _Once) -> RunView:
    return RunView(
        read=once.read,
        lines=run.lines,
        metrics=lambda: once.summed_up()[0].metrics,
        first_gap=run.first_gap(once.shards),
        location=run.store.location if run.store.is_local else None,
        resume=resume_command(run),
    )


def _provenance(run: Run, sessions: Sequence[Session], nodes: Counter[str]) -> Section:
    record = run.record
    made: list[tuple[str, str]] = [
        ("job", record.job),
        ("units", f"{number(record.start)} to {number(record.stop - 1)}"),
        ("seed", str(run.spec.seed)),
        ("engine signature", record.signature or "not computed yet"),
        ("versions", ", ".join(f"{name} {found}" for name, found in record.versions.items())),
        ("machine", _machine_text(_stored_machine(run))),
    ]
    if record.deals_sha256 is not None:
        made.append(("deal file, SHA-256", record.deals_sha256))
    made += [
        (f"limits of pass {index}", _value_text(each.limits))
        for index, each in enumerate(record.passes)
        if each.limits
    ]
    if nodes:
        shards = ", ".join(f"{name} ({number(count)})" for name, count in sorted(nodes.items()))
        made.append(("nodes, with their shards", shards))
    made.append(("report made by", f"dealfarm {version('dealfarm')}"))
    parts = [
        Table(head=("run", ""), rows=tuple(made), has_prose=True),
        _spec_table(run),
        _sessions_table(sessions),
    ]
    text = (
        "The rows depend on the seed and the options alone: not on cores, machines or order. The "
        "same command with the same version gives the same rows but for times."
    )
    return Section("How it was made", text, parts)


def _stored_machine(run: Run) -> Machine | None:
    """That of the driver that summed the run up last; the one here may be another."""
    if not run.store.exists(BENCHMARK_FILE):
        return None
    try:
        return load_benchmark(run.store.read(BENCHMARK_FILE)).machine
    except BenchmarkError:
        return None


def _machine_text(machine: Machine | None) -> str:
    if machine is None:
        return "not noted: no driver has ended yet"
    memory = f"{machine.memory_bytes / 2**30:.1f} GiB"
    return f"{machine.node}: {machine.processor}, {machine.cpus} CPUs, {memory}, {machine.system}"


def _spec_table(run: Run) -> Table:
    fields = type(run.spec).model_fields
    return Table(
        head=("option", "value", "meaning"),
        rows=tuple(
            (name, Cell(_value_text(value), code=True), fields[name].description or "")
            for name, value in run.record.spec.items()
        ),
        has_prose=True,
    )


def _value_text(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]} …"


def _sessions_table(sessions: Sequence[Session]) -> Table:
    return Table(
        head=("driver", "node", "CPUs", "time", "ended", "command"),
        rows=tuple(
            (
                each.started,
                each.node,
                "" if each.cpus is None else str(each.cpus),
                duration(each.seconds),
                each.ended or "not noted",
                Cell(each.command, code=True),
            )
            for each in sessions
        ),
        numeric=frozenset({2, 3}),
    )
