"""Ends a run from outside: after Ctrl-C or SIGTERM the process is gone within seconds, its ledger closed.

Prefect would wait for pages that drip, and for a server that the same signal ended. So the run unwinds until the
ledger is closed, and then the process leaves without Prefect's goodbyes; where unwinding itself hangs, it leaves
after a few seconds all the same.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType

GRACE_SECONDS = 4.0
_SERVER_SECONDS = 1.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM)

_Handler = Callable[[int, FrameType | None], object] | int | signal.Handlers | None


class Stopped(KeyboardInterrupt):
    """The run was told to stop. Not an Exception, so that nobody takes it for one page's trouble."""


class Stopping:
    """While it is entered, Ctrl-C and SIGTERM raise Stopped in the main thread, and end the process soon.

    Leaving the block after a signal ends the process with 130 or 143, whatever became of the exception. In
    other threads than the main one, where Python takes no signals, it does nothing.
    """

    def __init__(self) -> None:
        self.code = 0
        self._before: dict[signal.Signals, _Handler] = {}

    def __enter__(self) -> Stopping:
        global _active  # noqa: PLW0603 - signals are the process's own, and so is who takes them
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self.take) for number in _SIGNALS}
            _active = self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        global _active  # noqa: PLW0603 - see __enter__
        if self.code:
            self.leave()
        if _active is self:
            _active = None
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def take(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - called as a handler is
        """Takes a signal: the first one stops the run, a second one ends the process there and then."""
        if self.code:
            self.leave()
        self.code = 128 + number
        # From here on, what threads and Prefect complain of is our own doing.
        logging.disable(logging.CRITICAL)
        threading.excepthook = lambda _: None
        threading.Thread(target=self._leave_late, name="stopping", daemon=True).start()
        raise Stopped

    def leave(self) -> None:
        """Ends the process with one line on stderr; what was committed is kept."""
        _end_prefects_server()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        name = signal.Signals(self.code - 128).name
        with contextlib.suppress(OSError):
            os.write(2, f"stopped by {name}: what was stored until then is kept, run it again\n".encode())
        os._exit(self.code)

    def _leave_late(self) -> None:
        threading.Event().wait(GRACE_SECONDS)
        self.leave()


_active: Stopping | None = None


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """For the flow's own code: takes SIGTERM back from Prefect, and leaves once the block is unwound.

    Where no command of ours runs the flow, signals are Prefect's and nothing is changed. A Prefect server of
    the user's own is told of the end first, as long as the few seconds last.
    """
    stopping = _active
    if stopping is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    prefects = signal.signal(signal.SIGTERM, stopping.take)
    try:
        yield
    finally:
        if stopping.code and not os.environ.get("PREFECT_API_URL"):
            stopping.leave()
        signal.signal(signal.SIGTERM, prefects)


def _end_prefects_server() -> None:
    """Ends the server on loopback that Prefect started for this process, which would outlive it."""
    module = sys.modules.get("prefect.server.api.server")
    servers = getattr(getattr(module, "SubprocessASGIServer", None), "_instances", {})
    for server in list(servers.values()):
        process = getattr(server, "server_process", None)
        if isinstance(process, subprocess.Popen):
            with contextlib.suppress(OSError):
                process.terminate()
                try:
                    process.wait(_SERVER_SECONDS)
                except subprocess.TimeoutExpired:
                    process.kill()
