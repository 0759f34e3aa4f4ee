"""Cribbage players that users bring: a Python class, or any program that speaks JSON lines.

OUTSIDE_PLAYERS.md is the contract. `read_player` turns what a user names into a record that a run
keeps, `open_player` makes players of the record, on whatever machine.
"""

import hashlib
import inspect
import json
import operator
import shlex
import shutil
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, Self, TypeVar

from pydantic import BaseModel, Field, model_validator

from engines.cards import CARD_NAMES, PACK_SIZE, CardError, parse_card
from engines.cribbage.match import IllegalAnswer, Player
from engines.cribbage.observation import Observation
from engines.streams import next_word, open_stream
from jobs.job import NotReadyError
from jobs.matches.player_code import raising_as_player
from jobs.matches.player_process import Fault, PlayerFault, PlayerProcess, late_reason, one_line

T = TypeVar("T")

GAME = "cribbage"
PROTOCOL = 1
START_SECONDS = 30.0
"""What a program has from its start to its answer to "hello"."""

_COMMAND = "cmd:"
_DIGEST_SHOWN = 12
_FORMS = "'my_ai.py:MyAI', 'my_ai:MyAI' or 'cmd:PROGRAM ARGUMENT ...'"


class PlayerError(NotReadyError, ValueError):
    """A player that cannot be found or started, or that is not the one of the record."""


class ClassProgram(BaseModel, frozen=True, extra="forbid"):
    """A Python class.

    module: its name. source: the text of the module's file. sha256: of that file.
    """

    kind: Literal["class"] = "class"
    module: str
    class_name: str
    source: str
    sha256: str

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        if self.sha256 != _sha256(self.source.encode()):
            raise ValueError(f"{self.module}: expected the source of sha256 {self.sha256}")
        return self

    @property
    def digests(self) -> str:
        """What tells this program from others of its name, for people."""
        return f"sha256 {self.sha256[:_DIGEST_SHOWN]}"

    @property
    def file_name(self) -> str:
        """How errors name the file."""
        return f"{self.module}.py"


class CommandProgram(BaseModel, frozen=True, extra="forbid"):
    """A program to start.

    folder: where it is started. hello: the name it gives itself. files: sha256 of those arguments,
    the program itself included, that name a file.
    """

    kind: Literal["command"] = "command"
    argv: tuple[str, ...] = Field(min_length=1)
    folder: str
    hello: str
    files: dict[str, str]

    @property
    def digests(self) -> str:
        """What tells this program from others of its name, for people."""
        shown = (f"{name} sha256 {each[:_DIGEST_SHOWN]}" for name, each in self.files.items())
        return ", ".join([f"calls itself {self.hello}", *shown])

    def __hash__(self) -> int:
        return hash((self.argv, self.folder, self.hello, *self.files.items()))


class OutsidePlayer(BaseModel, frozen=True, extra="forbid"):
    """A player as a run keeps it; hashable. name: the text that the user gave."""

    name: str
    program: ClassProgram | CommandProgram = Field(discriminator="kind")

    def __str__(self) -> str:
        return f"{self.name} ({self.program.digests})"

    @property
    def files(self) -> list[str]:
        """The files that it was read from, as the user named them."""
        if isinstance(self.program, CommandProgram):
            return list(self.program.files)
        return [str(_class_path(self.name.rpartition(":")[0]))]


class OpenPlayer(ABC):
    """A player ready to play, one match at a time. A context manager: leaving it closes."""

    @abstractmethod
    def seat(self, seed: int, pair: int, leg: int) -> Player:
        """The player of one match, told its `player_seed`.

        It and its answers raise PlayerFault; PlayerError where the program is no longer the
        recorded one or cannot be started on this machine.
        """

    def close(self) -> None:  # noqa: B027
        """Ends what runs; nothing where nothing does."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_player(text: str, start_seconds: float = START_SECONDS) -> OutsidePlayer:
    """The player that a user names, looked for from the current folder; raises PlayerError.

    A class's module is executed and a command is started and greeted, once each.
    """
    program = _read_command(text, start_seconds) if text.startswith(_COMMAND) else _read_class(text)
    return OutsidePlayer(name=text, program=program)


def open_player(
    player: OutsidePlayer, seconds: float, start_seconds: float = START_SECONDS
) -> OpenPlayer:
    """Opens a player that has `seconds` of wall time for each answer; raises PlayerError.

    A command is started with its first seat and has `start_seconds` for that.
    """
    if isinstance(player.program, ClassProgram):
        return _OpenClass(player.program, _load_class(player.program), seconds)
    return _OpenCommand(player.program, seconds, start_seconds)


def player_seed(seed: int, pair: int, leg: int) -> int:
    """The seed, 0 to 2**63 - 1, that an outside player gets for a match of a run's seed."""
    stream = open_stream(seed, pair, f"cribbage outside player in leg {leg}")
    return int(next_word(stream)) >> 1


