"""Whether a position can be won, by all legal moves over whole positions; for late ones only."""

from engines.klondike.moves import MoveKind


class TooMany(Exception):
    pass


def key(position):
    """Equal for positions that differ in the order of columns only."""
    columns = sorted((column.down, column.up) for column in position.tableau)
    return tuple(columns), position.stock, position.waste, position.redeals_left


def preference(move):
    """Cards to the foundations first: the last in the list is explored first."""
    return move.kind in (MoveKind.TABLEAU_TO_FOUNDATION, MoveKind.WASTE_TO_FOUNDATION)


def is_winnable(position, limit):
    """Explores every position that legal moves lead to; raises TooMany past the limit."""
    seen, stack = {key(position)}, [position]
    while stack:
        position = stack.pop()
        if position.won:
            return True
        for move in sorted(position.legal_moves(), key=preference):
            following = position.apply(move)
            if key(following) not in seen:
                if len(seen) == limit:
                    raise TooMany
                seen.add(key(following))
                stack.append(following)
    return False
