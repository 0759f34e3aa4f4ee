"""A match of cribbage at the prompt: what the person is asked, told, and not told."""

import io
import re
import sys

import pytest

from engines.cards import CARD_NAMES, pretty, rank_of
from engines.cribbage import fast_brain
from engines.cribbage.brain import THROWS
from engines.cribbage.match import Act, Event, play_match, random_deals
from engines.cribbage.observation import Observation
from engines.cribbage.players import BrainPlayer, open_rolls
from engines.cribbage.scoring import Kind, Scored, score_show
from engines.cribbage.tiers import PROFILES, Tier
from farm.commands import cribbage
from farm.commands.cribbage import (
    EXPERT,
    OPPONENT,
    YOU,
    Left,
    Narrator,
    Person,
    chosen_cards,
    count_text,
    cuts_for_deal,
    hand_text,
    hint_text,
)
from farm.main import main

# Right for a throw, then right for a play: what is wrong is asked again.
ANSWERS = ["1 2", "1"] * 600


def cards(text):
    return tuple(CARD_NAMES.index(name) for name in text.split())


@pytest.fixture
def table(monkeypatch, capsys):
    """Plays with these lines on standard input; returns the exit code and the output."""

    def play(lines, *arguments):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        code = main(["play", "cribbage", *arguments])
        output = capsys.readouterr()
        assert output.err == ""
        return code, output.out

    return play


FOR_THROW = Observation.for_discard(cards("5D 6D 6H TC JC QC"), True)
FOR_PLAY = Observation.for_play(cards("4S 8H KD"), cards("TC JC"), 3, cards("7H")[0], False)


def test_a_match_is_played_to_its_end_and_again_with_the_command_it_prints(table):
    code, output = table(ANSWERS, "--seed", "11")
    assert code == 0
    won = re.search(r"^(you win|hard wins) 121 to (\d+), by (\d+)", output, flags=re.MULTILINE)
    assert int(won[2]) + int(won[3]) == 121
    last = output.splitlines()[-1]
    assert last == "the same cards again: farm play cribbage --seed 11"
    assert table(ANSWERS, *last.split()[7:]) == (0, output)


def test_the_cards_and_the_opponent_are_those_of_the_engine(table):
    _, output = table(ANSWERS, "--seed", "5", "--match", "3", "--tier", "normal", "--first", "you")

    class Lowest:
        def discard(self, seen):
            return seen.own_hand[:2]

        def play(self, seen):
            return seen.legal_plays()[0]

    skill = PROFILES["calibrated"].tier(Tier.NORMAL)
    opponent = BrainPlayer(skill, open_rolls(5, 3, 0, OPPONENT))
    result = play_match((Lowest(), opponent), random_deals(5, 3), YOU)
    lost = result.tallies[1 - result.winner].score
    assert f"121 to {lost}, by" in output
    assert output.endswith("--seed 5 --tier normal --match 3 --first you\n")
    dealers = re.findall(r"deal \d+: (you|normal) deals?, ", output)
    assert dealers == (["you", "normal"] * 20)[: len(dealers)]
    assert [dealers.count("you"), dealers.count("normal")] == [
        tally.deals for tally in result.tallies
    ]


def test_a_card_of_the_opponent_is_shown_only_when_it_is_public(monkeypatch):
    hidden, checked = set(), []

    class Screen(io.StringIO):
        def write(self, text):
            for card in hidden:
                assert pretty(card) not in text
                assert CARD_NAMES[card] not in text
            checked.append(len(hidden))
            return super().write(text)

    def recorded(players, deals, dealer, *, watch):
        def both(event):
            if event.act is Act.DEAL and event.seat == YOU:
                hidden.clear()  # the cards of the deal before are back in the pack
            if event.act is Act.DEAL and event.seat == OPPONENT:
                hidden.update(event.cards)
            elif event.act in (Act.PLAY, Act.CRIB):
                hidden.difference_update(event.cards)
            watch(event)

        return play_match(players, deals, dealer, watch=both)

    monkeypatch.setattr(cribbage, "play_match", recorded)
    lines = ["1 2", "hint", "1", "0"] * 600
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    monkeypatch.setattr(sys, "stdout", Screen())
    assert main(["play", "cribbage", "--seed", "2"]) == 0
    assert re.search("wins? 121 to", sys.stdout.getvalue())
    assert {0, 2, 3, 4, 5, 6} <= set(checked)


