"""Kept pages shown, compared, exported and looked at: over the demo's two days, and over a page with a history."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from flows.kept_pages import check_bodies, find_page, kept_pages, last_two, write_warc
from schemas.errors import KoujingError
from schemas.source import Redirect, Snapshot
from warehouse import snapshots
from warehouse.home import Home
from warehouse.rows import snapshot_row

Run = Callable[..., Any]
CHANGED = "huawei-sfs-turbo"


@pytest.fixture
def own(played: Home, tmp_path: Path) -> Home:
    """The played demo, to be damaged."""
    root = tmp_path / "own"
    shutil.copytree(played.root, root)
    return Home(root)


def test_every_page_says_how_it_came_and_was_read(played: Home) -> None:
    pages = kept_pages(played)
    assert len(pages) > 8
    for page in pages:
        assert page.http_status == 200
        assert page.headers["content-type"] == page.content_type
        assert page.encoding_from in ("bom", "header", "meta", "utf-8", "gb18030")
        assert hashlib.sha256(snapshots.load(played, page.sha256)).hexdigest() == page.sha256


def test_a_page_is_found_by_its_source_and_by_its_hash(played: Home) -> None:
    earlier, later = last_two(played, CHANGED)
    assert find_page(played, CHANGED) == later
    assert find_page(played, earlier.sha256[:10]) == earlier
    for name in ("nobody", earlier.sha256[:5], "%", "' OR 1=1 --"):
        with pytest.raises(KoujingError, match="no kept page is called"):
            find_page(played, name)


def test_what_a_source_changed_last_is_shown_as_lines(played: Home, koujing: Run) -> None:
    outcome = koujing("snapshots", "diff", CHANGED, "--home", str(played.root))
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0].startswith(f"--- {CHANGED} ")
    assert "+读吞吐 最高 2 TB/s" in lines
    assert [line for line in lines if line.startswith("-")][1:] == ["-更新时间：2026-09-17 GMT+08:00"]
    unchanged = next(page.source_id for page in kept_pages(played) if page.source_id != CHANGED)
    assert "one form only" in koujing("snapshots", "diff", unchanged, "--home", str(played.root)).err
    twice = koujing("snapshots", "diff", unchanged, unchanged, "--home", str(played.root))
    assert (twice.code, twice.out, twice.err) == (0, "", "the visible text is the same\n")


def test_a_page_is_shown_with_its_charset_and_written_as_it_came(
    played: Home, koujing: Run, tmp_path: Path
) -> None:
    page = find_page(played, CHANGED)
    shown = koujing("snapshots", "show", CHANGED, "--home", str(played.root)).out
    for part in (page.sha256, page.url, f"{page.encoding} (by {page.encoding_from})", "header etag"):
        assert part in shown
    file = tmp_path / "page.html"
    assert koujing("snapshots", "show", CHANGED, "--body", str(file), "--home", str(played.root)).code == 0
    assert hashlib.sha256(file.read_bytes()).hexdigest() == page.sha256
    text = koujing("snapshots", "show", CHANGED, "--text", "--home", str(played.root)).out
    assert "SFS Turbo" in text
    listed = koujing("snapshots", "list", CHANGED, "--format", "json", "--home", str(played.root)).out
    assert [row["hash"] for row in json.loads(listed)][-1] == page.sha256[:12]


def test_all_bodies_are_whole_until_one_is_not(own: Home, koujing: Run) -> None:
    sound = koujing("snapshots", "check", "--home", str(own.root))
    assert (sound.code, sound.err) == (0, "")
    files = snapshots.files(own)
    assert sound.out == f"{len(files)} pages whole\n"
    damaged, missing = files[0].stem, files[1].stem
    files[0].write_bytes(files[0].read_bytes()[:-9])
    files[1].unlink()
    snapshots.keep(own, b"kept, and then the run was killed")
    found = check_bodies(own)
    assert (found.damaged, found.missing, len(found.unnamed)) == ((damaged,), (missing,), 1)
    outcome = koujing("snapshots", "check", "--home", str(own.root))
    assert outcome.code == 1
    assert f"{damaged} is damaged" in outcome.err
    assert f"{missing} is missing" in outcome.err


@pytest.mark.parametrize("name", ["evidence.warc", "evidence.warc.gz"])
def test_an_export_gives_back_every_byte_and_header(
    played: Home, koujing: Run, tmp_path: Path, name: str
) -> None:
    file = tmp_path / name
    outcome = koujing("snapshots", "export", "--warc", str(file), "--home", str(played.root))
    pages = kept_pages(played)
    assert (outcome.code, outcome.out) == (0, f"{len(pages)} pages in {file}\n")
    bodies, about = [], []
    with file.open("rb") as stream:
        for record in ArchiveIterator(stream, check_digests="raise"):
            if record.rec_type == "response":
                assert record.http_headers.get_statuscode() == "200"
                bodies.append(
                    (
                        record.rec_headers.get_header("WARC-Target-URI"),
                        hashlib.sha256(record.content_stream().read()).hexdigest(),
                        record.http_headers.get_header("etag"),
                        record.rec_headers.get_header("WARC-Date"),
                    )
                )
            elif record.rec_type == "metadata":
                about.append(record.content_stream().read().decode())
    assert bodies == [
        (page.url, page.sha256, page.etag, page.fetched_at.strftime("%Y-%m-%dT%H:%M:%SZ")) for page in pages
    ]
    for page, fields in zip(pages, about, strict=True):
        assert f"source: {page.source_id}\r\n" in fields
        assert f"charset: {page.encoding}\r\n" in fields
    again = koujing("snapshots", "export", "--warc", str(file), "--home", str(played.root))
    assert again.code == 1
    assert "exists; choose another name" in again.err


def test_what_the_server_wrote_begins_no_field_of_the_export(own: Home, tmp_path: Path) -> None:
    body = b"packed on the wire"
    page = Snapshot(
        sha256=snapshots.keep(own, body),
        source_id="odd",
        url="https://vendor.example/odd",
        fetched_at=datetime(2026, 5, 1, 3, tzinfo=UTC),
        content_type="text/html",
        size=len(body),
        http_status=200,
        headers={"content-encoding": "gzip", "content-length": "7", "x-odd": "a\r\nX-Evil: 1"},
        redirects=(Redirect(url="https://vendor.example/\r\nevil: 1", status=301),),
        encoding="utf-8",
        encoding_from="header",
    )
    file = tmp_path / "odd.warc"
    assert write_warc(own, [page, page.model_copy(update={"rendered": True})], file) == 2
    with file.open("rb") as stream:
        records = [
            (
                record.rec_type,
                dict(record.http_headers.headers) if record.http_headers else {},
                record.content_stream().read(),
            )
            for record in ArchiveIterator(stream)
        ]
    assert [kind for kind, _, _ in records] == ["warcinfo", "response", "metadata", "resource", "metadata"]
    assert records[1][1:] == (
        {
            "X-Archive-Orig-content-encoding": "gzip",
            "X-Archive-Orig-content-length": "7",
            "x-odd": "a X-Evil: 1",
            "Content-Length": str(len(body)),
        },
        body,
    )
    assert b"\r\nevil:" not in records[2][2]
    assert b"via: https://vendor.example/ evil: 1 301\r\n" in records[2][2]
    assert records[3][2] == body


def test_the_way_and_the_charset_come_back_from_the_ledger_s_row() -> None:
    from warehouse.rows import stored_snapshot

    page = Snapshot(
        sha256="0" * 64,
        source_id="page",
        url="https://vendor.example/",
        fetched_at=datetime(2026, 5, 1, 3, tzinfo=UTC),
        size=1,
        http_status=200,
        headers={"server": "天"},
        redirects=(Redirect(url="https://vendor.example/old", status=301),),
        encoding="gb18030",
        encoding_from="meta",
        encoding_notes=("the last character is cut",),
        rendered=True,
    )
    row = snapshot_row(page, 1, written=True, reason="")
    assert stored_snapshot({**row, "fetched_at": page.fetched_at}) == page
