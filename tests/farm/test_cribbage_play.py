"""A match of cribbage at the prompt: what the person is asked, told, and not told."""

import errno
import io
import json
import re
import shlex
import signal
import sys
import time
from pathlib import Path

import pytest

from engines.cards import CARD_NAMES, pretty, rank_of
from engines.cribbage import fast_brain
from engines.cribbage.brain import THROWS
from engines.cribbage.fair_deal import FairMatch, Protocol, commit_of
from engines.cribbage.match import Act, Event
from engines.cribbage.observation import Observation
from engines.cribbage.scoring import Kind, Scored, score_show
from engines.cribbage.tiers import EXPERT, PROFILES, Tier
from engines.cribbage.transcript import PERSON, EndOfScript, Seat, play_transcribed
from engines.cribbage.transcript_check import verify_transcript
from farm.commands import cribbage
from farm.commands.cribbage import Person, chosen_cards
from farm.commands.cribbage_table import (
    OPPONENT,
    YOU,
    Narrator,
    count_text,
    hand_text,
    hint_text,
    result_text,
)
from farm.main import main

# Right for a throw, then right for a play: what is wrong is asked again.
ANSWERS = ["1 2", "1"] * 600


def cards(text):
    return tuple(CARD_NAMES.index(name) for name in text.split())


@pytest.fixture(scope="module", autouse=True)
def _loaded():
    """Whoever compiles it is told so, which is not the output that is compared here."""
    cribbage.load_brain()


class Terminal(io.StringIO):
    """Standard input that a person types on."""

    def isatty(self):
        return True


@pytest.fixture
def table(monkeypatch, capsys):
    """Plays with these lines on standard input; returns the exit code and the output."""

    def play(lines, *arguments, kind=io.StringIO):
        monkeypatch.setattr(sys, "stdin", kind("".join(f"{line}\n" for line in lines)))
        code = main(["play", "cribbage", *arguments])
        output = capsys.readouterr()
        assert output.err == ""
        return code, output.out

    return play


FOR_THROW = Observation.for_discard(cards("5D 6D 6H TC JC QC"), True)
FOR_PLAY = Observation.for_play(cards("4S 8H KD"), cards("TC JC"), 3, cards("7H")[0], False)


@pytest.fixture
def file(tmp_path):
    """Where a transcript goes."""
    return tmp_path / "match 1.json"


def document_in(file):
    document = json.loads(file.read_text())
    assert file.read_text() == json.dumps(document, indent=2) + "\n"
    verify_transcript(document)
    return document


def after_the_opening(output):
    """From the first line that is the same however the match was named."""
    return output[output.index("Cribbage to 121") :]


def test_a_match_is_played_to_its_end_and_again_with_the_command_it_prints(table):
    code, output = table(ANSWERS, "--seed", "11", "--client-seed", "a b")
    assert code == 0
    won = re.search(r"^(you win|hard wins) 121 to (\d+), by (\d+)", output, flags=re.MULTILINE)
    assert int(won[2]) + int(won[3]) == 121
    *_, said, last = output.splitlines()
    assert said == "the same cards again:"
    assert last == "farm play cribbage --seed 11 --client-seed 'a b'"
    assert table(ANSWERS, *shlex.split(last)[3:]) == (0, output)


def test_the_transcript_is_that_of_the_engine(table, file):
    code, output = table(
        ANSWERS,
        *("--seed", "5", "--client-seed", "Zoë", "--tier", "normal", "--profile", "published"),
        *("--first", "you", "--transcript", str(file)),
    )

    class Lowest:
        def discard(self, seen):
            return seen.own_hand[:2]

        def play(self, seen):
            return seen.legal_plays()[0]

    document = play_transcribed(
        FairMatch.client_first(5, "Zoë"),
        (Seat(PERSON, "you"), Seat.brain(Tier.NORMAL, "published")),
        (Lowest(), None),
        YOU,
    )
    assert code == 0
    assert document_in(file) == document
    assert f"121 to {min(document['scores'])}, by" in output
    dealers = re.findall(r"deal \d+: (you|normal) deals?, ", output)
    assert dealers == [("you", "normal")[hand["dealer"]] for hand in document["hands"]]
    commit = document["commit"]
    assert output.splitlines()[-2:] == [
        "check every card, roll and decision:",
        f"farm verify-transcript '{file}' --commit {commit}",
    ]
    assert output.startswith(f"commit {commit}\n")
    assert main(shlex.split(output.splitlines()[-1])[1:]) == 0


