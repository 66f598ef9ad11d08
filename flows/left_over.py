"""What interrupted runs left for the next one that ranks."""

from __future__ import annotations

from dataclasses import dataclass

from flows import published
from schemas.ledger import Change
from warehouse.home import Home
from warehouse.ledger import Ledger


@dataclass(frozen=True, slots=True)
class LeftOver:
    """Events on which nobody ranked, because their run ended before it did: vendors' news, and first readings."""

    news: tuple[Change, ...] = ()
    first_read: tuple[Change, ...] = ()

    @classmethod
    def read(cls, home: Home, ledger: Ledger) -> LeftOver:
        """Publishes first, so that what an interrupted run stored is seen, by this run and by readers.

        To be read before the run begins that takes them up: once that one is done they count as ranked.
        """
        ledger.publish_if_behind()
        found = published.unranked_changes(home)
        return cls(
            tuple(event.change for event in found if event.is_news),
            tuple(event.change for event in found if event.cause == "extractor"),
        )
