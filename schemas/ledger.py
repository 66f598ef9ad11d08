"""What the ledger keeps of a claim over time, and what it reports when something changed."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from schemas.claim import Claim
from schemas.record import Record


class StoredClaim(Record):
    """A version of a claim as the ledger holds it. `claim.claim_key` is the ledger's key.

    `valid_from`: when the source was first seen to say it. `not_seen`: visits in a row, since, on which the
    source did not say it (0 where it stands on the page now). It is never a retraction.
    """

    claim: Claim
    version: int = Field(ge=1)
    source_id: str
    snapshot_sha256: str
    valid_from: datetime
    recorded_at: datetime
    not_seen: int = Field(default=0, ge=0)


class ChangeKind(StrEnum):
    """What happened to a claim between two visits."""

    NEW = "new"
    CHANGED = "changed"
    NOT_SEEN = "not_seen"
    SEEN_AGAIN = "seen_again"


class Change(Record):
    """One event. `fields` names what differs where the claim changed; before and after hold both wordings."""

    kind: ChangeKind
    claim_key: str
    source_id: str
    fields: tuple[str, ...] = ()
    before: Claim | None = None
    after: Claim | None = None


class PageChanges(Record):
    """All events of one page in one run, written in one transaction."""

    source_id: str
    first_visit: bool
    changes: tuple[Change, ...] = ()
    same: int = Field(default=0, ge=0)
