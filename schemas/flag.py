"""An ambiguity that a person must settle before the number compares, with the readings it leaves open."""

from __future__ import annotations

from pydantic import Field

from schemas.record import Exact, Record, Words


class Reading(Record):
    """One admissible way to read the claim, and the value it then has (in the metric's canonical unit).

    `basis` or `direction` is set where the reading settles it. A reading that leaves the number as it is
    repeats it; one under which no number can be given has neither low nor high.
    """

    key: str = Field(min_length=1)
    label: Words
    low: Exact | None = None
    high: Exact | None = None
    basis: str | None = None
    direction: str | None = None


class Flag(Record):
    """A named ambiguity of one claim: the question to ask and what each answer would make of the number."""

    claim_key: str
    name: str
    question: Words
    readings: tuple[Reading, ...]

    @property
    def flag_id(self) -> str:
        """The name by which a person settles it; the same for as long as the claim keeps its key."""
        return f"{self.claim_key}:{self.name}"
