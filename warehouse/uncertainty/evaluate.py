"""One card over all readings of its open flags: intervals, rank ranges, shares, and what each flag can decide."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

from schemas.rubric import Derivation
from schemas.uncertainty import DimensionStanding, Evaluation, NotComputed, Standing
from warehouse.uncertainty import spread as spreads
from warehouse.uncertainty.card import CardTrees, VendorTree, half_up, trees
from warehouse.uncertainty.effects import effects
from warehouse.uncertainty.ends import ends, interval
from warehouse.uncertainty.pairs import pair_shares
from warehouse.uncertainty.places import Field, rank_shares
from warehouse.uncertainty.spread import Effort, Spread, TooMuchError
from warehouse.uncertainty.tree import Bounds, Node


@dataclass(frozen=True)
class Limits:
    """How much work an evaluation may take, in steps, so that what is computed depends on the input alone.

    `search`: parts looked at in branches for the ends of one vendor's total, and again for those of its dimensions
    and of its flags. `spread`: values put together for the shares of one card, an equal part of it a vendor.
    `rank`: rivals held against each other for the shares of ranks of one card, likewise. `table`: combinations up
    to which flags that hang together are written out; it changes the work, not the result.
    """

    search: int = 20_000
    spread: int = 1_000_000
    rank: int = 1_000_000
    table: int = 256


LIMITS = Limits()


def evaluate(
    derivation: Derivation, weights: Mapping[str, Fraction] | None = None, limits: Limits = LIMITS
) -> Evaluation:
    """Gives what the card says over all combinations of readings: exact, and the same bytes for the same input.

    `weights`: by dimension, taken in proportion, instead of the card's own. Nothing is sampled. What would pass
    the limits is not computed, and `not_computed` says so: intervals then hold but may be too wide
    (`Interval.exact` is False), shares and means are None. Short of the limits the order of vendors, flags and
    terms changes nothing.

    Raises KoujingError for weights that do not fit the card and for a derivation that contradicts itself.
    """
    with _collector_at_rest():
        return _evaluated(derivation, trees(derivation, weights, limits.table), limits)


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Keeps the cyclic collector from walking every record again and again: nothing made here is a cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _evaluated(derivation: Derivation, card: CardTrees, limits: Limits) -> Evaluation:
    run = _Run(card, limits)
    totals = {tree.vendor: run.total(tree) for tree in card.vendors}
    field = Field(totals)
    order = sorted(totals, key=lambda vendor: (*field.ranks(vendor), -sum(totals[vendor]), vendor))
    place = {vendor: index for index, vendor in enumerate(order)}
    pairs = sorted(
        ((a, b) if place[a] < place[b] else (b, a) for a, b in field.undecided()),
        key=lambda pair: (place[pair[0]], place[pair[1]]),
    )
    tree_of = {tree.vendor: tree for tree in card.vendors}
    rivals = _rivals(pairs)
    return Evaluation(
        card=derivation.card,
        decimals=derivation.decimals,
        weights=card.weights,
        standings=tuple(
            run.standing(tree_of[vendor], field, rivals.get(vendor, []), derivation.decimals)
            for vendor in order
        ),
        undecided=pair_shares(pairs, run.known),
        tied=field.tied(),
        contenders=field.contenders(),
        effects=effects(derivation.card, card, field, limits.search),
        not_computed=tuple(sorted(run.missed, key=lambda missed: (missed.vendor, missed.what))),
    )


class _Run:
    """One evaluation: its limits, the spreads it has, and what it did not compute."""

    def __init__(self, card: CardTrees, limits: Limits) -> None:
        vendors = max(1, len(card.vendors))
        self.card = card
        self.search = limits.search
        self.spread = limits.spread // vendors
        self.rank = limits.rank // vendors
        self.known: dict[str, Spread] = {}
        self.exact: set[str] = set()
        self.missed: list[NotComputed] = []

    def total(self, tree: VendorTree) -> Bounds:
        """The ends of the vendor's total; its spread is kept where it can be had."""
        bounds, exact = ends(tree.total, Effort(self.search))
        if exact:
            self.exact.add(tree.vendor)
        else:
            self._miss(
                tree.vendor, "total", self.search, "the flags that hang together have too many readings"
            )
        try:
            self.known[tree.vendor] = spreads.reduced(tree.total.spread(Effort(self.spread)))
        except TooMuchError:
            self._miss(tree.vendor, "shares", self.spread, "its readings give too many totals")
        return bounds

    def standing(self, tree: VendorTree, field: Field, rivals: list[str], decimals: int) -> Standing:
        """The vendor's line."""
        vendor, unit = tree.vendor, self.card.total_unit
        low, high = bounds = field.totals[vendor]
        best, worst = field.ranks(vendor)
        known = self.known.get(vendor)
        return Standing(
            vendor=vendor,
            total=interval(bounds, unit, vendor in self.exact),
            mean=None if known is None else spreads.mean(known, unit),
            shown_low=_shown(low, unit, decimals),
            shown_high=_shown(high, unit, decimals),
            best=best,
            worst=worst,
            rank_shares=self._rank_shares(vendor, rivals, worst - best),
            dimensions=self._dimensions(tree),
        )

    def _rank_shares(self, vendor: str, rivals: list[str], more: int) -> tuple[Fraction, ...] | None:
        if any(v not in self.known for v in (vendor, *rivals)):
            return None  # said already of the vendor whose spread is missing
        try:
            shares = rank_shares(vendor, rivals, self.known, Effort(self.rank))
        except TooMuchError:
            self._miss(vendor, "rank shares", self.rank, f"too many totals against {len(rivals)} rivals")
            return None
        return shares[: more + 1]  # a rival that can only draw level is never above

    def _dimensions(self, tree: VendorTree) -> tuple[DimensionStanding, ...]:
        search, effort = Effort(self.search), Effort(self.spread)
        return tuple(
            self._dimension(tree.vendor, name, node, search, effort)
            for name, node in zip(self.card.weights, tree.dimensions, strict=True)
        )

    def _dimension(
        self, vendor: str, name: str, node: Node, search: Effort, effort: Effort
    ) -> DimensionStanding:
        unit = self.card.score_unit
        bounds, exact = ends(node, search)
        if not exact:
            self._miss(vendor, name, self.search, "the flags that hang together have too many readings")
        try:
            mean = spreads.mean(node.spread(effort), unit)
        except TooMuchError:
            self._miss(vendor, f"{name} mean", self.spread, "its readings give too many scores")
            mean = None
        return DimensionStanding(dimension=name, score=interval(bounds, unit, exact), mean=mean)

    def _miss(self, vendor: str, what: str, limit: int, reason: str) -> None:
        self.missed.append(NotComputed(vendor=vendor, what=what, limit=limit, reason=reason))


def _rivals(pairs: list[tuple[str, str]]) -> dict[str, list[str]]:
    rivals: dict[str, list[str]] = {}
    for one, other in pairs:
        rivals.setdefault(one, []).append(other)
        rivals.setdefault(other, []).append(one)
    return rivals


def _shown(number: int, unit: int, places: int) -> str:
    units = half_up(number, unit, places)
    digits = f"{abs(units):0{places + 1}d}"
    sign = "-" if units < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"
