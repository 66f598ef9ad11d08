from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from flows.crawl import run_refresh
from flows.outcome import Fetched
from flows.progress import Silent
from flows.summary import RunSummary
from schemas.source import FetchStatus, Snapshot, Source, Visit
from warehouse import limits
from warehouse.database import Database
from warehouse.home import Home, open_home
from warehouse.query import run_query

AT = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)
PAGE = "<h1>RDMA 网络</h1><p>单机 RDMA 网络带宽 3.2 Tbps。</p>".encode()
SOURCE = Source(id="page", vendor="huawei-cloud", url="https://vendor.example/page")


class OnePage:
    def __init__(self) -> None:
        self.last: list[str | None] = []

    def fetch(self, source: Source, last: Snapshot | None) -> Fetched:
        sha256 = hashlib.sha256(PAGE).hexdigest()
        self.last.append(last and last.sha256)
        snapshot = Snapshot(
            sha256=sha256,
            source_id=source.id,
            url=source.url,
            fetched_at=AT,
            content_type="text/html",
            size=len(PAGE),
        )
        status = FetchStatus.UNCHANGED if last else FetchStatus.CHANGED
        return Fetched(Visit(source_id=source.id, at=AT, status=status, snapshot=snapshot), PAGE)


class Notes(Silent):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return open_home(tmp_path / "home")


def refresh(home: Home, **more: Any) -> RunSummary:
    fetcher = more.get("fetcher") or OnePage()
    return run_refresh(home, [SOURCE], fetcher, lambda: AT, more.get("progress") or Silent(), cards=())


def test_a_deleted_ledger_is_told_of_and_nothing_published_is_lost(home: Home) -> None:
    refresh(home)
    before = run_query(home, "SELECT * FROM claim_history").rows
    home.ledger.unlink()
    progress = Notes()
    summary = refresh(home, progress=progress)
    assert progress.notes == [f"the ledger was missing and was rebuilt from {home.published}"]
    assert (summary.run_id, summary.pages[0].first_visit) == (2, False)
    assert run_query(home, "SELECT * FROM claim_history").rows == before


def test_deleted_snapshots_are_fetched_and_kept_again(home: Home) -> None:
    fetcher = OnePage()
    refresh(home, fetcher=fetcher)
    (body,) = home.snapshots.rglob("*.zst")
    body.unlink()
    summary = refresh(home, fetcher=fetcher)
    assert body.exists()
    assert summary.pages[0].changes == ()
    refresh(home, fetcher=fetcher)
    assert fetcher.last == [None, None, hashlib.sha256(PAGE).hexdigest()]


def test_a_page_past_the_limit_is_failed_in_the_run_s_own_report(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_CLAIMS", 0)
    (row,) = refresh(home).pages
    assert (row.status, row.claims) == (FetchStatus.FAILED, None)
    assert row.reason.endswith("more than 0 claims on one page")


def test_an_interrupt_within_duckdb_stops_the_run_and_blames_no_page(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Database.insert

    class Interrupted:
        def __init__(self, connection: Any) -> None:
            self.connection = connection

        def execute(self, sql: str, *values: Any) -> Any:
            if sql.startswith("INSERT INTO stored.claim_versions"):
                raise RuntimeError("Query interrupted")
            return self.connection.execute(sql, *values)

    def insert(self: Database, table: str, rows: Any) -> None:
        if table == "stored.claim_versions":
            connection = self._connection
            self._connection = Interrupted(connection)  # type: ignore[assignment]
            try:
                real(self, table, rows)
            finally:
                self._connection = connection
        else:
            real(self, table, rows)

    with monkeypatch.context() as patch:
        patch.setattr(Database, "insert", insert)
        with pytest.raises(KeyboardInterrupt):
            refresh(home)
    assert refresh(home).pages[0].first_visit
    assert run_query(home, "SELECT status FROM stored.runs ORDER BY run_id").rows == [("failed",), ("done",)]
    assert run_query(home, "SELECT status FROM stored.visits").rows == [("changed",)]


def test_an_unreadable_published_file_is_told_of(home: Home) -> None:
    home.published.write_bytes(b"garbage" * 5000)
    progress = Notes()
    refresh(home, progress=progress)
    aside = home.root / "koujing.duckdb.unreadable-1"
    assert progress.notes == [f"{aside} holds what could not be read; the ledger begins without it"]
    assert aside.exists()
    assert run_query(home, "SELECT count(*) > 0 FROM claims").rows == [(True,)]
