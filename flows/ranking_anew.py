"""Ranks a home again outside a refresh: after a reviewer's decision, or what another process changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from flows.derived import rederive
from flows.left_over import LeftOver
from flows.one_run import one_run
from flows.reranking import rerank
from flows.summary import Reranked
from flows.verification import verify_ledger
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
        left = LeftOver.read(home, ledger)
        with one_run(ledger, "rerank", clock) as run_id:
            verify_ledger(ledger, home, clock())
            result = rerank(
                ledger,
                run_id,
                cards,
                left.news,
                clock(),
                first_read=left.first_read,
                again=frozenset(card.id for card in cards),
            )
            rederive(ledger, run_id, cards, clock())
        ledger.publish()
    return result
