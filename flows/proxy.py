"""A proxy between us and the sites, where one is set; what is connected to is still decided here."""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

import httpcore
import httpx

from schemas.errors import FetchError

PROXY_VARIABLE = "KOUJING_PROXY"

_LONGEST_ANSWER = 64 * 1024


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy that lets us CONNECT. `login` is `user:password`, or ""."""

    host: str
    port: int
    login: str = ""

    @classmethod
    def of(cls, url: str) -> Proxy | None:
        """The proxy at `http://[user:password@]host[:port]`; None where `url` is empty.

        Raises FetchError, without the password, for anything else.
        """
        if not url:
            return None
        try:
            parts = urlsplit(url)
            port = parts.port or 80
        except ValueError:
            parts, port = urlsplit(""), 0
        if parts.scheme != "http" or not parts.hostname:
            raise FetchError(f"{PROXY_VARIABLE} is no http://host:port; correct it, or leave it out")
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else ""
        return cls(parts.hostname, port, login)


def proxy_of_environment() -> str:
    """The proxy that is set for Koujing. Those that are set for other programs do not count."""
    return os.environ.get(PROXY_VARIABLE, "").strip()


class ProxyTransport(httpx.HTTPTransport):
    """Asks through a proxy, as one would ask directly.

    Plain and secure pages alike go through a tunnel to the address that was checked: a proxy that is given a
    name would look it up again, and could be led elsewhere.
    """

    def __init__(self, proxy: Proxy) -> None:
        super().__init__(trust_env=False)
        # httpx has no public place for a network backend; its own proxies name the address to the certificate
        # check, where the host must be named.
        self._pool: httpcore.ConnectionPool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(trust_env=False),
            max_keepalive_connections=0,
            network_backend=_Tunnels(proxy),
        )


class _Tunnels(httpcore.NetworkBackend):
    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        until = time.monotonic() + (timeout if timeout is not None else 60.0)
        stream = self._plain.connect_tcp(
            self._proxy.host, self._proxy.port, timeout, local_address, socket_options
        )
        try:
            self._ask(stream, f"[{host}]:{port}" if ":" in host else f"{host}:{port}", until)
        except BaseException:
            stream.close()
            raise
        return stream

    def _ask(self, stream: httpcore.NetworkStream, place: str, until: float) -> None:
        lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
        if self._proxy.login:
            token = base64.b64encode(self._proxy.login.encode()).decode("ascii")
            lines.append(f"Proxy-Authorization: Basic {token}")
        stream.write("\r\n".join([*lines, "", ""]).encode("ascii"), max(until - time.monotonic(), 0.001))
        answer = b""
        while b"\r\n\r\n" not in answer:
            left = until - time.monotonic()
            if left <= 0:
                raise httpcore.ConnectTimeout("the proxy did not answer in time")
            read = stream.read(4096, left)
            answer += read
            if not read or len(answer) > _LONGEST_ANSWER:
                raise httpcore.ProxyError("the proxy broke off its answer")
        status = answer.partition(b"\r\n")[0].decode("ascii", "replace").split(" ")
        if len(status) < 2 or not status[1].startswith("2"):
            raise httpcore.ProxyError(f"the proxy refused a tunnel to {place} ({' '.join(status)[:60]})")
