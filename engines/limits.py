"""How far a solver may go, and the words for how it ended."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How a solver ended on a deal."""

    SOLVED = "solved"
    """Won, with a move list that was replayed on the plain rules."""
    UNSOLVABLE = "unsolvable"
    """No win exists: proved by exhaustion."""
    EXHAUSTED = "exhausted"
    """An incomplete method ended without a win: no proof."""
    NODE_LIMIT = "node_limit"
    MEMORY_LIMIT = "memory_limit"
    FAILED = "failed"
    """An error, whose text is in the row."""
    TIMED_OUT = "timed_out"
    """Ended by a wall-clock limit, which depends on the machine."""


DECIDED = frozenset({Outcome.SOLVED, Outcome.UNSOLVABLE})
"""The outcomes that say what the game allows; all others are undecided."""


@dataclass(frozen=True)
class Limits:
    """Bounds counted in work and memory, so that a verdict does not depend on the machine.

    nodes: the solver's own unit of work (its docstring says which).
    bytes: the size of its memory of visited positions.
    """

    nodes: int
    bytes: int = 2**30
