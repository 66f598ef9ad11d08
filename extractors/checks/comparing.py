"""Whether two claims can both hold: first whether they speak of one thing, then whether their bounds meet.

Two claims compare where vendor, product, metric, basis, direction, condition and qualifiers are the same, or one
side leaves them open in a way that a reader would not notice. Claims that do not compare never conflict.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

from extractors.checks.measures import measure
from extractors.checks.periods import read_period
from extractors.checks.said import Said, printed, said, word
from schemas.quantity import Bound
from schemas.registry import registry

VERSION = "2"
ABOUT = Fraction(1, 10)
"""How far from a figure that is worded as "about" another may be and still be meant."""
ROUNDED = Fraction(15, 1000)
"""Two figures within this, and within the rounding of the one with fewer digits, are one."""


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


_ASIDE = frozenset({"formula", "capability", "note", "lang", "source_tier", "quote"})
"""Qualifiers that tell no claim from another."""


def compare(a: Said, b: Said) -> Compared:
    """How the two stand to each other. The order does not matter."""
    if a.vendor != b.vendor:
        return _apart("two vendors" if a.vendor and b.vendor else "one does not say whose it is")
    for first, second in ((a, b), (b, a)):
        if first.metric == "capability" and first.qualifiers.get("capability") == "notdisclosed":
            return _absence(first, second)
    if (products := _products(a, b)) is not None:
        return products
    if (other := _other_thing(a, b)) is not None:
        return other
    if a.metric == "capability":
        return _capability(a, b)
    if a.metric != b.metric:
        return _across_metrics(a, b)
    return _figures(a, b)


def _apart(reason: str) -> Compared:
    return Compared(Relation.NOT_COMPARABLE, reason)


_RELEASE = re.compile(r"^(.*?[a-z])[\s.-]*v?(\d+(?:\.\d+)*)$")


def _products(a: Said, b: Said) -> Compared | None:
    """None where both are of one product. A line's name stands for each of its releases (HPN, HPN 7)."""
    if a.product == b.product or not a.product or not b.product:
        return None
    lines = [(_RELEASE.match(p), p) for p in (a.product, b.product)]
    bases = [(m[1] if m else p, m[2] if m else "") for m, p in lines]
    if bases[0][0] == bases[1][0] and "" in (bases[0][1], bases[1][1]):
        return None
    if bases[0][0] == bases[1][0]:
        return _apart(f"two releases: {a.product} and {b.product}")
    return _apart(f"two products: {a.product} and {b.product}")


def _absence(missing: Said, other: Said) -> Compared:
    of = missing.qualifiers.get("of", "")
    if other.metric == "capability" and other.qualifiers.get("capability") == "notdisclosed":
        same = other.qualifiers.get("of", "") == of
        return Compared(
            Relation.AGREE if same else Relation.NOT_COMPARABLE, "both say that nothing is published"
        )
    if word(other.metric) != of:
        return _apart(f"what is said to be missing is another figure than {other.metric}")
    if missing.product and other.product and missing.product != other.product:
        return _apart(f"two products: {missing.product} and {other.product}")
    return Compared(
        Relation.CONFLICT, f"one says that no {other.metric} is published; the other publishes {other.shown}"
    )


def _capability(a: Said, b: Said) -> Compared:
    if a.metric != b.metric:
        return _apart(f"{a.metric} and {b.metric} are two things")
    names = a.qualifiers.get("capability", ""), b.qualifiers.get("capability", "")
    shown = a.spelled.get(names[0], "nothing named"), b.spelled.get(names[1], "nothing named")
    if names[0] != names[1]:
        return _apart(f"two capabilities: {shown[0]} and {shown[1]}")
    if bool(a.low) == bool(b.low):
        return Compared(Relation.AGREE, f"both say the same of {shown[0]}")
    return Compared(Relation.CONFLICT, f"one says that it has {shown[0]}, the other that it has not")


