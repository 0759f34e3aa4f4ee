import json

import numpy as np
import pytest
from shenzhen_pictures import (
    BOARD_TOP,
    ORACLES,
    Composer,
    Painter,
    along,
    as_jpeg,
    lit_and_dark,
    real_picture,
    scaled,
    truths,
)

from engines.shenzhen import board_reader, deck_choice
from engines.shenzhen.board_layout import CARD_HEIGHT, STRIP, find_layout
from engines.shenzhen.board_reader import UnclearBoard, read_board
from engines.shenzhen.deal import EMPTY, parse_card, random_deal
from engines.shenzhen.deck_choice import STACK, Sight, choices
from engines.shenzhen.drawing import boxes_of, draw_move
from engines.shenzhen.exact import solve
from engines.shenzhen.fingerprints import (
    FingerprintError,
    calibrate,
    fingerprints_json,
    guess_deal,
    parse_fingerprints,
    shipped_fingerprints,
)
from engines.shenzhen.moves import parse_move
from engines.shenzhen.position_text import parse_position, top_row_text
from engines.shenzhen.rules import Position
from engines.shenzhen.vision import PictureError, decode_image, encode_png

needs_pictures = pytest.mark.skipif(not ORACLES.is_dir(), reason="the pictures are not here")
NAMES = sorted(truths()) if ORACLES.is_dir() else []
START = Position.start(random_deal(9, 0))


def variants(image):
    yield image
    for factor in (0.5, 0.667, 0.8, 1.5, 2):
        yield scaled(image, factor)
    yield as_jpeg(image, 80)


@needs_pictures
@pytest.mark.parametrize("name", NAMES)
def test_real_pictures_are_read_right_at_many_sizes(name):
    truth, board = truths()[name]
    for image in variants(real_picture(name)):
        reading = read_board(image)
        assert reading.position == truth
        said = reading.as_json()
        if board["top_row_visible"]:
            keys = ("columns", "free", "foundation_slots", "flower_placed")
            for key in (*keys, "buttons_lit", "buttons_dark"):
                assert said[key] == board[key]
        assert said["top_row_visible"] == board["top_row_visible"]
        assert parse_position(json.dumps(said)) == truth


@needs_pictures
@pytest.mark.parametrize("name", NAMES)
def test_bad_pictures_are_read_right_or_refused(name):
    truth, _ = truths()[name]
    image = real_picture(name)
    for bad in (scaled(image, 0.35), scaled(image, 0.27), as_jpeg(image, 40), as_jpeg(image, 15)):
        try:
            assert read_board(bad).position == truth
        except PictureError as error:
            assert str(error)


