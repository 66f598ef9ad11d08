"""Visits sources politely: robots.txt obeyed, one request at a time, nothing asked for twice."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from types import TracebackType
from urllib.parse import urldefrag, urljoin

import httpx

from flows import robots
from flows.addresses import Lookup, Target, resolve, system_lookup
from flows.hosts import HostState, RulesCache, spread
from flows.outcome import Fetched, outcome
from flows.proxy import Proxy, ProxyTransport
from flows.transfer import Answer, exchange
from flows.unpacking import ACCEPTED
from schemas.errors import FetchError
from schemas.source import FetchStatus, Redirect, Snapshot, Source, Visit

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_DELAY_SECONDS = 1.0
_COME_BACK = frozenset({429, 503})
_ACCEPT = "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.9,*/*;q=0.5"


@dataclass(frozen=True, slots=True)
class Limits:
    """How long, how much and how often. Times are in seconds.

    `delay_seconds` lies between two requests to a host; unset, a second, none on this machine itself. Up to
    `jitter` of each pause is added to it, by chance. `at_once` requests to a host may be under way together.
    A host that fails `failures` times in a row is left alone for `rest_seconds`.
    `page_seconds` bounds the time spent on the network for one page, over all tries and redirects;
    `longest_wait` the time that a site may make us wait (Retry-After, Crawl-delay): a site that asks for
    more is left alone in this run. `max_bytes` counts the body unpacked.
    """

    delay_seconds: float | None = None
    page_seconds: float = 60.0
    max_bytes: int = 16 * 1024 * 1024
    tries: int = 3
    backoff_seconds: float = 1.0
    longest_wait: float = 60.0
    redirects: int = 5
    jitter: float = 0.3
    at_once: int = 1
    failures: int = 3
    rest_seconds: float = 600.0


class _DisallowedError(FetchError):
    """robots.txt says no."""


class Fetcher:
    """Fetches pages, a host's one after another, in a `with` block. Sites see who asks: name, version, `contact`.

    `contact` is an address at which a person answers for the visits. `allow_loopback` lets this machine's own
    servers be fetched (the demo). `proxy`: `http://host:port`, through which all other hosts are asked.
    `sleep`, `clock`, `now`, `lookup` and `chance` are replaced in tests. What robots.txt says is remembered
    for as long as that answer holds. Threads may share one: a host still sees one request at a time begin.
    """

    def __init__(
        self,
        *,
        contact: str = "",
        allow_loopback: bool = False,
        limits: Limits | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        lookup: Lookup = system_lookup,
        chance: Callable[[], float] = spread,
        proxy: str = "",
    ) -> None:
        self._headers = {
            "User-Agent": user_agent(contact),
            "Accept": _ACCEPT,
            "Accept-Encoding": ACCEPTED,
        }
        self._allow_loopback = allow_loopback
        self._limits = limits or Limits()
        self._sleep = sleep
        self._clock = clock
        self._now = now
        self._lookup = lookup
        self._chance = chance
        self._rules = RulesCache(clock)
        self._hosts: dict[str, HostState] = {}
        # No proxy of the environment's: it would resolve the host again, after our check. No kept connections:
        # they are known by their address, and could serve another host of the same address.
        self._transport = httpx.HTTPTransport(
            trust_env=False, limits=httpx.Limits(max_keepalive_connections=0)
        )
        found = Proxy.of(proxy)
        self._proxied: httpx.BaseTransport | None = ProxyTransport(found) if found else None

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._transport.close()
        if self._proxied is not None:
            self._proxied.close()

    def fetch(self, source: Source, last: Snapshot | None = None) -> Fetched:
        """Visits a source and tells what came of it: a page's problem is a status and a reason, no exception.

        With the `last` snapshot the site is asked for the page only if it has changed. UNCHANGED carries the
        last snapshot; CHANGED a new one, and the body; GONE and FAILED a reason.
        """
        at = self._now()
        budget = _Budget(self._limits.page_seconds, self._clock)
        hops: list[Redirect] = []
        try:
            answer, url = self._follow(source, last, budget, hops)
        except FetchError as error:
            visit = Visit(
                source_id=source.id,
                at=at,
                status=FetchStatus.FAILED,
                http_status=error.status,
                reason=str(error),
            )
            return Fetched(
                visit, url=source.url, disallowed=isinstance(error, _DisallowedError), redirects=tuple(hops)
            )
        return outcome(source, last, at, answer, url, self._limits.max_bytes, tuple(hops))

    def ask(self, url: str, language: str, seconds: float, max_bytes: int) -> tuple[Answer, str]:
        """Gives the answer to one part of a page that a browser puts together, and where it was found.

        Addresses are checked and robots.txt obeyed as for a page; the host is not waited for between parts.
        Raises FetchError where there is no answer.
        """
        budget = _Budget(seconds, self._clock)
        part = Source(id="part", url=url, language=language)
        return self._follow(part, None, budget, [], max_bytes=max_bytes, waits=False)

    def _follow(
        self,
        source: Source,
        last: Snapshot | None,
        budget: _Budget,
        hops: list[Redirect],
        *,
        max_bytes: int | None = None,
        waits: bool = True,
    ) -> tuple[Answer, str]:
        url, seen = source.url, {source.url}
        for _ in range(self._limits.redirects + 1):
            # The address first: a host that must not be asked must not be asked for its robots.txt either.
            target = self._resolve(url)
            rules = self._rules.of(target.origin, partial(self._read_rules, target))
            if refusal := rules.refusal(url):
                raise _DisallowedError(refusal, refused=True)
            headers = _conditions(source, last, url)
            delay = rules.delay() if waits else None
            answer = self._get(url, headers, budget, delay, max_bytes=max_bytes)
            if answer.status not in _REDIRECTS:
                return answer, url
            hops.append(Redirect(url=url, status=answer.status))
            url = _next(url, answer)
            if url in seen:
                raise FetchError("the page redirects in a circle; give another url", status=answer.status)
            seen.add(url)
        raise FetchError(
            f"the page redirects more than {self._limits.redirects} times; give its last address"
        )

    def _read_rules(self, target: Target) -> robots.Rules:
        # robots.txt is the site's, not the page's: it has its own time, and one page does not pay for it.
        budget = _Budget(self._limits.page_seconds, self._clock)
        url = f"{target.origin}/robots.txt"
        try:
            for _ in range(self._limits.redirects + 1):
                answer = self._get(url, {}, budget, 0.0, max_bytes=robots.MAX_BYTES)
                if answer.status not in _REDIRECTS:
                    return robots.read_rules(
                        answer.status, answer.body, cut=answer.cut, headers=answer.headers
                    )
                url = _next(url, answer)
        except FetchError as error:
            return robots.unreadable(str(error).partition(";")[0])
        return robots.Rules()  # RFC 9309: past five redirects it may be taken as not there

    def _get(
        self,
        url: str,
        headers: dict[str, str],
        budget: _Budget,
        delay: float | None,
        *,
        max_bytes: int | None = None,
    ) -> Answer:
        """One address, asked again where that may help. Every try resolves and checks the host anew.

        `delay`: the pause that the site wishes for; None where it is not waited for at all.
        """
        room = self._limits.max_bytes if max_bytes is None else max_bytes
        for attempt in range(1, self._limits.tries + 1):
            is_last = attempt == self._limits.tries
            backoff = self._limits.backoff_seconds * 2 ** (attempt - 1)
            with budget:
                target = self._resolve(url)
            host = self._host(target)
            host.refuse_if_resting()
            address = target.addresses[(attempt - 1) % len(target.addresses)]
            try:
                pause = 0.0 if delay is None else self._pause(target, delay)
                with host.place(pause, self._sleep), budget:
                    answer = exchange(
                        self._transport_to(target),
                        url,
                        target,
                        address,
                        self._headers | headers,
                        seconds=budget.left,
                        max_bytes=room,
                    )
            except FetchError as error:
                if is_last or not error.retry or budget.left <= 0:
                    host.failed(str(error).partition(";")[0])
                    raise
                self._sleep(self._spread(backoff))
                continue
            if is_last or answer.status not in _COME_BACK:
                if answer.status >= 500:
                    host.failed(f"it answered {answer.status}")
                else:
                    host.answered()
                return answer
            asked = retry_after(answer.headers.get("retry-after", ""), self._now())
            if asked is not None and asked > self._limits.longest_wait:
                wish = f"the site answered {answer.status} and asks to come back in {asked:.0f} seconds"
                host.rest(asked, wish)
                raise FetchError(
                    f"{wish}; run again after that", refused=answer.status == 429, status=answer.status
                )
            self._sleep(max(self._spread(backoff), asked or 0.0))
        raise AssertionError("the last try returns or raises")

    def _resolve(self, url: str) -> Target:
        return resolve(url, allow_loopback=self._allow_loopback, lookup=self._lookup)

    def _transport_to(self, target: Target) -> httpx.BaseTransport:
        # This machine's own pages are not to be found where the proxy is.
        return self._transport if self._proxied is None or target.is_loopback else self._proxied

    def _host(self, target: Target) -> HostState:
        # The port too: what is wrong with one server is no other's.
        key = f"{target.host}:{target.port}"
        if key not in self._hosts:
            limits = self._limits
            made = HostState(
                at_once=limits.at_once,
                failures=limits.failures,
                rest_seconds=limits.rest_seconds,
                clock=self._clock,
            )
            self._hosts.setdefault(key, made)
        return self._hosts[key]

    def _pause(self, target: Target, wished: float) -> float:
        """How long the host is left in peace between two requests: as long as we or it think right."""
        pause = self._limits.delay_seconds
        if pause is None:
            pause = 0.0 if target.is_loopback else _DELAY_SECONDS
        return self._spread(max(pause, min(wished, self._limits.longest_wait)))

    def _spread(self, seconds: float) -> float:
        return seconds * (1 + self._limits.jitter * self._chance())


class _Budget:
    """Network time that is left for a page; waiting for our turn costs none of it."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self.left = seconds
        self._clock = clock
        self._since = 0.0

    def __enter__(self) -> None:
        if self.left <= 0:
            raise FetchError("the page took longer than it may; try again later or allow more time")
        self._since = self._clock()

    def __exit__(self, *_: object) -> None:
        self.left -= self._clock() - self._since