def _other_thing(a: Said, b: Said) -> Compared | None:
    """Qualifiers and conditions that both name and that differ."""
    for key in sorted(set(a.qualifiers) & set(b.qualifiers) - _ASIDE):
        first, second = a.qualifiers[key], b.qualifiers[key]
        if first != second and not _same_period(key, first, second):
            return _apart(f"{key} differs: {a.spelled[first]} and {b.spelled[second]}")
    if any(word(key) in ("validfrom", "validto") for key in (*a.qualifiers, *b.qualifiers)):
        return None
    for key in sorted(set(a.condition) & set(b.condition)):
        first, second = a.condition[key], b.condition[key]
        if first != second and not (key == "access" and "mixed" in (first, second) and a.metric != b.metric):
            return _apart(f"the condition {key} differs: {a.spelled[first]} and {b.spelled[second]}")
    if a.baseline and b.baseline and a.baseline != b.baseline:
        return _apart(f"they compare with {a.spelled[a.baseline]} and with {b.spelled[b.baseline]}")
    return None


def _same_period(key: str, first: str, second: str) -> bool:
    if key not in ("date", "period", "as_of"):
        return False
    periods = read_period(first), read_period(second)
    return periods[0] is not None and periods[0] == periods[1]


_SLOPES = {"throughput_per_capacity": "fs_throughput", "iops_per_capacity": "fs_iops"}


def may_compare(one: str, other: str) -> bool:
    """Whether claims of two metrics can bear on each other at all."""
    return "capability" in (one, other) or _SLOPES.get(one) == other or _SLOPES.get(other) == one


def _across_metrics(a: Said, b: Said) -> Compared:
    """Two metrics compare only where one is the slope of the other's formula or capacity."""
    for slope, whole in ((a, b), (b, a)):
        if _SLOPES.get(slope.metric) != whole.metric or slope.figure is None:
            continue
        if whole.bound is Bound.FORMULA and (printed := _slope_of(whole)) is not None:
            return _two(slope, slope.figure, printed, f"the slope in {whole.formula}")
        capacity = _capacity(whole)
        if capacity is not None and whole.figure is not None:
            return _two(slope, slope.figure * capacity, whole.figure, f"{whole.shown} at that capacity")
    return _apart(f"{a.metric} and {b.metric} are two metrics")


def _two(slope: Said, computed: Fraction, stated: Fraction, what: str) -> Compared:
    # A density per TB or per TiB differs by a tenth, and both spellings are used for either.
    more, less = (computed, stated) if computed > stated else (stated, computed)
    ratio = more / less if less else Fraction(0)
    if ratio and (ratio - 1 <= ROUNDED or abs(ratio - _TIB) <= _TIB * ROUNDED):
        return Compared(Relation.AGREE, f"{slope.shown} gives {what}")
    return Compared(Relation.CONFLICT, f"{slope.shown} does not give {what}")


_TIB = Fraction(2**40, 10**12)
_FORMULA_SLOPE = re.compile(
    r"(?P<n>\d[\d,]*(?:\.\d+)?)\s*[*×x·]\s*(?:[^\d,，)}]{0,24})|[*×x·]\s*(?P<m>\d[\d,]*(?:\.\d+)?)",
    re.IGNORECASE,
)


def _slope_of(whole: Said) -> Fraction | None:
    """The slope in a formula such as min{230*TB, 460000} MB/s, in base units per TiB."""
    found = _FORMULA_SLOPE.search(whole.formula)
    if found is None:
        return None
    number = Fraction((found["n"] or found["m"]).replace(",", ""))
    unit = re.findall(r"(?:[kKMGT]i?B(?:/s|ps)|[kKMGT]b(?:/s|ps))", whole.formula)
    if whole.metric == "fs_throughput":
        return measure(str(number.numerator), unit[-1] if unit else "MB/s").amount / number.denominator / 8
    return number


