"""Whether two figures of one thing, on one basis, can both hold: rounding, bounds, ranges, directions, formulas."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

from extractors.checks.said import Said, printed
from schemas.quantity import Bound
from schemas.registry import registry

ABOUT = Fraction(1, 10)
"""How far from a figure that is worded as "about" another may be and still be meant."""
ROUNDED = Fraction(15, 1000)
"""Two figures within this, and within the rounding of the one with fewer digits, are one."""
ROUNDED_FROM_TWO_DIGITS = Fraction(1, 30)
"""As far as 16K is from 16,384: what two printed digits leave open, where the other has more of them."""


class Relation(StrEnum):
    """How two claims stand to each other."""

    AGREE = "agree"
    COMPATIBLE = "compatible"
    CONFLICT = "conflict"
    NOT_COMPARABLE = "not_comparable"


@dataclass(frozen=True, slots=True)
class Compared:
    """The relation, with its reason in a sentence."""

    relation: Relation
    reason: str


def apart(reason: str) -> Compared:
    """They do not compare, for this reason."""
    return Compared(Relation.NOT_COMPARABLE, reason)


TIB = Fraction(2**40, 10**12)
"""How much more a TiB is than a TB."""


def meet(a: Said, b: Said) -> Compared:
    """Whether the two figures can both hold, of one thing on one basis."""
    if a.figure is None or b.figure is None:
        return apart("one has no figure")
    if {a.direction, b.direction} == {"unidirectional", "bidirectional"}:
        a, b = _one_way(a), _one_way(b)
    elif (by_direction := _by_direction(a, b)) is not None:
        return by_direction
    if a.bound is Bound.FORMULA and b.bound is Bound.FORMULA:
        same = _formula(a) == _formula(b)
        return (
            Compared(Relation.AGREE, "the same formula")
            if same
            else Compared(Relation.CONFLICT, f"two formulas: {a.shown} and {b.shown}")
        )
    if _same_figure(a, b) and (a.bound is b.bound or is_ceiling(a) == is_ceiling(b)):
        return Compared(Relation.AGREE, f"{a.shown} and {b.shown} are one figure")
    if is_ceiling(a) and is_ceiling(b):
        if a.bound is Bound.RANGE or b.bound is Bound.RANGE or _same_figure(a, b):
            return Compared(Relation.COMPATIBLE, f"{a.shown} and {b.shown} can both hold")
        return _conflict(a, b, "two ceilings")
    if _is_bestfloor(a) and _is_bestfloor(b) and not _same_figure(a, b):
        return _conflict(a, b, "two best values")
    if _low_end(a) <= _high_end(b) and _low_end(b) <= _high_end(a):
        return Compared(Relation.COMPATIBLE, f"{a.shown} and {b.shown} can both hold")
    return _conflict(a, b, "two values")


def _conflict(a: Said, b: Said, what: str) -> Compared:
    figures = a.figure or Fraction(0), b.figure or Fraction(0)
    hint = ""
    if figures[0] and figures[1]:
        times = max(figures) / min(figures)
        if abs(times - 8) <= 8 * ROUNDED and ("bit" in a.unit or "byte/s" in a.unit):
            hint = ", eight times apart: bits or bytes"
        elif abs(times - 2) <= 2 * ROUNDED and a.unit in ("bit/s", "byte/s"):
            hint = ", twice apart: one way or both, chip or die"
        elif "byte" in a.unit and any(
            abs(times - TIB * Fraction(1024, 1000) ** n) <= times / 500 for n in (-1, 0, 1)
        ):
            hint = ", as far apart as TB and TiB"
    return Compared(Relation.CONFLICT, f"{what} of one thing: {a.shown} and {b.shown}{hint}")


def _one_way(one: Said) -> Said:
    if one.direction != "bidirectional":
        return one
    halves = {k: v / 2 for k, v in (("low", one.low), ("high", one.high)) if v is not None}
    return replace(one, step=one.step / 2, **halves)  # type: ignore[arg-type]


def _by_direction(a: Said, b: Said) -> Compared | None:
    """Where only one says which way it counts, and the other is the same figure counted the other way."""
    for told, silent in ((a, b), (b, a)):
        if silent.direction != "unspecified" or told.direction == silent.direction:
            continue
        meant = silent
        if told.direction == "unidirectional":
            if silent.unit != "byte/s":
                continue  # a network link is per direction by convention
            meant = _one_way(replace(silent, direction="bidirectional"))
        if _same_figure(_one_way(told), meant) and told.bound is meant.bound:
            return Compared(
                Relation.COMPATIBLE, f"{a.shown} and {b.shown} are one figure, counted one way and both ways"
            )
    return None


def _formula(one: Said) -> tuple[str, ...]:
    return tuple(n.replace(",", "") for n in re.findall(r"\d[\d,]*(?:\.\d+)?", one.formula))


def _same_figure(a: Said, b: Said) -> bool:
    one, other = a.figure, b.figure
    if (
        one is None
        or other is None
        or ((a.low is None) != (b.low is None) and Bound.FORMULA not in (a.bound, b.bound))
    ):
        return False
    if a.unit == "byte" and _in_steps_of_1024(a.text, b.text):
        return True
    if one == other:
        return a.bound is not Bound.RANGE or b.bound is not Bound.RANGE or a.high == b.high
    coarser = a if a.step >= b.step else b
    most = ROUNDED_FROM_TWO_DIGITS if _has_two_digits(coarser) and a.step != b.step else ROUNDED
    room = min(coarser.step / 2, abs(_size(a, max(one, other))) * most)
    return abs(one - other) <= room


def _has_two_digits(one: Said) -> bool:
    got = printed(one.text)
    return got is not None and got[0] * 10 ** got[1] >= 10


_SIZE = re.compile(r"(\d[\d,]*(?:\.\d+)?)\s*([kKMGTPE])[Bb]?(?![A-Za-z])")


def _in_steps_of_1024(one: str, other: str) -> bool:
    """2048 GB is sold as 2 TB."""
    found = [_SIZE.search(text) for text in (one, other)]
    if found[0] is None or found[1] is None:
        return False
    sizes = [(Fraction(f[1].replace(",", "")), "KMGTPE".index(f[2].upper())) for f in found if f]
    (less, small), (more, large) = sorted(sizes, key=lambda size: size[1])
    return large > small and less == more * 1024 ** (large - small)


@lru_cache(maxsize=256)
def _better(metric: str) -> str:
    known = registry().metrics.get(metric)
    return known.better if known else "none"


def is_ceiling(one: Said) -> bool:
    """A best attainable or a limit: two of them that differ cannot both be the ceiling."""
    if one.bound is Bound.FORMULA:
        return True
    return one.bound is Bound.AT_MOST and (
        _better(one.metric) == "higher" or (one.best_case and _better(one.metric) != "lower")
    )


def _is_bestfloor(one: Said) -> bool:
    """The best value of a thing that is better when lower: as low as 2 us."""
    return one.bound is Bound.AT_LEAST and one.best_case and _better(one.metric) == "lower"


_ENDLESS = Fraction(10**60)


def _low_end(one: Said) -> Fraction:
    value = one.figure or Fraction(0)
    if one.bound in (Bound.AT_MOST, Bound.FORMULA):
        return Fraction(0)
    if one.bound is Bound.ORDER_OF_MAGNITUDE and one.best_case and _better(one.metric) == "higher":
        return Fraction(0)  # up to TB/s of throughput: a small file system has less
    return value - _room(one, value)


def _high_end(one: Said) -> Fraction:
    value = one.figure or Fraction(0)
    if one.bound is Bound.AT_LEAST:
        return _ENDLESS
    if one.bound in (Bound.RANGE, Bound.ORDER_OF_MAGNITUDE) and one.high is not None:
        # The next decade's first value is no longer of this one.
        return one.high if one.bound is Bound.RANGE else one.high * Fraction(999_999, 1_000_000)
    return value + _room(one, value)


def _room(one: Said, value: Fraction) -> Fraction:
    """How far from the printed figure the thing itself may be."""
    if one.bound is Bound.APPROX:
        return max(value * ABOUT, min(_last_digit(one) / 2, value / 5))
    if one.bound in (Bound.EXACT, Bound.AT_MOST, Bound.AT_LEAST):
        return min(one.step / 2, abs(_size(one, value)) * ROUNDED)
    return Fraction(0)


def _size(one: Said, value: Fraction) -> Fraction:
    """What rounding is measured against: 99.9 % and 99.95 % are a hair apart, and twice the downtime."""
    return 1 - value if one.metric == "sla_availability" else value


def _last_digit(one: Said) -> Fraction:
    """What one unit of the last digit that is not 0 is worth: about 20 may be 16 to 24."""
    got = printed(one.text)
    if got is None or not got[0] or not one.step:
        return one.step
    number, scale = got[0] * 10 ** got[1], one.step
    while number % 10 == 0:
        number, scale = number / 10, scale * 10
    return scale


def floor(one: Said) -> Fraction:
    """What it surely has: the value of a ceiling or of an exact figure."""
    return one.figure or Fraction(0)


def ceiling(one: Said) -> Fraction:
    """The most that it may have."""
    return _high_end(one)
