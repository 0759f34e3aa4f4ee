"""Shenzhen solitaire by trying everything on the plain rules."""


def canonical(position):
    """A position up to the order of its piles."""
    return (
        tuple(sorted(position.columns)),
        tuple(sorted(position.cells)),
        position.flower,
        tuple(sorted(position.foundations)),
    )


def reachable(position, most):
    """All positions that can be reached, up to the order of piles, and whether one is won.

    None where there are more than `most`.
    """
    seen = {canonical(position)}
    open_positions, won = [position], position.won
    while open_positions:
        current = open_positions.pop()
        for move in current.legal_moves():
            after = current.apply(move)
            key = canonical(after)
            if key not in seen:
                seen.add(key)
                won = won or after.won
                open_positions.append(after)
                if len(seen) > most:
                    return None
    return seen, won
