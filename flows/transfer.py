"""One request and its answer, under a wall clock and a cap on what it may become when unpacked."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import httpx

from flows.addresses import Target
from flows.unpacking import Unpacker
from flows.wall_clock import WallClock
from schemas.errors import FetchError

_IN_MEMORY = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `cut`: the body was larger than allowed; its beginning is there, up to a mebibyte."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    cut: bool = False


def exchange(
    transport: httpx.BaseTransport,
    url: str,
    target: Target,
    address: str,
    headers: Mapping[str, str],
    *,
    seconds: float,
    max_bytes: int,
) -> Answer:
    """Gives the answer to GET `url`, asked of `address` and no other, within `seconds` of wall time.

    Reading stops past `max_bytes` of unpacked body, of which no more than a mebibyte is in memory until it is
    known to be whole. Raises FetchError where no whole answer came; `retry` says
    whether the same request may bring one later.
    """
    clock = WallClock(seconds)
    try:
        with clock, _open(transport, url, target, address, headers, clock) as response:
            body, cut = _read(response, max_bytes)
    except httpx.HTTPError as error:
        if clock.is_up or isinstance(error, httpx.TimeoutException):
            raise _too_slow(seconds) from None
        raise _broken(error) from None
    except (httpx.InvalidURL, UnicodeError) as error:
        raise FetchError(f"the address cannot be asked for ({error}); correct it") from None
    if clock.is_up:  # a body without a length ends where it is cut, and would look whole
        raise _too_slow(seconds)
    return Answer(response.status_code, dict(response.headers), body, cut)


@contextlib.contextmanager
def _open(
    transport: httpx.BaseTransport,
    url: str,
    target: Target,
    address: str,
    headers: Mapping[str, str],
    clock: WallClock,
) -> Iterator[httpx.Response]:
    # The connection goes to the address that was checked; the host is still named in the Host header, in
    # SNI and to the certificate check. Asking by name would resolve it a second time.
    request = httpx.Request(
        "GET",
        httpx.URL(url).copy_with(host=address, fragment=None),
        headers={"Host": target.authority, "Connection": "close", **headers},
        extensions={
            "timeout": httpx.Timeout(clock.seconds).as_dict(),
            "sni_hostname": target.host,
            "trace": clock.trace,
        },
    )
    # The transport and not a client: a client would read Location and keep cookies, which is not wanted here.
    response = transport.handle_request(request)
    try:
        yield response
    finally:
        response.close()


def _read(response: httpx.Response, max_bytes: int) -> tuple[bytes, bool]:
    unpacker = Unpacker(response.headers.get("content-encoding", ""))
    size = 0
    # On disk past a mebibyte: what unpacks without end takes no memory until it is known to end.
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as body:
        for chunk in response.iter_raw():
            for piece in unpacker.feed(chunk):
                size += len(piece)
                body.write(piece)
                if size > max_bytes:
                    body.seek(0)
                    return body.read(min(max_bytes, _IN_MEMORY)), True
        if unpacker.is_unfinished:
            raise FetchError("the packed page broke off; try again later", retry=True)
        body.seek(0)
        return body.read(), False


def _too_slow(seconds: float) -> FetchError:
    return FetchError(f"the page took longer than {seconds:.3g} seconds; try again later or allow more time")


def _broken(error: httpx.HTTPError) -> FetchError:
    detail = " ".join(str(error).split())[:160] or type(error).__name__
    if isinstance(error, httpx.ConnectError):
        return FetchError(f"the site could not be reached ({detail}); try again later", retry=True)
    if isinstance(error, httpx.ProxyError):
        return FetchError(f"{detail}; correct the proxy's setting, or ask who runs it")
    return FetchError(f"the connection broke off ({detail}); try again later", retry=True)
