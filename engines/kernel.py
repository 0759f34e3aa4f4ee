"""The one decorator of compiled code, and the place where compiled code is kept between runs.

numba's disk cache is not invalidated by an edit in another file, so the cache directory is named
by a hash of all engine sources: other sources, another directory.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np


def source_hash() -> str:
    """The first 16 hexadecimal digits of the SHA-256 of all engine sources and numba's version."""
    root = Path(__file__).parent
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _writable_cache_directory() -> Path:
    """`dealfarm-HASH` under NUMBA_CACHE_DIR, else the user's cache, else the temporary folder."""
    name = f"dealfarm-{source_hash()}"
    user_cache = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    for parent in (os.environ.get("NUMBA_CACHE_DIR"), user_cache):
        if not parent:
            continue
        directory = Path(parent) / name
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(directory, os.W_OK):
            return directory
    directory = Path(tempfile.gettempdir()) / f"{name}-{os.getuid()}"
    directory.mkdir(mode=0o700, exist_ok=True)
    return directory


CACHE_DIRECTORY = _writable_cache_directory()
_numba: Any = numba  # its type stubs know neither the setting nor the private option below
_numba.config.CACHE_DIR = str(CACHE_DIRECTORY)
_OPTIONS = {"error_model": "numpy", "nogil": True, "_nrt": False}


def kernel(function: Callable[..., Any]) -> Any:
    """Compiles a function without Python objects, cached on disk, with C division.

    `_nrt=False` leaves out numba's reference counting, which costs a factor of 2 to 3 where helpers
    take arrays; such a function cannot allocate. The option is private to numba, hence the pin in
    pyproject.toml.
    """
    return _numba.njit(cache=True, **_OPTIONS)(function)


def inline(function: Callable[..., Any]) -> Any:
    """Like `kernel`, for a few lines that are pasted into each caller: fewer units to compile."""
    return _numba.njit(inline="always", **_OPTIONS)(function)


def constant(array: np.ndarray) -> np.ndarray:
    """A read-only view: compiled code is one for read-only and another for writable arrays."""
    view = array.view()
    view.flags.writeable = False
    return view
