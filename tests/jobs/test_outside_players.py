import gc
import json
import os
import pickle
import re
import shlex
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from functools import lru_cache
from pathlib import Path

import psutil
import pytest
from pydantic import ValidationError

from engines.cribbage.match import IllegalAnswer, play_match, random_deals
from engines.cribbage.observation import Observation
from engines.cribbage.players import RandomPlayer, open_rolls
from engines.streams import next_word, open_stream
from jobs.matches import player_process
from jobs.matches.outside_players import (
    CommandProgram,
    OutsidePlayer,
    PlayerError,
    fault_kind,
    fault_text,
    open_player,
    player_seed,
    read_player,
)
from jobs.matches.player_process import LINE_LIMIT, PlayerFault, PlayerProcess

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "tests" / "data" / "cribbage_players"
CLASS = f"{EXAMPLES / 'seeded_class.py'}:Seeded"
PYTHON = f"cmd:{shlex.quote(sys.executable)} -SE"
LINES = f"{PYTHON} {EXAMPLES / 'seeded_lines.py'}"
AMPLE, SHORT = 20.0, 0.3
SEED = 5


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def play(table, pair, leg=0):
    """A match against random; the outside player deals first in leg 0 and sits first always."""
    players = [table.seat(SEED, pair, leg), RandomPlayer(open_rolls(SEED, pair, leg, 1))]
    return play_match(players, random_deals(SEED, pair), leg)


def fault_of(table, pair=0):
    with pytest.raises((PlayerFault, IllegalAnswer)) as caught:
        play(table, pair)
    return caught.value


def results(text, matches=3):
    with open_player(read_player(text), AMPLE) as table:
        return [play(table, pair, leg) for pair in range(matches) for leg in (0, 1)]


def class_player(body, text="ai.py:AI"):
    Path("ai.py").write_text(body)
    return read_player(text)


def command_player(*cases):
    """A program that is legal but for the given cases of a `match` over the message."""
    source = (EXAMPLES / "seeded_lines.py").read_text()
    source = source.replace(
        "import json\n", "import json\nimport os\nimport time\nSEEN = []\n"
    ).replace("    match message:\n", "    match message:\n" + "".join(cases))
    Path("ai.py").write_text(source)
    return read_player(f"{PYTHON} ai.py")


def case(pattern, *lines):
    return f"        case {pattern}:\n" + "".join(f"            {line}\n" for line in lines)


def on_play(*lines):
    return case('{"ask": "play"}', *lines)


def gone(pid):
    """Whether a process has ended and was waited for."""
    return not psutil.pid_exists(pid)


# Both ways.


def test_a_class_and_a_program_of_the_same_policy_play_the_same_matches():
    assert results(CLASS) == results(LINES)


@pytest.mark.parametrize("text", [CLASS, LINES])
def test_a_match_depends_on_its_seed_pair_and_leg_alone(text):
    with open_player(read_player(text), AMPLE) as table:
        alone = play(table, 2, 1)
    assert results(text)[5] == alone


def test_the_seed_is_of_the_match_and_not_of_its_deals_or_of_other_players():
    seeds = {player_seed(seed, pair, leg) for seed in (0, 1) for pair in (0, 1) for leg in (0, 1)}
    assert len(seeds) == 8
    assert all(0 <= seed < 2**63 for seed in seeds)
    others = [open_stream(0, 0, "cribbage deals"), open_rolls(0, 0, 0, 0), open_rolls(0, 0, 0, 1)]
    assert seeds.isdisjoint(int(next_word(stream)) >> 1 for stream in others)


@pytest.mark.parametrize("text", [CLASS, LINES])
def test_the_record_survives_json_and_is_hashable(text):
    player = read_player(text)
    copy = OutsidePlayer.model_validate_json(player.model_dump_json())
    assert copy == player
    opened = lru_cache(open_player)
    assert opened(copy, AMPLE) is opened(player, AMPLE)


