"""Whether a calculation holds: programs are built from parts with roles, stored, and run again at will.

A printed result holds where it is the exact one rounded to its last printed digit, where it is within the bound
that the words give it, or, for "about", within `ABOUT` of it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from enum import StrEnum
from fractions import Fraction
from statistics import median

from extractors.checks.measures import Dimensions, Measure, measure, unit_of
from extractors.checks.showing import in_unit, shown
from extractors.checks.unlike import SHARES, NotComparableError, refuse_unlike, years_of
from schemas.program import Operand, Operation, Program
from schemas.quantity import Bound

VERSION = "3"
ABOUT = Fraction(8, 100)
"""How far a result may be from one that is printed as "about"."""
COARSEST = Fraction(7, 100)
"""Rounding excuses no more than this: 1.6 is not printed as 2."""
LIMIT = Fraction(3, 100)
"""Nor, for a limit, more than this: 2.048 is up to 2, and 3.2 is not."""

_DIGITS = Context(prec=40)
_ENDLESS = 10**6
_POINTS = ("points", "point", "pts", "个点", "点")


class Verdict(StrEnum):
    """What came of running a program."""

    CONSISTENT = "consistent"
    INCONSISTENT = "inconsistent"
    NOT_COMPARABLE = "not_comparable"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verdict with its reason, in a sentence that shows the calculation."""

    verdict: Verdict
    reason: str


def run(program: Program) -> Outcome:
    """Runs the program exactly, in fractions. ValueError where an operand has no number."""
    like = _whole_unit(program)
    inputs = [measure(o.value, o.unit, like=like) for o in program.inputs]
    try:
        refuse_unlike(program)
        if program.result is None:
            return _same(program, inputs)
        return _checked(program, inputs, like)
    except NotComparableError as unlike:
        return Outcome(Verdict.NOT_COMPARABLE, str(unlike))
    except ZeroDivisionError:
        return Outcome(Verdict.NOT_COMPARABLE, "it divides by nothing")


def _whole_unit(program: Program) -> str:
    """The first unit of data in the program that says whether bits or bytes; T and G take its kind."""
    operands = [*program.inputs, *([program.result] if program.result else [])]
    for operand in operands:
        meaning = unit_of(operand.unit)
        if any(name == "bit" for name, _ in meaning.dimensions):
            return operand.unit
    return ""


# Running


def _checked(program: Program, inputs: list[Measure], like: str) -> Outcome:
    result = program.result
    if result is None:
        raise ValueError("a program that is checked has a result")
    unit = result.unit
    if unit.strip().lower() in _POINTS and all(o.unit.strip() in ("%", "") for o in program.inputs):
        unit = program.inputs[0].unit
    printed = measure(result.value, unit, like=like)
    top = measure(result.high, unit, like=like) if result.high else None
    tried: list[tuple[Fraction, Fraction, Fraction]] = []
    for compute, dimensions in _ways(program, inputs, printed):
        if not _same_kind(dimensions, printed.dimensions):
            continue
        low, high = _span(program, compute, inputs, like)
        tried.append((compute([m.amount for m in inputs]), low, high))
        for scale in _scales(program, printed):
            if _holds(low / scale, high / scale, printed, top, program):
                got = in_unit(unit, *_said(program, *tried[-1]), like)
                return Outcome(Verdict.CONSISTENT, f"{shown(program)} = {got}, {_fits(got, result)}")
    if _holds_in_steps_of_1024(program, printed):
        return Outcome(
            Verdict.CONSISTENT, f"{shown(program)} = {_printed(result)}, which holds in steps of 1024"
        )
    if not tried:
        raise NotComparableError(
            f"{shown(program)} is no quantity of the kind of {result.shown}: the units do not fit"
        )
    nearest = min(tried, key=lambda found: _distance(found[0], printed.amount))
    got = in_unit(unit, *_said(program, *nearest), like)
    return Outcome(Verdict.INCONSISTENT, f"{shown(program)} = {got}, and {_printed(result)} is printed")


