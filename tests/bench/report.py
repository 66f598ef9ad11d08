"""The report at size: `python -m tests.bench.report 500 [HOME]` for 12 vendors, 4 scorecards and 20,000 claims in 500 pages.

The pages are crawled by the refresh itself for two nights (fetching aside: pages come from memory), one page in twenty
changing in the second. Printed are the claims, the seconds that both languages take on the wall, the most memory, the
site's bytes and those of its front page. A HOME is kept, and used again where it holds a ledger.
"""

from __future__ import annotations

import hashlib
import resource
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from flows import crawl
from flows.outcome import Fetched
from flows.progress import Silent
from report.site import write_report
from schemas.source import FetchStatus, Snapshot, Source, Visit
from warehouse.cards import builtin_cards
from warehouse.home import Home, open_home
from warehouse.query import run_query

VENDORS = (
    "alibaba-cloud volcengine tencent-cloud huawei-cloud baidu-ai-cloud ucloud kingsoft-cloud azure aws gcp "
    "oracle-cloud coreweave"
).split()
TIERS = 12
PAGE = """<html><head><title>智算集群 {n} 型</title></head><body><main><h1>智算集群 {n} 型</h1><h2>网络</h2>
<p>每台机器提供 {low} Gbps RDMA 网络带宽，端到端时延低至 {us} 微秒。支持 GPUDirect RDMA 与 RoCE。</p>
<p>单集群最大支持 {cards} 万卡。故障 {minutes} 分钟内自动恢复，万卡线性扩展效率 {eff}% 以上。</p><h2>存储</h2>
<table><tr><th>规格</th><th>单文件系统吞吐</th><th>单文件系统 IOPS</th><th>单客户端带宽</th></tr>
{table}
</table></main></body></html>"""
ROW = "<tr><td>{tier} 型</td><td>{a} GB/s</td><td>{b} 万</td><td>{c} GB/s</td></tr>"


class Site:
    """Pages from memory; of those that change, the bandwidth is another one each night."""

    def __init__(self) -> None:
        self.at = datetime(2026, 11, 1, 3, tzinfo=UTC)
        self.night = 0

    def fetch(self, source: Source, last: Snapshot | None) -> Fetched:
        body = self.body(int(source.id.rpartition("-")[2]))
        digest = hashlib.sha256(body).hexdigest()
        if last is not None and last.sha256 == digest:
            visit = Visit(source_id=source.id, at=self.at, status=FetchStatus.UNCHANGED, snapshot=last)
            return Fetched(visit)
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

    def body(self, n: int) -> bytes:
        table = "\n".join(
            ROW.format(tier=f"{n}-{t}", a=10 + n % 90 + t, b=20 + n % 50 + 3 * t, c=1 + (n + t) % 25)
            for t in range(TIERS)
        )
        low = 400 * (1 + n % 8) + (100 * self.night if n % 20 == 0 else 0)
        return PAGE.format(
            n=n,
            low=low,
            us=2 + n % 9,
            cards=1 + n % 16,
            minutes=3 + n % 17,
            eff=80 + n % 19,
            table=table,
        ).encode()


def filled(home: Home, pages: int) -> None:
    """Two nights of so many pages."""
    site = Site()
    sources = [
        Source(
            id=f"page-{n}",
            vendor=VENDORS[n % len(VENDORS)],
            url=f"https://vendor-{n % len(VENDORS)}.example/{n}",
            tier="T1" if n % 10 else "T3",
            language="zh",
        )
        for n in range(pages)
    ]
    for night in (0, 1):
        site.night = night
        site.at += timedelta(days=1)
        crawl.run_refresh(home, sources, site, lambda: site.at, Silent(), cards=builtin_cards())


def measure(home: Home) -> None:
    """Prints what writing the report takes."""
    claims, vendors = run_query(home, "SELECT count(*), count(DISTINCT vendor) FROM claims").rows[0]
    folder = home.root / "report"
    start = time.perf_counter()
    written = write_report(home, builtin_cards(), folder)
    seconds = time.perf_counter() - start
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    front = max((folder / lang / "index.html").stat().st_size for lang in ("zh", "en"))
    print(f"claims {claims:,} of {vendors} vendors, {len(builtin_cards())} scorecards")
    print(f"seconds {seconds:.1f}; most memory {max(own, child) / 1024:.0f} MB a process")
    print(f"site {written.bytes / 1e6:.1f} MB in {written.files:,} files; front page {front / 1e3:.0f} kB")


def main() -> None:
    """Fills a home where it is empty, and measures."""
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    if len(sys.argv) > 2:
        home = open_home(Path(sys.argv[2]))
        if not home.published.exists():
            filled(home, pages)
        measure(home)
        return
    with tempfile.TemporaryDirectory() as folder:
        home = open_home(Path(folder))
        filled(home, pages)
        measure(home)


if __name__ == "__main__":
    main()
