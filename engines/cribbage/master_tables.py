"""What Master knows: what Expert keeps and throws, what a kept hand brings in the play, the board.

`master_tables.json` is written by `farm run cribbage-master-tables`; it says how it came about.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from engines.cribbage.board import Board, default_board
from engines.cribbage.crib_tables import default_tables, fingerprint_of
from engines.cribbage.master_memory import Search, new_search
from engines.cribbage.package_data import read_document
from engines.cribbage.scoring_kernel import RANKS, SHOWS, show_table


@dataclass(frozen=True, eq=False)
class MasterTables:
    """By role (0 pone, 1 dealer) and the ranks kept (row of `show_index`): float64[2, SHOWS] each.

    keeps: how much more often than at random such cards are kept that are not all of a suit, by an
    opponent who is Expert but for one hand in twenty, which is kept at random. flushes: the same of
    cards that are all of a suit, 0 where two ranks are equal. pegging: mean points in the play less
    the opponent's, less the role's own mean, both playing on as Expert. throws: how much more often
    than at random two ranks are thrown by such an opponent, float64[2, RANKS, RANKS] by role, the
    lower and the higher rank. board: what all scores are worth.
    """

    keeps: np.ndarray
    flushes: np.ndarray
    pegging: np.ndarray
    throws: np.ndarray
    board: Board
    throw_board: Board

    def search(self) -> Search:
        """Memory of a search that goes by these tables."""
        return new_search(
            self.keeps,
            self.flushes,
            self.throws,
            show_table(),
            self.board.dealer_wins,
            self.throw_board.dealer_wins,
        )


def tables_document() -> dict[str, Any]:
    """All of the file."""
    return read_document("master_tables.json")


@lru_cache
def default_master_tables() -> MasterTables:
    """The tables of the file."""
    document = tables_document()
    names = "keeps", "flushes", "pegging"
    keeps, flushes, pegging = (_table(document[name], (2, SHOWS)) for name in names)
    throws = _table(document["throws"], (2, RANKS, RANKS))
    return MasterTables(keeps, flushes, pegging, throws, default_board(), default_board())


def master_fingerprint() -> str:
    """As `tables_fingerprint`, of the crib tables and of all that Master goes by beside them."""
    cribs, master = default_tables(), default_master_tables()
    return fingerprint_of(
        cribs.dealer,
        cribs.pone,
        master.keeps,
        master.flushes,
        master.pegging,
        master.throws,
        master.board.dealer_wins,
    )


def _table(rows: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    table = np.array(rows, np.float64)
    if table.shape != shape:
        raise ValueError(f"expected a table of shape {shape}, got {table.shape}")
    table.flags.writeable = False
    return table
