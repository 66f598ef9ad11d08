"""Scores, placements and proposals: what a scorecard makes of the claims."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from schemas.record import Exact, Record


class ScoreStatus(StrEnum):
    """Whether the claims under a published score are still the ones it was given, or confirmed, for."""

    STANDING = "standing"
    STALE = "stale"


class DimensionScore(Record):
    """A vendor's score in one dimension and the claims (by key) that it rests on."""

    vendor: str
    dimension: str
    score: Exact
    status: ScoreStatus = ScoreStatus.STANDING
    claim_keys: tuple[str, ...] = ()


class ScoreWord(Record):
    """What a person said about a published score whose claims had changed.

    `published`: the score in the scorecard's file; `standing`: the one that stood until then; `score`: the one that
    stands since, the same where it was kept. `change_id`: the last change that was known then; a later one asks again.
    """

    scorecard: str
    vendor: str
    dimension: str
    published: Exact
    standing: Exact
    score: Exact
    change_id: int
    who: str
    note: str = ""
    said_at: datetime


class Placement(Record):
    """A vendor's place. `total` is exact; `shown` is rounded half up once. Equal totals share a rank."""

    vendor: str
    total: Exact
    shown: str
    rank: int


class Ranking(Record):
    """Vendors in order under one set of weights. Ties are listed by vendor id, so the order never shuffles.

    `variant`: `standing`, `proposed` (under the proposals) or `reweighted`; `note` says what was done.
    """

    scorecard: str
    variant: str
    weights: dict[str, Exact]
    placements: tuple[Placement, ...]
    note: str = ""


class Proposal(Record):
    """A score that the changed claims would now support, for a person to accept or not.

    `proposed` is the lowest published score in the dimension among `peers`: the vendors whose comparable
    claims the changed ones now equal. Without peers it is the rubric's; `reason` says how it came about.
    """

    scorecard: str
    vendor: str
    dimension: str
    standing: Exact
    proposed: Exact
    peers: tuple[str, ...]
    claim_keys: tuple[str, ...]
    reason: str
