"""One page's visit, written into the ledger as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

from schemas.check import Check
from schemas.claim import Claim
from schemas.errors import LedgerError
from schemas.extraction import Extraction
from schemas.flag import Flag
from schemas.ledger import Change, ChangeKind, PageChanges, StoredClaim
from schemas.source import FetchStatus, Snapshot, Source, Visit
from warehouse.changes import Comparison, compare
from warehouse.database import Database
from warehouse.limits import owners, within_limits
from warehouse.rows import (
    check_row,
    claim_row,
    flag_row,
    snapshot_row,
    stored_claim,
    stored_snapshot,
    utc,
)

LATEST_CLAIMS = """
WITH latest AS (
    SELECT * FROM stored.claim_versions
    WHERE ($1 IS NULL OR source_id = $1)
    QUALIFY row_number() OVER (PARTITION BY claim_key ORDER BY version DESC) = 1
),
sighting AS (
    SELECT claim_key, arg_max(not_seen, sighting_id) AS not_seen FROM stored.sightings GROUP BY claim_key
)
SELECT latest.*, coalesce(sighting.not_seen, 0)::INTEGER AS not_seen
FROM latest LEFT JOIN sighting USING (claim_key)
WHERE ($2 IS NULL OR vendor = $2)
ORDER BY source_id, evidence_start, claim_key
"""
"""The latest version of every claim of source $1 and vendor $2 (null: of all), in the page's order."""

Named = TypeVar("Named", Flag, Check)


def latest_claims(
    database: Database, *, source_id: str | None = None, vendor: str | None = None
) -> tuple[StoredClaim, ...]:
    """The latest version of every claim, those that are not seen included."""
    return tuple(stored_claim(row) for row in database.rows(LATEST_CLAIMS, [source_id, vendor]))


def last_snapshot(database: Database, source_id: str) -> Snapshot | None:
    """The newest snapshot of the source whose page was read into the ledger."""
    rows = database.rows(
        "SELECT * FROM stored.snapshots WHERE source_id = ? AND written ORDER BY visit_id DESC LIMIT 1",
        [source_id],
    )
    return stored_snapshot(rows[0]) if rows else None


def put_source(database: Database, source: Source, at: datetime) -> None:
    """Keeps what is known of the source; a new revision only where something differs."""
    rows = database.rows(
        "SELECT * FROM stored.sources WHERE source_id = ? ORDER BY revision DESC LIMIT 1", [source.id]
    )
    known = rows[0] if rows else None
    content: dict[str, object] = {"source_id": source.id, **source.model_dump(exclude={"id"})}
    if known is None or any(known[name] != value for name, value in content.items()):
        revision = known["revision"] + 1 if known else 1
        database.insert("stored.sources", [{**content, "revision": revision, "recorded_at": utc(at)}])


def write_visit(
    database: Database, run_id: int, source: Source, visit: Visit, extraction: Extraction | None
) -> PageChanges:
    """Writes one visit and what follows from it. To be called within a transaction."""
    if visit.source_id != source.id:
        raise LedgerError(f"a visit to {visit.source_id} was given as one to {source.id}")
    visit, extraction = within_limits(visit, extraction)
    put_source(database, source, visit.at)
    visit_id = database.next_id("stored.visits", "visit_id")
    database.insert("stored.visits", [_visit_row(visit, visit_id, run_id)])
    page = _Page(database, run_id, source, visit, visit_id)
    if visit.status is FetchStatus.CHANGED:
        return page.read(extraction)
    if visit.status is FetchStatus.GONE:
        return page.gone()
    if visit.status is FetchStatus.UNCHANGED:
        return page.stands_again()
    return PageChanges(source_id=source.id, first_visit=page.first_visit)


def _visit_row(visit: Visit, visit_id: int, run_id: int) -> dict[str, object]:
    return {
        "visit_id": visit_id,
        "run_id": run_id,
        "source_id": visit.source_id,
        "visited_at": utc(visit.at),
        "status": str(visit.status),
        "http_status": visit.http_status,
        "reason": visit.reason,
        "snapshot_sha256": visit.snapshot.sha256 if visit.snapshot else None,
    }


