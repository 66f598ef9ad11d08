"""A document made ready for the rules: folded once, its tables' titles and its footnotes at hand."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from extractors.fold import fold
from schemas.document import BlockKind, Document, MarkKind

_WORDY = re.compile(r"^[^\d]*[A-Za-z\u4e00-\u9fff]{2}")
_OPENING = 900
_RUN = re.compile(
    r"(?:train(?:ed|ing|s)|训完|训练|预训练)[^\n.。]{0,40}?\d+(?:\.\d+)?[BT]\b(?: ?(?:稠密|MoE|mixture-of-experts"
    r"|model|模型|参数))?|\d+(?:\.\d+)?[BT] ?(?:稠密|MoE|混合专家)?模型训(?:完|练)"
    r"|(?:用|在|使用)(?:了)?(?:一个|一套)? ?\d[\d,.]* ?万?(?:张)?卡的?(?:集群)?[^。，,\n]{0,8}(?:训练|预训练)"
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
_DECLARES = re.compile(
    r"(?:以下|以上|上述|下列|下文|[上下]表|表[中内]|本[表页文节]|文中|所列|所有|全部|此处|这里|该|除非?特别|如无|若无)[^。；;\n]{0,20}"
    r"(?:数字|数据|数值|指标|参数|口径|带宽|吞吐|性能|规格|说明)[^。；;\n\d]{0,12}"
    r"(?:[均都皆]|一律|统一|口径|指的?是?|系指?|为|按)[^。；;\n\d]{1,24}"
    r"|(?:以下|以上|上述|下列|下文|[上下]表|表[中内]|本[表页文节]|文中|所列)[^。；;\n\d]{0,8}(?:[均都皆]|一律|统一)(?:为|是|指|按)[^。；;\n\d]{1,24}"
    r"|\b(?:all|these|those|the|this|every|each|unless)\b[^.;\n]{0,30}"
    r"\b(?:figures?|numbers?|values?|bandwidths?|rates?|limits?|spec(?:ification)?s?|noted|stated|specified)\b[^.;\n]{0,30}?"
    r"(?:\b(?:is|are|refers? to|appl(?:y|ies)|quoted|given|measured|expressed|counted)\b|,)[^.;\n\d]{0,30}"
    r"\b(?:per|(?:for|of|to) (?:an?|one|each|every|the whole))\b[^.;\n\d]{1,24}",
    re.IGNORECASE,
)
_WHOLE_PAGE = re.compile(
    r"本[页文]|文中|全部|所有|除非|如无|若无|this page|throughout|unless|everywhere", re.IGNORECASE
)
_MOST_SIBLINGS = 12
# No title of a table is read further than this.
_LONGEST_TOP = 600


@dataclass(frozen=True, slots=True)
class Declared:
    """A sentence about figures, where it begins, and under which headings it holds; None for the whole page."""

    text: str
    start: int
    headings: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Page:
    """A document made ready for the rules.

    `flat_headers`: the header of each block that is a row of a flattened table (see `plain`). `corners`: the
    header over each table's first column, which says what its rows are. `rows`: the wordy data cells of each
    table row by block index, which may say of what a figure beside them is. `tops`: the first row of each
    table. `firsts`: the wordy first cell of each table row, header or not. `run`: the training run that the page reports
    on. `is_sla`: an agreement whose terms hold for all
    its figures. `starts`, `ends`: the blocks at which each table begins and ends. `under`: the
    `notes`: the page's footnotes by their sign. `raised`: where
    superscripts stand, in order. `declared`: the sentences that say of what its figures are.
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
    declared: tuple[Declared, ...] = ()
    under: dict[int, tuple[str, ...]] = field(default_factory=dict)


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
        tuple(_declared(document, folded)),
    )


def _declared(document: Document, folded: str) -> Iterator[Declared]:
    """The sentences about figures: "all of these are per node", 以下均为单节点口径."""
    starts = [block.start for block in document.blocks]
    for match in _DECLARES.finditer(folded):
        block = document.blocks[max(0, bisect_right(starts, match.start()) - 1)]
        if not block.chrome:
            whole = _WHOLE_PAGE.search(match.group()) is not None
            yield Declared(match.group(), match.start(), None if whole else block.headings)


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
