"""A calculation as a reader sees it: its inputs with their signs, and its outcome in the unit that is printed."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

from extractors.checks.measures import measure
from extractors.checks.unlike import years_of
from schemas.program import Operand, Operation, Program
from schemas.record import plain

_SIGNS = {
    Operation.PRODUCT: " × ",
    Operation.SUM: " + ",
    Operation.DIFFERENCE: " − ",
    Operation.QUOTIENT: " / ",
    Operation.RATIO: " : ",
    Operation.SHARE: " / ",
    Operation.INCREASE: " → ",
    Operation.DECREASE: " → ",
    Operation.ANNUAL_GROWTH: " → ",
}


def shown(program: Program) -> str:
    """The inputs in one line: 8 × 400 Gbps."""
    inputs = [o.shown for o in program.inputs]
    if program.operation is Operation.WEIGHTED_SUM:
        half = len(inputs) // 2
        return " + ".join(f"{w} × {s}" for w, s in zip(inputs[:half], inputs[half:], strict=True))
    if program.operation is Operation.SCALED:
        return f"{', '.join(inputs[:-2])} at {inputs[-2]}, carried to {inputs[-1]},"
    if program.operation is Operation.ANNUAL_GROWTH:
        years = years_of(program)
        return f"{' → '.join(inputs[:2])} over {_number(years or Fraction(0))} {'year' if years == 1 else 'years'}"
    if program.operation in _SIGNS:
        return _SIGNS[program.operation].join(inputs)
    return f"{program.operation.value} of {', '.join(inputs)}"


def in_unit(unit: str, low: Fraction, high: Fraction, like: str) -> str:
    """The amount, or the two ends of it, in the unit that the result is printed in."""
    one = measure("1", unit, like=like).amount
    top = "" if low == high else _number(high / one)
    return Operand(value=_number(low / one), high=top, unit=unit).shown


def _number(number: Fraction) -> str:
    exact = Context(prec=6).divide(Decimal(number.numerator), Decimal(number.denominator))
    return plain(exact)
