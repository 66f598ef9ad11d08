"""Pages that say nothing until their scripts have run, and what such a page links to."""

from __future__ import annotations

import re
from urllib.parse import urldefrag, urljoin, urlsplit

from extractors.decode import clean, decode
from extractors.html_tree import parse_html
from schemas.errors import UnreadableError

_LITTLE = 600
_HARDLY_ANY = 120
_UNSEEN = re.compile(
    r"<(script|style|template|svg|head)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL | re.IGNORECASE
)
_TAG = re.compile(r"<[^<>]*>")
_SCRIPT = re.compile(r"<script\b", re.IGNORECASE)
_WANTS_SCRIPTS = re.compile(
    r"(?:enable|requires?|needs?|activate|turn on|without)[^.<>]{0,40}java ?script|java ?script[^.<>]{0,40}"
    r"(?:enabled|required|disabled|is off)|(?:启用|开启|打开|允许|不支持|禁用)[^。<>]{0,12}java ?script"
    r"|java ?script[^。<>]{0,12}(?:启用|开启|打开|禁用|被禁)|JavaScript ?を有効",
    re.IGNORECASE,
)
_MARKDOWN_LINK = re.compile(r"\]\(\s*<?([^\s<>()]+)")
_LONGEST = 4 * 1024 * 1024
_MOST_LINKS = 5000


def looks_like_shell(body: bytes, content_type: str = "") -> bool:
    """Whether a page of HTML holds scripts and next to no words, or few and a wish for JavaScript among them."""
    if len(body) > _LONGEST or b"\x00" in body[:1024]:
        return False
    text = decode(body, content_type).text
    if not _SCRIPT.search(text):
        return False
    shown = _TAG.sub(" ", _UNSEEN.sub(" ", text))
    size = sum(map(len, shown.split()))
    return size < _HARDLY_ANY or (size < _LITTLE and _WANTS_SCRIPTS.search(shown) is not None)


def twin_named_by(body: bytes, url: str, content_type: str = "") -> str:
    """The address of the Markdown twin that a page names in its head; "" where it names none."""
    for attributes in _elements(body, content_type, "link"):
        kind = attributes.get("type", "").partition(";")[0].strip().lower()
        relation = attributes.get("rel", "").lower().split()
        if "alternate" in relation and kind in ("text/markdown", "text/x-markdown", "text/plain"):
            return _address(url, attributes.get("href", ""))
    return ""


def links_of(body: bytes, url: str, content_type: str = "") -> tuple[str, ...]:
    """The addresses that a page links to, in its order, each once, without what comes after #."""
    found: dict[str, None] = {}
    kind = content_type.partition(";")[0].strip().lower()
    if kind in ("text/markdown", "text/x-markdown", "text/plain"):
        named = (link[1] for link in _MARKDOWN_LINK.finditer(decode(body, content_type).text))
    else:
        named = (attributes.get("href", "") for attributes in _elements(body, content_type, "a"))
    for link in named:
        if address := _address(url, link):
            found.setdefault(address)
        if len(found) >= _MOST_LINKS:
            break
    return tuple(found)


def _elements(body: bytes, content_type: str, name: str) -> list[dict[str, str]]:
    try:
        roots = parse_html(clean(decode(body, content_type).text))
    except UnreadableError:
        return []
    return [dict(element.items()) for root in roots for element in root.iter(name)]


def _address(url: str, link: str) -> str:
    try:
        address = urldefrag(urljoin(url, link.strip())).url
        parts = urlsplit(address)
    except ValueError:
        return ""
    odd = parts.scheme not in ("http", "https") or "@" in parts.netloc or re.search(r"[\s\x00-\x1f]", address)
    return "" if odd else address
