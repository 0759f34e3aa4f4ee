import json
from pathlib import Path

import pyarrow as pa
import pytest
from pydantic import ValidationError

from engines.cribbage.match import Tally
from jobs import cribbage_ladder as job
from jobs.job import VerificationError
from jobs.matches.match_rows import _REPLAY_EVERY, COLUMNS
from results.ai_benchmark import AiBenchmark
from results.benchmark import load_benchmark
from results.validation import validate

DATA = Path(__file__).parents[1] / "data"
SPEC = job.Spec(matches=20)


def test_units_go_round_the_pairings_and_all_play_the_same_cards():
    assert [f"{a} {b}" for a, b in SPEC.entrants] == [
        "expert random", "expert easy", "expert normal", "expert hard",
    ]  # fmt: skip
    assert SPEC.unit_count == 40
    places = [SPEC.schedule.place(unit) for unit in (0, 3, 4, 39)]
    assert [(pairing.opponent, pair) for pairing, pair in places] == [
        ("random", 0), ("hard", 0), ("random", 1), ("hard", 9),
    ]  # fmt: skip


def test_more_matches_are_more_units_at_the_end():
    longer = job.Spec(matches=60).schedule
    assert all(longer.place(unit) == SPEC.schedule.place(unit) for unit in range(SPEC.unit_count))


def test_a_number_of_units_is_rounded_up_to_whole_rounds():
    assert [SPEC.of_units(count).matches for count in (4, 5, 8, 400)] == [2, 4, 4, 200]


def test_the_cross_table_has_every_pairing_once():
    pairings = job.Spec(cross_table=True).entrants
    assert len(pairings) == 10
    assert pairings[:4] == SPEC.entrants
    assert ("hard", "easy") in pairings


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"matches": 7}, "expected an even number"),
        ({"player": "nobody"}, "expected random, easy, normal, hard, expert, master, or a player"),
        ({"player": "missing.py:Class"}, "expected a Python file missing.py"),
        ({"against": "easy,nobody"}, "got 'nobody'"),
        ({"sprt": "0,10"}, "expected one opponent"),
        ({"sprt": "10,0", "against": "hard"}, "A below B"),
        ({"sprt": "nan,1", "against": "hard"}, "from -1000 to 1000 Elo, got nan,1"),
        ({"sprt": "0,inf", "against": "hard"}, "from -1000 to 1000 Elo, got 0,inf"),
        ({"sprt": "-1e6,0", "against": "hard"}, "from -1000 to 1000 Elo, got -1e"),
        ({"seconds_per_answer": "inf"}, "Input should be a finite number"),
        ({"seconds_per_answer": "nan"}, "Input should be a finite number"),
        ({"profile": "made up"}, "Input should be 'calibrated' or 'published'"),
    ],
)
def test_a_spec_that_makes_no_sense_is_refused(fields, message):
    with pytest.raises(ValidationError, match=message):
        job.Spec(**fields)


def test_rows_have_the_schema_and_every_column_is_described():
    table = job.compute_many(SPEC, range(8))
    assert table.schema.equals(pa.schema(COLUMNS))
    assert table["unit"].to_pylist() == [unit for unit in range(8) for _ in range(2)]
    assert table["leg"].to_pylist() == [0, 1] * 8
    assert all(field.metadata[b"description"] for field in job.SCHEMA)
    assert set(job.failed_rows(SPEC, 0, None, "why")[0]) == set(job.SCHEMA.names)
    columns = {name.partition("_")[2] for name in job.SCHEMA.names if name.startswith("opponent_")}
    assert columns == set(Tally.__dataclass_fields__)


def without_seconds(rows):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def test_units_alone_and_together_are_the_same():
    together = without_seconds(job.compute_many(SPEC, range(3, 9)).to_pylist())
    alone = [row for unit in range(3, 9) for row in job.compute(SPEC, unit, None)]
    assert without_seconds(alone) == together


def test_the_seats_of_a_pair_are_swapped():
    first, second = job.compute(SPEC, 1, None)
    assert (first["player_dealt_first"], second["player_dealt_first"]) == (True, False)
    # The first two deals are those of the same cards, so each has dealt once or more.
    assert first["pair"] == second["pair"]


def test_experts_that_meet_play_the_same_match_twice():
    spec = job.Spec(matches=20, against="expert")
    for unit in range(10):
        first, second = job.compute(spec, unit, None)
        assert first["player_score"] == second["opponent_score"]
        assert first["opponent_crib"] == second["player_crib"]
        assert {first["result"], second["result"]} == {"won", "lost"}


@pytest.mark.parametrize("unit", [0, 1, 2, 3, 5, 4 * _REPLAY_EVERY])
def test_a_row_that_holds_is_verified_by_kernel_or_plain_rules(unit):
    assert all(job.verify(SPEC, row, None) for row in job.compute(SPEC, unit, None))


@pytest.mark.parametrize("unit", [1, 0])
@pytest.mark.parametrize(
    "change",
    [
        {"result": "lost"},
        {"result": "drawn"},
        {"player_score": 120},
        {"player_hand_dealer": 0},
        {"opponent_deals": 3},
        {"opponent": "normal"},
        {"player_dealt_first": False},
        {"pair": 1},
    ],
)
def test_a_changed_row_is_caught(unit, change):
    row = next(row for row in job.compute(SPEC, unit, None) if row["result"] == "won")
    row = {**row, "leg": row["leg"]}
    if "player_dealt_first" in change:
        change = {"player_dealt_first": not row["player_dealt_first"]}
    if "opponent_deals" in change:
        change = {"opponent_deals": row["opponent_deals"] + 1}
    with pytest.raises(VerificationError):
        job.verify(SPEC, {**row, **change}, None)


