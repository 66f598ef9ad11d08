"""An end to a request after so many seconds of wall time, however slowly its answer drips."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Mapping
from typing import Any


class WallClock:
    """Cuts the connection when the time is up: a time-out per read never ends a server that drips."""

    def __init__(self, seconds: float) -> None:
        self.seconds = max(seconds, 0.001)
        self.is_up = False
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(self.seconds, self._ring)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._socket = None

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Told by httpx of each step: learns the socket when it is open, and again when TLS wraps it."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            with self._lock:
                self._socket = info["return_value"].get_extra_info("socket")
                if self.is_up:
                    self._cut()

    def _ring(self) -> None:
        with self._lock:
            self.is_up = True
            self._cut()

    def _cut(self) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):
                # The plain socket's method: SSLSocket.shutdown would pull its state from under the reader.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
