"""What a crib is worth in the mean when two cards of given ranks are thrown into it.

`crib_tables.json` is written by `farm run cribbage-crib-tables`; it says how it came about.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from engines.cribbage.package_data import read_document

RANKS = 13


@dataclass(frozen=True, eq=False)
class CribTables:
    """Mean crib in points by the ranks thrown, float64[13, 13] and symmetric, ace first.

    dealer: thrown by the dealer, to whose crib the pone adds by the brain's own policy.
    pone: thrown by the pone, the dealer adding.
    """

    dealer: np.ndarray
    pone: np.ndarray

    def stacked(self) -> np.ndarray:
        """Both as float64[2, 13, 13]: pone, then dealer, so that `is_dealer` is the index."""
        return np.stack([self.pone, self.dealer])


def tables_document() -> dict[str, Any]:
    """All of the file: `exact`, `dealer`, `pone`, each pass that led to them, and how."""
    return read_document("crib_tables.json")


@lru_cache
def default_tables() -> CribTables:
    """The seat tables of the file, which the brain uses."""
    document = tables_document()
    return CribTables(square(document["dealer"]), square(document["pone"]))


@lru_cache
def exact_table() -> np.ndarray:
    """Mean crib over all 58,800 completions of each pair from the other 50 cards, uniform."""
    return square(tables_document()["exact"])


def square(rows: list[list[float]]) -> np.ndarray:
    """A read-only table of nested lists; raises ValueError unless it is 13 by 13 and symmetric."""
    table = np.array(rows, np.float64)
    if table.shape != (RANKS, RANKS) or not np.array_equal(table, table.T):
        raise ValueError(f"expected a symmetric {RANKS} by {RANKS} table, got {table.shape}")
    table.flags.writeable = False
    return table


@lru_cache
def tables_fingerprint() -> str:
    """16 hexadecimal digits: of SHA-256 of dealer and pone table as little-endian float64."""
    tables = default_tables()
    return fingerprint_of(tables.dealer, tables.pone)


def fingerprint_of(*tables: np.ndarray) -> str:
    """16 hexadecimal digits: of SHA-256 of the tables as little-endian float64, in this order."""
    content = b"".join(table.astype("<f8").tobytes() for table in tables)
    return hashlib.sha256(content).hexdigest()[:16]
