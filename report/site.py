"""Writes the report: a folder of pages that opens from disk, replaced as a whole, so that no reader sees half of it."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from report.changing import between, events
from report.charts.gallery import Gallery
from report.edition import Edition, clean
from report.evidence import EvidencePage, evidence_pages
from report.feeds import feeds
from report.gather import count_of_claims, gather
from report.markdown import as_markdown
from report.model import Content
from report.more_pages import more_pages
from report.pages import pages
from report.paging import Page
from report.rendering import Numbering, render
from report.words import LANGUAGES, Language
from report.workbook import as_workbook
from schemas.errors import KoujingError
from schemas.scorecard import Scorecard
from warehouse.home import Home

MARKER = ".koujing-report"
"""The file that makes a folder a report's, so that only such a folder is ever replaced."""

Asked = tuple[datetime, datetime] | None
_LARGE = 3000
"""From so many claims on each language has a process of its own."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: the folder, how many files, and how many bytes they hold."""

    folder: Path
    files: int
    bytes: int

    def moved(self, folder: Path) -> Written:
        """The same, where it is put in the end."""
        return Written(folder, self.files, self.bytes)


def write_report(
    home: Home,
    cards: Iterable[Scorecard],
    folder: Path,
    languages: Sequence[Language] = LANGUAGES,
    asked: Asked = None,
) -> Written:
    """Writes the report on what the home last published into the folder, which is replaced when all is written.

    `asked`: two moments between which the changes are told first, beside those of the last run, week and month.

    The same published file and scorecards give the same bytes. Raises QueryError where nothing was published yet,
    KoujingError where the folder holds something else, or cannot be written.
    """
    known = tuple(cards)
    with _replacing(folder) as new, _collector_at_rest():
        if len(languages) > 1 and _is_large(home):
            return _written_apart(home, known, new, languages, asked).moved(folder)
        content = gather(home, known)
        return _written(content, tuple(evidence_pages(home, content)), new, languages, asked).moved(folder)


def write_content(
    content: Content, evidence: tuple[EvidencePage, ...], folder: Path, languages: Sequence[Language]
) -> Written:
    """Writes a report on what was gathered; see `write_report`."""
    with _replacing(folder) as new:
        return _written(content, evidence, new, languages, None).moved(folder)


@contextmanager
def _replacing(folder: Path) -> Iterator[Path]:
    """A new folder, which takes the place of the other one when all is written into it; else that one stays."""
    _require_ours(folder)
    new = folder.with_name(f".{folder.name}.new")
    try:
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        yield new
        _put_in_place(new, folder)
    except OSError as error:
        raise KoujingError(
            f"the report cannot be written to {folder} ({error.strerror or error}); choose another with --out"
        ) from None
    finally:
        shutil.rmtree(new, ignore_errors=True)


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Keeps the cyclic collector from walking every claim again and again: next to nothing made here is a cycle."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _is_large(home: Home) -> bool:
    """Whether a second process saves more than it costs."""
    return (os.cpu_count() or 1) > 1 and count_of_claims(home) >= _LARGE


def _written(
    content: Content,
    evidence: tuple[EvidencePage, ...],
    new: Path,
    languages: Sequence[Language],
    asked: Asked,
    only: Language | None = None,
) -> Written:
    """Writes the editions (of `only` one language, where one is named) and what belongs to no language."""
    writer = _Writer(new)
    for language in languages if only is None else (only,):
        write_edition(writer, Edition(content, language), evidence, languages, asked)
    if only in (None, languages[0]):
        _write_frame(writer, content, languages)
    return Written(new, writer.files, writer.bytes)


def _written_apart(
    home: Home, cards: tuple[Scorecard, ...], new: Path, languages: Sequence[Language], asked: Asked
) -> Written:
    """Writes each language in a process of its own, all from the same published file.

    Where a run publishes in between, what was written is thrown away, and all is written here, one after the other.
    """
    before = _stamp(home)
    first, *others = languages
    with ProcessPoolExecutor(len(others), mp_context=get_context("spawn")) as pool:
        asides = [pool.submit(_aside, home, cards, new, languages, asked, other) for other in others]
        told = [_aside(home, cards, new, languages, asked, first), *(aside.result() for aside in asides)]
    if _stamp(home) != before:
        shutil.rmtree(new)
        new.mkdir()
        content = gather(home, cards)
        return _written(content, tuple(evidence_pages(home, content)), new, languages, asked)
    return Written(new, sum(each.files for each in told), sum(each.bytes for each in told))


