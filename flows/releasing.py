"""A person's word on a page that is held: it is right as it is, or its claims stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from flows.derived import rederive
from flows.left_over import LeftOver
from flows.one_run import one_run
from flows.reranking import rerank
from flows.rereading import read_snapshot
from flows.second_reader import second_reader
from flows.verification import verify_ledger
from review.deciding import reapply
from schemas.errors import LedgerError
from schemas.ledger import Hold, PageChanges, Release
from schemas.scorecard import Scorecard
from schemas.source import FetchStatus, Snapshot, Source, Visit
from warehouse.home import Home
from warehouse.ledger import Ledger


def release(
    home: Home,
    source_id: str,
    word: Release,
    clock: Callable[[], datetime],
    *,
    cards: Iterable[Scorecard],
    wait_seconds: float = 0,
) -> PageChanges:
    """Ends the hold on a source, publishes, and gives what that did to its claims.

    An accepted page is read as it came last: what it no longer says becomes not seen, what it says anew is
    stored. A page that is not accepted leaves its claims as they are, and the same page asks nobody again.
    Raises LedgerError, naming those that are, where the source is not held.
    """
    cards = tuple(cards)
    with Ledger.open(home, wait_seconds=wait_seconds) as ledger:
        hold = _hold_of(ledger, source_id)
        left = LeftOver.read(home, ledger)
        with one_run(ledger, f"release {source_id}", clock) as run_id:
            if word.accept:
                changes = _accept(home, ledger, run_id, hold, word, clock())
                reapply(ledger, run_id, clock())
                verify_ledger(ledger, home, clock())
            else:
                ledger.keep_claims(run_id, hold, word, clock())
                changes = PageChanges(source_id=source_id, first_visit=False)
            news = (*left.news, *changes.changes)
            if news or left.first_read:
                rerank(ledger, run_id, cards, news, clock(), first_read=left.first_read)
            rederive(ledger, run_id, cards, clock())
        ledger.publish()
    return changes


def _hold_of(ledger: Ledger, source_id: str) -> Hold:
    held = {hold.source_id: hold for hold in ledger.open_holds()}
    if source_id not in held:
        listed = f"held now: {', '.join(held)}" if held else "nothing is held"
        raise LedgerError(f"{source_id} is not held; {listed}")
    return held[source_id]


def _accept(home: Home, ledger: Ledger, run_id: int, hold: Hold, word: Release, at: datetime) -> PageChanges:
    source = next(source for source in ledger.known_sources() if source.id == hold.source_id)
    snapshot = ledger.held_snapshot(hold)
    with second_reader(home) as second:
        extraction = read_snapshot(home, source, snapshot, second) if snapshot else None
    return ledger.write_page(run_id, source, _visit(source, snapshot, word, at), extraction, word)


def _visit(source: Source, snapshot: Snapshot | None, word: Release, at: datetime) -> Visit:
    return Visit(
        source_id=source.id,
        at=at,
        status=FetchStatus.CHANGED if snapshot else FetchStatus.GONE,
        snapshot=snapshot,
        reason=f"released by {word.who}, not fetched again",
    )
