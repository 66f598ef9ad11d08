"""What stands in the ledger now: the latest version of each claim, the newest page of each source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemas.ledger import StoredClaim
from schemas.source import HOW_VISITED, Snapshot, Source
from warehouse.database import Database
from warehouse.rows import stored_claim, stored_snapshot

_LATEST_CLAIMS = """
WITH latest AS (
    SELECT * FROM stored.claim_versions {where}
    QUALIFY row_number() OVER (PARTITION BY claim_key ORDER BY version DESC) = 1
),
sighting AS (
    SELECT claim_key, arg_max(not_seen, sighting_id) AS not_seen FROM stored.sightings
    WHERE claim_key IN (SELECT claim_key FROM latest) GROUP BY claim_key
)
SELECT latest.*, coalesce(sighting.not_seen, 0)::INTEGER AS not_seen
FROM latest LEFT JOIN sighting USING (claim_key)
ORDER BY source_id, evidence_start, claim_key
"""
"""The latest version of every claim, in the page's order. A filter is a text of ours, its value a parameter."""


def latest_claims(
    database: Database, *, source_id: str | None = None, vendor: str | None = None, as_read: bool = False
) -> tuple[StoredClaim, ...]:
    """The latest version of every claim, those that are not seen included; `as_read`: that a page itself said."""
    where, values = ("", []) if source_id is None else ("WHERE source_id = ?", [source_id])
    if as_read:
        where = f"{where or 'WHERE true'} AND cause <> 'review'"
    rows = database.rows(_LATEST_CLAIMS.format(where=where), values)
    return tuple(stored_claim(row) for row in rows if vendor is None or row["vendor"] == vendor)


def latest_claims_on(
    database: Database, vendors: Sequence[str], metrics: Sequence[str]
) -> tuple[StoredClaim, ...]:
    """The latest version of the claims that these vendors make on these metrics."""
    # First the keys, from two narrow columns: whole rows are read of few claims, however many there are.
    where = """WHERE claim_key IN (
        SELECT claim_key FROM stored.claim_versions
        WHERE list_contains(?::VARCHAR[], vendor) AND list_contains(?::VARCHAR[], metric))"""
    rows = database.rows(_LATEST_CLAIMS.format(where=where), [list(vendors), list(metrics)])
    return tuple(stored_claim(row) for row in rows if row["vendor"] in vendors and row["metric"] in metrics)


def roll_ups(database: Database, keys: Iterable[str] | None = None) -> dict[str, str]:
    """By claim key the column of the view `claims`; of every claim where `keys` is None."""
    if keys is None:
        rows = database.rows("SELECT claim_key, roll_up FROM claim_standing")
    else:
        wanted = sorted(keys)
        if not wanted:
            return {}
        rows = database.rows(
            "SELECT claim_key, roll_up FROM claim_standing WHERE claim_key IN (SELECT unnest(?::VARCHAR[]))",
            [wanted],
        )
    return {row["claim_key"]: row["roll_up"] for row in rows}


def last_snapshot(database: Database, source_id: str) -> Snapshot | None:
    """The newest snapshot of the source whose page was read into the ledger."""
    rows = database.rows(
        "SELECT * FROM stored.snapshots WHERE source_id = ? AND written ORDER BY visit_id DESC LIMIT 1",
        [source_id],
    )
    return stored_snapshot(rows[0]) if rows else None


def last_snapshots(database: Database) -> dict[str, Snapshot]:
    """By source what `last_snapshot` gives."""
    rows = database.rows(
        """
        SELECT * FROM stored.snapshots WHERE written
        QUALIFY row_number() OVER (PARTITION BY source_id ORDER BY visit_id DESC) = 1
        """
    )
    return {row["source_id"]: stored_snapshot(row) for row in rows}


def newest_snapshot_unless_gone(database: Database, source_id: str) -> Snapshot | None:
    """The newest snapshot of the source, read or not; None where a later visit found no page."""
    rows = database.rows(
        """
        SELECT snapshot.* FROM stored.visits AS visit LEFT JOIN stored.snapshots AS snapshot USING (visit_id)
        WHERE visit.source_id = ? AND (visit.status = 'gone' OR snapshot.visit_id IS NOT NULL)
        ORDER BY visit.visit_id DESC LIMIT 1
        """,
        [source_id],
    )
    return stored_snapshot(rows[0]) if rows and rows[0]["sha256"] else None


def known_sources(database: Database) -> tuple[Source, ...]:
    """What is known of every source that was ever visited, as last listed.

    Not validated again: what was stored stays readable when a rule for new ones is added.
    """
    rows = database.rows(
        """
        SELECT * FROM stored.sources
        QUALIFY row_number() OVER (PARTITION BY source_id ORDER BY revision DESC) = 1 ORDER BY source_id
        """
    )
    kept = [name for name in Source.model_fields if name not in HOW_VISITED]
    return tuple(
        Source.model_construct(**{n: row["source_id" if n == "id" else n] for n in kept}) for row in rows
    )
