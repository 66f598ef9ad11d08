"""The limits of one call, set on the HTTP client below LangChain: wall time, size, and where it may go.

Some providers' packages use httpx, some its sibling httpx2. Both have the same face, and are taken by that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from langchain_core.language_models import BaseChatModel

from flows.unpacking import ACCEPTED, Unpacker
from flows.wall_clock import WallClock

MOST_BYTES = 4 * 1024 * 1024
"""No form of answers takes a hundredth of it."""


_MOST_SENT_ON = 2
"""How often a server may name another address of its own; each costs a request that no limit counts."""


class Bounds:
    """What a call has run into.

    `too_long`: more bytes came than a reply can have. `elsewhere`: to where the server sent it on.
    `headers`: those of the last answer. `known`: whether the provider is reached in a way that can be held to all this.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.too_long = False
        self.elsewhere = ""
        self.known = False
        self.headers: Mapping[str, str] = {}
        self._clock = WallClock(seconds)
        self._open = ExitStack()
        self._server: tuple[str, str, int | None] | None = None
        self._sent_on = 0

    @property
    def sent(self) -> bool:
        """Whether a request has left, as far as that is known."""
        return self._server is not None or not self.known

    @property
    def too_slow(self) -> bool:
        """Whether the time was up before the reply had come."""
        return self._clock.is_up

    @contextmanager
    def on(self, model: BaseChatModel) -> Iterator[None]:
        """Holds for the calls within. A provider that is reached in another way has its own time-out alone."""
        client = _http_client(model)
        if client is None:
            yield
            return
        self.known = True
        before = client.event_hooks
        client.event_hooks = {"request": [self._asked], "response": [self._answered]}
        try:
            with self._open:
                yield
        finally:
            client.event_hooks = before

    def _asked(self, request: Any) -> None:
        server = (request.url.scheme, request.url.host, request.url.port)
        if self._server is not None:
            self._sent_on += 1
            if self._server != server:
                self.elsewhere = request.url.host[:80]
            elif self._sent_on > _MOST_SENT_ON:
                self.elsewhere = "one address after the other"
        if self.elsewhere:
            raise OSError("the question would go where nobody said that it may")
        if self._server is None:  # only now: before this, a limit of calls a second may have been waited for
            self._open.enter_context(self._clock)
        self._server = server
        # The clock learns of a connection when it is made; one that was kept open it would not know.
        request.headers["connection"] = "close"
        request.headers["accept-encoding"] = ACCEPTED
        request.extensions = {**request.extensions, "trace": self._clock.trace}

    def _answered(self, response: Any) -> None:
        self.headers = dict(response.headers)
        kinds = [kind for kind in type(response.stream).__mro__ if kind.__name__ == "SyncByteStream"]
        if not kinds:
            return
        measured = type("Measured", (_Measured, kinds[0]), {})
        unpacker = Unpacker(response.headers.pop("content-encoding", ""))
        response.headers.pop("content-length", None)  # that of the packed bytes
        response.stream = measured(response.stream, unpacker, self)


class _Measured:
    """A body unpacked piece by piece, until it is longer than any reply."""

    def __init__(self, packed: Any, unpacker: Unpacker, bounds: Bounds) -> None:
        self._packed = packed
        self._unpacker = unpacker
        self._bounds = bounds

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._packed:
            for piece in self._unpacker.feed(chunk):
                size += len(piece)
                if size > MOST_BYTES:
                    self._bounds.too_long = True
                    raise OSError(f"the reply has more than {MOST_BYTES} bytes")
                yield piece
        if self._unpacker.is_unfinished:
            raise OSError("the packed reply broke off")

    def close(self) -> None:
        self._packed.close()


def _http_client(model: BaseChatModel) -> Any:
    """The client that a model's package has made, where those of OpenAI, Anthropic and Ollama keep it; else None."""
    for name in ("root_client", "_client"):
        client = getattr(getattr(model, name, None), "_client", None)
        if hasattr(client, "event_hooks"):
            return client
    return None
