"""The work of a refresh, without Prefect: visit, read, store, rank again, publish."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Protocol, TypeVar
from urllib.parse import urlsplit

from extractors.extract import SecondReader
from extractors.shell import links_of
from flows.derived import rederive
from flows.left_over import LeftOver
from flows.printing import counted
from flows.progress import Progress
from flows.reranking import rerank
from flows.rereading import read_snapshot, reread
from flows.sources import same_page
from flows.subtree import Subtree, is_child_of
from flows.summary import PageRow, RunSummary, news
from flows.verification import verify_ledger
from review.deciding import reapply
from schemas.asking import Asked
from schemas.errors import FetchError, LedgerError
from schemas.extraction import Extraction
from schemas.ledger import Change, PageChanges
from schemas.scorecard import Scorecard
from schemas.source import FetchStatus, Snapshot, Source, Visit
from warehouse import snapshots
from warehouse.home import Home
from warehouse.ledger import Ledger
from warehouse.limits import within_limits

HOSTS_AT_ONCE = 32
"""Visits wait for answers most of their time; so many hosts may be slow or down before another one waits."""

Clock = Callable[[], datetime]
Outcome = TypeVar("Outcome")


class Fetched(Protocol):
    """A visit and the bytes that it brought; None where it brought none."""

    @property
    def visit(self) -> Visit:
        """What came of asking."""

    @property
    def body(self) -> bytes | None:
        """The page as it came."""


class Fetches(Protocol):
    """What visits a source. `flows.fetch.Fetcher` is the one that knows the network."""

    def fetch(self, source: Source, last: Snapshot | None) -> Fetched:
        """Visits the source; `last` is what its page was when it was last read."""


@dataclass(frozen=True)
class Host:
    """The pages of one host, which are visited one after the other."""

    name: str
    pages: tuple[tuple[Source, Snapshot | None], ...]


Visited = tuple[tuple[Source, Visit], ...]


class Steps(Protocol):
    """How the batches of a run are carried out: plainly, or as Prefect's tasks."""

    def visit(
        self, hosts: Sequence[Host], visit: Callable[[Host], Visited]
    ) -> Iterator[tuple[Host, Visited]]:
        """Gives what each host brought, as it comes; visits of different hosts overlap."""

    def run(self, name: str, work: Callable[[], Outcome]) -> Outcome:
        """Does one batch of work here and now."""


class PlainSteps:
    """Batches in threads of this process."""

    def visit(
        self, hosts: Sequence[Host], visit: Callable[[Host], Visited]
    ) -> Iterator[tuple[Host, Visited]]:
        """Overlaps the hosts: whoever is done first is given first, and a slow one holds up nobody."""
        pool = ThreadPoolExecutor(HOSTS_AT_ONCE, thread_name_prefix="visit")
        try:
            asked = {pool.submit(visit, host): host for host in hosts}
            for future in as_completed(asked):
                yield asked[future], future.result()
        finally:
            # Without waiting: a run that stops must not sit out the pages of slow hosts.
            pool.shutdown(wait=False, cancel_futures=True)

    def run(self, name: str, work: Callable[[], Outcome]) -> Outcome:  # noqa: ARG002 - for those who report it
        """Does it."""
        return work()


