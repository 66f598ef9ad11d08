"""Serves the demo's vendor pages on this machine: a first day, and a second on which some have changed."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import TracebackType
from urllib.parse import unquote, urlsplit

GONE_LIST = "gone.txt"
"""In a layer: the paths that it takes away, one a line."""

TYPE_LIST = "types.txt"
"""In a layer: a path and the Content-Type that it is served with, apart by white space, one a line."""

_TYPES = {".html": "text/html; charset=utf-8", ".txt": "text/plain; charset=utf-8", ".md": "text/markdown"}


def demo_layers(day: int) -> tuple[Traversable, ...]:
    """The folders of the demo's site on a day, 1 or 2; the second day lies over the first."""
    site = files("flows") / "demo_site"
    layers = (site / "day1", site / "day2")
    if not 1 <= day <= len(layers):
        raise ValueError(f"the demo has no day {day}; it has days 1 to {len(layers)}")
    return layers[:day]


class DemoServer:
    """A web server on loopback, at `base_url`, from entering the `with` block to leaving it.

    `layers` are folders; a file in a later one hides the same path in those before it.
    """

    def __init__(self, layers: Sequence[Traversable], *, port: int = 0) -> None:
        self._layers = tuple(layers)
        self._port = port
        self._server: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> DemoServer:
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), _handler_for(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()

    @property
    def base_url(self) -> str:
        """Where the site is: `http://127.0.0.1:PORT`."""
        if self._server is None:
            raise RuntimeError("the server is not running; enter its with block")
        return f"http://127.0.0.1:{self._server.server_port}"

    def show(self, layers: Sequence[Traversable]) -> None:
        """Serves these folders from the next request on, at the same address."""
        self._layers = tuple(layers)

    def page(self, path: str) -> tuple[bytes, str] | None:
        """The bytes and the Content-Type of a path as it stands in an address; None where there is none."""
        names = _names(path)
        if names is None or names[-1] in (GONE_LIST, TYPE_LIST):
            return None
        wanted = "/".join(names)
        for layer in reversed(self._layers):
            if (file := _find(layer, names)) is not None:
                return file.read_bytes(), self._type_of(wanted)
            if any(line == wanted for line in _lines(layer, GONE_LIST)):
                return None
        return None

    def _type_of(self, wanted: str) -> str:
        for layer in reversed(self._layers):
            for line in _lines(layer, TYPE_LIST):
                name, _, kind = line.partition(" ")
                if name == wanted:
                    return kind.strip()
        return _TYPES.get(wanted[wanted.rfind(".") :], "application/octet-stream")


def _names(path: str) -> list[str] | None:
    """The steps of a path inside the site; None where one of them could lead out of it."""
    names = unquote(urlsplit(path).path).removeprefix("/").split("/")
    odd = any(name in ("", ".", "..") or not name.isprintable() or set(name) & set("\\:") for name in names)
    return None if odd else names


def _find(layer: Traversable, names: Sequence[str]) -> Traversable | None:
    """The file, by comparing names only with what the folders list."""
    place = layer
    for name in names:
        if not place.is_dir():
            return None
        found = next((entry for entry in place.iterdir() if entry.name == name), None)
        if found is None:
            return None
        place = found
    return place if place.is_file() else None


def _lines(layer: Traversable, name: str) -> list[str]:
    file = _find(layer, [name])
    return [line.strip() for line in file.read_text(encoding="utf-8").splitlines()] if file else []


def _handler_for(site: DemoServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def _answer(self, *, with_body: bool) -> None:
            page = site.page(self.path)
            if page is None:
                self._send(404, "text/plain; charset=utf-8", b"not found\n", "", with_body=with_body)
                return
            body, kind = page
            etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
            known = [mark.strip() for mark in self.headers.get("If-None-Match", "").split(",")]
            if etag in known or "*" in known:
                self._send(304, kind, b"", etag, with_body=False)
            else:
                self._send(200, kind, body, etag, with_body=with_body)

        def _send(self, status: int, kind: str, body: bytes, etag: str, *, with_body: bool) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            if status != 304:
                self.send_header("Content-Length", str(len(body)))
            if etag:
                self.send_header("ETag", etag)
            self.end_headers()
            if with_body:
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Says nothing: the run's own report tells what was visited."""

    return Handler
