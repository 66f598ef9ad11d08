"""Flags that wait for a person, and what a person decided about them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from schemas.errors import LedgerError
from schemas.ledger import StoredClaim
from warehouse.database import Database
from warehouse.rows import OpenFlag, stored_flag, utc


def open_flags(database: Database, claims: Sequence[StoredClaim]) -> tuple[OpenFlag, ...]:
    """The flags of these versions that no decision has settled, in the claims' order."""
    by_claim: dict[str, list[OpenFlag]] = {stored.claim.claim_key: [] for stored in claims}
    known = {stored.claim.claim_key: stored for stored in claims}
    rows = database.rows(
        """
        SELECT * FROM stored.flags AS flag
        ANTI JOIN stored.decisions AS decision
            ON decision.flag_id = flag.flag_id AND decision.version = flag.version
        ORDER BY name
        """
    )
    for row in rows:
        claim = known.get(row["claim_key"])
        if claim and claim.version == row["version"]:
            by_claim[row["claim_key"]].append(OpenFlag(flag=stored_flag(row), claim=claim))
    return tuple(flag for flags in by_claim.values() for flag in flags)


def decide(database: Database, flag_id: str, reading: str, who: str, note: str, at: datetime) -> None:
    """Settles a flag of the latest version of its claim. To be called within a transaction.

    Raises LedgerError where there is no such flag or no such reading, naming the readings there are.
    """
    rows = database.rows(
        """
        SELECT * FROM stored.flags AS flag WHERE flag_id = ? AND version = (
            SELECT max(version) FROM stored.claim_versions AS v WHERE v.claim_key = flag.claim_key)
        """,
        [flag_id],
    )
    if not rows:
        raise LedgerError(f"there is no flag {flag_id!r} on a current claim; `koujing flags` lists them")
    flag = stored_flag(rows[0])
    known = [option.key for option in flag.readings]
    if reading not in known:
        raise LedgerError(f"{flag_id} has no reading {reading!r}; it has {', '.join(known)}")
    decision = {
        "decision_id": database.next_id("stored.decisions", "decision_id"),
        "flag_id": flag_id,
        "claim_key": flag.claim_key,
        "version": rows[0]["version"],
        "name": flag.name,
        "reading": reading,
        "who": who,
        "note": note,
        "decided_at": utc(at),
    }
    database.insert("stored.decisions", [decision])
