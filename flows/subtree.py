"""The pages below a source's own that are watched with it: found by its links, visited under names of their own."""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from flows.sources import same_page
from schemas.source import Source

JOINT = "--"
"""Between the id of a source and that of a page below it."""

_NO_PAGES = frozenset(
    ".png .jpg .jpeg .gif .svg .webp .ico .css .js .mjs .json .xml .zip .gz .tar .tgz .rar .7z .exe .dmg .deb .rpm .mp4 "
    ".mp3 .webm .woff .woff2 .ttf .csv .xls .xlsx .doc .docx .ppt .pptx .rss .atom".split()
)


class Subtree:
    """The pages of one source's scope, in the order in which links lead to them, nearest first.

    `known`: pages of earlier runs, which come last where no link leads to them any more, so that what became
    of them is told. `listed`: addresses that have an entry of their own in the list, which are left to it.
    """

    def __init__(self, source: Source, *, known: Iterable[Source] = (), listed: Collection[str] = ()) -> None:
        self._source = source
        self._seen = {same_page(source.url), *listed}
        self._known = [page for page in known if is_below(source, page.url)]
        self._waiting: deque[tuple[Source, int]] = deque()
        self._depths = {source.id: 0}

    def found(self, page: Source, links: Iterable[str]) -> None:
        """Takes note of the links of a page that was visited."""
        scope = self._source.crawl
        depth = self._depths.get(page.id)
        if scope is None or depth is None or depth >= scope.depth:
            return
        for link in links:
            if is_below(self._source, link) and (key := same_page(link)) not in self._seen:
                self._seen.add(key)
                child = child_of(self._source, link)
                self._depths[child.id] = depth + 1
                self._waiting.append((child, depth + 1))

    def __iter__(self) -> Iterator[Source]:
        """The pages one by one; what is found meanwhile comes in its turn."""
        left = self._source.crawl.pages if self._source.crawl else 0
        while left and self._waiting:
            left -= 1
            yield self._waiting.popleft()[0]
        for page in self._known:
            if left and same_page(page.url) not in self._seen:
                left -= 1
                yield child_of(self._source, page.url)


def child_of(source: Source, url: str) -> Source:
    """The page below a source as a source: its vendor, product, tier and language are its parent's."""
    path = unquote(urlsplit(url).path)
    words = re.sub(r"\.(?:html?|md|php|aspx?)$", "", path.removeprefix(_folder(source)), flags=re.IGNORECASE)
    tail = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:30].strip("-")
    # The digest tells apart what the words do not; the parent's id is cut where both would be too long.
    digest = hashlib.sha256(same_page(url).encode("utf-8", "replace")).hexdigest()[:8]
    name = f"{source.id[:36]}{JOINT}{tail}{'-' if tail else ''}{digest}"
    unset = {"title": "", "twin": "", "crawl": None, "every": ""}
    return source.model_copy(update={**unset, "id": name, "url": url})


def is_child_of(source: Source, source_id: str) -> bool:
    """Whether an id is that of a page below the source."""
    return source_id.startswith(f"{source.id[:36]}{JOINT}")


def is_below(source: Source, url: str) -> bool:
    """Whether an address lies in the source's scope: same scheme, host and folder, a page, without a query."""
    try:
        own, parts = urlsplit(source.url), urlsplit(url)
    except ValueError:
        return False
    path = parts.path
    inside = path.startswith(_folder(source)) and ".." not in path.split("/")
    is_page = PurePosixPath(path).suffix.lower() not in _NO_PAGES
    return (parts.scheme, parts.netloc.lower()) == (own.scheme, own.netloc.lower()) and (
        inside and is_page and not parts.query
    )


def _folder(source: Source) -> str:
    if source.crawl is not None and source.crawl.under:
        return source.crawl.under
    return urlsplit(source.url).path.rpartition("/")[0] + "/"
