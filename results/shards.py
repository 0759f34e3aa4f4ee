"""Shards: contiguous ranges of units, each one Parquet file under `shards/pass=P/`.

The name says the pass and the first and last unit: completeness is judged from names alone, and
doing a shard twice writes the same name. No two files of one pass overlap.
"""

import io
import re
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from results.store import Store

FOLDER = "shards"
UNIT_LIMIT = 10**12
"""Units are below it: a file's name has as many digits for them."""
_NAME = re.compile(FOLDER + r"/pass=(\d+)/part-(\d{12})-(\d{12})\.parquet")
_METADATA_PREFIX = "dealfarm."
_MAGIC = b"PAR1"
_TAIL = 8  # the footer's length and the magic word
_SMALL_BYTES = 2**20  # of a file that is read whole, in one request
_BATCH_UNITS = 8192
_LOCAL = 8, 32  # threads that read, and the shards of a batch at most
_REMOTE = 24, 4  # who wait for answers most of the time; pyarrow keeps 25 connections


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


def all_shards(store: Store) -> list[Shard]:
    """Every shard file of a run directory in order of pass and unit."""
    shards = (parse_name(file.name) for file in store.files(FOLDER))
    return sorted(shard for shard in shards if shard)


def list_shards(store: Store) -> list[Shard]:
    """The shards of a run directory in order of pass and unit, but for covered ones."""
    return split_covered(all_shards(store))[0]


def split_covered(shards: Iterable[Shard]) -> tuple[list[Shard], list[Shard]]:
    """The shards that count, in order, and those that lie within a larger one of their pass.

    Rows depend on nothing but the unit, so that a covered shard has nothing of its own: it is left
    where compacting was interrupted, or where a worker given up for lost wrote its shard after all.
    """
    kept: list[Shard] = []
    covered = []
    for shard in sorted(shards, key=lambda each: (each.pass_index, each.start, -each.stop)):
        last = kept[-1] if kept else None
        if last and last.pass_index == shard.pass_index and shard.stop <= last.stop:
            covered.append(shard)
        else:
            kept.append(shard)
    return kept, covered


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

    They replace those that the table was read with. Returns the size in bytes; raises StorageError.
    """
    metadata = {f"{_METADATA_PREFIX}{key}".encode(): value for key, value in facts.items()}
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


def cut_shard(store: Store, shard: Shard, stop: int) -> None:
    """Leaves of a shard its units before `stop`; raises ShardError and StorageError."""
    table = read_shard(store, shard)
    kept = table.filter(pc.less(table["unit"], stop))
    write_shard(store, Shard(shard.pass_index, shard.start, stop), kept, {"stop": str(stop)})
    store.delete(shard.name)


def read_shard(store: Store, shard: Shard, columns: list[str] | None = None) -> pa.Table:
    """The rows of a shard, with page checksums verified; raises ShardError."""
    try:
        with store.open(shard.name) as file:
            small = file.size() <= _SMALL_BYTES
            source = pa.BufferReader(file.read_buffer()) if small else file
            parquet = pq.ParquetFile(source, page_checksum_verification=True)
            return parquet.read(columns, use_threads=not small)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise ShardError(
            f"cannot read shard {shard.name}: {reason}; once it is deleted, `farm resume` makes it "
            "again"
        ) from None


def read_batches(
    store: Store, shards: Iterable[Shard], columns: list[str] | None = None
) -> Iterator[list[pa.Table]]:
    """The tables of shards in order, some shards at a time; raises ShardError.

    Several threads read ahead, so that what is in memory is about a batch for each of them.
    """
    count, most = _LOCAL if store.is_local else _REMOTE
    readers = ThreadPoolExecutor(count)

    def read(batch: list[Shard]) -> list[pa.Table]:
        return [read_shard(store, shard, columns) for shard in batch]

    try:
        ahead: deque[Future[list[pa.Table]]] = deque()
        for batch in _batches(shards, most):
            ahead.append(readers.submit(read, batch))
            if len(ahead) > count:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    finally:
        readers.shutdown(cancel_futures=True)


def _batches(shards: Iterable[Shard], most: int) -> Iterator[list[Shard]]:
    """Shards that follow each other: a large one or up to so many small ones."""
    batch: list[Shard] = []
    units = 0
    for shard in shards:
        if batch and (len(batch) == most or units + len(shard.units) > _BATCH_UNITS):
            yield batch
            batch, units = [], 0
        batch.append(shard)
        units += len(shard.units)
    if batch:
        yield batch


def read_shards(
    store: Store, shards: Iterable[Shard], columns: list[str] | None = None
) -> Iterator[pa.Table]:
    """The tables of shards in order, read as `read_batches` does; raises ShardError."""
    for tables in read_batches(store, shards, columns):
        yield from tables


def check_footers(store: Store, shards: list[Shard]) -> list[tuple[Shard, ShardError]]:
    """The shards that are cut short, each with what is wrong."""

    def check(shard: Shard) -> ShardError | None:
        try:
            check_footer(store, shard)
        except ShardError as error:
            return error
        return None

    if not store.is_local:  # an object appears whole or not at all
        return []
    return [(shard, error) for shard in shards if (error := check(shard))]


def check_footer(store: Store, shard: Shard) -> None:
    """Raises ShardError unless a local file has the ends of a Parquet file and a footer between."""
    path = store.path(shard.name)
    try:
        with path.open("rb") as file:
            head = file.read(len(_MAGIC))
            size = file.seek(0, io.SEEK_END)
            file.seek(max(0, size - _TAIL))
            tail = file.read()
    except OSError as error:
        raise ShardError(f"cannot read shard {shard.name}: {error.strerror}") from None
    footer = int.from_bytes(tail[:4], "little")
    if head != _MAGIC or tail[4:] != _MAGIC or footer + _TAIL + len(_MAGIC) > size:
        raise ShardError(f"shard {shard.name} is damaged: it is cut short or no Parquet file")


def read_facts(store: Store, shard: Shard) -> dict[str, str]:
    """The facts that `write_shard` put into a shard's metadata."""
    with store.open(shard.name) as file:
        return _facts(pq.read_metadata(file).metadata)


def facts_of(table: pa.Table) -> dict[str, str]:
    """The facts of `write_shard` that a table has which `read_shard` gave."""
    return _facts(table.schema.metadata)


def _facts(metadata: dict[bytes, bytes] | None) -> dict[str, str]:
    prefix = _METADATA_PREFIX.encode()
    return {
        key.removeprefix(prefix).decode(): value.decode()
        for key, value in (metadata or {}).items()
        if key.startswith(prefix)
    }
