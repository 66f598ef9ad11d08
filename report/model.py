"""What a report is written from: everything that the published file says, as plain values that are never changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from review.questions import VendorList
from schemas.scorecard import Scorecard
from schemas.uncertainty import Evaluation, Sensitivity
from warehouse.derived import Derived

Row = Mapping[str, Any]
"""A row of a view by column name; docs/sql.md says what each column holds."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The latest version of a claim, as the view `claims` gives it, with the flags that are open."""

    key: str
    version: int
    vendor: str | None
    product: str | None
    metric: str
    capability: str
    low: Decimal | None
    high: Decimal | None
    unit: str
    text: str
    bound: str
    best_case: bool
    basis: str
    direction: str
    condition: tuple[tuple[str, str], ...]
    qualifiers: tuple[tuple[str, str], ...]
    baseline: str
    open_flags: tuple[str, ...]
    quote: str
    start: int
    end: int
    path: tuple[str, ...]
    url: str
    tier: str
    not_seen: int
    held: bool
    roll_up: str
    reading: str
    why: str
    since: datetime
    source_id: str
    sha256: str
    extractor: str

    @property
    def is_yes(self) -> bool:
        """Of a capability: whether the page says that it is there."""
        return self.low is not None and self.low > 0

    @property
    def is_first_hand(self) -> bool:
        """Whether the page is the vendor's own, or an official paper."""
        return self.tier in ("T1", "T2")

    @property
    def may_rank(self) -> bool:
        """Whether a score may rest on it, under one of its readings at least."""
        return self.roll_up in ("VERIFIED", "QUALIFIED", "AMBIGUOUS")


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One check of a claim that did not pass, and why."""

    name: str
    verdict: str
    reason: str

    @property
    def is_against(self) -> bool:
        """Whether it stands against the claim; what is only not stated does not."""
        return self.verdict != "NOT_STATED"


@dataclass(frozen=True, slots=True)
class Checks:
    """How many checks of a claim passed, and those that did not."""

    passed: int = 0
    others: tuple[CheckLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A vendor's place: one rank and total, or the ranges that open readings leave."""

    vendor: str
    best: int
    worst: int
    shown_low: str
    shown_high: str

    @property
    def is_certain(self) -> bool:
        """Whether no open reading can move it."""
        return self.best == self.worst


@dataclass(frozen=True)
class Card:
    """A scorecard with what it makes of the vendors now.

    `published`: places by published scores, none where none were published; `published_gap`: how far the first is
    ahead of the second, in points; None where there is no second. `scores`: published scores by vendor and dimension.
    `derived`: what its criteria make of the claims; None without any. `turns`: which weights turn which pair.
    """

    card: Scorecard
    published: tuple[Place, ...] = ()
    scores: Mapping[tuple[str, str], Row] = field(default_factory=dict)
    derived: Derived | None = None
    turns: Sensitivity | None = None
    turns_of: str = ""
    left_out: tuple[Row, ...] = ()
    proposals: tuple[Row, ...] = ()

    @property
    def id(self) -> str:
        """The scorecard's id."""
        return self.card.id

    @property
    def evaluation(self) -> Evaluation | None:
        """What the open readings leave possible."""
        return self.derived.evaluation if self.derived else None

    @property
    def by_claims(self) -> tuple[Place, ...]:
        """The places that follow from the claims."""
        if self.derived is None:
            return ()
        return tuple(
            Place(s.vendor, s.best, s.worst, s.shown_low, s.shown_high)
            for s in self.derived.evaluation.standings
        )


@dataclass(frozen=True)
class Content:
    """All that one report says. `at`: when the last run began, which is the report's own time."""

    at: datetime | None
    last_run: Row | None
    runs: tuple[Row, ...]
    cards: tuple[Card, ...]
    vendors: tuple[str, ...]
    figures: Mapping[str, Figure]
    checks: Mapping[str, Checks]
    flags: Mapping[str, tuple[Row, ...]]
    history: Mapping[str, tuple[Row, ...]]
    pages: tuple[Row, ...]
    holds: tuple[Row, ...]
    all_holds: tuple[Row, ...]
    raised: tuple[Row, ...]
    changes: tuple[Row, ...]
    moves: tuple[Row, ...]
    causes: Mapping[int, tuple[Row, ...]]
    rankings: tuple[Row, ...]
    decisions: tuple[Row, ...]
    snapshot_types: Mapping[str, tuple[str, str]]
    questions: tuple[VendorList, ...] = ()

    def of_vendor(self, vendor: str) -> tuple[Figure, ...]:
        """The vendor's claims by metric, then by key."""
        return self._by_vendor.get(vendor, ())

    def __post_init__(self) -> None:
        """Sorts the claims once, as every page asks for those of a vendor or metric."""
        by_vendor: dict[str, list[Figure]] = {}
        by_metric: dict[tuple[str, str], list[Figure]] = {}
        by_source: dict[str, list[Figure]] = {}
        for figure in self.figures.values():
            by_source.setdefault(figure.source_id, []).append(figure)
            if figure.vendor is not None:
                by_vendor.setdefault(figure.vendor, []).append(figure)
                by_metric.setdefault((figure.vendor, figure.metric), []).append(figure)
        object.__setattr__(self, "_by_vendor", {k: tuple(v) for k, v in by_vendor.items()})
        object.__setattr__(self, "_by_metric", {k: tuple(v) for k, v in by_metric.items()})
        object.__setattr__(self, "_by_source", {k: tuple(v) for k, v in by_source.items()})

    _by_vendor: Mapping[str, tuple[Figure, ...]] = field(init=False, repr=False)
    _by_metric: Mapping[tuple[str, str], tuple[Figure, ...]] = field(init=False, repr=False)
    _by_source: Mapping[str, tuple[Figure, ...]] = field(init=False, repr=False)

    def on(self, vendor: str, metric: str) -> tuple[Figure, ...]:
        """What the vendor states of the metric."""
        return self._by_metric.get((vendor, metric), ())

    def on_page(self, source_id: str) -> tuple[Figure, ...]:
        """The claims of one page, in its order."""
        return tuple(sorted(self._by_source.get(source_id, ()), key=lambda f: (f.start, f.key)))
