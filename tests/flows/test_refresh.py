from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from flows import published, rereading
from flows.crawl import by_host, run_refresh
from flows.demo_server import DemoServer, demo_layers
from flows.fetch import Fetcher, Limits
from flows.progress import Silent, told
from flows.sources import find_sources, with_base
from flows.summary import PageRow, RunSummary
from schemas.errors import FetchError, LedgerError, LedgerHeldError
from schemas.ledger import ChangeKind, HoldReason
from schemas.source import FetchStatus, Snapshot, Source, Visit
from warehouse import snapshots
from warehouse.cards import builtin_cards
from warehouse.home import Home, open_home
from warehouse.ledger import Ledger
from warehouse.query import run_query

START = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)
STORAGE = "<title>华为云 SFS Turbo</title><h1>SFS Turbo</h1><p>加载提速</p>".encode()
STORAGE_LATER = (
    "<title>华为云 SFS Turbo</title><h1>SFS Turbo 规格</h1><table><tr><th>文件系统总吞吐</th><th>文件系统 IOPS</th>"
    "</tr><tr><td>最高 2 TB/s</td><td>最高 3000 万</td></tr></table>"
).encode()


@dataclass(frozen=True)
class Brought:
    visit: Visit
    body: bytes | None = None


class FakeFetcher:
    """Gives what `pages` holds for a source: bytes, a status, or an exception to raise."""

    def __init__(self, pages: dict[str, bytes | FetchStatus | BaseException]) -> None:
        self.pages = pages
        self.asked: list[str] = []

    def fetch(self, source: Source, last: Snapshot | None) -> Brought:
        self.asked.append(source.id)
        page = self.pages[source.id]
        if isinstance(page, BaseException):
            raise page
        if isinstance(page, FetchStatus):
            return Brought(Visit(source_id=source.id, at=START, status=page, reason="as told"))
        sha256 = hashlib.sha256(page).hexdigest()
        if last is not None and last.sha256 == sha256:
            return Brought(Visit(source_id=source.id, at=START, status=FetchStatus.UNCHANGED, snapshot=last))
        snapshot = Snapshot(
            sha256=sha256,
            source_id=source.id,
            url=source.url,
            fetched_at=START,
            content_type="text/html",
            size=len(page),
        )
        return Brought(
            Visit(source_id=source.id, at=START, status=FetchStatus.CHANGED, snapshot=snapshot), page
        )


def source(source_id: str, vendor: str = "huawei-cloud", product: str | None = "sfs-turbo") -> Source:
    return Source(id=source_id, vendor=vendor, product=product, url=f"https://{vendor}.example/{source_id}")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return open_home(tmp_path / "home")


@pytest.fixture
def clock() -> Callable[[], datetime]:
    moments = iter(START + timedelta(seconds=n) for n in range(100_000))
    return lambda: next(moments)


Refresh = Callable[..., RunSummary]


@pytest.fixture
def refresh(home: Home, clock: Callable[[], datetime]) -> Refresh:
    def go(pages: dict[str, Any], *, label: str = "", progress: Any = None, **more: Any) -> RunSummary:
        listed = [source(name) for name in pages]
        return run_refresh(
            home,
            listed,
            FakeFetcher(pages),
            clock,
            progress or Silent(),
            cards=builtin_cards(),
            label=label,
            **more,
        )

    return go


def row(summary: RunSummary, source_id: str) -> PageRow:
    return next(page for page in summary.pages if page.source_id == source_id)