def test_the_commit_is_the_first_line_and_its_secret_is_shown_at_the_end(table, file):
    _, output = table(ANSWERS, "--transcript", str(file))
    document = document_in(file)
    assert document["protocol"] == Protocol.COMMIT_FIRST
    assert document["reveal"]["client_seed"] == ""
    assert output.splitlines()[0] == f"commit {document['commit']}"
    secret = re.search(r"wins? 121 to .*\n\nsecret ([0-9a-f]{64})\n", output)[1]
    assert output.count(secret) == 1
    assert commit_of(bytes.fromhex(secret)) == document["commit"]
    assert main(["verify-transcript", str(file)]) == 0


@pytest.mark.parametrize("answers", [0, 1, 2, 3, 30])
def test_a_match_that_was_left_is_written_as_far_as_it_went(answers, table, file):
    code, output = table(ANSWERS[:answers], "--transcript", str(file))
    document = document_in(file)
    assert code == 0
    assert document["winner"] is None
    assert "you left the match at {} to {}\n".format(*document["scores"]) in output
    assert f"secret {document['reveal']['secret']}\n" in output
    assert output.endswith(f"farm verify-transcript '{file}' --commit {document['commit']}\n")


def test_a_fresh_match_is_played_again_with_its_secret(table):
    _, output = table(ANSWERS, "--client-seed", "-x 'y'", "--tier", "easy", "--first", "opponent")
    last = output.splitlines()[-1]
    secret = re.search("^secret (.*)$", output, flags=re.MULTILINE)[1]
    assert last.startswith(f"farm play cribbage --secret {secret} --client-seed '-x ")
    assert last.endswith(" --tier easy --first opponent")
    code, again = table(ANSWERS, *shlex.split(last)[3:])
    assert code == 0
    assert after_the_opening(again) == after_the_opening(output)
    assert again.splitlines()[0] == output.splitlines()[0] == f"commit {commit_of_hex(secret)}"
    other = table(ANSWERS, "--secret", secret, "--tier", "easy", "--first", "opponent")[1]
    assert after_the_opening(other) != after_the_opening(output)


def commit_of_hex(secret):
    return commit_of(bytes.fromhex(secret))


def test_two_fresh_matches_have_different_secrets(table):
    secrets = [table([])[1].splitlines()[-1].split()[-1] for _ in range(2)]
    assert len(set(secrets)) == 2


def test_another_client_seed_gives_other_cards(table):
    hands = set()
    for client_seed in ("", "a", "b"):
        _, output = table([], "--seed", "7", "--client-seed", client_seed)
        hands.add(output.partition("  hand ")[2].splitlines()[0])
        assert output.count(f"\nclient seed {client_seed}\n") == bool(client_seed)
    assert len(hands) == 3


def test_the_client_seed_is_asked_for_after_the_commit_at_a_terminal_only(table, file):
    lines = ["a\x1b[A", "  my luck ", "q"]
    code, output = table(lines, "--transcript", str(file), kind=Terminal)
    reveal = document_in(file)["reveal"]
    prompt = "type anything to mix into the shuffle, Enter for none: "
    assert code == 0
    assert reveal["client_seed"] == "my luck"
    assert output.startswith(f"commit {commit_of_hex(reveal['secret'])}\n")
    assert output.split(prompt)[1] == "only printable text can be mixed in\n"
    assert output.split(prompt)[2].startswith("\nCribbage to 121")
    assert prompt not in table(["q"], "--client-seed", "x", kind=Terminal)[1]
    assert prompt not in table(["q"], "--seed", "1", kind=Terminal)[1]
    assert prompt not in table(["q"], "--secret", "ab" * 32, kind=Terminal)[1]
    assert prompt not in table(["q"])[1]


