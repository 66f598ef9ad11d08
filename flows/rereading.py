"""Reads kept pages anew, by the reader of this version; what differs is our correction, and no vendor's change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from extractors.extract import SecondReader, extract, reader_name
from flows.derived import rederive
from flows.left_over import LeftOver
from flows.one_run import one_run
from flows.reranking import rerank
from flows.second_reader import second_reader
from flows.summary import Reranked
from flows.verification import verify_ledger
from review.deciding import reapply
from schemas.errors import LedgerError
from schemas.extraction import Extraction
from schemas.ledger import Change, PageChanges
from schemas.record import Record
from schemas.scorecard import Scorecard
from schemas.source import FetchStatus, Snapshot, Source, Visit
from warehouse import snapshots
from warehouse.home import Home
from warehouse.ledger import Ledger
from warehouse.limits import within_limits


class Reextracted(Record):
    """What a rereading did. `current`: pages that this reader had read before. `missing`: their bytes are gone.

    `not_taken`: pages of which this reader would lose most claims, each with how many of how many.
    """

    run_id: int
    read: tuple[str, ...]
    current: int
    missing: tuple[str, ...]
    not_taken: tuple[tuple[str, int, int], ...]
    changes: tuple[Change, ...]
    reranked: tuple[Reranked, ...]


def read_snapshot(
    home: Home, source: Source, snapshot: Snapshot, second: SecondReader | None = None
) -> Extraction:
    """Everything that the kept bytes claim. Raises LedgerError where they are missing or damaged."""
    return extract(
        snapshots.load(home, snapshot.sha256),
        source=source.id,
        content_type=snapshot.content_type,
        name=snapshot.url,
        vendor=source.vendor,
        product=source.product,
        language=source.language,
        tier=source.tier,
        second=second,
    )


def reread(
    home: Home,
    ledger: Ledger,
    run_id: int,
    source: Source,
    snapshot: Snapshot,
    at: datetime,
    *,
    force: bool = False,
    second: SecondReader | None = None,
) -> PageChanges:
    """Stores what the present reader makes of a kept page. `force`: also where it loses most of the claims."""
    visit = Visit(source_id=source.id, at=at, status=FetchStatus.UNCHANGED, snapshot=snapshot)
    _, extraction = within_limits(visit, read_snapshot(home, source, snapshot, second))
    if extraction is None:
        raise LedgerError(f"the page {source.id} states more claims than the ledger takes of one page")
    return ledger.reread_page(run_id, visit, extraction, force=force)


def reextract(
    home: Home,
    clock: Callable[[], datetime],
    *,
    cards: Iterable[Scorecard],
    only: frozenset[str] = frozenset(),
    every: bool = False,
    force: bool = False,
    wait_seconds: float = 0,
) -> Reextracted:
    """Replays the newest snapshot of each page that another version of the reader read, and publishes.

    Only claims that come out otherwise are written. `only`: these sources. `every`: also pages that this
    version has read. Raises LedgerHeldError where another process writes.
    """
    cards = tuple(cards)
    with (
        Ledger.open(home, wait_seconds=wait_seconds) as ledger,
        second_reader(home) as second,
    ):
        read: list[str] = []
        missing: list[str] = []
        not_taken: list[tuple[str, int, int]] = []
        changes: list[Change] = []
        current = 0
        readers = ledger.last_readers()
        left = LeftOver.read(home, ledger)
        with one_run(ledger, "reextract", clock) as run_id:
            for source in ledger.known_sources():
                if source.id not in readers or (only and source.id not in only):
                    continue
                if readers[source.id][1] == reader_name(second) and not every:
                    current += 1
                    continue
                last = ledger.last_snapshot(source.id)
                if last is None:
                    missing.append(source.id)
                    continue
                found = reread(home, ledger, run_id, source, last, clock(), force=force, second=second)
                if found.held:
                    not_taken.append((source.id, found.held.claims_lost, found.held.claims_before))
                else:
                    read.append(source.id)
                    changes += found.changes
            reapply(ledger, run_id, clock())
            verify_ledger(ledger, home, clock())
            first_read = (*left.first_read, *changes)
            reranked = (
                rerank(ledger, run_id, cards, left.news, clock(), first_read=first_read)
                if left.news or first_read
                else ()
            )
            rederive(ledger, run_id, cards, clock())
        ledger.publish()
    return Reextracted(
        run_id=run_id,
        read=tuple(read),
        current=current,
        missing=tuple(missing),
        not_taken=tuple(not_taken),
        changes=tuple(changes),
        reranked=reranked,
    )
