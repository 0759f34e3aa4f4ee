"""What jobs/README.md says: the columns are those of the schemas, the job file shown is valid."""

import re
import tomllib
from pathlib import Path

import pytest

from farm.main import main
from farm.sweep import split
from farm.worker import shard_schema
from jobs import job_names, load_job

README = (Path(__file__).parents[2] / "jobs" / "README.md").read_text()


def columns_of(name):
    lines = [
        f"### {name}",
        "",
        load_job(name).SUMMARY,
        "",
        "| column | type | |",
        "| --- | --- | --- |",
    ]
    for field in load_job(name).SCHEMA:
        kind = str(field.type).replace("dictionary<values=string, indices=int8, ordered=0>", "word")
        lines.append(f"| `{field.name}` | {kind} | {field.metadata[b'description'].decode()} |")
    return "\n".join(lines) + "\n"


def test_the_columns_of_each_job_are_those_of_its_rows():
    shown = README.partition("<!-- columns -->\n")[2].partition("<!-- end of columns -->")[0]
    assert shown == "\n".join(map(columns_of, job_names()))


def test_every_column_says_what_it_holds():
    for name in job_names():
        assert all(
            (field.metadata or {}).get(b"description") for field in shard_schema(load_job(name))
        )


def test_the_job_files_shown_are_valid():
    files = re.findall(r"^    # \w+\.toml\n((?:    .*\n)+)", README, flags=re.MULTILINE)
    assert len(files) == 2
    for text in files:
        fields = tomllib.loads(re.sub("^    ", "", text, flags=re.MULTILINE))
        job = load_job(fields.pop("job"))
        assert split(job, fields)


@pytest.mark.parametrize("command", re.findall(r"^    farm (run .*)$", README, flags=re.MULTILINE))
def test_every_option_shown_exists(command, capsys):
    words = command.split()
    if words[1].endswith(".toml"):
        return
    assert main([*words[:2], "--help"]) == 0
    known = capsys.readouterr().out
    assert all(word in known for word in words if word.startswith("--"))