def outside(**fields):
    return job.Spec(matches=4, player=f"{DATA}/cribbage_players/seeded_class.py:Seeded", **fields)


def test_a_player_from_outside_plays_the_same_deals_by_a_record_of_its_own():
    spec = outside(against="easy")
    kept = job.Spec.model_validate_json(spec.model_dump_json())
    assert kept == spec
    assert "class Seeded" in kept.player.program.source
    assert job.compute_many(spec, range(2)) is None
    rows = [row for unit in range(2) for row in job.compute(kept, unit, None)]
    again = [row for unit in range(2) for row in job.compute(spec, unit, None)]
    assert without_seconds(rows) == without_seconds(again)
    assert {row["result"] for row in rows} <= {"won", "lost"}
    assert [job.verify(spec, row, None) for row in rows] == [False] * 4


def test_a_player_from_outside_can_meet_itself(tmp_path):
    spec = outside(against=f"{DATA}/cribbage_players/seeded_class.py:Seeded")
    assert {row["result"] for row in job.compute(spec, 0, None)} <= {"won", "lost"}


STUBBORN = """
class Stubborn:
    def __init__(self, seed):
        pass

    def discard(self, seen):
        return seen.own_hand[:2]

    def play(self, seen):
        return 99
"""


@pytest.mark.parametrize(
    ("player", "against", "result"), [("{}", "easy", "lost"), ("easy", "{}", "won")]
)
def test_who_answers_wrongly_forfeits_with_the_position(tmp_path, player, against, result):
    file = tmp_path / "stubborn.py"
    file.write_text(STUBBORN)
    stubborn = f"{file}:Stubborn"
    spec = job.Spec(matches=2, player=player.format(stubborn), against=against.format(stubborn))
    for row in job.compute(spec, 0, None):
        assert (row["result"], row["player_score"]) == (result, None)
        assert row["error"].startswith("illegal: expected one of ")
        position = json.loads(row["error"].partition("; position ")[2])
        assert len(position["own_hand"]) + len(position["history"]) >= 4
        assert job.verify(spec, row, None) is False
    contradicting = {**row, "player_score": 121}
    with pytest.raises(VerificationError):
        job.verify(spec, contradicting, None)


def test_the_file_for_a_game_has_a_rung_for_each_pairing():
    table = job.compute_many(SPEC, range(SPEC.unit_count))
    benchmark = load_benchmark((DATA / "benchmark.json").read_text())
    benchmark = benchmark.model_copy(update={"metrics": job.metrics(job.tally(table))})
    (text,) = job.artifacts(SPEC, None, benchmark).values()
    document = AiBenchmark.model_validate_json(text)
    assert [rung.opponent for rung in document.rungs] == ["random", "easy", "normal", "hard"]
    assert all(rung.matches == 20 for rung in document.rungs)
    assert document.rungs[1].band == (0.95, 0.98)


def test_a_pairing_without_matches_has_a_rung_that_says_so():
    """As after `--units 0-1`, which reaches two of the four pairings."""
    table = job.compute_many(SPEC, range(2))
    benchmark = load_benchmark((DATA / "benchmark.json").read_text())
    benchmark = benchmark.model_copy(update={"metrics": job.metrics(job.tally(table))})
    text = job.artifacts(SPEC, None, benchmark)["ai_benchmark.json"]
    rungs = validate(text).rungs
    assert [(rung.opponent, rung.matches) for rung in rungs] == [
        ("random", 2), ("easy", 2), ("normal", 0), ("hard", 0),
    ]  # fmt: skip
    assert (rungs[2].share, rungs[2].low, rungs[2].high, rungs[2].band) == (None, 0, 1, None)


def test_the_signature_is_the_same_for_every_spec():
    assert job.signature(SPEC) == job.signature(job.Spec(profile="published"))


FAIR = job.Spec(matches=4, against="easy,random", transcripts=True)


def test_fair_matches_keep_their_transcripts_and_play_the_same_cards_in_both_legs():
    assert job.compute_many(FAIR, range(2)) is None
    first, second = job.compute(FAIR, 0, None)
    documents = [json.loads(row["transcript"]) for row in (first, second)]
    assert documents[0]["commit"] == documents[1]["commit"]
    assert documents[0]["hands"][0]["dealt"] == documents[1]["hands"][0]["dealt"]
    assert [seat["name"] for seat in documents[0]["seats"]] == ["expert", "easy"]
    assert [seat["name"] for seat in documents[1]["seats"]] == ["easy", "expert"]
    for row in (first, second, *job.compute(FAIR, 1, None)):
        assert job.verify(FAIR, row, None) is True


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda row: {"player_hand_pone": row["player_hand_pone"] + 1}, "player_hand_pone is"),
        (lambda row: {"transcript": None}, "the JSON object must be"),
        (lambda row: {"transcript": row["transcript"].replace("5H", "5D")}, "hands"),
        (lambda row: {"pair": 1}, "commit is"),
    ],
)
def test_a_row_that_is_not_its_transcript_is_caught(change, message):
    row = job.compute(FAIR, 0, None)[0]
    with pytest.raises(VerificationError, match=message):
        job.verify(FAIR, {**row, **change(row)}, None)


def test_a_player_from_outside_can_play_fair_matches():
    spec = outside(against="easy", transcripts=True)
    row = job.compute(spec, 0, None)[0]
    assert json.loads(row["transcript"])["seats"][0]["kind"] == "outside"
    assert job.verify(spec, row, None) is True