PICKED = "The cards are fixed, but may have been picked: "


@pytest.mark.parametrize(
    ("lines", "options", "kind", "why"),
    [
        (["my luck"], (), Terminal, None),
        ([""], (), Terminal, "nothing of yours is mixed in"),
        ([], (), io.StringIO, "nothing of yours is mixed in"),
        ([], ("--client-seed", ""), Terminal, "nothing of yours is mixed in"),
        ([], ("--client-seed", "my luck"), Terminal, "your seed came before the commit"),
        ([], ("--client-seed", "my luck"), io.StringIO, "your seed came before the commit"),
        ([], ("--seed", "3"), Terminal, None),
        ([], ("--secret", "ab" * 32), Terminal, None),
    ],
)
def test_what_the_commit_does_not_show_is_said_before_the_first_card(
    lines, options, kind, why, table
):
    opening = table([*lines, "q"], *options, kind=kind)[1].partition("Cribbage to 121")[0]
    opening = opening.replace("Enter for none: ", "Enter for none: \n")  # as the terminal does
    said = [line for line in opening.splitlines() if line.startswith(PICKED)]
    assert said == ([] if why is None else [f"{PICKED}{why}."])
    assert max(map(len, opening.splitlines())) <= 80


def test_no_client_seed_at_all_is_no_match(table, file):
    code, output = table([], "--transcript", str(file), kind=Terminal)
    assert code == 0
    assert output.endswith("\nyou left before the first card\n")
    assert not re.search("^secret ", output, flags=re.MULTILINE)
    assert not file.exists()


def test_a_file_is_not_overwritten(capsys, file):
    file.write_text("mine")
    assert main(["play", "cribbage", "--transcript", str(file)]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err == f"farm: --transcript: expected a new file, got {file}: File exists\n"
    assert file.read_text() == "mine"


def test_a_transcript_that_cannot_be_written_is_a_failure(monkeypatch, capsys, file):
    def full(path, *arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    assert main(["play", "cribbage", "--transcript", str(file)]) == 1
    output = capsys.readouterr()
    assert re.search("^secret [0-9a-f]{64}$", output.out, flags=re.MULTILINE)
    assert output.err == f"farm: --transcript: {file}: No space left on device\n"
    assert not file.exists()


@pytest.mark.parametrize("at", ["into", "  cut ", "── deal 2"])
def test_ctrl_c_between_two_questions_leaves_at_the_next_one(at, table, monkeypatch, file):
    said, interrupted = cribbage.say, []

    def say(text, end="\n"):
        if at in text and not interrupted:
            interrupted.append(text)
            raise KeyboardInterrupt
        said(text, end)

    monkeypatch.setattr(cribbage, "say", say)
    code, output = table(ANSWERS, "--seed", "11", "--transcript", str(file))
    document = document_in(file)
    assert code == 0
    assert interrupted
    assert document["winner"] is None
    assert len(document["hands"]) == (2 if "deal 2" in at else 1)
    assert "\nyou left the match at {} to {}\n".format(*document["scores"]) in output


def test_a_signal_leaves_the_match_as_ctrl_c_does(table, monkeypatch, file):
    # Under nohup SIGHUP is ignored, and stays so.
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    handlers = [signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGTERM)]
    for number in (signal.SIGHUP, signal.SIGTERM):
        asked = []

        def at_the_third_question(number=number, asked=asked):
            asked.append(number)
            if len(asked) == 3:
                signal.raise_signal(number)
            return ANSWERS[len(asked) - 1]

        monkeypatch.setattr("builtins.input", at_the_third_question)
        code, output = table([], "--seed", "11", "--transcript", str(file))
        document = document_in(file)
        assert (code, len(asked)) == (0, 3)
        assert document["winner"] is None
        assert f"secret {document['reveal']['secret']}\n" in output
        assert "\nyou left the match at {} to {}\n".format(*document["scores"]) in output
        file.unlink()
    assert handlers == [signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGTERM)]
    signal.signal(signal.SIGHUP, before)


