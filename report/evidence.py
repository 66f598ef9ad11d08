"""The pages on which claims stand: each claim with its words, checks and history, and the text with every claim marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from extractors.document import read_document
from report.model import Content, Figure, Row
from schemas.errors import KoujingError
from warehouse import snapshots
from warehouse.home import Home

_AROUND = 320
"""So many characters of the page are shown before and after each claim; what no claim is near is left out."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a snapshot's text. `keys`: claims that begin here; `marked`: it carries a claim; `elided`: left out."""

    text: str = ""
    keys: tuple[str, ...] = ()
    marked: bool = False
    elided: int = 0


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of one snapshot, in pieces; none where it cannot be read any more."""

    sha256: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class EvidencePage:
    """One page of a vendor's: its row in the view `pages`, its claims in its order, and the text they stand in."""

    source_id: str
    url: str
    language: str
    row: Row | None
    figures: tuple[Figure, ...]
    texts: tuple[PageText, ...]


def evidence_pages(home: Home, content: Content) -> Iterable[EvidencePage]:
    """Gives every page that states a claim, or ever was asked for, with the snapshots that its claims were read from."""
    by_id = {row["source_id"]: row for row in content.pages}
    types = content.snapshot_types
    for source_id in sorted(by_id.keys() | {figure.source_id for figure in content.figures.values()}):
        figures = content.on_page(source_id)
        row = by_id.get(source_id)
        groups: dict[str, list[Figure]] = {}
        for figure in figures:
            groups.setdefault(figure.sha256, []).append(figure)
        yield EvidencePage(
            source_id=source_id,
            url=(row["source_url"] if row else None) or (figures[0].url if figures else ""),
            language=(row["language"] if row else None) or "",
            row=row,
            figures=figures,
            texts=tuple(
                PageText(sha256, _pieces(text_of(home, sha256, types.get(sha256, ("", ""))), own))
                for sha256, own in groups.items()
            ),
        )


def text_of(home: Home, sha256: str, of: tuple[str, str]) -> str:
    """The visible text of a kept body; "" where it is missing, damaged or cannot be read. `of`: its type and address."""
    try:
        return read_document(snapshots.load(home, sha256), content_type=of[0], name=of[1]).text
    except KoujingError:
        return ""


def _pieces(text: str, figures: Iterable[Figure]) -> tuple[Piece, ...]:
    spans = {figure.key: place for figure in figures if (place := _place(text, figure)) is not None}
    if not spans:
        return ()
    starts: dict[int, list[str]] = {}
    for key, (start, _) in spans.items():
        starts.setdefault(start, []).append(key)
    windows = _windows(spans, len(text))
    cuts = sorted(
        {end for span in spans.values() for end in span} | {end for span in windows for end in span}
    )
    covered = _covered(spans)
    pieces: list[Piece] = []
    at = 0
    for first, last in windows:
        if first > at:
            pieces.append(Piece(elided=first - at))
        inside = [first, *(cut for cut in cuts if first < cut < last), last]
        for begin, end in pairwise(inside):
            marked = any(start <= begin < stop for start, stop in covered)
            pieces.append(Piece(text[begin:end], tuple(starts.get(begin, ())), marked))
        at = last
    if at < len(text):
        pieces.append(Piece(elided=len(text) - at))
    return tuple(pieces)


def _place(text: str, figure: Figure) -> tuple[int, int] | None:
    """Where the quote stands: at its offsets, else where it is found, which a newer reader may have moved."""
    if text[figure.start : figure.end] == figure.quote:
        return figure.start, figure.end
    found = text.find(figure.quote)
    return (found, found + len(figure.quote)) if found >= 0 else None


def _windows(spans: Mapping[str, tuple[int, int]], length: int) -> list[tuple[int, int]]:
    windows: list[tuple[int, int]] = []
    for start, end in sorted(spans.values()):
        first, last = max(0, start - _AROUND), min(length, end + _AROUND)
        # A gap that is hardly longer than the words that would tell of it is shown.
        if windows and first <= windows[-1][1] + 40:
            windows[-1] = (windows[-1][0], max(windows[-1][1], last))
        else:
            windows.append((0 if first <= 40 else first, last))
    return windows


def _covered(spans: Mapping[str, tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans, joined where they overlap."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans.values()):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
