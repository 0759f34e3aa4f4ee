"""Columns of rows, each with its description."""

import pyarrow as pa

WORD = pa.dictionary(pa.int8(), pa.string())
"""A word of which there are few different ones."""


def column(name: str, kind: pa.DataType, description: str) -> pa.Field:
    """A column of a job's schema."""
    return pa.field(name, kind, metadata={"description": description})


UNIT = column("unit", pa.int64(), "the deal's number, or its line in the deal file")
ID = column("id", pa.string(), "the deal's id in the deal file")
"""Of jobs whose units are deals."""