def _aside(
    home: Home,
    cards: tuple[Scorecard, ...],
    new: Path,
    languages: Sequence[Language],
    asked: Asked,
    only: Language,
) -> Written:
    with _collector_at_rest():
        content = gather(home, cards)
        return _written(content, tuple(evidence_pages(home, content)), new, languages, asked, only)


def _stamp(home: Home) -> tuple[int, int, int]:
    """Another one for each file that is put in the published one's place."""
    found = home.published.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size


class _Writer:
    """Writes files below a folder, and counts them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = 0
        self.bytes = 0
        self._made: set[Path] = set()

    def text(self, path: str, text: str) -> None:
        # Whatever a page held: no control, no turned text, no half of a character reaches a file.
        self.binary(path, clean(text).encode())

    def binary(self, path: str, body: bytes) -> None:
        place = self.root / path
        if place.parent not in self._made:
            place.parent.mkdir(parents=True, exist_ok=True)
            self._made.add(place.parent)
        place.write_bytes(body)
        self.files += 1
        self.bytes += len(body)


def write_edition(
    writer: _Writer,
    edition: Edition,
    evidence: tuple[EvidencePage, ...],
    languages: Sequence[Language],
    asked: Asked,
) -> None:
    """Writes all of one language."""
    gallery = Gallery(edition, lambda path, svg: writer.text(f"{edition.language}/{path}", svg))
    common = _common(edition, gallery, languages)
    found = events(edition)
    extra = [between(edition, found, *asked)] if asked else []
    for page in chain(pages(edition, evidence), more_pages(edition, found, extra)):
        writer.text(f"{edition.language}/{page.path}", _rendered(page, common))
    for path, text in feeds(edition, found):
        writer.text(f"{edition.language}/{path}", text)
    writer.text(f"{edition.language}/report.md", as_markdown(edition))
    writer.binary(f"{edition.language}/report.xlsx", as_workbook(edition, found))


def _common(edition: Edition, gallery: Gallery, languages: Sequence[Language]) -> dict[str, Any]:
    says = edition.says
    names = ("cards", "dimensions", "vendors", "changes", "questions", "honesty", "coverage", "method")
    other = next((language for language in languages if language != edition.language), "")
    return {
        "ed": edition,
        "says": says,
        "menu": [("index.html", says("nav.front")), *((f"{n}.html", says(f"nav.{n}")) for n in names)],
        "other": other,
        "as_of": as_of(edition),
        "gallery": gallery,
    }


def as_of(edition: Edition) -> str:
    """Of when the report is."""
    content = edition.content
    if content.last_run is None:
        return edition.says("site.never")
    return edition.says("site.as_of", run=content.last_run["run_id"], at=edition.moment(content.at))


def _rendered(page: Page, common: dict[str, Any]) -> str:
    return render(
        page.template,
        **common,
        **page.values,
        title=page.title,
        here=page.path,
        up="../" * page.path.count("/"),
        page=Numbering(),
    )


def _write_frame(writer: _Writer, content: Content, languages: Sequence[Language]) -> None:
    """What belongs to no language: the styles, the script that sorts, the first page."""
    for name in ("style.css", "sort.js"):
        writer.binary(f"static/{name}", (files("report") / "static" / name).read_bytes())
    editions = []
    for language in languages:
        edition = Edition(content, language)
        code = "zh-Hans" if language == "zh" else "en"
        editions.append(
            (code, edition.says("site.title"), edition.says("site.choose"), as_of(edition), language)
        )
    writer.text("index.html", render("choose.html", editions=editions))
    writer.text(MARKER, "This folder is written by `koujing report`, and replaced as a whole.\n")


def _require_ours(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise KoujingError(f"{folder} is a file; give a folder with --out")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARKER).exists():
        raise KoujingError(f"{folder} holds something that is no report; give another folder with --out")


def _put_in_place(new: Path, folder: Path) -> None:
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    new.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
