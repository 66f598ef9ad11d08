"""What a packed bomb costs, measured on a process of its own: C libraries take memory that Python does not see."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from typing import Any

import brotli
import pytest

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MIB = 1024 * 1024
UNPACKED = 200 * MIB

# Fetches a small page first, so that what is loaded once is not taken for the bomb's; then the bomb.
FETCH = """
import json, resource, sys
from flows.fetch import Fetcher
from schemas.source import Source

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

with Fetcher(allow_loopback=True) as fetcher:
    fetcher.fetch(Source(id="small", url=sys.argv[1] + "/small"), None)
    before = peak()
    fetched = fetcher.fetch(Source(id="bomb", url=sys.argv[1] + "/bomb"), None)
print(json.dumps({"grew": peak() - before, "reason": fetched.visit.reason, "body": fetched.body is not None}))
"""


def packed(encoding: str) -> bytes:
    """200 MiB of zeros, packed a mebibyte at a time."""
    piece = bytes(MIB)
    if encoding == "br":
        packer = brotli.Compressor(quality=5, lgwin=24)
        return b"".join([*(packer.process(piece) for _ in range(UNPACKED // MIB)), packer.finish()])
    if encoding == "zstd":
        frames = zstd.ZstdCompressor(
            options={zstd.CompressionParameter.window_log: 23, zstd.CompressionParameter.content_size_flag: 0}
        )
        return b"".join([*(frames.compress(piece) for _ in range(UNPACKED // MIB)), frames.flush()])
    deflate = zlib.compressobj(9, wbits=16 + zlib.MAX_WBITS if encoding == "gzip" else zlib.MAX_WBITS)
    return b"".join([*(deflate.compress(piece) for _ in range(UNPACKED // MIB)), deflate.flush()])


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_stops_at_the_cap_and_takes_little_memory(site: Any, encoding: str) -> None:
    bomb = packed(encoding)
    assert len(bomb) < 300_000
    site.pages["/small"] = lambda r: r.answer()
    site.pages["/bomb"] = lambda r: r.answer(200, bomb, Content_Encoding=encoding)
    done = subprocess.run(
        [sys.executable, "-c", FETCH, site.base], capture_output=True, text=True, timeout=120, check=True
    )
    found = json.loads(done.stdout)
    assert "larger than 16777216 bytes" in found["reason"]
    assert not found["body"]
    assert found["grew"] < 20 * MIB
