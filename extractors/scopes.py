"""What stands around a mention, from near to far: its segment, its sentence, its headers, its headings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from extractors.fold import fold
from extractors.mention import Mention
from schemas.document import Block, BlockKind, Document

_SENTENCE_END = re.compile(r"[。！？!?\n]|(?<=[a-z0-9)%])\. (?=[A-Z])")
_SEGMENT_END = re.compile(r"[,，、;；。()（）\[\]！？!?\n\t|·]| - ")


@dataclass(frozen=True, slots=True)
class Scope:
    """A folded stretch of text near a mention.

    `nearness` scales its cues; `offset` is its place in the document's text, -1 where it has none.
    """

    name: str
    text: str
    nearness: float
    offset: int


@dataclass(frozen=True, slots=True)
class Surroundings:
    """All that a rule may look at for one mention; `scopes` run from near to far."""

    block: Block
    scopes: tuple[Scope, ...]
    sentence: str
    sentence_start: int
    before: str
    after: str
    headers: tuple[str, ...]
    path: tuple[str, ...]

    def text_of(self, *names: str) -> str:
        """The texts of the named scopes, nearest first, one a line."""
        return "\n".join(s.text for s in self.scopes if s.name in names)


@dataclass(frozen=True, slots=True)
class Page:
    """A document made ready for the rules.

    `flat_headers`: the header of each block that is a row of a flattened table (see `plain`). `corners`: the
    header over each table's first column, which says what its rows are. `rows`: the wordy data cells of each
    table row by block index, which may say of what a figure beside them is.
    """

    document: Document
    folded: str
    flat_headers: dict[int, str]
    title: str
    corners: dict[int, str]
    rows: dict[tuple[int, int], tuple[tuple[int, str], ...]]


def page_of(document: Document, visible: str, flat_headers: dict[int, str] | None = None) -> Page:
    """Prepare a document for the rules; `visible` is its text with marks blanked out."""
    folded = fold(visible)
    corners: dict[int, str] = {}
    rows: dict[tuple[int, int], tuple[tuple[int, str], ...]] = {}
    for index, block in enumerate(document.blocks):
        if block.cell is not None and not block.cell.is_header:
            text = folded[block.start : block.end]
            if not any(char.isdigit() for char in text):
                place = (block.cell.table, block.cell.row)
                rows[place] = (*rows.get(place, ()), (index, text))
        if block.cell is not None and block.cell.is_header and block.cell.row == 0 and block.cell.col == 0:
            corners[block.cell.table] = folded[block.start : block.end].strip()
    return Page(document, folded, flat_headers or {}, fold(document.title), corners, rows)


def surroundings(page: Page, index: int, mentions: list[Mention], which: int) -> Surroundings:
    """What stands around `mentions[which]`, all of them of the block at `index`, offsets in the document."""
    document, block, mention = page.document, page.document.blocks[index], mentions[which]
    text = page.folded
    sentence_start, sentence_end = _around(_SENTENCE_END, text, block.start, block.end, mention)
    segment_start, segment_end = _around(_SEGMENT_END, text, sentence_start, sentence_end, mention)
    previous = max((m.tail for m in mentions[max(0, which - 3) : which] if m.has_unit), default=block.start)
    following = min((m.reach for m in mentions[which + 1 : which + 4] if m.has_unit), default=block.end)
    near_start = max(segment_start, min(previous, mention.start))
    near_end = min(segment_end, max(following, mention.end))
    scopes = [
        Scope("near", text[near_start:near_end], 1.0, near_start),
        Scope("segment", text[segment_start:segment_end], 0.8, segment_start),
        Scope("clause", text[sentence_start:near_end], 0.55, sentence_start),
        Scope("before", text[sentence_start:near_start], 0.5, sentence_start),
        Scope("after", text[near_end:sentence_end], 0.35, near_end),
    ]
    if segment_start > sentence_start and text[segment_start - 1] in "(（":
        head = text[max(sentence_start, segment_start - 30) : segment_start - 1].rstrip()
        scopes.insert(2, Scope("head", head, 0.7, segment_start - 1 - len(head)))
    scopes += _header_scopes(page, index, block)
    headings = [fold(h) for h in block.headings]
    scopes += [
        Scope("heading", heading, max(0.15, 0.45 - 0.12 * depth), -1)
        for depth, heading in enumerate(reversed(headings))
    ]
    earlier = text[block.start : sentence_start]
    if earlier.strip():
        scopes.append(Scope("earlier", earlier, 0.2, block.start))
    if page.title:
        scopes.append(Scope("title", page.title, 0.2, -1))
    headers = tuple(s.text for s in scopes if s.name in ("column", "row", "label", "flat"))
    path = tuple(block.headings)
    if block.cell is not None:
        path += tuple(h.text for h in block.cell.row_headers) + tuple(h.text for h in block.cell.col_headers)
    elif block.label is not None:
        label = document.blocks[block.label]
        path += (document.text[label.start : label.end],)
    return Surroundings(
        block=block,
        scopes=tuple(scopes),
        sentence=text[sentence_start:sentence_end],
        sentence_start=sentence_start,
        before=text[sentence_start : mention.start],
        after=text[mention.end : sentence_end],
        headers=headers,
        path=path,
    )


def _around(marks: re.Pattern[str], text: str, start: int, end: int, mention: Mention) -> tuple[int, int]:
    """The stretch of text[start:end] between the nearest marks before and after the mention."""
    left = start
    window = max(start, mention.start - 400)
    for match in marks.finditer(text, window, mention.start):
        left = match.end()
    if left == start and window > start:
        left = window
    after = marks.search(text, mention.end, min(end, mention.end + 400))
    return left, after.start() if after else min(end, mention.end + 400)


def _header_scopes(page: Page, index: int, block: Block) -> list[Scope]:
    scopes: list[Scope] = []
    if block.cell is not None:
        columns = block.cell.col_headers
        for depth, header in enumerate(reversed(columns)):
            scopes.append(Scope("column", fold(header.text), 0.95 - 0.1 * depth, header.start))
        for depth, header in enumerate(reversed(block.cell.row_headers)):
            scopes.append(Scope("row", fold(header.text), 0.9 - 0.1 * depth, header.start))
        if siblings := page.rows.get((block.cell.table, block.cell.row), ()):
            beside = "\n".join(text for place, text in siblings if place != index)
            scopes.append(Scope("sibling", beside, 0.3, -1))
        if corner := page.corners.get(block.cell.table):
            scopes.append(Scope("corner", corner, 0.3, -1))
        if block.caption:
            scopes.append(Scope("caption", fold(block.caption), 0.5, -1))
    if block.label is not None:
        label = page.document.blocks[block.label]
        nearness = 0.6 if block.kind is BlockKind.DEFINITION else 0.95
        scopes.append(Scope("label", page.folded[label.start : label.end], nearness, label.start))
    if index in page.flat_headers:
        scopes.append(Scope("flat", page.flat_headers[index], 0.6, -1))
    return scopes