def test_a_page_that_fails_in_any_way_is_recorded_with_its_reason_and_the_run_goes_on(
    refresh: Refresh, home: Home
) -> None:
    summary = refresh(
        {
            "refused": FetchError("the site refused the page (403)", refused=True, status=403),
            "broken": RuntimeError("a bug in the client"),
            "binary": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8,
            "empty": b"",
            "failed": FetchStatus.FAILED,
            "good": STORAGE_LATER,
        }
    )
    statuses = {page.source_id: page.status.value for page in summary.pages}
    assert statuses == {
        "refused": "failed",
        "broken": "failed",
        "binary": "changed",
        "empty": "changed",
        "failed": "failed",
        "good": "changed",
    }
    assert row(summary, "refused").reason == "the site refused the page (403)"
    assert row(summary, "broken").reason == "the visit failed (RuntimeError: a bug in the client)"
    assert row(summary, "failed").reason == "as told"
    assert row(summary, "binary").reason
    assert row(summary, "empty").reason
    assert summary.unread == 2
    assert row(summary, "good").claims
    assert run_query(home, "SELECT status FROM stored.runs").rows == [("done",)]
    stored = run_query(home, "SELECT source_id, reason FROM stored.visits WHERE status = 'failed'").rows
    assert dict(stored)["broken"] == "the visit failed (RuntimeError: a bug in the client)"
    unread = run_query(home, "SELECT source_id FROM stored.snapshots WHERE reason <> '' ORDER BY 1").rows
    assert unread == [("binary",), ("empty",)]


