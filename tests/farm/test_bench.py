"""farm bench: ours beside solvers of others, and beside those that are not there."""

import json
import sys
from pathlib import Path

import jsonschema
import pytest

import results
from engines.klondike.deal import parse_deal_line, random_deal
from engines.limits import Outcome
from farm.main import main
from farm.peers import klondike
from results.peer_benchmark import PeerBenchmark, load_peer_benchmark

SCHEMA = Path(results.__file__).with_name("peer_benchmark.schema.json")
VERSION_1 = Path(__file__).parents[1] / "data" / "peer_benchmark_1.json"
BENCH = ["bench", "klondike", "--deals", "4", "--draw", "1"]


def peer_that_says(outcome):
    return lambda draw, states: klondike._Contestant(
        "always", "1.0", f"says {outcome}", lambda deal: (outcome, ())
    )


def test_a_peer_that_is_not_installed_is_named(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "pyksolve", None)
    path = tmp_path / "peers.json"
    assert main([*BENCH, "--out", str(path)]) == 0
    output = capsys.readouterr().out
    assert "pyksolve is ABSENT: " in output
    assert "pip install 'dealfarm[peers]'" in output
    found = load_peer_benchmark(path.read_text())
    assert found.peers[0].absent
    assert sum(found.ours.counts.values()) == 4
    jsonschema.validate(json.loads(path.read_text()), json.loads(SCHEMA.read_text()))
    assert main(["validate", str(path)]) == 0
    assert "dealfarm-peer-benchmark, version 2, klondike, 4 deals" in capsys.readouterr().out
    assert main([*BENCH, "--out", str(path)]) == 2
    assert "peers.json exists; choose another name" in capsys.readouterr().err


def test_a_peer_that_contradicts_is_loud(monkeypatch, capsys):
    monkeypatch.setattr(klondike, "_pyksolve", peer_that_says(Outcome.UNSOLVABLE))
    assert main([*BENCH, "--json"]) == 1
    output = capsys.readouterr()
    assert output.err == "farm: CONTRADICTION: dealfarm and always differ\n"
    found = PeerBenchmark.model_validate_json(output.out)
    verdicts = found.peers[0].comparison.verdicts
    assert len(verdicts.contradictions) == found.ours.counts["solved"] > 0


def test_a_peer_that_gives_up_contradicts_nothing(monkeypatch, capsys):
    monkeypatch.setattr(klondike, "_pyksolve", peer_that_says(Outcome.NODE_LIMIT))
    assert main(BENCH) == 0
    output = capsys.readouterr().out
    assert "4 decided in one run only: no contradiction" in output
    assert "always 1.0 (says node_limit): 4 node_limit; " in output


def test_pyksolve_agrees(capsys):
    pytest.importorskip("pyksolve", reason="a peer: the extra `peers`")
    assert main([*BENCH, "--json", "--peer-states", "50000"]) == 0
    (peer,) = json.loads(capsys.readouterr().out)["peers"]
    assert peer["solver"]["counts"]["solved"] > 0
    assert peer["comparison"]["verdicts"]["contradictions"] == []


def test_a_file_of_version_1_is_still_read(capsys):
    found = load_peer_benchmark(VERSION_1.read_text())
    assert (found.version, found.ours.counts) == (1, {"solved": 3})
    assert [peer.name for peer in found.peers] == ["pyksolve"]
    assert main(["validate", str(VERSION_1)]) == 0
    assert "version 1, klondike, 3 deals, 1 peers" in capsys.readouterr().out


def test_a_file_of_a_later_version_is_refused(tmp_path, capsys):
    path = tmp_path / "peers.json"
    path.write_text(json.dumps({**json.loads(VERSION_1.read_text()), "version": 3}))
    assert main(["validate", str(path)]) == 2
    assert "has version 3, this program reads up to 2: update it" in capsys.readouterr().err


def test_the_deal_is_written_as_it_is_read():
    for unit in range(20):
        deal = random_deal(3, unit)
        assert parse_deal_line(deal.as_deck_string()).deal == deal


def test_the_published_schema_is_that_of_the_model():
    assert json.loads(SCHEMA.read_text()) == PeerBenchmark.model_json_schema(mode="serialization")
