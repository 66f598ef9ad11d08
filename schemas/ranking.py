"""Scores, placements and proposals: what a scorecard makes of the claims."""

from __future__ import annotations

from enum import StrEnum

from schemas.record import Exact, Record


class ScoreStatus(StrEnum):
    """Whether the claims under a published score are still the ones it was given for."""

    STANDING = "standing"
    RESTS_ON_CHANGED_CLAIM = "rests_on_changed_claim"


class DimensionScore(Record):
    """A vendor's score in one dimension and the claims (by key) that it rests on."""

    vendor: str
    dimension: str
    score: Exact
    status: ScoreStatus = ScoreStatus.STANDING
    claim_keys: tuple[str, ...] = ()


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
    claims the changed ones now equal.
    """

    scorecard: str
    vendor: str
    dimension: str
    standing: Exact
    proposed: Exact
    peers: tuple[str, ...]
    claim_keys: tuple[str, ...]
    reason: str
