"""The commands on boards of Shenzhen solitaire, typed and painted; the screen under Xvfb."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import cv2
import pytest
from shenzhen_pictures import BOARD_TOP, Painter

from engines.shenzhen.deal import random_deal
from engines.shenzhen.moves import MoveKind, parse_moves
from engines.shenzhen.position_text import (
    parse_position,
    position_json,
    possible_positions,
    top_row_text,
)
from engines.shenzhen.rules import Position, replay
from farm.main import main

START = Position.start(random_deal(5, 0))


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def paint(name, position):
    cv2.imwrite(name, Painter().picture(position))


def calibrated():
    """Files of three painted deals and of what they show, measured into table.json."""
    pictures, boards = [], []
    for unit in range(3):
        start = Position.start(random_deal(100, unit))
        pictures.append(f"deal{unit}.png")
        boards += ["--board", f"deal{unit}.txt"]
        paint(pictures[-1], start)
        Path(f"deal{unit}.txt").write_text(str(start))
    assert main(["calibrate", "shenzhen", *pictures, *boards, "--out", "table.json"]) == 0
    return ["--fingerprints", "table.json"]


def test_a_typed_board_gets_a_winning_line(capsys):
    Path("board.txt").write_text(str(START))
    assert main(["recommend", "shenzhen", "board.txt", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["basis"] == "won"
    assert told["move"] == told["line"][0]
    assert replay(START, parse_moves(" ".join(told["line"]))).won
    assert main(["recommend", "shenzhen", "board.txt", "--plan", "--save", "board.json"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"{START}\n\nplay {told['move']}  ")
    assert f"\nwins in {len(told['line'])} moves\n\n   1  " in shown
    assert parse_position(Path("board.json").read_text()) == START


def test_a_limit_is_told_as_one(capsys):
    Path("board.txt").write_text(str(Position.start(random_deal(5, 3))))
    assert main(["solve", "shenzhen", "board.txt", "--limit-nodes", "1", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["outcome"], told["solution"]) == ("node_limit", "")
    assert told["nodes"] == 2  # one of each of both searches


def test_a_picture_is_read_drawn_on_and_saved(capsys):
    table = calibrated()
    paint("board.png", START)
    options = ["--picture", "out.png", "--save", "board.json", *table]
    assert main(["recommend", "shenzhen", "board.png", *options]) == 0
    assert str(START) in capsys.readouterr().out
    assert parse_position(Path("board.json").read_text()) == START
    assert (cv2.imread("out.png") != cv2.imread("board.png")).any()


def test_an_order_that_a_picture_does_not_show_is_not_told_as_known(capsys):
    """A card in a cell, and only the columns in the picture."""
    table = calibrated()
    position = next(
        after
        for deal in (random_deal(5, unit) for unit in range(50))
        for first in Position.start(deal).legal_moves()
        if first.kind is MoveKind.TO_CELL
        for after in [Position.start(deal).apply(first)]
        if len(possible_positions(after.columns)) == 1
    )
    capsys.readouterr()
    cv2.imwrite("columns.png", Painter().picture(position)[BOARD_TOP - 40 :])
    note = "the order of cells and foundations is not known from this picture"
    assert main(["recommend", "shenzhen", "columns.png", *table, "--json", "--save", "b.json"]) == 0
    assert json.loads(capsys.readouterr().out)["note"] == note
    assert json.loads(Path("b.json").read_text())["note"] == note
    assert main(["recommend", "shenzhen", "b.json"]) == 0
    capsys.readouterr()
    assert main(["recommend", "shenzhen", "columns.png", *table]) == 0
    assert f"\n\n{note}\n\nplay " in capsys.readouterr().out
    told = ["--top-row", top_row_text(position), "--json"]
    assert main(["recommend", "shenzhen", "columns.png", *table, *told]) == 0
    assert "note" not in json.loads(capsys.readouterr().out)


def test_what_cannot_be_read_is_one_line_and_leaves_a_draft(capsys):
    paint("board.png", START)
    assert main(["recommend", "shenzhen", "board.png", "--save", "draft.txt"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "what was read is in draft.txt, to be corrected by hand" in told.err
    assert Path("draft.txt").read_text().startswith("cells ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "expected one of a picture or a position, --screen, --clipboard"),
        (("missing.png",), "missing.png: No such file or directory"),
        (("words.txt",), "words.txt: expected JSON, or a picture with lines for cells"),
        (("bytes.png",), "bytes.png: expected an image such as PNG or JPEG"),
        (("board.txt", "--picture", "out.png"), "--picture: expected a picture to draw on"),
        (("board.txt", "--top-row", "-- -- -- FL -- -- --"), "a top row was given"),
    ],
)
def test_wrong_use_gets_one_clear_line(arguments, message, capsys):
    Path("words.txt").write_text("hello")
    Path("bytes.png").write_bytes(b"\x89PNG\0\xff\xfe")
    Path("board.txt").write_text(json.dumps(position_json(START)))
    assert main(["recommend", "shenzhen", *arguments]) == 2
    told = capsys.readouterr()
    assert message in told.err
    assert told.err.count("\n") == 1


def test_a_deal_is_shown_in_both_forms(capsys):
    assert main(["deal", "shenzhen", "--seed", "5", "--unit", "0"]) == 0
    assert capsys.readouterr().out == f"{START}\n"
    assert main(["deal", "shenzhen", "--seed", "5", "--unit", "0", "--json"]) == 0
    assert parse_position(capsys.readouterr().out) == START
    assert main(["solve", "shenzhen", "--seed", "5", "--unit", "0"]) == 0
    assert "\n\noutcome solved, moves " in capsys.readouterr().out


SHOW = """
import sys, tkinter
root = tkinter.Tk()
root.overrideredirect(True)
picture = tkinter.PhotoImage(file=sys.argv[1])
root.geometry(f"{picture.width()}x{picture.height()}+120+60")
tkinter.Label(root, image=picture, borderwidth=0).pack()
root.mainloop()
"""


def has_tkinter():
    return subprocess.run([sys.executable, "-c", "import tkinter"], check=False).returncode == 0


@pytest.fixture
def display(monkeypatch):
    """A screen of its own."""
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed")
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1920x1200x24"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    monkeypatch.setenv("DISPLAY", ":" + os.read(read, 20).decode().strip())
    yield
    server.terminate()
    server.wait()
    os.close(read)


def recommended(option, table, tries=60):
    """Whether a recommendation is made before long."""
    for _ in range(tries):
        if main(["recommend", "shenzhen", option, *table]) == 0:
            return True
        time.sleep(0.5)
    return False


@pytest.mark.skipif(not has_tkinter(), reason="this Python has no tkinter to show a window with")
def test_the_board_is_read_off_the_screen(capsys, display):
    table = calibrated()
    paint("board.png", START)
    window = subprocess.Popen([sys.executable, "-c", SHOW, "board.png"])
    try:
        assert recommended("--screen", table)
    finally:
        window.terminate()
        window.wait()
    assert str(START) in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("xclip") is None, reason="xclip is not installed")
def test_the_board_is_read_off_the_clipboard(capsys, display):
    table = calibrated()
    paint("board.png", START)
    assert not recommended("--clipboard", table, tries=1)
    assert capsys.readouterr().err.splitlines()[-1].startswith("farm: --clipboard: ")
    copy = ["xclip", "-quiet", "-selection", "clipboard", "-t", "image/png", "-i", "board.png"]
    holder = subprocess.Popen(copy, stderr=subprocess.DEVNULL)
    try:
        assert recommended("--clipboard", table)
    finally:
        holder.terminate()
        holder.wait()
    assert str(START) in capsys.readouterr().out
