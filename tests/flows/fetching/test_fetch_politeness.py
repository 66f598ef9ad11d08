from __future__ import annotations

import socket
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.fetch import Fetcher, Limits, retry_after
from schemas.source import FetchStatus, Source

NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
PAGE = "<html><body>RDMA 带宽：每台机器 3.2Tb/s</body></html>".encode()
CASES = yaml.safe_load(
    (Path(__file__).parents[2] / "cases" / "fetch" / "retry_after.yaml").read_text(encoding="utf-8")
)["cases"]


# --- politeness and trying again -------------------------------------------------------------------------


def test_a_host_is_left_in_peace_between_requests(site: Any, crawl: Any) -> None:
    site.pages["/page"] = lambda r: r.answer()
    with crawl.fetcher(Limits(delay_seconds=2)) as opened:
        opened.fetch(site.source(), None)
        crawl.at += 0.5
        opened.fetch(site.source(), None)
    # robots.txt, then the page, then half a second later the next page.
    assert crawl.slept == [2, 1.5]


def test_crawl_delay_is_heeded_and_capped(site: Any, crawl: Any) -> None:
    site.pages["/robots.txt"] = lambda r: r.answer(200, b"User-agent: *\nCrawl-delay: 9\n")
    site.pages["/page"] = lambda r: r.answer()
    crawl.visit(site.source())
    crawl.visit(site.source(), limits=Limits(longest_wait=4))
    assert crawl.slept == [9, 4]


def test_this_machine_is_not_waited_for_and_public_hosts_are_a_second(site: Any, crawl: Any) -> None:
    site.pages["/page"] = lambda r: r.answer()
    with crawl.fetcher() as opened:
        opened.fetch(site.source(), None)
        opened.fetch(site.source(), None)
        assert crawl.slept == []
        # Two addresses of which only their pause is asked.
        for url, pause in (("http://8.8.8.8/", 1.0), (site.base, 0.0)):
            assert opened._pause(opened._resolve(url), 0.0) == pause


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_site_is_asked_again_when_it_says(site: Any, crawl: Any, status: int) -> None:
    site.pages["/page"] = site.in_turn(lambda r: r.answer(status, b"", Retry_After="7"), lambda r: r.answer())
    assert crawl.visit(site.source()).visit.status is FetchStatus.CHANGED
    assert crawl.slept == [7]


def test_retry_after_may_be_a_date(site: Any, crawl: Any) -> None:
    site.pages["/page"] = site.in_turn(
        lambda r: r.answer(503, b"", Retry_After="Fri, 01 May 2026 12:00:11 GMT"),
        lambda r: r.answer(),
    )
    assert crawl.visit(site.source()).visit.status is FetchStatus.CHANGED
    assert crawl.slept == [11]


def test_a_site_that_asks_for_an_hour_is_left_alone(site: Any, crawl: Any) -> None:
    site.pages["/page"] = lambda r: r.answer(429, b"", Retry_After="3600")
    fetched = crawl.visit(site.source())
    assert fetched.visit.status is FetchStatus.FAILED
    assert fetched.visit.http_status == 429
    assert "asks to come back in 3600 seconds" in fetched.visit.reason
    assert site.asked_for("/page") == 1
    assert crawl.slept == []


def test_tries_end_and_wait_longer_each_time(site: Any, crawl: Any) -> None:
    site.pages["/page"] = lambda r: r.answer(503, b"")
    fetched = crawl.visit(site.source(), limits=Limits(tries=3, backoff_seconds=1))
    assert "the site failed (503)" in fetched.visit.reason
    assert site.asked_for("/page") == 3
    assert crawl.slept == [1, 2]


def test_other_failures_are_not_asked_again(site: Any, crawl: Any) -> None:
    site.pages["/page"] = lambda r: r.answer(500, b"")
    crawl.visit(site.source())
    assert site.asked_for("/page") == 1


def test_a_broken_connection_is_tried_again(site: Any, crawl: Any) -> None:
    def half(request: Any) -> None:
        request.begin(200, Content_Length="1000")
        request.send(b"half a page")

    site.pages["/page"] = site.in_turn(half, lambda r: r.answer())
    assert crawl.visit(site.source()).body == PAGE
    assert crawl.slept == [1]


