"""What Master knows of Expert: which hands it keeps, and what a kept hand brings in the play.

`master_tables.json` is written by `farm run cribbage-master-tables`; it says how it came about.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from engines.cribbage.scoring_kernel import SHOWS


@dataclass(frozen=True, eq=False)
class MasterTables:
    """By role (0 pone, 1 dealer) and the ranks kept (row of `show_index`): float64[2, SHOWS] each.

    keeps: how much more often than at random these ranks are kept, by an opponent who is Expert
    but for one hand in twenty, which is kept at random. pegging: mean points in the play less the
    opponent's, less the role's own mean, both playing on as Expert.
    """

    keeps: np.ndarray
    pegging: np.ndarray


def tables_document() -> dict[str, Any]:
    """All of the file."""
    text = files("engines.cribbage").joinpath("master_tables.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


@lru_cache
def default_master_tables() -> MasterTables:
    """The tables of the file."""
    document = tables_document()
    return MasterTables(_table(document["keeps"]), _table(document["pegging"]))


def _table(rows: list[list[float]]) -> np.ndarray:
    table = np.array(rows, np.float64)
    if table.shape != (2, SHOWS):
        raise ValueError(f"expected a table of 2 by {SHOWS}, got {table.shape}")
    table.flags.writeable = False
    return table
