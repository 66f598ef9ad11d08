"""Atom feeds: one a vendor, one a scorecard, so that a reader hears of changes without looking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from uuid import UUID, uuid5

from report.changing import Event
from report.edition import Edition
from report.rendering import render

_SPACE = UUID("6a7c3c6e-3a0b-4f0e-9d39-8f2f2a4f1b5d")
"""Under which every entry's name is one of its own; picked once, at random."""
_MOST = 60


def feeds(edition: Edition, found: tuple[Event, ...]) -> Iterator[tuple[str, str]]:
    """The feeds of an edition: the path within it, and the XML."""
    for vendor in edition.content.vendors:
        own = [event for event in found if event.vendor == vendor]
        path = edition.feed_href("vendor", vendor)
        yield (
            path,
            _feed(
                edition, f"vendor-{vendor}", path, edition.vendor(vendor), edition.vendor_href(vendor), own
            ),
        )
    for card in edition.content.cards:
        own = [event for event in found if event.card == card.id]
        path = edition.feed_href("card", card.id)
        yield (
            path,
            _feed(edition, f"card-{card.id}", path, edition.card_name(card), edition.card_href(card), own),
        )


def _feed(edition: Edition, name: str, path: str, title: str, href: str, own: Iterable[Event]) -> str:
    entries = [
        {
            "id": uuid5(_SPACE, f"{edition.language} {name} {event.name}"),
            "title": headline(edition, event),
            "updated": stamp(event.at),
            "href": f"../{event.href or href}",
            "lines": lines(edition, event),
        }
        for event in list(own)[:_MOST]
    ]
    at = edition.content.at
    return render(
        "feed.xml",
        language="zh-Hans" if edition.language == "zh" else "en",
        id=uuid5(_SPACE, f"{edition.language} {name}"),
        title=f"{title} · {edition.says('site.short')}",
        updated=entries[0]["updated"] if entries else stamp(at) if at else "1970-01-01T00:00:00Z",
        href=f"../{href}",
        own=path.rpartition("/")[2],
        entries=entries,
    )


def stamp(at: object) -> str:
    """A moment as Atom writes it."""
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def headline(edition: Edition, event: Event) -> str:
    """One line that says what happened."""
    who = f"{edition.vendor(event.vendor)} · " if event.vendor else ""
    values = f": {event.before or '–'} → {event.after or '–'}"
    return f"{event.label} · {who}{event.what}{values}"


def lines(edition: Edition, event: Event) -> list[str]:
    """The quotes and the cause."""
    found = []
    if event.quote_before:
        found.append(f"{edition.says('column.before')}: “{event.quote_before}”")
    if event.quote_after:
        found.append(f"{edition.says('column.after')}: “{event.quote_after}”")
    if event.note:
        found.append(event.note)
    return found