class _Page:
    """The state of one source while one visit is written."""

    def __init__(self, database: Database, run_id: int, source: Source, visit: Visit, visit_id: int) -> None:
        self.database = database
        self.run_id = run_id
        self.source_id = source.id
        self.visit = visit
        self.visit_id = visit_id
        self.at = utc(visit.at)
        self.last = last_snapshot(database, source.id)
        self.first_visit = self.last is None
        self.known = latest_claims(database, source_id=source.id)

    def read(self, extraction: Extraction | None) -> PageChanges:
        """A page that came with new bytes. Where it could not be read, it says nothing about the claims."""
        snapshot = self.visit.snapshot
        if snapshot is None:
            raise LedgerError(f"the visit to {self.source_id} brought a changed page and no snapshot")
        reason = extraction.reason if extraction else "not extracted"
        row = snapshot_row(snapshot, self.visit_id, written=extraction is not None, reason=reason)
        self.database.insert("stored.snapshots", [row])
        if extraction is None or extraction.document is None:
            return PageChanges(source_id=self.source_id, first_visit=self.first_visit)
        comparison = compare(
            self.known, extraction.claims, source_id=self.source_id, taken=self._keys_of_others(extraction)
        )
        versions = {stored.claim.claim_key: stored.version for stored in self.known}
        written = self._write_versions(comparison, snapshot, versions)
        self._write_findings(extraction, comparison, written)
        self._write_sightings("absent", comparison.absent, comparison.back)
        return self._report(comparison, versions, written)

    def gone(self) -> PageChanges:
        """A page that is no longer there. Its claims are kept as not seen."""
        comparison = compare(self.known, (), source_id=self.source_id)
        self._write_sightings("gone", comparison.absent, ())
        versions = {stored.claim.claim_key: stored.version for stored in self.known}
        return self._report(comparison, versions, {})

    def stands_again(self) -> PageChanges:
        """An unchanged page. Claims that were not seen only because it was gone are seen again."""
        missing = {stored.claim.claim_key: stored for stored in self.known if stored.not_seen}
        absent = self._absent_from_page(list(missing))
        back = {key: stored for key, stored in missing.items() if key not in absent}
        changes = tuple(
            Change(
                kind=ChangeKind.SEEN_AGAIN,
                claim_key=key,
                source_id=self.source_id,
                before=stored.claim,
                after=stored.claim,
            )
            for key, stored in back.items()
        )
        comparison = Comparison(claims=(), changes=changes, same=0, back=tuple(back))
        self._write_sightings("gone", (), comparison.back)
        versions = {key: stored.version for key, stored in back.items()}
        return self._report(comparison, versions, {})

    def _absent_from_page(self, keys: list[str]) -> set[str]:
        """Those of the keys that the page, while it was there, did not say since they were last seen."""
        rows = self.database.rows(
            """
            SELECT DISTINCT claim_key FROM stored.sightings AS sighting
            WHERE list_contains(?::VARCHAR[], claim_key) AND why = 'absent' AND sighting_id > coalesce((
                SELECT max(sighting_id) FROM stored.sightings AS back
                WHERE back.claim_key = sighting.claim_key AND back.why = 'back'), 0)
            """,
            [keys],
        )
        return {row["claim_key"] for row in rows}

    def _keys_of_others(self, extraction: Extraction) -> frozenset[str]:
        """Keys in use by other sources that a new claim of this page could otherwise be given."""
        stems = sorted({claim.claim_key for claim in extraction.claims})
        rows = self.database.rows(
            r"""
            SELECT DISTINCT claim_key FROM stored.claim_versions
            WHERE source_id <> ? AND regexp_replace(claim_key, '~\d+$', '') IN (
                SELECT regexp_replace(unnest(?::VARCHAR[]), '~\d+$', ''))
            """,
            [self.source_id, stems],
        )
        return frozenset(row["claim_key"] for row in rows)

    def _write_versions(
        self, comparison: Comparison, snapshot: Snapshot, versions: dict[str, int]
    ) -> dict[str, int]:
        written = {
            change.claim_key: versions.get(change.claim_key, 0) + 1
            for change in comparison.changes
            if change.kind in (ChangeKind.NEW, ChangeKind.CHANGED)
        }
        rows = [
            claim_row(self._version(claim, snapshot, written[claim.claim_key]), self.run_id)
            for claim in comparison.claims
            if claim.claim_key in written
        ]
        self.database.insert("stored.claim_versions", rows)
        return written

    def _version(self, claim: Claim, snapshot: Snapshot, version: int) -> StoredClaim:
        return StoredClaim(
            claim=claim,
            version=version,
            source_id=self.source_id,
            snapshot_sha256=snapshot.sha256,
            valid_from=snapshot.fetched_at,
            recorded_at=self.at,
        )

    def _write_findings(
        self, extraction: Extraction, comparison: Comparison, written: dict[str, int]
    ) -> None:
        """Flags and checks of the versions just written, under the claims' final keys."""
        flags = _rekeyed(extraction.flags, extraction, comparison)
        checks = _rekeyed(extraction.checks, extraction, comparison)
        once = {flag.flag_id: flag for flag in flags if flag.claim_key in written}
        self.database.insert(
            "stored.flags", [flag_row(flag, written[flag.claim_key]) for flag in once.values()]
        )
        self.database.insert(
            "stored.checks",
            [check_row(c, written[c.claim_key], self.at) for c in checks if c.claim_key in written],
        )

    def _write_sightings(self, why: str, absent: tuple[str, ...], back: tuple[str, ...]) -> None:
        counts = {stored.claim.claim_key: stored.not_seen for stored in self.known}
        events = [(key, counts[key] + 1, why) for key in absent] + [(key, 0, "back") for key in back]
        first = self.database.next_id("stored.sightings", "sighting_id")
        self.database.insert(
            "stored.sightings",
            [
                {
                    "sighting_id": first + offset,
                    "claim_key": key,
                    "run_id": self.run_id,
                    "recorded_at": self.at,
                    "not_seen": count,
                    "why": reason,
                }
                for offset, (key, count, reason) in enumerate(events)
            ],
        )

    def _report(
        self, comparison: Comparison, versions: dict[str, int], written: dict[str, int]
    ) -> PageChanges:
        first = self.database.next_id("stored.changes", "change_id")
        self.database.insert(
            "stored.changes",
            [
                {
                    "change_id": first + offset,
                    "run_id": self.run_id,
                    "source_id": self.source_id,
                    "claim_key": change.claim_key,
                    "kind": str(change.kind),
                    "fields": change.fields,
                    "version_before": versions.get(change.claim_key),
                    "version_after": _version_after(change, versions, written),
                    "first_visit": self.first_visit,
                    "cause": self._cause(change),
                    "recorded_at": self.at,
                }
                for offset, change in enumerate(comparison.changes)
            ],
        )
        return PageChanges(
            source_id=self.source_id,
            first_visit=self.first_visit,
            changes=comparison.changes,
            same=comparison.same,
        )

    def _cause(self, change: Change) -> str:
        """A better parser is no vendor's change: the same bytes, read anew, say so."""
        snapshot = self.visit.snapshot
        if (
            snapshot
            and self.last
            and snapshot.sha256 == self.last.sha256
            and self.visit.status is FetchStatus.CHANGED
        ):
            return "extractor"
        if change.before and change.after and change.before.extractor != change.after.extractor:
            return "both"
        return "page"


def _version_after(change: Change, versions: dict[str, int], written: dict[str, int]) -> int | None:
    if change.kind is ChangeKind.NOT_SEEN:
        return None
    return written.get(change.claim_key, versions.get(change.claim_key))


def _rekeyed(findings: Sequence[Named], extraction: Extraction, comparison: Comparison) -> list[Named]:
    """Findings under the claims' final keys."""
    return [
        finding.model_copy(update={"claim_key": comparison.claims[index].claim_key})
        for finding, index in zip(findings, owners(findings, extraction.claims), strict=True)
    ]
