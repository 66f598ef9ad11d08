"""Writes the report: a folder of pages that opens from disk, replaced as a whole, so that no reader sees half of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from itertools import chain
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
    asked: tuple[datetime, datetime] | None = None,
) -> Written:
    """Writes the report on what the home last published into the folder, which is replaced when all is written.

    `asked`: two moments between which the changes are told first, beside those of the last run, week and month.

    The same published file and scorecards give the same bytes. Raises QueryError where nothing was published yet,
    KoujingError where the folder holds something else, or cannot be written.
    """
    _require_ours(folder)
    content = gather(home, cards)
    return write_content(content, tuple(evidence_pages(home, content)), folder, languages, asked)


def write_content(
    content: Content,
    evidence: tuple[EvidencePage, ...],
    folder: Path,
    languages: Sequence[Language] = LANGUAGES,
    asked: tuple[datetime, datetime] | None = None,
) -> Written:
    """Writes a report on what was gathered; see `write_report`."""
    _require_ours(folder)
    new = folder.with_name(f".{folder.name}.new")
    try:
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        writer = _Writer(new)
        for language in languages:
            write_edition(writer, Edition(content, language), evidence, languages, asked)
        _write_frame(writer, content, languages)
        _put_in_place(new, folder)
    except OSError as error:
        raise KoujingError(
            f"the report cannot be written to {folder} ({error.strerror or error}); choose another with --out"
        ) from None
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return Written(folder, writer.files, writer.bytes)


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
    asked: tuple[datetime, datetime] | None,
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
