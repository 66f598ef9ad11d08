"""Statements whose parts have roles, as programs: which operation is meant follows from the result's role."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation

from extractors.checks import arithmetic, periods
from extractors.checks.arithmetic import Outcome, Verdict
from extractors.checks.measures import ends, measure, read_number, unit_of
from schemas.program import MOST_INPUTS, Operand, Operation, Program
from schemas.quantity import Bound
from schemas.record import plain

_RESULTS: dict[str, Operation] = {
    "product": Operation.PRODUCT,
    "sum": Operation.SUM,
    "total": Operation.SUM,
    "difference": Operation.DIFFERENCE, "gap": Operation.DIFFERENCE, "delta": Operation.DIFFERENCE, "spread": Operation.DIFFERENCE,
    "remainder": Operation.DIFFERENCE,
    "ratio": Operation.RATIO, "multiple": Operation.RATIO, "speedup": Operation.RATIO, "speed_up": Operation.RATIO,
    "quotient": Operation.QUOTIENT, "per_unit": Operation.QUOTIENT, "unit_price": Operation.QUOTIENT,
    "share": Operation.SHARE, "percentage": Operation.SHARE, "percent": Operation.SHARE, "proportion": Operation.SHARE, "fraction": Operation.SHARE,
    "increase": Operation.INCREASE, "gain": Operation.INCREASE, "improvement": Operation.INCREASE, "rise": Operation.INCREASE,
    "growth": Operation.INCREASE, "yoy": Operation.INCREASE, "change": Operation.INCREASE, "growth_rate": Operation.INCREASE,
    "decrease": Operation.DECREASE, "reduction": Operation.DECREASE, "drop": Operation.DECREASE, "decline": Operation.DECREASE,
    "saving": Operation.DECREASE, "savings": Operation.DECREASE, "cut": Operation.DECREASE, "loss": Operation.DECREASE,
    "cagr": Operation.ANNUAL_GROWTH, "annual_growth": Operation.ANNUAL_GROWTH,
    "average": Operation.AVERAGE, "mean": Operation.AVERAGE,
    "median": Operation.MEDIAN,
    "max": Operation.LARGEST, "maximum": Operation.LARGEST,
    "min": Operation.SMALLEST, "minimum": Operation.SMALLEST,
    "result": Operation.ANY,
}  # fmt: skip
_MADE_FROM = ("total", "sum", "result", "product")
_BEFORE = ("base", "baseline", "start", "from", "before", "old", "whole")
_AFTER = ("end", "to", "after", "new", "current", "term", "value", "part")
_PERIODS = ("periods", "period_count", "years", "n_periods")
_PLAIN = ("role", "value", "unit", "bound", "low", "high")
_LONGEST = 160
_SIGNS = {
    **dict.fromkeys(("≥", ">=", ">", "over", "超过"), "at_least"),
    **dict.fromkeys(("≤", "<=", "<", "under", "不到"), "at_most"),
    **dict.fromkeys(("≈", "~", "约", "about", "近"), "approx"),
}
_SIGN = re.compile(rf"\s*({'|'.join(sorted(_SIGNS, key=len, reverse=True))})\s*(?=[-+\d])")


def judge(case: Mapping[str, object]) -> Outcome:
    """Says of one case (`parts`, and a `statement` for what the parts leave out) whether its arithmetic holds.

    ValueError where the parts make no calculation, saying what is missing.
    """
    return arithmetic.run(program_of(case))


def program_of(case: Mapping[str, object]) -> Program:
    """The calculation that the parts describe."""
    parts = case.get("parts")
    if not isinstance(parts, Sequence) or isinstance(parts, str) or not parts:
        raise ValueError("it has no parts")
    if len(parts) > MOST_INPUTS:
        raise ValueError(f"it has {len(parts)} parts; {MOST_INPUTS} are allowed")
    operands = [_operand(part) for part in parts]
    operands = _with_periods(operands, str(case.get("statement") or ""))
    if (grown := _grown(operands)) is not None:
        return grown
    results = [i for i, o in enumerate(operands) if o.role in _RESULTS]
    # Where a total or a result stands beside another outcome, it is what that outcome was made from.
    at = next((i for i in results if operands[i].role not in _MADE_FROM), results[0] if results else None)
    if at is None and len(operands) > 1 and all(o.role in ("", "value", "number") for o in operands):
        at = len(operands) - 1
        return Program(operation=Operation.ANY, inputs=tuple(operands[:at]), result=operands[at])
    if at is None:
        return _without_result(operands)
    inputs, result = operands[:at] + operands[at + 1 :], operands[at]
    if not inputs:
        raise ValueError(f"there is a {result.role} and nothing that it is the {result.role} of")
    return _program(_RESULTS[result.role], inputs, result)


def _grown(operands: list[Operand]) -> Program | None:
    """A base, by how much it grows or shrinks, and what comes of it: 23.5, up 30.8 %, is 30.7."""
    if len(operands) != 3:
        return None
    result = next((o for o in operands if o.role == "result"), None)
    rate = next(
        (o for o in operands if _RESULTS.get(o.role) in (Operation.INCREASE, Operation.DECREASE)), None
    )
    base = next((o for o in operands if o is not result and o is not rate), None)
    if result is None or rate is None or base is None or rate.unit.strip() != "%":
        return None
    try:
        share = Decimal(rate.value)
    except InvalidOperation:
        return None
    after = 100 + share if _RESULTS[rate.role] is Operation.INCREASE else 100 - share
    factor = Operand(role="factor", value=plain(after), unit="%", bound=rate.bound)
    return Program(operation=Operation.PRODUCT, inputs=(base, factor), result=result)


def _without_result(operands: list[Operand]) -> Program:
    """Terms alone are one figure said several times; factors alone are no statement."""
    roles = {o.role for o in operands}
    if {"start", "end"} <= roles or {"part", "whole"} <= roles or "factor" in roles:
        raise ValueError("no part is a result")
    if len(operands) < 2:
        raise ValueError("one part makes no calculation")
    if len(operands) > 2 and len({measure(o.value, o.unit).dimensions for o in operands}) > 1:
        return Program(operation=Operation.ANY, inputs=tuple(operands[:-1]), result=operands[-1])
    return Program(operation=Operation.SAME, inputs=tuple(operands))


def _program(operation: Operation, inputs: list[Operand], result: Operand) -> Program:
    by_role = {role: [o for o in inputs if o.role == role] for role in {o.role for o in inputs}}
    weights, scales = by_role.get("weight", []), by_role.get("scale", [])
    others = [o for o in inputs if o.role != "weight"]
    if (
        weights
        and len(weights) == len(others)
        and operation in (Operation.SUM, Operation.AVERAGE, Operation.ANY, Operation.PRODUCT)
    ):
        return Program(operation=Operation.WEIGHTED_SUM, inputs=(*weights, *others), result=result)
    if len(scales) == 2 and len(inputs) > 2:
        rest = [o for o in inputs if o.role != "scale"]
        return Program(operation=Operation.SCALED, inputs=(*rest, *scales), result=result)
    if operation is Operation.SUM and "factor" in by_role and "term" not in by_role:
        operation = Operation.PRODUCT
    if divisors := by_role.get("divisor", []) + by_role.get("denominator", []):
        rest = [o for o in inputs if o not in divisors]
        share = operation is Operation.SHARE
        return Program(
            operation=operation if share else Operation.QUOTIENT, inputs=(*rest, *divisors), result=result
        )
    if operation is Operation.INCREASE and any(o.role in _PERIODS for o in inputs):
        operation = Operation.ANNUAL_GROWTH
    if operation in (Operation.INCREASE, Operation.DECREASE, Operation.ANNUAL_GROWTH):
        return _from_to(operation, inputs, result)
    if operation is Operation.SHARE:
        wholes = [o for o in inputs if o.role in ("whole", "total", "base")]
        parts = [o for o in inputs if o not in wholes]
        if len(wholes) == 1 and len(parts) == 1:
            inputs = [*parts, *wholes]
        elif not wholes and len(inputs) == 2:
            inputs = sorted(inputs, key=lambda o: measure(o.value, o.unit).amount)
    needed = {Operation.RATIO: 2, Operation.SHARE: 2}.get(operation)
    if needed and len(inputs) != needed:
        raise ValueError(f"a {result.role} needs {needed} parts beside it, and has {len(inputs)}")
    return Program(operation=operation, inputs=tuple(inputs), result=result)


def _from_to(operation: Operation, inputs: list[Operand], result: Operand) -> Program:
    spans = [o for o in inputs if o.role in _PERIODS]
    ends = [o for o in inputs if o.role not in _PERIODS]
    if len(ends) != 2:
        raise ValueError(f"a {result.role} needs a start and an end, and has {len(ends)} figures")
    before = next((o for o in ends if o.role in _BEFORE), None)
    after = next((o for o in ends if o is not before and o.role in _AFTER), None)
    if before is None and after is not None and after.role in ("end", "to", "after", "new", "current"):
        before = next(o for o in ends if o is not after)
    if before is None:  # neither says which was first: the order in which they stand
        before, after = ends
    after = after or next(o for o in ends if o is not before)
    if (
        operation is Operation.INCREASE
        and unit_of(result.unit).factor == 1
        and result.unit.strip() not in ("", "倍")
    ):
        operation = Operation.RATIO  # up 15-fold
        return Program(operation=operation, inputs=(after, before), result=result)
    tail = spans[:1] if operation is Operation.ANNUAL_GROWTH else []
    return Program(operation=operation, inputs=(before, after, *tail), result=result)


def _operand(part: object) -> Operand:
    if not isinstance(part, Mapping):
        raise ValueError(f"a part is no object: {str(part)[:60]}")
    value, high = part.get("value", part.get("low")), part.get("high")
    if value is None or value == "":
        raise ValueError(f"a part has no value: {str(dict(part))[:80]}")
    if isinstance(value, str) and high is None and (both := ends(value)) is not None:
        value, high = both
    bound = str(part.get("bound") or "exact")
    if isinstance(value, str) and (sign := _SIGN.match(value)):
        value = value[sign.end() :]
        bound = _SIGNS[sign[1]] if bound == "exact" else bound
    for end in (value, high):
        if end is not None:
            read_number(end)  # so that it is named where it is no number
    unit = str(part.get("unit") or "")
    if len(str(value)) > _LONGEST or len(unit) > _LONGEST // 2:
        raise ValueError(f"a part has a value or a unit of more than {_LONGEST // 2} characters")
    if bound not in set(Bound):
        raise ValueError(f"{bound!r} is no bound; there are {', '.join(Bound)}")
    return Operand(
        role=str(part.get("role") or "").strip().lower().replace(" ", "_").replace("-", "_"),
        value=str(value),
        high="" if high is None or high == value else str(high),
        unit=unit,
        bound=Bound(bound),
        about={str(k): str(v) for k, v in part.items() if k not in _PLAIN and v not in (None, "", {}, [])},
    )


def _with_periods(operands: list[Operand], statement: str) -> list[Operand]:
    """Parts of a growth or a share that name no period take the one that the statement puts beside their value."""
    roles = {o.role for o in operands}
    if not statement or not roles & {"cagr", "growth", "annual_growth", "yoy", "increase", "share", "ratio"}:
        return operands
    out = []
    for operand in operands:
        period = None
        if operand.role not in _RESULTS and "period" not in operand.about and operand.role not in _PERIODS:
            period = periods.near(statement, operand.value)
        text = "" if period is None else _written(period)
        out.append(
            operand.model_copy(update={"about": {**operand.about, "period": text}}) if text else operand
        )
    return out


def _written(period: periods.Period) -> str:
    part = {6: f"H{1 if period.begins < 7 else 2}", 3: f"Q{(period.begins + 2) // 3}", 12: ""}.get(
        period.months
    )
    return "" if part is None else f"{period.year or ''}{part}"


__all__ = ["Outcome", "Verdict", "judge", "program_of"]
