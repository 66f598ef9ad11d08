"""What a demo's ledger tells, printed. All of it comes from the published file, as for any reader."""

from __future__ import annotations

import shlex
import sys
from collections import Counter

from flows import published
from flows.commands.asking import metric_of
from flows.commands.options import command_name
from flows.commands.ranking import print_card, report
from flows.derived import review_queue
from flows.printing import counted, heading, is_terminal, out, out_text, table
from flows.progress import told_hold
from flows.published import ChangeEvent
from flows.standing_report import print_standing
from review.queue import Queued
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
    _print_claims(home, claims)
    print_standing(home)
    _print_flags(review_queue(home, claims, cards))
    _print_changes(events)
    _print_held(home)
    facts = published.facts(home)
    for card in cards:
        if card.modes:
            print_card(report(card, {}, home, facts))
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
    asked = published.asked(home)
    if not asked:
        out("No model was asked: the rules alone read these pages. See docs/models.md for having one asked.")
    for run in asked:
        out(
            f"{run.label}: {run.model} was shown {run.sent} of {counted(run.blocks, 'block')}, in "
            f"{counted(run.calls, 'call')} and {run.hits} from the cache; {counted(run.filled, 'claim')} settled, "
            f"{counted(run.undone, 'passage')} left for another night"
        )


def _print_claims(home: Home, claims: tuple[StoredClaim, ...]) -> None:
    heading("Claims by vendor")
    stated = Counter(s.claim.vendor or "unknown" for s in claims)
    held = {hold.source_id for hold in published.held(home)}
    waiting = Counter(s.claim.vendor or "unknown" for s in claims if s.source_id in held)
    rows: list[tuple[object, ...]] = [
        (vendor, stated[vendor], waiting[vendor] or None) for vendor in sorted(stated)
    ]
    _table(("vendor", "claims", "of these held"), rows, ("claims", "of these held"))


def _print_flags(queue: tuple[Queued, ...]) -> None:
    heading(f"Open flags: {len(queue)}, the most worthwhile question first")
    rows: list[tuple[object, ...]] = []
    for queued in queue[:_FLAGS_SHOWN]:
        claim, flag = queued.flag.claim.claim, queued.flag.flag
        rows.append((claim.vendor, metric_of(claim), claim.text_value, flag.name, queued.why))
    _table(("vendor", "metric", "value", "flag", "why"), rows)
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


def _print_held(home: Home) -> None:
    held = published.held(home)
    if not held:
        return
    heading("Held: a page that is gone retracts nothing")
    for hold in held:
        out(f"{hold.source_id}: {told_hold(hold)[6:]}")
    out("They stand until the page comes well again, or a person releases it: koujing release")


def _print_next(home: Home) -> None:
    heading("Worth typing next")
    command = f"{command_name()} --home {shlex.quote(str(home.root))}"
    query = "SELECT vendor, low, unit, quote FROM claims WHERE metric = 'fs_throughput' ORDER BY low DESC"
    out(f"  {command} flags --vendor huawei-cloud")
    out(f"  {command} questions --vendor huawei-cloud")
    out(f'  {command} sql "{query}"')
    out(f"  {command} rank --scorecard ten-thousand-cards --weight storage_io=0.25")
