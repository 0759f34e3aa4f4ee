"""SQL on the rows of a run, by DuckDB.

DuckDB reads the shards as it needs them: only the columns of a query, and a few shards at a time.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from results.shards import Shard, list_shards, read_facts
from results.store import Store

_AT_ONCE = 1000


class QueryError(ValueError):
    """A query that cannot be answered; the text is one line."""


@dataclass(frozen=True)
class Answer:
    """The columns of an answer, all different, and its rows, computed as they are asked for."""

    columns: list[str]
    rows: Iterator[tuple[Any, ...]]


def ask(store: Store, sql: str) -> Answer:
    """The answer to a query; raises QueryError, also while rows are asked for.

    It can ask `rows`, the final rows of the run, and `shards`, its files with `pass`, `first_unit`,
    `last_unit`, `name`, `bytes` and facts such as `node`.
    """
    try:
        import duckdb
    except ImportError:
        raise QueryError("DuckDB is not installed: pip install 'dealfarm[query]'") from None
    shards = list_shards(store)
    if not shards:
        raise QueryError(f"{store} has no rows yet")
    # Without the setting, a name in a query could mean a variable of this program.
    connection = duckdb.connect(config={"python_enable_replacements": False})
    try:
        connection.execute(_rows_view(connection, store, shards))
        if re.search(r"\bshards\b", sql, re.IGNORECASE):
            connection.register("shards", _shards_table(store, shards))
        connection.execute(sql)
    except duckdb.Error as error:
        raise _query_error(error) from None
    if connection.description is None:
        raise QueryError("expected a query with an answer, such as select count(*) from rows")

    def fetch() -> Iterator[tuple[Any, ...]]:
        try:
            while found := connection.fetchmany(_AT_ONCE):
                yield from found
        except duckdb.Error as error:
            raise _query_error(error) from None

    return Answer(_distinct([name for name, *_ in connection.description]), fetch())


def _distinct(names: list[str]) -> list[str]:
    """Names of columns with repeats numbered, as DuckDB names those of a table: a, a_1, a_2."""
    found: list[str] = []
    for name in names:
        candidates = (f"{name}_{number}" if number else name for number in count())
        found.append(next(each for each in candidates if each not in found))
    return found


def _query_error(error: Exception) -> QueryError:
    """DuckDB's message up to the picture of the query."""
    return QueryError(" ".join(str(error).partition("\n\nLINE")[0].split()))


def _rows_view(connection: Any, store: Store, shards: list[Shard]) -> str:
    """The view `rows`: of each pass the units that no later one has, as `results.rows.rows`."""
    with store.open(shards[0].name) as file:
        schema = pq.read_schema(file).remove_metadata()
    passes = sorted({shard.pass_index for shard in shards}, reverse=True)
    parts = []
    for place, index in enumerate(passes):
        names = [shard.name for shard in shards if shard.pass_index == index]
        connection.register(f"pass_{index}", store.dataset(names, schema))
        later = " union all ".join(f"select unit from pass_{each}" for each in passes[:place])
        where = f" where unit not in ({later})" if later else ""
        parts.append(f"select * from pass_{index}{where}")
    return f"create temp view rows as {' union all '.join(parts)}"


def _shards_table(store: Store, shards: list[Shard]) -> pa.Table:
    sizes = {file.name: file.size for file in store.files("shards")}
    return pa.Table.from_pylist(
        [
            {
                "pass": shard.pass_index,
                "first_unit": shard.start,
                "last_unit": shard.stop - 1,
                "name": shard.name,
                "bytes": sizes[shard.name],
                **read_facts(store, shard),
            }
            for shard in shards
        ]
    )