def test_a_fault_is_the_same_in_another_process():
    seen = Observation.for_discard(range(6), is_dealer=True)
    fault = PlayerFault("late", "no answer", seen)
    copy = pickle.loads(pickle.dumps(fault))
    assert (copy.kind, str(copy), copy.seen) == ("late", "no answer", seen)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nobody", r"expected 'my_ai\.py:MyAI', 'my_ai:MyAI' or 'cmd:PROGRAM .*', got 'nobody'"),
        ("ai.txt/x:AI", "expected 'my_ai.py:MyAI', .* got 'ai.txt/x:AI'"),
        ("none.py:AI", "expected a Python file none.py: No such file"),
        ("pack.none:AI", "expected a Python file pack/none.py: No such file"),
        ("cmd:", "expected a command after cmd:, got none"),
        ("cmd:node 'ai.js", "expected a command after cmd:, .*: No closing quotation"),
        ("cmd:no-such-program x", "expected a program that can be run, got 'no-such-program'"),
        ("cmd:cat", "cmd:cat did not answer hello: unreadable: expected .*, got .*ask"),
        ("cmd:false", "cmd:false did not answer hello: missing: the program ended with exit code"),
        ("cmd:sleep 9", "cmd:sleep 9 did not answer hello: late: no answer within 0.3 s"),
    ],
)
def test_what_cannot_be_found_or_greeted_is_refused(text, message):
    with pytest.raises(PlayerError, match=message) as caught:
        read_player(text, start_seconds=SHORT if "sleep" in text else AMPLE)
    assert len(str(caught.value).splitlines()) == 1


def test_another_protocol_is_refused():
    hello = case('{"ask": "hello"}', 'answer = {"hello": "x", "protocol": 2}')
    with pytest.raises(PlayerError, match=r'expected {"hello": "<name>", "protocol": 1}, got {'):
        command_player(hello)


# A class.


GOOD = "class AI:\n    def __init__(self, seed): pass\n"
DISCARD = "    def discard(self, seen): return seen.own_hand[:2]\n"
PLAY = "    def play(self, seen): return seen.legal_plays()[0]\n"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("AI = 3", "expected a class AI in ai.py"),
        (GOOD + PLAY, r"expected AI to have a method discard\(seen\)"),
        (GOOD + DISCARD, r"expected AI to have a method play\(seen\)"),
        ("class AI:\n" + DISCARD + PLAY, r"expected AI\(seed\) to make a player"),
        ("class AI", r"ai.py raised SyntaxError: expected ':' \(ai.py, line 1\)"),
        ("\nimport nowhere", "ai.py raised ModuleNotFoundError: .* 'nowhere' at line 2"),
        ("exit(3)", "ai.py raised SystemExit: 3 at line 1"),
    ],
)
def test_a_file_without_a_player_is_refused(body, message):
    with pytest.raises(PlayerError, match=message):
        class_player(body)


def test_a_module_is_found_from_the_current_folder():
    Path("pack").mkdir()
    Path("pack/ai.py").write_text(GOOD + DISCARD + PLAY)
    program = read_player("pack.ai:AI").program
    assert (program.module, program.class_name) == ("pack.ai", "AI")
    assert read_player("pack/ai.py:AI").program.source == program.source


def test_the_run_keeps_the_source_not_the_file():
    player = class_player(GOOD + DISCARD + PLAY)
    Path("ai.py").unlink()
    with open_player(player, AMPLE) as table:
        assert play(table, 0).winner in (0, 1)


def test_a_changed_source_is_refused():
    fields = read_player(CLASS).model_dump()
    fields["program"]["source"] += "\n"
    with pytest.raises(ValidationError, match="seeded_class: expected the source of sha256"):
        OutsidePlayer.model_validate(fields)


def test_a_dataclass_with_text_annotations_can_be_a_player():
    head = "from __future__ import annotations\nfrom dataclasses import dataclass\n"
    body = f"{head}@dataclass\nclass AI:\n    seed: int\n{DISCARD}{PLAY}"
    with open_player(class_player(body), AMPLE) as table:
        assert play(table, 0).winner in (0, 1)


