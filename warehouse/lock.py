"""The lock that makes a process the one writer of a home."""

from __future__ import annotations

import fcntl
import os
import time

from schemas.errors import LedgerError, LedgerHeldError
from warehouse.home import Home

_PAUSE_SECONDS = 0.05


class WriterLock:
    """Held from `acquire` to `release`, or to the end of the process, however it ends."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @classmethod
    def acquire(cls, home: Home, wait_seconds: float) -> WriterLock:
        """Takes the lock. Raises LedgerHeldError, naming the holder, where it is not free in time."""
        try:
            handle = os.open(home.lock, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise LedgerError(
                f"{home.lock} cannot be written ({error.strerror or error}); "
                "make the home writable or choose another with --home"
            ) from error
        until = time.monotonic() + wait_seconds
        while not _try(handle):
            if time.monotonic() >= until:
                holder = os.read(handle, 20).decode("ascii", "replace").strip()
                os.close(handle)
                who = f"process {holder}" if holder.isdigit() else "another process"
                raise LedgerHeldError(
                    f"{who} is writing to the ledger in {home.root}; "
                    "wait for it to end, or end it, and try again (reading works meanwhile)"
                )
            time.sleep(_PAUSE_SECONDS)
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        return cls(handle)

    def release(self) -> None:
        """Lets the next writer in."""
        # Unlocked by name, since a child process may still have the handle open.
        fcntl.flock(self._handle, fcntl.LOCK_UN)
        os.close(self._handle)


def _try(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