def test_no_line_is_wider_than_a_terminal_of_80_columns(table):
    seed = str(cribbage.FRESH_SEEDS - 1)
    _, output = table(["?", "1 2", "hint", "1"] * 600, "--seed", seed, "--tier", "expert")
    assert max(map(len, output.splitlines())) <= 80


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("", "two different cards go into the crib, not none"),
        ("1", "two different cards go into the crib, not 5♦"),
        ("3 3", "two different cards go into the crib, not 6♥ 6♥"),
        ("1 2 3", "two different cards go into the crib, not 5♦ 6♦ 6♥"),
        ("1 7", "'7' is no card of your hand: 5D 6D 6H TC JC QC, or 1 to 6"),
        ("AS 6H", "'AS' is no card of your hand: 5D 6D 6H TC JC QC, or 1 to 6"),
        ("help me", "'HELP' is no card of your hand: 5D 6D 6H TC JC QC, or 1 to 6"),
    ],
)
def test_a_wrong_answer_gets_one_line_and_the_question_again(answer, problem, table):
    code, output = table([answer, "q"], "--seed", "7", "--first", "you")
    prompt = "two for your crib: "
    assert code == 0
    assert f"{prompt}{answer}\n{problem}\n{prompt}q\n" in output


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("kd", "K♦ would make 32, more than 31"),
        ("1 2", "one card is played at a time, not 4♠ 8♥"),
        ("", "one card is played at a time, not none"),
    ],
)
def test_a_card_that_cannot_be_played_is_refused(answer, problem):
    seen = Observation.for_play(cards("4S 8H KD"), cards("TC JC 2C"), 2, cards("7H")[0], False)
    with pytest.raises(ValueError, match=problem):
        chosen_cards(answer, seen)


@pytest.mark.parametrize("answer", ["5D TC", "tc 5d", "1 4", "4,1", " 10c  5d ", "5♦ t♣"])
def test_cards_are_named_in_many_ways(answer):
    assert sorted(chosen_cards(answer, FOR_THROW)) == sorted(cards("5D TC"))


def test_a_hand_is_shown_with_places_and_names():
    assert hand_text(cards("5D TC")).splitlines() == [
        "  hand    5♦      T♣",
        "          1 5D    2 TC",
    ]


def given_up(hint):
    """The choices after the first two lines of a hint, with what each gives up."""
    listed = re.findall(r"((?:\S[♣♦♥♠] )+)(\d+\.\d\d)", hint.partition("gives up:")[2])
    return {names.strip(): float(lost) for names, lost in listed}


def test_a_hint_for_a_throw_is_what_expert_throws():
    hint = hint_text(FOR_THROW)
    best = fast_brain.choose_discard(FOR_THROW, EXPERT, 0.0)
    values = fast_brain.discard_values(FOR_THROW)
    assert hint.startswith(
        f"  Expert throws {pretty(best[0])} {pretty(best[1])}: {max(values):.2f}"
    )
    hand = FOR_THROW.own_hand
    lost = {
        f"{pretty(hand[a])} {pretty(hand[b])}": round(max(values) - value, 2)
        for (a, b), value in zip(THROWS, values, strict=True)
        if (hand[a], hand[b]) != best
    }
    assert given_up(hint) == pytest.approx(lost)
    assert list(given_up(hint).values()) == sorted(lost.values())


def test_a_hint_for_a_play_is_what_expert_plays():
    hint = hint_text(FOR_PLAY)
    best = fast_brain.choose_play(FOR_PLAY, EXPERT, 0.0)
    values = dict(fast_brain.card_values(FOR_PLAY, EXPERT.level))
    assert hint.startswith(f"  Expert plays {pretty(best)}: {values[best]:.2f} points")
    lost = {pretty(card): values[best] - value for card, value in values.items() if card != best}
    assert given_up(hint) == pytest.approx(lost, abs=0.006)


def test_expert_is_the_tier_of_every_profile():
    assert {profile.tier(Tier.EXPERT) for profile in PROFILES.values()} == {EXPERT}


def test_help_and_a_hint_are_followed_by_the_question(table):
    _, output = table(["?", "HINT", "q"], "--seed", "7", "--first", "you")
    assert f"two for your crib: ?\n{cribbage.HELP}\ntwo for your crib: HINT\n  Expert" in output
    assert output.count("two for your crib: ") == 3


def test_the_end_of_the_input_leaves_politely_with_the_score(table):
    code, output = table(ANSWERS[:30], "--seed", "11")
    shown = re.findall(r"you (\d+)  hard (\d+)$", output, flags=re.MULTILINE)
    left = re.search(r"^you left the match at (\d+) to (\d+)$", output, flags=re.MULTILINE)
    assert code == 0
    assert left.groups() == shown[-1] != ("0", "0")
    assert output.endswith("the same cards again: farm play cribbage --seed 11\n")