@pytest.mark.parametrize(
    ("body", "kind", "reason"),
    [
        (
            "def play(self, seen): return 1 // 0",
            "raised",
            "raised: ZeroDivisionError: .* at line 4",
        ),
        ("def play(self, seen): exit()", "raised", "raised: SystemExit: None at line 4"),
        (
            "def play(self, seen): pass",
            "unreadable",
            "expected a card as a number 0 to 51, got None",
        ),
        (
            "def play(self, seen): return '5H'",
            "unreadable",
            "expected a card as a number 0 to 51, got '5H'",
        ),
        ("def play(self, seen): return 52", "illegal", "expected one of"),
        (
            "def play(self, seen): import time; time.sleep(0.4); return seen.own_hand[0]",
            "late",
            "no answer within 0.3 s",
        ),
    ],
)
def test_each_fault_of_a_class_names_its_position(body, kind, reason):
    player = class_player(f"{GOOD}{DISCARD}    {body}\n")
    with open_player(player, SHORT if kind == "late" else AMPLE) as table:
        fault = fault_of(table)
    check_fault(fault, kind, reason)


UNSHOWABLE = """\
class Unshowable(Exception):
    def __str__(self): raise ValueError
"""


@pytest.mark.parametrize(
    ("raised", "reason"),
    [
        ("Unshowable()", "raised: Unshowable, whose text raised ValueError at line 6"),
        ("KeyboardInterrupt", "raised: KeyboardInterrupt: at line 6"),
        ("GeneratorExit", "raised: GeneratorExit: at line 6"),
        ("ValueError('a\\ud800')", r"raised: ValueError: a\ud800 at line 6"),
        ("ValueError('x' * 999)", f"raised: ValueError: {'x' * 175}... at line 6"),
    ],
)
def test_no_exception_of_a_class_escapes_its_forfeit(raised, reason):
    player = class_player(f"{UNSHOWABLE}{GOOD}{DISCARD}    def play(self, seen): raise {raised}\n")
    with open_player(player, AMPLE) as table:
        fault = fault_of(table)
    assert fault_text(fault).startswith(f"{reason}; position {{")
    json.dumps(fault_text(fault)).encode()


@pytest.mark.parametrize("raised", ["KeyboardInterrupt", "GeneratorExit", "SystemExit"])
def test_a_file_that_raises_what_ends_programs_is_refused(raised):
    with pytest.raises(PlayerError, match=f"ai.py raised {raised}: at line 1"):
        class_player(f"raise {raised}")


CAUGHT = """\
        try: signal.raise_signal(number)
        except BaseException: pass
        return seen.legal_plays()[0]
"""


@pytest.mark.parametrize("caught", [False, True])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_real_signal_ends_the_program_even_where_a_class_catches_it(number, caught):
    def ends(number, frame):
        raise SystemExit(number)

    before = signal.signal(signal.SIGTERM, ends)
    try:
        raises = CAUGHT if caught else "        signal.raise_signal(number)\n"
        play = f"    def play(self, seen):\n{raises.replace('number', str(int(number)))}"
        player = class_player(f"import signal\n{GOOD}{DISCARD}{play}")
        expected = KeyboardInterrupt if number == signal.SIGINT else SystemExit
        with open_player(player, AMPLE) as table, pytest.raises(expected):
            play_one = table.seat(SEED, 0, 0)
            play_one.play(Observation.for_play([0], (), 1, 4, True))
        assert signal.getsignal(signal.SIGTERM) is ends
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_constructor_can_be_at_fault_too():
    body = GOOD.replace("pass", "raise RuntimeError('no\\nluck')")
    with open_player(class_player(body + DISCARD + PLAY), AMPLE) as table:
        assert fault_text(fault_of(table)) == "raised: RuntimeError: no luck at line 2"


def check_fault(fault, kind, reason):
    text = fault_text(fault)
    assert text.startswith(f"{kind}: ")
    assert fault_kind(fault) == kind
    assert len(text.splitlines()) == 1
    said, _, position = text.partition("; position ")
    assert reason in said or re.search(reason, said)
    assert json.loads(position) == fault.seen.as_json()
    assert fault.seen.legal_plays()