def run_refresh(
    home: Home,
    sources: Iterable[Source],
    fetcher: Fetches,
    clock: Clock,
    progress: Progress,
    *,
    cards: Iterable[Scorecard],
    label: str = "",
    steps: Steps | None = None,
    wait_seconds: float = 0,
    second: SecondReader | None = None,
) -> RunSummary:
    """Visits the sources once, stores what changed, ranks what that touches, publishes, and tells it all.

    `second` is asked about what the rules leave open on changed pages, and what was left undone the last time.

    A page that cannot be fetched, read or stored is recorded with its reason, and the run goes on. Each page
    is one transaction. Raises LedgerHeldError where another process writes, and LedgerError where the ledger
    takes nothing more: the run is then marked failed, and what it stored until then stays.
    """
    steps = steps or PlainSteps()
    listed, cards = tuple(sources), tuple(cards)
    known_before = home.ledger.exists()
    with Ledger.open(home, wait_seconds=wait_seconds) as ledger:
        if ledger.restored_from is not None:
            progress.note(f"the ledger {ledger.why_restored} and was rebuilt from {ledger.restored_from}")
        for path in ledger.set_aside:
            progress.note(f"{path} holds what could not be read; the ledger begins without it")
        left = LeftOver.read(home, ledger) if known_before or ledger.restored_from else LeftOver()
        started = clock()
        due_now = due(listed, ledger.last_seen(), started)
        if len(due_now) < len(listed):
            progress.note(f"{counted(len(listed) - len(due_now), 'page')} not due yet: visited lately enough")
        run_id = ledger.begin_run(label, started)
        run = _Run(home, ledger, run_id, fetcher, clock, progress, second)
        try:
            rows = run.visit_all(due_now, steps)
            reapply(ledger, run_id, clock())
            verified = steps.run("verify", lambda: verify_ledger(ledger, home, clock()))
            reranked = steps.run(
                "rerank",
                lambda: rerank(
                    ledger,
                    run_id,
                    cards,
                    left.news + news(rows),
                    clock(),
                    first_read=(
                        *left.first_read,
                        *(change for row in rows for change in row.reread),
                        *(change for row in rows if row.first_visit for change in row.changes),
                    ),
                ),
            )
            rederived = steps.run("derive", lambda: rederive(ledger, run_id, cards, clock()))
            ended = clock()
            ledger.end_run(run_id, ended, "done")
        except BaseException:
            run.stop.set()
            with contextlib.suppress(LedgerError):
                ledger.end_run(run_id, clock(), "failed")
            raise
        ledger.publish()
    return RunSummary(
        run_id=run_id,
        label=label,
        started_at=started,
        ended_at=ended,
        pages=rows,
        reranked=reranked,
        rederived=tuple(found.card.id for found in rederived),
        verified=verified,
    )


