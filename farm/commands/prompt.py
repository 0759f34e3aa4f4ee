"""A question to a person, or to the script that stands for one."""

import sys
from collections.abc import Callable


def prompted(prompt: str, say: Callable[..., None]) -> str | None:
    """A line from standard input; None at its end and for Ctrl-C. say: prints, as `print` does."""
    while True:
        say(prompt, end="")
        sys.stdout.flush()
        try:
            answer = input()
        except (EOFError, KeyboardInterrupt):
            say("")
            return None
        except UnicodeDecodeError:  # half a character, as a backspace leaves it in some terminals
            say("that line is no text")
            continue
        if not sys.stdin.isatty():
            say(answer)  # a terminal has shown it already
        return answer
