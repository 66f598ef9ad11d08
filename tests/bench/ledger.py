"""The ledger at size: `python -m tests.bench.ledger 10000` for a million versions; `make bench` takes a tenth of it,
or as many pages as $KOUJING_BENCH_PAGES says.

Pages of ten claims each are crawled by the refresh itself (fetching aside: pages come from memory), then each claim
is given nine earlier versions. Printed are ratios within this run, and bytes: a night in which one page in a hundred
changed over the first run, an unchanged night's growth of the file, a rerank of one touched card over one of all,
point and timeline queries at the full size over a hundredth of it, and bulk storing over executemany. Times are the
processor's, so that another program on the machine shifts no ratio; queries take the least of several.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from flows import crawl
from flows.outcome import Fetched
from flows.progress import Silent
from flows.reranking import rerank
from schemas.ledger import Change, ChangeKind
from schemas.record import Words
from schemas.registry import registry
from schemas.scorecard import Dimension, Scorecard
from schemas.source import FetchStatus, Snapshot, Source, Visit
from warehouse.cards import builtin_cards
from warehouse.database import Database
from warehouse.home import Home, open_home
from warehouse.ledger import Ledger
from warehouse.query import run_query

VERSIONS_A_CLAIM = 10
CARDS = 100
QUIET_NIGHTS = 8
VENDORS = tuple(sorted(registry().vendors))
PAGE = """<html><head><title>智算集群 {number}</title></head><body><main><h1>智算集群 {number}</h1><h2>网络</h2>
<p>每台机器提供 {low} Gbps RDMA 网络带宽，端到端时延低至 2 微秒。</p><h2>存储</h2>
<table><tr><th>规格</th><th>单文件系统吞吐</th><th>单文件系统 IOPS</th></tr>
<tr><td>甲{number}型</td><td>1{number} GB/s</td><td>1{number} 万</td></tr><tr><td>乙{number}型</td><td>2{number} GB/s</td><td>3{number} 万</td></tr>
<tr><td>丙{number}型</td><td>3{number} GB/s</td><td>5{number} 万</td></tr><tr><td>丁{number}型</td><td>4{number} GB/s</td><td>7{number} 万</td></tr>
</table></main></body></html>"""


class Site:
    """Pages from memory, answering as a site with entity tags does."""

    def __init__(self) -> None:
        self.at = datetime(2026, 5, 1, 3, tzinfo=UTC)
        self.lows: dict[str, int] = {}

    def fetch(self, source: Source, last: Snapshot | None) -> Fetched:
        number = source.id.rpartition("-")[2]
        body = PAGE.format(number=number, low=self.lows.get(source.id, 400)).encode()
        digest = hashlib.sha256(body).hexdigest()
        if last is not None and last.sha256 == digest:
            return Fetched(
                Visit(source_id=source.id, at=self.at, status=FetchStatus.UNCHANGED, snapshot=last)
            )
        snapshot = Snapshot(
            sha256=digest,
            source_id=source.id,
            url=source.url,
            fetched_at=self.at,
            content_type="text/html",
            size=len(body),
        )
        return Fetched(
            Visit(source_id=source.id, at=self.at, status=FetchStatus.CHANGED, snapshot=snapshot), body
        )


def timed(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def at_size() -> int:
    """How many pages `make bench` takes."""
    return int(os.environ.get("KOUJING_BENCH_PAGES", "1000"))


def refresh(home: Home, site: Site, sources: list[Source]) -> float:
    site.at += timedelta(days=1)
    return timed(
        lambda: crawl.run_refresh(home, sources, site, lambda: site.at, Silent(), cards=builtin_cards())
    )


def size_of(home: Home) -> int:
    return home.published.stat().st_size


def deepen(home: Home) -> None:
    """Gives each claim nine earlier versions, as if it had changed once a month."""
    database = Database.open(home.ledger)
    with database.transaction("the history could not be made"):
        database.execute(f"UPDATE stored.claim_versions SET version = version + {VERSIONS_A_CLAIM - 1}")
        database.execute(
            f"""
            INSERT INTO stored.claim_versions
            SELECT version.* REPLACE (
                n AS version,
                version.low + {VERSIONS_A_CLAIM} - n AS low,
                version.valid_from - INTERVAL 30 DAY * ({VERSIONS_A_CLAIM} - n) AS valid_from,
                version.recorded_at - INTERVAL 30 DAY * ({VERSIONS_A_CLAIM} - n) AS recorded_at)
            FROM stored.claim_versions AS version, range(1, {VERSIONS_A_CLAIM}) AS r(n) ORDER BY n, source_id
            """
        )
        database.execute(f"UPDATE stored.changes SET version_after = version_after + {VERSIONS_A_CLAIM - 1}")
        for table in ("flags", "checks"):
            database.execute(f"UPDATE stored.{table} SET version = version + {VERSIONS_A_CLAIM - 1}")
    database.execute("CHECKPOINT")
    database.close()


def sources_of(pages: int) -> list[Source]:
    return [
        Source(
            id=f"page-{number}",
            vendor=VENDORS[number % len(VENDORS)],
            url=f"https://vendor-{number % 4}.example/{number}",
        )
        for number in range(pages)
    ]


def nights(home: Home, pages: int) -> None:
    """Print what later nights cost beside the first run, and what an unchanged one adds to the file."""
    site, sources = Site(), sources_of(pages)
    first = refresh(home, site, sources)
    deepen(home)
    refresh(home, site, sources)  # publishes the history
    count = run_query(home, "SELECT count(*), count(DISTINCT claim_key) FROM claim_history").rows[0]
    quiet = refresh(home, site, sources)
    site.lows = {source.id: 800 for source in sources[::100]}
    changed = refresh(home, site, sources)
    written = run_query(
        home, "SELECT count(DISTINCT source_id), count(*) FROM claim_history WHERE run_id = 4"
    ).rows[0]
    # The published copy is compact; DuckDB rounds it up to blocks, so that one night may show none, another several.
    before = size_of(home)
    for _ in range(QUIET_NIGHTS):
        refresh(home, site, sources)
    growth = (size_of(home) - before) / QUIET_NIGHTS
    print(f"versions, claims, pages                             {count[0]:,}  {count[1]:,}  {pages:,}")
    print(f"a night with 1 % of the pages changed / first run   {changed / first:7.2%}")
    print(f"   (pages and versions written: {written[0]}, {written[1]})")
    print(f"a night in which nothing changed / first run        {quiet / first:7.2%}")
    print(
        f"published file {before:,} bytes; an unchanged night adds {growth:,.0f}, {growth / pages:.1f} a page"
    )


METRICS = ("rdma_bandwidth", "network_latency", "fs_throughput", "fs_iops")


def many_cards(moved: str) -> list[Scorecard]:
    """Cards of one dimension each, the first of which alone rests on the metric of the claim that moved."""
    others = [metric for metric in METRICS if metric != moved]
    return [card_of(0, moved), *(card_of(number, others[number % 3]) for number in range(1, CARDS))]


def card_of(number: int, metric: str) -> Scorecard:
    template = next(card for card in builtin_cards() if card.editorial)
    vendor = next(iter(template.editorial))
    entry = next(iter(template.editorial[vendor].values()))
    dimension = Dimension(
        id="d",
        label=Words(en="d", zh="d"),
        why=Words(en="a bench", zh="测速"),
        weight=Decimal(1),
        metrics=(metric,),
        compare=(metric,),
    )
    return template.model_copy(
        update={
            "id": f"card-{number}",
            "dimensions": (dimension,),
            "editorial": {name: {"d": entry} for name in VENDORS},
        }
    )


def reranks(home: Home) -> None:
    """Print what ranking again after one changed claim costs beside ranking every card."""
    at = datetime(2027, 1, 1, tzinfo=UTC)
    with Ledger.open(home) as ledger:
        claims = ledger.current_claims()
        standing = ledger.roll_ups()
        moved = next(
            stored
            for stored in claims
            if stored.claim.metric in METRICS
            and standing[stored.claim.claim_key] in ("VERIFIED", "QUALIFIED", "AMBIGUOUS")
        )
        one = Change(
            kind=ChangeKind.CHANGED,
            claim_key=moved.claim.claim_key,
            source_id=moved.source_id,
            before=moved.claim,
            after=moved.claim,
            fields=("low",),
        )
        cards = many_cards(moved.claim.metric)
        run = ledger.begin_run("bench", at)
        every = timed(lambda: rerank(ledger, run, cards, (), at))
        before = scores_of(ledger)
        once = timed(lambda: rerank(ledger, run, cards, (one,), at))
        print(f"rerank after one changed claim / of all {CARDS} cards     {once / every:7.2%}")
        print(f"   (score rows written: {scores_of(ledger) - before} of {before})")
        ledger.end_run(run, at, "done")


def scores_of(ledger: Ledger) -> int:
    return int(ledger._database.rows("SELECT count(*) AS n FROM stored.scores")[0]["n"])


QUERIES = {
    "one claim now (claims)": "SELECT low, quote FROM claims WHERE claim_key = '{key}'",
    "one claim's versions (claim_history)": "SELECT low, valid_from, valid_to FROM claim_history WHERE claim_key = '{key}'",
    "one claim as of a day": "SELECT low FROM claims_as_of('2026-03-01') WHERE claim_key = '{key}'",
    "one page's timeline": "SELECT metric, low, valid_from, valid_to FROM claim_history WHERE source_id = '{page}' ORDER BY ALL",
}


def queries(small: Home, large: Home) -> None:
    """Print how many times as long the same question takes of a hundred times as many versions."""
    print("queries at the full size over a hundredth of it")
    for name, sql in QUERIES.items():
        took = []
        for home in (small, large):
            key, page = run_query(
                home, "SELECT claim_key, source_id FROM claims ORDER BY 1 LIMIT 1 OFFSET 50"
            ).rows[0]
            asked = sql.format(key=key, page=page)
            with duckdb.connect(str(home.published), read_only=True) as connection:
                connection.execute(asked).fetchall()
                took.append(
                    min(timed(lambda c=connection, q=asked: c.execute(q).fetchall()) for _ in range(15))
                )
        print(f"   {name:45} {took[1] / took[0]:7.2f}   ({took[1] * 1000:.1f} ms)")


def bulk(folder: Path) -> None:
    """Print rows a second as the ledger stores many, beside DuckDB's executemany."""
    database = Database.open(folder / "bulk.duckdb")
    database.run_script(
        "CREATE SCHEMA stored; CREATE TABLE stored.bulk (k VARCHAR, v INTEGER, low DECIMAL(38, 12), said VARCHAR, "
        "q MAP(VARCHAR, VARCHAR), seen TIMESTAMPTZ, PRIMARY KEY (k, v))"
    )
    at = datetime(2026, 5, 1, tzinfo=UTC)
    rows = [
        {
            "k": f"key-{n}",
            "v": 1,
            "low": Decimal(n),
            "said": "每台机器 3.2 Tbps",
            "q": {"tier": "A"},
            "seen": at,
        }
        for n in range(100_000)
    ]
    with database.transaction("bulk"):
        ours = len(rows) / timed(lambda: database.insert("stored.bulk", rows))
    few = [(f"one-{n}", 1, Decimal(n), "每台机器 3.2 Tbps", '{"tier": "A"}', at) for n in range(1_000)]
    with duckdb.connect(str(folder / "rows.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE bulk (k VARCHAR, v INTEGER, low DECIMAL(38, 12), said VARCHAR, q JSON, seen TIMESTAMPTZ, "
            "PRIMARY KEY (k, v))"
        )
        connection.execute("BEGIN")
        theirs = len(few) / timed(
            lambda: connection.executemany("INSERT INTO bulk VALUES (?, ?, ?, ?, ?, ?)", few)
        )
    database.close()
    print(
        f"rows a second: {ours:,.0f} as Arrow, {theirs:,.0f} by executemany: {ours / theirs:.0f} times as many"
    )


def run(pages: int = 1_000) -> None:
    """Print every measurement of the ledger."""
    with tempfile.TemporaryDirectory() as folder:
        large, small = open_home(Path(folder) / "large"), open_home(Path(folder) / "small")
        nights(large, pages)
        site, few = Site(), sources_of(max(pages // 100, 12))
        refresh(small, site, few)
        deepen(small)
        refresh(small, site, few)
        queries(small, large)
        reranks(large)
        bulk(Path(folder))


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else at_size())
