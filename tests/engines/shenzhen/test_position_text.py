import json

import pytest

from engines.limits import Outcome
from engines.shenzhen.deal import random_deal
from engines.shenzhen.exact import solve
from engines.shenzhen.position_text import (
    TopRowUnknown,
    parse_position,
    parse_position_line,
    position_json,
    possible_positions,
    top_row_text,
)
from engines.shenzhen.rules import Position

DEAL = Position(random_deal(0, 0).columns)
LINE = position_json(DEAL)


def stages(count=8):
    """Positions along a won game."""
    start = Position.start(random_deal(0, 0))
    moves = solve(start).moves
    positions = [start]
    for move in moves:
        positions.append(positions[-1].apply(move))
    return positions[:: max(1, len(positions) // count)]


def test_both_forms_read_as_they_are_written():
    for position in stages():
        assert parse_position(str(position)) == position
        assert parse_position(json.dumps(position_json(position))) == position


def test_a_line_keeps_its_id_and_verdict():
    line = parse_position_line(json.dumps({**LINE, "id": "seven", "verdict": "solved"}))
    assert (line.id, line.verdict, line.position) == ("seven", Outcome.SOLVED, DEAL)


def test_a_deal_needs_its_columns_only():
    assert parse_position(json.dumps({"columns": LINE["columns"]})) == DEAL


def test_a_stack_that_is_not_named_is_that_of_the_missing_dragon():
    last = next(position for position in stages(40) if -4 in position.cells)
    fields = position_json(last)
    fields["free"] = ["X" if name and name[0] == "X" else name for name in fields["free"]]
    if fields["free"].count("X") == 1:
        assert parse_position(json.dumps(fields)) == last
    assert set(parse_position(json.dumps(fields)).cells) == set(last.cells)


def changed(**fields):
    return json.dumps({**LINE, **fields})


COLUMNS = LINE["columns"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("whist", "expected JSON, or a picture with lines for cells, .* got 'whist'"),
        ("{", "expected a JSON object, which fails: .* at column 2"),
        ('{"id": "a", "id": "b"}', "key 'id' comes twice"),
        (changed(draw=3), "unknown key 'draw'; known are buttons_dark"),
        (changed(columns=7), "expected 'columns' to be eight lists of cards, got 7"),
        (changed(columns=COLUMNS[:7]), "expected eight columns, got 7"),
        (changed(columns=[["r0"], *COLUMNS[1:]]), "column 1: expected a card such as .* 'r0'"),
        (changed(columns=[["?"], *COLUMNS[1:]]), "column 1 has a card that could not be read"),
        (changed(columns=[[], *COLUMNS[1:]]), "40 cards of the deck, got missing: "),
        (changed(free=["X", None, None]), "collected dragons, but no dragon is missing"),
        (changed(free=["r1"]), "expected 'free' to be a list of three"),
        (changed(foundation_slots=["RD", None, None]), "expected a number such as r1, got 'RD'"),
        (changed(flower_placed=3), "expected 'flower_placed' to be true or false, got 3"),
        (changed(verdict="maybe"), "expected 'verdict' to be one of solved, unsolvable"),
        (changed(id=3), "expected 'id' to be a text, got 3"),
    ],
)
def test_what_is_no_position_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse_position(text)


def test_a_column_that_play_cannot_make_is_refused():
    columns = [list(column) for column in COLUMNS]
    columns[0].append(columns[1].pop())
    with pytest.raises(ValueError, match="cannot have come onto"):
        parse_position(json.dumps({"columns": columns}))


def test_a_picture_names_the_place_of_a_fault():
    rows = str(DEAL).split("\n")
    with pytest.raises(ValueError, match="expected eight cards or dots in row 2"):
        parse_position("\n".join([*rows[:5], "r1 r2", *rows[6:]]))
    with pytest.raises(ValueError, match="in row 3 of column 1 lies on nothing"):
        parse_position("\n".join([*rows[:5], ".  " + rows[5][3:], *rows[6:]]))


def hidden(position):
    fields = position_json(position)
    return {**fields, "free": None, "foundation_slots": None, "flower_placed": None}


def test_a_top_row_that_follows_is_worked_out():
    for position in stages():
        found = possible_positions(position.columns)
        canonical = {(tuple(sorted(p.cells)), tuple(sorted(p.foundations))) for p in found}
        assert (tuple(sorted(position.cells)), tuple(sorted(position.foundations))) in canonical
        if len(found) == 1:
            assert sorted(parse_position(json.dumps(hidden(position))).cells) == sorted(
                position.cells
            )


def test_a_top_row_that_does_not_follow_is_asked_for():
    """With r3 in a cell or up, both go with the columns as long as g1 and b1 are buried."""
    position = parse_position(
        json.dumps(
            {
                "columns": [
                    ["g1", "r9", "g9", "RD"], ["b1", "r8", "g8", "RD"], ["r7", "g7", "b7", "RD"],
                    ["r6", "g6", "b6", "RD"], ["r5", "g5", "b5", "GD", ], ["r4", "g4", "b4", "GD"],
                    ["g2", "g3", "b3", "GD", "WD"], ["b8", "b9", "b2", "GD", "WD"],
                ],
                "free": ["WD", "WD", None],
                "foundation_slots": ["r3", None, None],
                "flower_placed": True,
            }
        )
    )  # fmt: skip
    text = json.dumps(hidden(position))
    with pytest.raises(TopRowUnknown, match="2 top rows go with these columns: give the right"):
        parse_position(text)
    assert parse_position(text, top_row_text(position)) == position
    with pytest.raises(ValueError, match="expected a top row of three cells"):
        parse_position(text, "WD WD")
    with pytest.raises(ValueError, match="a top row was given, but the position has one"):
        parse_position(json.dumps(position_json(position)), top_row_text(position))
