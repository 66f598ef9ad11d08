"""A ledger on which pages are visited, and words of people that are put on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from extractors.extract import extract
from review import deciding
from schemas.decision import Decision, DecisionKind, Seen
from schemas.ledger import PageChanges
from schemas.source import FetchStatus, Snapshot, Source, Visit
from warehouse import snapshots
from warehouse.home import Home, open_home
from warehouse.ledger import Ledger

DAY = datetime(2026, 5, 1, 3, tzinfo=UTC)
PAGE = "<html lang=zh><title>RDMA</title><h1>GPU 云服务器</h1><p>{}</p></html>"


@dataclass
class Desk:
    """Pages read by the real reader, and people who decide on what they say."""

    home: Home
    ledger: Ledger
    run_id: int
    at: datetime = DAY

    def read(self, text: str, source_id: str = "page") -> PageChanges:
        self.at += timedelta(days=1)
        body = PAGE.format(text).encode()
        snapshot = self._snapshot(body, source_id)
        visit = Visit(source_id=source_id, at=self.at, status=FetchStatus.CHANGED, snapshot=snapshot)
        return self.ledger.write_page(
            self.run_id, self._source(source_id), visit, self._extraction(body, source_id)
        )

    def reread(self, text: str, source_id: str = "page", **changed: Any) -> PageChanges:
        """The same bytes by another reader, who finds `changed` in every claim, and its flags as given."""
        self.at += timedelta(days=1)
        body = PAGE.format(text).encode()
        found = self._extraction(body, source_id)
        claims = tuple(claim.model_copy(update=changed) for claim in found.claims)
        visit = Visit(
            source_id=source_id,
            at=self.at,
            status=FetchStatus.UNCHANGED,
            snapshot=self._snapshot(body, source_id),
        )
        changes = self.ledger.reread_page(
            self.run_id, visit, found.model_copy(update={"claims": claims, "extractor": "grammar@next"})
        )
        self.reapply()
        return changes

    def reapply(self) -> int:
        return deciding.reapply(self.ledger, self.run_id, self.at)

    def says(
        self, kind: str, flag: str = "claim", *, who: str = "ann", seen: Seen | None = None, **more: Any
    ):
        self.at += timedelta(minutes=1)
        key = more.pop("claim_key", None) or self.claim.claim.claim_key
        decision = Decision(claim_key=key, flag=flag, kind=DecisionKind(kind), who=who, **more)
        return deciding.decide(self.ledger, self.run_id, decision, self.at, seen)

    def undo(self, flag: str = "claim", who: str = "ann"):
        self.at += timedelta(minutes=1)
        key = self.claim.claim.claim_key
        return deciding.undo(self.ledger, self.run_id, f"{key}:{flag}", who, "", self.at)

    @property
    def claim(self):
        (stored,) = self.ledger.current_claims()
        return stored

    def open(self) -> list[str]:
        return [flag.flag.name for flag in self.ledger.open_flags()]

    def rows(self, sql: str) -> list[dict[str, Any]]:
        return self.ledger._database.rows(sql)

    def _snapshot(self, body: bytes, source_id: str) -> Snapshot:
        return Snapshot(
            sha256=snapshots.keep(self.home, body),
            source_id=source_id,
            url=f"https://vendor.example/{source_id}",
            fetched_at=self.at,
            content_type="text/html",
            size=len(body),
        )

    def _source(self, source_id: str) -> Source:
        return Source(id=source_id, vendor="alibaba-cloud", url=f"https://vendor.example/{source_id}")

    def _extraction(self, body: bytes, source_id: str):
        return extract(
            body, source=source_id, content_type="text/html", vendor="alibaba-cloud", language="zh"
        )


@pytest.fixture
def make_desk(tmp_path: Path) -> Iterator[Callable[[str], Desk]]:
    opened = []

    def make(name: str) -> Desk:
        home = open_home(tmp_path / name)
        ledger = Ledger.open(home)
        opened.append(ledger)
        return Desk(home, ledger, ledger.begin_run("test", DAY))

    yield make
    for ledger in opened:
        ledger.close()


@pytest.fixture
def desk(make_desk: Callable[[str], Desk]) -> Desk:
    return make_desk("home")
