"""A program that answers questions, one JSON object a line each way, within a time limit.

One thread serves its three pipes, none of which can block it: a program that floods, falls silent
in the middle of a line or does not read costs no more than the time limit.
"""

import json
import os
import selectors
import signal
import subprocess
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import IO, Any

from engines.cribbage.observation import Observation

GRACE = 0.5
"""Seconds that a program has to end by itself, and again after SIGTERM."""

LINE_LIMIT = 65_536
"""Bytes of an answer at most."""

_CHUNK = 65_536
_KEPT_OF_STDERR = 4_096
SHOWN = 200
"""Characters of a reason that are told."""

_DRAINS = 32
_FIRST_PAUSE, _LAST_PAUSE = 0.0005, 0.05
_ENDED_UNWAITED = os.WEXITED | os.WNOHANG | os.WNOWAIT


class Fault(StrEnum):
    """The ways in which a player can break its contract."""

    ILLEGAL = "illegal"
    LATE = "late"
    MISSING = "missing"
    UNREADABLE = "unreadable"
    RAISED = "raised"


class PlayerFault(Exception):
    """No answer, or one that cannot be used.

    reason: one line. seen: the position of the question; None where it was not about a position.
    """

    def __init__(self, kind: Fault, reason: str, seen: Observation | None = None) -> None:
        super().__init__(kind, reason)
        self.kind, self.reason, self.seen = kind, one_line(reason), seen

    def __str__(self) -> str:
        return self.reason


def one_line(text: str, most: int = SHOWN) -> str:
    """The text without line breaks and half characters, cut where it gets long."""
    line = " ".join(text.encode(errors="backslashreplace").decode().split())
    return line if len(line) <= most else f"{line[:most]}..."


def late_reason(seconds: float) -> str:
    """Names the limit, not what was measured: the same text for the same fault."""
    return f"no answer within {seconds:g} s"


