"""What each element that is more than a box means for its reader: one function an element.

Each says to the reading what it opens and gives back the call that closes it.
"""

from __future__ import annotations

from collections.abc import Callable

from extractors.html_tree import Element, is_element
from extractors.reading import Close, Reading, Region, State
from extractors.tables import Table
from schemas.document import BlockKind, Header, MarkKind

_MARKS = {
    "sup": MarkKind.SUPERSCRIPT,
    "sub": MarkKind.SUBSCRIPT,
    "s": MarkKind.STRUCK,
    "del": MarkKind.STRUCK,
    "strike": MarkKind.STRUCK,
}
_FORMULA_MARKS = {"msup": MarkKind.SUPERSCRIPT, "msub": MarkKind.SUBSCRIPT}
_SUMMARY_LEVEL = 7
_LAYOUT_ROLES = frozenset({"presentation", "none"})


def _open_soft(reading: Reading, _tag: Element) -> Close:
    reading.page.soft_break()
    return reading.page.soft_break


def _open_break(reading: Reading, _tag: Element) -> None:
    reading.page.soft_break()


def _open_block(reading: Reading, _tag: Element) -> Close:
    reading.boundary()
    return reading.boundary


def _open_section(reading: Reading, tag: Element) -> Close:
    reading.sections += 1
    inner = _open_block(reading, tag)

    def close() -> None:
        inner()
        reading.sections -= 1

    return close


def _open_mark(reading: Reading, tag: Element) -> Close:
    reading.page.open_mark(_MARKS[tag.tag])
    return reading.page.close_mark


def _open_link(reading: Reading, tag: Element) -> Close:
    page = reading.page
    before = tag.getprevious()
    beside = before is not None and before.tag == "a" and not before.tail
    if beside and page.touches() and not page.in_mark:
        page.soft_break()  # links side by side are a menu's entries, which styles keep apart
    page.link_begins = True
    page.link_depth += 1

    def close() -> None:
        page.link_depth -= 1

    return close


def _open_heading(reading: Reading, tag: Element) -> Close:
    state = reading.state
    level = int(tag.tag[1])
    if state.cell is not None and level <= 2 and not state.cell.is_th:
        # A page's heading in a cell: the table only lays the page out.
        reading.page.finish()
        reading.state = state = State(table=None)
    if state.solid:
        return _open_block(reading, tag)
    return reading.become(State(BlockKind.HEADING, level, solid=True, table=state.table, outer=state))


def _open_item(reading: Reading, tag: Element) -> Close:
    if reading.state.solid:
        return _open_block(reading, tag)
    return reading.become(reading.state._replace(kind=BlockKind.LIST_ITEM, outer=None))


def _open_list(reading: Reading, _tag: Element) -> Close:
    reading.boundary()
    page = reading.page
    page.lists.append([0, 0])
    start, links = page.here, page.link_total

    def close() -> None:
        reading.boundary()
        if page.menu_ended():
            links_here = page.link_total - links
            reading.regions.append(Region(start, page.here, links_here, named_by_tag=True))

    return close


def _open_terms(reading: Reading, _tag: Element) -> Close:
    reading.boundary()
    page = reading.page
    before, page.term = page.term, None

    def close() -> None:
        reading.boundary()
        page.term = before

    return close


def _open_term(reading: Reading, tag: Element) -> Close:
    if reading.state.solid:
        return _open_block(reading, tag)
    back = reading.become(reading.state._replace(kind=BlockKind.TERM, solid=True, outer=None))
    reading.page.term = None
    return back


def _open_definition(reading: Reading, tag: Element) -> Close:
    if reading.state.solid:
        return _open_block(reading, tag)
    return reading.become(reading.state._replace(kind=BlockKind.DEFINITION, outer=None))


def _open_pre(reading: Reading, _tag: Element) -> Close:
    state = reading.state
    if state.solid:
        before = state
        reading.page.soft_break()
        reading.state = state._replace(raw=True)

        def close() -> None:
            reading.state = before
            reading.page.soft_break()

        return close
    return reading.become(state._replace(kind=BlockKind.CODE, solid=True, raw=True, outer=None))


def _open_details(reading: Reading, tag: Element) -> Close:
    inner = _open_block(reading, tag)
    page = reading.page
    path, floor = page.headings, page.floor
    page.restore_headings(list(path))
    page.floor = len(path)

    def close() -> None:
        inner()
        page.floor = floor
        page.restore_headings(path)

    return close


