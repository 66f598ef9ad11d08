"""What follows from one reading of one page, written into the ledger."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from schemas.check import Check
from schemas.errors import LedgerError
from schemas.extraction import Extraction
from schemas.flag import Flag
from schemas.ledger import Change, ChangeKind, Hold, HoldReason, PageChanges, Release, StoredClaim
from schemas.source import Snapshot, Visit
from warehouse import holds
from warehouse.asking import write_asked
from warehouse.changes import Comparison, as_rereading, compare
from warehouse.database import Database
from warehouse.keys import KeysInUse
from warehouse.latest import last_snapshot, latest_claims
from warehouse.limits import owners
from warehouse.rows import check_row, claim_row, flag_row, snapshot_row, utc

Named = TypeVar("Named", Flag, Check)


class Page:
    """The state of one source while one visit is written. Each method is called once, within a transaction."""

    def __init__(
        self,
        database: Database,
        run_id: int,
        source_id: str,
        visit: Visit,
        visit_id: int,
        keys: KeysInUse,
        word: Release | None = None,
    ) -> None:
        self.database = database
        self.keys = keys
        self.run_id = run_id
        self.source_id = source_id
        self.visit = visit
        self.visit_id = visit_id
        self.at = utc(visit.at)
        self.word = word

    @cached_property
    def _last(self) -> Snapshot | None:
        return last_snapshot(self.database, self.source_id)

    @cached_property
    def _known(self) -> tuple[StoredClaim, ...]:
        # As read from the page: a reviewer's correction stands until the page itself says something else.
        return latest_claims(self.database, source_id=self.source_id, as_read=True)

    @cached_property
    def _hold(self) -> Hold | None:
        return next(iter(holds.open_holds(self.database, self.source_id)), None)

    @cached_property
    def first_visit(self) -> bool:
        """Whether the page was never read before."""
        return self._last is None

    @cached_property
    def _versions(self) -> dict[str, int]:
        return {key: version for key, (version, _) in self._reviewed.items()} | {
            stored.claim.claim_key: stored.version
            for stored in self._known
            if stored.version > self._reviewed.get(stored.claim.claim_key, (0, None))[0]
        }

    @cached_property
    def _reviewed(self) -> dict[str, tuple[int, datetime]]:
        """The last version that a reviewer wrote of each claim, and when."""
        rows = self.database.rows(
            """
            SELECT claim_key, max(version) AS version, max(recorded_at) AS at FROM stored.claim_versions
            WHERE source_id = ? AND cause = 'review' GROUP BY claim_key
            """,
            [self.source_id],
        )
        return {row["claim_key"]: (row["version"], row["at"]) for row in rows}

    def read(self, extraction: Extraction | None) -> PageChanges:
        """A page that came with new bytes. Where it could not be read, it says nothing about the claims."""
        snapshot = self.visit.snapshot
        if snapshot is None:
            raise LedgerError(f"the visit to {self.source_id} brought a changed page and no snapshot")
        first_visit = self.first_visit
        if extraction is None:
            self._keep_snapshot(snapshot, written=False, reason="not extracted")
            return PageChanges(source_id=self.source_id, first_visit=first_visit)
        readable = extraction.document is not None
        comparison = compare(
            self._known,
            extraction.claims,
            source_id=self.source_id,
            taken=self._keys_of_others(extraction) if readable else frozenset(),
        )
        if held := self._held(comparison, snapshot, holds.reason_of(extraction)):
            self._keep_snapshot(snapshot, written=False, reason=f"held: {held.reason}")
            return held_page(self.source_id, held)
        self._keep_snapshot(snapshot, written=True, reason=extraction.reason)
        self._release()
        if not readable and self.word is None:
            return PageChanges(source_id=self.source_id, first_visit=first_visit)
        self._write_reading(extraction, snapshot)
        same_bytes = self._last is not None and self._last.sha256 == snapshot.sha256
        written = self._write_versions(comparison, snapshot, cause="rereading" if same_bytes else "page")
        self._write_findings(extraction, comparison, written)
        self._write_unclear(comparison)
        self._write_sightings("absent", comparison.absent, comparison.back)
        return self._report(comparison, written, (lambda _: "extractor") if same_bytes else self._cause)

    def gone(self) -> PageChanges:
        """A page that is no longer there: held; once a person has accepted that, its claims are not seen."""
        comparison = compare(self._known, (), source_id=self.source_id)
        if held := self._held(comparison, None, HoldReason.GONE):
            return held_page(self.source_id, held)
        self._release()
        self._write_sightings("gone", comparison.absent, ())
        return self._report(comparison, {}, self._cause)

    def reread(self, extraction: Extraction, *, force: bool) -> PageChanges:
        """The same bytes, read anew: what differs is written as our correction, and is no vendor's change."""
        snapshot = self.visit.snapshot
        if snapshot is None:
            raise LedgerError(f"a rereading of {self.source_id} names no snapshot")
        taken = self._keys_of_others(extraction)
        comparison = as_rereading(
            compare(self._known, extraction.claims, source_id=self.source_id, taken=taken), self._known
        )
        standing, lost = self._lost(comparison)
        if not force and holds.would_lose_most(standing, lost):
            return held_page(self.source_id, self._new_hold(HoldReason.LOST_CLAIMS, snapshot, standing, lost))
        self._write_reading(extraction, snapshot)
        written = self._write_versions(comparison, snapshot, cause="rereading")
        self._write_findings(extraction, comparison, written)
        self._write_unclear(comparison)
        self._write_sightings("absent", comparison.absent, comparison.back)
        return self._report(comparison, written, lambda _: "extractor")

    def _held(self, comparison: Comparison, snapshot: Snapshot | None, reason: HoldReason) -> Hold | None:
        """The hold that the page is under, or comes under now; None where what it says is taken."""
        if self.word is not None:
            return None
        standing, lost = self._lost(comparison)
        if not holds.would_lose_most(standing, lost):
            return None
        hold = self._new_hold(reason, snapshot, standing, lost)
        if self._hold or holds.was_kept(self.database, self.source_id):
            return self._hold or hold
        return holds.put_hold(self.database, hold, self.run_id, self.visit_id)

    def _lost(self, comparison: Comparison) -> tuple[int, int]:
        """How many claims stand, and how many of them are gone; one that may be another one now is not."""
        standing = {stored.claim.claim_key for stored in self._known if not stored.not_seen}
        unclear = {key for _, candidates in comparison.ambiguous for key in candidates}
        return len(standing), len(standing & set(comparison.absent) - unclear)

    def _new_hold(self, reason: HoldReason, snapshot: Snapshot | None, standing: int, lost: int) -> Hold:
        return Hold(
            hold_id=0,
            source_id=self.source_id,
            reason=reason,
            claims_before=standing,
            claims_lost=lost,
            snapshot_sha256=snapshot.sha256 if snapshot else None,
            held_at=self.at,
        )

    def _release(self) -> None:
        if self._hold:
            holds.end_hold(self.database, self._hold, self.run_id, self.visit_id, self.at, self.word)

    def _keep_snapshot(self, snapshot: Snapshot, *, written: bool, reason: str) -> None:
        row = snapshot_row(snapshot, self.visit_id, written=written, reason=reason)
        self.database.insert("stored.snapshots", [row])

    def stands_again(self) -> PageChanges:
        """An unchanged page. Claims that were not seen only because it was gone are seen again."""
        self._release()
        missing = {stored.claim.claim_key: stored for stored in self._known if stored.not_seen}
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
        return self._report(comparison, {}, self._cause)

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
        return self.keys.of_others(self.source_id, (claim.claim_key for claim in extraction.claims))

    def _write_reading(self, extraction: Extraction, snapshot: Snapshot) -> None:
        reading = {
            "reading_id": self.database.next_id("stored.readings", "reading_id"),
            "run_id": self.run_id,
            "source_id": self.source_id,
            "snapshot_sha256": snapshot.sha256,
            "extractor": extraction.extractor or next((c.extractor for c in extraction.claims), ""),
            "claims": len(extraction.claims),
            "read_at": self.at,
        }
        self.database.insert("stored.readings", [reading])
        write_asked(self.database, self.run_id, self.source_id, snapshot.sha256, extraction, self.at)

    def _write_versions(
        self, comparison: Comparison, snapshot: Snapshot, cause: str = "page"
    ) -> dict[str, int]:
        written = {
            change.claim_key: self._versions.get(change.claim_key, 0) + 1
            for change in comparison.changes
            if change.kind in (ChangeKind.NEW, ChangeKind.CHANGED)
        }
        before = {stored.claim.claim_key: stored for stored in self._known}
        rows = [
            claim_row(
                StoredClaim(
                    claim=claim,
                    version=written[claim.claim_key],
                    source_id=self.source_id,
                    snapshot_sha256=snapshot.sha256,
                    valid_from=_since(before.get(claim.claim_key), snapshot, cause),
                    recorded_at=self._not_before(before.get(claim.claim_key)),
                ),
                self.run_id,
            )
            | {"cause": cause}
            for claim in comparison.claims
            if claim.claim_key in written
        ]
        self.database.insert("stored.claim_versions", rows)
        return written

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

    def _write_unclear(self, comparison: Comparison) -> None:
        self.database.insert(
            "stored.unclear_matches",
            [
                {
                    "claim_key": key,
                    "run_id": self.run_id,
                    "source_id": self.source_id,
                    "candidates": candidates,
                    "recorded_at": self.at,
                }
                for key, candidates in comparison.ambiguous
            ],
        )

    def _write_sightings(self, why: str, absent: tuple[str, ...], back: tuple[str, ...]) -> None:
        counts = {stored.claim.claim_key: stored.not_seen for stored in self._known}
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
        self, comparison: Comparison, written: dict[str, int], cause: Callable[[Change], str]
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
                    "version_before": self._versions.get(change.claim_key),
                    "version_after": _version_after(change, self._versions, written),
                    "first_visit": self.first_visit,
                    "cause": cause(change),
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

    def _not_before(self, before: StoredClaim | None) -> datetime:
        """The visit's moment; where the machine's clock was set back, that of the version before."""
        if before is None:
            return self.at
        return max(before.recorded_at, self.at, self._reviewed.get(before.claim.claim_key, (0, self.at))[1])

    def _cause(self, change: Change) -> str:
        """A better reader is no vendor's change: where another one read the words before, the event says so."""
        if change.before and change.after and change.before.extractor != change.after.extractor:
            return "both"
        return "page"


def _since(before: StoredClaim | None, snapshot: Snapshot, cause: str) -> datetime:
    """When the source began to say it. A correction holds from when it said what we now read otherwise."""
    if before is None:
        return snapshot.fetched_at
    return before.valid_from if cause == "rereading" else max(before.valid_from, snapshot.fetched_at)


def held_page(source_id: str, hold: Hold) -> PageChanges:
    """A page from which nothing was taken."""
    return PageChanges(source_id=source_id, first_visit=False, held=hold)


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
