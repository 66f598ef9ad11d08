"""Scores, rankings and proposals as a run leaves them. Each function is called within a transaction."""

from __future__ import annotations

import hashlib
from datetime import datetime
from decimal import Decimal

from schemas.ranking import DimensionScore, Proposal, Ranking
from schemas.scorecard import Scorecard
from warehouse.database import Database
from warehouse.rows import as_json, stored_decimal, utc

_SCORE_STEP = Decimal("1e-4")
_TOTAL_STEP = Decimal("1e-8")


def put_scorecard(database: Database, scorecard: Scorecard, at: datetime) -> bool:
    """Keeps the scorecard's content, each content once; tells whether it is new."""
    content = as_json(scorecard.model_dump(mode="json"))
    digest = hashlib.sha256(content.encode()).hexdigest()
    if database.rows(
        "SELECT 1 AS one FROM stored.scorecards WHERE scorecard = ? AND sha256 = ?",
        [scorecard.id, digest],
    ):
        return False
    row = {
        "scorecard": scorecard.id,
        "sha256": digest,
        "name_en": scorecard.name.en,
        "name_zh": scorecard.name.zh,
        "content": content,
        "recorded_at": utc(at),
    }
    database.insert("stored.scorecards", [row])
    return True


def store_scores(
    database: Database, run_id: int, scorecard_id: str, scores: tuple[DimensionScore, ...], at: datetime
) -> None:
    """Keeps the scores of a run, each with the claims it rests on."""
    first = database.next_id("stored.scores", "score_id")
    rows, rests_on = [], []
    for score_id, score in enumerate(scores, start=first):
        what = f"the score of {score.vendor} in {score.dimension}"
        rows.append(
            {
                "score_id": score_id,
                "run_id": run_id,
                "scorecard": scorecard_id,
                "vendor": score.vendor,
                "dimension": score.dimension,
                "score": stored_decimal(score.score, what, _SCORE_STEP),
                "status": str(score.status),
                "recorded_at": utc(at),
            }
        )
        rests_on += [{"score_id": score_id, "claim_key": key} for key in sorted(set(score.claim_keys))]
    database.insert("stored.scores", rows)
    database.insert("stored.score_claims", rests_on)


def store_ranking(database: Database, run_id: int, ranking: Ranking, at: datetime) -> None:
    """Keeps the ranking. The latest `standing` one of a scorecard is what the view `ranking` shows."""
    ranking_id = database.next_id("stored.rankings", "ranking_id")
    row = {
        "ranking_id": ranking_id,
        "run_id": run_id,
        "scorecard": ranking.scorecard,
        "variant": ranking.variant,
        "weights": as_json(ranking.model_dump(mode="json")["weights"]),
        "note": ranking.note,
        "recorded_at": utc(at),
    }
    database.insert("stored.rankings", [row])
    placements = [
        {
            "ranking_id": ranking_id,
            "vendor": place.vendor,
            "total": stored_decimal(place.total, f"the total of {place.vendor}", _TOTAL_STEP),
            "shown": place.shown,
            "rank": place.rank,
        }
        for place in ranking.placements
    ]
    database.insert("stored.placements", placements)


def has_ranking(database: Database, scorecard_id: str) -> bool:
    """Whether a standing ranking of the scorecard was ever stored."""
    return bool(
        database.rows(
            "SELECT 1 AS one FROM stored.rankings WHERE scorecard = ? AND variant = 'standing' LIMIT 1",
            [scorecard_id],
        )
    )


def store_proposal(database: Database, run_id: int, proposal: Proposal, at: datetime) -> None:
    """Keeps the proposal for a person to accept or not."""
    what = f"the proposal for {proposal.vendor} in {proposal.dimension}"
    row = {
        **proposal.model_dump(),
        "proposal_id": database.next_id("stored.proposals", "proposal_id"),
        "run_id": run_id,
        "standing": stored_decimal(proposal.standing, what, _SCORE_STEP),
        "proposed": stored_decimal(proposal.proposed, what, _SCORE_STEP),
        "recorded_at": utc(at),
    }
    database.insert("stored.proposals", [row])
