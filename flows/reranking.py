"""Ranks again the scorecards that a changed claim touches, and only those."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from flows.summary import Reranked
from schemas.claim import Claim
from schemas.ledger import Change, ChangeKind, StoredClaim
from schemas.ranking import DimensionScore, Proposal, ScoreStatus
from schemas.scorecard import Scorecard
from warehouse.cards import metrics_read, touches
from warehouse.derived import derived
from warehouse.ledger import Ledger
from warehouse.proposals import apply, propose, strongest
from warehouse.ranking import rank, scores
from warehouse.rubric_proposals import propose_by_rubric
from warehouse.score_words import with_words

_RANKED = ("VERIFIED", "QUALIFIED", "AMBIGUOUS")
_MOVES = (ChangeKind.NEW, ChangeKind.CHANGED)


def rerank(
    ledger: Ledger,
    run_id: int,
    cards: Iterable[Scorecard],
    news: tuple[Change, ...],
    at: datetime,
    *,
    first_read: tuple[Change, ...] = (),
    again: frozenset[str] = frozenset(),
    settled: Iterable[Claim] = (),
) -> tuple[Reranked, ...]:
    """Stores scores, rankings and proposals of the cards that new or changed claims touch, and gives them.

    A card without a ranking is ranked for the first time, and one whose file was edited anew. `news`: the events of
    pages that were known before; `first_read`: those of first visits, whose claims scores rest on, so that they touch
    a card, and which propose nothing, because a first reading is no change by the vendor. `again`: ids of cards that
    are ranked whatever moved. `settled`: claims on which a person decided, which touch a card wherever they stand.
    A score that rests on a claim that a vendor ever changed is stale until a person confirms it. Raises LedgerError
    where the ledger refuses.

    A claim that is contradicted, impossible or not supported reaches no score; one that is no longer on its page
    still stands under the scores that rest on it, and supports no proposal.
    """
    moves = [change for change in (*first_read, *news) if change.kind in _MOVES]
    roll_ups = ledger.roll_ups({change.claim_key for change in moves})
    moved = [c.after for c in moves if c.after and roll_ups.get(c.claim_key) in (*_RANKED, "STALE")]
    moved += settled
    changed = ledger.changed_keys() | {change.claim_key for change in news if change.kind in _MOVES}
    result = []
    words = ledger.score_words()
    for published_card in cards:
        card = with_words(published_card, words)
        touched = touched_dimensions(card, moved)
        first = not ledger.has_ranking(card.id)
        if not card.editorial:
            continue
        edited = ledger.put_scorecard(published_card, at)
        if not (touched or first or edited or card.id in again):
            continue
        # Only what this card scores is read, so that a run costs what it touches, however large the ledger is.
        claims, supporting = _claims_of(ledger, card)
        card_scores = scores(card, claims, changed, ledger.known_changes(published_card))
        ledger.store_scores(run_id, card.id, card_scores, at)
        standing = rank(card, card_scores)
        ledger.store_ranking(run_id, standing, at)
        proposals = propose(card, card_scores, supporting, news)
        proposals += _by_rubric(ledger, card, card_scores, news, proposals)
        proposed = None
        if proposals:
            for proposal in proposals:
                ledger.store_proposal(run_id, proposal, at)
            proposed = rank(
                card,
                apply(card_scores, strongest(proposals)),
                variant="proposed",
                note="; ".join(proposal.reason for proposal in strongest(proposals)),
            )
            ledger.store_ranking(run_id, proposed, at)
        result.append(
            Reranked(
                scorecard=card.id,
                first=first,
                touched=touched,
                scores=card_scores,
                standing=standing,
                proposals=proposals,
                proposed=proposed,
            )
        )
    return tuple(result)


def _by_rubric(
    ledger: Ledger,
    card: Scorecard,
    card_scores: tuple[DimensionScore, ...],
    news: tuple[Change, ...],
    taken: tuple[Proposal, ...],
) -> tuple[Proposal, ...]:
    """What the rubric proposes; the derived ranking of before is the last that was kept."""
    moved = frozenset(change.claim_key for change in news if change.kind in _MOVES)
    if card.rubric is None or not any(
        s.status is ScoreStatus.STALE and not moved.isdisjoint(s.claim_keys) for s in card_scores
    ):
        return ()
    found = derived(card, ledger.facts())
    if found is None:
        return ()
    after = {(s.vendor, d.dimension): d.score for s in found.evaluation.standings for d in s.dimensions}
    return propose_by_rubric(card, card_scores, ledger.derived_scores(card.id), after, moved, taken)


def _claims_of(ledger: Ledger, card: Scorecard) -> tuple[tuple[StoredClaim, ...], tuple[StoredClaim, ...]]:
    """The claims that the card's scores may rest on, and those among them that may support a proposal."""
    read = ledger.claims_on(tuple(card.editorial), sorted(metrics_read(card)))
    roll_ups = ledger.roll_ups({stored.claim.claim_key for stored in read})
    claims = tuple(s for s in read if roll_ups[s.claim.claim_key] in (*_RANKED, "STALE"))
    return claims, tuple(s for s in claims if roll_ups[s.claim.claim_key] in _RANKED)


def touched_dimensions(card: Scorecard, claims: Iterable[Claim]) -> tuple[str, ...]:
    """The card's dimensions, in its order, that one of the claims bears on."""
    found = {name for claim in claims for name in touches(card, claim)}
    return tuple(dimension.id for dimension in card.dimensions if dimension.id in found)
