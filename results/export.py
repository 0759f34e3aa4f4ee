"""One file of the final rows of a run, for other programs."""

import json
import math
import os
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from results.rows import decoded, ordered_tables
from results.shards import list_shards
from results.store import StorageError, Store, whole

_ROWS_AT_ONCE = 100_000


class ExportError(ValueError):
    """A file that cannot be written."""


def export_csv(store: Store, path: Path) -> int:
    """Writes the rows with a line of names; what is missing is empty, lists are JSON."""
    return _export(store, path, lambda file, schema: csv.CSVWriter(file, schema), _flat)


def export_parquet(store: Store, path: Path) -> int:
    """Writes the rows as one Parquet file like the shards."""

    def writer(file: Path, schema: pa.Schema) -> Any:
        return pq.ParquetWriter(file, schema, compression="zstd", write_page_checksum=True)

    return _export(store, path, writer, lambda table: table)


def _export(
    store: Store,
    path: Path,
    open_writer: Callable[[Path, pa.Schema], Any],
    convert: Callable[[pa.Table], pa.Table],
) -> int:
    """Writes all rows, in order of unit and leg; returns their number. Raises ExportError."""
    tables = _portions(store)
    first = next(tables, None)
    if first is None:
        raise ExportError(f"{store} has no rows yet")
    table = convert(first)
    count: int = table.num_rows
    try:
        with whole(path) as part, open_writer(part, table.schema) as writer:
            writer.write_table(table)
            for following in tables:
                writer.write_table(convert(following))
                count += following.num_rows
    except StorageError:
        raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise ExportError(f"cannot write {path}: {reason}") from None
    return count


def _portions(store: Store) -> Iterator[pa.Table]:
    """The rows in tables of some size, since a Parquet file of small row groups is slow to read."""
    waiting: list[pa.Table] = []
    for table in ordered_tables(store, list_shards(store)):
        waiting.append(table)
        if sum(each.num_rows for each in waiting) >= _ROWS_AT_ONCE:
            yield _joined(waiting)
            waiting = []
    if waiting:
        yield _joined(waiting)


def _joined(tables: list[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables).unify_dictionaries().combine_chunks()


def _flat(table: pa.Table) -> pa.Table:
    """The table with plain text for words and JSON for lists."""
    table = decoded(table)
    for place, field in enumerate(table.schema):
        if pa.types.is_nested(field.type):
            texts = [None if x is None else json_text(x) for x in table[field.name].to_pylist()]
            table = table.set_column(place, field.name, pa.array(texts, pa.string()))
    return table


def json_text(value: Any) -> str:
    """A value of a row or of an answer as JSON, with all digits of a decimal.

    What is no number is null. Keys of maps, dates and the like are text.
    """
    if isinstance(value, dict):
        items = (f"{json.dumps(_key(key))}: {json_text(each)}" for key, each in value.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(json_text, value))}]"
    if isinstance(value, Decimal):
        return f"{value:f}" if value.is_finite() else "null"
    if isinstance(value, float) and not math.isfinite(value):
        return "null"
    return json.dumps(value, default=str, allow_nan=False)


def _key(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
