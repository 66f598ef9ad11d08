"""Hosts that fail, hosts that ask for peace, and rules that grow old."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Any

import pytest

from flows.crawl import PlainSteps, by_host
from flows.fetch import Fetcher, Limits
from flows.robots import age_of
from schemas.source import FetchStatus, Redirect, Source

NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


def test_a_host_that_fails_three_times_is_left_alone_and_tried_again_later(site: Any, crawl: Any) -> None:
    site.pages["/down"] = lambda r: r.answer(500, b"")
    site.pages["/page"] = lambda r: r.answer()
    with crawl.fetcher(Limits(failures=3, rest_seconds=600)) as opened:
        for _ in range(3):
            assert "the site failed (500)" in opened.fetch(site.source("/down"), None).visit.reason
        turned_away = opened.fetch(site.source("/page"), None)
        assert turned_away.visit.status is FetchStatus.FAILED
        assert turned_away.visit.reason == (
            "the host is left alone for now: it failed 3 times in a row, at last because it answered 500; "
            "try again later"
        )
        assert site.asked_for("/page") == 0
        crawl.at += 601
        assert opened.fetch(site.source("/page"), None).visit.status is FetchStatus.CHANGED
        # It works again: one more failure is one, and not the fourth.
        opened.fetch(site.source("/down"), None)
        assert opened.fetch(site.source("/page"), None).visit.status is FetchStatus.CHANGED


def test_one_failure_after_the_rest_closes_it_again(site: Any, crawl: Any) -> None:
    site.pages["/down"] = lambda r: r.answer(500, b"")
    with crawl.fetcher(Limits(failures=2, rest_seconds=600)) as opened:
        for _ in range(3):
            opened.fetch(site.source("/down"), None)
        assert site.asked_for("/down") == 2
        crawl.at += 601
        opened.fetch(site.source("/down"), None)
        assert "left alone" in opened.fetch(site.source("/down"), None).visit.reason
    assert site.asked_for("/down") == 3


def test_a_page_that_is_missing_is_no_failure_of_its_host(site: Any, crawl: Any) -> None:
    site.pages["/page"] = lambda r: r.answer()
    with crawl.fetcher(Limits(failures=1)) as opened:
        for path in ("/none", "/none", "/page"):
            fetched = opened.fetch(site.source(path), None)
    assert fetched.visit.status is FetchStatus.CHANGED


def test_a_host_that_asks_for_an_hour_gets_it_for_all_its_pages(site: Any, crawl: Any) -> None:
    site.pages["/busy"] = lambda r: r.answer(429, b"", Retry_After="3600")
    site.pages["/page"] = lambda r: r.answer()
    with crawl.fetcher() as opened:
        opened.fetch(site.source("/busy"), None)
        assert "asks to come back in 3600 seconds" in opened.fetch(site.source("/page"), None).visit.reason
        crawl.at += 3601
        assert opened.fetch(site.source("/page"), None).visit.status is FetchStatus.CHANGED


def test_one_vendor_s_outage_holds_up_no_other_vendor(site: Any) -> None:
    """Forty hosts, of which the first twenty do not answer until all others are done."""
    released = threading.Event()
    done: list[str] = []

    def visit(host: Any) -> Any:
        if int(host.name.partition(".")[0]) < 20:
            assert released.wait(60)
        return ()

    hosts = by_host([(Source(id=f"p{n}", url=f"https://{n}.example/"), None) for n in range(40)])
    for host, _ in PlainSteps().visit(hosts, visit):
        done.append(host.name)
        if len(done) == 20:
            assert sorted(done) == sorted(f"{n}.example" for n in range(20, 40))
            released.set()
    assert len(done) == 40


def test_pauses_are_spread_by_chance(site: Any, crawl: Any) -> None:
    site.pages["/page"] = lambda r: r.answer()
    chances = iter([0.0, 0.5, 1.0])
    with crawl.fetcher(Limits(delay_seconds=10, jitter=0.3), chance=lambda: next(chances)) as opened:
        opened.fetch(site.source(), None)
        opened.fetch(site.source(), None)
    assert crawl.slept == [11.5, 13.0]


def test_no_more_than_the_given_number_of_requests_are_under_way_at_a_host(site: Any) -> None:
    lock, together, most = threading.Lock(), [0], [0]
    both = threading.Barrier(2, timeout=30)

    def answer(request: Any) -> None:
        with lock:
            together[0] += 1
            most[0] = max(most[0], together[0])
        both.wait()  # nobody is answered before two are there
        with lock:
            together[0] -= 1
        request.answer()

    site.pages["/page"] = answer
    with Fetcher(allow_loopback=True, limits=Limits(at_once=2)) as opened:
        threads = [threading.Thread(target=opened.fetch, args=(site.source(), None)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert most == [2]
    assert site.asked_for("/page") == 6


def test_the_way_to_a_page_is_recorded(site: Any, crawl: Any) -> None:
    site.pages["/page"] = lambda r: r.answer(301, b"", Location="/next")
    site.pages["/next"] = lambda r: r.answer(307, b"", Location="/last")
    site.pages["/last"] = lambda r: r.answer()
    way = (
        Redirect(url=f"{site.base}/page", status=301),
        Redirect(url=f"{site.base}/next", status=307),
    )
    fetched = crawl.visit(site.source())
    assert fetched.redirects == way
    assert fetched.visit.snapshot is not None
    assert fetched.visit.snapshot.redirects == way
    site.pages["/last"] = lambda r: r.answer(404, b"")
    assert crawl.visit(site.source()).redirects == way


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 86400),
        ({"cache-control": "max-age=3600"}, 3600),
        ({"cache-control": "public, max-age=31536000"}, 86400),
        ({"cache-control": "max-age=1"}, 300),
        ({"cache-control": "no-store"}, 300),
        ({"cache-control": "max-age=7200", "expires": "0", "date": "x"}, 7200),
        ({"expires": "Fri, 01 May 2026 14:00:00 GMT", "date": "Fri, 01 May 2026 12:00:00 GMT"}, 7200),
        ({"expires": "0", "date": "Fri, 01 May 2026 12:00:00 GMT"}, 300),
        ({"expires": "Fri, 01 May 2026 14:00:00 GMT"}, 86400),
    ],
)
def test_how_long_rules_hold(headers: dict[str, str], seconds: float) -> None:
    assert age_of(headers) == seconds


def test_rules_are_read_again_when_they_are_too_old(site: Any, crawl: Any) -> None:
    site.pages["/robots.txt"] = site.in_turn(
        lambda r: r.answer(200, b"", Cache_Control="max-age=3600"),
        lambda r: r.answer(200, b"User-agent: *\nDisallow: /page\n"),
    )
    site.pages["/page"] = lambda r: r.answer()
    with crawl.fetcher() as opened:
        assert not opened.fetch(site.source(), None).disallowed
        crawl.at += 3599
        assert not opened.fetch(site.source(), None).disallowed
        crawl.at += 2
        assert opened.fetch(site.source(), None).disallowed


def test_rules_that_could_not_be_read_shut_the_site_until_they_can(site: Any, crawl: Any) -> None:
    """A failing robots.txt is no leave for the rest of the run (S02 of the known faults)."""
    site.pages["/robots.txt"] = site.in_turn(
        *([lambda r: r.answer(503, b"")] * 3), lambda r: r.answer(200, b"User-agent: *\nDisallow: /private\n")
    )
    site.pages["/page"] = site.pages["/private"] = lambda r: r.answer()
    with crawl.fetcher() as opened:
        assert opened.fetch(site.source(), None).disallowed
        assert opened.fetch(site.source(), None).disallowed
        assert site.asked_for("/robots.txt") == 3
        crawl.at += 601
        assert opened.fetch(site.source(), None).visit.status is FetchStatus.CHANGED
        assert opened.fetch(site.source("/private"), None).disallowed
    assert site.asked_for("/private") == 0


def test_a_redirect_to_this_machine_reads_nothing_of_it(site: Any) -> None:
    """Checked at every hop, not only at the first (S01 of the known faults)."""
    from tests.flows.fetching.conftest import serving

    with serving() as inner:
        inner.pages["/secret"] = lambda r: r.answer(200, b"secret")
        site.pages["/page"] = lambda r: r.answer(302, b"", Location=f"{inner.base}/secret")
        outer_port = int(site.base.rpartition(":")[2])

        def lookup(host: str, port: int) -> list[str]:
            return ["93.184.216.34"]

        with Fetcher(lookup=lookup, limits=Limits(tries=1), proxy="") as opened:
            # The public name is led to the test's site; the redirect names loopback, which is not allowed.
            opened._transport.close()
            opened._transport = LedTo(outer_port)  # type: ignore[assignment]
            fetched = opened.fetch(Source(id="page", url="http://vendor.example/page"), None)
        assert "127.0.0.1, which is not a public address" in fetched.visit.reason
        assert fetched.body is None
        assert inner.log == []
    assert site.log == ["/robots.txt", "/page"]


class LedTo:
    """Stands for the public internet: whatever address is asked, the test's site answers."""

    def __init__(self, port: int) -> None:
        import httpx

        self._port = port
        self._transport = httpx.HTTPTransport(trust_env=False)

    def handle_request(self, request: Any) -> Any:
        assert request.url.host == "93.184.216.34"
        request.url = request.url.copy_with(host="127.0.0.1", port=self._port)
        return self._transport.handle_request(request)

    def close(self) -> None:
        self._transport.close()
