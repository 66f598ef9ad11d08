"""Walks a parsed page once, in order, and says to `Reading` what each element means for its reader.

The walk keeps its own stack: pages nest deeper than Python recurses. Each element that opened something
leaves the call that closes it on that stack.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from extractors import chrome, visibility
from extractors.chrome import word_set
from extractors.elements import OPENERS, open_special
from extractors.html_tree import Element, is_element, walk
from extractors.reading import Close, Reading, Region

_BLOCKS = word_set(
    "html body div p section article main header footer nav aside address blockquote center figure form "
    "fieldset legend hr option optgroup select dir menu search hgroup dialog tr thead tbody tfoot "
    "colgroup details"
)
_LINES = _BLOCKS | word_set("li td th br dt dd h1 h2 h3 h4 h5 h6 table ul ol dl pre")
_PROGRAMS = frozenset({"script", "style"})
_CONTAINERS = frozenset({"div", "li", "section", "article", "figure"})
# A heading that holds one of these was never closed by its author.
_END_HEADING = word_set("p ul ol dl table section article h1 h2 h3 h4 h5 h6 pre blockquote")


def read_markup(roots: list[Element]) -> Reading:
    """Everything that a parsed page shows, hides and is called."""
    sheets = (style.text or "" for root in roots for style in root.iter("style"))
    reader = _Walk(visibility.Stylesheet(sheets))
    reader.through(roots)
    reader.reading.page.finish()
    return reader.reading


class _Walk:
    def __init__(self, sheet: visibility.Stylesheet) -> None:
        self.reading = Reading()
        self._sheet = sheet

    def through(self, roots: list[Element]) -> None:
        # For each open element: its later siblings, the call that closes it, the text behind it, and itself (lxml
        # lets go of a node by looking upwards for one that is still held: the nearer, the better).
        stack: list[tuple[Iterator[Element], Close | None, str | None, Element]] = []
        siblings = iter(roots)
        while True:
            for node in siblings:
                after = node.tail
                if is_element(node) and self._is_shown(node, attributes := dict(node.items())):
                    close = self._open(node, attributes)
                    if node.text:
                        self._text(node.text)
                    if len(node):
                        stack.append((siblings, close, after, node))
                        siblings = iter(node)
                        break
                    if close is not None:
                        close()
                if after:
                    self._text(after)
            else:
                if not stack:
                    return
                siblings, close, after, _ = stack.pop()
                if close is not None:
                    close()
                if after:
                    self._text(after)

    def _text(self, text: str) -> None:
        state, page = self.reading.state, self.reading.page
        write = page.write_raw if state.raw else page.write
        write(text, state.kind, state.level, state.cell)

    def _is_shown(self, tag: Element, attributes: dict[str, str]) -> bool:
        name = tag.tag
        if name in visibility.SILENT:
            return False
        if name == "title":
            self._take_title(tag)
            return False
        if attributes or name in visibility.NEVER_SHOWN or name == "dialog":
            reason = visibility.hidden_reason(tag, attributes, self._sheet)
            if reason:
                self.reading.hide(_hidden_text(tag), reason)
                return False
        return True

    def _take_title(self, tag: Element) -> None:
        if self.reading.svg:
            self.reading.hide(_hidden_text(tag), "picture description")
        elif not self.reading.title:
            self.reading.title = " ".join(_hidden_text(tag).split())

    def _open(self, tag: Element, attributes: dict[str, str]) -> Close | None:
        name, reading = tag.tag, self.reading
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
        if chrome.is_candidate(name, attributes) and not (name == "header" and reading.sections):
            close = _watch(reading, name, attributes, close)
        return close


def _close_container(reading: Reading, close: Close | None, first: int) -> None:
    if close is not None:
        close()
    reading.page.pair(first)


def _watch(reading: Reading, name: str, attributes: dict[str, str], close: Close | None) -> Close:
    """Measures an element that may be frame, from here to its end."""
    page = reading.page
    start, links, heads = page.here, page.link_total, len(page.heading_levels)
    path = page.headings
    page.restore_headings(list(path))
    by_tag = chrome.is_named_by_tag(name, attributes)

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
                is_header=name == "header",
            )
        )
        if 1 not in levels:
            page.restore_headings(path)  # what a sidebar is headed by heads nothing after it

    return end


def _hidden_text(tag: Element) -> str:
    """The words under an element that is not shown, lines parted; program text is none."""
    pieces: list[str] = []
    for event, node in walk(tag):
        if event == "start":
            if node is not tag and node.tag in _LINES:
                pieces.append(" ")
            if node.tag not in _PROGRAMS:
                pieces.append(node.text or "")
        elif node is not tag:
            pieces.append(node.tail or "")
    return "".join(pieces)
