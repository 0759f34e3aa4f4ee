"""The README says what is so: its results, its options, and its file formats."""

import re
import tomllib
from itertools import takewhile
from pathlib import Path

import pytest

from farm.main import main
from jobs import load_job
from results.benchmark import load_benchmark
from results.tables import markdown

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PUBLISHED = sorted((ROOT / "results" / "published").glob("*.json"))
TWO_WORDS = ["bench", "calibrate", "coach", "deal", "play", "recommend", "run", "solve"]
PATH_WORDS = dict.fromkeys(TWO_WORDS, 2) | {"export": 3, "submit": 3}
COMMANDS = re.findall(r"^    (farm .*)$", README, flags=re.MULTILINE)


def test_the_results_are_those_of_the_published_benchmarks():
    shown = README.partition("<!-- results -->\n")[2].partition("<!-- end of results -->")[0]
    assert shown == markdown(load_benchmark(path.read_text()) for path in PUBLISHED)


def test_published_benchmarks_are_complete():
    assert all(load_benchmark(path.read_text()).complete for path in PUBLISHED)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_shown_exists(command, capsys):
    words = command.split()[1:]
    path = list(takewhile(lambda word: not word.startswith("--"), words))
    path = path[: PATH_WORDS.get(words[0], 1)]
    if path[-1].endswith(".toml"):
        return
    assert main([*path, "--help"]) == 0
    known = capsys.readouterr().out
    assert all(word in known for word in words if word.startswith("--"))


def test_the_job_file_shown_is_valid():
    text = README.partition("    # study.toml\n")[2].partition("\n\n")[0]
    fields = tomllib.loads(re.sub("^    ", "", text, flags=re.MULTILINE))
    spec = load_job(fields.pop("job")).Spec(**fields)
    assert (spec.deals, spec.worrying_back) == (100_000, False)