def test_a_signal_that_is_ignored_stays_ignored(table):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with cribbage._left_by_signals():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("second", [None, signal.SIGHUP, signal.SIGTERM])
def test_a_closed_terminal_costs_neither_the_match_nor_the_file(second, monkeypatch, file):
    """SIGHUP at a question, then maybe another signal, and nothing can be said from then on."""
    gone, asked, said = [], [], cribbage.say

    def say(text, end="\n"):
        if gone:
            if second:
                signal.raise_signal(second)
            raise OSError(errno.EIO, "Input/output error")
        said(text, end)

    def answer():
        if len(asked) == 2:  # a throw and a card are decided
            gone.append(True)
            signal.raise_signal(signal.SIGHUP)
        asked.append(True)
        return ANSWERS[len(asked) - 1]

    monkeypatch.setattr(cribbage, "say", say)
    monkeypatch.setattr("builtins.input", answer)
    assert main(["play", "cribbage", "--seed", "11", "--transcript", str(file)]) == 1
    document = document_in(file)
    assert document["winner"] is None
    plays = document["hands"][0]["plays"]
    assert len([each for each in plays if each["seat"] == YOU and "card" in each]) == 1


def test_a_person_who_waits_for_the_compilation_is_told_of_it(monkeypatch, capsys):
    monkeypatch.setattr(cribbage, "load_brain", lambda: time.sleep(0.3))
    monkeypatch.setattr(cribbage, "LOADING_SECONDS", 0.01)
    monkeypatch.setattr(sys, "stdin", io.StringIO("1 2\nq\n"))
    assert main(["play", "cribbage", "--seed", "7"]) == 0
    output = capsys.readouterr()
    assert output.err == "compiling the brain, once for this version: about 20 s\n"
    assert " into " in output.out


def test_a_card_of_the_opponent_is_shown_only_when_it_is_public(monkeypatch):
    hidden, checked = set(), []

    class Screen(io.StringIO):
        def write(self, text):
            for card in hidden:
                assert pretty(card) not in text
                assert CARD_NAMES[card] not in text
            checked.append(len(hidden))
            return super().write(text)

    def recorded(match, seats, others, dealer, watch, decided):
        def both(event):
            if event.act is Act.DEAL and event.seat == YOU:
                hidden.clear()  # the cards of the deal before are back in the pack
            if event.act is Act.DEAL and event.seat == OPPONENT:
                hidden.update(event.cards)
            elif event.act in (Act.PLAY, Act.CRIB):
                hidden.difference_update(event.cards)
            watch(event)

        return play_transcribed(match, seats, others, dealer, both, decided)

    monkeypatch.setattr(cribbage, "play_transcribed", recorded)
    lines = ["1 2", "hint", "1", "0"] * 600
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    monkeypatch.setattr(sys, "stdout", Screen())
    assert main(["play", "cribbage", "--seed", "2"]) == 0
    assert re.search("wins? 121 to", sys.stdout.getvalue())
    assert {0, 2, 3, 4, 5, 6} <= set(checked)


