"""What a run notes about the program and the machine, so that its numbers can be judged later."""

import os
import platform
import shlex
import socket
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from results.benchmark import Machine

_PACKAGES = ("dealfarm", "ray", "numba", "numpy", "pyarrow", "scipy")


def node_name() -> str:
    """The name of this machine."""
    return socket.gethostname()


def now() -> str:
    """The time in UTC, to the second, in ISO form."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def command_line() -> str:
    """The command as it can be typed again."""
    return shlex.join(["farm", *sys.argv[1:]])


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that results depend on."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def machine() -> Machine:
    """This machine."""
    return Machine(
        node=node_name(),
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        processor=_processor(),
        cpus=os.cpu_count() or 1,
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    )


def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
