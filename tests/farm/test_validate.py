"""farm validate: benchmark files of either kind, and what is wrong with others."""

import json
from pathlib import Path

import pytest
from written_runs import solver_rows, write_run

from farm.driver import sum_up
from farm.main import main
from results.ai_benchmark import AiBenchmark, Rung
from results.statistics import share

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "data" / "benchmark.json"
OLD = GOLDEN.with_name("benchmark_1.json")
PUBLISHED = sorted((ROOT / "results" / "published").glob("*.json"))


def ai_benchmark():
    found = share("", 750, 1000)
    rung = Rung(
        player="expert",
        opponent="easy",
        matches=1000,
        wins=750,
        share=0.75,
        low=found.low,
        high=found.high,
        band=None,
        within_band=None,
    )
    names = dict.fromkeys(("profile", "measured", "dealfarm", "signature"), "x")
    return json.loads(AiBenchmark(game="cribbage", seed=0, rungs=[rung], **names).to_json())


@pytest.mark.parametrize("path", [GOLDEN, OLD, *PUBLISHED], ids=lambda path: path.stem)
def test_files_of_every_version_are_valid(path, capsys):
    assert main(["validate", str(path)]) == 0
    assert f"{path}: dealfarm-benchmark, version " in capsys.readouterr().out


def test_both_files_of_a_run_are_checked(tmp_path, capsys):
    run = write_run(tmp_path, "klondike-solvability", [solver_rows(["solved"] * 4)], count=4)
    assert main(["validate", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert error.endswith("to hold benchmark.json: it has not been finished or stopped yet\n")
    run.store.write("benchmark.json", sum_up(run)[0].to_json().encode())
    run.store.write("ai_benchmark.json", json.dumps(ai_benchmark()).encode())
    assert main(["validate", str(tmp_path)]) == 0
    assert capsys.readouterr().out == (
        f"{tmp_path}/benchmark.json: dealfarm-benchmark, version 3, "
        "klondike-solvability, 4 units, 2 metrics\n"
        f"{tmp_path}/ai_benchmark.json: dealfarm-ai-benchmark, version 1, cribbage x, 1 rungs\n"
    )
    assert main(["validate", f"file://{tmp_path}/benchmark.json", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["format"], found["version"]) == ("dealfarm-benchmark", 3)


def changed(document, path, value):
    *parents, last = path
    place = document
    for key in parents:
        place = place[key]
    place[last] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["version"], 4, "has version 4, this program reads up to 3: update it with `pip inst"),
        (["format"], "x", "expected benchmark JSON with format 'dealfarm-benchmark' or 'dealfarm"),
        (["metrics", 0, "low"], 0.5, "solved_share: low is 0.5, its counts give 0.7897"),
        (["metrics", 0, "k"], 1001, "solved_share: 1001 of 1000"),
        (["metrics", 0, "estimate"], None, "solved_share: estimate is None, its counts give 0.8"),
        (["metrics", 1, "k_high"], 900, "winnable_share: estimate_high is 1.0, its counts give 0"),
        (["metrics", 2, "low"], 0.9, "a over b, paired: low, estimate and high are (0.9, 0.7"),
        (["units_done"], 999, "complete, but units_done is 999 of 1000"),
        (["units_done"], 1001, "units_done is 1001, of units 0 to 999"),
        (["machine", "cpus"], "many", "benchmark field machine.cpus: Input should be a valid int"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(path, value, message, tmp_path, capsys):
    file = tmp_path / "benchmark.json"
    file.write_text(json.dumps(changed(json.loads(GOLDEN.read_text()), path, value)))
    assert main(["validate", str(file)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith(f"farm: {file}: ")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["version"], 2, "has version 2, this program reads up to 1: update it"),
        (["rungs", 0, "share"], 0.7, "expert over easy: share is 0.7, its counts give 0.75"),
        (["rungs", 0, "wins"], -1, "expert over easy: -1 of 1000"),
    ],
)
def test_files_for_games_are_checked_too(path, value, message, tmp_path, capsys):
    file = tmp_path / "ai_benchmark.json"
    file.write_text(json.dumps(changed(ai_benchmark(), path, value)))
    assert main(["validate", str(file)]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "expected benchmark JSON, got Expecting value"),
        (b"[1]", "expected benchmark JSON, got a list"),
        (b"\xff\xfe\xff", "expected benchmark JSON, got "),
        (b"[" * 100_000, "expected benchmark JSON, got "),
        (b'{"format": ["x"]}', "expected benchmark JSON with format"),
        (b'{"format": "dealfarm-benchmark"}', "version: expected a number, got none"),
    ],
)
def test_what_is_no_benchmark_is_refused(text, message, tmp_path, capsys):
    file = tmp_path / "x.json"
    file.write_bytes(text)
    assert main(["validate", str(file)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_what_is_not_there_is_refused(tmp_path, capsys):
    assert main(["validate", str(tmp_path / "none.json")]) == 2
    assert capsys.readouterr().err.endswith("none.json: No such file or directory\n")
    assert main(["validate", str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith("benchmark.json: it is no run directory\n")