@pytest.fixture(scope="module")
def positions():
    """Positions along won games, from the deal to the last cards."""
    found = []
    for unit in range(6):
        start = Position.start(random_deal(9, unit))
        moves = solve(start).moves
        found += [along(start, moves, len(moves) * part // 4) for part in (1, 2, 3)]
    return found


def same(reading, position):
    """Whether a reading is right; of several face-down stacks any may be any."""
    cells = [tuple(-4 if c <= -4 else c for c in p.cells) for p in (reading.position, position)]
    rest = [(p.columns, p.flower, p.foundations) for p in (reading.position, position)]
    seen = (set(reading.lit), set(reading.dark))
    return cells[0] == cells[1] and rest[0] == rest[1] and seen == lit_and_dark(position)


@needs_pictures
def test_composed_pictures_of_all_kinds_of_positions_are_read_right(positions):
    """Patches of real pictures: empty columns, several stacks, three foundations."""
    composer = Composer()
    assert any(not position.columns[0] for position in positions)
    assert any(sum(cell <= -4 for cell in position.cells) == 2 for position in positions)
    assert any(all(position.foundations) for position in positions)
    for position in positions:
        assert same(read_board(composer.picture(position)), position), position


@needs_pictures
def test_a_composed_end_without_columns_is_read():
    """Only the top row has cards: the felt's edges say where it is."""
    position = Position(((),) * 8, (-4, -8, -12), True, (27, 28, 29))
    assert same(read_board(Composer().picture(position)), position)


@pytest.fixture(scope="module")
def painted():
    """Fingerprints of the painter's art."""
    painter = Painter()
    starts = [Position.start(random_deal(100, unit)) for unit in range(3)]
    return painter, calibrate((painter.picture(start), start) for start in starts)


def test_other_art_is_read_after_calibration(painted, positions):
    painter, table = painted
    for position in positions:
        for image in (painter.picture(position), scaled(painter.picture(position), 0.667)):
            assert same(read_board(image, table), position), position


def test_other_art_is_refused_without_calibration(painted):
    painter, _ = painted
    with pytest.raises(UnclearBoard) as error:
        read_board(painter.picture(START))
    with pytest.raises(ValueError, match="card that could not be read: replace its"):
        parse_position(error.value.draft)


def test_a_draft_can_be_mended_and_fed_back(painted):
    """A corner that is painted over cannot be read; the rest of the draft is right."""
    painter, table = painted
    image = painter.picture(START)
    image[335:360, 115:140] = 190
    image[366:391, 115:140] = 190
    with pytest.raises(UnclearBoard) as error:
        read_board(image, table)
    rows, truth = error.value.draft.split("\n"), str(START).split("\n")
    assert [row.split()[1:] for row in rows[4:]] == [row.split()[1:] for row in truth[4:]]
    mended = "\n".join([*rows[:4], *truth[4:]])
    assert parse_position(mended) == START


def test_a_table_reads_as_it_is_written():
    table = shipped_fingerprints()
    again = parse_fingerprints(fingerprints_json(table))
    assert all((again[card] == table[card]).all() for card in table)
    with pytest.raises(FingerprintError, match="expected a table of fingerprints"):
        parse_fingerprints("{}")
    fields = json.loads(fingerprints_json(table))
    del fields["cards"]["r1"]
    with pytest.raises(FingerprintError, match="missing r1"):
        parse_fingerprints(json.dumps(fields))


def test_calibration_says_what_does_not_fit(painted):
    painter, table = painted
    other = Position.start(random_deal(100, 3))
    with pytest.raises(PictureError, match="the board given has columns of"):
        calibrate([(painter.picture(START), Position((*START.columns[1:], ())))])
    assert guess_deal(painter.picture(other), table).columns == other.columns


def felt(size=(900, 1400)):
    return Painter().table(size)


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (np.full((600, 800, 3), 200, np.uint8), "no green felt was found"),
        (np.random.default_rng(0).integers(0, 255, (600, 800, 3), np.uint8), "no green felt"),
        (np.full((600, 800, 3), (50, 75, 5), np.uint8), "no cards were found on the felt"),
        (np.zeros((9000, 10, 3), np.uint8), "at most 8000 pixels a side, got 10 x 9000"),
        (scaled(Painter().picture(START), 0.2), "less than 32 pixels wide|no green felt large"),
        (Painter().picture(START)[:600], "column . is cut at the bottom"),
        (Painter().picture(START)[:, 300:], "is the board cut at a side"),
        (Painter().picture(START)[:, :1000], "is the board cut at a side"),
    ],
)
def test_what_is_no_board_is_refused(image, message):
    with pytest.raises(PictureError, match=message):
        read_board(image)


@needs_pictures
@pytest.mark.parametrize("name", ["board06.jpg", "board07.jpg"])
def test_a_column_whose_end_is_covered_is_refused(name):
    """Without the top row, a shorter column may make a whole deck with other cards up."""
    image = real_picture(name)
    layout = find_layout(image)
    strip = STRIP * layout.pitch
    for column, height in enumerate(layout.heights):
        left = round(layout.column_left(column))
        bottom = layout.card_top(height - 1) + CARD_HEIGHT * layout.pitch
        for cards in range(1, min(3, height - 1) + 1):
            covered = image.copy()
            top = round(bottom - cards * strip)
            covered[top : round(bottom) + 20, left - 5 : left + 125] = 40
            for shown in (covered, covered[round(layout.top - 0.3 * layout.pitch) :]):
                with pytest.raises(PictureError, match=f"something covers column {column + 1}"):
                    read_board(shown)


def test_an_empty_column_that_is_covered_is_refused(painted):
    painter, table = painted
    position = Position(((), *START.columns[1:]))
    image = painter.picture(position)
    assert find_layout(image).heights[0] == 0
    image[360:420, 90:260] = 40
    with pytest.raises(PictureError, match="something covers column 1"):
        read_board(image, table)