def test_ctrl_c_leaves_politely(table, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    code, output = table([], "--seed", "7")
    assert code == 0
    assert "\nyou left the match at 0 to 0\n" in output


def test_bytes_that_are_no_text_are_asked_again(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\n"), encoding="utf-8"))
    assert main(["play", "cribbage", "--seed", "7"]) == 0
    assert "not none\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--tier", "god"), "'--tier': .*'god' is not one of 'easy', 'normal', 'hard', 'expert'"),
        (
            ("--profile", "secret"),
            r"--profile: expected a profile \(published, calibrated\), got 'secret'",
        ),
        (("--first", "me"), "'--first': .*'me' is not one of 'you', 'opponent', 'cut'"),
        (("--seed", "-1"), r"--seed: expected a number from 0 to 2\*\*63 - 1, got -1"),
        (("--match", str(2**63)), r"--match: expected a number from 0 to 2\*\*63 - 1, got 9223"),
        (("--json",), "No such option: --json"),
    ],
)
def test_wrong_options_get_one_line_and_exit_code_2(arguments, message, capsys):
    assert main(["play", "cribbage", *arguments]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert re.match(f"farm: (Invalid value for )?{message}", output.err)
    assert output.err.count("\n") == 1


def test_a_fresh_seed_is_printed(table):
    seeds = set()
    for _ in range(2):
        _, output = table([])
        seed = re.search(r"seed (\d+)\.", output)[1]
        assert output.endswith(f"--seed {seed}\n")
        seeds.add(seed)
    assert len(seeds) == 2


def test_the_lower_cut_deals_and_equal_ranks_are_cut_again():
    repeated = 0
    for number in range(200):
        *equal, last = cuts_for_deal(1, number)
        assert all(rank_of(a) == rank_of(b) and a != b for a, b in equal)
        assert rank_of(last[YOU]) != rank_of(last[OPPONENT])
        repeated += bool(equal)
    assert 2 <= repeated <= 30  # 3 in 51


def test_who_deals_first_is_said(table):
    for number in ("0", "1", "2", "3"):
        _, output = table([], "--seed", "7", "--match", number)
        yours, other = cuts_for_deal(7, int(number))[-1]
        assert f"you cut {pretty(yours)}, hard cuts {pretty(other)}." in output
        who = "you deal, your crib" if yours < other else "hard deals, hard's crib"
        assert f"── deal 1: {who} ─" in output
    assert "deal 1: you deal" in table([], "--first", "you")[1]
    assert "deal 1: hard deals" in table([], "--first", "opponent")[1]


def test_a_show_is_counted_aloud():
    scored = score_show(cards("5H 5D JC QC"), cards("KC")[0])
    assert " ".join(count_text(scored).split()) == (
        "15-2 (5♥ J♣), 15-4 (5♥ Q♣), 15-6 (5♥ K♣), 15-8 (5♦ J♣), 15-10 (5♦ Q♣), 15-12 (5♦ K♣), "
        "pair is 14 (5♥ 5♦), run of 3 is 17 (J♣ Q♣ K♣), nobs is 18 (J♣ K♣)"
    )
    assert count_text([]) == ""


def event(act, seat, text="", *scored, scores=(0, 0)):
    return Event(act, seat, cards(text), scored, scores)


def test_the_count_runs_and_a_go_is_told_once():
    told = Narrator("easy", YOU).tell
    assert told(event(Act.PLAY, OPPONENT, "KH")) == "  easy    K♥    10"
    assert told(event(Act.PLAY, YOU, "QS")) == "  you     Q♠    20"
    assert told(event(Act.PLAY, OPPONENT, "5C")) == "  easy    5♣    25"
    assert told(event(Act.GO, YOU)) == "  you     go"
    point = Scored(Kind.GO, cards("2D"), 1)
    line = told(event(Act.PLAY, OPPONENT, "2D", point, scores=(3, 9)))
    assert " ".join(line.split()) == "easy 2♦ 27 go for 1 you 3 easy 9"
    assert line.endswith("\n")
    assert told(event(Act.GO, OPPONENT)) is None
    assert told(event(Act.PLAY, YOU, "5H")) == "  you     5♥     5"


def test_heels_and_the_winner_are_told():
    narrator = Narrator("hard", OPPONENT)
    heels = Scored(Kind.HEELS, cards("JH"), 2)
    line = narrator.tell(event(Act.CUT, OPPONENT, "JH", heels, scores=(88, 121)))
    assert " ".join(line.split()) == "cut J♥ heels for 2 you 88 hard 121"
    assert narrator.result(OPPONENT) == "\nhard wins 121 to 88, by 33: a skunk"
    narrator.scores = (121, 60)
    assert narrator.result(YOU) == "\nyou win 121 to 60, by 61: a double skunk"


def test_the_only_card_that_can_be_played_is_played_unasked():
    said = []

    def never(prompt):
        raise AssertionError(prompt)

    person = Person(never, said.append)
    seen = Observation.for_play(cards("4S 8H KD"), cards("TC JC 5C"), 2, cards("7H")[0], False)
    assert person.play(seen) == cards("4S")[0]
    seen = Observation.for_play(cards("KD"), cards("TC"), 2, cards("7H")[0], False)
    assert person.play(seen) == cards("KD")[0]
    assert said == ["  (only 4♠ can be played)", "  (your last card)"]


def test_q_leaves_at_any_question():
    person = Person(lambda prompt: " Q ", lambda text: None)
    for ask, seen in ((person.discard, FOR_THROW), (person.play, FOR_PLAY)):
        with pytest.raises(Left):
            ask(seen)
