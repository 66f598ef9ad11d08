"""A quantity as it stands in a text, before anyone knows what it is a quantity of."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from extractors.units import Dimension, Unit
from schemas.quantity import Bound

BARE = Unit(Dimension.BARE, Decimal(1))


class Mention(NamedTuple):
    """A quantity as found. `low` and `high` are in the unit's base (see `units`), before any metric is known.

    `start:end` covers the expression with its unit (8 × 400 Gbps whole), `unit_start` is where the unit
    begins, `reach:tail` takes in the bounding words. `times` is the N of N×V; `formula` the text of min{…};
    `scale` the 万 or million behind the digits; `level`: worded as a magnitude (级); `article`: a or an.
    """

    start: int
    end: int
    unit_start: int
    low: Decimal | None
    high: Decimal | None
    unit: Unit
    bound: Bound = Bound.EXACT
    best_case: bool = False
    times: Decimal | None = None
    formula: str = ""
    scale: Decimal = Decimal(1)
    level: bool = False
    article: bool = False
    reach: int = 0
    tail: int = 0

    @property
    def has_unit(self) -> bool:
        """Whether it means something without a header."""
        return self.unit.dimension is not Dimension.BARE

    @property
    def dimension(self) -> Dimension:
        """What the mention measures."""
        return self.unit.dimension
