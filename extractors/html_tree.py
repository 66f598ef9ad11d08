"""From HTML, however broken, to a tree: lxml's own, whose parser BeautifulSoup would use too (decision 8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, cast

from lxml import etree  # type: ignore[import-untyped]

from schemas.errors import UnreadableError

MAX_DEPTH = 100_000


class Element(Protocol):
    """What the reader uses of an element. `tag` is no str for comments and instructions, which say nothing."""

    tag: str
    text: str | None
    tail: str | None

    def __iter__(self) -> Iterator[Element]: ...
    def __len__(self) -> int: ...

    def get(self, name: str, default: str = "") -> str:
        """The attribute's value."""
        ...

    def items(self) -> list[tuple[str, str]]:
        """The attributes in the order in which they are written."""

    def iter(self, *names: str) -> Iterator[Element]:
        """The element and all below it in order, or those of them with these names ("*": no comments)."""

    def getprevious(self) -> Element | None:
        """The node before this one under the same parent."""


def parse_html(text: str) -> list[Element]:
    """The page's roots in order: none where the text holds nothing, several where it goes on after `</html>`.

    Takes text without control characters and surrogates (see `decode.clean`).
    Raises UnreadableError: nested deeper than MAX_DEPTH.
    """
    body = text.encode()
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    try:
        first = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:
        return []
    last = parser.error_log.last_error
    if last is not None and last.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
        # The parser itself builds no tree deeper than 2,048 and drops the rest of the page.
        deep = etree.HTMLParser(encoding="utf-8", huge_tree=True, target=_DeepTree())
        return cast(list[Element], etree.fromstring(body, deep))
    return [] if first is None else [first, *first.itersiblings("*")]


class _DeepTree:
    """Builds the tree from what the parser reports, far deeper than the parser would."""

    def __init__(self) -> None:
        self._builder = etree.TreeBuilder()
        self._depth = 0
        self._too_deep = False
        self.start("roots", {})

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._too_deep = self._too_deep or self._depth > MAX_DEPTH
        if not self._too_deep:
            self._builder.start(tag, attributes)

    def end(self, tag: str) -> None:
        self._depth -= 1
        if not self._too_deep:
            self._builder.end(tag)

    def data(self, text: str) -> None:
        if not self._too_deep:
            self._builder.data(text)

    def close(self) -> list[Element]:
        if self._too_deep:
            raise UnreadableError(
                f"the page nests deeper than {MAX_DEPTH:,} elements: no reader sees such a page"
            )
        self.end("roots")
        return list(self._builder.close())


def is_element(node: Element) -> bool:
    """Whether a node of the tree is an element: neither a comment nor an instruction."""
    return isinstance(cast(Any, node.tag), str)


def walk(root: Element) -> Iterator[tuple[str, Element]]:
    """Each node under `root` in order, as ("start", node) and ("end", node), however deep; `root` too."""
    return iter(etree.iterwalk(root, events=("start", "end", "comment", "pi")))
