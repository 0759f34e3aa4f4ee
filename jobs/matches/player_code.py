"""What a player's own Python code raises, told from what a signal to this process raises."""

import signal
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from jobs.matches.player_process import SHOWN, Fault, PlayerFault, one_line
from jobs.signals import handled_by


@contextmanager
def raising_as_player(file_name: str) -> Iterator[None]:
    """Turns all that the player's code, from this file, raises in it into a PlayerFault.

    Not what the handler of a signal raises, as for Ctrl-C or for the end of a worker: that is
    raised at the end even where the player's code has caught it.
    """
    raised_for_signals: list[BaseException] = []
    with _watched_handlers(raised_for_signals):
        try:
            yield
        except PlayerFault:
            raise
        except BaseException as error:
            raise PlayerFault(Fault.RAISED, _raised(file_name, error)) from error
        finally:
            if raised_for_signals:
                raise raised_for_signals[0]


@contextmanager
def _watched_handlers(raised: list[BaseException]) -> Iterator[None]:
    """Notes what the handlers of SIGINT and SIGTERM raise; only the main thread runs them."""
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def watch(number: int, frame: FrameType | None) -> None:
        handler = handlers[signal.Signals(number)]
        assert callable(handler)
        try:
            handler(number, frame)
        except BaseException as error:
            raised.append(error)
            raise

    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    with handled_by(handlers, watch):
        yield


def _raised(file_name: str, error: BaseException) -> str:
    """The exception in one line, and the last line of the player's own file on its way."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == file_name]
    where = f" at line {lines[-1]}" if lines else ""
    try:
        text = f"{type(error).__name__}: {error}"
    except BaseException as of_text:  # the text of an exception is the player's code, too
        text = f"{type(error).__name__}, whose text raised {type(of_text).__name__}"
    return one_line(text, SHOWN - len(f"...{where}")) + where
