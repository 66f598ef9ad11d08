"""Rankings that follow from the claims: computed when they are asked for, and kept when what they rest on changed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from flows import published
from review.queue import Queued, order
from schemas.ledger import StoredClaim
from schemas.scorecard import Scorecard
from warehouse.derived import Derived, derived
from warehouse.home import Home
from warehouse.ledger import Ledger
from warehouse.uncertainty.worth import worths


def rederive(
    ledger: Ledger, run_id: int, cards: Iterable[Scorecard], at: datetime, note: str = ""
) -> tuple[Derived, ...]:
    """Keeps a derived ranking of each card whose claims (or itself) differ from those of its last one, and gives them.

    A claim that was changed, settled, refuted or is no longer on its page ranks again exactly the cards that rest on it.
    """
    facts = ledger.facts()
    kept = []
    for card in cards:
        found = derived(card, facts)
        if found is not None and found.inputs != ledger.last_inputs(card.id):
            ledger.put_scorecard(card, at)
            ledger.store_derived(run_id, found, note, at)
            kept.append(found)
    return tuple(kept)


def review_queue(
    home: Home, claims: tuple[StoredClaim, ...], cards: Iterable[Scorecard]
) -> tuple[Queued, ...]:
    """Gives the open flags of these claims, those first whose settling moves the rankings of all vendors most."""
    cards = tuple(cards)
    facts = published.facts(home)
    found = [each for card in cards if (each := derived(card, facts)) is not None]
    moving = worths(
        (flag for each in found for flag in each.derivation.open_flags), (each.evaluation for each in found)
    )
    return order(published.open_flags(home, claims), cards, moving)