def user_agent(contact: str = "") -> str:
    """The name that sites see: `Koujing/0.1.0 (+contact)`. FetchError where the contact does not fit in."""
    if not re.fullmatch(r"[!-'*-~ ]*", contact):
        raise FetchError(
            f"the contact {contact!r} is not plain ASCII without brackets; give a URL or an e-mail"
        )
    try:
        release = version("koujing")
    except PackageNotFoundError:  # run from a folder that was never installed
        release = "0"
    return f"{robots.AGENT}/{release}" + (f" (+{contact})" if contact else "")


def retry_after(value: str, now: datetime) -> float | None:
    """The seconds that a Retry-After header asks for, written as a number or a date; None if neither."""
    value = value.strip()
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, IndexError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max((when - now).total_seconds(), 0.0)


def _conditions(source: Source, last: Snapshot | None, url: str) -> dict[str, str]:
    headers = {}
    if re.fullmatch(r"[A-Za-z0-9-]{1,35}", source.language):
        headers["Accept-Language"] = f"{source.language},en;q=0.5"
    # What a server says of one address holds for no other.
    if last is None or last.url != url:
        return headers
    marks = {"If-None-Match": last.etag, "If-Modified-Since": last.last_modified}
    return headers | {k: v for k, v in marks.items() if v and v.isascii() and v.isprintable()}


def _next(url: str, answer: Answer) -> str:
    location = answer.headers.get("location", "").strip()
    if not location:
        raise FetchError(
            f"the site answered {answer.status} and does not say where the page is; try again later",
            status=answer.status,
        )
    try:
        return urldefrag(urljoin(url, location)).url
    except ValueError as error:
        raise FetchError(f"the page redirects to no address ({error}); give another url") from None
