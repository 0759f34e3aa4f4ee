"""A test without search for positions that cannot be won; SOUNDNESS.md, section 6, proves it."""

from engines.cards import KING, is_red, rank_of
from engines.klondike.rules import Position

_HOSTS = tuple(
    tuple(
        4 * (rank_of(card) + 1) + suit
        for suit in range(4)
        if rank_of(card) < KING and (suit in (1, 2)) != is_red(card)
    )
    for card in range(52)
)
"""By card: the two cards that it may lie on; none for a king."""


def is_dead(position: Position) -> bool:
    """Whether some card can never be freed, even if nothing that was possible once ever goes away.

    False says nothing. Finds about one in five of the deals that cannot be won.
    """
    columns = [[*column.down, *column.up[:1]] for column in position.tableau]
    for column in columns:
        if len(column) == 1 and rank_of(column[0]) == KING:
            column.clear()
    can_go_up = {4 * rank + suit for suit in range(4) for rank in range(position.foundations[suit])}
    can_lie = {card for column in position.tableau for card in column.up}
    free = can_lie | can_go_up | {*position.stock, *position.waste}
    room = not all(columns)
    changed = True
    while changed:
        changed = False
        for card in free - can_go_up:
            if card < 4 or card - 4 in can_go_up:
                can_go_up.add(card)
                changed = True
        for card in free - can_lie:
            if any(host in can_lie for host in _HOSTS[card]) or (room and rank_of(card) == KING):
                can_lie.add(card)
                changed = True
        for column in columns:
            if not column:
                continue
            head = column[-1]
            if (
                head in can_go_up
                or any(host in can_lie for host in _HOSTS[head])
                or (room and rank_of(head) == KING)
            ):
                column.pop()
                changed = True
                if column:
                    can_lie.add(column[-1])
                    free.add(column[-1])
                else:
                    room = True
    return len(can_go_up) < 52
