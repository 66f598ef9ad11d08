from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from flows.fetch import Fetcher, Limits
from schemas.source import FetchStatus, Source

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")

NAME = "demo.invalid"
Served = Callable[[ssl.SSLSocket], None]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-keyout",
            str(key),
            "-out",
            str(certificate),
            "-days",
            "30",
            "-subj",
            f"/CN={NAME}",
            "-addext",
            f"subjectAltName=DNS:{NAME}",
        ],
        check=True,
        capture_output=True,
    )
    return certificate, key


class SecureSite:
    def __init__(self, port: int) -> None:
        self.port = port
        self.names: list[str | None] = []
        self.page: Served = lambda connection: connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage"
        )


@pytest.fixture
def secure(certificate: tuple[Path, Path]) -> Iterator[SecureSite]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    listener = socket.create_server(("127.0.0.1", 0))
    site = SecureSite(listener.getsockname()[1])
    context.sni_callback = lambda connection, name, _: site.names.append(name)

    def serve() -> None:
        while True:
            try:
                plain, _ = listener.accept()
            except OSError:
                return
            try:
                with context.wrap_socket(plain, server_side=True) as connection:
                    if b"/robots.txt" in connection.recv(65536):
                        connection.sendall(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")
                    else:
                        site.page(connection)
            except OSError:
                plain.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield site
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def fetch(site: SecureSite, trust: Path | None, name: str = NAME, **limits: Any) -> Any:
    def lookup(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    with Fetcher(
        allow_loopback=True, limits=Limits(tries=1, **limits), lookup=lookup, sleep=lambda _: None
    ) as fetcher:
        if trust is not None:
            fetcher._transport.close()
            fetcher._transport = httpx.HTTPTransport(
                verify=ssl.create_default_context(cafile=str(trust)),
                trust_env=False,
                limits=httpx.Limits(max_keepalive_connections=0),
            )
        return fetcher.fetch(Source(id="page", url=f"https://{name}:{site.port}/page"), None)


def test_the_host_is_named_and_its_certificate_checked(
    secure: SecureSite, certificate: tuple[Path, Path]
) -> None:
    fetched = fetch(secure, certificate[0])
    assert fetched.body == b"page"
    assert secure.names == [NAME, NAME]


def test_a_certificate_for_another_name_is_refused(
    secure: SecureSite, certificate: tuple[Path, Path]
) -> None:
    fetched = fetch(secure, certificate[0], "other.invalid")
    assert fetched.visit.status is FetchStatus.FAILED
    assert "CERTIFICATE_VERIFY_FAILED" in fetched.visit.reason


def test_a_certificate_that_nobody_vouches_for_is_refused(secure: SecureSite) -> None:
    assert "CERTIFICATE_VERIFY_FAILED" in fetch(secure, None).visit.reason


def test_a_drip_inside_tls_is_cut_off(secure: SecureSite, certificate: tuple[Path, Path]) -> None:
    ended = threading.Event()

    def drip(connection: ssl.SSLSocket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while not ended.wait(0.05):
            connection.sendall(b"drip ")

    secure.page = drip
    try:
        fetched = fetch(secure, certificate[0], page_seconds=0.5)
    finally:
        ended.set()
    assert "took longer than" in fetched.visit.reason
