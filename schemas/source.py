"""A page that is watched, and what one visit to it brought back."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from schemas.record import Record
from schemas.registry import registry

Tier = Literal["T1", "T2", "T3", "T4"]
"""T1 official product page, T2 official docs or paper, T3 third party that measured, T4 repetition."""


LANGUAGE_TAG = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
"""The shape of a language tag, such as zh, en-US or zh-Hant-TW; nothing else goes into a request's header."""


HOW_VISITED = frozenset({"twin", "render", "crawl", "every"})
"""The fields of a source that say how it is visited. They are the list's alone, and stand in no ledger."""

_HOURS = {"h": 1, "d": 24, "w": 7 * 24}


class Scope(Record):
    """Which pages below a source's own belong to it: those that it links to under `under`, and they in turn.

    `depth`: how many links away. `pages`: how many at most, its own not counted. `under`: the beginning of
    their path; unset, the folder in which the source's own page lies. Addresses with a query are left out.
    """

    depth: int = Field(default=1, ge=1, le=5)
    pages: int = Field(default=50, ge=1, le=1000)
    under: str = Field(default="", pattern=r"^(/\S*)?$")


class Source(Record):
    """One page to watch. `id` is the stable name the ledger knows it by; `url` may move.

    `twin`: the same page in Markdown or as an llms.txt, which is read in its place while it is there. `render`:
    whether a browser runs the page's scripts: where it is an empty shell without them, never, or always.
    `crawl`: a page whose subtree is watched too. `every`: how often it is visited at most, as 12h, 1d or 2w; with
    each run where that is not said.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,79}$")
    vendor: str | None = None
    product: str | None = None
    url: str = Field(pattern=r"^https?://\S+$")
    language: str = Field(default="zh", pattern=LANGUAGE_TAG)
    tier: Tier = "T1"
    title: str = ""
    twin: str = Field(default="", pattern=r"^(https?://\S+)?$")
    render: Literal["auto", "never", "always"] = "auto"
    crawl: Scope | None = None
    every: str = Field(default="", pattern=r"^([1-9]\d{0,3}[hdw])?$")

    @property
    def interval(self) -> timedelta:
        """`every` as a time; none where it is not said."""
        return timedelta(hours=int(self.every[:-1]) * _HOURS[self.every[-1]]) if self.every else timedelta()

    @field_validator("url", "twin")
    @classmethod
    def _without_credentials(cls, value: str) -> str:
        # What stands in a source list is published with every claim. urlsplit itself raises for a bad address.
        if "@" in urlsplit(value).netloc:
            raise ValueError("it carries a user name or password, which would be published; take it out")
        return value

    @field_validator("vendor")
    @classmethod
    def _known_vendor(cls, value: str | None) -> str | None:
        if value is not None:
            registry().vendor(value)
        return value


class SourceList(Record):
    """A file of sources, as `koujing refresh --sources FILE` reads it."""

    sources: tuple[Source, ...] = Field(min_length=1)

    @field_validator("sources")
    @classmethod
    def _ids_once(cls, value: tuple[Source, ...]) -> tuple[Source, ...]:
        seen: set[str] = set()
        for source in value:
            if source.id in seen:
                raise ValueError(f"the id {source.id} stands twice; every source has its own")
            seen.add(source.id)
        return value


class FetchStatus(StrEnum):
    """What a visit to a source brought."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    GONE = "gone"
    FAILED = "failed"


class Redirect(Record):
    """One step on the way to a page: the address that was asked, and the status with which it sent us on."""

    url: str
    status: int


class Snapshot(Record):
    """Bytes as they came, content-addressed. `body` lies on disk under `sha256`; it is never rewritten.

    `url` is where the page was found, after `redirects`. `headers`: what the server said, names in lower case,
    without cookies. `encoding`, `encoding_from` and `encoding_notes`: as which charset the bytes were read, why
    that was believed and what was odd about it; empty where they were not read. `rendered`: a browser made the
    bytes, which no server sent so. `http_status` is 0, and headers
    are empty, for pages of before these were kept.
    """

    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    source_id: str
    url: str
    fetched_at: datetime
    content_type: str = ""
    size: int = Field(ge=0)
    etag: str = ""
    last_modified: str = ""
    http_status: int = 0
    headers: dict[str, str] = Field(default_factory=dict)
    redirects: tuple[Redirect, ...] = ()
    encoding: str = ""
    encoding_from: str = ""
    encoding_notes: tuple[str, ...] = ()
    rendered: bool = False


class Visit(Record):
    """One visit to one source: its status, and the snapshot or the reason there is none."""

    source_id: str
    at: datetime
    status: FetchStatus
    http_status: int | None = None
    snapshot: Snapshot | None = None
    reason: str = ""
