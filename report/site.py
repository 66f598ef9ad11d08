"""Writes the report: a folder of pages that opens from disk, replaced as a whole, so that no reader sees half of it."""

from __future__ import annotations

import gc
import shutil
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
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
from report.gather import gather
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
"""From so many claims on each edition is written by a process of its own, where that is safe."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: the folder, how many files, and how many bytes they hold."""

    folder: Path
    files: int
    bytes: int


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
    with _replacing(folder) as new, _collector_at_rest():
        content = gather(home, cards)
        _write(content, tuple(evidence_pages(home, content)), new, languages, asked)
    return _counted(folder)


def write_content(
    content: Content, evidence: tuple[EvidencePage, ...], folder: Path, languages: Sequence[Language]
) -> Written:
    """Writes a report on what was gathered; see `write_report`."""
    with _replacing(folder) as new:
        _write(content, evidence, new, languages, None)
    return _counted(folder)


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


def _write(
    content: Content,
    evidence: tuple[EvidencePage, ...],
    new: Path,
    languages: Sequence[Language],
    asked: Asked,
) -> None:
    """Writes every edition, and what belongs to no language."""
    first, *others = languages

    def write(language: Language) -> None:
        write_edition(_Writer(new), Edition(content, language), evidence, languages, asked)

    # With no other thread a copy of this process holds all that was read, and the editions get a core each.
    alone = len(content.figures) >= _LARGE and threading.active_count() == 1 and sys.platform == "linux"
    context = get_context("fork")
    asides = [context.Process(target=write, args=(language,)) for language in others if alone]
    for aside in asides:
        aside.start()
    write(first)
    for place, language in enumerate(others):
        if place < len(asides):
            asides[place].join()
        if place >= len(asides) or asides[place].exitcode != 0:
            write(language)  # what failed there is told here
    _write_frame(_Writer(new), content, languages)


def _counted(folder: Path) -> Written:
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return Written(folder, len(sizes), sum(sizes))


class _Writer:
    """Writes files below a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
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
