"""The rows of a run: for each unit those of the highest pass that took it up."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from results.shards import Shard, list_shards, read_shards
from results.store import Store

MEASURED = ("seconds", "node", "attempt")
"""Columns that say how a row came about on some machine; they are left out of comparisons."""

_KEYS = ("unit", "leg")


def rows(store: Store, columns: list[str] | None = None) -> pa.Table | None:
    """The final rows of a run directory in order of unit (and leg); None where it has no shard.

    columns: these only, which must have `unit` among them. Raises ShardError for a damaged shard.
    """
    return merge_passes(store, list_shards(store), columns)


def merge_passes(
    store: Store, shards: list[Shard], columns: list[str] | None = None
) -> pa.Table | None:
    """The rows of these shards; where passes took up the same unit, those of the highest."""
    tables = list(final_tables(store, shards, columns))
    if not tables:
        return None
    # Shards name their own node and attempt in their schema's metadata; the view has none.
    merged = pa.concat_tables([table.replace_schema_metadata() for table in tables])
    return merged.sort_by([(key, "ascending") for key in _KEYS if key in merged.column_names])


def final_tables(
    store: Store, shards: list[Shard], columns: list[str] | None = None
) -> Iterator[pa.Table]:
    """The rows of `merge_passes` a shard at a time: the highest pass first, each in order of unit.

    So that the memory needed is that of a few shards and of the units of later passes.
    """
    taken = np.empty(0, np.int64)
    for pass_index in sorted({shard.pass_index for shard in shards}, reverse=True):
        of_pass = [shard for shard in shards if shard.pass_index == pass_index]
        units = [taken]
        for table in read_shards(store, sorted(of_pass), columns):
            own = table["unit"].to_numpy()
            if pass_index:
                units.append(own)
            if len(taken):
                places = np.minimum(np.searchsorted(taken, own), len(taken) - 1)
                table = table.filter(pa.array(taken[places] != own))
            yield table
        if pass_index:
            taken = np.sort(np.concatenate(units))


def comparable(table: pa.Table) -> pa.Table:
    """The rows without what differs between two runs of the same job.

    Words are decoded, since equal ones may have different places in two dictionaries.
    """
    kept = table.drop_columns([name for name in MEASURED if name in table.column_names])
    decoded = [
        pa.field(field.name, field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in kept.schema
    ]
    return kept.cast(pa.schema(decoded)).combine_chunks()
