"""Structure of plain text that lost its lines: heading-like lines, and tables run together into one line.

A flattened table is a line that repeats one shape: it begins with column titles and names three vendors or
more, each at the start of a row. Its header and its rows are told apart by the vendors' names alone.
"""

from __future__ import annotations

import re
from itertools import pairwise

from extractors.fold import fold
from extractors.subject import vendor_names
from schemas.document import Block, BlockKind, Document

_HEADING_LIKE = re.compile(r"^[^。；;!?！？]{2,42}$")
_TABLE_START = re.compile(r"^(?:厂商|维度|位次|平台|供应商|云厂商|产品|Vendor|Provider|Cloud)(?=[ \t])")


def restructure(document: Document) -> tuple[Document, dict[int, str]]:
    """The document with headings found and flattened rows split, and the header text of each such row."""
    blocks: list[Block] = []
    flat: dict[int, str] = {}
    headings: tuple[str, ...] = ()
    lines = [b for b in document.blocks if document.text[b.start : b.end].strip()]
    for position, block in enumerate(lines):
        line = document.text[block.start : block.end]
        if block.cell is not None:
            blocks.append(block.model_copy(update={"headings": headings}))
            continue
        rows = _rows(line)
        if rows is not None:
            header = fold(line[: rows[0][0]])
            for start, end in rows:
                flat[len(blocks)] = header
                blocks.append(
                    Block(
                        kind=BlockKind.PARAGRAPH,
                        start=block.start + start,
                        end=block.start + end,
                        headings=headings,
                    )
                )
            continue
        following = lines[position + 1] if position + 1 < len(lines) else None
        if _is_heading(line, document, following):
            blocks.append(block.model_copy(update={"kind": BlockKind.HEADING, "level": 2, "headings": ()}))
            headings = (line.strip(),)
        else:
            blocks.append(block.model_copy(update={"headings": headings}))
    return document.model_copy(update={"blocks": tuple(blocks)}), flat


def _is_heading(line: str, document: Document, following: Block | None) -> bool:
    if (
        following is None
        or not _HEADING_LIKE.match(line)
        or line.lstrip().startswith(("-", "*", "•", "第一,"))
    ):
        return False
    after = document.text[following.start : following.end]
    if _HEADING_LIKE.match(after) and not _TABLE_START.match(fold(after)):
        return len(after) > 2 * len(line)
    return True


def _rows(line: str) -> list[tuple[int, int]] | None:
    """The spans of a flattened table's rows, each beginning with a vendor's name; None for ordinary text."""
    folded = fold(line)
    if not _TABLE_START.match(folded):
        return None
    starts: list[int] = []
    seen: set[str] = set()
    for vendor, start, _ in vendor_names(folded):
        if (
            (start and folded[start - 1] in " \t") or re.match(r"\d ", folded[max(0, start - 2) : start])
        ) and vendor not in seen:
            seen.add(vendor)
            starts.append(start)
    if len(starts) < 3:
        return None
    return [*pairwise(starts), (starts[-1], len(line))]
