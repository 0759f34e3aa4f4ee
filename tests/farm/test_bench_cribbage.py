"""farm bench cribbage: our players beside those of others, and beside those that are not there."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import results
from farm.main import main
from farm.peers import cribbage
from results.peer_benchmark import PeerBenchmark, load_peer_benchmark

SCHEMA = Path(results.__file__).with_name("peer_benchmark.schema.json")
BENCH = ["bench", "cribbage", "--rounds", "2", "--seconds", "0.01", "--matches", "4"]

STRATEGY = f"""#!{sys.executable}
import json, sys
for line in sys.stdin:
    match json.loads(line):
        case {{"ask": "hello"}}:
            answer = {{"hello": "x", "protocol": 1, "version": "9.9", "python": "3.99"}}
        case {{"ask": "games", "seed": str(), "seconds": float()}}:
            answer = {{"games": 3, "seconds": 1.5}}
        case {{"ask": "discard", "seen": seen}}:
            answer = {{"discard": seen["own_hand"][:2]}}
        case {{"ask": "play", "legal": legal}}:
            answer = {{"play": legal[0]}}
        case _:
            continue
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture(autouse=True)
def without_open_spiel(request, monkeypatch):
    if "open_spiel" not in request.node.name:
        monkeypatch.setitem(sys.modules, "pyspiel", None)


