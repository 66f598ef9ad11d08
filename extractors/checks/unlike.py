"""What may stand side by side in a calculation: figures of one period, one basis, one network, one kind."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

from extractors.checks.measures import measure
from extractors.checks.periods import Period, read_period
from extractors.checks.spelling import key_of, one_spelling
from schemas.program import Operand, Operation, Program

SHARES = (Operation.SHARE, Operation.INCREASE, Operation.DECREASE, Operation.ANNUAL_GROWTH, Operation.RATIO)
_LIKE_WITH_LIKE = (*SHARES, Operation.DIFFERENCE, Operation.SAME, Operation.AVERAGE, Operation.SUM)


class NotComparableError(Exception):
    """The inputs are of different kinds; the message says how."""


def period_of(operand: Operand) -> Period | None:
    """The period that the part names; None where it names none."""
    text = operand.about.get("period") or operand.about.get("date") or operand.about.get("year")
    return read_period(text) if text else None


def refuse_unlike(program: Program) -> None:
    """Raises where inputs that are set side by side are of different periods, bases or whatever else is said."""
    weights = sum(o.role == "weight" for o in program.inputs)
    weighted = len(program.inputs) - weights
    if weights and weighted and weights != weighted:
        raise NotComparableError(f"{weights} weights stand beside {weighted} figures to be weighted")
    if program.operation not in _LIKE_WITH_LIKE:
        return
    inputs = program.inputs[:2] if program.operation is Operation.ANNUAL_GROWTH else program.inputs
    if program.operation is not Operation.SUM:
        _refuse_other_lengths(program.operation, inputs)
    for key in {key for operand in inputs for key in operand.about}:
        if key in (
            "period",
            "date",
            "year",
            "source",
            "id",
            "label",
            "name",
            "vendor",
            "text",
            "note",
            "quote",
        ):
            continue
        said = {one_spelling(key_of(key), o.about[key]): o.about[key] for o in inputs if key in o.about}
        if len(said) > 1:
            raise NotComparableError(f"{key} differs: {' against '.join(said.values())}")


def _refuse_other_lengths(operation: Operation, inputs: Sequence[Operand]) -> None:
    periods = [(o, p) for o in inputs if (p := period_of(o)) is not None]
    for (one, first), (other, second) in itertools.combinations(periods, 2):
        within = operation is Operation.SHARE and first.year == second.year and first.months < second.months
        if first.months != second.months and not within:
            raise NotComparableError(
                f"{one.shown} is of {_length(first)} and {other.shown} of {_length(second)}: periods of other lengths"
            )


def _length(period: Period) -> str:
    names = {0: "a day", 1: "a month", 3: "a quarter", 6: "half a year", 12: "a full year"}
    return names.get(period.months, f"{period.months} months")


def years_of(program: Program) -> Fraction | None:
    """Over how many years it grows; None where that is not said."""
    said = program.inputs[2:]
    if said:
        number = measure(said[0].value, said[0].unit)
        return number.amount / 31536000 if number.dimensions == (("s", 1),) else number.amount
    places = [p.place if p else None for p in map(period_of, program.inputs[:2])]
    if places[0] is None or places[1] is None:
        return None
    return Fraction(round((places[1] - places[0]) * 12), 12)
