"""Plain text as it was laid out by hand: lines wrapped at a margin, and tables held together by white space.

A wrapped line goes on in the next, so that a sentence is one again; a table's fields become cells with the
headers over them. A text that is laid out in no such way is a paragraph a line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from schemas.document import Block, BlockKind, Cell, Document, Header

_NARROWEST, _WIDEST = 40, 130
_FEWEST_FULL = 3
_FULL = 0.8
_NEARLY = 0.7
_GAP = re.compile(r"\t+| {2,}")
_RULER = re.compile(r"[\s|+:=─━-]*")
_FIGURE = re.compile(r"\d")
_OPENS_ITEM = re.compile(
    r"[-*•·–—>#|] ?|\(?[0-9]{1,3}[.)、）] |[0-9]{1,2}(?:\.[0-9]+)+ +[A-Z一-鿿]"
    r"|[(（]?[一二三四五六七八九十]{1,3}[)）、.]|[A-Z][\w -]{0,24}: "
)
_CJK = re.compile(r"[　-〿一-鿿＀-￯]")


@dataclass(frozen=True, slots=True)
class _Line:
    indent: int
    body: str
    first_of_paragraph: bool

    @property
    def width(self) -> int:
        return self.indent + _columns(self.body)


def read_layout(text: str) -> Document:
    """The document with its lines joined where they were wrapped, and its tables as cells.

    Its text is the lines one under another, without their indents; offsets are in that text.
    """
    lines = list(_lines(text))
    margin, tables = _margin(lines), _Tables(lines)
    writer = _Writer()
    at = 0
    while at < len(lines):
        if rows := tables.at(at):
            writer.table(rows)
            at += len(rows)
            continue
        end = at + 1
        while (
            end < len(lines)
            and margin
            and _goes_on(lines[end - 1], lines[end], margin)
            and not tables.at(end)
        ):
            end += 1
        writer.paragraph([line.body for line in lines[at:end]])
        at = end
    return Document(text="".join(writer.out), blocks=tuple(writer.blocks))


def _lines(text: str) -> Iterator[_Line]:
    blank = True
    for raw in re.split(r"\r\n|\r|\n", text):
        body = raw.strip()
        if not body:
            blank = True
            continue
        indent = _columns(raw[: len(raw) - len(raw.lstrip())].replace("\t", "    "))
        yield _Line(indent, body, blank)
        blank = False


def _columns(text: str) -> int:
    return len(text) if text.isascii() else sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def _margin(lines: list[_Line]) -> int:
    """The column at which lines were wrapped; 0 where they were not."""
    widths = sorted(line.width for line in lines)
    if not widths or not _NARROWEST <= widths[-1] <= _WIDEST:
        return 0
    full = sum(width >= _FULL * widths[-1] for width in widths)
    return widths[-1] if full >= _FEWEST_FULL else 0


def _goes_on(line: _Line, following: _Line, margin: int) -> bool:
    """Whether the next line's first word would not have fitted on this one, or takes up its unfinished sentence."""
    if following.first_of_paragraph or following.indent < line.indent or _OPENS_ITEM.match(following.body):
        return False
    unfinished = line.body[-1] not in ".。!！?？:：;；" and (
        following.body[0].islower() or line.body[-1] in ",，、(（"
    )
    if unfinished and line.width >= _NEARLY * margin:
        return True
    word = following.body[:2] if _CJK.match(following.body) else following.body.split(" ", 1)[0]
    return line.width + 1 + _columns(word) > margin


class _Tables:
    """Finds tables among lines; each line is looked at a bounded number of times, however many are aligned."""

    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines
        self._without_figures = 0  # no table begins before this line: the rows there are words alone

    def at(self, start: int) -> list[list[str]]:
        """The rows of fields that begin at a line, rulers left empty; none where no table begins.

        A table is two lines or more of as many fields, titles without figures over rows with some.
        """
        titles = _GAP.split(self._lines[start].body)
        if start < self._without_figures or len(titles) < 2 or any(map(_FIGURE.search, titles[1:])):
            return []
        rows, figures = [titles], False
        for at in range(start + 1, len(self._lines)):
            line = self._lines[at]
            if _RULER.fullmatch(line.body):
                rows.append([])
                continue
            fields = _GAP.split(line.body)
            if line.first_of_paragraph or len(fields) != len(titles):
                break
            rows.append(fields)
            figures = figures or any(map(_FIGURE.search, fields[1:]))
        if figures:
            return rows
        self._without_figures = start + len(rows)
        return []


class _Writer:
    def __init__(self) -> None:
        self.out: list[str] = []
        self.blocks: list[Block] = []
        self.position = 0
        self.tables = 0

    def _put(self, text: str, before: str) -> int:
        before = before if self.out else ""
        self.out.append(before + text)
        start = self.position + len(before)
        self.position = start + len(text)
        return start

    def paragraph(self, lines: list[str]) -> None:
        pieces = [lines[0]]
        for before, line in pairwise(lines):
            glued = _CJK.match(before[-1]) and _CJK.match(line)
            pieces.append(line if glued else f" {line}")
        text = "".join(pieces)
        start = self._put(text, "\n")
        self.blocks.append(Block(kind=BlockKind.PARAGRAPH, start=start, end=start + len(text)))

    def table(self, rows: list[list[str]]) -> None:
        """Rows of fields as cells; the first row heads the columns, the first field of a row that row."""
        titles: list[Header] = []
        for number, row in enumerate(row for row in rows if row):
            head: tuple[Header, ...] = ()
            for column, field in enumerate(row):
                start = self._put(field, "\t" if column else "\n")
                here = Header(text=field, start=start, end=start + len(field))
                if number == 0:
                    titles.append(here)
                cell = Cell(
                    table=self.tables,
                    row=number,
                    col=column,
                    is_header=number == 0 or column == 0,
                    row_headers=head,
                    col_headers=(titles[column],) if number else (),
                )
                self.blocks.append(Block(kind=BlockKind.CELL, start=start, end=here.end, cell=cell))
                if column == 0 and number:
                    head = (here,)
        self.tables += 1
