"""What Prefect costs a refresh: `python -m tests.bench.orchestration`, or `make bench` with the rest.

A site of 1,000 small pages on ten hosts of this machine is refreshed twice over in one run: by the flow, as Prefect
carries it out, and by the same work without Prefect. Each has a ledger of its own and they take turns, the first one
in every other round being the other. Printed is wall time, the least of the rounds, and their ratio: for nights on
which nothing changed and on which one page in a hundred did. Starting Prefect and its server is given apart.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import sys
import tempfile
import time
import urllib.request
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread

from flows.crawl import run_refresh
from flows.fetch import Fetcher
from flows.progress import Silent
from flows.running import prepare
from flows.sources import find_sources
from flows.visitor import Visitor
from warehouse.cards import builtin_cards
from warehouse.home import Home, open_home

PAGES = 1000
HOSTS = 10
ROUNDS = 3
PAGE = "<html><title>集群 {n}</title><h1>集群 {n}</h1><p>每台机器提供 {low} Gbps RDMA 网络带宽。</p></html>"


def serve(told: Connection, pages: int, hosts: int) -> None:
    """The site, in a process of its own: /next changes one page in a hundred."""
    night = [0]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path == "/next":
                night[0] += 1
            number = int(self.path.rpartition("-")[2]) if "-" in self.path else -1
            if number < 0:
                self.answer(200 if self.path == "/next" else 404, b"", "")
                return
            changes = night[0] if number % 100 == 0 else 0
            body = PAGE.format(n=number, low=100 + (number % 50) * 100 + changes).encode()
            etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
            if self.headers.get("If-None-Match") == etag:
                self.answer(304, b"", etag)
            else:
                self.answer(200, body, etag)

        def answer(self, status: int, body: bytes, etag: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            if status != 304:
                self.send_header("Content-Length", str(len(body)))
            if etag:
                self.send_header("ETag", etag)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(hosts)]
    for server in servers:
        Thread(target=server.serve_forever, daemon=True).start()
    told.send([server.server_port for server in servers])
    told.recv()


def plainly(home: Home, listed: Path) -> None:
    """The same work as the flow's, without Prefect."""
    with Fetcher(allow_loopback=True) as fetcher, Visitor(fetcher) as visitor:
        run_refresh(
            home,
            find_sources(str(listed)),
            visitor,
            lambda: datetime.now(UTC),
            Silent(),
            cards=builtin_cards(),
        )


def run(pages: int = PAGES, hosts: int = HOSTS) -> dict[str, float]:
    """Measures, prints, and gives the ratios by what kind of night it was."""
    ours, theirs = multiprocessing.Pipe()
    site = multiprocessing.get_context("spawn").Process(
        target=serve, args=(theirs, pages, hosts), daemon=True
    )
    site.start()
    ports = ours.recv()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        listed = place / "sources.yaml"
        entries = [
            f"  - {{id: page-{n}, vendor: ucloud, url: 'http://127.0.0.1:{ports[n % hosts]}/page-{n}'}}\n"
            for n in range(pages)
        ]
        listed.write_text("sources:\n" + "".join(entries), encoding="utf-8")
        plain, orchestrated = open_home(place / "plain"), open_home(place / "prefect")
        os.environ.pop("KOUJING_DIGEST", None)
        prepare(orchestrated.root)
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        from flows.refresh import refresh

        def by_prefect() -> None:
            refresh(home=str(orchestrated.root), sources=str(listed), allow_loopback=True)

        one = place / "one.yaml"
        one.write_text("sources:\n" + entries[0], encoding="utf-8")
        refresh(home=str(open_home(place / "first").root), sources=str(one), allow_loopback=True)
        print(
            f"starting Prefect, its server and a first run of one page: {time.perf_counter() - start:.1f} s"
        )
        runs: dict[str, Callable[[], None]] = {
            "without Prefect": lambda: plainly(plain, listed),
            "by Prefect": by_prefect,
        }
        ratios = {
            "first reading": told("first reading", pages, hosts, taking_turns(runs, 1)),
            "nothing changed": told("nothing changed", pages, hosts, taking_turns(runs, ROUNDS)),
            "1 % changed": told(
                "1 % changed", pages, hosts, taking_turns(runs, ROUNDS, before=lambda: next_night(ports))
            ),
        }
    ours.send("end")
    site.join(10)
    return ratios


def told(name: str, pages: int, hosts: int, seconds: dict[str, float]) -> float:
    """Prints one line and gives its ratio."""
    ratio = seconds["by Prefect"] / seconds["without Prefect"]
    each = ", ".join(f"{how} {spent:.2f} s" for how, spent in seconds.items())
    print(f"{pages} pages, {hosts} hosts, {name:16} {each}   × {ratio:.2f}", flush=True)
    return ratio


def next_night(ports: list[int]) -> None:
    """Changes one page in a hundred, on every host's server, which share their night."""
    urllib.request.urlopen(f"http://127.0.0.1:{ports[0]}/next").read()


def taking_turns(
    runs: dict[str, Callable[[], None]], rounds: int, before: Callable[[], None] = lambda: None
) -> dict[str, float]:
    """The least wall seconds of each; every other round begins with the other."""
    best = dict.fromkeys(runs, float("inf"))
    for number in range(rounds):
        before()
        order = list(runs) if number % 2 == 0 else list(reversed(runs))
        for name in order:
            start = time.perf_counter()
            runs[name]()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else PAGES)
