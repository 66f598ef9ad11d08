"""Walks a parsed page once, in order, and says to `Reading` what each element means for its reader.

The walk keeps its own stack: pages nest deeper than Python recurses. Each element that opened something
leaves the call that closes it on that stack.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from bs4 import BeautifulSoup, Tag
from bs4.element import PageElement, PreformattedString, Script, Stylesheet

from extractors import chrome, visibility
from extractors.chrome import word_set
from extractors.elements import OPENERS, open_special
from extractors.reading import Close, Reading, Region

_BLOCKS = word_set(
    "html body div p section article main header footer nav aside address blockquote center figure form "
    "fieldset legend hr option optgroup select dir menu search hgroup dialog tr thead tbody tfoot "
    "colgroup details"
)
_LINES = _BLOCKS | word_set("li td th br dt dd h1 h2 h3 h4 h5 h6 table ul ol dl pre")
_CONTAINERS = frozenset({"div", "li", "section", "article", "figure"})
# A heading that holds one of these was never closed by its author.
_END_HEADING = word_set("p ul ol dl table section article h1 h2 h3 h4 h5 h6 pre blockquote")


def read_markup(soup: BeautifulSoup) -> Reading:
    """Everything that a parsed page shows, hides and is called."""
    walk = _Walk(visibility.Stylesheet(_sheets(soup)))
    walk.through(soup)
    walk.reading.page.finish()
    return walk.reading


class _Walk:
    def __init__(self, sheet: visibility.Stylesheet) -> None:
        self.reading = Reading()
        self._sheet = sheet

    def through(self, soup: BeautifulSoup) -> None:
        stack: list[tuple[Iterator[PageElement], Close | None]] = [(iter(soup.contents), None)]
        while stack:
            children, close = stack[-1]
            for node in children:
                if isinstance(node, Tag):
                    if self._is_shown(node):
                        closing = self._open(node)
                        if node.contents or closing is not None:
                            stack.append((iter(node.contents), closing))
                            break
                elif not isinstance(node, PreformattedString):
                    self._text(str(node))
            else:
                stack.pop()
                if close is not None:
                    close()

    def _text(self, text: str) -> None:
        state, page = self.reading.state, self.reading.page
        write = page.write_raw if state.raw else page.write
        write(text, state.kind, state.level, state.cell)

    def _is_shown(self, tag: Tag) -> bool:
        name = tag.name
        if name in visibility.SILENT:
            return False
        if name == "title":
            self._take_title(tag)
            return False
        if tag.attrs or name in visibility.NEVER_SHOWN or name == "dialog":
            reason = visibility.hidden_reason(tag, self._sheet)
            if reason:
                self.reading.hide(_hidden_text(tag), reason)
                return False
        return True

    def _take_title(self, tag: Tag) -> None:
        if self.reading.svg:
            self.reading.hide(_hidden_text(tag), "picture description")
        elif not self.reading.title:
            self.reading.title = " ".join(_hidden_text(tag).split())

    def _open(self, tag: Tag) -> Close | None:
        name, reading = tag.name, self.reading
        if reading.state.outer is not None and name in _END_HEADING:
            reading.page.finish()
            reading.state = reading.state.outer
        opener = OPENERS.get(name)
        close: Close | None = None
        if opener is not None:
            close = opener(reading, tag)
        elif name in _BLOCKS:
            reading.boundary()
            close = reading.boundary
        if close is None and reading.special:
            close = open_special(reading, tag)
        if name in _CONTAINERS:
            close = partial(_close_container, reading, close, len(reading.page.drafts))
        if chrome.is_candidate(name, tag.attrs) and not (name == "header" and reading.sections):
            close = _watch(reading, tag, close)
        return close


def _close_container(reading: Reading, close: Close | None, first: int) -> None:
    if close is not None:
        close()
    reading.page.pair(first)


def _watch(reading: Reading, tag: Tag, close: Close | None) -> Close:
    """Measures an element that may be frame, from here to its end."""
    page = reading.page
    start, links, heads = page.here, page.link_total, len(page.heading_levels)
    path = page.headings
    page.restore_headings(list(path))
    by_tag = chrome.is_named_by_tag(tag.name, tag.attrs)

    def end() -> None:
        if close is not None:
            close()
        levels = page.heading_levels[heads:]
        reading.regions.append(
            Region(
                start=start,
                end=page.here,
                links=page.link_total - links,
                named_by_tag=by_tag,
                has_h1=1 in levels,
                has_heading=bool(levels),
                is_header=tag.name == "header",
            )
        )
        if 1 not in levels:
            page.restore_headings(path)  # what a sidebar is headed by heads nothing after it

    return end


def _sheets(soup: BeautifulSoup) -> list[str]:
    found = []
    node = soup.contents[0] if soup.contents else None
    while node is not None:
        if type(node) is Stylesheet:
            found.append(str(node))
        node = node.next_element
    return found


def _hidden_text(tag: Tag) -> str:
    pieces: list[str] = []
    for node in tag.descendants:
        if isinstance(node, Tag):
            if node.name in _LINES:
                pieces.append(" ")
        elif not isinstance(node, (PreformattedString, Script, Stylesheet)):
            pieces.append(str(node))
    return "".join(pieces)
