"""A number with its unit and bound, as the grammar found it in a text."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, model_validator

from schemas.record import Exact, Record


class Bound(StrEnum):
    """How the number limits the quantity. See `Quantity` for what low and high mean under each."""

    EXACT = "exact"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    RANGE = "range"
    APPROX = "approx"
    ORDER_OF_MAGNITUDE = "order_of_magnitude"
    FORMULA = "formula"


class Quantity(Record):
    """A quantity and where it stands: `source[start:end] == text`, in code points.

    `low` and `high` are in `unit` (canonical). `high` is set for a range, for an order of magnitude (the next
    decade) and for a formula (its cap; `low` is then null). `best_case`: the words call it the best attainable.
    """

    low: Exact | None
    high: Exact | None = None
    unit: str
    bound: Bound = Bound.EXACT
    best_case: bool = False
    text: str = Field(min_length=1)
    start: int = Field(ge=0)
    end: int = Field(gt=0)

    @model_validator(mode="after")
    def _ordered(self) -> Quantity:
        if self.end <= self.start:
            raise ValueError(f"end {self.end} is not after start {self.start}")
        if self.low is None and self.high is None:
            raise ValueError("a quantity has a low, a high or both")
        if self.low is not None and self.high is not None and self.high < self.low:
            raise ValueError(f"high {self.high} is below low {self.low}")
        return self
