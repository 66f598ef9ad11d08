"""Lists of pages to watch: read, pointed at another server, proposed for, and checked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Literal, Protocol
from urllib.parse import unquote, urldefrag, urlsplit, urlunsplit

from pydantic import Field, ValidationError, field_validator

from extractors.shell import looks_like_shell, twin_named_by
from flows.outcome import Fetched
from schemas.datafile import parse_data, read_data_file
from schemas.errors import DataFileError, UnreadableError
from schemas.record import Record
from schemas.registry import registry
from schemas.source import LANGUAGE_TAG, FetchStatus, Scope, Snapshot, Source, SourceList, Tier

BUILTIN = ("demo", "vendors")
"""The lists that ship with Koujing. The demo's addresses are stand-ins: see `with_base`."""

_ID_LENGTH = 80
_TITLE_LENGTH = 200


class HostRule(Record):
    """Whose pages lie on a host and its subdomains (below `path`, where one is given), and of which tier."""

    host: str = Field(pattern=r"^[a-z0-9.-]+$")
    path: str = Field(default="", pattern=r"^(/\S*)?$")
    vendor: str
    tier: Tier = "T1"

    @field_validator("vendor")
    @classmethod
    def _known_vendor(cls, value: str) -> str:
        registry().vendor(value)
        return value

    def fits(self, host: str, path: str) -> bool:
        """Whether a page is meant. `evil-example.com` is no subdomain of `example.com`."""
        below = path == self.path or path.startswith(self.path.rstrip("/") + "/")
        return (host == self.host or host.endswith("." + self.host)) and below


class HostRules(Record):
    """A file of host rules; the first that fits decides."""

    hosts: tuple[HostRule, ...] = Field(min_length=1)


CheckStatus = Literal["reachable", "moved", "no_claims", "script_only", "disallowed", "gone", "failed"]
"""`no_claims`: the page is there and states nothing that we read. `script_only`: it says nothing without scripts."""

WATCHABLE = frozenset({"reachable", "moved", "no_claims"})


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """What a visit found of a source, and where: `found_at` is not `url` where the page moved.

    `claims`: how many it states; None where it could not be read.
    """

    source_id: str
    url: str
    status: CheckStatus
    http_status: int | None
    found_at: str
    reason: str
    claims: int | None = None


class Fetches(Protocol):
    """What visits a source; `flows.fetch.Fetcher` is one."""

    def fetch(self, source: Source, last: Snapshot | None = None) -> Fetched:
        """Visits the source."""


def find_sources(name: str) -> tuple[Source, ...]:
    """The sources of a list: `demo`, `vendors`, or the path of a file. DataFileError where it is wrong."""
    if name in BUILTIN:
        return builtin(name).sources
    path = Path(name)
    if not path.exists():
        raise DataFileError(
            name,
            0,
            "there is no such file",
            f"give the path of a source list, or one that ships with Koujing: {', '.join(BUILTIN)}",
        )
    return load_sources(path).sources


def load_sources(path: Path) -> SourceList:
    """The source list in a YAML file; DataFileError, with the line, where it is wrong."""
    return read_data_file(path, SourceList)


def builtin(name: str) -> SourceList:
    """A list that ships with Koujing: `demo` or `vendors`."""
    if name not in BUILTIN:
        raise DataFileError(name, 0, "no such list ships with Koujing", f"there are {', '.join(BUILTIN)}")
    return parse_data(_shipped(f"{name}.yaml"), SourceList, name=f"{name}.yaml")


def with_base(sources: Iterable[Source], base_url: str) -> tuple[Source, ...]:
    """The same sources on another server: scheme, host and port of each become those of `base_url`."""
    base = urlsplit(base_url)
    return tuple(
        source.model_copy(
            update={
                name: urlsplit(url)._replace(scheme=base.scheme, netloc=base.netloc).geturl()
                for name in ("url", "twin")
                if (url := getattr(source, name))
            }
        )
        for source in sources
    )


def propose(
    url: str,
    fetched: Fetched | None = None,
    *,
    source_id: str | None = None,
    vendor: str | None = None,
    product: str | None = None,
    tier: Tier | None = None,
    every: str = "",
    render: Literal["auto", "never", "always"] = "auto",
    crawl: Scope | None = None,
) -> Source:
    """Gives the entry that a page could have in a source list. What is given is not guessed.

    The id comes from the address, vendor and tier from the host, language, title and Markdown twin from the page
    if it was `fetched`.

    A page on a host of nobody we know is taken for a repetition (T4): it is stored and feeds no score.
    DataFileError where what is given cannot stand in a source list.
    """
    rule = host_rule(url)
    language, title = _read_head(fetched)
    try:
        return Source(
            id=source_id or id_for(url),
            vendor=vendor or (rule.vendor if rule else None),
            product=product,
            url=url,
            language=language if re.fullmatch(LANGUAGE_TAG, language) else "zh",
            tier=tier or (rule.tier if rule else "T4"),
            title=title,
            twin=_twin_of(url, fetched),
            every=every,
            render=render,
            crawl=crawl,
        )
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(step) for step in first["loc"])
        raise DataFileError(url[:200], 0, f"{field} does not fit", first["msg"]) from None


