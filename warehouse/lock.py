"""The lock that makes a process the one writer of a home."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable

from schemas.errors import LedgerError, LedgerHeldError
from warehouse.home import Home

_PAUSE_SECONDS = 0.05


class WriterLock:
    """Held from `acquire` to `release`, or to the end of the process, however it ends."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @classmethod
    def acquire(
        cls, home: Home, wait_seconds: float, told: Callable[[str], None] | None = None
    ) -> WriterLock:
        """Takes the lock. Raises LedgerHeldError, naming the holder, where it is not free in time.

        `told` is given one sentence where there is waiting to do. A lock whose holder has died, however it
        did, is free.
        """
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
                who = _holder(handle)
                os.close(handle)
                raise LedgerHeldError(
                    f"{who} is writing to the ledger in {home.root}; "
                    "wait for it to end, or end it, and try again (reading works meanwhile)"
                )
            if told:
                told(
                    f"{_holder(handle)} is writing to the ledger; waiting up to {wait_seconds:g} s for it to end"
                )
                told = None
            time.sleep(_PAUSE_SECONDS)
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        return cls(handle)

    def release(self) -> None:
        """Lets the next writer in."""
        # Unlocked by name, since a child process may still have the handle open.
        fcntl.flock(self._handle, fcntl.LOCK_UN)
        os.close(self._handle)


def _holder(handle: int) -> str:
    holder = os.pread(handle, 20, 0).decode("ascii", "replace").strip()
    return f"process {holder}" if holder.isdigit() else "another process"


def _try(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
