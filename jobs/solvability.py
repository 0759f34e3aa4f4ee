"""What jobs have in common that decide whether deals can be won: outcomes, replays and shares."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

from engines.limits import DECIDED, Outcome
from jobs.columns import ID, UNIT, WORD, column
from jobs.job import Row, VerificationError
from results.statistics import Metric, bounds, share

EXPECTED = column("expected", WORD, "the verdict given in the deal file")
ERROR = column("error", pa.string(), "what went wrong where the outcome is failed")
SECONDS = column("seconds", pa.float64(), "wall time spent on the deal")
PROVED_OUTCOME = column("outcome", WORD, "solved, unsolvable (proved), node_limit, ...")
"""Columns of these jobs beside UNIT and ID; the last where a search that ends is a proof."""


class Given(Protocol):
    """A line of a deal file."""

    @property
    def id(self) -> str | None:
        """The deal's id."""

    @property
    def verdict(self) -> Outcome | None:
        """The verdict to compare with."""


def given_columns(unit: int, given: Given) -> Row:
    """The columns UNIT, ID and EXPECTED of a row."""
    expected = None if given.verdict is None else str(given.verdict)
    return {UNIT.name: unit, ID.name: given.id, EXPECTED.name: expected}


def failed_columns(error: str) -> Row:
    """The columns of a deal on which the solver failed, beside those that are given."""
    return {"outcome": str(Outcome.FAILED), "error": error}


def outcome_columns(outcome: Outcome, moves: Sequence[object]) -> Row:
    """The columns `outcome`, `moves` and `solution` of a row."""
    solved = outcome is Outcome.SOLVED
    return {
        "outcome": str(outcome),
        "moves": len(moves) if solved else None,
        "solution": " ".join(map(str, moves)) if solved else None,
    }


def verify_solution(row: Row, play: Callable[[str], tuple[int, bool]]) -> bool:
    """Whether a row has a solution to replay; raises VerificationError where it does not win.

    play: replays a solution on the rules; returns the number of its moves and whether it wins, or
        raises ValueError.
    """
    solved = row["outcome"] == Outcome.SOLVED
    if solved != (row["solution"] is not None):
        raise VerificationError(f"unit {row['unit']}: {row['outcome']}, moves {row['solution']!r}")
    if not solved:
        return False
    try:
        count, won = play(row["solution"])
    except ValueError as error:
        raise VerificationError(f"unit {row['unit']}: {error}") from None
    if not won:
        raise VerificationError(f"unit {row['unit']}: the {count} moves do not win")
    if count != row["moves"]:
        raise VerificationError(
            f"unit {row['unit']}: {count} moves, but the row says {row['moves']}"
        )
    return True


TALLY_COLUMNS = ("unit", "outcome", "expected")
_CONTRADICTED = "contradicted"
_FINAL = [str(outcome) for outcome in (*DECIDED, Outcome.EXHAUSTED)]
_DECIDED = [str(outcome) for outcome in DECIDED]


def is_open(table: pa.Table) -> pa.ChunkedArray:
    """Whether larger limits may change the outcome: a search that ended stays as it is."""
    return pc.invert(pc.is_in(table["outcome"], pa.array(_FINAL)))


def tally(table: pa.Table) -> Counter[str]:
    """Rows by outcome; and decided rows that contradict the verdict in the deal file."""
    outcome = table["outcome"].cast(pa.string())
    counted = Counter(dict(zip(*_values_and_counts(outcome), strict=True)))
    decided = pc.is_in(outcome, pa.array(_DECIDED))
    differs = pc.not_equal(outcome, table["expected"].cast(pa.string()))
    counted[_CONTRADICTED] = pc.sum(pc.and_(decided, differs)).as_py() or 0
    return counted


def _values_and_counts(column: pa.ChunkedArray) -> tuple[list[str], list[int]]:
    found = column.value_counts()
    return found.field("values").to_pylist(), found.field("counts").to_pylist()


def counts(tally: Counter[str]) -> dict[str, int]:
    """Rows by outcome; a contradicted verdict is a remark on a row, not a row of its own."""
    return {outcome: number for outcome, number in tally.items() if outcome != _CONTRADICTED}


def metrics(tally: Counter[str]) -> list[Metric]:
    """solved_share: what this solver wins. winnable_share: what the game allows, within bounds."""
    numbers = {outcome: tally[outcome] for outcome in Outcome}
    total = sum(numbers.values())
    undecided = sum(number for outcome, number in numbers.items() if outcome not in DECIDED)
    solved = numbers[Outcome.SOLVED]
    return [
        share("solved_share", solved, total),
        bounds("winnable_share", solved, solved + undecided, total),
    ]


def remarks(tally: Counter[str]) -> list[str]:
    """Verdicts of the deal file that a replayed win or a proof of ours contradicts."""
    if count := tally[_CONTRADICTED]:
        return [f"CONTRADICTED: {count} verdicts of the deal file differ from a decided outcome"]
    return []
