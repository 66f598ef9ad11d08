"""Which parts of a page are its frame: menus, banners, sidebars and footers, which state nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache


def word_set(words: str) -> frozenset[str]:
    """The words of one string, so that long sets stay readable."""
    return frozenset(words.split())


_TAGS = frozenset({"nav", "footer", "aside", "header", "select", "menu"})
_ROLES = frozenset({"navigation", "contentinfo", "complementary", "banner", "menu", "menubar", "search"})
_NEVER = word_set(
    "html body main article table thead tbody tfoot tr td th caption h1 h2 h3 h4 h5 h6 b i em strong code "
    "pre sup sub s del mark small dt dd"
)
_WORDS = word_set(
    "cookie cookies sidebar sidenav nav navbar topnav topbar navigation menu menubar submenu footer foot "
    "breadcrumb breadcrumbs crumb crumbs toc skip related share sharing social hot recommend recommended "
    "recommendation recommendations pagination pager"
)
# A name such as has-sidebar or foot-notes speaks of a page's state or of its notes.
_OTHERWISE = word_set("has with without no not is open fixed note notes layout file nfs smb storage data")
_NOTE_WORDS = word_set(
    "note notes warning caution tip important admonition callout info success special key alert notice "
    "danger highlight"
)
_SPLIT = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])")


def is_candidate(name: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element names itself as part of the frame; what it holds decides later (`accepted`)."""
    if name in _NEVER:
        return False
    if not attributes:
        return name in _TAGS
    names = attributes.get("class", "")
    identity = attributes.get("id", "")
    role = attributes.get("role", "").lower()
    if name == "aside" and _speaks_of(names, _NOTE_WORDS):
        return False  # documentation sets its notes and warnings as asides
    return name in _TAGS or role in _ROLES or _speaks_of_frame(names) or _speaks_of_frame(identity)


def is_named_by_tag(name: str, attributes: Mapping[str, str]) -> bool:
    """Whether the page's markup, not a mere class name, says that the element is frame."""
    return name in _TAGS or attributes.get("role", "").lower() in _ROLES


@lru_cache(maxsize=4096)
def _speaks_of(names: str, words: frozenset[str]) -> bool:
    return any(not words.isdisjoint(_SPLIT.split(name.lower())) for name in names.split())


@lru_cache(maxsize=4096)
def _speaks_of_frame(names: str) -> bool:
    for name in names.split():
        words = {word.lower() for word in _SPLIT.split(name)}
        if not _WORDS.isdisjoint(words) and _OTHERWISE.isdisjoint(words):
            return True
    return False


_WRAPPER_LENGTH = 400
_LINK_DENSE = 0.7


def accepted(*, named_by_tag: bool, has_h1: bool, size: int, links: int, page: int) -> bool:
    """Whether a candidate really is frame, by what it holds.

    `size`, `links` and `page` count characters: in the element, in its links, on the page. What holds the
    page's h1, or more than half of its words without being a list of links, is a wrapper of the page.
    """
    if has_h1:
        return False
    if named_by_tag or links >= _LINK_DENSE * size:
        return True
    return size * 2 <= page or size < _WRAPPER_LENGTH
