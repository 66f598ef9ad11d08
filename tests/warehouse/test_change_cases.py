"""What pages do between crawls, read by the real reader and compared by the real ledger."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from extractors.extract import extract
from schemas.ledger import ChangeKind
from schemas.source import FetchStatus, Snapshot, Source, Visit
from warehouse import snapshots
from warehouse.ledger import Ledger

FILE = Path(__file__).parents[1] / "cases" / "changes" / "pages.yaml"
CASES = yaml.safe_load(FILE.read_text(encoding="utf-8"))
PAGE: str = CASES["page"]
SOURCE = Source(id="page", vendor="alibaba-cloud", url="https://vendor.example/page")
DAY_1 = datetime(2026, 5, 1, 3, tzinfo=UTC)


def text_of(crawl: dict[str, Any]) -> str:
    text = str(crawl.get("text", PAGE))
    for words, others in crawl.get("swap", []):
        assert words in text, f"the page does not hold {words!r}"
        text = text.replace(words, others, 1)
    return text


def body_of(crawl: dict[str, Any]) -> bytes:
    if crawl.get("binary"):
        return bytes(range(256)) * 20
    return text_of(crawl).encode(crawl.get("encoding", "utf-8"))


class Site:
    def __init__(self, home, ledger: Ledger) -> None:
        self.home = home
        self.ledger = ledger
        self.run_id = ledger.begin_run("cases", DAY_1)
        self.at = DAY_1

    def crawl(self, crawl: dict[str, Any]):
        self.at += timedelta(days=1)
        if crawl.get("gone"):
            visit = Visit(source_id="page", at=self.at, status=FetchStatus.GONE, http_status=404)
            return self.ledger.write_page(self.run_id, SOURCE, visit, None)
        body = body_of(crawl)
        last = self.ledger.last_snapshot("page")
        same = last is not None and last.sha256 == hashlib.sha256(body).hexdigest()
        snapshot = Snapshot(
            sha256=snapshots.keep(self.home, body),
            source_id="page",
            url=SOURCE.url,
            fetched_at=self.at,
            content_type="text/html",
            size=len(body),
        )
        status = FetchStatus.UNCHANGED if same else FetchStatus.CHANGED
        visit = Visit(source_id="page", at=self.at, status=status, snapshot=snapshot)
        read = extract(body, source="page", content_type="text/html", name=SOURCE.url, vendor=SOURCE.vendor)
        return self.ledger.write_page(self.run_id, SOURCE, visit, None if same else read)


@pytest.fixture
def site(home, ledger):
    return Site(home, ledger)


def squeezed(text: str) -> str:
    return "".join(text.split())


def told(change) -> tuple[str, ...]:
    claim = change.after or change.before
    return (
        str(change.kind),
        claim.metric,
        change.before.text_value if change.before else "",
        change.after.text_value if change.after else "",
    )


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=f"{group}: {case['name']}")
        for group in ("no_event", "events", "held")
        for case in CASES[group]
    ],
)
def test_a_page_between_crawls(case, site):
    first = site.crawl(case.get("first", {}))
    assert {change.kind for change in first.changes} == {ChangeKind.NEW}
    assert len(first.changes) == 15
    known = site.ledger.current_claims()
    before = text_of(case.get("first", {}))
    for number, crawl in enumerate(case["crawls"], start=2):
        found = site.crawl(crawl)
        expected = sorted(tuple(value or "" for value in event) for event in crawl.get("events", []))
        assert sorted(told(change) for change in found.changes) == expected, f"crawl {number}"
        assert (found.held and found.held.reason.value) == crawl.get("held"), f"crawl {number}"
        if found.held:
            assert site.ledger.current_claims() == known
            continue
        after = text_of(crawl)
        for change in found.changes:
            if change.kind is ChangeKind.CHANGED:
                assert change.fields
                assert change.before is not None
                assert squeezed(change.before.evidence.quote) in squeezed(before)
                assert squeezed(change.after.evidence.quote) in squeezed(after)
        before, known = after, site.ledger.current_claims()
    assert len(site.ledger.open_holds()) == (1 if case["crawls"][-1].get("held") else 0)


def test_there_are_cases_of_each_kind():
    assert {group: len(CASES[group]) >= 10 for group in ("no_event", "events", "held")} == {
        "no_event": True,
        "events": True,
        "held": True,
    }
