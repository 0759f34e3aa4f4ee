"""What people expect of any command: help, examples, versions, quiet, clean ends."""

import builtins
import io
import os
import shlex
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from farm_pools import InlinePool
from rich.console import Console

from engines.kernel import source_hash
from farm import __main__ as program
from farm import driver
from farm.commands import inspecting, job_commands
from farm.examples import EXAMPLES
from farm.main import _command, main
from farm.progress import cores_text, speed_text, watcher
from farm.run_directory import Session
from farm.watching import CoreTime, Progress
from jobs import job_names
from results.statistics import share

FULL = Path("/dev/full")


def commands(command, path=()):
    """Every command with its path, but those made of jobs."""
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*path, name))


PATHS = [path for path, _ in commands(_command())] + [("run", name) for name in job_names()]


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_every_command_has_an_example_with_options_that_it_has(path, capsys):
    example = EXAMPLES[" ".join(("farm", *path))]
    assert main([*path, "--help"]) == 0
    assert f"Example:\n    {example}\n" in capsys.readouterr().out
    words = shlex.split(example)[1:]
    assert tuple(words[: len(path)]) == path
    assert main([*_leaf(words), "--help"]) == 0
    known = capsys.readouterr().out
    assert all(word in known for word in words if word.startswith("--"))


def _leaf(words):
    """The words of a line that name its command."""
    if words[0] == "submit" or words[:2] == ["export", "vectors"]:
        return words[:3]
    return words[: 1 + hasattr(_command().commands[words[0]], "commands")]


def test_there_is_no_example_of_what_is_not_there():
    assert set(EXAMPLES) == {" ".join(("farm", *path)) for path in PATHS}


@pytest.mark.parametrize("words", [(), ("deal",), ("run",), ("export", "vectors")])
def test_without_arguments_help_is_a_page(words, capsys):
    assert main(list(words)) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"Usage: {' '.join(('farm', *words))} ")
    assert "\nCommands:\n" in output.err


