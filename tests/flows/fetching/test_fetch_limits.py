from __future__ import annotations

import gzip
import sys
import threading
import time
import zlib
from datetime import UTC, datetime
from typing import Any

import brotli
import pytest

from flows.fetch import Fetcher, Limits
from flows.outcome import Fetched
from schemas.source import FetchStatus, Source

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
PAGE = "<html><body>RDMA 带宽：每台机器 3.2Tb/s</body></html>".encode()


# --- time and size ---------------------------------------------------------------------------------------


def real_time_fetch(source: Source, limits: Limits) -> tuple[Fetched, float]:
    began = time.monotonic()
    with Fetcher(allow_loopback=True, limits=limits) as opened:
        fetched = opened.fetch(source, None)
    return fetched, time.monotonic() - began


@pytest.mark.parametrize("where", ["body with a length", "body without", "headers"])
def test_a_server_that_drips_is_cut_off(site: Any, where: str) -> None:
    ended = threading.Event()

    def drip(request: Any) -> None:
        if where == "headers":
            request.handler.wfile.write(b"HTTP/1.0 200 OK\r\n")
        else:
            request.begin(200, **({"Content_Length": "100000"} if where == "body with a length" else {}))
        for _ in range(200):
            if ended.wait(0.05):
                return
            request.send(b"X-Drip: 1\r\n" if where == "headers" else b"drip ")

    site.pages["/page"] = drip
    try:
        fetched, took = real_time_fetch(site.source(), Limits(page_seconds=0.5))
    finally:
        ended.set()
    assert fetched.visit.status is FetchStatus.FAILED
    assert "took longer than" in fetched.visit.reason
    assert fetched.body is None
    assert took < 5
    assert site.asked_for("/page") == 1


def test_time_is_one_budget_over_redirects_and_tries(site: Any, crawl: Any) -> None:
    def slow(request: Any) -> None:
        crawl.at += 4  # the fake clock moves while the site thinks
        request.answer(302, b"", Location=f"{site.log[-1]}x")

    for n in range(6):
        site.pages["/page" + "x" * n] = slow
    fetched = crawl.visit(site.source(), limits=Limits(page_seconds=10))
    assert "took longer than" in fetched.visit.reason
    assert site.log == ["/robots.txt", "/page", "/pagex", "/pagexx"]


def test_a_page_of_the_largest_size_is_taken_and_one_byte_more_is_not(site: Any, crawl: Any) -> None:
    limits = Limits(max_bytes=1000)
    for packed in (False, True):
        for size in (1000, 1001):
            body = b"x" * size
            sent = gzip.compress(body, mtime=0) if packed else body
            headers = {"Content_Encoding": "gzip"} if packed else {}
            site.pages["/page"] = lambda r, sent=sent, headers=headers: r.answer(200, sent, **headers)
            fetched = crawl.visit(site.source(), limits=limits)
            if size == 1000:
                assert fetched.body == body
            else:
                assert "larger than 1000 bytes" in fetched.visit.reason
                assert fetched.body is None


@pytest.mark.parametrize(
    ("sent", "headers", "reason"),
    [
        (gzip.compress(PAGE, mtime=0)[:-12], {"Content_Encoding": "gzip"}, "the packed page broke off"),
        (b"not packed at all", {"Content_Encoding": "gzip"}, "the packed page is damaged"),
        (b"not packed at all", {"Content_Encoding": "deflate"}, "the packed page is damaged"),
        (b"not packed at all", {"Content_Encoding": "br"}, "the packed page is damaged"),
        (b"not packed at all", {"Content_Encoding": "zstd"}, "the packed page is damaged"),
        (brotli.compress(PAGE)[:-4], {"Content_Encoding": "br"}, "the packed page broke off"),
        (zstd.compress(PAGE)[:-4], {"Content_Encoding": "zstd"}, "the packed page broke off"),
        (zlib.compress(PAGE)[:-4], {"Content_Encoding": "deflate"}, "the packed page broke off"),
        (PAGE, {"Content_Encoding": "compress"}, "packed as 'compress'"),
        (
            gzip.compress(gzip.compress(PAGE, mtime=0), mtime=0),
            {"Content_Encoding": "gzip, gzip"},
            "packed 2 times over",
        ),
    ],
)
def test_what_cannot_be_unpacked_is_a_reason(
    site: Any, crawl: Any, sent: bytes, headers: dict[str, str], reason: str
) -> None:
    site.pages["/page"] = lambda r: r.answer(200, sent, **headers)
    fetched = crawl.visit(site.source())
    assert fetched.visit.status is FetchStatus.FAILED
    assert reason in fetched.visit.reason


def test_gzip_in_several_members_and_with_padding_is_unpacked(site: Any, crawl: Any) -> None:
    sent = gzip.compress(PAGE[:10], mtime=0) + gzip.compress(PAGE[10:], mtime=0) + b"\0" * 8
    site.pages["/page"] = lambda r: r.answer(200, sent, Content_Encoding="gzip")
    assert crawl.visit(site.source()).body == PAGE


def bare_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


PACKERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "deflate, bare": bare_deflate,
    "br": brotli.compress,
    "zstd": zstd.compress,
    "identity": bytes,
}


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("body", [PAGE, b"", b"x" * 700_000], ids=["page", "empty", "long"])
def test_every_packing_that_is_offered_is_unpacked(site: Any, crawl: Any, packing: str, body: bytes) -> None:
    encoding = packing.partition(",")[0]
    site.pages["/page"] = lambda r: r.answer(200, PACKERS[packing](body), Content_Encoding=encoding)
    assert crawl.visit(site.source()).body == (body or None)
    assert site.seen[-1]["accept-encoding"] == "gzip, deflate, br, zstd"


def test_several_zstd_frames_are_one_body(site: Any, crawl: Any) -> None:
    sent = zstd.compress(PAGE[:10]) + zstd.compress(PAGE[10:])
    site.pages["/page"] = lambda r: r.answer(200, sent, Content_Encoding="zstd")
    assert crawl.visit(site.source()).body == PAGE


def test_a_zstd_window_larger_than_the_web_s_is_refused(site: Any, crawl: Any) -> None:
    wide = {zstd.CompressionParameter.window_log: 27, zstd.CompressionParameter.content_size_flag: 0}
    packer = zstd.ZstdCompressor(options=wide)
    sent = packer.compress(b"x" * 200_000_000) + packer.flush()
    site.pages["/page"] = lambda r: r.answer(200, sent, Content_Encoding="zstd")
    assert "the packed page is damaged" in crawl.visit(site.source()).visit.reason


def test_threads_share_a_fetcher_and_a_host_sees_one_at_a_time(site: Any) -> None:
    site.pages["/page"] = lambda r: r.answer()
    lock = threading.Lock()
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        with lock:
            slept.append(seconds)

    with Fetcher(allow_loopback=True, limits=Limits(delay_seconds=1000), sleep=sleep) as opened:
        opened.fetch(site.source(), None)
        threads = [threading.Thread(target=opened.fetch, args=(site.source(), None)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert site.asked_for("/robots.txt") == 1
    assert site.asked_for("/page") == 5
    assert len(slept) == 5
