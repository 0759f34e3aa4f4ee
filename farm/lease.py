"""One driver a run: a lease file with a heartbeat, and on a local disk also a lock.

The lock (flock on the run directory) ends with the process that holds it, so on one machine a
killed driver can be followed at once. Where there are no locks, as in some file systems over a
network, and elsewhere a lease counts as given up when its heartbeat is
STALE_AFTER seconds old and no new one comes for WATCH_BEATS times as long as one should take: the
clocks of two machines may differ by any time.
"""

import fcntl
import json
import os
import secrets
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from farm.errors import UsageProblem
from farm.facts import node_name
from results.store import StorageError, Store

LEASE_FILE = "driver.json"
HEARTBEAT_SECONDS = 5.0
STALE_AFTER = 60.0
WATCH_BEATS = 2


class LeaseHeld(UsageProblem):
    """Another driver works on the run."""


class Lease:
    """The right to drive a run, held while the context is open. Raises LeaseHeld on entry.

    taken_over: what was known of a driver that had not given its lease back, else None.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._token = secrets.token_hex(8)
        self._started = time.time()
        self._lock: int | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep_alive, name="lease", daemon=True)
        self.lost = threading.Event()
        self.taken_over: str | None = None

    def __enter__(self) -> Self:
        holder = _read(self._store)
        if self._store.is_local and not self._try_lock():
            raise LeaseHeld(f"{self._store} is being worked on by {_describe(holder)}")
        if holder is not None:
            ended = self._lock is not None and holder["node"] == node_name()
            if not ended and (_is_fresh(holder) or self._beats(holder)):
                self._unlock()
                raise LeaseHeld(
                    f"{self._store} is being worked on by {_describe(holder)}; "
                    f"a lease without heartbeat for {STALE_AFTER:.0f} s can be taken over"
                )
            self.taken_over = _describe(holder)
        self._write()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()
        with suppress(StorageError):  # a lease that is left goes stale
            if not self._is_taken():
                self._store.delete(LEASE_FILE)
        self._unlock()

    def _keep_alive(self) -> None:
        while not self._stop.wait(HEARTBEAT_SECONDS):
            try:
                if self._is_taken():
                    self.lost.set()
                    return
                self._write()
            except StorageError:
                pass  # the next beat may get through

    def _is_taken(self) -> bool:
        """Whether another driver has taken the lease that was written here.

        No file at all is what one that has ended since leaves behind.
        """
        holder = _read(self._store)
        return holder is None or holder["token"] != self._token

    def _write(self) -> None:
        holder = {
            "token": self._token,
            "node": node_name(),
            "pid": os.getpid(),
            "started": self._started,
            "heartbeat": time.time(),
        }
        self._store.write(LEASE_FILE, json.dumps(holder).encode())

    def _beats(self, holder: dict[str, Any]) -> bool:
        """Whether a new heartbeat comes, waiting for it."""
        time.sleep(WATCH_BEATS * HEARTBEAT_SECONDS)
        return _read(self._store) not in (None, holder)

    def _try_lock(self) -> bool:
        """Takes the lock where the file system has locks; whether no other process has it."""
        self._lock = os.open(self._store.location, os.O_RDONLY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._unlock()
            return False
        except OSError:
            self._unlock()
        return True

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def driver_at_work(store: Store) -> str | None:
    """What is known of the driver of a run, None where no lease has a fresh heartbeat."""
    holder = _read(store)
    return _describe(holder) if holder is not None and _is_fresh(holder) else None


def _read(store: Store) -> dict[str, Any] | None:
    if not store.exists(LEASE_FILE):
        return None
    holder: dict[str, Any] = json.loads(store.read(LEASE_FILE))
    return holder


def _is_fresh(holder: dict[str, Any]) -> bool:
    return bool(abs(time.time() - holder["heartbeat"]) < STALE_AFTER)


def _describe(holder: dict[str, Any] | None) -> str:
    if holder is None:
        return "another driver that has just started"
    age = time.time() - holder["heartbeat"]
    return f"process {holder['pid']} on {holder['node']}, last heard of {age:.0f} s ago"