def fault_kind(error: PlayerFault | IllegalAnswer) -> Fault:
    """What a player did wrong."""
    return error.kind if isinstance(error, PlayerFault) else Fault.ILLEGAL


def fault_text(error: PlayerFault | IllegalAnswer) -> str:
    """One line: the kind of the fault, the reason, and the position as JSON where there is one."""
    text = f"{fault_kind(error)}: {one_line(str(error))}"
    if error.seen is None:
        return text
    return f"{text}; position {json.dumps(error.seen.as_json(), separators=(',', ':'))}"


# A Python class.


def _read_class(text: str) -> ClassProgram:
    file, _, class_name = text.rpartition(":")
    is_module = all(part.isidentifier() for part in file.split("."))
    if not class_name.isidentifier() or not (is_module or file.endswith(".py")):
        raise PlayerError(f"expected {_FORMS}, got {text!r}")
    path = _class_path(file)
    try:
        content = path.read_bytes()
        source = content.decode()
    except OSError as error:
        raise PlayerError(f"expected a Python file {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PlayerError(f"expected a Python file in UTF-8, got {path}") from None
    program = ClassProgram(
        module=path.stem if file.endswith(".py") else file,
        class_name=class_name,
        source=source,
        sha256=_sha256(content),
    )
    _load_class(program)
    return program


def _class_path(file: str) -> Path:
    """The file of a class, given by path or as a module."""
    return Path(file) if file.endswith(".py") else Path(*file.split(".")).with_suffix(".py")


def _load_class(program: ClassProgram) -> type[Any]:
    """Executes the module and returns the class; raises PlayerError."""
    # A name that hides no other module; registered, because dataclasses look their module up.
    module = ModuleType(f"outside_player_{program.sha256}")
    sys.modules[module.__name__] = module
    try:
        with raising_as_player(program.file_name):
            exec(compile(program.source.encode(), program.file_name, "exec"), module.__dict__)
    except PlayerFault as fault:
        raise PlayerError(f"{program.file_name} raised {fault}") from fault
    found = module.__dict__.get(program.class_name)
    if not isinstance(found, type):
        raise PlayerError(f"expected a class {program.class_name} in {program.file_name}")
    for method in ("discard", "play"):
        if not callable(getattr(found, method, None)):
            raise PlayerError(f"expected {program.class_name} to have a method {method}(seen)")
    try:
        inspect.signature(found).bind(0)
    except TypeError:
        raise PlayerError(f"expected {program.class_name}(seed) to make a player") from None
    except ValueError:
        pass  # a signature that Python cannot tell
    return found


@dataclass(frozen=True)
class _OpenClass(OpenPlayer):
    program: ClassProgram
    made: type[Any]
    seconds: float

    def seat(self, seed: int, pair: int, leg: int) -> Player:
        own_seed = player_seed(seed, pair, leg)
        return _ClassSeat(self, self.call(lambda: self.made(own_seed), None))

    def call(self, work: Callable[[], T], seen: Observation | None) -> T:
        """Does a piece of the player's work; raises PlayerFault for what it raises or if late."""
        started = time.perf_counter()
        try:
            with raising_as_player(self.program.file_name):
                answer = work()
        except PlayerFault as fault:
            fault.seen = seen
            raise
        if time.perf_counter() - started > self.seconds:
            raise PlayerFault(Fault.LATE, late_reason(self.seconds), seen)
        return answer


@dataclass(frozen=True)
class _ClassSeat:
    opened: _OpenClass
    player: Any

    def discard(self, seen: Observation) -> list[int]:
        return self.opened.call(lambda: _numbers(self.player.discard(seen)), seen)

    def play(self, seen: Observation) -> int:
        return self.opened.call(lambda: _number(self.player.play(seen)), seen)


def _numbers(cards: Any) -> list[int]:
    try:
        cards = list(cards)
    except TypeError:
        raise PlayerFault(Fault.UNREADABLE, f"expected two cards, got {cards!r}") from None
    return [_number(card) for card in cards]


def _number(card: Any) -> int:
    """A plain int of any kind of whole number."""
    try:
        return operator.index(card)
    except TypeError:
        expected = f"a card as a number 0 to {PACK_SIZE - 1}"
        raise PlayerFault(Fault.UNREADABLE, f"expected {expected}, got {card!r}") from None


# A program.


def _read_command(text: str, start_seconds: float) -> CommandProgram:
    try:
        argv = shlex.split(text.removeprefix(_COMMAND))
    except ValueError as error:
        raise PlayerError(f"expected a command after {_COMMAND}, got {text!r}: {error}") from None
    if not argv:
        raise PlayerError(f"expected a command after {_COMMAND}, got none")
    if shutil.which(argv[0]) is None:
        raise PlayerError(f"expected a program that can be run, got {argv[0]!r}")
    folder, files = Path.cwd(), _files(argv)
    try:
        process, hello = _start(argv, folder, start_seconds)
    except PlayerFault as fault:
        raise PlayerError(f"{text} did not answer hello: {fault_text(fault)}") from None
    process.end()
    return CommandProgram(argv=tuple(argv), folder=str(folder), hello=hello, files=files)


def _files(argv: list[str]) -> dict[str, str]:
    files = {}
    for name in argv:
        with suppress(OSError):  # code given as an argument may be too long to be asked for
            if Path(name).is_file():
                files[name] = _file_sha256(Path(name))
    return files


def _start(argv: list[str], folder: Path, seconds: float) -> tuple[PlayerProcess, str]:
    """A program that has said hello, and the name it gave; raises PlayerFault, PlayerError."""
    try:
        process = PlayerProcess(argv, folder)
    except OSError as error:
        raise PlayerError(f"cannot start {shlex.join(argv)} in {folder}: {error}") from None
    with _ended_on_error(process):
        answer = process.ask({"ask": "hello", "game": GAME, "protocol": PROTOCOL}, seconds)
        hello = answer.get("hello")
        if not isinstance(hello, str) or answer.get("protocol") != PROTOCOL:
            raise _unreadable(json.dumps({"hello": "<name>", "protocol": PROTOCOL}), answer)
    return process, one_line(hello)


@contextmanager
def _ended_on_error(process: PlayerProcess, seen: Observation | None = None) -> Iterator[None]:
    """Ends the program on a fault, to which it adds the position."""
    try:
        yield
    except BaseException as error:
        # On an interrupt as well: an answer still to come would be taken for that to another
        # question.
        process.end()
        if isinstance(error, PlayerFault):
            error.seen = seen
        raise


@dataclass
class _OpenCommand(OpenPlayer):
    program: CommandProgram
    seconds: float
    start_seconds: float
    process: PlayerProcess | None = None

    def seat(self, seed: int, pair: int, leg: int) -> Player:
        if self.process is None or self.process.ended:
            folder = Path(self.program.folder)
            _check_files(self.program, folder)
            self.process, _ = _start(list(self.program.argv), folder, self.start_seconds)
        # As text: JavaScript, for one, reads numbers above 2**53 as others.
        own_seed = str(player_seed(seed, pair, leg))
        self.process.tell({"tell": "match", "game": GAME, "protocol": PROTOCOL, "seed": own_seed})
        return _CommandSeat(self.process, self.seconds)

    def close(self) -> None:
        if self.process is not None:
            self.process.end()


def _check_files(program: CommandProgram, folder: Path) -> None:
    for name, sha256 in program.files.items():
        try:
            found = _file_sha256(folder / name)
        except OSError as error:
            raise PlayerError(f"expected the file {folder / name}: {error.strerror}") from None
        if found != sha256:
            raise PlayerError(f"expected {folder / name} as it was, sha256 {sha256}")


@dataclass(frozen=True)
class _CommandSeat:
    process: PlayerProcess
    seconds: float

    def discard(self, seen: Observation) -> list[int]:
        with _ended_on_error(self.process, seen):
            cards = self._ask("discard", seen)
            if not isinstance(cards, list):
                raise _unreadable("a list of cards", cards)
            return [_card(card) for card in cards]

    def play(self, seen: Observation) -> int:
        with _ended_on_error(self.process, seen):
            legal = [CARD_NAMES[card] for card in seen.legal_plays()]
            return _card(self._ask("play", seen, legal=legal))

    def _ask(self, what: str, seen: Observation, **more: Any) -> Any:
        answer = self.process.ask({"ask": what, "seen": seen.as_json(), **more}, self.seconds)
        if what not in answer:
            raise _unreadable(f'{{"{what}": ...}}', answer)
        return answer[what]


def _card(text: object) -> int:
    try:
        return parse_card(text)
    except CardError as error:
        raise PlayerFault(Fault.UNREADABLE, str(error)) from None


def _unreadable(expected: str, answer: object) -> PlayerFault:
    return PlayerFault(Fault.UNREADABLE, f"expected {expected}, got {json.dumps(answer)}")


def _file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