def test_the_version_has_the_hash_of_the_engines(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.endswith(f", engine sources {source_hash()}\n")


def test_a_quiet_run_prints_the_end_only(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(driver, "RayPool", lambda address, cpus: InlinePool())
    small = ["--deals", "6", "--solver", "skip-action", "--limit-nodes", "20", "--shard-size", "3"]
    for name, quiet in (("loud", []), ("quiet", ["--quiet"])):
        out = ["--out", str(tmp_path / name)]
        assert main(["run", "klondike-solvability", *small, *out, *quiet]) == 0
        output = capsys.readouterr()
        assert output.out.startswith("units ")
        assert ("units 6/6" in output.err) == (not quiet)
        if quiet:
            assert output.err == ""
    assert main(["extend", str(tmp_path / "quiet"), "--deals", "9", "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["resume", str(tmp_path / "quiet"), "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("width", "bar"), [(120, True), (70, False)])
def test_a_narrow_terminal_shows_the_numbers(width, bar):
    text = io.StringIO()
    console = Console(file=text, force_terminal=True, width=width)
    estimates = [share("solved_share", 300, 400)]
    with watcher(console, lambda progress: estimates) as shown:
        shown.update(Progress("units", 400, 1000, Counter()))
    assert ("━" in text.getvalue()) == bar
    assert "400/1000" in text.getvalue()
    assert "solved_share 75.00 % (70.53 to 78.99 %)" in text.getvalue()


def test_cores_are_those_of_all_drivers_that_could_say():
    session = partial(Session, command="farm run", node="here", started="2026-01-02")
    assert cores_text([session()]) == ""
    sessions = [
        session(core_time=CoreTime(had=60.0, busy=30.0, idle_at_end=10.0)),
        session(),  # killed
        session(core_time=CoreTime(had=40.0, busy=40.0)),
    ]
    assert cores_text(sessions) == "busy for 70.0 %; 10.0 core s idle behind the last shards"


def test_speed_is_that_of_drivers_whose_time_is_known():
    session = partial(Session, command="farm run", node="here")
    one = session(
        started="2026-01-02T00:00:00+00:00",
        seconds=12.0,
        working_seconds=10.0,
        core_time=CoreTime(units=50),
    )
    killed = session(started="2026-01-02T01:00:00+00:00")
    later = session(
        started="2026-01-02T02:00:00+00:00",
        seconds=11.0,
        working_seconds=10.0,
        core_time=CoreTime(units=10),
    )
    beside = later.model_copy(update={"started": "2026-01-02T00:00:05+00:00"})
    assert speed_text([killed]) == ""
    assert speed_text([one, killed]) == "5.0 units/s for 10s; 12s with start and end"
    assert speed_text([one, killed, later]) == "3.0 units/s for 20s; 23s with start and end"
    assert speed_text([one, beside]) == "3.0 units/s a driver for 20s; 23s with start and end"


def run_farm(*arguments, stdout):
    """The program, with buffered output as usual."""
    return subprocess.run(
        [sys.executable, "-m", "farm", *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
        timeout=60,
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_sign_that_the_output_lacks_is_one_that_it_has(encoding):
    hand = ["coach", "cribbage", "--hand", "5H 5C JD QS KD 2C", "--dealer"]
    done = subprocess.run(
        [sys.executable, "-m", "farm", *hand],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        timeout=60,
    )
    suits = "♣♦♥♠" if encoding == "utf-8" else "CDHS"
    shown = "5♥ 5♣ J♦ Q♠ K♦ 2♣".translate(str.maketrans("♣♦♥♠", suits))
    assert (done.returncode, done.stderr) == (0, b"")
    words = done.stdout.decode(encoding).splitlines()[0]
    assert sorted(shown.split()) == sorted(words.partition("from ")[2].partition(":")[0].split())


def test_half_a_character_in_a_name_is_no_traceback():
    name = b"no\xffsuch"
    done = run_farm("verify-transcript", os.fsdecode(name), stdout=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.startswith("farm: expected words in UTF-8, got 'no")
    assert done.stderr.count("\n") == 1


def test_closed_standard_streams_are_empty_or_go_nowhere():
    """Closed before the program starts, as by `<&-`."""
    farm = f"{shlex.quote(sys.executable)} -m farm"
    play = "play cribbage --seed 3 --first you"
    for line, code, out in (
        (f"{farm} {play} <&-", 0, "you left the match at 0 to 0\n"),
        (f"{farm} verify-transcript - <&-", 2, ""),
        (f"{farm} jobs >&-", 0, ""),
        (f"{farm} play cribbage --seed x 2>&-", 2, ""),
    ):
        done = subprocess.run(
            ["sh", "-c", line], capture_output=True, text=True, stdin=None, timeout=60
        )
        assert (done.returncode, "Traceback" in done.stderr) == (code, False)
        assert out in done.stdout


def test_a_reader_who_has_seen_enough_gets_no_traceback():
    reader, writer = os.pipe()
    os.close(reader)
    done = run_farm("deal", "klondike", "--seed", "7", "--unit", "0", stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
def test_output_that_cannot_be_written_is_said_so():
    with FULL.open("w") as full:
        done = run_farm("jobs", stdout=full)
    assert done.returncode == 1
    assert done.stderr == "farm: [Errno 28] No space left on device\n"


def test_ctrl_c_is_clean_while_the_program_starts(monkeypatch, capsys):
    plain = builtins.__import__

    def interrupted(name, *given):
        if name == "farm.main":
            raise KeyboardInterrupt
        return plain(name, *given)

    monkeypatch.setattr(builtins, "__import__", interrupted)
    assert program.main() == 1
    assert capsys.readouterr().err == "farm: interrupted\n"


def test_ctrl_c_is_clean_in_a_command(monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(inspecting, "job_names", interrupted)
    assert main(["jobs"]) == 1
    assert capsys.readouterr().err == "farm: interrupted\n"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("farm verify-", ["verify-transcript"]),
        ("farm run klondike-solvability --dr", ["--draw"]),
        ("farm run no-such.toml --dr", []),
        ("farm compare x --reference cribbage", ["cribbage-published", "cribbage-first-dealer"]),
    ],
)
def test_bash_completes_commands_options_and_references(line, words, monkeypatch, capsys):
    monkeypatch.setenv("_FARM_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    output = capsys.readouterr()
    assert (output.out.split(), output.err) == (words, "")


def test_job_files_are_completed_only_where_they_are(tmp_path):
    (tmp_path / "study.toml").write_text('job = "klondike-solvability"')
    assert job_commands.known(str(tmp_path / "study.toml"))
    assert not job_commands.known(str(tmp_path / "other.toml"))
    assert job_commands.known("klondike-solvability")
    assert not job_commands.known("whist")
