from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.fetch import user_agent
from schemas.errors import FetchError
from schemas.source import FetchStatus, Snapshot

NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
PAGE = "<html><body>RDMA 带宽：每台机器 3.2Tb/s</body></html>".encode()
CASES = yaml.safe_load(
    (Path(__file__).parents[2] / "cases" / "fetch" / "statuses.yaml").read_text(encoding="utf-8")
)["cases"]


# --- what a visit brings ---------------------------------------------------------------------------------


def test_a_new_page_brings_its_bytes_and_a_snapshot(site: Any, crawl: Any) -> None:
    site.pages["/page"] = lambda r: r.answer(
        ETag='"v1"',
        Last_Modified="Fri, 01 May 2026 09:00:00 GMT",
        Content_Type="text/html; charset=utf-8",
        Set_Cookie="id=1",
    )
    fetched = crawl.visit(site.source())
    assert fetched.body == PAGE
    assert fetched.visit.status is FetchStatus.CHANGED
    assert fetched.visit.at == NOON
    assert fetched.visit.snapshot is not None
    headers = fetched.visit.snapshot.headers
    assert headers["etag"] == '"v1"'
    assert "set-cookie" not in headers
    assert fetched.visit.snapshot == Snapshot(
        sha256=hashlib.sha256(PAGE).hexdigest(),
        source_id="page",
        url=f"{site.base}/page",
        fetched_at=NOON,
        content_type="text/html; charset=utf-8",
        size=len(PAGE),
        etag='"v1"',
        last_modified="Fri, 01 May 2026 09:00:00 GMT",
        http_status=200,
        headers=headers,
    )


def test_we_say_who_we_are_and_keep_no_cookies(site: Any, crawl: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    site.pages["/page"] = lambda r: r.answer(Set_Cookie="id=1; Path=/")
    with crawl.fetcher() as opened:
        opened.fetch(site.source(language="zh"), None)
        trap = site.source().model_copy(update={"language": "zh\r\nX: 1"})  # no list may hold it
        opened.fetch(trap, None)
    assert site.log == ["/robots.txt", "/page", "/page"]
    for headers in site.seen:
        assert headers["user-agent"].startswith("Koujing/")
        assert headers["user-agent"].endswith(" (+tests@example.org)")
        assert headers["host"] == site.base.removeprefix("http://")
        assert "cookie" not in headers
        assert "x" not in headers
    assert site.seen[1]["accept-language"] == "zh,en;q=0.5"


@pytest.mark.parametrize("contact", ["a\r\nX: 1", "a (b)", "小明@example.org"])
def test_a_contact_that_cannot_stand_in_a_header_is_refused(contact: str) -> None:
    with pytest.raises(FetchError, match="give a URL or an e-mail"):
        user_agent(contact)


def test_without_a_contact_the_name_stands_alone() -> None:
    assert user_agent().startswith("Koujing/")
    assert "(" not in user_agent()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['status']}")
def test_what_an_answer_makes_of_a_source(case: dict[str, Any], site: Any, crawl: Any) -> None:
    site.pages["/page"] = lambda r: r.answer(case["status"], case.get("body", "page").encode())
    fetched = crawl.visit(site.source())
    assert fetched.visit.status == case["becomes"]
    assert case["reason"] in fetched.visit.reason
    assert fetched.visit.http_status == case["status"]
    assert (fetched.body is None) == (case["becomes"] != "changed")
    assert (fetched.visit.snapshot is None) == (case["becomes"] != "changed")


def test_a_page_that_has_not_changed_is_not_sent_again(site: Any, crawl: Any) -> None:
    def answer(request: Any) -> None:
        if request.headers.get("If-None-Match") == '"v1"' and "If-Modified-Since" in request.headers:
            request.begin(304)
        else:
            request.answer(ETag='"v1"', Last_Modified="Fri, 01 May 2026 09:00:00 GMT")

    site.pages["/page"] = answer
    first = crawl.visit(site.source()).visit.snapshot
    second = crawl.visit(site.source(), first)
    assert (second.visit.status, second.visit.http_status) == (FetchStatus.UNCHANGED, 304)
    assert second.visit.snapshot == first
    assert second.body is None


