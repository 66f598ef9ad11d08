from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from schemas.claim import Claim, Evidence
from schemas.document import Document
from schemas.extraction import Extraction
from schemas.flag import Flag, Reading
from schemas.ledger import PageChanges, Release, StoredClaim
from schemas.quantity import Bound
from schemas.record import Words
from schemas.source import FetchStatus, Snapshot, Source, Visit
from warehouse import snapshots
from warehouse.home import Home, open_home
from warehouse.ledger import Ledger

DAY_1 = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)


def make_claim(key: str = "k1", low: str | None = "3200000000000", **changes: Any) -> Claim:
    quote = changes.pop("quote", f"RDMA {low}")
    path = changes.pop("path", ("Network",))
    fields: dict[str, Any] = {
        "claim_key": key,
        "source": "page.html",
        "vendor": "alibaba-cloud",
        "product": "lingjun",
        "metric": "rdma_bandwidth",
        "low": None if low is None else Decimal(low),
        "unit": "bit/s",
        "text_value": low,
        "bound": Bound.EXACT,
        "basis": "per_machine",
        "evidence": Evidence(quote=quote, start=0, end=len(quote), path=path),
        "extractor": "grammar@1",
    }
    return Claim(**{**fields, **changes})


def make_stored(claim: Claim, **changes: Any) -> StoredClaim:
    fields: dict[str, Any] = {
        "claim": claim,
        "version": 1,
        "source_id": "page",
        "snapshot_sha256": "0" * 64,
        "valid_from": DAY_1,
        "recorded_at": DAY_1,
    }
    return StoredClaim(**{**fields, **changes})


def make_flag(key: str, name: str = "unit_truncated") -> Flag:
    words = Words(en="Which unit?", zh="什么单位？")
    readings = (
        Reading(key="as_usual", label=words, low=Decimal(3200000000000)),
        Reading(key="other_of_bit_byte", label=words, low=Decimal(25600000000000)),
    )
    return Flag(claim_key=key, name=name, question=words, readings=readings)


def make_source(source_id: str = "page") -> Source:
    return Source(id=source_id, vendor="alibaba-cloud", url=f"https://vendor.example/{source_id}")


class Visits:
    """Visits pages of a ledger, one day after the other, in one run."""

    def __init__(self, home: Home, ledger: Ledger) -> None:
        self.home = home
        self.ledger = ledger
        self.at = DAY_1
        self.run_id = ledger.begin_run("test", self.at)

    def page(
        self, *claims: Claim, source_id: str = "page", body: bytes | None = None, **more: Any
    ) -> PageChanges:
        content = repr((self.at, claims)).encode() if body is None else body
        snapshot = Snapshot(
            sha256=snapshots.keep(self.home, content),
            source_id=source_id,
            url=f"https://vendor.example/{source_id}",
            fetched_at=self.at,
            size=len(content),
            etag='"e"',
        )
        extraction = Extraction(
            source="page.html", document=Document(text="x", blocks=()), claims=claims, **more
        )
        return self.visit(FetchStatus.CHANGED, snapshot, extraction, source_id=source_id)

    def visit(
        self,
        status: FetchStatus,
        snapshot: Snapshot | None = None,
        extraction: Extraction | None = None,
        source_id: str = "page",
        word: Release | None = None,
    ) -> PageChanges:
        visit = Visit(source_id=source_id, at=self.at, status=status, snapshot=snapshot)
        changes = self.ledger.write_page(self.run_id, make_source(source_id), visit, extraction, word)
        self.at += timedelta(days=1)
        return changes

    def reread(
        self, *claims: Claim, source_id: str = "page", force: bool = False, **more: Any
    ) -> PageChanges:
        """The last bytes of a page, read anew by another reader."""
        snapshot = self.ledger.last_snapshot(source_id)
        extraction = Extraction(
            source="page.html",
            document=Document(text="x", blocks=()),
            claims=claims,
            extractor="grammar@2",
            **more,
        )
        visit = Visit(source_id=source_id, at=self.at, status=FetchStatus.UNCHANGED, snapshot=snapshot)
        changes = self.ledger.reread_page(self.run_id, visit, extraction, force=force)
        self.at += timedelta(days=1)
        return changes


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return open_home(tmp_path / "home")


@pytest.fixture
def ledger(home: Home) -> Iterator[Ledger]:
    with Ledger.open(home) as ledger:
        yield ledger


@pytest.fixture
def visits(home: Home, ledger: Ledger) -> Visits:
    return Visits(home, ledger)


@pytest.fixture
def begin() -> Callable[[Home, Ledger], Visits]:
    return Visits


@pytest.fixture
def claim() -> Callable[..., Claim]:
    return make_claim


@pytest.fixture
def stored() -> Callable[..., StoredClaim]:
    return make_stored


@pytest.fixture
def flag() -> Callable[..., Flag]:
    return make_flag
