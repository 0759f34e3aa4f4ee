"""A Gallery position as an SVG picture, for reports."""

from engines.cards import is_red, pretty
from engines.gallery.deal import PLACES, ROWS
from engines.gallery.rules import Position, in_place

_WIDTH, _HEIGHT, _GAP, _FAN = 44, 60, 8, 20
_MARGIN = 12
_RED, _BLACK = "#b3261e", "#1b1b1b"


def svg(position: Position) -> str:
    """The picture: the gallery, misplaced cards grey, over the tableau and the score."""
    step_x, step_y = _WIDTH + _GAP, _HEIGHT + _GAP
    parts = []
    for place, cards in enumerate(position.gallery):
        row, column = divmod(place, PLACES)
        x, y = _MARGIN + column * step_x, _MARGIN + row * step_y
        if cards:
            parts.append(_card(x, y, cards[-1], in_place(place, cards)))
        else:
            parts.append(
                f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="5" fill="none" '
                'stroke="#888" stroke-dasharray="4 3"/>'
            )
    tableau_y = _MARGIN + ROWS * step_y + _GAP
    for pile, cards in enumerate(position.tableau):
        for level, card in enumerate(cards):
            x, y = _MARGIN + pile * step_x, tableau_y + level * _FAN
            parts.append(_card(x, y, card, True))
    highest = max(map(len, position.tableau))
    text_y = tableau_y + _HEIGHT + max(highest - 1, 0) * _FAN + 2 * _GAP + 8
    parts.append(
        f'<text x="{_MARGIN}" y="{text_y}" font-size="14">stock {len(position.stock)}, '
        f"score {position.score}, {position.tableau_cards} on the tableau</text>"
    )
    width, height = 2 * _MARGIN + PLACES * step_x - _GAP, text_y + _MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif">',
            *parts,
            "</svg>",
        ]
    )


def _card(x: int, y: int, card: int, right: bool) -> str:
    """A card; `right` is whether it lies where it may."""
    ink = _RED if is_red(card) else _BLACK
    paper = "#ffffff" if right else "#d6d6d6"
    return (
        f'<g><rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="5" fill="{paper}" '
        f'stroke="#555"/><text x="{x + 6}" y="{y + 16}" font-size="15" fill="{ink}">'
        f"{pretty(card)}</text></g>"
    )
