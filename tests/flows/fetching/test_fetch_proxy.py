"""A real proxy on loopback that opens tunnels, and says to where it was asked to."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from flows.fetch import Limits
from flows.proxy import Proxy, proxy_of_environment
from schemas.errors import FetchError
from schemas.source import FetchStatus, Source

PUBLIC = "93.184.216.34"


class TunnelProxy:
    """Leads every tunnel to `port` of this machine, whatever was asked for."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.asked: list[list[str]] = []
        self.answer = b"HTTP/1.1 200 Connection established\r\n\r\n"
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def serve(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.lead, args=(client,), daemon=True).start()

    def lead(self, client: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(4096)
        self.asked.append(head.decode("ascii").split("\r\n"))
        client.sendall(self.answer)
        if b" 200 " not in self.answer:
            client.close()
            return
        with client, socket.create_connection(("127.0.0.1", self.port)) as site:
            threading.Thread(target=pump, args=(client, site), daemon=True).start()
            pump(site, client)


def pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        return


@contextmanager
def running(port: int) -> Iterator[TunnelProxy]:
    proxy = TunnelProxy(port)
    thread = threading.Thread(target=proxy.serve)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.listener.shutdown(socket.SHUT_RDWR)
        proxy.listener.close()
        thread.join()


@pytest.fixture
def proxy(site: Any) -> Iterator[TunnelProxy]:
    with running(int(site.base.rpartition(":")[2])) as served:
        yield served


def through(crawl: Any, proxy: str, url: str, **options: Any) -> Any:
    with crawl.fetcher(Limits(tries=1), proxy=proxy, **options) as opened:
        return opened.fetch(Source(id="page", url=url), None)


def test_the_proxy_is_given_the_checked_address_and_the_site_its_name(
    site: Any, crawl: Any, proxy: TunnelProxy
) -> None:
    site.pages["/page"] = lambda r: r.answer(200, b"page")
    url = proxy.url.replace("http://", "http://me:p%40ss@")
    fetched = through(crawl, url, "http://vendor.example/page", lookup=lambda host, port: [PUBLIC])
    assert fetched.body == b"page"
    assert [lines[0] for lines in proxy.asked] == [f"CONNECT {PUBLIC}:80 HTTP/1.1"] * 2
    assert "Proxy-Authorization: Basic bWU6cEBzcw==" in proxy.asked[0]
    assert [seen["host"] for seen in site.seen] == ["vendor.example"] * 2
    assert all("proxy-authorization" not in seen for seen in site.seen)


def test_an_inner_address_is_refused_before_the_proxy_is_asked(crawl: Any, proxy: TunnelProxy) -> None:
    fetched = through(crawl, proxy.url, "http://intranet.example/", lookup=lambda host, port: ["10.0.0.7"])
    assert "not a public address" in fetched.visit.reason
    assert proxy.asked == []


def test_this_machine_s_own_pages_are_asked_for_directly(site: Any, crawl: Any, proxy: TunnelProxy) -> None:
    site.pages["/page"] = lambda r: r.answer(200, b"page")
    assert through(crawl, proxy.url, f"{site.base}/page").body == b"page"
    assert proxy.asked == []


def test_a_proxy_that_refuses_is_a_reason(crawl: Any, proxy: TunnelProxy) -> None:
    proxy.answer = b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"
    fetched = through(crawl, proxy.url, "http://vendor.example/", lookup=lambda host, port: [PUBLIC])
    assert fetched.visit.status is FetchStatus.FAILED
    assert f"the proxy refused a tunnel to {PUBLIC}:80" in fetched.visit.reason


@pytest.mark.parametrize("url", ["socks5://x:1", "https://x", "x:3128", "http://", "http://x:99999"])
def test_what_is_no_proxy_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(FetchError, match="KOUJING_PROXY is no http://host:port") as caught:
        Proxy.of(url.replace("//", "//me:secret@"))
    assert "secret" not in str(caught.value)


def test_only_our_own_setting_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("KOUJING_PROXY", raising=False)
    assert proxy_of_environment() == ""
    assert Proxy.of("") is None
    monkeypatch.setenv("KOUJING_PROXY", " http://127.0.0.1:3128 ")
    assert Proxy.of(proxy_of_environment()) == Proxy("127.0.0.1", 3128)