def _said(program: Program, usual: Fraction, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """The ends of the outcome that a reader is told: both where an input is a range, else that of the figures."""
    return (low, high) if any(o.high for o in program.inputs) else (usual, usual)


def _distance(one: Fraction, other: Fraction) -> Fraction:
    """How many times one is the other, from above; where a sign differs, how far apart they are besides."""
    if one * other <= 0:
        return abs(one - other) + _ENDLESS
    return max(abs(one / other), abs(other / one))


def _fits(got: str, result: Operand) -> str:
    """In which way what was computed is what is printed."""
    if got == result.shown.replace(",", ""):
        return "as printed"
    return f"and {_printed(result)} is printed, which holds"


def _printed(result: Operand) -> str:
    words = {Bound.AT_MOST: "at most ", Bound.AT_LEAST: "at least ", Bound.APPROX: "about "}
    return f"{words.get(result.bound, '')}{result.shown}"


def _scales(program: Program, printed: Measure) -> tuple[int, ...]:
    """A share without a unit may be a percentage."""
    unit = program.result.unit.strip() if program.result else "%"
    percent = program.operation in SHARES[:4] and not unit and printed.amount > 1
    return (1, Fraction(1, 100)) if percent else (1,)  # type: ignore[return-value]


def _same_kind(one: Dimensions, other: Dimensions) -> bool:
    if one == other:
        return True
    # A price an hour is often printed as a price alone.
    currencies = [{name for name, _ in side if name.isupper() and len(name) == 3} for side in (one, other)]
    rest = [{pair for pair in side if pair[0] != "s"} for side in (one, other)]
    return (
        bool(currencies[0]) and rest[0] == rest[1] and _HOURLY in (set(one) - rest[0] | set(other) - rest[1])
    )


_HOURLY = ("s", -1)
_Way = tuple[Callable[[Sequence[Fraction]], Fraction], Dimensions]


def _ways(program: Program, inputs: list[Measure], printed: Measure) -> list[_Way]:
    """The calculations that the operation stands for, each with the dimensions of its outcome."""
    operation = program.operation
    kinds = [m.dimensions for m in inputs]
    first = kinds[0]
    if operation is Operation.PRODUCT:
        return [(_product, _add(kinds))]
    if operation is Operation.QUOTIENT:
        return [(_quotient, _add([first, *(_negative(k) for k in kinds[1:])]))]
    if operation is Operation.WEIGHTED_SUM:
        half = len(inputs) // 2
        return [
            (lambda v: sum((w * s for w, s in zip(v[:half], v[half:], strict=True)), Fraction(0)), kinds[-1])
        ]
    if operation is Operation.SCALED:
        return _scaled(inputs, printed)
    if operation is Operation.ANY:
        return _any(inputs)
    alike = kinds[:2] if operation is Operation.ANNUAL_GROWTH else kinds
    if len(set(alike)) > 1:
        raise NotComparableError(f"{' and '.join(o.shown for o in program.inputs)} are of different kinds")
    compute: Callable[[Sequence[Fraction]], Fraction] | None = _ALIKE.get(operation)
    if compute is not None:
        return [(compute, first)]
    if operation is Operation.DIFFERENCE:
        return [(lambda v: abs(v[0] - sum(v[1:], Fraction(0))), first), (lambda v: max(v) - min(v), first)]
    if operation is Operation.INCREASE and program.result and program.result.unit.strip() == "倍":
        # 提升 1.5 倍 is said of what is 2.5 times as much, and of what is 1.5 times as much.
        return [(lambda v: v[1] / v[0] - 1, ()), (lambda v: v[1] / v[0], ())]
    return [(way, ()) for way in _RELATIVE[operation]] if operation in _RELATIVE else _growth(program)


_ALIKE: dict[Operation, Callable[[Sequence[Fraction]], Fraction]] = {
    Operation.SUM: lambda v: sum(v, Fraction(0)),
    Operation.AVERAGE: lambda v: sum(v, Fraction(0)) / len(v),
    Operation.MEDIAN: lambda v: median(v),  # noqa: PLW0108 - its own type says less
    Operation.LARGEST: max,
    Operation.SMALLEST: min,
}
_RELATIVE: dict[Operation, tuple[Callable[[Sequence[Fraction]], Fraction], ...]] = {
    Operation.RATIO: (lambda v: max(v) / min(v), lambda v: min(v) / max(v)),
    Operation.SHARE: (lambda v: v[0] / v[1],),
    Operation.INCREASE: (lambda v: v[1] / v[0] - 1,),
    Operation.DECREASE: (lambda v: 1 - v[1] / v[0],),
}


def _product(values: Sequence[Fraction]) -> Fraction:
    total = Fraction(1)
    for value in values:
        total *= value
    return total


def _dot(weights: Sequence[Fraction], scores: Sequence[Fraction]) -> Fraction:
    return sum((w * s for w, s in zip(weights, scores, strict=True)), Fraction(0))


def _quotient(values: Sequence[Fraction]) -> Fraction:
    return values[0] / _product(values[1:])


def _add(kinds: Sequence[Dimensions]) -> Dimensions:
    total: dict[str, int] = {}
    for kind in kinds:
        for name, exponent in kind:
            total[name] = total.get(name, 0) + exponent
    return tuple(sorted((name, e) for name, e in total.items() if e))


def _negative(kind: Dimensions) -> Dimensions:
    return tuple((name, -exponent) for name, exponent in kind)


def _scaled(inputs: list[Measure], printed: Measure) -> list[_Way]:
    """From one scale (the last input but one) to another (the last): times shrink with it, all else grows."""
    terms = inputs[:-2]
    inverse = any(name == "s" and e > 0 for name, e in printed.dimensions)
    ways: list[_Way] = []
    for signs in itertools.product((1, -1), repeat=len(terms)):
        if all(sign == -1 for sign in signs):
            continue
        kind = _add(
            [m.dimensions if s > 0 else _negative(m.dimensions) for m, s in zip(terms, signs, strict=True)]
        )

        def compute(values: Sequence[Fraction], signs: tuple[int, ...] = signs) -> Fraction:
            at = _product([v if s > 0 else 1 / v for v, s in zip(values[:-2], signs, strict=True)])
            return at * values[-2] / values[-1] if inverse else at * values[-1] / values[-2]

        ways.append((compute, kind))
    return ways


def _any(inputs: list[Measure]) -> list[_Way]:
    """Where nothing says what is done: the product, the quotients, and of like inputs their sum and distance."""
    kinds = [m.dimensions for m in inputs]
    ways: list[_Way] = [(_product, _add(kinds))]
    if len(inputs) == 2:
        ways += [
            (lambda v: v[0] / v[1], _add([kinds[0], _negative(kinds[1])])),
            (lambda v: v[1] / v[0], _add([kinds[1], _negative(kinds[0])])),
            (lambda v: (1 - v[0]) * v[1], kinds[1]),
        ]
    if len(set(kinds)) == 1:
        ways += [
            (lambda v: sum(v, Fraction(0)), kinds[0]),
            (lambda v: abs(v[0] - sum(v[1:], Fraction(0))), kinds[0]),
        ]
        if len(inputs) == 2:
            ways += [(lambda v: v[1] / v[0] - 1, ()), (lambda v: 1 - v[1] / v[0], ())]
    return ways


def _growth(program: Program) -> list[_Way]:
    years = years_of(program)
    if years is None:
        raise NotComparableError("over how many years it grows is not said")
    if years == 0:
        raise NotComparableError("start and end are of the same time")
    return [(lambda v: _root(v[1] / v[0], years) - 1, ())]


def _root(number: Fraction, degree: Fraction) -> Fraction:
    if number <= 0:
        raise NotComparableError("a growth rate needs figures above nothing")
    exact = _DIGITS.divide(Decimal(number.numerator), Decimal(number.denominator))
    power = _DIGITS.divide(Decimal(degree.denominator), Decimal(degree.numerator))
    return Fraction(_DIGITS.power(exact, power))


def _span(
    program: Program, compute: Callable[[Sequence[Fraction]], Fraction], inputs: list[Measure], like: str
) -> tuple[Fraction, Fraction]:
    """The least and the largest outcome that the bounds of the inputs allow."""
    ends = [_ends(m, o, like) for m, o in zip(inputs, program.inputs, strict=True)]
    if sum(len(e) > 1 for e in ends) > 6:
        ends = [(m.amount,) for m in inputs]
    outcomes = [compute(corner) for corner in itertools.product(*ends)]
    return min(outcomes), max(outcomes)


def _ends(one: Measure, operand: Operand, like: str) -> tuple[Fraction, ...]:
    amount, bound = one.amount, operand.bound
    if operand.high:
        return amount, measure(operand.high, operand.unit, like=like).amount
    if bound is Bound.AT_MOST:
        return amount / _ENDLESS, amount
    if bound is Bound.AT_LEAST:
        return amount, amount * _ENDLESS
    if bound is Bound.APPROX:
        return amount * (1 - ABOUT / 2), amount, amount * (1 + ABOUT / 2)
    if bound is Bound.ORDER_OF_MAGNITUDE:
        return amount, amount * 10
    return (amount,)


def _holds(low: Fraction, high: Fraction, printed: Measure, top: Measure | None, program: Program) -> bool:
    value, bound = printed.amount, program.result.bound if program.result else Bound.EXACT
    limit = LIMIT if bound in (Bound.AT_MOST, Bound.AT_LEAST) else COARSEST
    room = min(printed.step / 2, abs(value) * limit)
    if bound is Bound.APPROX:
        room = max(room, abs(value) * ABOUT)
    open_ends = {o.bound for o in program.inputs} & {Bound.AT_LEAST, Bound.AT_MOST}
    if top is not None:
        upper = max(room, min(top.step / 2, abs(top.amount) * limit))
        within = value - room <= low and high <= top.amount + upper
        exact = not any(o.high for o in program.inputs) or open_ends
        return within and (bool(exact) or (low <= value + room and high >= top.amount - upper))
    if bound is Bound.AT_MOST:
        return (high if Bound.AT_LEAST not in open_ends else low) <= value + room
    if bound is Bound.AT_LEAST:
        return (low if Bound.AT_MOST not in open_ends else high) >= value - room
    if bound is Bound.ORDER_OF_MAGNITUDE:
        return high >= value * (1 - ABOUT) and low < value * 10
    return low - room <= value <= high + room


def _same(program: Program, inputs: list[Measure]) -> Outcome:
    """All inputs are one figure, in steps of 1000 or, for data, all in steps of 1024."""
    if len({m.dimensions for m in inputs}) > 1:
        raise NotComparableError(f"{' and '.join(o.shown for o in program.inputs)} are of different kinds")
    shown = " and ".join(dict.fromkeys(o.shown for o in program.inputs))
    for readings, how in ((inputs, ""), (_binary(program.inputs), " in steps of 1024")):
        first = readings[0]
        if all(_equal(first, other) for other in readings[1:]):
            return Outcome(Verdict.CONSISTENT, f"{shown} are the same{how}")
    return Outcome(Verdict.INCONSISTENT, f"{shown} are not the same")


def _equal(one: Measure, other: Measure) -> bool:
    room = min(max(one.step, other.step) / 2, abs(max(one.amount, other.amount)) * COARSEST / 7)
    return abs(one.amount - other.amount) <= room


def _holds_in_steps_of_1024(program: Program, printed: Measure) -> bool:
    """Sizes of memory and disks are added up so: 8 × 128 GB is 1 TB. Rates are not, but TB is said for TiB beside them."""
    result = program.result
    if result is None or any(o.high for o in (*program.inputs, result)):
        return False
    if printed.dimensions == (("bit", 1),):
        inputs, size = _binary(program.inputs), _binary([result])[0]
    elif any(_DENSITY.search(o.unit) for o in program.inputs):
        plain = [o.model_copy(update={"unit": _TIB.sub(r"\1B", o.unit)}) for o in program.inputs]
        inputs, size = [measure(o.value, o.unit) for o in plain], printed
    else:
        return False
    return any(
        dimensions == size.dimensions and compute([m.amount for m in inputs]) == size.amount
        for compute, dimensions in _ways(program, inputs, size)
    )


_DENSITY = re.compile(r"/ ?[TGP]i?B$")
_TIB = re.compile(r"([TGP])iB$")


def _binary(operands: Sequence[Operand]) -> list[Measure]:
    """The figures with GB, TB and so on read in steps of 1024."""
    spelled = []
    for operand in operands:
        unit = operand.unit.strip()
        steps = unit[:1] in tuple("kKMGTPE") and unit[1:2] in ("B", "b")
        spelled.append(measure(operand.value, f"{unit[0].upper()}i{unit[1:]}" if steps else unit))
    return spelled