class _Run:
    """One run while its pages are visited and written."""

    def __init__(
        self,
        home: Home,
        ledger: Ledger,
        run_id: int,
        fetcher: Fetches,
        clock: Clock,
        progress: Progress,
        second: SecondReader | None = None,
    ) -> None:
        self.home = home
        self.ledger = ledger
        self.run_id = run_id
        self.fetcher = fetcher
        self.clock = clock
        self.progress = progress
        self.stop = threading.Event()
        self.readers = ledger.last_readers()
        self.last: dict[str, Snapshot] = {}
        self.listed: frozenset[str] = frozenset()
        self.known: tuple[Source, ...] = ()
        self.second = second
        self.undone = ledger.left_undone() if second else frozenset()

    def visit_all(self, sources: Sequence[Source], steps: Steps) -> tuple[PageRow, ...]:
        self.last = self.ledger.last_snapshots()
        self.listed = frozenset(same_page(source.url) for source in sources)
        if any(source.crawl for source in sources):
            self.known = self.ledger.known_sources()
        hosts = by_host([(source, self.last.get(source.id)) for source in sources])
        self.progress.begin(len(sources))
        rows: dict[str, list[PageRow]] = {}
        for host, visited in steps.visit(hosts, self.visit_host):
            rows[host.name] = steps.run(f"read {host.name}", partial(self.write_all, visited))
        return tuple(row for host in hosts for row in rows[host.name])

    def visit_host(self, host: Host) -> Visited:
        """Visits the host's pages in order. Their bytes go to disk at once, so that few are in memory."""
        result = []
        for source, last in host.pages:
            if self.stop.is_set():
                break
            visit = self._visit(source, last)
            result.append((source, visit))
            self.progress.fetched(source.id)
            if source.crawl is not None:
                result += self._visit_below(source, visit)
        return tuple(result)

    def _visit_below(self, source: Source, visit: Visit) -> Iterator[tuple[Source, Visit]]:
        """Visits the pages of a source's scope, as links lead to them."""
        known = [page for page in self.known if is_child_of(source, page.id)]
        subtree = Subtree(source, known=known, listed=self.listed)
        subtree.found(source, self._links(visit))
        for page in subtree:
            if self.stop.is_set():
                return
            self.progress.more(1)
            below = self._visit(page, self.last.get(page.id))
            self.progress.fetched(page.id)
            subtree.found(page, self._links(below))
            yield page, below

    def _links(self, visit: Visit) -> tuple[str, ...]:
        snapshot = visit.snapshot
        if snapshot is None or not snapshots.is_whole(self.home, snapshot.sha256):
            return ()
        return links_of(snapshots.load(self.home, snapshot.sha256), snapshot.url, snapshot.content_type)

    def _visit(self, source: Source, last: Snapshot | None) -> Visit:
        try:
            fetched = self.fetcher.fetch(source, last)
        except FetchError as error:
            return self._failed(source, str(error), http_status=error.status)
        except Exception as error:  # noqa: BLE001 - one page's trouble, of whatever kind, is recorded as its own
            return self._failed(source, f"the visit failed ({_named(error)})")
        visit = fetched.visit
        if visit.status is FetchStatus.CHANGED:
            if visit.snapshot is None or fetched.body is None:
                return self._failed(source, "the visit brought no bytes")
            kept = snapshots.keep(self.home, fetched.body)
            visit = visit.model_copy(update={"snapshot": visit.snapshot.model_copy(update={"sha256": kept})})
        elif visit.status is FetchStatus.UNCHANGED and fetched.body is not None:
            snapshots.keep(self.home, fetched.body)
        return visit

    def write_all(self, visited: Visited) -> list[PageRow]:
        """Writes a host's visits: each in its own transaction, but for those that brought nothing new."""
        unchanged = [(source, visit) for source, visit in visited if visit.status is FetchStatus.UNCHANGED]
        try:
            stored = self.ledger.write_unchanged(self.run_id, unchanged) if unchanged else ()
        except LedgerError:
            stored = ()  # one of them is at fault, or all: one by one it shows
        done = {changes.source_id: changes for changes in stored}
        return [
            self._row(source, visit, None, done[source.id], *self._take_up(source))
            if visit.status is FetchStatus.UNCHANGED and source.id in done
            else self.write(source, visit)
            for source, visit in visited
        ]

    def write(self, source: Source, visit: Visit) -> PageRow:
        """Reads the page where it changed, and stores the visit with all that follows from it."""
        extraction = None
        if visit.status is FetchStatus.CHANGED:
            try:
                extraction = self._extract(source, visit)
            except LedgerError:
                raise
            except Exception as error:  # noqa: BLE001 - see _visit
                visit = _as_failed(visit, f"the page could not be read ({_named(error)})")
        try:
            return self._store(source, visit, extraction)
        except Exception as error:  # noqa: BLE001 - told apart below
            # Either this page cannot be stored or no page can: the ledger tells by taking the failure or not.
            failed = _as_failed(visit, f"the page could not be stored ({_named(error)})")
            try:
                return self._store(source, failed, None)
            except LedgerError as refusal:
                raise (error if isinstance(error, LedgerError) else refusal) from None

    def _extract(self, source: Source, visit: Visit) -> Extraction:
        if visit.snapshot is None:
            raise LedgerError(f"the visit to {source.id} brought no snapshot")
        return read_snapshot(self.home, source, visit.snapshot, self.second)

    def _store(self, source: Source, visit: Visit, extraction: Extraction | None) -> PageRow:
        visit, extraction = within_limits(_with_charset(visit, extraction), extraction)
        reread = self._reread(source, extraction) if extraction else ()
        changes = self.ledger.write_page(self.run_id, source, visit, extraction)
        return self._row(source, visit, extraction, changes, reread)

    def _reread(self, source: Source, extraction: Extraction) -> tuple[Change, ...]:
        """Reads the former bytes by the present reader first, so that what only that changes is told apart."""
        _, reader = self.readers.get(source.id, ("", extraction.extractor))
        if reader == extraction.extractor:
            return ()
        del self.readers[source.id]
        last = self.ledger.last_snapshot(source.id)
        if last is None:
            return ()
        return reread(
            self.home, self.ledger, self.run_id, source, last, self.clock(), second=self.second
        ).changes

    def _take_up(self, source: Source) -> tuple[tuple[Change, ...], Asked | None]:
        """Asks what was left undone of a page that has not changed since; what that settles is no vendor's news."""
        last = self.ledger.last_snapshot(source.id) if source.id in self.undone else None
        if last is None:
            return (), None
        try:
            extraction = read_snapshot(self.home, source, last, self.second)
            visit = Visit(source_id=source.id, at=self.clock(), status=FetchStatus.UNCHANGED, snapshot=last)
            visit, kept = within_limits(visit, extraction)
            changes = self.ledger.reread_page(self.run_id, visit, kept).changes if kept else ()
        except LedgerError:
            raise
        except Exception as error:  # noqa: BLE001 - see _visit
            self.progress.note(f"{source.id} could not be read again ({_named(error)})")
            return (), None
        return changes, extraction.asked

    def _row(
        self,
        source: Source,
        visit: Visit,
        extraction: Extraction | None,
        changes: PageChanges,
        reread: tuple[Change, ...] = (),
        asked: Asked | None = None,
    ) -> PageRow:
        read = extraction is not None and not extraction.reason and changes.held is None
        row = PageRow(
            source_id=source.id,
            vendor=source.vendor,
            url=source.url,
            status=visit.status,
            reason=visit.reason or (extraction.reason if extraction else ""),
            first_visit=changes.first_visit,
            claims=len(extraction.claims) if extraction and read else None,
            changes=changes.changes,
            held=changes.held,
            reread=reread,
            asked=extraction.asked if extraction else asked,
        )
        self.progress.written(row)
        return row

    def _failed(self, source: Source, reason: str, http_status: int | None = None) -> Visit:
        return Visit(
            source_id=source.id,
            at=self.clock(),
            status=FetchStatus.FAILED,
            http_status=http_status,
            reason=reason,
        )


