"""A person's word on a published score whose claims changed: the proposal holds, the score stands, or another does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from decimal import Decimal

from flows import published
from flows.one_run import one_run
from flows.reranking import rerank
from flows.summary import Reranked
from schemas.errors import LedgerError
from schemas.ranking import Proposal, ScoreWord
from schemas.record import plain
from schemas.scorecard import Scorecard
from warehouse.cards import card as card_of
from warehouse.home import Home
from warehouse.ledger import Ledger
from warehouse.score_words import with_words


def open_proposals(home: Home, card: Scorecard) -> tuple[Proposal, ...]:
    """The latest proposal for each score of the card that still stands as it did; `card` with persons' words."""
    latest = {(p.vendor, p.dimension): p for p in published.open_proposals(home) if p.scorecard == card.id}
    return tuple(p for p in latest.values() if _score(card, p.vendor, p.dimension) == p.standing)


def confirm(
    home: Home,
    scorecard: str,
    vendor: str,
    dimension: str,
    choice: Decimal | None,
    clock: Callable[[], datetime],
    *,
    cards: Iterable[Scorecard],
    who: str,
    note: str = "",
    keep: bool = False,
    wait_seconds: float = 0,
) -> tuple[ScoreWord, Reranked]:
    """Keeps the word, ranks the card anew, publishes, and gives both.

    `choice`: the score that holds from now on; None for the one that is proposed, or with `keep` the one that stands.
    The score is not stale any more until one of its claims changes again. Raises LedgerError where nothing is asked
    about the score: its claims did not change and nobody said a word about it; where nothing is proposed and no choice
    is given; for a score off the scale; and where a run ended before it ranked (the next refresh catches up).
    """
    file_card = card_of(scorecard, cards)
    with Ledger.open(home, wait_seconds=wait_seconds) as ledger:
        ledger.publish_if_behind()
        if published.unranked_changes(home):
            raise LedgerError("a run ended before it ranked; `koujing refresh` first")
        card = with_words(file_card, ledger.score_words())
        standing = _standing(home, card, vendor, dimension)
        score = standing if keep else choice
        if score is None:
            offered = [
                p for p in open_proposals(home, card) if (p.vendor, p.dimension) == (vendor, dimension)
            ]
            if not offered:
                raise LedgerError(
                    f"nothing is proposed for {vendor} in {dimension}; give a score, or keep {plain(standing)}"
                )
            score = offered[0].proposed
        if not card.scale_min <= score <= card.scale_max:
            raise LedgerError(
                f"{plain(score)} is off the scale of {card.id}: {plain(card.scale_min)} to {plain(card.scale_max)}"
            )
        word = ScoreWord(
            scorecard=card.id,
            vendor=vendor,
            dimension=dimension,
            published=file_card.editorial[vendor][dimension].score,
            standing=standing,
            score=score,
            change_id=ledger.last_change(),
            who=who.strip(),
            note=note,
            said_at=clock(),
        )
        with one_run(ledger, f"confirm {card.id} {vendor} {dimension}", clock) as run_id:
            ledger.keep_word(run_id, word)
            (ranked,) = rerank(ledger, run_id, (file_card,), (), clock(), again=frozenset({card.id}))
        ledger.publish()
    return word, ranked


def _standing(home: Home, card: Scorecard, vendor: str, dimension: str) -> Decimal:
    """The score that stands; LedgerError where there is none, or nothing is asked about it."""
    if vendor not in card.editorial:
        listed = ", ".join(sorted(card.editorial)) or "nobody: all its scores are derived"
        raise LedgerError(f"{card.id} publishes no score of {vendor}; it scores {listed}")
    standing = _score(card, vendor, dimension)
    if standing is None:
        raise LedgerError(
            f"{card.id} has no dimension {dimension!r}; it has {', '.join(d.id for d in card.dimensions)}"
        )
    stale = {(s.vendor, s.dimension) for s in published.stale_scores(home, card.id)}
    spoken = {(w.vendor, w.dimension) for w in published.score_words(home) if w.scorecard == card.id}
    if (vendor, dimension) not in stale | spoken:
        raise LedgerError(
            f"the claims under {vendor}'s {plain(standing)} in {dimension} have not changed since it was given; "
            "`koujing proposals` lists what is asked"
        )
    return standing


def _score(card: Scorecard, vendor: str, dimension: str) -> Decimal | None:
    entry = card.editorial.get(vendor, {}).get(dimension)
    return entry.score if entry else None
