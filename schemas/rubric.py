"""What a rubric makes of claims: for each vendor and criterion, the scores that the open readings leave possible."""

from __future__ import annotations

from fractions import Fraction

from pydantic import Field

from schemas.flag import Flag
from schemas.ledger import StoredClaim
from schemas.record import Record, Words


class Fact(Record):
    """A claim as it stands now, with all that decides whether a score may rest on it.

    `flags`: those that leave readings open; one that a person settled comes with the reading that is left, alone.
    `tier` of its page; `roll_up` and `why` as in the view `claim_standing`.
    """

    stored: StoredClaim
    flags: tuple[Flag, ...] = ()
    tier: str = "T1"
    roll_up: str = "VERIFIED"
    why: str = ""


class Alternative(Record):
    """The scores that one claim can give a criterion.

    `flags`: ids of the open flags that the score depends on; empty where it is settled. `values`: one score from 0 to
    5 for each combination of these flags' readings, row by row (the last flag's reading changes fastest); their
    number is the product of the flags' numbers of readings.
    """

    claim_key: str
    flags: tuple[str, ...] = ()
    values: tuple[Fraction, ...] = Field(min_length=1)


class CriterionTerm(Record):
    """A vendor's score in one criterion: the largest of the alternatives' values, or `missing` without any.

    `weight`: its share of the dimension; the shares of a vendor's terms in a dimension sum to 1.
    """

    vendor: str
    dimension: str
    criterion: str
    weight: Fraction
    alternatives: tuple[Alternative, ...] = ()
    missing: Fraction


class OpenFlag(Record):
    """A flag on which some score depends. `labels` say its readings for people, in the order of `readings`."""

    id: str
    claim_key: str
    flag: str
    vendor: str
    readings: tuple[str, ...] = Field(min_length=2)
    labels: tuple[Words, ...] = ()


class WeightedDimension(Record):
    """A dimension and its weight in the total."""

    id: str
    weight: Fraction = Field(ge=0)


class LeftOut(Record):
    """A claim that the card asks for and that counts for nothing, and why."""

    claim_key: str
    reason: str


class UsedConversion(Record):
    """A figure that counts only because a stated conversion was applied. `count_key`: the claim that states the count."""

    claim_key: str
    dimension: str
    criterion: str
    given: str
    times: str
    becomes: str
    count_key: str | None = None
    why: Words


class Derivation(Record):
    """All that a card's scores follow from. `decimals` for totals; `rounding`: places of a dimension's score, if any.

    `dimensions` in the card's order; `terms` by vendor, then in the card's order.
    """

    card: str
    decimals: int
    rounding: int | None = None
    vendors: tuple[str, ...]
    dimensions: tuple[WeightedDimension, ...]
    open_flags: tuple[OpenFlag, ...] = ()
    terms: tuple[CriterionTerm, ...]
    left_out: tuple[LeftOut, ...] = ()
    conversions: tuple[UsedConversion, ...] = ()
