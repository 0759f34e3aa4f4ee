"""farm validate: whether a benchmark file is one, and its figures follow from its counts."""

import json
from pathlib import Path
from typing import Annotated

import typer

from farm.commands.running import AsJson
from farm.errors import UsageProblem
from farm.progress import units_text
from farm.run_directory import BENCHMARK_FILE, RUN_FILE
from results.ai_benchmark import FILE_NAME as AI_BENCHMARK_FILE
from results.ai_benchmark import AiBenchmark
from results.benchmark import BenchmarkError
from results.peer_benchmark import PeerBenchmark
from results.store import Store
from results.validation import Document
from results.validation import validate as validate_text


def validate(
    path: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="benchmark.json, ai_benchmark.json, a file of `farm bench`, or a run directory.",
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Check a benchmark file.

    Its format, its version, and its figures against their counts.

    The JSON Schemas are in the package: results/benchmark.schema.json,
    results/ai_benchmark.schema.json and results/peer_benchmark.schema.json.
    """
    found = []
    for name, text in _files(path).items():
        try:
            found.append((name, validate_text(text)))
        except BenchmarkError as error:
            raise UsageProblem(f"{name}: {error}") from None
    if as_json:
        fields = ("format", "version")
        print(
            json.dumps(
                [{"file": name, **each.model_dump(include={*fields})} for name, each in found]
            )
        )
    else:
        for name, document in found:
            print(f"{name}: {document.format}, version {document.version}, {_describe(document)}")


def _files(path: str) -> dict[str, bytes]:
    """The content of a file, or of the benchmark files of a run, by name."""
    if "://" not in path and not Path(path).is_dir():
        try:
            return {path: Path(path).read_bytes()}
        except OSError as error:
            raise UsageProblem(f"{path}: {error.strerror}") from None
    if path.endswith(".json"):
        folder, _, name = path.rpartition("/")
        return {path: Store(folder).read(name)}
    store = Store(path)
    names = [name for name in (BENCHMARK_FILE, AI_BENCHMARK_FILE) if store.exists(name)]
    if not names:
        is_run = store.exists(RUN_FILE)
        reason = "it has not been finished or stopped yet" if is_run else "it is no run directory"
        raise UsageProblem(f"expected {path} to hold {BENCHMARK_FILE}: {reason}")
    return {f"{path.rstrip('/')}/{name}": store.read(name) for name in names}


def _describe(document: Document) -> str:
    if isinstance(document, PeerBenchmark):
        number, what = document.units[1] - document.units[0], "deals" if document.ours else "rounds"
        return f"{document.game}, {number:,} {what}, {len(document.peers)} peers"
    if isinstance(document, AiBenchmark):
        return f"{document.game} {document.profile}, {len(document.rungs)} rungs"
    return f"{document.job}, {units_text(document)} units, {len(document.metrics)} metrics"