def test_no_line_is_wider_than_a_terminal_of_80_columns(table):
    lines = ["?", "1 2", "hint", "1"] * 600
    for named in (("--seed", str(10**9)), ("--secret", "5a" * 32)):
        _, output = table(lines, *named, "--tier", "expert")
        *shown, command = output.splitlines()
        assert max(map(len, shown)) <= 80
        assert command.startswith("farm play cribbage --se")  # one line, to be copied


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("", "two different cards go into the crib, not none"),
        ("1", "two different cards go into the crib, not 2♦"),
        ("3 3", "two different cards go into the crib, not 8♦ 8♦"),
        ("1 2 3", "two different cards go into the crib, not 2♦ 4♣ 8♦"),
        ("1 7", "'7' is no card of your hand: 2D 4C 8D 8H 9D QS, or 1 to 6"),
        ("AS 4C", "'AS' is no card of your hand: 2D 4C 8D 8H 9D QS, or 1 to 6"),
        ("help me", "'HELP' is no card of your hand: 2D 4C 8D 8H 9D QS, or 1 to 6"),
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
    values = dict(fast_brain.play_values(FOR_PLAY, EXPERT.level))
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
    assert output.endswith("the same cards again:\nfarm play cribbage --seed 11\n")


def test_ctrl_c_leaves_politely(table, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    code, output = table([], "--seed", "7")
    assert code == 0
    assert "\nyou left the match at 0 to 0\n" in output


def test_bytes_that_are_no_text_are_asked_again(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\n"), encoding="utf-8"))
    assert main(["play", "cribbage", "--seed", "7", "--first", "you"]) == 0
    prompt = "two for your crib: "
    assert f"{prompt}that line is no text\n{prompt}\n" in capsys.readouterr().out


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
        (("--seed", str(2**63)), r"--seed: expected a number from 0 to 2\*\*63 - 1, got 9223"),
        (("--seed", "1", "--secret", "ab" * 32), "--seed and --secret name two matches"),
        (("--secret", "ab" * 31), "--secret: expected 64 hexadecimal digits, got 'abab"),
        (("--secret", "xy" * 32), "--secret: expected 64 hexadecimal digits, got 'xyxy"),
        (("--secret", ""), "--secret: expected 64 hexadecimal digits, got ''"),
        (("--client-seed", "a\nb"), r"--client-seed: expected printable text, got 'a\\nb'"),
        (("--client-seed", "\udcff"), r"expected words in UTF-8, got '\\udcff'"),
        (("--transcript", "/no/such/folder/x"), "--transcript: .*: No such file or directory"),
        (("--transcript", "."), r"--transcript: expected a new file, got \.: File exists"),
        (("--json",), "No such option: --json"),
    ],
)
def test_wrong_options_get_one_line_and_exit_code_2(arguments, message, capsys):
    assert main(["play", "cribbage", *arguments]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert re.match(f"farm: (Invalid value for )?{message}", output.err)
    assert output.err.count("\n") == 1


def test_who_deals_first_is_said(table):
    repeated = 0
    for seed in range(6):
        _, output = table([], "--seed", str(seed))
        cuts = FairMatch.client_first(seed).cuts()
        shown = [f"For the deal you cut {pretty(a)}, hard cuts {pretty(b)}.\n" for a, b in cuts]
        assert "".join(shown) in output
        assert output.count("For the deal") == len(cuts)
        yours, other = cuts[-1]
        who = "you deal, your crib" if rank_of(yours) < rank_of(other) else "hard deals, hard's"
        assert f"── deal 1: {who}" in output
        repeated += len(cuts) > 1
    assert repeated
    for first, who in (("you", "you deal"), ("opponent", "hard deals")):
        _, output = table([], "--first", first)
        assert f"deal 1: {who}" in output
        assert "For the deal" not in output


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
    won = event(Act.PLAY, YOU, "5H", Scored(Kind.GO, cards("5H"), 1), scores=(121, 88))
    assert not narrator.tell(won).endswith("\n")
    assert result_text("hard", OPPONENT, (91, 121)) == "\nhard wins 121 to 91, by 30"
    assert result_text("hard", OPPONENT, (88, 121)) == "\nhard wins 121 to 88, by 33: a skunk"
    assert result_text("hard", YOU, (121, 60)) == "\nyou win 121 to 60, by 61: a double skunk"


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
        with pytest.raises(EndOfScript):
            ask(seen)
