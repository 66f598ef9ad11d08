"""A document made ready for the rules: folded once, its tables' titles and its footnotes at hand."""

from __future__ import annotations

import re
from dataclasses import dataclass

from extractors.fold import fold
from schemas.document import BlockKind, Document, MarkKind

_WORDY = re.compile(r"^[^\d]*[A-Za-z\u4e00-\u9fff]{2}")
_OPENING = 900
_RUN = re.compile(
    r"(?:train(?:ed|ing)|训完|训练|预训练)[^\n.。]{0,40}?\d+(?:\.\d+)?[BT]\b(?: ?(?:稠密|MoE|mixture-of-experts"
    r"|model|模型|参数))?|\d+(?:\.\d+)?[BT] ?(?:稠密|MoE|混合专家)?模型训(?:完|练)"
    r"|(?:任务|训练)(?:用了|使用|动用)[^\n。]{0,8}\d[\d,.]* ?万?张?卡",
    re.IGNORECASE,
)
_SLA_TITLE = re.compile(r"服务(?:等级|水平|级别)(?:协议|承诺)|service[- ]level|\bSLA\b", re.IGNORECASE)
_SLA_TERMS = re.compile(r"赔偿|赔付|代金券|不计入|免责|credits?\b|exclu|Gutschrift", re.IGNORECASE)
_INDEX = re.compile(
    r"(?:#|No\.? ?|序号)?\d{1,3}(?:\.\d{1,3}){0,3}[.)、]?|[一二三四五六七八九十]{1,3}|[A-Za-z]|[★▲*]"
)
_NOTE_OPENING = re.compile(r"(?:\[\w{1,2}\]|[(（]\w{1,2}[)）]|\*{1,3}|[†‡§]|注 ?\d?[:：])")
_PLAIN_SIGN = re.compile(r"([a-z\d①-⑳])[.、:：)]? ?(?=\S)")
_MOST_SIBLINGS = 12
# No title of a table is read further than this.
_LONGEST_TOP = 600


@dataclass(frozen=True, slots=True)
class Page:
    """A document made ready for the rules.

    `flat_headers`: the header of each block that is a row of a flattened table (see `plain`). `corners`: the
    header over each table's first column, which says what its rows are. `rows`: the wordy data cells of each
    table row by block index, which may say of what a figure beside them is. `tops`: the first row of each
    table. `firsts`: the wordy first cell of each table row, header or not. `run`: the training run that the page reports
    on. `is_sla`: an agreement whose terms hold for all
    its figures. `starts`, `ends`: the blocks at which each table begins and ends. `notes`: the page's footnotes by their sign. `raised`: where
    superscripts stand, in order.
    """

    document: Document
    folded: str
    flat_headers: dict[int, str]
    title: str
    corners: dict[int, str]
    rows: dict[tuple[int, int], tuple[tuple[int, str], ...]]
    tops: dict[int, str]
    firsts: dict[tuple[int, int], str]
    starts: dict[int, int]
    ends: dict[int, int]
    notes: dict[str, str]
    is_sla: bool
    run: str
    raised: tuple[tuple[int, int], ...]


def page_of(document: Document, visible: str, flat_headers: dict[int, str] | None = None) -> Page:
    """Prepare a document for the rules; `visible` is its text with marks blanked out."""
    folded = fold(visible)
    corners: dict[int, str] = {}
    rows: dict[tuple[int, int], tuple[tuple[int, str], ...]] = {}
    tops: dict[int, str] = {}
    firsts: dict[tuple[int, int], str] = {}
    numbered: set[tuple[int, int]] = set()
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    for index, block in enumerate(document.blocks):
        if block.cell is not None:
            starts.setdefault(block.cell.table, index)
            ends[block.cell.table] = index
        if block.cell is not None and block.cell.is_header and not block.cell.row_headers:
            top = folded[block.start : block.end]
            tops[block.cell.table] = f"{tops.get(block.cell.table, '')} {top}"[:_LONGEST_TOP]
        if block.cell is not None and not block.cell.is_header:
            text = folded[block.start : block.end]
            place = (block.cell.table, block.cell.row)
            if block.cell.col == 0 and _INDEX.fullmatch(text.strip()):
                numbered.add(place)
            elif block.cell.col == (place in numbered) and _WORDY.search(text):
                firsts[place] = text
            if block.cell.row == 0:
                tops[block.cell.table] = f"{tops.get(block.cell.table, '')} {text}"[:_LONGEST_TOP]
            if not any(char.isdigit() for char in text):
                place = (block.cell.table, block.cell.row)
                beside = rows.get(place, ())
                if len(beside) < _MOST_SIBLINGS:
                    rows[place] = (*beside, (index, text[:80]))
        if block.cell is not None and block.cell.is_header and block.cell.row == 0 and block.cell.col == 0:
            corners[block.cell.table] = folded[block.start : block.end].strip()
    return Page(
        document,
        folded,
        flat_headers or {},
        fold(document.title),
        corners,
        rows,
        tops,
        firsts,
        starts,
        ends,
        notes_of(document, folded),
        _SLA_TITLE.search(fold(document.title) + "\n" + _first_heading(document, folded)) is not None
        and _SLA_TERMS.search(folded) is not None,
        _run_of(document, folded),
        tuple(sorted((m.start, m.end) for m in document.marks if m.kind is MarkKind.SUPERSCRIPT)),
    )


def _run_of(document: Document, folded: str) -> str:
    """The training run that a report is about, where its title or opening says which; else empty."""
    opening = fold(document.title)
    for block in document.blocks:
        if not block.chrome and block.cell is None:
            opening += "\n" + folded[block.start : block.end]
        if len(opening) > _OPENING:
            break
    found = _RUN.search(opening[:_OPENING])
    return " ".join(found.group().split()) if found else ""


def _first_heading(document: Document, folded: str) -> str:
    found = (folded[b.start : b.end] for b in document.blocks if b.kind is BlockKind.HEADING and not b.chrome)
    return next(found, "")


def sign_of(text: str) -> str:
    """A footnote's sign without its brackets."""
    return text.strip(" []()（）【】〔〕.．:：、注")


def notes_of(document: Document, folded: str) -> dict[str, str]:
    """The footnotes of a page by their sign: paragraphs that begin with a raised or bracketed sign."""
    raised = {m.start: m.end for m in document.marks if m.kind is MarkKind.SUPERSCRIPT}
    signs = {sign_of(document.text[start:end]) for start, end in raised.items()}
    notes: dict[str, str] = {}
    for block in document.blocks:
        if block.chrome or block.cell is not None:
            continue
        text = document.text[block.start : block.end]
        opening = _NOTE_OPENING.match(text)
        end = raised.get(block.start, block.start + opening.end() if opening else block.start)
        sign = sign_of(document.text[block.start : end])
        if not sign and (plain := _PLAIN_SIGN.match(text)) and plain[1] in signs:
            sign, end = plain[1], block.start + plain.end()  # "a 指单台…", "1. measured with…"
        if sign and len(sign) <= 3:
            notes.setdefault(sign, folded[end : block.end].strip()[:400])
    return notes
