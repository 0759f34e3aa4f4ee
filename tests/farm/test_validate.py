"""farm validate: benchmark files of either kind, and what is wrong with others."""

import json
from pathlib import Path

import pytest
from written_runs import solver_rows, write_run

from farm.driver import sum_up
from farm.main import main
from results.ai_benchmark import AiBenchmark, Rung
from results.benchmark import BenchmarkError
from results.statistics import mean_of, mean_of_counts, share
from results.validation import validate

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "data" / "benchmark.json"
OLD = GOLDEN.with_name("benchmark_1.json")
PEERS = GOLDEN.with_name("peer_benchmark_1.json")
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
        (["machine", "cpus"], True, "benchmark field machine.cpus: Input should be a valid int"),
        (["version"], True, "benchmark field version: expected a number, got True"),
        (["metrics", 0, "confidence"], 0.5, "confidence is 0.5, its counts give 0.95"),
        (["metrics", 1, "confidence"], 0.99, "confidence is 0.99, its counts give 0.95"),
        (["metrics", 2, "confidence"], 0.5, "confidence is 0.5, its other figures give 0.95"),
        (["metrics", 4, "confidence"], 1.5, "confidence: Input should be less than 1"),
        (["metrics", 0, "band"], [0.1, 0.2], "within_band is part of the interval inside, its c"),
        (["metrics", 0, "band"], [0.9, 0.2], "solved_share: band is from 0.9 to 0.2"),
        (["metrics", 0, "within_band"], "whole interval inside", "its counts give part of the int"),
        (["metrics", 0, "n"], 0, "solved_share: 815 of 0"),
        (["metrics", 0, "k"], 10**30, "metrics.0.share.k: Input should be less than 90071992547"),
        (["metrics", 1, "k_low"], -1, "bounds.k_low: Input should be greater than or equal to 0"),
        (["metrics", 1, "k_low"], 1000, "winnable_share: estimate_low is 0.815, its counts give 1"),
        (["units_done"], 0, "complete, but units_done is 0 of 1000"),
        (["metrics", 2, "high"], 7.5, "paired: low, estimate and high are (0.6"),
        (["metrics", 2, "high"], None, "paired: low, estimate and high are (0.6"),
        (["metrics", 2, "n"], 0, "a over b, paired: estimate is 0.7 of n 0"),
        (["metrics", 2, "low"], 0.6, "a over b, Elo: low is 93.2535953416"),
        (
            ["metrics", 3, "estimate"],
            100.5,
            "a over b, Elo: estimate is 100.5, its paired shares gi",
        ),
        (["counts", "solved"], 1, "solved_share: k is 815, the file's counts give 1"),
        (["counts", "unsolvable"], 5, "winnable_share: k_high is 1000, the file's counts give 995"),
        (["counts", "failed"], -1, "counts.failed: Input should be greater than or equal to 0"),
        (["seconds"], -1, "benchmark field seconds: Input should be greater than or equal to 0"),
        (["seconds"], float("nan"), "expected benchmark JSON, got NaN, which JSON does not have"),
        (["spec", "x"], float("-inf"), "expected benchmark JSON, got -Infinity, which JSON does n"),
        (["units"], [-5, 995], "units are from -5 up to 995"),
        (["units"], [10**400, 10**400 + 1000], "units are from 1000000"),
        (["metrics", 0, "name"], "\ud800", "expected benchmark JSON: Invalid JSON: "),
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


def test_bounds_in_the_wrong_order_are_refused():
    text = GOLDEN.read_text().replace('"k_high": 1000', '"k_high": 700')
    with pytest.raises(BenchmarkError, match="winnable_share: k from 815 to 700 of n 1000"):
        validate(text)


def test_a_number_too_large_for_any_is_refused():
    text = GOLDEN.read_text().replace('"seconds": 60.5', '"seconds": 1e999')
    with pytest.raises(BenchmarkError, match="got the number 1e999, which is too large"):
        validate(text)


def test_mean_differences_of_shares_may_be_negative_but_not_beyond_1():
    document = json.loads(GOLDEN.read_text())
    fall = mean_of("a change", 100, -30.0, 12.0, "share")
    document["metrics"].append(fall.model_dump())
    validate(json.dumps(document))
    document["metrics"][-1].update(estimate=-1.5, low=-1.6)
    with pytest.raises(BenchmarkError, match=r"a change: estimate is -1\.5"):
        validate(json.dumps(document))


