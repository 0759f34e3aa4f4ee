"""Which of the cards that each place may hold make up the deck: a doubt is settled or stays one."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from engines.shenzhen.deal import CELLS, COLUMNS, DECK, EMPTY, FLOWER, SUITS
from engines.shenzhen.rules import place_name

STACK = "X"
UNREAD = "?"

Candidates = tuple[int | str, ...]
"""What a place may hold, the likeliest first: cards, EMPTY, or STACK for collected dragons."""
_MOST_STEPS = 20_000


class TooManyChoices(Exception):
    """So many places are in doubt that not all choices could be tried."""


@dataclass(frozen=True)
class Sight:
    """The candidates of every place of a board.

    cells, foundations: empty where the top row is not seen.
    """

    columns: tuple[tuple[Candidates, ...], ...]
    cells: tuple[Candidates, ...] = ()
    flower: bool = False
    foundations: tuple[Candidates, ...] = ()


@dataclass(frozen=True)
class Choice:
    """One candidate for every place."""

    columns: tuple[tuple[int, ...], ...]
    cells: tuple[int | str, ...]
    flower: bool
    foundations: tuple[Any, ...]


def choices(sight: Sight) -> Iterator[Choice]:
    """Choices that use no card more often than the deck has it, the likeliest first.

    At most one in all where no place is in doubt. Raises TooManyChoices after a fixed number of
    steps, where choices that were not met may be left.
    """
    places = _places(sight)
    order = sorted(range(len(places)), key=lambda place: len(places[place]))
    first_foundation = len(places) - len(sight.foundations)
    left = Counter(DECK)
    if sight.flower:
        left[FLOWER] -= 1
    chosen: list[int | str] = [EMPTY] * len(places)
    steps = 0

    def used(place: int, card: int | str) -> Sequence[int]:
        if not isinstance(card, int) or card == EMPTY:
            return ()
        return range(card, 2, -SUITS) if place >= first_foundation else (card,)

    def fill(depth: int) -> Iterator[Choice]:
        nonlocal steps
        if depth == len(order):
            yield _choice(chosen, sight)
            return
        place = order[depth]
        for card in places[place]:
            steps += 1
            if steps > _MOST_STEPS:
                raise TooManyChoices
            cards = used(place, card)
            if all(left[each] > 0 for each in cards):
                left.subtract(cards)
                chosen[place] = card
                yield from fill(depth + 1)
                left.update(cards)

    yield from fill(0)


def likeliest(sight: Sight) -> Choice:
    """The first candidate of every place, whatever the deck says."""
    return _choice([candidates[0] for candidates in _places(sight)], sight)


def draft(sight: Sight) -> str:
    """The picture of what is clear, in the form of positions, with ? for every place in doubt."""
    names = [_name(candidates) for candidates in _places(sight)]
    columns, rest = _by_column(names, sight)
    cells, foundations = rest[: len(sight.cells)], rest[len(sight.cells) :]
    height = max(1, *map(len, columns))
    rows = [
        [column[row] if row < len(column) else "." for column in columns] for row in range(height)
    ]
    header = [str(number) for number in range(1, COLUMNS + 1)]
    return "\n".join(
        [
            f"cells        {' '.join(cells or [UNREAD] * CELLS)}",
            f"flower       {'FL' if sight.flower else '--' if sight.cells else UNREAD}",
            f"foundations  {' '.join(foundations or [UNREAD] * SUITS)}",
            *("  ".join(f"{word:2}" for word in row).rstrip() for row in [header, *rows]),
        ]
    )


def _name(candidates: Candidates) -> str:
    if len(candidates) > 1:
        return UNREAD
    return candidates[0] if isinstance(candidates[0], str) else place_name(candidates[0])


def _places(sight: Sight) -> list[Candidates]:
    columns = [place for column in sight.columns for place in column]
    return [*columns, *sight.cells, *sight.foundations]


def _by_column(flat: Sequence[Any], sight: Sight) -> tuple[list[tuple[Any, ...]], tuple[Any, ...]]:
    """Flat places as columns, and the rest."""
    ends = list(accumulate(map(len, sight.columns)))
    starts = [0, *ends[:-1]]
    columns = [tuple(flat[start:end]) for start, end in zip(starts, ends, strict=True)]
    return columns, tuple(flat[ends[-1] :])


def _choice(flat: Sequence[int | str], sight: Sight) -> Choice:
    columns, rest = _by_column(flat, sight)
    cells, foundations = rest[: len(sight.cells)], rest[len(sight.cells) :]
    return Choice(tuple(columns), cells, sight.flower, foundations)
