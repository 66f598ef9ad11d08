"""What a scorecard makes of the claims before anything is added up: terms, and the flags they wait for."""

from __future__ import annotations

from fractions import Fraction

from pydantic import Field

from schemas.record import Record


class Alternative(Record):
    """One claim that can fill a criterion, and its score under each combination of its flags' readings.

    `flags`: ids of the open flags it depends on; none when the claim is settled. `values` are in row-major
    order, the last flag fastest: as many as the product of the flags' readings.
    """

    claim_key: str
    flags: tuple[str, ...] = ()
    values: tuple[Fraction, ...] = Field(min_length=1)


class CriterionTerm(Record):
    """One criterion of a vendor: the best of its alternatives under the same readings, else `missing`.

    `weight` is within the dimension; the weights of a vendor's criteria in a dimension sum to 1.
    """

    vendor: str
    dimension: str
    criterion: str
    weight: Fraction = Field(ge=0)
    alternatives: tuple[Alternative, ...] = ()
    missing: Fraction = Fraction(0)


class OpenFlag(Record):
    """A flag nobody has settled, on one claim of one vendor, with the keys of its readings."""

    id: str
    claim_key: str
    flag: str
    vendor: str
    readings: tuple[str, ...] = Field(min_length=2)


class WeightedDimension(Record):
    """A dimension and its weight in the total."""

    id: str
    weight: Fraction = Field(ge=0)


class LeftOut(Record):
    """A claim that contributes nothing, and why."""

    claim_key: str
    reason: str


class Conversion(Record):
    """A conversion that made a claim comparable, as it is shown."""

    claim_key: str
    note: str


class Derivation(Record):
    """Everything one card's scores are computed from.

    `decimals`: places a total is shown with. `rounding`: places a dimension's score is rounded to, half up,
    before it is weighted; None keeps it whole.
    """

    card: str
    decimals: int = Field(ge=0)
    rounding: int | None = Field(default=None, ge=0)
    vendors: tuple[str, ...]
    dimensions: tuple[WeightedDimension, ...] = Field(min_length=1)
    open_flags: tuple[OpenFlag, ...] = ()
    terms: tuple[CriterionTerm, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    conversions: tuple[Conversion, ...] = ()