# A program.


def test_the_program_is_one_for_all_matches_and_gone_after_close():
    with open_player(read_player(LINES), AMPLE) as table:
        play(table, 0)
        pid = table.process.pid
        play(table, 1)
        assert table.process.pid == pid
        assert psutil.pid_exists(pid)
    assert gone(pid)


def test_a_program_is_ended_where_its_player_is_forgotten():
    table = open_player(read_player(LINES), AMPLE)
    play(table, 0)
    pid = table.process.pid
    del table
    gc.collect()
    assert gone(pid)


def test_a_program_ends_with_the_worker_even_where_that_is_killed():
    worker = (
        "import sys, time; from pathlib import Path; from jobs.matches.player_process import *\n"
        "process = PlayerProcess(sys.argv[1:], Path())\n"
        "print(process.pid, flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", worker, sys.executable, str(EXAMPLES / "seeded_lines.py")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as started:
        program = psutil.Process(int(started.stdout.readline()))
        started.kill()
    program.wait(5)


def test_a_wrapper_that_ignores_its_end_is_killed_with_what_it_started(monkeypatch):
    monkeypatch.setattr(player_process, "GRACE", 0.1)
    Path("stubborn.sh").write_text(
        f"trap '' TERM\nsleep 60 &\n{sys.executable} -SE {EXAMPLES / 'seeded_lines.py'}\nwait\n"
    )
    with open_player(read_player("cmd:sh stubborn.sh"), AMPLE) as table:
        play(table, 0)
        wrapper = psutil.Process(table.process.pid)
        (sleeper,) = [child for child in wrapper.children() if child.name() == "sleep"]
    assert gone(wrapper.pid)
    sleeper.wait(5)


LEFT_BEHIND = """\
sleep 60 &
echo $! > left_behind
read hello; echo '{"hello": "wrapper", "protocol": 1}'
read match; read discard; exit 3
"""


def test_what_a_wrapper_that_ended_has_left_running_is_ended_and_the_fault_is_missing():
    Path("wrapper.sh").write_text(LEFT_BEHIND)
    player = read_player("cmd:sh wrapper.sh")
    with open_player(player, SHORT) as table:
        fault = fault_of(table)  # the sleeper holds its pipes open
        sleeper = int(Path("left_behind").read_text())
        assert fault_text(fault).startswith("missing: the program ended with exit code 3; position")
        assert table.process.ended
    psutil.wait_procs([psutil.Process(sleeper)] if psutil.pid_exists(sleeper) else [], 5)
    assert not psutil.pid_exists(sleeper)


@pytest.mark.parametrize("lacking", [True, False])
def test_the_end_of_a_program_is_seen_with_and_without_waitid(lacking, monkeypatch):
    if lacking:
        monkeypatch.delattr(os, "waitid")
    for lines, reason in (("exit 3", "exit code 3"), ("kill -9 $$", "signal 9")):
        process = PlayerProcess(["sh", "-c", f"read line; {lines}"], Path())
        with pytest.raises(PlayerFault, match=f"the program ended with {reason}"):
            process.ask({}, AMPLE)
        process.end()
        assert gone(process.pid)


@pytest.mark.parametrize("pieces", [1, 8])
@pytest.mark.parametrize("over", [0, 1])
def test_a_line_has_its_limit_however_it_arrives(over, pieces):
    answer = f"{{}}{' ' * (LINE_LIMIT - 2 + over)}\n"
    step = len(answer) // pieces + 1
    writes = (
        "import os, time; input(); text = {}\n"
        "for start in range(0, len(text), {step}):\n"
        "    left = text[start:start + {step}]\n"
        "    while left: left = left[os.write(1, left):]\n"
        "    time.sleep(0.01)\n"
        "input()"
    ).format(f"b'{{}}' + b' ' * {LINE_LIMIT - 2 + over} + b'\\n'", step=step)
    process = PlayerProcess([sys.executable, "-SE", "-c", writes], Path())
    try:
        if over:
            with pytest.raises(PlayerFault, match="a line above 65,536 bytes"):
                process.ask({}, AMPLE)
        else:
            assert process.ask({}, AMPLE) == {}
    finally:
        process.end()


@pytest.mark.parametrize(
    ("lines", "kind", "reason"),
    [
        (["time.sleep(60)"], "late", "no answer within 0.3 s"),
        (
            ["""print('{"pl', end="", flush=True)""", "time.sleep(60)"],
            "late",
            """no answer within 0.3 s, only '{"pl'""",
        ),
        (["sys.exit(3)"], "missing", "the program ended with exit code 3"),
        (["[][1]"], "missing", "exit code 1; on stderr: IndexError: list index out of range"),
        (["os.kill(os.getpid(), 9)"], "missing", "the program ended with signal 9"),
        (["os.close(1)", "time.sleep(60)"], "missing", "the program closed its input or output"),
        (["answer = 5"], "unreadable", "expected a JSON object, got '5'"),
        (["print('hm')"], "unreadable", "expected a JSON object, got 'hm'"),
        (["print('[' * 60_000)"], "unreadable", "expected a JSON object, got '[[["),
        (
            ["answer = {'card': '5H'}"],
            "unreadable",
            """expected {"play": ...}, got {"card": "5H"}""",
        ),
        (["answer = {'play': '10H'}"], "unreadable", "expected a card such as 'TD' .*, got '10H'"),
        (["answer = {'play': ['5H']}"], "unreadable", r"expected a card .*, got \['5H'\]"),
        (["while True: print('x' * 70_000, end='')"], "unreadable", "a line above 65,536 bytes"),
        (["while True: print('x' * 70_000, file=sys.stderr)"], "late", "no answer within 0.3 s"),
        (["answer = {'play': message['seen']['starter']}"], "illegal", "expected one of"),
    ],
)
def test_each_fault_of_a_program_names_its_position(lines, kind, reason):
    player = command_player(on_play(*lines))
    with open_player(player, SHORT if kind == "late" else AMPLE) as table:
        fault = fault_of(table)
    check_fault(fault, kind, reason)
    assert "history" in fault_text(fault)


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        ("message['seen']['own_hand'][:3]", "illegal", "expected two cards of the hand"),
        ("message['seen']['own_hand'][:1] * 2", "illegal", "expected two cards of the hand"),
        ("'5H KD'", "unreadable", """expected a list of cards, got "5H KD\""""),
        ("[3, 4]", "unreadable", "expected a card such as 'TD' .*, got 3"),
    ],
)
def test_a_discard_can_be_at_fault_too(answer, kind, reason):
    discard = case('{"ask": "discard"}', f"answer = {{'discard': {answer}}}")
    with open_player(command_player(discard), AMPLE) as table:
        fault = fault_of(table)
    assert fault_kind(fault) == kind
    assert re.search(reason, str(fault))
    assert len(fault.seen.own_hand) == 6


