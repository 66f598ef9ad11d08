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


class HoldReason(StrEnum):
    """Why a page is held: in which form it would lose most of its claims."""

    GONE = "gone"
    LOGIN_WALL = "login_wall"
    SCRIPT_SHELL = "script_shell"
    UNREADABLE = "unreadable"
    LOST_CLAIMS = "lost_claims"


class Hold(Record):
    """A page from which nothing is taken until it comes well again or a person says what it is.

    `claims_before`: how many claims stood on it; `claims_lost`: how many of them it would lose.
    `snapshot_sha256`: the bytes that are held; None where there was no page. `hold_id` 0: nobody is asked, because
    a person has already let the claims stand.
    """

    hold_id: int = Field(ge=0)
    source_id: str
    reason: HoldReason
    claims_before: int = Field(ge=0)
    claims_lost: int = Field(ge=0)
    snapshot_sha256: str | None
    held_at: datetime


class Release(Record):
    """A person's word on a held page. `accept`: it is right as it is; else its claims stand as they were."""

    accept: bool
    who: str = Field(min_length=1)
    note: str = ""


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
    """All events of one page in one run, written in one transaction. `held`: why nothing was taken from it."""

    source_id: str
    first_visit: bool
    changes: tuple[Change, ...] = ()
    same: int = Field(default=0, ge=0)
    held: Hold | None = None