def test_the_same_bytes_are_unchanged_whatever_the_headers_say(site: Any, crawl: Any) -> None:
    tags = iter(['"v1"', '"v2"'])
    site.pages["/page"] = lambda r: r.answer(ETag=next(tags))
    first = crawl.visit(site.source()).visit.snapshot
    second = crawl.visit(site.source(), first)
    assert (second.visit.status, second.visit.http_status) == (FetchStatus.UNCHANGED, 200)
    assert second.visit.snapshot == first


def test_marks_of_another_address_are_not_sent(site: Any, crawl: Any) -> None:
    site.pages["/page"] = lambda r: r.answer()
    last = Snapshot(
        sha256="0" * 64,
        source_id="page",
        url="https://old.example/page",
        fetched_at=NOON,
        size=1,
        etag='"v1"',
    )
    assert crawl.visit(site.source(), last).visit.status is FetchStatus.CHANGED
    assert "if-none-match" not in site.seen[-1]


def test_a_stored_mark_that_is_no_header_is_not_sent(site: Any, crawl: Any) -> None:
    site.pages["/page"] = lambda r: r.answer()
    last = Snapshot(
        sha256="0" * 64,
        source_id="page",
        url=f"{site.base}/page",
        fetched_at=NOON,
        size=1,
        etag='"é\r\nX: 1"',
        last_modified="昨天",
    )
    assert crawl.visit(site.source(), last).visit.status is FetchStatus.CHANGED


# --- robots.txt ------------------------------------------------------------------------------------------


def test_a_disallowed_page_is_not_asked_for(site: Any, crawl: Any) -> None:
    site.pages["/robots.txt"] = lambda r: r.answer(200, b"User-agent: *\nDisallow: /page\n")
    site.pages["/page"] = lambda r: r.answer()
    fetched = crawl.visit(site.source())
    assert fetched.disallowed
    assert fetched.visit.status is FetchStatus.FAILED
    assert "robots.txt disallows this page" in fetched.visit.reason
    assert site.log == ["/robots.txt"]


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_robots_file_that_fails_shuts_the_site_for_this_run(site: Any, crawl: Any, status: int) -> None:
    site.pages["/robots.txt"] = lambda r: r.answer(status, b"")
    site.pages["/page"] = lambda r: r.answer()
    with crawl.fetcher() as opened:
        first, second = opened.fetch(site.source(), None), opened.fetch(site.source(), None)
    assert f"the site answered {status}" in first.visit.reason
    assert first.disallowed
    assert second.disallowed
    assert "/page" not in site.log
    # Asked for once, with its tries, and remembered.
    assert site.asked_for("/robots.txt") == (1 if status == 500 else 3)


def test_robots_is_asked_once_and_follows_redirects(site: Any, crawl: Any) -> None:
    site.pages["/robots.txt"] = lambda r: r.answer(301, b"", Location="/elsewhere.txt")
    site.pages["/elsewhere.txt"] = lambda r: r.answer(200, b"User-agent: *\nDisallow: /no\n")
    site.pages["/page"] = site.pages["/no"] = lambda r: r.answer()
    with crawl.fetcher() as opened:
        assert opened.fetch(site.source("/page"), None).visit.status is FetchStatus.CHANGED
        assert opened.fetch(site.source("/no"), None).disallowed
    assert site.log == ["/robots.txt", "/elsewhere.txt", "/page"]


def test_a_redirect_does_not_lead_around_robots(site: Any, crawl: Any) -> None:
    site.pages["/robots.txt"] = lambda r: r.answer(200, b"User-agent: *\nDisallow: /no\n")
    site.pages["/page"] = lambda r: r.answer(302, b"", Location="/no")
    site.pages["/no"] = lambda r: r.answer()
    assert crawl.visit(site.source()).disallowed
    assert "/no" not in site.log


def test_no_more_of_robots_is_read_than_its_cap(site: Any, crawl: Any) -> None:
    body = b"User-agent: *\nDisallow: /no\n" + b"# filler\n" * 200_000 + b"Disallow: /page\n"
    site.pages["/robots.txt"] = lambda r: r.answer(200, body)
    site.pages["/page"] = site.pages["/no"] = lambda r: r.answer()
    with crawl.fetcher() as opened:
        assert opened.fetch(site.source("/page"), None).visit.status is FetchStatus.CHANGED
        assert opened.fetch(site.source("/no"), None).disallowed
