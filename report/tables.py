"""The tables of a dimension: one row a vendor, for each metric on its own and for all at a glance."""

from __future__ import annotations

from dataclasses import dataclass

from report.edition import Edition, Shown
from report.model import Figure
from schemas.registry import registry
from schemas.scorecard import Dimension

_STANDS = {"VERIFIED": 0, "QUALIFIED": 0, "AMBIGUOUS": 1}
_MOST_ALSO = 6


@dataclass(frozen=True, slots=True)
class VendorRow:
    """What one vendor states: the figure that speaks for it, and the others. `main` is None where it is silent.

    `undisclosed`: the vendor says itself that it does not disclose.
    """

    vendor: str
    main: Shown | None
    also: tuple[Shown, ...] = ()
    more: int = 0
    undisclosed: bool = False


@dataclass(frozen=True, slots=True)
class MetricTable:
    """One metric (or capability) and a row a vendor. `bases`: on which the figures stand, in words, sorted."""

    metric: str
    label: str
    unit: str
    better: str
    rows: tuple[VendorRow, ...]
    bases: tuple[str, ...]
    asks_basis: bool

    @property
    def stated(self) -> int:
        """How many vendors state it."""
        return sum(row.main is not None for row in self.rows)


def metric_table(edition: Edition, metric: str, bases: tuple[str, ...] = ()) -> MetricTable:
    """The table of a metric. `bases`: those that a scorecard compares on, which speak for a vendor first."""
    known = registry().metrics.get(metric)
    better = known.better if known else "none"
    rows = tuple(_row(edition, vendor, metric, better, bases) for vendor in edition.content.vendors)
    found = {row.main.figure.basis for row in rows if row.main} | {
        shown.figure.basis for row in rows for shown in row.also
    }
    return MetricTable(
        metric=metric,
        label=edition.metric(metric),
        unit=known.unit if known else "",
        better=better,
        rows=rows,
        bases=tuple(sorted(edition.basis(name) for name in found)),
        asks_basis=bool(known and known.comparable_on),
    )


def capability_table(edition: Edition, capability: str) -> MetricTable:
    """The table of a capability: who says that it is there, who says that it is not, who says nothing."""
    rows = []
    for vendor in edition.content.vendors:
        stated = [f for f in edition.content.on(vendor, "capability") if f.capability == capability]
        rows.append(_chosen(edition, vendor, sorted(stated, key=lambda f: (*_standing(f), f.key))))
    return MetricTable("capability", edition.capability(capability), "", "none", tuple(rows), (), False)


def dimension_tables(
    edition: Edition, dimension: Dimension
) -> tuple[tuple[MetricTable, ...], tuple[MetricTable, ...]]:
    """The tables of a dimension's metrics, and those of its capabilities, in the scorecard's order."""
    compared = {
        measure.metric: measure.bases
        for criterion in dimension.criteria
        for measure in criterion.measures
        if measure.metric is not None
    }
    metrics = tuple(metric_table(edition, name, tuple(compared.get(name, ()))) for name in dimension.metrics)
    return metrics, tuple(capability_table(edition, name) for name in dimension.capabilities)


def _row(edition: Edition, vendor: str, metric: str, better: str, bases: tuple[str, ...]) -> VendorRow:
    """The vendor's best figure on a basis that compares speaks for it; then the best of the others."""

    def place(figure: Figure) -> tuple[object, ...]:
        number = figure.low if figure.low is not None else figure.high
        size = 0 if number is None else (number if better == "lower" else -number)
        return (*_standing(figure), bool(bases) and figure.basis not in bases, size, figure.key)

    return _chosen(edition, vendor, sorted(edition.content.on(vendor, metric), key=place))


def _standing(figure: Figure) -> tuple[object, ...]:
    """What is there, first-hand and not in doubt comes first."""
    return (figure.not_seen > 0, not figure.is_first_hand, _STANDS.get(figure.roll_up, 2))


def _chosen(edition: Edition, vendor: str, stated: list[Figure]) -> VendorRow:
    if not stated:
        hidden = any(
            figure.capability == "not_disclosed" for figure in edition.content.on(vendor, "capability")
        )
        return VendorRow(vendor, None, undisclosed=hidden)
    main, *others = (edition.shown(figure) for figure in stated)
    # The same words on two pages are one statement to a reader of a table.
    seen = {(main.text, main.basis)}
    also = []
    for shown in others:
        if (shown.text, shown.basis) not in seen:
            seen.add((shown.text, shown.basis))
            also.append(shown)
    return VendorRow(vendor, main, tuple(also[:_MOST_ALSO]), max(0, len(also) - _MOST_ALSO))
