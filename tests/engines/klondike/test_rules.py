import pytest

from engines.cards import CARD_NAMES, parse_card
from engines.klondike.deal import Deal, random_deal
from engines.klondike.moves import Move, MoveKind, parse_move, parse_moves
from engines.klondike.rules import Column, Position, Rules, replay
from engines.moves import IllegalMove

DRAW_THREE = Rules()


def cards(text):
    return tuple(parse_card(name) for name in text.split())


def names(pile):
    return " ".join(CARD_NAMES[card] for card in pile)


def column(text):
    """A column such as "5D 9C | KH QC": face-down cards, a bar, face-up cards."""
    down, _, up = text.rpartition("|")
    return Column(cards(down), cards(up))


def layout(*columns, home="", stock="", waste="", rules=DRAW_THREE):
    """A position: columns from the left, the top cards of the foundations, stock and waste."""
    heights = {card % 4: card // 4 + 1 for card in cards(home)}
    foundations = tuple(heights.get(suit, 0) for suit in range(4))
    tableau = tuple(column(text) for text in (*columns, *[""] * (7 - len(columns))))
    return Position(rules, tableau, foundations, cards(stock), cards(waste), rules.redeals)


def after(position, moves):
    for move in parse_moves(moves):
        position = position.apply(move)
    return position


def legal(position):
    return {str(move) for move in position.legal_moves()}


def reason_against(position, move):
    with pytest.raises(IllegalMove) as error:
        position.apply(move)
    return str(error.value)


# The position that the next tests look at, and its picture.

TABLE = layout(
    "9C | 2D",
    "5D | QS JH TS",
    "KD",
    "",
    "7C",
    "4S",
    "AC | KC",
    home="AD 3H",
    stock="8D KS",
    waste="4C 6H",
)
PICTURE = [
    "foundations  ♣-- ♦A  ♥3  ♠--",
    "waste        4♣ 6♥",
    "stock        8♦ K♠",
    "  1    2    3    4    5    6    7",
    "[9♣] [5♦]  K♦        7♣   4♠  [A♣]",
    " 2♦   Q♠                       K♣",
    "      J♥",
    "      T♠",
]
LEGAL = {
    "D": "draw 8♦ K♠",
    "W5": "6♥ from the waste to column 5 (on 7♣)",
    "1F": "2♦ from column 1 to its foundation, turning up 9♣",
    "23x3": "Q♠..T♠ from column 2 to column 3 (on K♦), turning up 5♦",
    "34": "K♦ from column 3 to column 4 (empty)",
    "74": "K♣ from column 7 to column 4 (empty), turning up A♣",
    "H6": "3♥ from its foundation to column 6 (on 4♠)",
}
ILLEGAL = {
    "R": "the stock is not empty",
    "WF": "6♥ does not follow on its foundation, which is at 3♥",
    "W1": "6♥ may not lie on 2♦ of column 1",
    "W4": "only a king may go to the empty column 4, not 6♥",
    "2F": "T♠ does not follow on its foundation, which is empty",
    "4F": "column 4 is empty",
    "41": "column 4 is empty",
    "33": "a run cannot move onto its own column",
    "23": "T♠ may not lie on K♦ of column 3",
    "23x2": "J♥ may not lie on K♦ of column 3",
    "23x4": "column 2 does not have 4 face-up cards",
    "24": "only a king may go to the empty column 4, not T♠",
    "62": "4♠ may not lie on T♠ of column 2",
    "C1": "the foundation of ♣ is empty",
    "D1": "A♦ may not lie on 2♦ of column 1",
    "H4": "only a king may go to the empty column 4, not 3♥",
}


def test_a_position_prints_itself():
    assert str(TABLE).split("\n") == PICTURE


def test_an_empty_position_prints_itself():
    assert str(layout(home="TC KD QH JS")).split("\n") == [
        "foundations  ♣T  ♦K  ♥Q  ♠J",
        "waste        --",
        "stock        --",
        "  1    2    3    4    5    6    7",
    ]


def test_the_legal_moves_of_the_picture():
    assert legal(TABLE) == set(LEGAL)


@pytest.mark.parametrize(("move", "words"), LEGAL.items())
def test_a_legal_move_in_words(move, words):
    assert TABLE.describe(parse_move(move)) == words


@pytest.mark.parametrize(("move", "reason"), ILLEGAL.items())
def test_an_illegal_move_is_refused_with_the_reason(move, reason):
    assert reason_against(TABLE, parse_move(move)) == f"illegal move {move}: {reason}"


@pytest.mark.parametrize("move", ["D", "R", "WF", "W1"])
def test_nothing_is_drawn_or_played_from_empty_piles(move):
    pile = "stock" if move == "D" else "waste"
    reason = f"illegal move {move}: the {pile} is empty"
    assert reason_against(layout("KH"), parse_move(move)) == reason


def test_more_moves_in_words():
    assert layout(waste="AC").describe(parse_move("R")) == "turn the waste over"
    assert layout(waste="AC").describe(parse_move("WF")) == "A♣ from the waste to its foundation"
    assert layout(waste="KC").describe(parse_move("W3")) == "K♣ from the waste to column 3 (empty)"
    part_of_a_run = layout("5D | QS JH TS", "QC").describe(parse_move("12x2"))
    assert part_of_a_run == "J♥..T♠ from column 1 to column 2 (on Q♣)"


def test_drawing_three_shows_the_third_card():
    start = layout("6S", stock="AC KD 5H 2C 9C")
    drawn = after(start, "D")
    assert (names(drawn.waste), names(drawn.stock)) == ("AC KD 5H", "2C 9C")
    assert legal(drawn) == {"D", "W1"}


def test_the_last_draw_may_be_short():
    drawn = after(layout(stock="AC KD 5H 2C 9C"), "D D")
    assert (names(drawn.waste), names(drawn.stock)) == ("AC KD 5H 2C 9C", "")


@pytest.mark.parametrize(
    ("draw", "waste", "stock"),
    [
        (1, "AC", "KD 5H 2C"),
        (2, "AC KD", "5H 2C"),
        (24, "AC KD 5H 2C", ""),
    ],
)
def test_as_many_cards_are_drawn_as_the_rules_say(draw, waste, stock):
    drawn = after(layout(stock="AC KD 5H 2C", rules=Rules(draw=draw)), "D")
    assert (names(drawn.waste), names(drawn.stock)) == (waste, stock)


def test_the_waste_turned_over_is_drawn_in_the_same_order():
    again = after(layout(stock="AC KD 5H 2C 9C"), "D D R")
    assert (names(again.waste), names(again.stock)) == ("", "AC KD 5H 2C 9C")


def test_a_card_played_from_the_waste_shifts_the_next_round():
    played = after(layout("6S", stock="AC KD 5H 2C 9C"), "D W1 D R D")
    assert names(played.waste) == "AC KD 2C"


def test_redeals_are_counted():
    start = layout(stock="AC", rules=Rules(redeals=1))
    again = after(start, "D R D")
    assert (start.redeals_left, again.redeals_left) == (1, 0)
    assert reason_against(again, parse_move("R")) == "illegal move R: no redeal is left"


def test_only_a_king_goes_to_an_empty_column():
    assert legal(layout("QH", "5D | KS", "", "JC", "JD", "9C", "9S")) == {"12", "23", "41"}


def test_cards_stack_down_in_the_other_colour():
    rest = ("KS", "KC", "KH")
    assert legal(layout("7C", "6S", "6H", "5H", *rest)) == {"31", "42"}


def test_part_of_a_run_moves():
    start = layout("9D | 7H 6S 5D 4S", "7D", "6C", "KS", "KC", "KH", "KD")
    assert legal(start) == {"12x3", "13x2", "32"}
    moved = after(start, "12x3")
    assert moved.tableau[:3] == (column("9D | 7H"), column("7D 6S 5D 4S"), column("6C"))


def test_a_run_moves_whole_and_the_next_card_is_turned_up():
    moved = after(layout("9C 9D | 7H 6S", "8C"), "12x2")
    assert moved.tableau[:2] == (column("9C | 9D"), column("8C 7H 6S"))


def test_a_card_moved_home_turns_up_the_next():
    moved = after(layout("9C 9D | AS"), "1F")
    assert moved.tableau[0] == column("9C | 9D")
    assert moved.foundations == (0, 0, 0, 1)


def test_a_column_without_cards_is_empty():
    assert after(layout("AS"), "1F").tableau[0] == column("")


def test_foundations_are_built_up_by_suit_from_the_ace():
    start = layout("3S", "2S", "AH", "2H", "KS", "KC", "KH", home="AS")
    assert {move for move in legal(start) if "F" in move} == {"2F", "3F"}
    assert after(start, "2F 1F 3F 4F").foundations == (0, 0, 2, 3)


def test_a_card_is_worried_back_where_it_fits():
    start = layout("6S", "6C", "6D", "5S", home="5H")
    assert {move for move in legal(start) if move[0] == "H"} == {"H1", "H2"}
    back = after(start, "H2")
    assert back.tableau[1] == column("6C 5H")
    assert back.foundations == (0, 0, 4, 0)


def test_nothing_is_worried_back_where_it_is_not_allowed():
    start = layout("6S", home="5H", rules=Rules(worrying_back=False))
    reason = "illegal move H1: worrying back is not allowed"
    assert reason_against(start, parse_move("H1")) == reason


def test_a_position_after_the_deal():
    start = Position.start(random_deal(0, 0), Rules(draw=1, redeals=2))
    assert start.tableau[2] == column("8S 8C | 7D")
    assert (start.foundations, start.waste, start.redeals_left) == ((0, 0, 0, 0), (), 2)
    assert names(start.stock).startswith("TS QH AH 3H")
    assert not start.won


EASY_DEAL = Deal(
    (
        cards("AC"),
        cards("AH AD"),
        cards("2D 2C AS"),
        cards("3D 3C 2S 2H"),
        cards("4H 4D 4C 3S 3H"),
        cards("6C 5S 5H 5D 5C 4S"),
        cards("7S 7H 7D 7C 6S 6H 6D"),
    ),
    cards("8C 8D 8H 8S 9C 9D 9H 9S TC TD TH TS JC JD JH JS QC QD QH QS KC KD KH KS"),
)
EASY_WIN = " ".join(
    ["1F", "2F 2F", "3F 3F 3F", "4F " * 4, "5F " * 5, "6F " * 6, "7F " * 7, "D WF " * 24]
)


def test_the_game_is_won_when_all_cards_are_home():
    moves = parse_moves(EASY_WIN)
    assert len(moves) == 28 + 48
    assert replay(EASY_DEAL, Rules(draw=1), moves).won
    assert not replay(EASY_DEAL, Rules(draw=1), moves[:-1]).won


def test_replay_names_the_first_illegal_move_and_shows_the_position():
    with pytest.raises(IllegalMove) as error:
        replay(random_deal(0, 0), DRAW_THREE, parse_moves("D 62 12 R"))
    assert str(error.value).split("\n") == [
        "move 3: illegal move 12: Q♠ may not lie on J♠ of column 2",
        "foundations  ♣-- ♦-- ♥-- ♠--",
        "waste        T♠ Q♥ A♥",
        "stock        3♥ Q♣ 9♠ 5♣ 2♥ 7♥ 5♠ T♣ 2♦ 7♠ A♦ 6♦ J♦ K♣ 7♣ T♦ A♠ 3♦ A♣ 6♠ 6♥",
        "  1    2    3    4    5    6    7",
        " Q♠  [2♣] [8♠] [4♥] [9♦] [K♥] [3♣]",
        "      Q♦  [8♣] [K♦] [8♦] [5♦] [J♣]",
        "      J♠   7♦  [K♠] [2♠] [9♣] [T♥]",
        "                4♣  [3♠] [J♥] [9♥]",
        "                     8♥   5♥  [4♦]",
        "                              [4♠]",
        "                               6♣",
    ]


def test_replay_of_no_moves_is_the_start():
    deal = random_deal(0, 0)
    assert replay(deal, DRAW_THREE, []) == Position.start(deal, DRAW_THREE)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"draw": 0}, "expected draw to be from 1 to 24, got 0"),
        ({"draw": 25}, "expected draw to be from 1 to 24, got 25"),
        ({"redeals": -1}, "expected redeals to be 0 or more, got -1"),
    ],
)
def test_rules_out_of_range_are_refused(fields, message):
    with pytest.raises(ValueError) as error:
        Rules(**fields)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("D", Move(MoveKind.DRAW)),
        ("R", Move(MoveKind.REDEAL)),
        ("WF", Move(MoveKind.WASTE_TO_FOUNDATION)),
        ("W4", Move(MoveKind.WASTE_TO_TABLEAU, target=3)),
        ("3F", Move(MoveKind.TABLEAU_TO_FOUNDATION, source=2)),
        ("35", Move(MoveKind.TABLEAU_TO_TABLEAU, source=2, target=4)),
        ("35x4", Move(MoveKind.TABLEAU_TO_TABLEAU, source=2, target=4, count=4)),
        ("C1", Move(MoveKind.FOUNDATION_TO_TABLEAU, source=0, target=0)),
        ("H4", Move(MoveKind.FOUNDATION_TO_TABLEAU, source=2, target=3)),
    ],
)
def test_moves_as_text(text, move):
    assert str(move) == text
    assert parse_move(text) == move


