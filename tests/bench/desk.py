"""The review desk at size: server time of each page at 100,000 claims and 5,000 open flags.

`python -m tests.bench.desk` fills a home with copies of a demo's claims under keys of their own, and asks each page
several times in this process. Printed are the least and the median of wall-clock milliseconds, which another program
on the machine makes longer.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from starlette.testclient import TestClient

from flows import crawl
from flows.demo_server import DemoServer, demo_layers
from flows.fetch import Fetcher
from flows.progress import Silent
from flows.review_desk import HomeBackend
from flows.sources import find_sources, with_base
from review.web.app import create_app
from review.web.guard import Access
from warehouse.cards import builtin_cards
from warehouse.home import Home, open_home
from warehouse.ledger import Ledger

ROUNDS = 15


def fill(home: Home, claims: int, flags: int) -> None:
    """A refresh of the demo, whose claims are then copied until there are as many, with as many open flags."""
    now = datetime(2026, 5, 1, tzinfo=UTC)
    with DemoServer(demo_layers(1)) as site, Fetcher(allow_loopback=True, now=lambda: now) as fetcher:
        listed = with_base(find_sources("demo"), site.base_url)
        crawl.run_refresh(home, listed, fetcher, lambda: now, Silent(), cards=builtin_cards())
    with Ledger.open(home) as ledger:
        database = ledger._database
        (have,) = database.rows("SELECT count(*) AS n FROM stored.claim_versions")
        times = claims // have["n"]
        for table in ("claim_versions", "checks"):
            database.execute(
                f"INSERT INTO stored.{table} SELECT base.* REPLACE (base.claim_key || 'x' || n AS claim_key) "
                f"FROM stored.{table} AS base, range(1, {times}) AS r(n)"
            )
        database.execute(
            f"INSERT INTO stored.flags SELECT base.* REPLACE (base.claim_key || 'x' || n AS claim_key, "
            f"base.claim_key || 'x' || n || ':' || base.name AS flag_id) "
            f"FROM stored.flags AS base, range(1, {times}) AS r(n) ORDER BY n LIMIT {flags}"
        )
        ledger.publish()


def run(claims: int = 100_000, flags: int = 5_000) -> None:
    """Prints a line a page."""
    with tempfile.TemporaryDirectory() as folder:
        home = open_home(Path(folder))
        fill(home, claims, flags)
        start = time.perf_counter()
        app = create_app(HomeBackend(home), Access(local_name="ann"))
        print(f"made ready in {time.perf_counter() - start:.1f} s (once a publishing, beside the old state)")
        client = TestClient(app, base_url="http://127.0.0.1:8390")
        import re

        queue = client.get("/").text
        flag = re.search(r'href="(/flag/[^"]+)"', queue)
        key = flag[1].removeprefix("/flag/").partition("%3A")[0] if flag else ""
        pages = {
            "queue": "/",
            "queue, filtered": "/?metric=rdma_bandwidth&order=age",
            "claim": flag[1] if flag else "/",
            "whole page": f"/page/{key}",
            "rankings": "/rankings",
            "decisions": "/decisions",
        }
        print(re.search(r"[\d,]+ flags are open", queue)[0])
        for name, path in pages.items():
            spent = []
            for _ in range(ROUNDS):
                begun = time.perf_counter()
                assert client.get(path).status_code == 200
                spent.append((time.perf_counter() - begun) * 1000)
            print(f"{name:16} least {min(spent):6.1f} ms, median {statistics.median(spent):6.1f} ms")


if __name__ == "__main__":
    run(*map(int, sys.argv[1:]))
