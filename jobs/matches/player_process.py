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
_SHOWN = 200
_DRAINS = 32


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


def one_line(text: str) -> str:
    """The text without line breaks, cut where it gets long."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."


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
        while b"\n" not in self._received:
            if len(self._received) > LINE_LIMIT:
                raise PlayerFault(
                    Fault.UNREADABLE, f"a line above {LINE_LIMIT:,} bytes: {self._shown()}"
                )
            left = deadline - time.monotonic()
            if left <= 0:
                only = f", only {self._shown()}" if self._received else ""
                raise PlayerFault(Fault.LATE, late_reason(seconds) + only)
            self._serve(left)
        line, _, rest = self._received.partition(b"\n")
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
        try:
            code = self._process.wait(GRACE)
            how = f"exit code {code}" if code >= 0 else f"signal {-code}"
            reason = f"the program ended with {how}"
        except subprocess.TimeoutExpired:
            reason = "the program closed its input or output"
        for _ in range(_DRAINS):
            if not self._keep_complaints():
                break
        last = _complaint(self._complaints.decode(errors="replace"))
        return PlayerFault(Fault.MISSING, f"{reason}; on stderr: {last}" if last else reason)

    def _shown(self) -> str:
        return one_line(repr(self._received[:_SHOWN].decode(errors="replace")))


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


def _end(process: subprocess.Popen[bytes], selector: selectors.BaseSelector) -> None:
    """Shuts the pipes, at which a well-behaved program ends, and sees to it that it does."""
    selector.close()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            pipe.close()
    for next_signal in (signal.SIGTERM, signal.SIGKILL):
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
        # Not yet waited for, so that the number is still that of this program and its group.
        if process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, next_signal)
    process.wait()