def due(sources: Iterable[Source], seen: Mapping[str, datetime], now: datetime) -> tuple[Source, ...]:
    """The sources that are to be visited now, given when each page last came.

    A tenth of the interval early is due: a nightly run that starts a minute sooner than yesterday's skips none.
    """
    return tuple(
        source
        for source in sources
        if source.id not in seen or now - seen[source.id] >= source.interval * 0.9 or not source.every
    )


def by_host(pages: Iterable[tuple[Source, Snapshot | None]]) -> tuple[Host, ...]:
    """Groups pages by host and port, hosts and their pages in the order in which they are listed."""
    hosts: dict[str, list[tuple[Source, Snapshot | None]]] = {}
    for source, last in pages:
        hosts.setdefault(urlsplit(source.url).netloc.casefold(), []).append((source, last))
    return tuple(Host(name, tuple(listed)) for name, listed in hosts.items())


def _with_charset(visit: Visit, extraction: Extraction | None) -> Visit:
    """The visit, its snapshot saying as which charset its bytes were read."""
    document = extraction.document if extraction else None
    if visit.snapshot is None or document is None:
        return visit
    decided = {
        "encoding": document.encoding,
        "encoding_from": document.encoding_from,
        "encoding_notes": document.notes,
    }
    return visit.model_copy(update={"snapshot": visit.snapshot.model_copy(update=decided)})


def _as_failed(visit: Visit, reason: str) -> Visit:
    return visit.model_copy(update={"status": FetchStatus.FAILED, "reason": reason, "snapshot": None})


def _named(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__