def _open_summary(reading: Reading, tag: Element) -> Close:
    if reading.state.solid:
        return _open_block(reading, tag)
    back = reading.become(State(BlockKind.HEADING, _SUMMARY_LEVEL, solid=True))

    def close() -> None:
        back()
        reading.page.floor = len(reading.page.headings)

    return close


def _open_svg(reading: Reading, _tag: Element) -> Close:
    reading.svg += 1

    def close() -> None:
        reading.svg -= 1

    return close


def _open_formula(reading: Reading, tag: Element) -> None:
    """Marks the raised or lowered part of a formula, and keeps a fraction's parts from one number."""
    parts = [child for child in tag if is_element(child)]
    if len(parts) > 1:
        reading.special[parts[1]] = _FORMULA_MARKS.get(tag.tag)


def _open_table(reading: Reading, tag: Element) -> Close:
    if tag.get("role", "").lower() in _LAYOUT_ROLES:
        return _open_block(reading, tag)
    table = Table(reading.tables)
    reading.tables += 1
    back = reading.become(State(table=table))

    def close() -> None:
        back()
        _resolve(reading, table)

    return close


def _open_rows(reading: Reading, tag: Element) -> Close:
    table = reading.state.table
    if table is None:
        return _open_block(reading, tag)
    table.start_group(tag.tag)
    reading.page.finish()

    def close() -> None:
        reading.page.finish()
        table.start_group("")

    return close


def _open_row(reading: Reading, tag: Element) -> Close:
    if reading.state.table is not None:
        reading.state.table.start_row()
    return _open_block(reading, tag)


def _open_cell(reading: Reading, tag: Element) -> Close:
    table = reading.state.table
    if table is None:
        return _open_block(reading, tag)
    cell = table.add_cell(
        is_th=tag.tag == "th",
        scope=tag.get("scope", ""),
        colspan=tag.get("colspan", "1"),
        rowspan=tag.get("rowspan", "1"),
    )
    return reading.become(State(BlockKind.CELL, solid=True, cell=cell))


def _open_caption(reading: Reading, tag: Element) -> Close:
    table = reading.state.table
    if reading.state.solid:
        return _open_block(reading, tag)
    back = reading.become(State(BlockKind.CAPTION, solid=True))
    first = len(reading.page.drafts)

    def close() -> None:
        back()
        if table is not None and tag.tag == "caption" and len(reading.page.drafts) > first:
            table.caption = reading.page.drafts[first].text

    return close


def open_special(reading: Reading, tag: Element) -> Close | None:
    """Opens a part of a formula that `_open_formula` has seen; nothing for any other element."""
    if tag not in reading.special:
        return None
    kind = reading.special.pop(tag)
    if kind is None:
        return _open_soft(reading, tag)
    reading.page.open_mark(kind)
    return reading.page.close_mark


def _resolve(reading: Reading, table: Table) -> None:
    drafts = reading.page.drafts
    for row in table.rows:
        for cell in row.cells:
            if cell.blocks:
                first = drafts[cell.blocks[0]]
                cell.header = Header(text=first.text, start=first.start, end=first.end)
    for cell, place in table.resolve():
        for index in cell.blocks:
            drafts[index].cell = place
            drafts[index].caption = table.caption


_BY_GROUP: dict[str, Callable[[Reading, Element], Close | None]] = {
    "br": _open_break,
    "button": _open_soft,
    "a": _open_link,
    "li": _open_item,
    "ul ol": _open_list,
    "dl": _open_terms,
    "dt": _open_term,
    "dd": _open_definition,
    "pre listing xmp": _open_pre,
    "details": _open_details,
    "summary": _open_summary,
    "svg": _open_svg,
    "msup msub mfrac": _open_formula,
    "table": _open_table,
    "thead tbody tfoot": _open_rows,
    "tr": _open_row,
    "td th": _open_cell,
    "caption figcaption": _open_caption,
    "main article section": _open_section,
    "h1 h2 h3 h4 h5 h6": _open_heading,
    "sup sub s del strike": _open_mark,
}
OPENERS = {name: opener for group, opener in _BY_GROUP.items() for name in group.split()}
