"""A small web server for one test, and a fetcher whose clock the test moves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from flows.fetch import Fetcher, Limits
from flows.outcome import Fetched
from schemas.source import Snapshot, Source

NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
PAGE = "<html><body>RDMA 带宽：每台机器 3.2Tb/s</body></html>".encode()


class Request:
    """A request under answer: its headers, and how to answer it."""

    def __init__(self, handler: BaseHTTPRequestHandler) -> None:
        self.handler = handler
        self.headers = handler.headers

    def answer(self, status: int = 200, body: bytes = PAGE, **headers: str) -> None:
        self.begin(status, Content_Length=str(len(body)), **headers)
        self.send(body)

    def begin(self, status: int = 200, **headers: str) -> None:
        self.handler.send_response(status)
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.end_headers()

    def send(self, data: bytes) -> None:
        self.handler.wfile.write(data)


Answers = Callable[[Request], None]


class Site:
    """A server on loopback. `pages` maps paths to answers; what is not there is 404. `log` is what was asked."""

    def __init__(self, port: int) -> None:
        self.base = f"http://127.0.0.1:{port}"
        self.pages: dict[str, Answers] = {}
        self.log: list[str] = []
        self.seen: list[dict[str, str]] = []

    def in_turn(self, *answers: Answers) -> Answers:
        left = iter(answers)

        def answer(request: Request) -> None:
            next(left)(request)

        return answer

    def asked_for(self, path: str) -> int:
        return self.log.count(path)

    def source(self, path: str = "/page", **fields: Any) -> Source:
        return Source(id="page", url=f"{self.base}{path}", **fields)


@contextmanager
def serving() -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.log.append(self.path)
            site.seen.append({name.lower(): value for name, value in self.headers.items()})
            answer = site.pages.get(self.path, lambda request: request.answer(404, b"no"))
            try:
                answer(Request(self))
            except OSError:  # the client has had enough
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site = Site(server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as served:
        yield served


class Crawl:
    """Fetches on a clock that only sleeping moves."""

    def __init__(self) -> None:
        self.at = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds

    def clock(self) -> float:
        return self.at

    def now(self) -> datetime:
        return NOON + timedelta(seconds=self.at)

    def fetcher(self, limits: Limits | None = None, **options: Any) -> Fetcher:
        return Fetcher(
            contact="tests@example.org",
            allow_loopback=True,
            limits=limits or Limits(page_seconds=20),
            sleep=self.sleep,
            clock=self.clock,
            now=self.now,
            **{"chance": lambda: 0.0, **options},
        )

    def visit(self, source: Source, last: Snapshot | None = None, *, limits: Limits | None = None) -> Fetched:
        with self.fetcher(limits) as opened:
            return opened.fetch(source, last)


@pytest.fixture
def crawl() -> Crawl:
    return Crawl()
