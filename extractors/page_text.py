"""Puts a page's visible text together: white space, block by block, with the offsets of what is in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from extractors.tables import RawCell
from schemas.document import Block, BlockKind, Cell, Mark, MarkKind
from schemas.errors import UnreadableError

# Only ASCII white space is layout; NBSP and its relatives are characters of the page.
_SPACES = re.compile(r"[ \t\n\r\f]+")
_SPACE_CHARACTERS = " \t\n\r\f"
MOST_BLOCKS = 300_000
_MAX_HEADING_DEPTH = 16
_MENU_ITEM = 30
_FIGURE_ALONE = re.compile(r"[<>≥≤~≈约超近]{0,2} ?[¥$€]?\d[\d.,]* ?[^\s\d,，。]{0,8}")
_MENU_LINKS = 4

_AMOUNT_WORDS = (
    "约|近|超过?|达到?|高达|最高|最大|最低|低至|低于|小于|大于|至少|仅"
    "|up to|over|about|more than|less than|under|nearly"
)
_NUMBERISH = re.compile(
    rf"^(?:(?:{_AMOUNT_WORDS})\s*)*[^\w\s]{{0,2}}\s*"
    r"(?:\d|[数几多上]?[一二两三四五六七八九十百千万亿]+[\w ]{0,4}$"
    r"|[TPGM]i?B(?:/s|ps)? ?级|(?:亚?[毫微纳]?秒|分钟|小时|天)级"
    r"|(?:tens|hundreds|thousands|millions|billions) of\b)",
    re.IGNORECASE,
)
_MAX_NUMBER = 24
_MAX_LABEL = 80


@dataclass(slots=True, eq=False)
class Draft:
    """A block while its page is still being read."""

    kind: BlockKind
    start: int
    level: int = 0
    text: str = ""
    headings: tuple[str, ...] = ()
    links: int = 0
    link_count: int = 0
    chrome: bool = False
    label: int | None = None
    cell: Cell | None = None
    caption: str = ""

    @property
    def end(self) -> int:
        """Where the block ends in the document's text."""
        return self.start + len(self.text)

    def block(self) -> Block:
        """The finished block."""
        return Block(
            kind=self.kind,
            start=self.start,
            end=self.end,
            level=self.level,
            headings=self.headings,
            chrome=self.chrome,
            cell=self.cell,
            caption=self.caption,
            label=self.label,
        )


@dataclass(slots=True)
class _OpenMark:
    kind: MarkKind
    start: int = -1


