"""The rows of a run: for each unit those of the highest pass that took it up."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa

from results.shards import Shard, list_shards, read_batches, read_shards
from results.store import Store

MEASURED = ("seconds", "node", "attempt")
"""Columns that say how a row came about on some machine; they are left out of comparisons."""

_KEYS = ("unit", "leg")


@dataclass(frozen=True)
class Batch:
    """Final rows of some shards of one pass, in order of unit.

    by_shard: a table for each, with the metadata of its file.
    """

    pass_index: int
    by_shard: list[pa.Table]

    @cached_property
    def rows(self) -> pa.Table:
        """All of them in one table."""
        # Shards name their own node and attempt in their schema's metadata; the view has none.
        table = pa.concat_tables(self.by_shard).replace_schema_metadata()
        return table.combine_chunks() if len(self.by_shard) > 1 else table


def rows(store: Store, columns: list[str] | None = None) -> pa.Table | None:
    """The final rows of a run directory in order of unit (and leg); None where it has no shard.

    columns: these only, which must have `unit` among them. Raises ShardError for a damaged shard.
    """
    return merge_passes(store, list_shards(store), columns)


def merge_passes(
    store: Store, shards: list[Shard], columns: list[str] | None = None
) -> pa.Table | None:
    """The rows of these shards; where passes took up the same unit, those of the highest."""
    return in_order([batch.rows for batch in final_batches(store, shards, columns)])


def in_order(tables: list[pa.Table]) -> pa.Table | None:
    """The rows of all these tables in order of unit (and leg); None where there is no table."""
    return _sorted(pa.concat_tables(tables)) if tables else None


def final_batches(
    store: Store, shards: list[Shard], columns: list[str] | None = None
) -> Iterator[Batch]:
    """The rows of `merge_passes`, some shards at a time: the highest pass first.

    So that the memory needed is that of a few shards and of the units of later passes.
    """
    taken = np.empty(0, np.int64)
    for pass_index in sorted({shard.pass_index for shard in shards}, reverse=True):
        of_pass = [shard for shard in shards if shard.pass_index == pass_index]
        units = [taken]
        for tables in read_batches(store, sorted(of_pass), columns):
            if pass_index:
                units += [table["unit"].to_numpy() for table in tables]
            yield Batch(pass_index, [_without(table, taken) for table in tables])
        if pass_index:
            taken = np.sort(np.concatenate(units))


def _without(table: pa.Table, taken: np.ndarray) -> pa.Table:
    """The rows of units that are not among those taken, which are sorted."""
    if not len(taken):
        return table
    own = table["unit"].to_numpy()
    places = np.minimum(np.searchsorted(taken, own), len(taken) - 1)
    return table.filter(pa.array(taken[places] != own))


def ordered_tables(
    store: Store, shards: list[Shard], columns: list[str] | None = None
) -> Iterator[pa.Table]:
    """The rows of `merge_passes` in their order, piece by piece, in the memory of a few shards.

    A piece is a range of units that no shard of any pass begins or ends within.
    """
    passes = sorted({shard.pass_index for shard in shards}, reverse=True)
    of_pass = {index: sorted(s for s in shards if s.pass_index == index) for index in passes}
    ahead = {
        index: zip(of_pass[index], read_shards(store, of_pass[index], columns), strict=True)
        for index in passes
    }
    at_hand = {index: next(ahead[index]) for index in passes}
    cuts = sorted({cut for shard in shards for cut in (shard.start, shard.stop)})
    for start, stop in pairwise(cuts):
        pieces, taken = [], np.empty(0, np.int64)
        for index in passes:
            if at_hand[index][0].stop <= start:
                at_hand[index] = next(ahead[index], at_hand[index])
            shard, table = at_hand[index]
            if not shard.start <= start < shard.stop:
                continue
            own = table["unit"].to_numpy()
            fresh = (own >= start) & (own < stop) & ~np.isin(own, taken)
            pieces.append(table.filter(pa.array(fresh)).replace_schema_metadata())
            taken = np.concatenate([taken, own[fresh]])
        if len(taken):
            yield _sorted(pa.concat_tables(pieces))


def _sorted(table: pa.Table) -> pa.Table:
    return table.sort_by([(key, "ascending") for key in _KEYS if key in table.column_names])


def decoded(table: pa.Table) -> pa.Table:
    """The table with words as plain text, whatever their places in a dictionary."""
    fields = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def comparable(table: pa.Table) -> pa.Table:
    """The rows without what differs between two runs of the same job.

    Words are decoded, since equal ones may have different places in two dictionaries.
    """
    kept = table.drop_columns([name for name in MEASURED if name in table.column_names])
    return decoded(kept).combine_chunks()
