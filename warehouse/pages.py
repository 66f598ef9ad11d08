"""Visits, written into the ledger: one with all that follows from it, or many that brought nothing new."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from schemas.errors import LedgerError
from schemas.extraction import Extraction
from schemas.ledger import PageChanges, Release
from schemas.source import HOW_VISITED, FetchStatus, Source, Visit
from warehouse.database import Database
from warehouse.keys import KeysInUse
from warehouse.limits import within_limits
from warehouse.page_writer import Page
from warehouse.rows import utc


def put_sources(database: Database, sources: Sequence[tuple[Source, datetime]]) -> None:
    """Keeps what is known of the sources; a new revision only where something differs."""
    rows = database.rows(
        """
        SELECT * FROM stored.sources WHERE list_contains(?::VARCHAR[], source_id)
        QUALIFY row_number() OVER (PARTITION BY source_id ORDER BY revision DESC) = 1
        """,
        [[source.id for source, _ in sources]],
    )
    known = {row["source_id"]: row for row in rows}
    fresh: list[dict[str, object]] = []
    for source, at in sources:
        content: dict[str, object] = {
            "source_id": source.id,
            **source.model_dump(exclude={"id", *HOW_VISITED}),
        }
        before = known.get(source.id)
        if before is None or any(before[name] != value for name, value in content.items()):
            revision = before["revision"] + 1 if before else 1
            fresh.append({**content, "revision": revision, "recorded_at": utc(at)})
            known[source.id] = fresh[-1]
    database.insert("stored.sources", fresh)


def write_visit(
    database: Database,
    run_id: int,
    source: Source,
    visit: Visit,
    extraction: Extraction | None,
    keys: KeysInUse,
    word: Release | None = None,
) -> PageChanges:
    """Writes one visit and what follows from it. To be called within a transaction.

    `word`: a person's, on a page that is held, or would be.
    """
    _require_same(source, visit)
    visit, extraction = within_limits(visit, extraction)
    put_sources(database, [(source, visit.at)])
    visit_id = database.next_id("stored.visits", "visit_id")
    database.insert("stored.visits", [_visit_row(visit, visit_id, run_id)])
    page = Page(database, run_id, source.id, visit, visit_id, keys, word)
    if visit.status is FetchStatus.CHANGED:
        return page.read(extraction)
    if visit.status is FetchStatus.GONE:
        return page.gone()
    if visit.status is FetchStatus.UNCHANGED:
        return page.stands_again()
    return PageChanges(source_id=source.id, first_visit=page.first_visit)


def write_unchanged(
    database: Database, run_id: int, visited: Sequence[tuple[Source, Visit]], keys: KeysInUse
) -> tuple[PageChanges, ...]:
    """Writes visits that brought the same bytes as before, all at once. To be called within a transaction.

    Costs next to nothing a page, but for those that were held, or had claims that were not seen.
    """
    for source, visit in visited:
        _require_same(source, visit)
        if visit.status is not FetchStatus.UNCHANGED:
            raise LedgerError(f"the visit to {source.id} was {visit.status}, not unchanged")
    put_sources(database, [(source, visit.at) for source, visit in visited])
    first = database.next_id("stored.visits", "visit_id")
    database.insert(
        "stored.visits",
        [_visit_row(visit, first + offset, run_id) for offset, (_, visit) in enumerate(visited)],
    )
    asked = _waiting_for_good_news(database)
    return tuple(
        Page(database, run_id, source.id, visit, first + offset, keys).stands_again()
        if source.id in asked
        else PageChanges(source_id=source.id, first_visit=False)
        for offset, (source, visit) in enumerate(visited)
    )


def _waiting_for_good_news(database: Database) -> set[str]:
    """The sources that are held, or have claims that were not seen when last looked for."""
    rows = database.rows(
        """
        WITH unseen AS (
            SELECT claim_key FROM stored.sightings GROUP BY claim_key HAVING arg_max(not_seen, sighting_id) > 0)
        SELECT source_id FROM stored.claim_versions SEMI JOIN unseen USING (claim_key)
        UNION SELECT source_id FROM stored.holds ANTI JOIN stored.releases USING (hold_id)
        """
    )
    return {row["source_id"] for row in rows}


def _require_same(source: Source, visit: Visit) -> None:
    if visit.source_id != source.id:
        raise LedgerError(f"a visit to {visit.source_id} was given as one to {source.id}")


def _visit_row(visit: Visit, visit_id: int, run_id: int) -> dict[str, object]:
    return {
        "visit_id": visit_id,
        "run_id": run_id,
        "source_id": visit.source_id,
        "visited_at": utc(visit.at),
        "status": str(visit.status),
        "http_status": visit.http_status,
        "reason": visit.reason,
        # An unchanged page's bytes are those of its last snapshot; 64 letters a page and night would be most of a file.
        "snapshot_sha256": visit.snapshot.sha256
        if visit.snapshot and visit.status is not FetchStatus.UNCHANGED
        else None,
    }