class PageText:
    """Takes the page's characters in order and keeps, for every block and mark, where they went."""

    def __init__(self) -> None:
        self.drafts: list[Draft] = []
        self.marks: list[Mark] = []
        self.pos = 0
        self.link_depth = 0
        self.link_begins = False
        self.link_total = 0
        self.heading_levels: list[int] = []
        self.headings: list[tuple[int, str]] = []
        self.floor = 0  # headings below this depth stay, whatever comes (those around a <details>)
        self.term: int | None = None
        self.lists: list[list[int]] = []  # for each open list: items that look like a menu's, and others
        self._path: tuple[str, ...] = ()
        self._out: list[str] = []
        self._pieces: list[str] = []
        self._length = 0
        self._draft: Draft | None = None
        self._separator = ""
        self._pending = ""
        self._open_marks: list[_OpenMark] = []
        self._raw_cell: RawCell | None = None
        self._last_place = (-1, -1, -1)

    def write(self, text: str, kind: BlockKind, level: int, cell: RawCell | None) -> None:
        """Adds running text: each run of ASCII white space is one space, none at the ends of a block."""
        if not text.isprintable() or "  " in text:  # line ends are not printable; a lone space may stay
            text = _SPACES.sub(" ", text)
        if not text or text == " ":
            if text and self._draft is not None and not self._pending:
                self._pending = " "
            return
        if text[0] == " " and not self._pending:
            self._pending = " "
        self._append(text.strip(" "), kind, level, cell)
        self._pending = " " if text[-1] == " " else ""

    def write_raw(self, text: str, kind: BlockKind, level: int, cell: RawCell | None) -> None:
        """Adds preformatted text, its inner white space kept."""
        body = text.strip(_SPACE_CHARACTERS)
        if not body:
            self._pending += text
            return
        at = text.index(body[0])
        self._pending += text[:at]
        self._append(body, kind, level, cell)
        self._pending = text[at + len(body) :]

    def _append(self, text: str, kind: BlockKind, level: int, cell: RawCell | None) -> None:
        if self._draft is None:
            self._begin(kind, level, cell)
        elif self._pending:
            self._pieces.append(self._pending)
            self._length += len(self._pending)
        draft = self._draft
        assert draft is not None  # noqa: S101 (just begun)
        here = draft.start + self._length
        for mark in reversed(self._open_marks):
            if mark.start >= 0:
                break
            mark.start = here
        self._pieces.append(text)
        self._length += len(text)
        if self.link_depth:
            draft.links += len(text)
            self.link_total += len(text)
            draft.link_count += self.link_begins
            self.link_begins = False

    def _begin(self, kind: BlockKind, level: int, cell: RawCell | None) -> None:
        self._separator = self._separator_before(cell) if self.pos else ""
        self._draft = Draft(kind, self.pos + len(self._separator), level)
        self._raw_cell = cell
        self._length = 0

    def _separator_before(self, cell: RawCell | None) -> str:
        if cell is None:
            return "\n"
        table, row, ordinal = cell.place
        if self._last_place[:2] == (table, row) and ordinal > self._last_place[2]:
            return "\t" * (ordinal - self._last_place[2])
        return "\n" + "\t" * ordinal

    @property
    def here(self) -> int:
        """The offset of the next character, separators between blocks aside."""
        return self._draft.start + self._length if self._draft is not None else self.pos

    def soft_break(self) -> None:
        """A new line inside the block."""
        if self._draft is not None:
            self._pending = "\n"

    def touches(self) -> bool:
        """Whether the next character would follow the last without white space."""
        return self._draft is not None and not self._pending

    @property
    def in_mark(self) -> bool:
        """Whether the next character stands in a mark."""
        return bool(self._open_marks)

    def open_mark(self, kind: MarkKind) -> None:
        """Begins a mark, at the next character that is written."""
        self._open_marks.append(_OpenMark(kind))

    def close_mark(self) -> None:
        """Ends the innermost open mark; one without characters leaves nothing."""
        mark = self._open_marks.pop()
        if mark.start >= 0:
            self.marks.append(Mark(kind=mark.kind, start=mark.start, end=self.here))

    def finish(self) -> None:
        """Ends the present block. One that holds nothing but white space leaves no trace."""
        draft = self._draft
        self._pending = ""
        if draft is None:
            return
        draft.text = "".join(self._pieces)
        self._pieces.clear()
        self._draft = None
        if not draft.text.strip():
            self._forget_marks(draft.start)
            return
        self._out.append(self._separator + draft.text)
        self.pos = draft.end
        self._last_place = self._raw_cell.place if self._raw_cell is not None else (-1, -1, -1)
        draft.headings = self._path
        self._account(draft, len(self.drafts))
        self.drafts.append(draft)
        if len(self.drafts) > MOST_BLOCKS:
            raise UnreadableError(f"the page has more than {MOST_BLOCKS:,} blocks of text: split it")

    def _forget_marks(self, start: int) -> None:
        while self.marks and self.marks[-1].start >= start:
            self.marks.pop()
        for mark in reversed(self._open_marks):
            if mark.start < start:
                break
            mark.start = -1

    def _account(self, draft: Draft, index: int) -> None:
        linked = draft.links * 10 >= (len(draft.text) - draft.text.count("\n")) * 9
        if self._raw_cell is not None:
            self._raw_cell.blocks.append(index)
        if draft.kind is BlockKind.HEADING:
            self._enter_heading(draft)
        elif draft.kind is BlockKind.TERM:
            self.term = index
        elif draft.kind is BlockKind.DEFINITION:
            self._label_definition(draft, index)
        elif draft.kind is BlockKind.PARAGRAPH:
            draft.chrome = linked and draft.link_count >= _MENU_LINKS
        if self.lists:
            is_menu_item = draft.kind is BlockKind.LIST_ITEM and linked and len(draft.text) <= _MENU_ITEM
            self.lists[-1][0 if is_menu_item else 1] += 1

    def _label_definition(self, draft: Draft, index: int) -> None:
        """A term labels its definition; a figure set as a term is labelled by what it is of (3.2 Tbps: per node)."""
        term = self.drafts[self.term] if self.term is not None else None
        if (
            term
            and _FIGURE_ALONE.fullmatch(term.text.strip())
            and not _FIGURE_ALONE.fullmatch(draft.text.strip())
        ):
            term.label = index
        else:
            draft.label = self.term

    def _enter_heading(self, draft: Draft) -> None:
        level = draft.level
        while len(self.headings) > self.floor and self.headings[-1][0] >= level:
            self.headings.pop()
        self.restore_headings(self.headings)
        draft.headings = self._path
        self.heading_levels.append(level)
        if len(self.headings) < _MAX_HEADING_DEPTH:
            self.headings.append((level, _SPACES.sub(" ", draft.text)))
            self.restore_headings(self.headings)

    def restore_headings(self, headings: list[tuple[int, str]]) -> None:
        """Makes this the path of headings for the blocks to come."""
        self.headings = headings
        self._path = tuple(text for _, text in headings)

    def menu_ended(self) -> bool:
        """Ends the innermost list; whether it was a menu: four or more items, all short links."""
        items, others = self.lists.pop()
        if self.lists:
            self.lists[-1][0] += items
            self.lists[-1][1] += others
        return items >= _MENU_LINKS and not others

    def pair(self, first: int) -> None:
        """Where exactly two blocks were written since `first`, makes the words the label of the number."""
        if len(self.drafts) - first != 2:
            return
        one, two = self.drafts[first], self.drafts[first + 1]
        kinds = {BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.HEADING}
        if one.kind not in kinds or two.kind not in kinds or one.label is not None or two.label is not None:
            return
        first_counts, second_counts = _number_likeness(one.text), _number_likeness(two.text)
        if first_counts >= second_counts and first_counts > 0 and len(two.text) <= _MAX_LABEL:
            one.label = first + 1
        elif second_counts > 0 and len(one.text) <= _MAX_LABEL:
            two.label = first

    def text(self) -> str:
        """The document's text, once the last block is finished."""
        return "".join(self._out)


def _number_likeness(text: str) -> float:
    """How much of a short text is its number; 0 where it is none."""
    text = text.strip()
    if len(text) > _MAX_NUMBER or not _NUMBERISH.match(text):
        return 0.0
    digits = sum(1 for character in text if character.isdigit())
    return (digits + 1) / len(text)
