"""Whether a figure compares with its peers' under a measure: as it stands, or through a stated conversion."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from schemas.claim import Claim
from schemas.criteria import Conversion, Measure
from schemas.registry import registry
from warehouse.figures import Figure, stated_figure

COUNT = "accelerator_count"


@dataclass(frozen=True, slots=True)
class Step:
    """A conversion that was applied: the figure before and after, and the claim that states the count."""

    conversion: Conversion
    before: Figure
    after: Figure
    times: Fraction
    count_key: str | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """The value in the metric's unit, with the steps that led to it; or None and the reason why it does not compare."""

    value: Fraction | None
    reason: str = ""
    steps: tuple[Step, ...] = ()


class Counts:
    """How many accelerators each vendor says that a machine, a node or a supernode holds."""

    def __init__(self, claims: Iterable[Claim]) -> None:
        """Takes settled claims of any metric."""
        self._stated: dict[tuple[str | None, str], list[tuple[str | None, Fraction, str]]] = defaultdict(list)
        for claim in claims:
            if claim.metric == COUNT:
                value = stated_figure(claim).value("higher")
                self._stated[claim.vendor, claim.basis].append((claim.product, value, claim.claim_key))

    def of(self, claim: Claim, basis: str) -> tuple[Fraction, str] | None:
        """The count on that basis and the claim that states it: of the product or, where it states none, the vendor's.

        None where there is none, or where the counts differ.
        """
        stated = self._stated.get((claim.vendor, basis), [])
        nearest = [entry for entry in stated if entry[0] == claim.product] or stated
        if len({value for _, value, _ in nearest}) != 1:
            return None
        _, value, key = min(nearest, key=lambda entry: entry[2])
        return value, key


def comparable(figure: Figure, claim: Claim, measure: Measure, counts: Counts) -> Compared:
    """Gives what the figure is worth under the measure, which is one of a metric."""
    metric = registry().metric(measure.metric or "")
    steps: list[Step] = []
    for kind, wanted in (
        ("unit", (metric.unit,)),
        ("direction", (measure.direction,) if measure.direction else ()),
        ("basis", measure.bases),
    ):
        stands = getattr(figure, kind)
        if not wanted or stands in wanted:
            continue
        conversion = next((c for c in measure.conversions if getattr(c, kind) == stands), None)
        if conversion is None:
            return Compared(None, f"not comparable: its {kind} is {stands}; {', '.join(wanted)} compare")
        factor, key = _factor(conversion, claim, counts)
        if factor is None:
            return Compared(None, f"not comparable: {stands} needs one stated {COUNT} {conversion.to}")
        after = figure.converted(factor, kind, conversion.to)
        steps.append(Step(conversion, figure, after, factor, key))
        figure = after
    return Compared(figure.value(metric.better), steps=tuple(steps))


def _factor(conversion: Conversion, claim: Claim, counts: Counts) -> tuple[Fraction | None, str | None]:
    if isinstance(conversion.times, Decimal):
        return Fraction(conversion.times), None
    return counts.of(claim, conversion.to) or (None, None)
