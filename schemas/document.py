"""A page as its reader sees it: visible text with offsets, and what each stretch of it is."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from schemas.record import Record


class BlockKind(StrEnum):
    """What a block is on the page."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TERM = "term"
    DEFINITION = "definition"
    CELL = "cell"
    CAPTION = "caption"
    CODE = "code"


class Header(Record):
    """A header cell over or beside a table cell, by its text and its place in the document's text."""

    text: str
    start: int
    end: int


class Cell(Record):
    """Where a table cell stands. Rows and columns count from 0 in the resolved grid (spans filled in).

    `row_headers` run from the leftmost in, `col_headers` from the topmost down; a header that spans several
    cells heads each of them. `is_header`: the cell itself is a header.
    """

    table: int
    row: int
    col: int
    rows: int = 1
    cols: int = 1
    is_header: bool = False
    row_headers: tuple[Header, ...] = ()
    col_headers: tuple[Header, ...] = ()


class Block(Record):
    """A stretch of text that a reader takes as one: `document.text[start:end]`.

    `headings` is the path of headings above it, outermost first (a heading is not in its own path).
    `chrome`: navigation, sidebar, banner or footer, which states nothing of the product.
    `label`: the index of the block that labels this one (the term of a definition, the caption of a card).
    """

    kind: BlockKind
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    level: int = 0
    headings: tuple[str, ...] = ()
    chrome: bool = False
    cell: Cell | None = None
    caption: str = ""
    label: int | None = None


class MarkKind(StrEnum):
    """Inline spans whose characters must not be read as plain text."""

    SUPERSCRIPT = "superscript"
    SUBSCRIPT = "subscript"
    STRUCK = "struck"


class Mark(Record):
    """An inline span: `document.text[start:end]` is superscript, subscript or struck out."""

    kind: MarkKind
    start: int
    end: int


class Hidden(Record):
    """Text that the page holds and does not show, with the reason. Never evidence."""

    text: str
    reason: str


class Document(Record):
    """The visible text of a snapshot, its blocks in order, and what was kept apart.

    Blocks do not overlap and cover every character of `text` that is not white space between blocks.
    `title` is the page's own title, not part of `text`. `lang` is the declared or guessed language ("zh",
    "zh-Hant", "en", "ja"…). `form`: what the bytes were. `notes` records what was odd about the bytes (a guessed encoding, a cut page).
    """

    text: str
    blocks: tuple[Block, ...]
    marks: tuple[Mark, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    title: str = ""
    lang: str = ""
    encoding: str = "utf-8"
    encoding_from: str = ""
    form: Literal["html", "markdown", "text", "pdf"] = "html"
    notes: tuple[str, ...] = ()
