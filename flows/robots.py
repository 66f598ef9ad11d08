"""What a site's robots.txt asks of us."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from protego import Protego

AGENT = "Koujing"
"""The name that a robots.txt may address us by."""

MAX_BYTES = 512 * 1024
"""How much of a robots.txt is read; the rules after it are not known to us."""

_TOO_MANY = 429
_DAY = 24 * 3600.0  # RFC 9309: no longer, whatever the site says
_SHORTEST = 300.0
_AGAIN_AFTER = 600.0  # a file that could not be read is asked for again after that


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one site. `closed` is the reason why nothing there may be fetched, or "".

    `holds_for`: the seconds after which they are to be read again.
    """

    parsed: Protego | None = None
    closed: str = ""
    holds_for: float = _DAY

    def refusal(self, url: str) -> str:
        """Why `url` must not be fetched; "" where it may be."""
        if self.closed:
            return self.closed
        if self.parsed is not None and not self.parsed.can_fetch(url, AGENT):
            return "robots.txt disallows this page; take it out of the source list, or ask the site"
        return ""

    def delay(self) -> float:
        """The seconds that the site asks to leave between two requests; 0 where it does not say."""
        wished = self.parsed.crawl_delay(AGENT) if self.parsed is not None else None
        return max(float(wished), 0.0) if wished is not None else 0.0


def read_rules(
    status: int, body: bytes, *, cut: bool = False, headers: Mapping[str, str] | None = None
) -> Rules:
    """Gives the rules that an answer to GET /robots.txt sets.

    No such file (4xx) allows everything. A server that fails (5xx) or is overrun (429) may have rules that
    we cannot see: nothing is fetched until it can be read. `cut`: the body stops at MAX_BYTES, so that its last
    line may be half a rule. `headers`, in lower case, say for how long the answer holds.
    """
    if status >= 500 or status == _TOO_MANY:
        return unreadable(f"the site answered {status}")
    if not 200 <= status < 300:
        return Rules(holds_for=age_of(headers or {}))
    text = body.decode("utf-8-sig", "replace")
    if cut:
        text = text.rpartition("\n")[0]
    return Rules(parsed=Protego.parse(text), holds_for=age_of(headers or {}))


def age_of(headers: Mapping[str, str]) -> float:
    """For how many seconds an answer holds, by Cache-Control and then Expires: five minutes to a day."""
    control = headers.get("cache-control", "").lower()
    if re.search(r"\bno-(?:cache|store)\b", control):
        return _SHORTEST
    if found := re.search(r"\bmax-age\s*=\s*\"?(\d{1,9})", control):
        seconds = float(found[1])
    else:
        try:
            expires, sent = (parsedate_to_datetime(headers[name]) for name in ("expires", "date"))
        except KeyError:
            return _DAY
        except (ValueError, IndexError, OverflowError, TypeError):
            return _SHORTEST  # an Expires that is no date has expired
        seconds = (expires - sent).total_seconds()
    return min(max(seconds, _SHORTEST), _DAY)


def unreadable(reason: str) -> Rules:
    """The rules of a site whose robots.txt could not be read: nothing is fetched from it for ten minutes."""
    return Rules(
        closed=f"robots.txt could not be read ({reason}), so nothing is fetched; try again later",
        holds_for=_AGAIN_AFTER,
    )