class PlayerProcess:
    """A running program. `end` ends it; so does losing the last reference, and Python's exit."""

    def __init__(self, argv: Sequence[str], folder: Path) -> None:
        """Starts the program in a folder; raises OSError where that cannot be done."""
        # A session of its own: Ctrl-C at the terminal is for the farm, which then closes the
        # player, and a program behind a wrapper is ended with it.
        self._process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=folder,
            start_new_session=True,
        )
        self._selector = selectors.DefaultSelector()
        self.end = weakref.finalize(self, _end, self._process, self._selector)
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._stdin: IO[bytes] = self._process.stdin
        self._stdout: IO[bytes] = self._process.stdout
        self._stderr: IO[bytes] = self._process.stderr
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe.fileno(), False)
        for pipe in (self._stdout, self._stderr):
            self._selector.register(pipe, selectors.EVENT_READ)
        self._to_send, self._received, self._complaints = bytearray(), bytearray(), b""

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether `end` was called. A program that ended by itself shows at the next question."""
        return not self.end.alive

    def tell(self, message: dict[str, Any]) -> None:
        """Sends a line that has no answer, together with the next question."""
        self._to_send += json.dumps(message, separators=(",", ":")).encode() + b"\n"

    def ask(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Sends a question; the JSON object answered within `seconds`. Raises PlayerFault."""
        deadline = time.monotonic() + seconds
        self._serve(0)
        if self._received:
            raise PlayerFault(Fault.UNREADABLE, f"output before the question: {self._shown()}")
        self.tell(message)
        if self._stdin not in self._selector.get_map():
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        while b"\n" not in self._received and len(self._received) <= LINE_LIMIT:
            left = deadline - time.monotonic()
            if left <= 0:
                if _exit_code(self._process, 0) is not None:
                    raise self._gone()  # what it started keeps its pipes open
                only = f", only {self._shown()}" if self._received else ""
                raise PlayerFault(Fault.LATE, late_reason(seconds) + only)
            self._serve(left)
        line, _, rest = self._received.partition(b"\n")
        if len(line) > LINE_LIMIT:
            raise PlayerFault(
                Fault.UNREADABLE, f"a line above {LINE_LIMIT:,} bytes: {self._shown()}"
            )
        self._received = rest
        return _read_object(bytes(line))

    def _serve(self, timeout: float) -> None:
        """Waits up to `timeout` seconds for pipes that are ready; reads or writes each once."""
        for key, _ in self._selector.select(timeout):
            if key.fileobj is self._stdin:
                self._write()
            elif key.fileobj is self._stderr:
                self._keep_complaints()
            elif chunk := _read(self._stdout):
                self._received += chunk
            else:
                raise self._gone()

    def _write(self) -> None:
        try:
            sent = os.write(self._stdin.fileno(), self._to_send)
        except BlockingIOError:
            return
        except BrokenPipeError:
            raise self._gone() from None
        del self._to_send[:sent]
        if not self._to_send:
            self._selector.unregister(self._stdin)

    def _keep_complaints(self) -> bool:
        """Reads from stderr and keeps the end of it; whether there may be more."""
        try:
            chunk = _read(self._stderr)
        except BlockingIOError:
            return False
        if not chunk and self._stderr in self._selector.get_map():
            self._selector.unregister(self._stderr)
        self._complaints = (self._complaints + chunk)[-_KEPT_OF_STDERR:]
        return bool(chunk)

    def _gone(self) -> PlayerFault:
        """The fault of a program that ended or shut a pipe, with what can be said of it."""
        code = _exit_code(self._process, GRACE)
        if code is None:
            reason = "the program closed its input or output"
        else:
            how = f"exit code {code}" if code >= 0 else f"signal {-code}"
            reason = f"the program ended with {how}"
        for _ in range(_DRAINS):
            if not self._keep_complaints():
                break
        last = _complaint(self._complaints.decode(errors="replace"))
        return PlayerFault(Fault.MISSING, f"{reason}; on stderr: {last}" if last else reason)

    def _shown(self) -> str:
        return one_line(repr(self._received[:SHOWN].decode(errors="replace")))


def _complaint(text: str) -> str | None:
    """The last line that speaks of an error, else the last: below its error, node has more."""
    lines = [line for line in text.split("\n") if line.strip()]
    return next((line for line in reversed(lines) if "rror" in line), lines[-1] if lines else None)


def _read(pipe: IO[bytes]) -> bytes:
    return os.read(pipe.fileno(), _CHUNK)


def _read_object(line: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        text = line.decode(errors="replace")
        raise PlayerFault(Fault.UNREADABLE, f"expected a JSON object, got {text!r}")
    return answer


def _exit_code(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    """The exit code of a program that ends within `seconds`, a signal as its negative; else None.

    The program is not waited for: until it is, its number remains that of it and of its group.
    """
    if not hasattr(os, "waitid"):  # macOS has it from Python 3.13 on
        with suppress(subprocess.TimeoutExpired):
            return process.wait(seconds)
        return None
    deadline, pause = time.monotonic() + seconds, _FIRST_PAUSE
    try:
        while (ended := os.waitid(os.P_PID, process.pid, _ENDED_UNWAITED)) is None:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            time.sleep(min(pause, left))
            pause = min(2 * pause, _LAST_PAUSE)
    except ChildProcessError:  # waited for by another, as where SIGCHLD is ignored
        return process.wait()
    return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def _end(process: subprocess.Popen[bytes], selector: selectors.BaseSelector) -> None:
    """Shuts the pipes, at which a well-behaved program ends, and sees to it that it does.

    Nothing of its group outlives it, so that what a wrapper left behind ends here as well.
    """
    selector.close()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            pipe.close()
    if _exit_code(process, GRACE) is None:
        _signal_group(process, signal.SIGTERM)
        _exit_code(process, GRACE)
    _signal_group(process, signal.SIGKILL)
    process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if process.returncode is None:  # else the number may be that of a stranger
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
