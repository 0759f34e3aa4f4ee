import pyarrow as pa
import pytest

from results import shards as shards_module
from results.rows import final_batches, rows
from results.shards import (
    Shard,
    ShardError,
    check_footer,
    list_shards,
    missing_ranges,
    overlaps,
    parse_name,
    read_batches,
    read_facts,
    read_shard,
    read_shards,
    write_shard,
)
from results.store import Store


@pytest.fixture
def store(tmp_path):
    return Store(str(tmp_path))


def table(units, outcome):
    return pa.table({"unit": pa.array(units, pa.int64()), "outcome": [outcome] * len(units)})


def test_a_name_says_pass_first_and_last_unit():
    shard = Shard(1, 250, 500)
    assert shard.name == "shards/pass=1/part-000000000250-000000000499.parquet"
    assert parse_name(shard.name) == shard
    assert parse_name("shards/pass=0/part-1-2.parquet") is None
    assert parse_name(shard.name + ".0f3a.tmp") is None


def test_missing_ranges():
    #            0    5    10   15   20
    present = [Shard(0, 2, 5), Shard(0, 10, 12), Shard(0, 18, 30)]
    assert missing_ranges(range(0, 20), present) == [range(0, 2), range(5, 10), range(12, 18)]
    assert missing_ranges(range(3, 5), present) == []
    assert missing_ranges(range(40, 41), present) == [range(40, 41)]


def test_overlaps_are_found_within_a_pass_only():
    apart = [Shard(0, 0, 10), Shard(0, 10, 20), Shard(1, 0, 20)]
    assert overlaps(apart) == []
    assert overlaps([*apart, Shard(0, 15, 17)]) == [(Shard(0, 10, 20), Shard(0, 15, 17))]
    nested = [Shard(0, 0, 30), Shard(0, 5, 10), Shard(0, 20, 25)]
    assert overlaps(nested) == [(nested[0], nested[1]), (nested[0], nested[2])]


def test_a_shard_comes_back_as_written(store):
    shard = Shard(0, 0, 3)
    written = table([0, 1, 2], "solved")
    write_shard(store, shard, written, {"node": "here", "attempt": "2"})
    assert read_shard(store, shard).equals(written)
    assert read_facts(store, shard) == {"node": "here", "attempt": "2"}
    assert [file.name for file in store.files("shards")] == [shard.name]


@pytest.mark.parametrize("kept", [0, 3, 200, -1])
def test_a_shard_cut_short_is_noticed(store, kept):
    shard = Shard(0, 0, 3)
    write_shard(store, shard, table([0, 1, 2], "solved"), {})
    path = store.path(shard.name)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ShardError, match=r"part-000000000000-000000000002\.parquet is damaged"):
        check_footer(store, shard)


def test_a_changed_byte_is_noticed_on_reading(store):
    shard = Shard(0, 0, 500)
    write_shard(store, shard, table(list(range(500)), "solved"), {})
    path = store.path(shard.name)
    content = bytearray(path.read_bytes())
    content[60] ^= 1
    path.write_bytes(content)
    check_footer(store, shard)
    with pytest.raises(ShardError, match="cannot read shard"):
        read_shard(store, shard)


def test_the_rows_of_a_run_are_those_of_the_highest_pass(store):
    write_shard(store, Shard(0, 3, 6), table([3, 4, 5], "pass 0"), {"node": "a"})
    write_shard(store, Shard(0, 0, 3), table([0, 1, 2], "pass 0"), {"node": "b"})
    write_shard(store, Shard(1, 0, 6), table([1, 4, 5], "pass 1"), {})
    write_shard(store, Shard(2, 0, 6), table([4], "pass 2"), {})
    assert rows(store).to_pydict() == {
        "unit": [0, 1, 2, 3, 4, 5],
        "outcome": ["pass 0", "pass 1", "pass 0", "pass 0", "pass 2", "pass 1"],
    }
    assert rows(store, ["unit"]).column_names == ["unit"]
    assert list_shards(store)[0] == Shard(0, 0, 3)


def written_shards(store, sizes):
    """Shards of these sizes, one after the other."""
    made, start = [], 0
    for size in sizes:
        made.append(Shard(0, start, start + size))
        write_shard(store, made[-1], table(range(start, start + size), "solved"), {"node": "here"})
        start += size
    return made


def test_batches_hold_all_shards_in_order_and_no_more_units_than_they_may(store, monkeypatch):
    monkeypatch.setattr(shards_module, "_LOCAL", (2, 4))
    monkeypatch.setattr(shards_module, "_BATCH_UNITS", 10)
    made = written_shards(store, [1] * 9 + [30, 5, 5, 6, 2])
    batches = list(read_batches(store, made, ["unit"]))
    assert [[len(each) for each in batch] for batch in batches] == [
        [1] * 4, [1] * 4, [1], [30], [5, 5], [6, 2]
    ]  # fmt: skip
    found = [unit for each in read_shards(store, made) for unit in each["unit"].to_pylist()]
    assert found == list(range(57))


def test_rows_of_a_later_pass_replace_those_of_many_batches(store):
    made = written_shards(store, [2] * 100)
    write_shard(store, Shard(1, 0, 200), table(range(0, 200, 3), "again"), {"node": "there"})
    later, *batches = final_batches(store, list_shards(store))
    assert later.rows["unit"].to_pylist() == list(range(0, 200, 3))
    assert len(batches) > 1
    by_shard = [each for batch in batches for each in batch.by_shard]
    assert [each["unit"].to_pylist() for each in by_shard] == [
        [unit for unit in shard.units if unit % 3] for shard in made
    ]
    assert {each.schema.metadata[b"dealfarm.node"] for each in by_shard} == {b"here"}
    assert rows(store)["outcome"].to_pylist() == (["again", "solved", "solved"] * 67)[:200]


@pytest.mark.parametrize("small", [0, 2**20])
def test_a_damaged_shard_among_many_is_named(store, monkeypatch, small):
    monkeypatch.setattr(shards_module, "_SMALL_BYTES", small)  # 0: none is read whole
    made = written_shards(store, [2] * 100)
    assert rows(store)["unit"].to_pylist() == list(range(200))
    path = store.path(made[70].name)
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(ShardError, match=f"cannot read shard {made[70].name}"):
        rows(store)


def test_a_run_without_shards_has_no_rows(store):
    assert rows(store) is None