BAD_MOVES = (
    *("", " ", "d", "DD", "D8", "R1", "W", "w4", "W0", "W8", "WFF", "Wx2", "W4x2"),
    *("0F", "8F", "3f", "3Fx2", "F3", "X4", "h4", "H0", "H8", "HF", "CD1", "H4x2"),
    *(
        "3",
        "30",
        "38",
        "08",
        "355",
        "35x",
        "35x0",
        "35x1",
        "35x04",
        "35x-2",
        "35x2x2",
        "35 ",
        "35x٣",
    ),
)


@pytest.mark.parametrize("text", BAD_MOVES)
def test_what_is_not_a_move_is_refused(text):
    with pytest.raises(ValueError) as error:
        parse_move(text)
    assert str(error.value) == f"expected a move such as 'D', 'W4', '3F' or '35x2', got {text!r}"


def test_a_line_of_moves_is_parted_by_spaces():
    assert [str(move) for move in parse_moves("  D W4\n35x2 ")] == ["D", "W4", "35x2"]
    with pytest.raises(ValueError, match="got 'W9'"):
        parse_moves("D W9 R")


TO_FOUNDATION, TO_TABLEAU = MoveKind.TABLEAU_TO_FOUNDATION, MoveKind.TABLEAU_TO_TABLEAU


@pytest.mark.parametrize(
    ("kind", "source", "target", "count"),
    [
        (TO_FOUNDATION, 0, 0, 2),
        (TO_FOUNDATION, 0, 0, 0),
        (TO_FOUNDATION, -7, 0, 1),
        (TO_FOUNDATION, 7, 0, 1),
        (TO_TABLEAU, 1, -1, 1),
        (TO_TABLEAU, 1, 7, 1),
        (TO_TABLEAU, 1, 2, 14),
        (MoveKind.FOUNDATION_TO_TABLEAU, 4, 0, 1),
        (MoveKind.DRAW, 3, 0, 1),
    ],
)
def test_a_move_with_a_field_out_of_range_is_refused(kind, source, target, count):
    with pytest.raises(ValueError, match=f"expected .* to {kind}, got "):
        Move(kind, source, target, count)
