"""Standard input and output as they have to be for any command: open, and able to take any text."""

import codecs
import io
import os
import sys
from pathlib import Path

_PLAIN = {
    **dict(zip("♣♦♥♠", "CDHS", strict=True)),
    **dict(zip("─━●·–…µ±", "-=o.-.u~", strict=True)),
}
_HANDLER = "dealfarm-plain"


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """Writes a sign that an encoding lacks as one that each has: a suit as its letter, else "?"."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_PLAIN.get(sign, "?") for sign in lacking), error.end


def prepare_standard_streams() -> None:
    """Opens those that were closed before the start to nowhere, and lets output lack no sign."""
    if sys.stdin is None:  # the type checker takes this for impossible: `farm play <&-` is not
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115
    codecs.register_error(_HANDLER, _plainly)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)
