"""farm verify-transcript and farm export vectors, as a user types them."""

import json
import re
from pathlib import Path

import pytest

from engines.cards import parse_card
from engines.cribbage import brain
from engines.cribbage.fair_deal import FairMatch
from engines.cribbage.observation import Observation, Played
from engines.cribbage.tiers import Skill, Tier
from engines.cribbage.transcript import Seat, play_transcribed
from farm.main import main

SEATS = [Seat.brain(Tier.HARD, "calibrated"), Seat("random", "random")]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def documents():
    return [play_transcribed(FairMatch.client_first(seed, "x"), SEATS) for seed in range(3)]


def write(name, *documents, indent=None):
    Path(name).write_text("".join(json.dumps(each, indent=indent) + "\n" for each in documents))


def test_whole_files_and_files_of_lines_are_verified(documents, capsys):
    write("one.json", documents[0], indent=2)
    write("many.jsonl", *documents)
    assert main(["verify-transcript", "one.json"]) == 0
    assert main(["verify-transcript", "many.jsonl", "--json"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    commits = [each["commit"] for each in documents]
    assert lines == [
        "transcripts: 1, faults: 0",
        f"  one.json: commit {commits[0]}",
        "compare with the commit from before the match, or let --commit do so",
    ]
    assert json.loads(last) == {"transcripts": 3, "faults": [], "commits": commits}


def test_a_transcript_of_another_match_than_was_committed_is_a_fault(documents, capsys):
    """As from a server that tries secrets once it knows the client's seed."""
    given, other = (each["commit"] for each in documents[:2])
    write("match.json", documents[1])
    assert main(["verify-transcript", "match.json", "--commit", given]) == 1
    output = capsys.readouterr()
    assert output.out.splitlines() == [
        "transcripts: 1, faults: 1",
        f"  match.json: commit: expected {given} as given out before the match, got {other!r}",
    ]
    assert output.err == "farm: match.json has 1 faults\n"
    assert main(["verify-transcript", "match.json", "--commit", other.upper()]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [f"  match.json: commit {other}, as given"]


def test_a_commit_that_is_only_claimed_is_a_fault(documents, capsys):
    given = documents[0]["commit"]
    write("match.json", documents[1] | {"commit": given})
    assert main(["verify-transcript", "match.json", "--commit", given, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["faults"][0].startswith("match.json: commit: expected ")
    assert found["commits"] == [None]


def test_several_matches_have_their_commits_in_order(documents, capsys):
    write("many.jsonl", *documents)
    options = [word for each in documents for word in ("--commit", each["commit"])]
    assert main(["verify-transcript", "many.jsonl", *options]) == 0
    assert capsys.readouterr().out.count(", as given\n") == 3
    swapped = [*options[2:4], *options[:2], *options[4:]]
    assert main(["verify-transcript", "many.jsonl", *swapped, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["commits"] == [None, None, documents[2]["commit"]]
    assert [fault.partition(": expected")[0] for fault in found["faults"]] == [
        "many.jsonl line 1: commit",
        "many.jsonl line 2: commit",
    ]


@pytest.mark.parametrize(
    ("commits", "message"),
    [
        (["ab" * 32], "--commit: expected one for each of the 3 transcripts, got 1"),
        (["ab" * 31], "--commit: expected 64 hexadecimal digits, got 'abab"),
        (["xy" * 32], "--commit: expected 64 hexadecimal digits, got 'xyxy"),
        ([""], "--commit: expected 64 hexadecimal digits, got ''"),
    ],
)
def test_a_wrong_commit_gets_one_line(commits, message, documents, capsys):
    write("many.jsonl", *documents)
    options = [word for commit in commits for word in ("--commit", commit)]
    assert main(["verify-transcript", "many.jsonl", *options]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"farm: {message}")
    assert output.err.count("\n") == 1


def respaced(document, how):
    """The same JSON with other white space."""
    text = json.dumps(document, indent=2)
    if how == "first key beside the brace":
        return "{" + text[1:].lstrip()
    if how == "no space, a break after each comma":
        return json.dumps(document, separators=(",\n", ":"))
    if how == "empty lines around":
        return f"\n\n {text}\n \n"
    return text.replace("\n", "\r\n")


@pytest.mark.parametrize(
    "how",
    [
        "first key beside the brace",
        "no space, a break after each comma",
        "empty lines around",
        "line ends of Windows",
    ],
)
def test_white_space_makes_no_other_transcript(how, documents, capsys):
    Path("spaced.json").write_bytes(respaced(documents[0], how).encode())
    assert main(["verify-transcript", "spaced.json"]) == 0
    assert capsys.readouterr().out.startswith("transcripts: 1, faults: 0\n")
    assert main(["coach", "cribbage", "spaced.json", "--no-deep"]) == 0


LONG = "9" * 5000


@pytest.mark.parametrize(
    ("texts", "faulty"),
    [
        (["good", "{broken", "good"], ["line 2"]),
        (["{broken", "good"], ["line 1"]),
        ([f'{{"a": {LONG}}}', "good"], ["line 1"]),
        (['{"a":', LONG, "}"], [""]),
        (["[1,", "{}"], [""]),
    ],
)
def test_lines_are_transcripts_of_their_own_where_the_file_is_not_one(
    texts, faulty, documents, capsys
):
    text = "\n".join(json.dumps(documents[0]) if each == "good" else each for each in texts)
    Path("file").write_text(text)
    assert main(["verify-transcript", "file", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["transcripts"] == (1 if faulty == [""] else len(texts))
    starts = [f"file {line}: expected a transcript" if line else "file: " for line in faulty]
    assert len(found["faults"]) == len(starts)
    for fault, start in zip(found["faults"], starts, strict=True):
        assert fault.startswith(start)


@pytest.mark.parametrize("command", [("verify-transcript",), ("coach", "cribbage")])
def test_a_number_without_end_gets_one_line(command, capsys):
    Path("file").write_text(f'{{"version": {LONG}}}')
    assert main([*command, "file"]) in (1, 2)
    output = capsys.readouterr()
    assert "file: expected a transcript, got a number of too many digits" in output.out + output.err
    assert output.err.count("\n") == 1


def test_each_fault_is_named_with_its_line(documents, capsys):
    changed = json.loads(json.dumps(documents[1]))
    changed["hands"][2]["scores"][1] += 1
    write("many.jsonl", documents[0], changed, {"format": "other"})
    assert main(["verify-transcript", "many.jsonl"]) == 1
    output = capsys.readouterr()
    lines = output.out.splitlines()
    assert lines[0] == "transcripts: 3, faults: 2"
    assert lines[1].startswith("  many.jsonl line 2: hands[2].scores[1]")
    assert lines[2].startswith("  many.jsonl line 3: ")
    assert output.err == "farm: many.jsonl has 2 faults\n"


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (None, 2, "farm: file: [Errno 2] No such file"),
        (b"", 2, "farm: file: expected a transcript, got an empty file"),
        (b"\xff\xfe", 2, "farm: file: 'utf-8' codec"),
        (b"{", 1, "farm: file has 1 faults"),
        (b"[" * 200_000, 1, "farm: file has 1 faults"),
    ],
)
def test_what_is_no_transcript_gets_a_clear_line(content, code, message, capsys):
    if content is not None:
        Path("file").write_bytes(content)
    assert main(["verify-transcript", "file"]) == code
    assert capsys.readouterr().err.startswith(message)


def seen_of(fields):
    """The observation of a vector, read back."""
    hand = [parse_card(name) for name in fields["own_hand"]]
    scores = {name: fields[name] for name in ("own_score", "opponent_score")}
    is_dealer = fields["dealer"] == "self"
    if fields["starter"] is None:
        return Observation.for_discard(hand, is_dealer, **scores)
    return Observation.for_play(
        hand,
        [parse_card(name) for name in fields["pile"]],
        fields["opponent_cards"],
        parse_card(fields["starter"]),
        is_dealer,
        own_discards=[parse_card(name) for name in fields["own_discards"]],
        history=[
            Played(act["by"] == "self", act["card"] and parse_card(act["card"]))
            for act in fields["history"]
        ],
        **scores,
    )


def test_vectors_say_what_the_plain_brain_decides(capsys):
    command = ["export", "vectors", "cribbage", "--n", "60", "--out", "vectors.jsonl"]
    assert main(command) == 0
    assert capsys.readouterr().out == "60 vectors in vectors.jsonl\n"
    vectors = [json.loads(line) for line in Path("vectors.jsonl").read_text().splitlines()]
    assert len(vectors) == 60
    assert {vector["profile"] for vector in vectors} == {"published", "calibrated"}
    assert {vector["tier"] for vector in vectors} == {"easy", "normal", "hard", "expert"}
    throws = 0
    for vector in vectors:
        seen = seen_of(vector["seen"])
        assert seen.as_json() == vector["seen"]
        skill, roll = Skill(vector["level"], vector["temperature"]), vector["roll"]
        decision = [parse_card(name) for name in vector["decision"]]
        if seen.starter is None:
            throws += 1
            assert [throw.value for throw in brain.throws(seen)] == vector["values"]
            assert list(brain.choose_discard(seen, skill, roll)) == decision
        else:
            assert [value for _, value in brain.play_values(seen, skill.level)] == vector["values"]
            assert [brain.choose_play(seen, skill, roll)] == decision
    assert 10 < throws < 50
    assert main(command) == 2
    assert "vectors.jsonl exists" in capsys.readouterr().err


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_a_seed_of_vectors_has_its_bounds(seed, capsys):
    command = ["export", "vectors", "cribbage", "--out", "v", "--n", "1", "--seed", str(seed)]
    assert main(command) == 2
    output = capsys.readouterr()
    assert re.match("farm: Invalid value for '--seed': Input should be (greater|less)", output.err)
    assert output.err.count("\n") == 1
    assert not Path("v").exists()
    command[-1] = str(2**63 - 1)
    assert main(command) == 0
