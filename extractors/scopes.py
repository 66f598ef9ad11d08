"""What stands around a mention, from near to far: its segment, its sentence, its headers, its headings."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from extractors.fold import fold
from extractors.mention import Mention
from extractors.page import Page, sign_of
from extractors.scale import SCALE_OF
from extractors.units import Dimension
from schemas.document import Block, BlockKind, Document

_SENTENCE_END = re.compile(r"[。！？!?\n]|(?:(?<=[a-z0-9)%])|(?<=[A-Z]{2}))\. (?=[A-Z])")
_SEGMENT_END = re.compile(r"[,，、;；。()（）\[\]！？!?\n\t|·]| - | plus (?=[\d~≈]|$)")


# Nothing is looked for further away than this, so that a page without full stops costs no more than another.
_EARLIER = 600
_SECTION = 400
_DECLARED = 1500
_LONGEST_LABEL, _LONGEST_QUESTION, _LONGEST_INTRO = 60, 120, 240
_NOTE_MARK = re.compile(r"^ ?(?:note|remarks?|注|说明|备注|注意) ?(?:\d ?)?[:：.] ?", re.IGNORECASE)
_ASKS = re.compile(
    r"[?？]\s*$|^\W*(?:Q\d*[:：.、]|问[:：])|^(?:how|what|when|where|which|who|why|can|does|do|is|are)\b",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r" ?[(（]([^()（）]{1,30})[)）]")


@dataclass(frozen=True, slots=True)
class Scope:
    """A folded stretch of text near a mention.

    `nearness` scales its cues; `offset` is its place in the document's text, -1 where it has none.
    """

    name: str
    text: str
    nearness: float
    offset: int


_IN_SENTENCE = frozenset({"near", "segment", "head", "aside", "clause", "before", "after"})


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
    asks: bool
    is_sla: bool
    run: str
    section: str
    path: tuple[str, ...]
    top: str  # the column titles of the table, if it stands in one

    def around(self, scope: Scope) -> str:
        """The sentence, for a scope that is a part of it; "" for any other."""
        return self.sentence if scope.name in _IN_SENTENCE else ""

    def text_of(self, *names: str) -> str:
        """The texts of the named scopes, nearest first, one a line."""
        return "\n".join(s.text for s in self.scopes if s.name in names)


def _notes_at(page: Page, spans: list[tuple[int, int]]) -> str:
    """The texts of the footnotes whose signs stand in these spans."""
    if not page.notes:
        return ""
    found = []
    for start, end in spans:
        for at in range(bisect_right(page.raised, (start, 0)), bisect_left(page.raised, (end, 0))):
            signs = re.split(r"[,，、 ]", sign_of(page.document.text[slice(*page.raised[at])]))
            found += [page.notes[sign_of(s)] for s in signs if sign_of(s) in page.notes]
        if page.folded[end - 1 : end] == "*" and "*" in page.notes:
            found.append(page.notes["*"])
    return "\n".join(dict.fromkeys(found))


def surroundings(page: Page, index: int, mentions: list[Mention], which: int) -> Surroundings:
    """What stands around `mentions[which]`, all of them of the block at `index`, offsets in the document."""
    document, block, mention = page.document, page.document.blocks[index], mentions[which]
    text = page.folded
    sentence_start, sentence_end = _around(_SENTENCE_END, text, block.start, block.end, mention)
    segment_start, segment_end = _around(_SEGMENT_END, text, sentence_start, sentence_end, mention)
    previous = max(
        (m.tail for m in mentions[max(0, which - 3) : which] if _stands_alone(m, text)), default=block.start
    )
    following = min(
        (m.reach for m in mentions[which + 1 : which + 4] if _stands_alone(m, text)), default=block.end
    )
    near_start = max(segment_start, min(previous, mention.start))
    near_end = min(segment_end, max(following, mention.end))
    if block.cell is None and text[sentence_start:sentence_end].strip() == text[mention.start : mention.end]:
        # A card in one block: the figure on a line of its own, what it is on the next.
        line = _next_line(text, sentence_end, block.end)
        if line > sentence_end:
            following = min((m.start for m in mentions[which + 1 : which + 2]), default=line)
            sentence_end = line
            near_end = segment_end = max(mention.end, min(line, following))
    scopes = [
        Scope("near", text[near_start:near_end], 1.0, near_start),
        Scope("segment", text[segment_start:segment_end], 0.8, segment_start),
        Scope("aside", _aside(text, near_end, sentence_end), 0.7, -1),
        Scope("clause", text[sentence_start:near_end], 0.55, sentence_start),
        Scope("before", text[sentence_start:near_start], 0.5, sentence_start),
        Scope("after", text[near_end:sentence_end], 0.35, near_end),
    ]
    if segment_start > sentence_start and text[segment_start - 1] in "(（":
        head = text[max(sentence_start, segment_start - 30) : segment_start - 1].rstrip()
        scopes.insert(2, Scope("head", head, 0.7, segment_start - 1 - len(head)))
    scopes += _header_scopes(page, index, block)
    scopes += _wider_scopes(page, index, sentence_start, sentence_end)
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
        asks=text[sentence_end : sentence_end + 1] in ("?", "？"),
        is_sla=page.is_sla,
        run=page.run,
        section=_section(page, index),
        path=path,
        top=page.tops.get(block.cell.table, "") if block.cell is not None else "",
    )


def _wider_scopes(page: Page, index: int, sentence_start: int, sentence_end: int) -> list[Scope]:
    """What stands further off: headings, footnotes, the sentences before, title, question, introduction."""
    document, text = page.document, page.folded
    block = document.blocks[index]
    scopes = [
        Scope("heading", fold(heading), max(0.15, 0.45 - 0.12 * depth), -1)
        for depth, heading in enumerate(reversed(block.headings))
    ]
    scopes += [
        Scope("declared", d.text, 0.2, -1)
        for d in page.declared
        if (d.headings is None or d.headings == block.headings)
        and abs(d.start - sentence_start) <= (_DECLARED if d.headings is not None else len(text))
    ]
    spans = [(sentence_start, min(sentence_end + 8, block.end + 1))]
    if block.cell is not None:
        headers_over = (*block.cell.row_headers, *block.cell.col_headers)
        spans = [(block.start, block.end), *((h.start, h.end) for h in headers_over)]
    earlier = text[block.start : sentence_start]
    if len(earlier) > _EARLIER:
        earlier = earlier[: _EARLIER // 3] + "\n" + earlier[-_EARLIER * 2 // 3 :]
    for name, found, nearness, offset in (
        ("note", _notes_at(page, spans), 0.2, -1),
        ("note", _under(page, index), 0.2, -1),
        ("lead", _lead(document, page, index), 0.25, -1),
        ("earlier", earlier if earlier.strip() else "", 0.2, block.start),
        ("title", page.title, 0.2, -1),
        ("question", _question(page, index), 0.5, -1),
        ("intro", _intro(page, index), 0.33, -1),
    ):
        if found:
            scopes.append(Scope(name, found, nearness, offset))
    return scopes


def _aside(text: str, start: int, end: int) -> str:
    """What stands in brackets right behind a number: 1.6 Tbps (RDMA)."""
    match = _BRACKETS.match(text, start, end)
    return match[1] if match else ""


def _stands_alone(mention: Mention, text: str) -> bool:
    """Whether a neighbour is a figure of its own: not a bare number, not the scale of another figure."""
    if mention.dimension is Dimension.ACCELERATORS:
        return SCALE_OF.match(text[mention.end : mention.end + 24]) is None
    return mention.has_unit


def _section(page: Page, index: int) -> str:
    """The text of this block and its near neighbours under the same heading."""
    blocks = page.document.blocks
    here = blocks[index].headings
    first = last = index
    while first > 0 and index - first < 4 and blocks[first - 1].headings == here:
        first -= 1
    while last + 1 < len(blocks) and last - index < 4 and blocks[last + 1].headings == here:
        last += 1
    start = max(blocks[first].start, blocks[index].start - _SECTION)
    return page.folded[start : min(blocks[last].end, blocks[index].end + _SECTION, start + 3 * _SECTION)]


def _lead(document: Document, page: Page, index: int) -> str:
    """The sentence ending in a colon that introduces the list this block belongs to."""
    if document.blocks[index].kind is not BlockKind.LIST_ITEM:
        return ""
    for position in range(index - 1, max(-1, index - 12), -1):
        block = document.blocks[position]
        if block.kind is BlockKind.LIST_ITEM:
            continue
        text = page.folded[block.start : block.end].rstrip()
        return text if text.endswith((":", "：")) and len(text) < 200 else ""
    return ""


def _next_line(text: str, start: int, end: int) -> int:
    """The end of the line that follows the line break at `start`; `start` where none does."""
    if text[start : start + 1] != "\n":
        return start
    stop = text.find("\n", start + 1, end)
    stop = end if stop < 0 else stop
    return stop if 0 < stop - start <= _LONGEST_LABEL else start


def _question(page: Page, index: int) -> str:
    """The question that this block answers: its heading, or the block before it, where that asks one."""
    blocks = page.document.blocks
    if blocks[index].cell is not None:
        return ""
    headings = blocks[index].headings
    if headings and _ASKS.search(headings[-1]):
        return fold(headings[-1])
    for before in reversed(blocks[max(0, index - 3) : index]):
        text = page.folded[before.start : before.end]
        if before.cell is not None or before.kind is BlockKind.HEADING:
            break
        if len(text) <= _LONGEST_QUESTION and _ASKS.search(text):
            return text
    return ""


def _intro(page: Page, index: int) -> str:
    """The sentence right before a table, which may say of what all its figures are."""
    blocks, cell = page.document.blocks, page.document.blocks[index].cell
    if cell is None:
        return ""
    first = page.starts.get(cell.table, 0)
    for before in reversed(blocks[max(0, first - 2) : first]):
        if (
            before.kind is BlockKind.PARAGRAPH
            and before.headings == blocks[index].headings
            and not before.chrome
        ):
            text = page.folded[before.start : before.end]
            return text if len(text) <= _LONGEST_INTRO else ""
    return ""


def _under(page: Page, index: int) -> str:
    """The sentences right under a table that begin with the name of this cell's row or column."""
    cell = page.document.blocks[index].cell
    said = _said_under(page, cell.table) if cell is not None else ()
    if cell is None or not said:
        return ""
    heads = {fold(h.text).strip().lower() for h in (*cell.row_headers, *cell.col_headers)}
    heads |= {head.split(" ")[-1] for head in heads}
    return "\n".join(s for s in said if any(_opens(s.lower(), head) for head in heads))


def _opens(sentence: str, head: str) -> bool:
    return len(head) > 1 and sentence.startswith(head) and not sentence[len(head) : len(head) + 1].isalnum()


def _said_under(page: Page, table: int) -> tuple[str, ...]:
    if table not in page.under:
        found: list[str] = []
        after = page.ends[table] + 1
        for block in page.document.blocks[after : after + 2]:
            if block.kind is not BlockKind.PARAGRAPH or block.chrome or block.end - block.start > _SECTION:
                break
            text = _NOTE_MARK.sub("", page.folded[block.start : block.end])
            found += [sentence.strip() for sentence in _SENTENCE_END.split(text)]
        page.under[table] = tuple(found)
    return page.under[table]


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
        opening = page.firsts.get((block.cell.table, block.cell.row))
        if (
            opening
            and block.cell.col > 0
            and not any(h.text.strip() and not h.text.strip()[0].isdigit() for h in block.cell.row_headers)
        ):
            scopes.append(Scope("row", opening, 0.85, -1))
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