def test_equal_scores_without_an_interval_are_valid():
    document = json.loads(GOLDEN.read_text())
    document["metrics"].append(mean_of_counts("equal", {7: 2}).model_dump())
    validate(json.dumps(document))
    document["metrics"][-1]["low"] = 7.0
    with pytest.raises(BenchmarkError, match="equal: low, estimate and high are"):
        validate(json.dumps(document))


COMPARISON = ["peers", 0, "comparison"]
DIFFERENCE = [*COMPARISON, "differences", 0]
SPEED = [*COMPARISON, "speeds", 0]
VERDICTS = [*COMPARISON, "verdicts"]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            ["peers", 0, "solver"],
            None,
            "pyksolve: expected a comparison with ours, or why it is ab",
        ),
        (["peers", 0, "absent"], "none", "pyksolve: absent, but with a comparison"),
        (
            ["peers", 0, "solver", "counts"],
            {"solved": 3},
            "pyksolve, pyksolve: counts is {'solved'",
        ),
        (
            ["ours", "counts", "solved"],
            2,
            "pyksolve, dealfarm: counts is {'solved': 2}, its outcom",
        ),
        (["ours", "seconds"], -1, "ours.seconds: Input should be greater than or equal to 0"),
        (["units"], [0, 4], "pyksolve: units is 3, the file's units give 4"),
        (["units"], [3, 0], "units are from 3 up to 0"),
        ([*VERDICTS, "n"], 4, "pyksolve: n is 4, the file's units give 3"),
        ([*VERDICTS, "outcomes", 0, "units"], 1003, "pyksolve: n is 3, its outcomes give 1003"),
        ([*VERDICTS, "outcomes", 0, "units"], 0, "expected outcomes with 1 unit or more"),
        ([*VERDICTS, "half_decided"], 2, "half_decided is 2, its outcomes give 3"),
        (
            [*VERDICTS, "contradictions"],
            [{"unit": 0, "a": "unsolvable", "b": "solved"}],
            "contradictions is {('unsolvable', 'solved'): 1}, its outcomes give {}",
        ),
        ([*DIFFERENCE, "estimate"], 5.0, "solved_share: estimate is 5.0, its other figures give 1"),
        ([*DIFFERENCE, "b"], 0.5, "solved_share: estimate is 1.0, its other figures give 0.5"),
        ([*DIFFERENCE, "n"], 2, "solved_share: n is 2, its other figures give 3"),
        ([*DIFFERENCE, "n"], 0, "solved_share: n is 0 of 3 units"),
        ([*DIFFERENCE, "high"], 3.5, "solved_share: estimate is 1.0, its bounds give 1.2"),
        ([*DIFFERENCE, "low"], None, "solved_share: low, estimate and high are (None, 1.0, 3.07"),
        ([*DIFFERENCE, "p"], 1.5, "solved_share: p is 1.5"),
        ([*DIFFERENCE, "confidence"], 0.5, "confidence is 0.5, its other figures give 0.95"),
        ([*SPEED, "by_totals"], 999.0, "all units: by_totals is 999.0, its other figures give 112"),
        ([*SPEED, "n"], 4, "pyksolve, all units: n is 4 of 3 units"),
        ([*SPEED, "seconds_b"], 0.0, "all units: seconds are 1.3414178680000006 and 0.0"),
        ([*SPEED, "high"], 120.0, "all units: by_units is 111.74215913135774, its bounds give 87."),
        ([*SPEED, "low"], 0.0, "all units: low is 0.0"),
        ([*SPEED, "low"], 150.0, "all units: low, estimate and high are (150.0, 111.7"),
        ([*SPEED, "confidence"], 0.5, "confidence is 0.5, its other figures give 0.95"),
    ],
)
def test_the_arithmetic_of_peers_is_checked(path, value, message):
    with pytest.raises(BenchmarkError) as raised:
        validate(json.dumps(changed(json.loads(PEERS.read_text()), path, value)))
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["version"], 2, "has version 2, this program reads up to 1: update it"),
        (["rungs", 0, "share"], 0.7, "expert over easy: share is 0.7, its counts give 0.75"),
        (["rungs", 0, "wins"], 1001, "expert over easy: 1001 of 1000"),
        (["rungs", 0, "wins"], -1, "rungs.0.wins: Input should be greater than or equal to 0"),
        (["rungs", 0, "band"], [0.7, 0.8], "within_band is None, its counts give whole interval"),
        (["rungs", 0, "within_band"], "none of the interval inside", "its counts give None"),
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
