"""A small calculation that a source states, in a form that can be stored and run again: never text to evaluate."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from schemas.quantity import Bound
from schemas.record import Record

MOST_INPUTS = 64


class Operation(StrEnum):
    """What is done to the inputs. Each compares with the printed result; `SAME` compares the inputs alone."""

    PRODUCT = "product"
    SUM = "sum"
    WEIGHTED_SUM = "weighted_sum"
    DIFFERENCE = "difference"
    RATIO = "ratio"
    QUOTIENT = "quotient"
    SHARE = "share"
    INCREASE = "increase"
    DECREASE = "decrease"
    ANNUAL_GROWTH = "annual_growth"
    AVERAGE = "average"
    MEDIAN = "median"
    LARGEST = "largest"
    SMALLEST = "smallest"
    SCALED = "scaled"
    SAME = "same"
    ANY = "any"


class Operand(Record):
    """A number as printed, with its unit; `high` is the other end of a range.

    `about` is what else is said of it: period, basis, region and so on.
    """

    role: str = ""
    value: str = Field(min_length=1, max_length=200)
    high: str = Field(default="", max_length=200)
    unit: str = Field(default="", max_length=80)
    bound: Bound = Bound.EXACT
    about: dict[str, str] = Field(default_factory=dict)

    @property
    def shown(self) -> str:
        """The number with its unit, for people."""
        space = "" if self.unit in ("%", "‰") or not self.unit else " "
        value = f"{self.value} to {self.high}" if self.high else self.value
        return f"{value}{space}{self.unit}" if self.unit not in ("count", "ratio") else value


class Program(Record):
    """An operation, its inputs in order, and the result that is printed (None for `SAME`)."""

    operation: Operation
    inputs: tuple[Operand, ...] = Field(min_length=1, max_length=MOST_INPUTS)
    result: Operand | None = None