def check_sources(fetcher: Fetches, sources: Iterable[Source]) -> tuple[SourceCheck, ...]:
    """Visits every source once and says of each whether it can be watched, in the order of the list."""
    return tuple(check_fetched(source, fetcher.fetch(source, None)) for source in sources)


def id_for(url: str) -> str:
    """An id that a person recognises: host and path in lower case, letters and digits joined by hyphens."""
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    path = re.sub(r"\.(?:html?|md|php|aspx?)$", "", parts.path, flags=re.IGNORECASE)
    words = unquote(f"{host}/{path}" + (f"/{parts.query}" if parts.query else ""))
    slug = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
    if len(slug) <= _ID_LENGTH and words.isascii() and slug:
        return slug
    # What was cut or has no letters we may use still tells two pages apart.
    digest = hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{slug[: _ID_LENGTH - 9].strip('-')}-{digest}".strip("-")


def check_fetched(source: Source, fetched: Fetched) -> SourceCheck:
    """What one visit says of a source: whether it can be watched, and how many claims it states."""
    visit = fetched.visit
    status: CheckStatus
    claims, reason = None, visit.reason
    if fetched.disallowed:
        status = "disallowed"
    elif visit.status is FetchStatus.GONE:
        status = "gone"
    elif visit.status is FetchStatus.FAILED:
        status = "failed"
    else:
        at_home = {same_page(url) for url in (source.url, source.twin) if url}
        status = "moved" if same_page(fetched.url) not in at_home else "reachable"
        if fetched.body is not None and visit.snapshot is not None:
            claims, reason = _read_claims(source, fetched.body, visit.snapshot)
            if claims is None and looks_like_shell(fetched.body, visit.snapshot.content_type):
                from flows.browser import missing_for_browser  # knows the network, as few commands need to

                status = "script_only"
                reason = missing_for_browser() or "its scripts show nothing; give a twin, or another page"
            elif not claims:
                status = "no_claims"
    return SourceCheck(source.id, source.url, status, visit.http_status, fetched.url, reason, claims)


def _read_claims(source: Source, body: bytes, snapshot: Snapshot) -> tuple[int | None, str]:
    """How many claims a page states; None, and the reason, where it cannot be read or says next to nothing."""
    from extractors.extract import extract  # slow to load, and only this needs it

    found = extract(
        body,
        source=source.id,
        content_type=snapshot.content_type,
        name=snapshot.url,
        vendor=source.vendor,
        product=source.product,
        language=source.language,
        tier=source.tier,
    )
    if found.document is None:
        return None, found.reason
    if not found.claims and looks_like_shell(body, snapshot.content_type):
        return None, ""
    return len(found.claims), ""


def _twin_of(url: str, fetched: Fetched | None) -> str:
    """The page's Markdown twin: the one in which it was found, or that it names on its own host."""
    snapshot = fetched.visit.snapshot if fetched else None
    if fetched is None or fetched.body is None or snapshot is None:
        return ""
    kind = snapshot.content_type.partition(";")[0].strip().lower()
    if kind in ("text/markdown", "text/x-markdown", "text/plain"):
        return snapshot.url if same_page(snapshot.url) != same_page(url) and not fetched.redirects else ""
    named = twin_named_by(fetched.body, snapshot.url, snapshot.content_type)
    return named if urlsplit(named).netloc == urlsplit(url).netloc else ""


def same_page(url: str) -> str:
    """The address without its fragment, spelled so that two spellings of one page are equal."""
    parts = urlsplit(urldefrag(url).url)
    return urlunsplit((parts.scheme, parts.netloc.lower(), parts.path or "/", parts.query, ""))


@lru_cache(maxsize=16384)
def host_rule(url: str) -> HostRule | None:
    """Whose page the allow-list says it is, by host and path; None where the host is nobody's we know."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower().rstrip(".")
    except ValueError:
        return None
    return next((rule for rule in _host_rules() if rule.fits(host, parts.path)), None)


@cache
def _host_rules() -> tuple[HostRule, ...]:
    return parse_data(_shipped("hosts.yaml"), HostRules, name="hosts.yaml").hosts


def _read_head(fetched: Fetched | None) -> tuple[str, str]:
    """Language and title of a page; both empty where it says neither or cannot be read."""
    if fetched is None or fetched.body is None or fetched.visit.snapshot is None:
        return "", ""
    from extractors.document import read_document  # the parser is slow to load, and only this needs it

    try:
        document = read_document(
            fetched.body, content_type=fetched.visit.snapshot.content_type, name=fetched.url
        )
    except UnreadableError:
        return "", ""
    printable = "".join(c if c.isprintable() else " " for c in document.title)
    return document.lang, " ".join(printable.split())[:_TITLE_LENGTH]


def _shipped(name: str) -> str:
    return (files("warehouse") / "sources" / name).read_text(encoding="utf-8")
