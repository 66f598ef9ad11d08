"""Unpacks what a server packed, piece by piece: 200 KB of gzip can hold 200 MB, and they never do so at once."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from typing import Protocol

import brotli  # type: ignore[import-untyped]

from schemas.errors import FetchError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ACCEPTED = "gzip, deflate, br, zstd"
"""What a request's Accept-Encoding offers."""

_PIECE = 64 * 1024
# At most 8 MiB, which RFC 9659 allows on the web.
_ZSTD_WINDOW: dict[int, int] = {zstd.DecompressionParameter.window_log_max: 23}


class _Decoder(Protocol):
    """A decoder that gives no more than asked for and remembers the rest."""

    def feed(self, packed: bytes, most: int) -> bytes:
        """Takes packed bytes and gives up to about `most` unpacked ones; b"" when it wants more to eat."""

    @property
    def is_whole(self) -> bool:
        """Whether what was packed has come to its end."""


class Unpacker:
    """Unpacks one body in pieces of about 64 KiB. `encoding` is the Content-Encoding as sent.

    Raises FetchError for an encoding that was not asked for, and for one within another.
    """

    def __init__(self, encoding: str) -> None:
        names = [
            name for name in encoding.lower().replace(" ", "").split(",") if name not in ("", "identity")
        ]
        if len(names) > 1:
            raise FetchError(
                f"the page came packed {len(names)} times over, which is not unpacked; tell the site"
            )
        name = names[0] if names else ""
        if name and name not in _DECODERS:
            raise FetchError(f"the page came packed as {name[:40]!r}, which was not asked for; tell the site")
        self._decoder = _DECODERS[name]() if name else None
        self._fed = False

    @property
    def is_unfinished(self) -> bool:
        """Whether the packed bytes broke off before their end."""
        return self._decoder is not None and self._fed and not self._decoder.is_whole

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Gives what these bytes unpack to; FetchError where they are damaged."""
        self._fed = self._fed or bool(data)
        if self._decoder is None:
            yield data
            return
        try:
            while piece := self._decoder.feed(data, _PIECE):
                yield piece
                data = b""
        except (zlib.error, brotli.error, zstd.ZstdError) as error:
            raise FetchError(f"the packed page is damaged ({error}); try again later", retry=True) from None


class _Gzip:
    """One gzip member after another; padding after the last is let lie."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self._waiting = b""

    @property
    def is_whole(self) -> bool:
        return self._inflate.eof

    def feed(self, packed: bytes, most: int) -> bytes:
        data = self._waiting + packed
        self._waiting = b""
        while data:
            if self._inflate.eof:
                if not data.startswith(b"\x1f"):
                    return b""
                self._inflate = zlib.decompressobj(16 + zlib.MAX_WBITS)
            piece = self._inflate.decompress(data, most)
            data = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail
            if piece:
                self._waiting = data
                return piece
        return b""


class _Deflate:
    """What is called deflate: in a zlib wrapper, or bare, as some servers send it."""

    def __init__(self) -> None:
        self._inflate: zlib._Decompress | None = None
        self._waiting = b""

    @property
    def is_whole(self) -> bool:
        return self._inflate is not None and self._inflate.eof

    def feed(self, packed: bytes, most: int) -> bytes:
        data = self._waiting + packed
        if self._inflate is None:
            if len(data) < 2:
                self._waiting = data
                return b""
            wrapped = data[0] & 0x0F == zlib.DEFLATED and int.from_bytes(data[:2]) % 31 == 0
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)
        piece = self._inflate.decompress(data, most)
        self._waiting = self._inflate.unconsumed_tail
        return piece


class _Brotli:
    def __init__(self) -> None:
        self._decoder = brotli.Decompressor()

    @property
    def is_whole(self) -> bool:
        return bool(self._decoder.is_finished())

    def feed(self, packed: bytes, most: int) -> bytes:
        if self.is_whole:
            return b""
        return bytes(self._decoder.process(packed, output_buffer_limit=most))


class _Zstd:
    """One zstd frame after another."""

    def __init__(self) -> None:
        self._decoder = zstd.ZstdDecompressor(options=_ZSTD_WINDOW)

    @property
    def is_whole(self) -> bool:
        return self._decoder.eof

    def feed(self, packed: bytes, most: int) -> bytes:
        while True:
            if self._decoder.eof:
                packed = self._decoder.unused_data + packed
                if not packed:
                    return b""
                self._decoder = zstd.ZstdDecompressor(options=_ZSTD_WINDOW)
            piece = self._decoder.decompress(packed, most)
            packed = b""
            if piece or not self._decoder.eof:
                return piece


_DECODERS: dict[str, type[_Decoder]] = {
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}
