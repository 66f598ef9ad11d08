"""From a PDF to markup that the reader of pages reads: paragraphs, headings by size, tables with their spans.

A PDF is a program of sorts: a few hundred bytes of it can unpack to gigabytes or never end. It is read in a
process of its own, which has so much memory and so much time and no more.
"""

from __future__ import annotations

import html
import os
import resource
import statistics
import subprocess
import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.errors import UnreadableError

if TYPE_CHECKING:
    from pdfplumber.page import Page
    from pdfplumber.table import Table

MAGIC = b"%PDF-"
MOST_PAGES = 300
"""A white paper has fewer; what comes after is not read, and a note says so."""

_MEMORY = 1536 * 1024 * 1024
_CPU_SECONDS = 60
_WALL_SECONDS = 180
_LARGEST = 16 * 1024 * 1024
_HEADING = 1.15  # times the size of most characters
_SAME_EDGE = 3.0  # points
_PARAGRAPH_GAP = 0.6  # of a line's height between two lines
_ENDS = {3: "it is not readable as a PDF", 4: "it asks for a password", 5: "it holds no text, only pictures"}


@lru_cache(maxsize=2)
def pdf_to_html(body: bytes) -> str:
    """Gives the PDF's text as HTML. The same bytes are read once more only after others.

    Raises UnreadableError: damaged, locked, of pictures only, or larger than it looks.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "extractors.pdf"],
            input=body,
            capture_output=True,
            timeout=_WALL_SECONDS,
            check=False,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONWARNINGS": "ignore"},
        )
    except subprocess.TimeoutExpired:
        raise UnreadableError(f"the PDF took longer than {_WALL_SECONDS} seconds to read") from None
    if done.returncode == 0:
        return done.stdout.decode("utf-8")
    if done.returncode in _ENDS:
        raise UnreadableError(f"the PDF cannot be read: {_ENDS[done.returncode]}")
    raise UnreadableError("the PDF cannot be read: it takes more time or memory than a white paper does")


def _main() -> int:
    """What the process of its own does: a PDF on stdin, HTML on stdout, a number of `_ENDS` where it fails."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    body = sys.stdin.buffer.read()
    # Imported under the limits, and after them: what a PDF can do, it can do here only.
    import io
    import logging

    import pdfplumber
    from pdfminer.pdfdocument import PDFPasswordIncorrect

    logging.disable(logging.CRITICAL)
    try:
        with pdfplumber.open(io.BytesIO(body)) as pdf:
            title = str((pdf.metadata or {}).get("Title") or "")
            parts = [part for page in pdf.pages[:MOST_PAGES] for part in _of_page(page)]
            if len(pdf.pages) > MOST_PAGES:
                parts.append(f"<!-- only the first {MOST_PAGES} pages -->")
    except MemoryError:
        return 6
    except Exception as error:  # noqa: BLE001 - a damaged PDF raises whatever it likes
        locked = isinstance(error, PDFPasswordIncorrect) or isinstance(error.__cause__, PDFPasswordIncorrect)
        return 4 if locked or "PasswordIncorrect" in repr(error) else 3
    if not any(part.strip() for part in parts):
        return 5
    text = (
        f"<html><head><title>{html.escape(title)}</title></head><body>\n{chr(10).join(parts)}\n</body></html>"
    )
    packed = text.encode("utf-8", "replace")
    if len(packed) > _LARGEST:
        return 6
    sys.stdout.buffer.write(packed)
    return 0


def _of_page(page: Page) -> Iterator[str]:
    """The page's paragraphs and tables, in the order in which they stand from the top down."""
    tables = sorted(page.find_tables(), key=lambda table: table.bbox[1])
    lines = page.extract_text_lines(return_chars=True, strip=True)
    sizes = [char["size"] for line in lines for char in line["chars"]]
    usual = statistics.median(sizes) if sizes else 0.0
    outside = [line for line in lines if not any(_inside(line, table.bbox) for table in tables)]
    for table in tables:
        above = [line for line in outside if line["top"] < table.bbox[1]]
        outside = outside[len(above) :]
        yield from _paragraphs(above, usual)
        yield _table(page, table)
    yield from _paragraphs(outside, usual)
    page.close()


def _inside(line: dict[str, Any], box: tuple[float, float, float, float]) -> bool:
    middle = (line["top"] + line["bottom"]) / 2
    return bool(box[1] <= middle <= box[3] and line["x0"] < box[2] and line["x1"] > box[0])


def _paragraphs(lines: Sequence[dict[str, Any]], usual: float) -> Iterator[str]:
    held: list[str] = []
    tag, bottom = "p", 0.0
    for line in lines:
        size = statistics.median(char["size"] for char in line["chars"])
        named = "h2" if size > usual * _HEADING else "p"
        parted = line["top"] - bottom > _PARAGRAPH_GAP * (line["bottom"] - line["top"])
        if held and (named != tag or parted):
            yield _block(tag, held)
            held = []
        held.append(line["text"])
        tag, bottom = named, line["bottom"]
    if held:
        yield _block(tag, held)


def _block(tag: str, lines: Sequence[str]) -> str:
    """Lines of a paragraph joined: with a space, but not between two Chinese characters."""
    text = lines[0]
    for line in lines[1:]:
        joined = text[-1:] > "\u2e80" and line[:1] > "\u2e80"
        text += line if joined else f" {line}"
    return f"<{tag}>{html.escape(text)}</{tag}>"


def _table(page: Page, table: Table) -> str:
    """The table with the spans that its cells' edges show; its first row heads it."""
    boxes = sorted(set(table.cells), key=lambda box: (box[1], box[0]))
    columns, rows = _edges(boxes, 0), _edges(boxes, 1)
    lines: dict[int, list[str]] = {}
    for box in boxes:
        left, right = _edge(columns, box[0]), _edge(columns, box[2])
        top, bottom = _edge(rows, box[1]), _edge(rows, box[3])
        tag = "th" if top == 0 else "td"
        text = page.crop(box, strict=False).extract_text() or ""
        content = "<br>".join(html.escape(line) for line in text.splitlines())
        spans = f' colspan="{max(right - left, 1)}" rowspan="{max(bottom - top, 1)}"'
        lines.setdefault(top, []).append(f"<{tag}{spans}>{content}</{tag}>")
    inner = "\n".join(f"<tr>{''.join(cells)}</tr>" for _, cells in sorted(lines.items()))
    return f"<table>\n{inner}\n</table>"


def _edges(boxes: Sequence[tuple[float, float, float, float]], axis: int) -> list[float]:
    """Where the columns (axis 0) or rows (1) of a table begin and end, edges that all but touch as one."""
    found: list[float] = []
    for value in sorted({edge for box in boxes for edge in (box[axis], box[axis + 2])}):
        if not found or value - found[-1] > _SAME_EDGE:
            found.append(value)
    return found


def _edge(edges: Sequence[float], value: float) -> int:
    return bisect_left(edges, value - _SAME_EDGE)


if __name__ == "__main__":
    sys.exit(_main())
