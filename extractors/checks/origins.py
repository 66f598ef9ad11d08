"""Where a statement comes from: who stands behind a page, and which pages only repeat another.

The allow-list and the source list decide, never a model. A page that carries an official page's words, its figures
in another language, or a link that names it as its original is of that page's origin and adds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote, urljoin, urlsplit

from extractors.checks.running import Found
from schemas.check import Verdict
from schemas.source import Tier

VERSION = "4"

_ENOUGH = 4
"""Fewer shared statements may be chance."""
_MOST = (4, 5)
"""The share of a page's statements that must stand in another for the page to be a copy."""
_HEAD = 200_000
_TRANSLATED = ".translate.goog"
_NAMED = re.compile(r"(https?):/{1,2}([a-z0-9.-]+\.[a-z]{2,}(?:[:/][^\s&]*)?)", re.IGNORECASE)
_CANONICAL = re.compile(
    r"<link\b(?=[^>]{0,400}\brel\s*=\s*[\"']?canonical\b)[^>]{0,400}?\bhref\s*=\s*[\"']?([^\"'\s>]{1,2000})"
    r"|<meta\b(?=[^>]{0,400}\bproperty\s*=\s*[\"']?og:url\b)[^>]{0,400}?\bcontent\s*=\s*[\"']?([^\"'\s>]{1,2000})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page as far as its authority goes. `host_vendor`, `host_tier`: whose host it is by the allow-list, if listed.

    `original`: the id of the page that it repeats, and `how` that is known.
    """

    source_id: str
    vendor: str | None
    tier: Tier
    url: str = ""
    language: str = ""
    host_vendor: str | None = None
    host_tier: Tier | None = None
    original: str = ""
    how: str = ""


def authority(page: Page, vendor: str | None) -> Found:
    """How close the page is to what it says of `vendor`: T1 to T4."""
    if page.original:
        return Found(Verdict.T4, f"repeats {page.original}: {page.how}", {"original": page.original})
    about = vendor or page.vendor
    if page.host_vendor is not None:
        if about is not None and page.host_vendor != about:
            return Found(Verdict.T4, f"a page of {page.host_vendor} about {about}")
        if page.host_tier in ("T3", "T4"):
            return Found(
                Verdict(page.host_tier), f"what others write on {page.host_vendor}'s host, by the allow-list"
            )
        tier = page.tier if page.tier in ("T1", "T2") else page.host_tier or page.tier
        return Found(Verdict(tier), f"on {page.host_vendor}'s own host, by the allow-list")
    if page.tier in ("T1", "T2") and page.vendor is not None and about is not None and page.vendor != about:
        return Found(Verdict.T4, f"a page of {page.vendor} about {about}")
    return Found(Verdict(page.tier), "the source list says so; no vendor's host is known there")


def origin(page: Page, verdict: Verdict, vendor: str | None) -> str:
    """Who speaks: a vendor through all its own pages and languages, anybody else through each page."""
    if verdict in (Verdict.T1, Verdict.T2):
        return f"vendor:{vendor or page.vendor or page.source_id}"
    return f"page:{page.original or page.source_id}"


def canonical_link(body: bytes, url: str) -> str:
    """The address that the page's head names as its original, where that is another host's; else nothing."""
    found = _CANONICAL.search(body[:_HEAD].decode("latin-1"))
    if found is None:
        return ""
    try:
        link = urljoin(url, found[1] or found[2])
        parts = urlsplit(link)
        named, own = parts.hostname, urlsplit(url).hostname
    except ValueError:
        return ""
    return link if parts.scheme in ("http", "https") and named and named != own else ""


def proxied(url: str) -> str:
    """The address that a reader, archive or translation proxy shows, as its own address names it; else nothing."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
    except ValueError:
        return ""
    if host.endswith(_TRANSLATED):
        # Dots are written as dashes there, and dashes as two.
        name = host.removesuffix(_TRANSLATED).replace("--", "\0").replace("-", ".").replace("\0", "-")
        return f"https://{name}{parts.path}"
    named = _NAMED.search(unquote(f"{parts.path}?{parts.query}" if parts.query else parts.path))
    return f"{named[1]}://{named[2]}" if named else ""


def says_no_more(quotes: Iterable[str], of: Iterable[str]) -> bool:
    """Whether nearly all of a page's quotes, few as they may be, stand on another page word for word."""
    one, other = set(quotes), set(of)
    return bool(one) and _is_mostly_in(one, other)


def is_copy(quotes: Iterable[str], of: Iterable[str]) -> bool:
    """Whether nearly all of a page's quotes stand on another page word for word, and there are enough of them."""
    return _mostly_in(set(quotes), set(of))


def is_translation(figures: Iterable[object], of: Iterable[object]) -> bool:
    """Whether two pages state nearly the same figures of the same metrics; for pages in two languages."""
    one, other = set(figures), set(of)
    return _mostly_in(one, other) and _mostly_in(other, one)


def _mostly_in(one: set[object] | set[str], other: set[object] | set[str]) -> bool:
    return len(one) >= _ENOUGH and _is_mostly_in(one, other)


def _is_mostly_in(one: set[object] | set[str], other: set[object] | set[str]) -> bool:
    return len(one & other) * _MOST[1] >= len(one) * _MOST[0]
