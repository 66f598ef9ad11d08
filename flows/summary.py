"""What a refresh reports. Not in the flow's file, which Prefect may load twice under different names."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from schemas.asking import Asked
from schemas.ledger import Change, ChangeKind, Hold
from schemas.ranking import DimensionScore, Proposal, Ranking
from schemas.record import Record
from schemas.source import FetchStatus


class PageRow(Record):
    """One page of a run: what the visit brought, and what it did to the claims.

    `claims`: how many the page states now, where this visit could tell. `reason`: why the visit failed, or
    why the page could not be read. `held`: why nothing was taken from it. `reread`: what a newer reader made
    of its former bytes before it was compared, which is no news of the vendor's. `asked`: what a model was asked.
    """

    source_id: str
    vendor: str | None
    url: str
    status: FetchStatus
    reason: str = ""
    first_visit: bool = False
    claims: int | None = None
    changes: tuple[Change, ...] = ()
    held: Hold | None = None
    reread: tuple[Change, ...] = ()
    asked: Asked | None = None

    def count(self, kind: ChangeKind) -> int:
        """How many of the page's events are of that kind."""
        return sum(change.kind is kind for change in self.changes)


class Reranked(Record):
    """A scorecard that was ranked in a run, and why.

    `first`: it had no ranking yet. `touched`: the dimensions in which a claim moved. `proposed`: the ranking
    as it would be under the proposals; None where there are none.
    """

    scorecard: str
    first: bool
    touched: tuple[str, ...]
    scores: tuple[DimensionScore, ...]
    standing: Ranking
    proposals: tuple[Proposal, ...] = ()
    proposed: Ranking | None = None


class Verified(Record):
    """What a verification looked at. `verdicts`: how many were new, or differ from what was stored."""

    groups: int
    claims: int
    verdicts: int


class RunSummary(Record):
    """A whole run: its pages in the source list's order by host, and the scorecards that were ranked.

    `rederived`: the ids of those whose scores were derived anew, because claims under them moved.
    """

    run_id: int
    label: str
    started_at: datetime
    ended_at: datetime
    pages: tuple[PageRow, ...]
    reranked: tuple[Reranked, ...] = ()
    rederived: tuple[str, ...] = ()
    verified: Verified | None = None

    @property
    def asked(self) -> tuple[Asked, ...]:
        """What a model was asked about each page that it was asked about."""
        return tuple(page.asked for page in self.pages if page.asked)

    def visits(self, status: FetchStatus) -> int:
        """How many visits brought that."""
        return sum(page.status is status for page in self.pages)

    @property
    def unread(self) -> int:
        """How many pages came and could not be read."""
        return sum(
            page.status is FetchStatus.CHANGED and page.claims is None and page.held is None
            for page in self.pages
        )

    @property
    def held(self) -> tuple[Hold, ...]:
        """The pages of which nothing was taken, because they would lose most of their claims at once."""
        return tuple(page.held for page in self.pages if page.held and page.held.hold_id)

    @property
    def news(self) -> tuple[Change, ...]:
        """The events of pages that were known before; a first visit is no news."""
        return news(self.pages)


def news(pages: Iterable[PageRow]) -> tuple[Change, ...]:
    """The events of pages that were known before: what their vendors changed."""
    return tuple(change for page in pages if not page.first_visit for change in page.changes)
