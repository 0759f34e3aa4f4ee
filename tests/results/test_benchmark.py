import json
from pathlib import Path

import jsonschema
import pytest

import results
from results.ai_benchmark import AiBenchmark
from results.benchmark import Benchmark, BenchmarkError, json_schema, load_benchmark
from results.statistics import bounds, elo, mean_of_counts, paired_share, share

GOLDEN = Path(__file__).parents[1] / "data" / "benchmark.json"
SCHEMA = Path(results.__file__).with_name("benchmark.schema.json")


OLD = GOLDEN.with_name("benchmark_1.json")
AI_SCHEMA = SCHEMA.with_name("ai_benchmark.schema.json")


PAIRED = paired_share("a over b, paired", (10, 40, 50))


def example():
    return Benchmark(
        job="klondike-solvability",
        spec={"seed": 0, "deals": 1000},
        units=(0, 1000),
        passes=[{}],
        units_done=1000,
        complete=True,
        counts={"solved": 815, "exhausted": 70, "node_limit": 115},
        metrics=[
            share("solved_share", 815, 1000, (0.8, 0.85)),
            bounds("winnable_share", 815, 1000, 1000),
            PAIRED,
            elo("a over b, Elo", PAIRED),
            mean_of_counts("a minus b, paired", {-2: 30, 0: 50, 1: 20}, 0.99),
        ],
        seconds=60.5,
        working_seconds=50.25,
        core_seconds=99.0,
        signature="0123456789abcdef",
        versions={"dealfarm": "0.1.0", "python": "3.11.7"},
        machine={
            "node": "here",
            "system": "Linux",
            "processor": "some",
            "cpus": 2,
            "memory_bytes": 2**34,
        },
        command="farm run klondike-solvability --deals 1000",
        started="2026-01-02T03:04:05+00:00",
    )


def test_the_written_form_is_the_golden_one_and_is_read_back():
    assert example().to_json() == GOLDEN.read_text()
    assert load_benchmark(GOLDEN.read_text()) == example()


def test_the_published_schema_is_that_of_the_model_and_accepts_the_golden_file():
    published = json.loads(SCHEMA.read_text())
    assert published == json_schema()
    jsonschema.validate(json.loads(GOLDEN.read_text()), published)


def test_a_file_of_version_1_is_read():
    old = load_benchmark(OLD.read_text())
    assert old.version == 1
    assert (old.metrics[0].estimate, old.metrics[0].band) == (0.815, None)


def test_the_published_schema_of_ai_benchmarks_is_that_of_the_model():
    assert json.loads(AI_SCHEMA.read_text()) == AiBenchmark.model_json_schema(mode="serialization")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 4}, "has version 4, this program reads up to 3: update it with `pip install"),
        ({"format": "other"}, "expected benchmark JSON with format 'dealfarm-benchmark'"),
        ({"seconds": "long"}, "benchmark field seconds: "),
        ({"surprise": 1}, "benchmark field surprise: "),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_remedy(change, message):
    text = json.dumps({**json.loads(GOLDEN.read_text()), **change})
    with pytest.raises(BenchmarkError, match=message):
        load_benchmark(text)


def test_text_that_is_no_json_is_refused():
    with pytest.raises(BenchmarkError, match="expected benchmark JSON, got"):
        load_benchmark("{")
