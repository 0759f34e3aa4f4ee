"""The command, used rightly and wrongly."""

import re

import pytest

from farm.main import main


@pytest.fixture
def coach(capsys, tmp_path, monkeypatch):
    """Runs the command; returns what it prints. Files are written to the current folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        assert main(["coach", "cribbage", *arguments]) == 0
        output = capsys.readouterr()
        assert output.err == ""
        if "--json" not in arguments:
            assert max(map(len, output.out.splitlines())) <= 80
        return output.out

    return run


@pytest.fixture
def refused(capsys, tmp_path, monkeypatch):
    """Runs the command where it is used in a wrong way; returns the line it says."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        assert main(["coach", "cribbage", *arguments]) == 2
        output = capsys.readouterr()
        assert output.out == ""
        assert re.fullmatch("farm: [^\n]+\n", output.err)
        return output.err[6:-1]

    return run
