"""What farm/README.md says: each submission is written, each other command has its options."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from farm.main import main
from farm.sweep import split
from jobs import load_job

README = (Path(__file__).parents[2] / "farm" / "README.md").read_text()
COMMANDS = re.findall(r"^    farm (.*)$", README, flags=re.MULTILINE)
STUDY = re.sub("^    ", "", README.partition("    # study.toml\n")[2], flags=re.MULTILINE)
STUDY = STUDY.partition("\n\n")[0]


def test_there_are_commands():
    assert len(COMMANDS) == 12


@pytest.mark.parametrize("command", [line for line in COMMANDS if line.startswith("submit")])
def test_a_submission_is_written(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text(STUDY)
    words = [word for word in shlex.split(command) if word != "--estimate"]
    assert main(words) == 0, capsys.readouterr().err
    assert capsys.readouterr().out.startswith("wrote   ")


@pytest.mark.parametrize("command", [line for line in COMMANDS if not line.startswith("submit")])
def test_a_command_has_its_options(command, capsys):
    words = shlex.split(command)
    assert main([*words[: 2 if words[0] == "run" else 1], "--help"]) == 0
    known = capsys.readouterr().out
    assert all(word in known for word in words if word.startswith("--"))


def test_the_job_file_is_a_sweep_with_growing_limits():
    fields = tomllib.loads(STUDY)
    members, limits = split(load_job(fields.pop("job")), fields)
    assert [member.values for member in members] == [{"draw": 1}, {"draw": 2}, {"draw": 3}]
    assert limits == [10_000_000, 1_000_000_000]