def test_an_extractor_that_raises_fails_the_page_which_is_read_on_the_next_run(
    refresh: Refresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = rereading.extract

    def breaks(body: bytes, **more: Any) -> Any:
        raise RecursionError("too deep")

    monkeypatch.setattr(rereading, "extract", breaks)
    first = refresh({"page": STORAGE_LATER})
    assert (row(first, "page").status, row(first, "page").reason) == (
        FetchStatus.FAILED,
        "the page could not be read (RecursionError: too deep)",
    )
    monkeypatch.setattr(rereading, "extract", real)
    second = refresh({"page": STORAGE_LATER})
    assert row(second, "page").status is FetchStatus.CHANGED
    assert row(second, "page").first_visit
    assert row(second, "page").claims


def test_unchanged_bytes_are_not_read_again(refresh: Refresh, monkeypatch: pytest.MonkeyPatch) -> None:
    refresh({"page": STORAGE_LATER})
    monkeypatch.setattr(rereading, "extract", None)
    summary = refresh({"page": STORAGE_LATER})
    assert row(summary, "page").status is FetchStatus.UNCHANGED
    assert (summary.news, summary.reranked) == ((), ())


def test_a_first_reading_ranks_every_card_with_scores_and_proposes_nothing(
    refresh: Refresh, home: Home
) -> None:
    summary = refresh({"page": STORAGE_LATER}, label="first")
    assert [card.scorecard for card in summary.reranked] == ["ten-thousand-cards", "small-clusters"]
    assert all(card.proposals == () and card.proposed is None for card in summary.reranked)
    assert summary.news == ()
    assert published.stale_scores(home, "ten-thousand-cards") == ()


def test_only_cards_that_a_changed_claim_touches_are_ranked_again(refresh: Refresh, home: Home) -> None:
    refresh({"page": STORAGE})
    summary = refresh({"page": STORAGE_LATER})
    assert {change.kind for change in summary.news} == {ChangeKind.NEW}
    assert [(card.scorecard, card.touched) for card in summary.reranked] == [
        ("ten-thousand-cards", ("storage_io",))
    ]
    marked = published.stale_scores(home, "ten-thousand-cards")
    assert [(s.vendor, s.dimension, s.score) for s in marked] == [
        ("huawei-cloud", "storage_io", Decimal("4.1"))
    ]


def test_a_mark_stays_when_a_later_run_ranks_the_card_for_another_reason(
    refresh: Refresh, home: Home
) -> None:
    refresh({"page": STORAGE})
    refresh({"page": STORAGE_LATER})
    rdma = "<h1>RDMA 网络</h1><p>单机 RDMA 网络带宽 3.2 Tbps。</p>".encode()
    later = refresh({"page": STORAGE_LATER, "other": rdma})
    assert "ten-thousand-cards" in [card.scorecard for card in later.reranked]
    marked = published.stale_scores(home, "ten-thousand-cards")
    assert [(s.vendor, s.dimension) for s in marked] == [("huawei-cloud", "storage_io")]


@pytest.mark.long
def test_a_mark_stays_when_pages_are_read_anew(
    refresh: Refresh, home: Home, clock: Callable[[], datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh({"page": STORAGE})
    rdma = "<h1>RDMA 网络</h1><p>单机 RDMA 网络带宽 3.2 Tbps。</p>".encode()
    refresh({"page": STORAGE_LATER, "other": rdma})
    real = rereading.extract

    def differently(*given: Any, **named: Any) -> Any:
        found = real(*given, **named)
        return found.model_copy(
            update={"claims": tuple(c.model_copy(update={"best_case": True}) for c in found.claims)}
        )

    monkeypatch.setattr(rereading, "extract", differently)
    done = rereading.reextract(home, clock, cards=builtin_cards(), only=frozenset({"other"}), every=True)
    assert "ten-thousand-cards" in [card.scorecard for card in done.reranked]
    marked = published.stale_scores(home, "ten-thousand-cards")
    assert [(s.vendor, s.dimension) for s in marked] == [("huawei-cloud", "storage_io")]


class StopsAt(Silent):
    def __init__(self, source_id: str) -> None:
        self.source_id = source_id

    def written(self, row: PageRow) -> None:
        if row.source_id == self.source_id:
            raise KeyboardInterrupt


def test_what_an_interrupted_run_stored_is_ranked_by_the_next(refresh: Refresh, home: Home) -> None:
    refresh({"page": STORAGE})
    with pytest.raises(KeyboardInterrupt):
        refresh({"page": STORAGE_LATER}, progress=StopsAt("page"))
    summary = refresh({"page": STORAGE_LATER})
    assert row(summary, "page").status is FetchStatus.UNCHANGED
    assert [card.touched for card in summary.reranked] == [("storage_io",)]
    states = run_query(home, "SELECT status FROM stored.runs ORDER BY run_id").rows
    assert states == [("done",), ("failed",), ("done",)]


@pytest.mark.long
def test_what_an_interrupted_run_stored_is_ranked_when_pages_are_read_anew(
    refresh: Refresh, home: Home, clock: Callable[[], datetime]
) -> None:
    refresh({"page": STORAGE})
    with pytest.raises(KeyboardInterrupt):
        refresh({"page": STORAGE_LATER}, progress=StopsAt("page"))
    done = rereading.reextract(home, clock, cards=builtin_cards())
    assert [card.touched for card in done.reranked] == [("storage_io",)]
    marked = published.stale_scores(home, "ten-thousand-cards")
    assert [(s.vendor, s.dimension) for s in marked] == [("huawei-cloud", "storage_io")]


def test_a_ledger_that_takes_nothing_more_stops_the_run_and_keeps_what_it_had(
    refresh: Refresh, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh({"page": STORAGE_LATER})
    before = run_query(home, "SELECT count(*) FROM claims").rows

    def full(*_: object) -> None:
        raise LedgerError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "write_page", full)
        with pytest.raises(LedgerError, match="the disk is full"):
            refresh({"page": STORAGE, "other": STORAGE})
    assert run_query(home, "SELECT count(*) FROM claims").rows == before
    refresh({"page": STORAGE_LATER})
    states = run_query(home, "SELECT status FROM stored.runs ORDER BY run_id").rows
    assert states == [("done",), ("failed",), ("done",)]


def test_a_page_that_alone_cannot_be_stored_is_recorded_as_failed(
    refresh: Refresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Ledger.write_page

    def choosy(self: Ledger, run_id: int, page: Source, visit: Visit, extraction: Any) -> Any:
        if page.id == "odd" and extraction is not None:
            raise LedgerError("the low of k is too large for the ledger")
        return real(self, run_id, page, visit, extraction)

    monkeypatch.setattr(Ledger, "write_page", choosy)
    summary = refresh({"odd": STORAGE_LATER, "good": STORAGE_LATER})
    assert row(summary, "odd").status is FetchStatus.FAILED
    assert row(summary, "odd").reason.startswith("the page could not be stored (LedgerError: the low of k")
    assert row(summary, "good").claims


def test_a_disk_that_takes_no_snapshot_stops_the_run(
    refresh: Refresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(home: Home, body: bytes) -> str:
        raise LedgerError("the snapshot cannot be stored")

    monkeypatch.setattr(snapshots, "keep", refuses)
    with pytest.raises(LedgerError, match="the snapshot cannot be stored"):
        refresh({"page": STORAGE})


def test_a_second_writer_is_turned_away(refresh: Refresh, home: Home) -> None:
    with Ledger.open(home), pytest.raises(LedgerHeldError, match="is writing to the ledger"):
        refresh({"page": STORAGE})


def test_hosts_are_visited_in_the_order_in_which_they_are_listed() -> None:
    pages = [source("a", "ucloud"), source("b", "azure"), source("c", "ucloud")]
    hosts = by_host([(page, None) for page in pages])
    assert [(host.name, [page.id for page, _ in host.pages]) for host in hosts] == [
        ("ucloud.example", ["a", "c"]),
        ("azure.example", ["b"]),
    ]


def test_a_page_is_told_in_one_line() -> None:
    page = PageRow(source_id="p", vendor=None, url="u", status=FetchStatus.FAILED, reason="no answer")
    assert told(page) == "failed     p (no answer)"


@contextmanager
def served(folder: Path) -> Iterator[tuple[DemoServer, Fetcher]]:
    with (
        DemoServer([folder]) as site,
        Fetcher(allow_loopback=True, limits=Limits(tries=1, delay_seconds=0)) as fetcher,
    ):
        yield site, fetcher


def test_bad_pages_over_the_network_are_recorded_with_their_reasons(
    tmp_path: Path, home: Home, clock: Callable[[], datetime]
) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "empty.html").write_bytes(b"")
    (folder / "binary.html").write_bytes(bytes(range(256)) * 20)
    (folder / "good.html").write_bytes(STORAGE_LATER)
    with served(folder) as (site, fetcher):
        listed = with_base(
            [source(name).model_copy(update={"url": f"http://x/{name}.html"}) for name in
             ("empty", "binary", "gone", "good")],
            site.base_url,
        )  # fmt: skip
        summary = run_refresh(home, listed, fetcher, clock, Silent(), cards=builtin_cards())
    found = {page.source_id: page.status.value for page in summary.pages}
    assert found == {"empty": "failed", "binary": "changed", "gone": "gone", "good": "changed"}
    assert "empty" in row(summary, "empty").reason
    assert row(summary, "binary").reason
    assert row(summary, "good").claims


def test_the_demo_s_two_days_change_one_page_and_propose_one_score(
    home: Home, clock: Callable[[], datetime]
) -> None:
    with DemoServer(demo_layers(1)) as site, Fetcher(allow_loopback=True) as fetcher:
        listed = with_base(find_sources("demo"), site.base_url)
        runs = []
        for day in (1, 2):
            site.show(demo_layers(day))
            runs.append(
                run_refresh(home, listed, fetcher, clock, Silent(), cards=builtin_cards(), label=str(day))
            )
    first, second = runs
    assert all(page.first_visit and not page.reason for page in first.pages)
    moved = [c for c in second.news if c.kind is not ChangeKind.NOT_SEEN]
    assert {change.source_id for change in moved} == {"huawei-sfs-turbo"}
    figures = {c.after.metric: c.after.low for c in moved if c.after and c.after.metric.startswith("fs_")}
    assert figures == {"fs_throughput": Decimal(2 * 10**12), "fs_iops": Decimal(30_000_000)}
    assert len(moved) == len(second.news)
    (gone,) = (page.source_id for page in second.pages if page.status is FetchStatus.GONE)
    (held,) = second.held
    assert (held.source_id, held.reason) == (gone, HoldReason.GONE)
    assert held.claims_lost == held.claims_before > 0
    (card,) = [card for card in second.reranked if card.proposals]
    proposal, by_rubric = card.proposals
    assert (by_rubric.dimension, by_rubric.standing, by_rubric.proposed, by_rubric.peers) == (
        "ready_to_use",
        Decimal("3.9"),
        Decimal("3.4"),
        (),
    )
    assert (proposal.vendor, proposal.dimension) == ("huawei-cloud", "storage_io")
    assert (proposal.standing, proposal.proposed) == (Decimal("4.1"), Decimal("4.6"))
    standing = [(p.rank, p.vendor, p.shown) for p in card.standing.placements]
    assert standing[3] == (4, "huawei-cloud", "4.52")
    assert card.proposed is not None
    assert [(p.rank, p.vendor, p.shown) for p in card.proposed.placements][:4] == [
        (1, "alibaba-cloud", "4.76"),
        (2, "huawei-cloud", "4.61"),
        (2, "volcengine", "4.61"),
        (4, "tencent-cloud", "4.54"),
    ]
