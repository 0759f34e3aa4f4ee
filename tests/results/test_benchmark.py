import json
from pathlib import Path

import jsonschema
import pytest

import results
from results.benchmark import Benchmark, BenchmarkError, json_schema, load_benchmark
from results.statistics import bounds, share

GOLDEN = Path(__file__).parents[1] / "data" / "benchmark.json"
SCHEMA = Path(results.__file__).with_name("benchmark.schema.json")


def example():
    return Benchmark(
        job="klondike-solvability",
        spec={"seed": 0, "deals": 1000},
        units=(0, 1000),
        passes=[{}],
        units_done=1000,
        complete=True,
        counts={"solved": 815, "exhausted": 70, "node_limit": 115},
        metrics=[share("solved_share", 815, 1000), bounds("winnable_share", 815, 1000, 1000)],
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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "has version 2, this program reads up to 1: update it with `pip install"),
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