def _capacity(whole: Said) -> Fraction | None:
    """The capacity, in TiB, at which a figure is stated."""
    for text in (whole.condition.get("scale", ""), whole.condition.get("capacity", "")):
        if size := re.fullmatch(r"(\d+(?:\.\d+)?)([gtp])(i?b)?", text):
            return (
                Fraction(size[1]) * {"g": Fraction(1, 1024), "t": Fraction(1), "p": Fraction(1024)}[size[2]]
            )
    return None


# Figures of one metric


_PART_OF: dict[str, tuple[str, ...]] = {
    "per_accelerator": ("per_machine", "per_node", "per_instance", "per_supernode", "per_cluster"),
    "per_port": ("per_switch",),
    "per_filesystem": ("per_cluster",),
    "per_machine": ("per_supernode", "per_cluster"),
    "per_node": ("per_supernode", "per_cluster"),
    "per_instance": ("per_cluster",),
    "per_supernode": ("per_cluster",),
}


_TIMES_LESS = re.compile(
    r"(?:降低|缩短|减少|下降|压低|减小)[^%]*倍|(?:x|×|times|fold)[^%]*(?:lower|less|fewer|shorter|smaller)",
    re.IGNORECASE,
)


def _as_share(claim: Said) -> Said:
    """Ten times lower leaves a tenth: ninety percent less."""
    figure = claim.figure
    if figure is None or figure <= 1 or _TIMES_LESS.search(claim.text) is None:
        return claim
    return replace(claim, low=1 - 1 / figure, high=None)


def _figures(a: Said, b: Said) -> Compared:
    if a.metric == "relative_improvement":
        a, b = _as_share(a), _as_share(b)
    if a.unit != b.unit:
        return _other_units(a, b)
    if a.basis != b.basis:
        return _bases(a, b)
    verdict = _meet(a, b)
    if verdict.relation is not Relation.CONFLICT:
        return verdict
    return _one_sided(a, b) or verdict


def _other_units(a: Said, b: Said) -> Compared:
    if {a.unit, b.unit} == {"fraction", "ratio"} and a.figure is not None and b.figure is not None:
        share, times = (a.figure, b.figure) if a.unit == "fraction" else (b.figure, a.figure)
        if any(abs(share - reading) <= ROUNDED * (share + 1) for reading in (times, times - 1)):
            return Compared(
                Relation.AGREE, f"{a.shown} and {b.shown} are one figure, as a share and as a multiple"
            )
        return Compared(Relation.CONFLICT, f"{a.shown} and {b.shown} are not one figure")
    return _apart(f"two units, {a.unit} and {b.unit}, and no rate between them")


def _bases(a: Said, b: Said) -> Compared:
    figures = a.figure, b.figure
    for part, whole in ((a, b), (b, a)):
        if whole.basis in _PART_OF.get(part.basis, ()) and _floor(part) > _ceiling(whole) * (1 + ROUNDED):
            return Compared(
                Relation.CONFLICT,
                f"{part.shown} {part.basis} is more than {whole.shown} {whole.basis}: a part above its whole",
            )
    if "unspecified" in (a.basis, b.basis):
        if _meet(a, b).relation is not Relation.CONFLICT:
            named = a.basis if b.basis == "unspecified" else b.basis
            return Compared(Relation.COMPATIBLE, f"one only adds the basis {named}")
        return _apart(f"{a.shown} and {b.shown}: one does not say what it is a number of")
    if figures[0] == figures[1]:
        return _apart(f"equal numbers of two bases, {a.basis} and {b.basis}")
    return _apart(f"two bases, {a.basis} and {b.basis}, and no count between them")