def test_a_line_that_nobody_asked_for_is_a_fault():
    twice = case('{"ask": "discard"}', "os.write(1, b'{\"discard\": []}\\n' * 2)", "continue")
    seen = Observation.for_discard(range(6), is_dealer=True)
    with open_player(command_player(twice), AMPLE) as table:
        seat = table.seat(SEED, 0, 0)
        assert seat.discard(seen) == []
        with pytest.raises(PlayerFault, match=r"output before the question: .*: \[\]"):
            seat.discard(seen)


def test_an_endless_line_ends_soon_after_its_limit():
    endless = on_play("while True: print('x' * 70_000, end='')")
    with open_player(command_player(endless), AMPLE) as table:
        started = time.monotonic()
        fault = fault_of(table)
    assert time.monotonic() - started < AMPLE / 4
    assert f"{LINE_LIMIT:,} bytes" in str(fault)


def test_a_chatty_stderr_blocks_nobody():
    chatty = on_play(
        "print('x' * 100_000, file=sys.stderr, flush=True)",
        "answer = {'play': message['legal'][-1]}",
    )
    player = command_player(chatty)
    with open_player(player, AMPLE) as table:
        assert [play(table, 0)] == results(LINES)[:1]


def test_a_fault_ends_the_program_and_the_other_matches_are_as_without_it():
    hangs = on_play(
        "if message['seen']['own_score'] > 99 and os.path.exists('hang'): time.sleep(60)",
        "answer = {'play': message['legal'][-1]}",
    )
    with open_player(command_player(hangs), 1.0) as table:
        first = play(table, 0)
        Path("hang").touch()
        pid = table.process.pid
        assert fault_of(table, 0).seen.own_score > 99
        assert gone(pid)
        Path("hang").unlink()
        assert [first, play(table, 0, 1)] == results(LINES)[:2]
        assert table.process.pid != pid


