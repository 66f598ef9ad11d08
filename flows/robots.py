"""What a site's robots.txt asks of us."""

from __future__ import annotations

from dataclasses import dataclass

from protego import Protego

AGENT = "Koujing"
"""The name that a robots.txt may address us by."""

MAX_BYTES = 512 * 1024
"""How much of a robots.txt is read; the rules after it are not known to us."""

_TOO_MANY = 429


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one site for this run. `closed` is the reason why nothing there may be fetched, or ""."""

    parsed: Protego | None = None
    closed: str = ""

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


def read_rules(status: int, body: bytes, *, cut: bool = False) -> Rules:
    """Gives the rules that an answer to GET /robots.txt sets.

    No such file (4xx) allows everything. A server that fails (5xx) or is overrun (429) may have rules that
    we cannot see: nothing is fetched in this run. `cut`: the body stops at MAX_BYTES, so that its last line
    may be half a rule.
    """
    if status >= 500 or status == _TOO_MANY:
        return unreadable(f"the site answered {status}")
    if not 200 <= status < 300:
        return Rules()
    text = body.decode("utf-8-sig", "replace")
    if cut:
        text = text.rpartition("\n")[0]
    return Rules(parsed=Protego.parse(text))


def unreadable(reason: str) -> Rules:
    """The rules of a site whose robots.txt could not be read: nothing is fetched from it in this run."""
    return Rules(closed=f"robots.txt could not be read ({reason}), so nothing is fetched; try again later")