def test_a_server_that_is_not_there_is_a_reason_and_no_exception(crawl: Any) -> None:
    with socket.socket() as held:  # bound and not listening: refuses
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}/page"
        fetched = crawl.visit(Source(id="page", url=url))
    assert fetched.visit.status is FetchStatus.FAILED
    assert "robots.txt could not be read (the site could not be reached" in fetched.visit.reason
    assert crawl.slept == [1, 2]


@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case["value"]))
def test_retry_after(case: dict[str, Any]) -> None:
    assert retry_after(case["value"], NOON) == case["seconds"]


# --- redirects and addresses -----------------------------------------------------------------------------


def test_redirects_are_followed_to_the_page(site: Any, crawl: Any) -> None:
    site.pages["/page"] = lambda r: r.answer(301, b"", Location="sub/next#part")
    site.pages["/sub/next"] = lambda r: r.answer(307, b"", Location=f"{site.base}/last")
    site.pages["/last"] = lambda r: r.answer()
    fetched = crawl.visit(site.source())
    assert fetched.body == PAGE
    assert fetched.url == f"{site.base}/last"
    assert fetched.visit.snapshot is not None
    assert fetched.visit.snapshot.url == f"{site.base}/last"


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("file:///etc/passwd", "neither http nor https"),
        ("ftp://example.com/", "neither http nor https"),
        ("http://10.0.0.1/", "not a public address"),
        ("http://0x7f.1/", "not spelled as a host name"),
        ("http://user:pw@example.com/", "user name"),
        ("http://[::1/", "redirects to no address"),
        ("/page", "redirects in a circle"),
        ("", "does not say where"),
    ],
)
def test_a_redirect_leads_nowhere_forbidden(site: Any, crawl: Any, location: str, reason: str) -> None:
    site.pages["/page"] = lambda r: r.answer(302, b"", Location=location)
    fetched = crawl.visit(site.source())
    assert fetched.visit.status is FetchStatus.FAILED
    assert reason in fetched.visit.reason
    assert site.log == ["/robots.txt", "/page"]


def test_redirects_end(site: Any, crawl: Any) -> None:
    for n in range(10):
        site.pages[f"/{n}"] = lambda r, n=n: r.answer(302, b"", Location=f"/{n + 1}")
    fetched = crawl.visit(site.source("/0"))
    assert "redirects more than 5 times" in fetched.visit.reason
    assert site.log == ["/robots.txt", *(f"/{n}" for n in range(6))]


def test_loopback_is_refused_unless_allowed_before_anything_is_sent(site: Any) -> None:
    with Fetcher() as opened:
        fetched = opened.fetch(site.source(), None)
    assert "not a public address" in fetched.visit.reason
    assert site.log == []


def test_the_checked_address_is_connected_to_and_the_host_is_named(site: Any, crawl: Any) -> None:
    site.pages["/page"] = lambda r: r.answer()
    port = site.base.rpartition(":")[2]
    asked: list[str] = []

    def lookup(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    with crawl.fetcher(lookup=lookup) as opened:
        # The name resolves nowhere: only the address that was looked up can have been connected to.
        fetched = opened.fetch(Source(id="page", url=f"http://demo.invalid:{port}/page"), None)
    assert fetched.body == PAGE
    assert set(asked) == {"demo.invalid"}
    assert [headers["host"] for headers in site.seen] == [f"demo.invalid:{port}"] * 2


def test_a_name_that_turns_inward_between_two_lookups_is_refused(site: Any, crawl: Any) -> None:
    port = site.base.rpartition(":")[2]
    answers = iter([["127.0.0.1"], ["127.0.0.1"], ["10.0.0.1"]])
    site.pages["/page"] = lambda r: r.answer()
    with crawl.fetcher(lookup=lambda host, port: next(answers)) as opened:
        fetched = opened.fetch(Source(id="page", url=f"http://demo.invalid:{port}/page"), None)
    assert "10.0.0.1, which is not a public address" in fetched.visit.reason
    assert site.log == ["/robots.txt"]