def test_a_column_down_to_the_felt_s_edge_is_measured(painted):
    """Ten cards leave a margin of felt that is narrower than what is looked at elsewhere."""
    painter, _ = painted
    image = painter.picture(Position((START.columns[0] * 2, *START.columns[1:])))
    for factor in (1, 0.667, 0.5):
        assert find_layout(scaled(image, factor)).heights[0] == 2 * len(START.columns[0])


def test_a_card_on_its_way_is_refused(painted):
    painter, table = painted
    start = Position.start(random_deal(9, 0))
    moves = solve(start).moves
    image = painter.picture(along(start, moves, len(moves) - 1))
    image[600:832, 330:451] = painter.card(parse_card("g5"))
    with pytest.raises(PictureError, match="a card lies off its place at 330, 600"):
        read_board(image, table)


def test_a_board_that_is_not_at_rest_is_refused(painted):
    """r1 is exposed, and would have gone up."""
    painter, table = painted
    raw = next(
        Position(random_deal(9, unit).columns)
        for unit in range(50)
        if len(Position.start(random_deal(9, unit)).columns[0]) < 5
    )
    image = painter.picture(raw)
    with pytest.raises(UnclearBoard, match="a card is about to go up by itself"):
        read_board(image, table)
    with pytest.raises(UnclearBoard, match="a card is about to go up by itself"):
        read_board(image[BOARD_TOP - 40 :], table, top_row_text(raw))


def test_the_deck_settles_a_doubt_or_leaves_it():
    columns = tuple(tuple((card,) for card in column) for column in random_deal(9, 0).columns)
    doubtful = ((columns[0][0][0], columns[0][1][0]), *columns[0][1:])
    assert len(list(choices(Sight((doubtful, *columns[1:]))))) == 1
    both = tuple((columns[0][0][0], columns[0][1][0]) for _ in range(2))
    swapped = 1 if columns[0][0] == columns[0][1] else 2
    assert len(list(choices(Sight(((*both, *columns[0][2:]), *columns[1:]))))) == swapped
    double = ((columns[0][1][0],), *columns[0][1:])
    assert list(choices(Sight((double, *columns[1:]), ((STACK,),) * 3))) == []


def test_a_search_of_the_deck_that_ends_early_settles_nothing(monkeypatch):
    """Two choices fit. With fewer steps than the second takes, the first is not for certain."""
    columns = next(
        deal.columns
        for deal in (random_deal(9, unit) for unit in range(50))
        if Position.start(deal).columns == deal.columns and deal.columns[0][0] != deal.columns[0][1]
    )
    places = [tuple((card,) for card in column) for column in columns]
    doubtful = tuple((*columns[0][place:2], *columns[0][:place]) for place in range(2))
    sight = Sight(
        ((*doubtful, *places[0][2:]), *places[1:]), ((EMPTY,),) * 3, False, ((EMPTY,),) * 3
    )
    outcomes = set()
    for steps in (30, 46, 48, 100):
        monkeypatch.setattr(deck_choice, "_MOST_STEPS", steps)
        with pytest.raises(UnclearBoard) as error:
            board_reader._only_position(sight, lambda choice: board_reader._at_rest(choice, ()))
        outcomes.add(str(error.value))
    assert outcomes == {
        "2 cards are not clear, too many to try what fits",
        "2 cards are not clear, and several fit",
    }


def test_a_move_is_drawn_between_its_places(painted):
    painter, table = painted
    image = painter.picture(START)
    layout = read_board(image, table).layout
    taken, target = boxes_of(layout, START, parse_move("1a"))
    height = len(START.columns[0]) - 1
    assert taken[0][:2] == pytest.approx((110, 330 + 31 * height), abs=2)
    assert target[:2] == pytest.approx((110, 66), abs=2)
    drawn = draw_move(image, layout, START, parse_move("1a"))
    assert (drawn != image).any(axis=2).sum() > 500
    assert (decode_image(encode_png(drawn)) == drawn).all()


def test_bytes_that_are_no_image_are_refused():
    for data in (b"", b"not an image"):
        with pytest.raises(PictureError, match="expected an image such as PNG or JPEG"):
            decode_image(data)
