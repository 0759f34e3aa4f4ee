import json

import pytest

from engines.deal_text import DealError
from engines.gallery.deal import random_deal
from engines.gallery.position_text import parse_position, position_json
from engines.gallery.rules import Position

START = position_json(Position.start(random_deal(1, 1)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gallery": []}, "expected 'gallery' to be 3 lists of 8 lists of cards"),
        ({"tableau": [[]]}, "expected 'tableau' to be 8 lists of cards"),
        ({"stock": ["2C"]}, "expected 'stock' to be a list of 0, 8, .. or 72 cards"),
        ({"stock": START["stock"][8:]}, "cards beside the aces that are gone, got"),
        ({"tableau": [["AC"], *START["tableau"][1:]]}, "AC leaves the game when it is dealt"),
        ({"x": 1}, "unknown key 'x'"),
    ],
)
def test_what_is_no_position_is_refused(change, message):
    with pytest.raises(DealError, match=message):
        parse_position(json.dumps({**START, **change}))
