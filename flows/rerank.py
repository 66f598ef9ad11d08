"""Ranking again as a Prefect flow, entry point `flows/rerank.py:rerank`: what the event of a changed claim starts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from prefect import flow

from flows import artifacts
from flows.own_cards import cards_of
from flows.ranking_anew import rank_anew
from warehouse.home import open_home


@flow(name="rerank", persist_result=False, timeout_seconds=3600)
def rerank(home: str = "", wait_seconds: float = 600) -> list[str]:
    """Ranks every scorecard by what the ledger holds now, publishes, and gives the ids of those that were ranked.

    `home`: a folder, empty for the usual one. Another process that writes is waited for, so that a refresh under way
    and this do not get into each other's way.
    """
    place = open_home(Path(home) if home else None)
    ranked = rank_anew(place, lambda: datetime.now(UTC), cards=cards_of(place), wait_seconds=wait_seconds)
    artifacts.put_rankings(place)
    return [result.scorecard for result in ranked]
