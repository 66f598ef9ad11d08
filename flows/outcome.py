"""What an answer from the web means for a source: changed, unchanged, gone or failed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from flows.transfer import Answer
from schemas.source import FetchStatus, Redirect, Snapshot, Source, Visit

_GONE = frozenset({404, 410})
_MOST_HEADERS = 64


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a visit brought. `body` is there where the page is new or changed, and only then.

    `url`: where the page was found after `redirects`. `disallowed`: robots.txt keeps us out.
    """

    visit: Visit
    body: bytes | None = None
    url: str = ""
    disallowed: bool = False
    redirects: tuple[Redirect, ...] = ()


def outcome(
    source: Source,
    last: Snapshot | None,
    at: datetime,
    answer: Answer,
    url: str,
    max_bytes: int,
    redirects: tuple[Redirect, ...] = (),
) -> Fetched:
    """Gives what an answer, found at `url`, makes of a source whose page was `last` before."""

    def visit(status: FetchStatus, snapshot: Snapshot | None = None, reason: str = "") -> Visit:
        return Visit(
            source_id=source.id,
            at=at,
            status=status,
            http_status=answer.status,
            snapshot=snapshot,
            reason=reason,
        )

    if answer.status == 304 and last is not None and last.url == url:
        return Fetched(visit(FetchStatus.UNCHANGED, last), url=url, redirects=redirects)
    if answer.status in _GONE:
        reason = f"the page is gone ({answer.status}); if it moved, give its new url in the source list"
        return Fetched(visit(FetchStatus.GONE, reason=reason), url=url, redirects=redirects)
    if problem := _problem(answer, max_bytes):
        return Fetched(visit(FetchStatus.FAILED, reason=problem), url=url, redirects=redirects)
    sha256 = hashlib.sha256(answer.body).hexdigest()
    if last is not None and last.sha256 == sha256:
        return Fetched(visit(FetchStatus.UNCHANGED, last), url=url, redirects=redirects)
    snapshot = Snapshot(
        sha256=sha256,
        source_id=source.id,
        url=url,
        fetched_at=at,
        content_type=answer.headers.get("content-type", "")[:200],
        size=len(answer.body),
        etag=answer.headers.get("etag", "")[:1000],
        last_modified=answer.headers.get("last-modified", "")[:100],
        http_status=answer.status,
        headers=_kept(answer.headers),
        redirects=redirects,
    )
    return Fetched(visit(FetchStatus.CHANGED, snapshot), answer.body, url, redirects=redirects)


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    """What the server said of the page. Cookies are nobody's business; what is endless is cut."""
    named = [(name.lower(), value) for name, value in headers.items()]
    return {
        name[:100]: value[:1000] for name, value in named[:_MOST_HEADERS] if not name.startswith("set-cookie")
    }


def _problem(answer: Answer, max_bytes: int) -> str:
    """Why an answer brings no page; "" where it does."""
    status = answer.status
    if status in (401, 403):
        return f"the site refused the page ({status}); save it from a browser and use `koujing extract FILE`"
    if status == 429:
        return "the site asks for fewer requests (429); try again later or leave more time between them"
    if status >= 500:
        return f"the site failed ({status}); try again later"
    if status not in (200, 203):
        return f"the site answered {status}, which brings no page; check the url"
    if answer.cut:
        return f"the page is larger than {max_bytes} bytes; give a smaller page"
    if not answer.body:
        return "empty body: the page holds nothing; open it in a browser, and try again later"
    return ""