def _one_sided(a: Said, b: Said) -> Compared | None:
    """What only one side says may be why the figures differ; None where a reader would see a conflict."""
    for key in ("workload", "load", "scale", "size", "protocol", "fault_class"):
        if (key in a.condition) != (key in b.condition):
            return _apart(f"only one names its {key}")
    extra = [
        (a, b, sorted(set(a.qualifiers) - set(b.qualifiers) - _ASIDE)),
        (b, a, sorted(set(b.qualifiers) - set(a.qualifiers) - _ASIDE)),
    ]
    for special, general, keys in extra:
        if not keys:
            continue
        if _is_ceiling(general) and _floor(special) > _ceiling(general) * (1 + ROUNDED):
            continue  # what holds of one tier is more than all tiers are said to have
        return _apart(f"only one names its {', '.join(keys)}")
    if bool(a.baseline) != bool(b.baseline):
        return _apart("only one names what it compares with")
    return None


def _meet(a: Said, b: Said) -> Compared:
    """Whether the two figures can both hold, of one thing on one basis."""
    if a.figure is None or b.figure is None:
        return _apart("one has no figure")
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
    if _same_figure(a, b) and (a.bound is b.bound or _is_ceiling(a) == _is_ceiling(b)):
        return Compared(Relation.AGREE, f"{a.shown} and {b.shown} are one figure")
    if _is_ceiling(a) and _is_ceiling(b):
        if a.bound is Bound.RANGE or b.bound is Bound.RANGE or _same_figure(a, b):
            return Compared(Relation.COMPATIBLE, f"{a.shown} and {b.shown} can both hold")
        return _conflict(a, b, "two ceilings")
    if _is_best_floor(a) and _is_best_floor(b) and not _same_figure(a, b):
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
            abs(times - _TIB**1 * Fraction(1024, 1000) ** n) <= times / 500 for n in (-1, 0, 1)
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
    if one == other:
        return a.bound is not Bound.RANGE or b.bound is not Bound.RANGE or a.high == b.high
    room = min(max(a.step, b.step) / 2, abs(_size(a, max(one, other))) * ROUNDED)
    return abs(one - other) <= room


@lru_cache(maxsize=256)
def _better(metric: str) -> str:
    known = registry().metrics.get(metric)
    return known.better if known else "none"


def _is_ceiling(one: Said) -> bool:
    """A best attainable or a limit: two of them that differ cannot both be the ceiling."""
    if one.bound is Bound.FORMULA:
        return True
    return one.bound is Bound.AT_MOST and (
        _better(one.metric) == "higher" or (one.best_case and _better(one.metric) != "lower")
    )


def _is_best_floor(one: Said) -> bool:
    """The best value of a thing that is better when lower: as low as 2 us."""
    return one.bound is Bound.AT_LEAST and one.best_case and _better(one.metric) == "lower"


_ENDLESS = Fraction(10**60)


def _low_end(one: Said) -> Fraction:
    value = one.figure or Fraction(0)
    if one.bound in (Bound.AT_MOST, Bound.FORMULA):
        return Fraction(0)
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
        return max(value * ABOUT, min(_last_digit(one) / 2, value / 4))
    if one.bound in (Bound.EXACT, Bound.AT_MOST, Bound.AT_LEAST):
        return min(one.step / 2, abs(_size(one, value)) * ROUNDED)
    return Fraction(0)


def _size(one: Said, value: Fraction) -> Fraction:
    """What rounding is measured against: 99.9 % and 99.95 % are a hair apart, and twice the downtime."""
    return 1 - value if one.metric == "sla_availability" else value


def _last_digit(one: Said) -> Fraction:
    """What one unit of the last digit that is not 0 is worth: about 20 may be 15 to 25."""
    got = printed(one.text)
    if got is None or not got[0] or not one.step:
        return one.step
    number, scale = got[0] * 10 ** got[1], one.step
    while number % 10 == 0:
        number, scale = number / 10, scale * 10
    return scale


def _floor(one: Said) -> Fraction:
    """What it surely has: the value of a ceiling or of an exact figure."""
    return one.figure or Fraction(0)


def _ceiling(one: Said) -> Fraction:
    return _high_end(one)


__all__ = ["Compared", "Relation", "Said", "compare", "may_compare", "said"]