def test_a_changed_or_missing_file_of_a_command_is_refused():
    player = command_player()
    assert set(player.program.files) == {sys.executable, "ai.py"}
    assert player.program.hello == "Seeded"
    with open_player(player, AMPLE) as table:
        Path("ai.py").write_text("")
        with pytest.raises(PlayerError, match=r"expected .*ai\.py as it was, sha256"):
            table.seat(0, 0, 0)
        Path("ai.py").unlink()
        with pytest.raises(PlayerError, match=r"expected the file .*ai\.py: No such file"):
            table.seat(0, 0, 0)


def test_a_command_runs_in_the_folder_where_it_was_named(tmp_path, monkeypatch):
    player = command_player()
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    with open_player(player, AMPLE) as table:
        assert play(table, 0).winner in (0, 1)


# The documentation.


MANUAL = (ROOT / "jobs" / "OUTSIDE_PLAYERS.md").read_text()


def shown(first_line):
    """The code in the manual that begins so."""
    rest = MANUAL[MANUAL.index(f"    {first_line}") :]
    return textwrap.dedent(re.match(r"(    .*\n|\n)+", rest)[0])


def test_the_exchange_in_the_manual_is_a_real_one():
    exchange = re.findall(r"^    ([<>]) (\{.*)$", MANUAL, flags=re.MULTILINE)
    source = (EXAMPLES / "seeded_lines.py").read_text()
    source = source.replace("    message =", "    LOG.write('> ' + line)\n    message =")
    source = source.replace("    print(", "    LOG.write(f'< {json.dumps(answer)}\\n')\n    print(")
    Path("ai.py").write_text(f"LOG = open('log', 'w')\n{source}LOG.close()\n")
    with open_player(read_player(f"{PYTHON} ai.py"), AMPLE) as table:
        play(table, 0)
    real = [line.split(" ", 1) for line in Path("log").read_text().splitlines()]
    assert len(exchange) == 9
    for (side, text), (real_side, real_text) in zip(exchange, real, strict=False):
        assert (side, json.loads(text)) == (real_side, json.loads(real_text))


def test_the_class_in_the_manual_plays():
    Path("ai.py").write_text(shown("class MyAI:"))
    assert results("ai.py:MyAI", 1)


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_the_program_in_the_manual_plays_as_the_class_in_it():
    Path("ai.py").write_text(shown("class MyAI:"))
    Path("ai.js").write_text(shown("const lines"))
    assert results("cmd:node ai.js") == results("ai.py:MyAI")


def test_a_player_is_shown_by_its_name_and_what_tells_it_from_others():
    assert str(read_player(CLASS)).startswith(f"{CLASS} (sha256 ")
    assert len(str(read_player(CLASS))) == len(f"{CLASS} (sha256 )") + 12
    files = {"/bin/bot": "0123456789abcdef" * 4}
    bot = CommandProgram(argv=("bot",), folder="/", hello="Bot 2", files=files)
    shown = str(OutsidePlayer(name="cmd:bot", program=bot))
    assert shown == "cmd:bot (calls itself Bot 2, /bin/bot sha256 0123456789ab)"
