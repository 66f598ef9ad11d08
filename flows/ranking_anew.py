"""Ranks a home again outside a refresh: after a reviewer's decision, or what another process changed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from datetime import datetime

from flows import published
from flows.derived import rederive
from flows.reranking import rerank
from flows.summary import Reranked
from flows.verification import verify_ledger
from schemas.errors import LedgerError
from schemas.scorecard import Scorecard
from warehouse.home import Home
from warehouse.ledger import Ledger


def rank_anew(
    home: Home, clock: Callable[[], datetime], *, cards: Iterable[Scorecard], wait_seconds: float = 0
) -> tuple[Reranked, ...]:
    """Verifies what changed, ranks every scorecard by what the ledger holds now, publishes, and gives the rankings.

    What an interrupted run left unranked is taken up, as the next refresh would. Raises LedgerHeldError where
    another process writes and does not end within `wait_seconds`.
    """
    cards = tuple(cards)
    with Ledger.open(home, wait_seconds=wait_seconds) as ledger:
        ledger.publish_if_behind()
        left = published.unranked_changes(home)
        changed = published.changed_keys(home)
        run_id = ledger.begin_run("rerank", clock())
        try:
            verify_ledger(ledger, home, clock())
            result = rerank(
                ledger,
                run_id,
                cards,
                tuple(event.change for event in left if event.is_news),
                clock(),
                first_read=tuple(event.change for event in left if event.cause == "extractor"),
                changed_before=changed,
                again=frozenset(card.id for card in cards),
            )
            rederive(ledger, run_id, cards, clock())
            ledger.end_run(run_id, clock(), "done")
        except BaseException:
            with contextlib.suppress(LedgerError):
                ledger.end_run(run_id, clock(), "failed")
            raise
        ledger.publish()
    return result
