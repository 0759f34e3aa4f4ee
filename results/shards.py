"""Shards: contiguous ranges of units, each one Parquet file under `shards/pass=P/`.

The name says the pass and the first and last unit: completeness is judged from names alone, and
doing a shard twice writes the same name. No two files of one pass overlap.
"""

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from results.store import StorageError, Store

FOLDER = "shards"
_NAME = re.compile(FOLDER + r"/pass=(\d+)/part-(\d{12})-(\d{12})\.parquet")
_METADATA_PREFIX = "dealfarm."


class ShardError(ValueError):
    """A shard file that cannot be read or does not hold what its name says."""


@dataclass(frozen=True, order=True)
class Shard:
    """Units start to stop - 1 of one pass."""

    pass_index: int
    start: int
    stop: int

    @property
    def name(self) -> str:
        """The file's name in the run directory, with the last unit as its second number."""
        return f"{FOLDER}/pass={self.pass_index}/part-{self.start:012}-{self.stop - 1:012}.parquet"

    @property
    def units(self) -> range:
        """The units of the shard's range."""
        return range(self.start, self.stop)

    def halves(self) -> tuple["Shard", "Shard"]:
        """The shard cut in two, for at least two units."""
        middle = (self.start + self.stop) // 2
        return (
            Shard(self.pass_index, self.start, middle),
            Shard(self.pass_index, middle, self.stop),
        )


def parse_name(name: str) -> Shard | None:
    """The shard that a file's name says, None for another file."""
    if match := _NAME.fullmatch(name):
        pass_index, start, last = map(int, match.groups())
        return Shard(pass_index, start, last + 1)
    return None


def list_shards(store: Store) -> list[Shard]:
    """The shards of a run directory in order of pass and unit."""
    shards = (parse_name(file.name) for file in store.files(FOLDER))
    return sorted(shard for shard in shards if shard)


def missing_ranges(wanted: range, present: Iterable[Shard]) -> list[range]:
    """The parts of a range of units that no shard covers, in order."""
    gaps = []
    position = wanted.start
    for shard in sorted(present):
        if shard.stop <= position or shard.start >= wanted.stop:
            continue
        if shard.start > position:
            gaps.append(range(position, shard.start))
        position = shard.stop
    if position < wanted.stop:
        gaps.append(range(position, wanted.stop))
    return gaps


def overlaps(shards: Iterable[Shard]) -> list[tuple[Shard, Shard]]:
    """Pairs of shards of one pass that share units."""
    found = []
    widest: Shard | None = None
    for shard in sorted(shards):
        if widest and widest.pass_index == shard.pass_index and shard.start < widest.stop:
            found.append((widest, shard))
        if widest is None or shard.pass_index != widest.pass_index or shard.stop > widest.stop:
            widest = shard
    return found


def write_shard(store: Store, shard: Shard, table: pa.Table, facts: dict[str, str]) -> int:
    """Writes a shard whole or not at all, with facts such as node and attempt in its metadata.

    Returns the size in bytes; raises StorageError.
    """
    metadata = {f"{_METADATA_PREFIX}{key}": value for key, value in facts.items()}
    schema = table.schema.with_metadata({**(table.schema.metadata or {}), **metadata})
    buffer = io.BytesIO()
    pq.write_table(
        table.replace_schema_metadata(schema.metadata),
        buffer,
        compression="zstd",
        write_page_checksum=True,
    )
    store.write(shard.name, buffer.getvalue())
    return buffer.tell()


def read_shard(store: Store, shard: Shard, columns: list[str] | None = None) -> pa.Table:
    """The rows of a shard, with page checksums verified; raises ShardError."""
    try:
        with store.open(shard.name) as file:
            table = pq.ParquetFile(file, page_checksum_verification=True).read(columns)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise ShardError(f"cannot read shard {shard.name}: {reason}") from None
    return table


def check_footer(store: Store, shard: Shard) -> None:
    """Raises ShardError unless the file is a whole Parquet file: one cut short has no footer."""
    try:
        with store.open(shard.name) as file:
            pq.read_metadata(file)
    except (pa.ArrowException, StorageError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise ShardError(f"shard {shard.name} is damaged: {reason}") from None


def read_facts(store: Store, shard: Shard) -> dict[str, str]:
    """The facts that `write_shard` put into a shard's metadata."""
    with store.open(shard.name) as file:
        metadata = pq.read_metadata(file).metadata or {}
    prefix = _METADATA_PREFIX.encode()
    return {
        key.removeprefix(prefix).decode(): value.decode()
        for key, value in metadata.items()
        if key.startswith(prefix)
    }
