import errno

import pytest

from results.store import StorageError, Store


def test_files_are_listed_by_name_at_any_depth(tmp_path):
    store = Store(str(tmp_path))
    store.write("shards/b", b"22")
    store.write("shards/a/c", b"1")
    store.write("other", b"")
    assert [(file.name, file.size) for file in store.files("shards")] == [
        ("shards/a/c", 1),
        ("shards/b", 2),
    ]
    assert store.files("none") == []


def test_a_file_is_replaced_whole(tmp_path):
    store = Store(str(tmp_path))
    store.write("x", b"old")
    store.write("x", b"new")
    assert store.read("x") == b"new"
    store.delete("x")
    assert not store.exists("x")


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    store = Store(str(tmp_path))
    store.write("x", b"old")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(StorageError, match=f"cannot write {tmp_path}/x: No space left on device"):
        store.write("x", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert store.read("x") == b"old"


def test_what_cannot_be_read_is_named(tmp_path):
    store = Store(str(tmp_path))
    with pytest.raises(StorageError, match=f"cannot read {tmp_path}/missing: "):
        store.read("missing")


def test_an_unknown_kind_of_store_is_named():
    with pytest.raises(StorageError, match="cannot open nowhere://x: "):
        Store("nowhere://x")


def test_a_file_uri_is_a_local_path(tmp_path):
    store = Store(tmp_path.as_uri())
    assert store.is_local
    store.write("a/x", b"1")
    assert (tmp_path / "a" / "x").read_bytes() == b"1"
    assert [file.name for file in store.files("a")] == ["a/x"]
