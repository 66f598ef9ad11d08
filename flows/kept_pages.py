"""Pages as they were kept: found by source or hash, compared, handed on as WARC, looked at for damage."""

from __future__ import annotations

import difflib
import io
from collections.abc import Iterable, Iterator
from datetime import UTC
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

from extractors.document import read_document
from flows import published
from schemas.errors import KoujingError, UnreadableError
from schemas.source import Snapshot
from warehouse import snapshots
from warehouse.home import Home
from warehouse.rows import stored_snapshot

_SNAPSHOTS = "SELECT * FROM stored.snapshots ORDER BY visit_id"
_NAMED = """
SELECT DISTINCT sha256 FROM stored.snapshots UNION SELECT DISTINCT snapshot_sha256 FROM stored.claim_versions
"""
_SHORTEST_PREFIX = 6
_MOST_LINES = 20_000
# What no longer describes the bytes: they were unpacked and joined.
_OF_THE_WIRE = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})


def kept_pages(home: Home, source_ids: Iterable[str] = ()) -> tuple[Snapshot, ...]:
    """Every page that was kept, oldest first; of these sources only, where some are named."""
    wanted = frozenset(source_ids)
    found = (stored_snapshot(row) for row in published.rows(home, _SNAPSHOTS))
    return tuple(page for page in found if not wanted or page.source_id in wanted)


def find_page(home: Home, name: str) -> Snapshot:
    """The newest page that `name` means: a source's id, or the beginning of a hash.

    Raises KoujingError where it means none, or bytes of different hashes.
    """
    pages = kept_pages(home)
    of_source = [page for page in pages if page.source_id == name]
    if of_source:
        return of_source[-1]
    of_hash = [page for page in pages if len(name) >= _SHORTEST_PREFIX and page.sha256.startswith(name)]
    if not of_hash:
        raise KoujingError(f"no kept page is called {name[:80]!r}; see `koujing snapshots list`")
    if len({page.sha256 for page in of_hash}) > 1:
        raise KoujingError(f"several kept pages begin with {name}; give more of the hash")
    return of_hash[-1]


def last_two(home: Home, source_id: str) -> tuple[Snapshot, Snapshot]:
    """The newest page of a source and the last one before it whose bytes differ; KoujingError where there is none."""
    pages = kept_pages(home, [source_id])
    if not pages:
        raise KoujingError(f"no page of {source_id[:80]!r} is kept; see `koujing snapshots list`")
    for earlier, later in reversed(list(pairwise(pages))):
        if earlier.sha256 != later.sha256:
            return earlier, later
    raise KoujingError(f"{source_id} was kept in one form only; give the hash of another page")


def text_of(home: Home, page: Snapshot) -> str:
    """The visible text of a kept page; UnreadableError where there is none."""
    body = snapshots.load(home, page.sha256)
    return read_document(body, content_type=page.content_type, name=page.url).text


def difference(home: Home, before: Snapshot, after: Snapshot) -> Iterator[str]:
    """The lines of visible text that differ, as a unified diff; none where only what is not seen differs."""
    return difflib.unified_diff(
        _lines(home, before),
        _lines(home, after),
        fromfile=f"{before.source_id} {before.sha256[:12]} {before.fetched_at:%Y-%m-%d}",
        tofile=f"{after.source_id} {after.sha256[:12]} {after.fetched_at:%Y-%m-%d}",
        lineterm="",
        n=1,
    )


def _lines(home: Home, page: Snapshot) -> list[str]:
    try:
        lines = text_of(home, page).splitlines()
    except UnreadableError as error:
        lines = [f"({error})"]
    return [line.strip() for line in lines if line.strip()][:_MOST_LINES]


def check_bodies(home: Home) -> snapshots.Integrity:
    """Reads every kept body and holds it against its hash and against what the ledger names."""
    named = frozenset(row["sha256"] for row in published.rows(home, _NAMED))
    return snapshots.check(home, named)


def write_warc(home: Home, pages: Iterable[Snapshot], file: Path) -> int:
    """Writes the pages with their headers, times and the way to them as one WARC file; gives how many.

    A name that ends in .gz is packed. Raises KoujingError where the file cannot be written or exists, and
    LedgerError where a body is missing or damaged; then no file is left.
    """
    new = file.with_name(f".new-{file.name}")
    if file.exists():
        raise KoujingError(f"{file} exists; choose another name, or move it away")
    try:
        with new.open("wb") as stream:
            count = _write_records(home, pages, stream, packed=file.suffix == ".gz")
        new.replace(file)
    except OSError as error:
        raise KoujingError(f"{file} cannot be written ({error.strerror or error}); choose another") from None
    finally:
        new.unlink(missing_ok=True)
    return count


def _write_records(home: Home, pages: Iterable[Snapshot], stream: BinaryIO, *, packed: bool) -> int:
    from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]
    from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

    writer = WARCWriter(stream, gzip=packed)
    writer.write_record(writer.create_warcinfo_record(None, {"software": f"koujing/{_release()}"}))
    count = 0
    for page in pages:
        count += 1
        body = snapshots.load(home, page.sha256)
        date = {"WARC-Date": page.fetched_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}
        # A page of before headers were kept, and one that a browser made, is no server's answer.
        if page.http_status and not page.rendered:
            head = StatusAndHeaders(
                str(page.http_status), _headers_for(page), protocol="HTTP/1.1", is_http_request=False
            )
            record = writer.create_warc_record(
                page.url, "response", io.BytesIO(body), len(body), warc_headers_dict=date, http_headers=head
            )
        else:
            record = writer.create_warc_record(
                page.url,
                "resource",
                io.BytesIO(body),
                len(body),
                warc_content_type=page.content_type or "application/octet-stream",
                warc_headers_dict=date,
            )
        writer.write_record(record)
        fields = _fields(page)
        about = writer.create_warc_record(
            page.url,
            "metadata",
            io.BytesIO(fields),
            len(fields),
            warc_content_type="application/warc-fields",
            warc_headers_dict={
                **date,
                "WARC-Concurrent-To": record.rec_headers.get_header("WARC-Record-ID"),
            },
        )
        writer.write_record(about)
    return count


def _headers_for(page: Snapshot) -> list[tuple[str, str]]:
    """The headers as sent; those that describe the bytes on the wire under another name."""
    kept = [
        (f"X-Archive-Orig-{name}" if name in _OF_THE_WIRE else name, _line(value))
        for name, value in page.headers.items()
    ]
    return [*kept, ("Content-Length", str(page.size))]


def _fields(page: Snapshot) -> bytes:
    """What we know of a page beyond what its server said."""
    fields: list[tuple[str, Any]] = [
        ("source", page.source_id),
        ("sha256", page.sha256),
        *(("via", f"{hop.url} {hop.status}") for hop in page.redirects),
        ("charset", page.encoding),
        ("charset-decided-by", page.encoding_from),
        *(("charset-note", note) for note in page.encoding_notes),
        ("rendered", "by a browser" if page.rendered else ""),
    ]
    return "".join(f"{name}: {_line(value)}\r\n" for name, value in fields if value).encode()


def _line(value: str) -> str:
    """Text that cannot begin a field of its own."""
    return " ".join(str(value).split())


def _release() -> str:
    try:
        return version("koujing")
    except PackageNotFoundError:  # run from a folder that was never installed
        return "0"
