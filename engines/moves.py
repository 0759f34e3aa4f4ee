"""What named moves have in common in all games: numbers in range, and being legal or not."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, Self, TypeVar


class IllegalMove(ValueError):
    """A move that the rules do not allow in the position; the text says which move and why."""


class _Playable(Protocol):
    def apply(self, move: Any) -> Self: ...


_Position = TypeVar("_Position", bound=_Playable)


def check_ranges(purpose: str, *fields: tuple[str, int, Sequence[int]]) -> None:
    """Raises ValueError for the first field (name, value, allowed values) out of its range."""
    for name, value, allowed in fields:
        if value not in allowed:
            span = f"{min(allowed)} to {max(allowed)}"
            raise ValueError(f"expected {name} {span} to {purpose}, got {value}")


def play_all(position: _Position, moves: Iterable[Any]) -> _Position:
    """The position after all moves; raises IllegalMove naming the first illegal one by number."""
    for number, move in enumerate(moves, start=1):
        try:
            position = position.apply(move)
        except IllegalMove as error:
            raise IllegalMove(f"move {number}: {error}\n{position}") from None
    return position
