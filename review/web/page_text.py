"""A kept page as its reader saw it, with a claim's words marked in their place. Text only; nothing of it is markup."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urlsplit

from extractors.document import read_document
from extractors.plain import restructure
from schemas.claim import Evidence
from schemas.document import Block, BlockKind, Document

_AROUND = 4
_MOST_BLOCKS = 3_000
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+|\s+")


@dataclass(frozen=True)
class Piece:
    """A stretch of text; `marked` where it carries the claim."""

    text: str
    marked: bool = False


@dataclass(frozen=True)
class Cell:
    """A table's cell."""

    pieces: tuple[Piece, ...]
    header: bool
    rows: int = 1
    cols: int = 1


@dataclass
class Part:
    """A heading, paragraph or list item; or a table by its rows."""

    kind: str
    level: int = 0
    pieces: tuple[Piece, ...] = ()
    caption: str = ""
    rows: list[list[Cell]] = field(default_factory=list)


@dataclass(frozen=True)
class Shown:
    """The page, or the part of it around the words; `whole`: nothing was left out. `found`: the words are marked."""

    title: str
    parts: tuple[Part, ...]
    whole: bool
    found: bool


def shown(
    body: Callable[[], bytes], sha256: str, content_type: str, url: str, evidence: Evidence, *, whole: bool
) -> Shown:
    """The page around the words of the evidence, or all of it."""
    document = _document(_Bytes(sha256, body), content_type, url)
    start = evidence.start
    if document.text[start : start + len(evidence.quote)] != evidence.quote:
        start = document.text.find(evidence.quote)
    end = start + len(evidence.quote)
    blocks = document.blocks
    at = [i for i, b in enumerate(blocks) if start >= 0 and b.start < end and b.end > start]
    chosen = range(min(len(blocks), _MOST_BLOCKS)) if whole else _near(blocks, at)
    parts = tuple(_parts(document, [blocks[i] for i in chosen], start, end))
    return Shown(document.title, parts, whole=len(chosen) == len(blocks), found=bool(at))


def word_diff(before: str, after: str) -> list[tuple[str, str]]:
    """The texts word by word (a Chinese character is a word): (`same`, `gone` or `new`, text) in reading order."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    found: list[tuple[str, str]] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append(("same", "".join(old[a:b])))
            continue
        if a < b:
            found.append(("gone", "".join(old[a:b])))
        if c < d:
            found.append(("new", "".join(new[c:d])))
    return found


def web_address(url: str) -> str:
    """The address where it is one of the web; else nothing, so that it never becomes a link."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    if (
        parts.scheme.lower() not in ("http", "https")
        or not parts.hostname
        or any(c in url for c in "\r\n\t\\")
    ):
        return ""
    return url.strip()


class _Bytes:
    """Bytes that are loaded when they are wanted, and are the same where their hash is."""

    def __init__(self, sha256: str, load: Callable[[], bytes]) -> None:
        self.sha256, self.load = sha256, load

    def __hash__(self) -> int:
        return hash(self.sha256)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Bytes) and other.sha256 == self.sha256


@lru_cache(maxsize=32)
def _document(body: _Bytes, content_type: str, url: str) -> Document:
    document = read_document(body.load(), content_type=content_type, name=url)
    return restructure(document)[0] if document.form == "text" else document


def _near(blocks: tuple[Block, ...], at: list[int]) -> list[int]:
    """The blocks around the words, with all of the table that they stand in."""
    if not at:
        return list(range(min(len(blocks), 2 * _AROUND)))
    tables = {cell.table for i in at if (cell := blocks[i].cell) is not None}
    kept = [i for i, b in enumerate(blocks) if b.cell is not None and b.cell.table in tables]
    first, last = min([*at, *kept]), max([*at, *kept])
    return [
        i
        for i in range(max(0, first - _AROUND), min(len(blocks), last + _AROUND + 1))
        if not blocks[i].chrome or i in at
    ]


def _parts(document: Document, blocks: list[Block], start: int, end: int) -> Iterator[Part]:
    table: Part | None = None
    number = row = -1
    for block in blocks:
        pieces = tuple(_pieces(document.text, block.start, block.end, start, end))
        cell = block.cell
        if cell is None:
            if table is not None:
                yield table
                table = None
            kind = "heading" if block.kind is BlockKind.HEADING else block.kind.value
            yield Part(kind, min(max(block.level, 1), 6), pieces)
            continue
        if table is None or cell.table != number:
            if table is not None:
                yield table
            table, number, row = Part("table", caption=block.caption), cell.table, -1
        if cell.row != row:
            table.rows.append([])
            row = cell.row
        table.rows[-1].append(Cell(pieces, cell.is_header, cell.rows, cell.cols))
    if table is not None:
        yield table


def _pieces(text: str, first: int, last: int, start: int, end: int) -> Iterator[Piece]:
    low, high = max(first, start), min(last, end)
    if start < 0 or low >= high:
        yield Piece(text[first:last])
        return
    if first < low:
        yield Piece(text[first:low])
    yield Piece(text[low:high], marked=True)
    if high < last:
        yield Piece(text[high:last])
