"""Deal files as they come from elsewhere."""

import json

import pytest

from engines.klondike.deal import random_deal
from farm.errors import UsageProblem
from farm.options import read_deals
from jobs import load_job

JOB = load_job("klondike-solvability")
IDS = ["plain", "a\u2028b\u2029c", "next\x85line"]
LINES = [
    json.dumps({"id": name, **random_deal(0, unit).as_json()}, ensure_ascii=False)
    for unit, name in enumerate(IDS)
]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_lines_end_where_those_of_a_file_do(end, last, tmp_path):
    path = tmp_path / "deals.jsonl"
    path.write_bytes((end.join(LINES) + end * last).encode())
    found = read_deals(JOB, JOB.Spec(), str(path))
    assert [json.loads(line)["id"] for line in found] == IDS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LINES[0] + "\n\n" + LINES[1], "line 2: expected a deal, got an empty line"),
        (LINES[0] + "\n\n", "line 2: expected a deal, got an empty line"),
        ("", "expected a deal on each line, got none"),
        (LINES[1] + "\n{", "line 2: "),
    ],
)
def test_a_bad_line_is_named_by_its_number(text, message, tmp_path):
    path = tmp_path / "deals.jsonl"
    path.write_bytes(text.encode())
    with pytest.raises(UsageProblem, match=message):
        read_deals(JOB, JOB.Spec(), str(path))
