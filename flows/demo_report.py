"""What a demo's ledger tells, printed. All of it comes from the published file, as for any reader."""

from __future__ import annotations

import shlex
import sys
from collections import Counter

from flows import published
from flows.commands.asking import metric_of
from flows.commands.options import command_name
from flows.commands.ranking import print_card, report
from flows.printing import heading, is_terminal, out, out_text, table
from flows.published import ChangeEvent
from flows.standing_report import print_standing
from review.queue import Queued, order
from schemas.claim import Claim
from schemas.ledger import ChangeKind, StoredClaim
from warehouse.cards import load_cards
from warehouse.home import Home

_FLAGS_SHOWN = 10


def print_report(home: Home) -> None:
    """Writes to stdout: runs, claims, open flags, changes, rankings, and what to type next."""
    claims = published.claims(home)
    events = tuple(event for event in published.changes(home) if not event.first_visit)
    cards = load_cards(home.root / "scorecards")
    _print_runs(home)
    _print_claims(claims)
    print_standing(home)
    _print_flags(order(published.open_flags(home, claims), cards))
    _print_changes(events)
    _print_lost(claims, events)
    for card in cards:
        if card.editorial:
            print_card(report(card, {}, home))
    _print_next(home)


def _table(columns: tuple[str, ...], rows: list[tuple[object, ...]], numeric: tuple[str, ...] = ()) -> None:
    out_text(table(columns, rows, terminal=is_terminal(sys.stdout), numeric=numeric))


def _print_runs(home: Home) -> None:
    heading("The crawl")
    counts = ("pages", "first read", "changed", "unchanged", "gone", "failed", "unreadable")
    rows: list[tuple[object, ...]] = [
        (r.label, r.pages, r.first_read, r.changed, r.unchanged, r.gone, r.failed, r.unread)
        for r in published.runs(home)
    ]
    _table(("run", *counts), rows, counts)


def _print_claims(claims: tuple[StoredClaim, ...]) -> None:
    heading("Claims by vendor")
    stated = Counter(s.claim.vendor or "unknown" for s in claims)
    lost = Counter(s.claim.vendor or "unknown" for s in claims if s.not_seen)
    rows: list[tuple[object, ...]] = [
        (vendor, stated[vendor], lost[vendor] or None) for vendor in sorted(stated)
    ]
    _table(("vendor", "claims", "of these not seen"), rows, ("claims", "of these not seen"))


def _print_flags(queue: tuple[Queued, ...]) -> None:
    heading(f"Open flags: {len(queue)}, the most worthwhile question first")
    rows: list[tuple[object, ...]] = []
    for queued in queue[:_FLAGS_SHOWN]:
        claim, flag = queued.flag.claim.claim, queued.flag.flag
        rows.append((claim.vendor, metric_of(claim), claim.text_value, flag.name, flag.question.en))
    _table(("vendor", "metric", "value", "flag", "question"), rows)
    if more := len(queue) - len(rows):
        out(f"… and {more} more: koujing flags")


def _print_changes(events: tuple[ChangeEvent, ...]) -> None:
    heading("What changed between the days")
    changed = [e for e in events if e.change.kind is not ChangeKind.NOT_SEEN]
    if not changed:
        out("Nothing.")
        return
    rows: list[tuple[object, ...]] = []
    for event in changed:
        before, after = event.change.before, event.change.after
        claim = after or before
        rows.append(
            (
                claim.vendor if claim else None,
                metric_of(claim),
                f"{_value(before)} → {_value(after)}",
                claim.evidence.quote if claim else None,
                event.change.source_id,
            )
        )
    _table(("vendor", "metric", "before → after", "quote", "page"), rows)


def _value(claim: Claim | None) -> str:
    if claim is None:
        return "(not stated)"
    return claim.text_value or "stated"


def _print_lost(claims: tuple[StoredClaim, ...], events: tuple[ChangeEvent, ...]) -> None:
    lost = [stored for stored in claims if stored.not_seen]
    if not lost:
        return
    urls = {event.change.source_id: event.url for event in events}
    heading("Not seen any more, and kept: a page that is gone retracts nothing")
    rows: list[tuple[object, ...]] = [
        (s.claim.vendor, metric_of(s.claim), s.claim.text_value, s.not_seen, s.source_id) for s in lost
    ]
    _table(("vendor", "metric", "value", "visits not seen", "page"), rows, ("visits not seen",))
    for source_id in sorted({stored.source_id for stored in lost}):
        out(f"{source_id} was at {urls.get(source_id, 'an address that is not known')}")


def _print_next(home: Home) -> None:
    heading("Worth typing next")
    command = f"{command_name()} --home {shlex.quote(str(home.root))}"
    query = "SELECT vendor, low, unit, quote FROM claims WHERE metric = 'fs_throughput' ORDER BY low DESC"
    out(f"  {command} flags --vendor huawei-cloud")
    out(f"  {command} questions --vendor huawei-cloud")
    out(f'  {command} sql "{query}"')
    out(f"  {command} rank --scorecard ten-thousand-cards --weight storage_io=0.25")