def interpreter(folder, text=STRATEGY):
    """A program in the place of a Python that has CribbageSim."""
    path = folder / "python"
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def python_with_cribbage_sim():
    for name in (sys.executable, shutil.which("python3.12")):
        test = [name, "-c", "import CribbageSim"]
        if name and subprocess.run(test, capture_output=True).returncode == 0:
            return name
    pytest.skip("no Python with CribbageSim: the extra `peers`, from Python 3.12 on")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/nowhere/python", "No such file or directory"),
        ("/", "Permission denied"),
        ("true", "the program ended with exit code 0"),
        ("cat", "expected a JSON object, got |output before the question"),  # whichever is first
    ],
)
def test_peers_that_are_not_installed_are_named(path, reason, tmp_path, capsys):
    file = tmp_path / "peers.json"
    assert main([*BENCH, "--cribbagesim-python", path, "--out", str(file)]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    lines = output.out.splitlines()
    assert lines[0] == "cribbage, seed 0, 2 rounds, turns of 0.01 s of CPU"
    absent = [line for line in lines if " is ABSENT: " in line]
    assert [line.partition(" is ")[0] for line in absent] == [
        "OpenSpiel, loop in C++",
        "OpenSpiel, a call an action",
        "CribbageSim",
    ]
    assert all("pip install" in line for line in absent)
    assert absent[2].startswith(f"CribbageSim is ABSENT: {path}: ")
    assert re.search(reason, absent[2])
    assert absent[2].endswith("name that by --cribbagesim-python")
    jsonschema.validate(json.loads(file.read_text()), json.loads(SCHEMA.read_text()))
    assert main(["validate", str(file)]) == 0
    assert "dealfarm-peer-benchmark, version 2, cribbage, 2 rounds" in capsys.readouterr().out
    assert main([*BENCH, "--out", str(file)]) == 2
    assert "peers.json exists; choose another name" in capsys.readouterr().err


def test_a_python_without_cribbage_sim_says_what_is_missing(tmp_path, capsys):
    python = interpreter(tmp_path, f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    assert main([*BENCH, "--cribbagesim-python", python]) == 0
    assert "No module named 'CribbageSim'; pip install" in capsys.readouterr().out


def test_a_peer_takes_turns_with_ours_and_plays_it(tmp_path, capsys):
    file = tmp_path / "peers.json"
    python = interpreter(tmp_path)
    options = ["--seed", "3", "--cribbagesim-python", python, "--out", str(file)]
    assert main([*BENCH, *options]) == 0
    shown = capsys.readouterr().out
    found = load_peer_benchmark(file.read_text())
    assert found.ours is None
    peer = found.peers[-1]
    assert (peer.name, peer.absent, peer.remarks) == ("CribbageSim", None, [])
    assert peer.solver.model_dump() == {
        "name": "CribbageSim",
        "version": "9.9",
        "settings": "Hoyle-ish against itself, Python 3.99",
        "counts": {"matches": 6},
        "seconds": 3.0,
    }
    assert peer.ours.settings == "expert against itself"
    (speed,) = peer.comparison.speeds
    assert (speed.n, speed.seconds_a) == (2, 1.0)
    matches, seconds = peer.ours.counts["matches"], peer.ours.seconds
    assert speed.by_units == pytest.approx(0.5 * matches / seconds, rel=0.5)
    wins, paired, elo = peer.strength
    assert [wins.name, paired.name, elo.name] == [
        "expert over CribbageSim",
        "expert over CribbageSim, paired",
        "expert over CribbageSim, Elo",
    ]
    assert (wins.n, paired.n, paired.estimate) == (4, 2, wins.estimate)
    assert f"expert over CribbageSim: {100 * wins.estimate:.2f} % (" in shown
    assert "times as fast, n 2 rounds" in shown
    jsonschema.validate(json.loads(file.read_text()), json.loads(SCHEMA.read_text()))
    changed = json.loads(file.read_text())
    changed["peers"][-1]["strength"][0]["k"] -= 1
    file.write_text(json.dumps(changed))
    assert main(["validate", str(file)]) == 2
    assert "expert over CribbageSim: estimate is " in capsys.readouterr().err


def test_no_matches_are_played_where_none_are_wanted(tmp_path, capsys):
    python = interpreter(tmp_path)
    assert main([*BENCH, "--matches", "0", "--cribbagesim-python", python, "--json"]) == 0
    found = PeerBenchmark.model_validate_json(capsys.readouterr().out)
    assert found.peers[-1].strength == []


def test_who_comes_first_changes_from_round_to_round():
    order = []

    def contestant(name):
        def take(seconds):
            order.append(name)
            return cribbage.Turn(1, seconds)

        return cribbage._Contestant(name, "1", "", take)

    cribbage._take_turns([(contestant("a"), contestant("b"))], 3, 1.0, lambda done: None)
    assert "".join(order[2:]) == "baabba"


def test_a_peer_that_breaks_off_ends_with_one_line(tmp_path, capsys):
    python = interpreter(tmp_path, STRATEGY.replace('{"games": 3,', 'sys.exit("its error") or {'))
    assert main([*BENCH, "--cribbagesim-python", python]) == 1
    assert capsys.readouterr().err == (
        "farm: CribbageSim: the program ended with exit code 1; on stderr: its error\n"
    )


def test_what_a_peer_forfeits_is_said(tmp_path, capsys):
    python = interpreter(tmp_path, STRATEGY.replace("legal[0]", '"AS"'))
    assert main([*BENCH, "--cribbagesim-python", python]) == 0
    output = capsys.readouterr().out
    assert "expert over CribbageSim: 100.00 % (" in output
    assert "NOTE: 4 matches of expert over CribbageSim were forfeited" in output
    assert "NOTE: fault in unit 0: illegal: " in output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--matches", "7"], "--matches: expected an even number, since each pair of matches"),
        (["--rounds", "0"], "Invalid value for '--rounds': "),
        (["--seconds", "0"], "Invalid value for '--seconds': "),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message, capsys):
    assert main([*BENCH, *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_open_spiel_takes_turns(tmp_path, capsys):
    pytest.importorskip("pyspiel", reason="a peer: the extra `peers`")
    assert main([*BENCH, "--cribbagesim-python", "/nowhere", "--json"]) == 0
    peers = PeerBenchmark.model_validate_json(capsys.readouterr().out).peers
    present = [peer for peer in peers if peer.absent is None]
    assert [peer.name for peer in present] == [
        cribbage.OPEN_SPIEL_LOOP,
        cribbage.OPEN_SPIEL_CALLS,
    ]
    assert all(peer.solver.counts["matches"] >= 2 for peer in present)
    assert all(peer.ours.settings == "random against itself" for peer in present)


def test_cribbage_sim_takes_turns_and_plays_without_a_fault(capsys):
    python = python_with_cribbage_sim()
    assert main([*BENCH, "--cribbagesim-python", python, "--json"]) == 0
    peer = PeerBenchmark.model_validate_json(capsys.readouterr().out).peers[-1]
    assert (peer.absent, peer.remarks) == (None, [])
    assert peer.solver.counts["matches"] >= 2
    assert peer.strength[0].n == 4
