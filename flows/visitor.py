"""Visits a page in the form that can be read: its Markdown twin, its own bytes, or what a browser makes of them."""

from __future__ import annotations

import hashlib
import re
from types import TracebackType
from urllib.parse import urlsplit

from extractors.shell import looks_like_shell, twin_named_by
from flows.browser import Browser, missing_for_browser
from flows.fetch import Fetcher, user_agent
from flows.outcome import Fetched
from schemas.errors import FetchError
from schemas.source import FetchStatus, Snapshot, Source

_MARKUP = frozenset({"text/html", "application/xhtml+xml", ""})
_PLAIN = frozenset({"text/markdown", "text/x-markdown", "text/plain"})
_ENOUGH = 200
_RENDERED_TYPE = "text/html; charset=utf-8"


class Visitor:
    """Fetches sources as `Fetcher` does, in a `with` block, and looks behind the shells of scripts.

    A source's own twin goes first. A page that is a shell is looked for as Markdown (the twin that it names in
    its head, then its address with .md), and then shown by a browser, where one is there and the source allows it;
    else the shell itself is what was fetched.
    """

    def __init__(self, fetcher: Fetcher, *, contact: str = "", page_seconds: float = 60.0) -> None:
        self._fetcher = fetcher
        self._browser = Browser(fetcher.ask, user_agent=user_agent(contact), page_seconds=page_seconds)

    def __enter__(self) -> Visitor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._browser.__exit__(kind, error, trace)

    def fetch(self, source: Source, last: Snapshot | None = None) -> Fetched:
        """Visits a source and tells what came of it; see `Fetcher.fetch`."""
        if source.twin and (found := self._twin(source, source.twin, last)):
            return found
        fetched = self._fetcher.fetch(source, last)
        if not _is_markup(fetched):
            return fetched
        body, kind = fetched.body or b"", _type_of(fetched)
        shell = looks_like_shell(body, kind)
        if shell:
            for twin in _twins(body, fetched.url, kind):
                if found := self._twin(source, twin, last):
                    return found
        if source.render == "always" or (shell and source.render == "auto"):
            return self._shown(source, fetched, last)
        return fetched

    def _twin(self, source: Source, twin: str, last: Snapshot | None) -> Fetched | None:
        """The twin, where it is there and says something; None where the page itself must be looked at."""
        fetched = self._fetcher.fetch(source.model_copy(update={"url": twin}), last)
        if fetched.visit.status is FetchStatus.UNCHANGED:
            return fetched
        if fetched.visit.status is not FetchStatus.CHANGED or fetched.body is None:
            return None
        kind = _type_of(fetched).partition(";")[0].strip().lower()
        # A server that has no such page often sends another one, as HTML, in its place.
        is_text = kind in _PLAIN and not re.match(
            rb"\s*(?:<!doctype|<html)", fetched.body[:200], re.IGNORECASE
        )
        return fetched if is_text and len(fetched.body) >= _ENOUGH else None

    def _shown(self, source: Source, fetched: Fetched, last: Snapshot | None) -> Fetched:
        snapshot = fetched.visit.snapshot
        if snapshot is None or missing_for_browser():
            return fetched
        try:
            shown = self._browser.show(
                fetched.url, fetched.body or b"", snapshot.content_type, source.language
            )
        except FetchError as error:
            failed = {"status": FetchStatus.FAILED, "reason": str(error), "snapshot": None}
            return Fetched(
                fetched.visit.model_copy(update=failed), url=fetched.url, redirects=fetched.redirects
            )
        sha256 = hashlib.sha256(shown.body).hexdigest()
        if last is not None and last.sha256 == sha256:
            same = {"status": FetchStatus.UNCHANGED, "snapshot": last}
            return Fetched(fetched.visit.model_copy(update=same), url=shown.url, redirects=fetched.redirects)
        # Marks of the shell say nothing of what its scripts bring: without them it is always asked for whole.
        made = {
            "sha256": sha256,
            "size": len(shown.body),
            "url": shown.url,
            "content_type": _RENDERED_TYPE,
            "etag": "",
            "last_modified": "",
            "rendered": True,
        }
        visit = fetched.visit.model_copy(update={"snapshot": snapshot.model_copy(update=made)})
        return Fetched(visit, shown.body, shown.url, redirects=fetched.redirects)


def _is_markup(fetched: Fetched) -> bool:
    kind = _type_of(fetched).partition(";")[0].strip().lower()
    return fetched.visit.status is FetchStatus.CHANGED and fetched.body is not None and kind in _MARKUP


def _type_of(fetched: Fetched) -> str:
    return fetched.visit.snapshot.content_type if fetched.visit.snapshot else ""


def _twins(body: bytes, url: str, content_type: str) -> list[str]:
    """Where a page's Markdown may lie: at the address that it names, on its own host, and beside it."""
    parts = urlsplit(url)
    named = twin_named_by(body, url, content_type)
    path = re.sub(r"\.html?$", "", parts.path).rstrip("/")
    beside = parts._replace(path=f"{path}.md", query="", fragment="").geturl() if path else ""
    own = [twin for twin in (named, beside) if twin and urlsplit(twin).netloc == parts.netloc]
    return list(dict.fromkeys(own))
