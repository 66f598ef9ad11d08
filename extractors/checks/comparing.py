"""Whether two claims can both hold: first whether they speak of one thing, then whether their bounds meet.

Two claims compare where vendor, product, metric, basis, direction, condition and qualifiers are the same, or one
side leaves them open in a way that a reader would not notice. Claims that do not compare never conflict.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from extractors.checks.counting import NOUNS, PARTS, is_count_key
from extractors.checks.measures import measure
from extractors.checks.meeting import (
    ROUNDED,
    TIB,
    Compared,
    Relation,
    apart,
    ceiling,
    floor,
    is_ceiling,
    meet,
)
from extractors.checks.said import Said, said
from extractors.checks.spelling import word
from schemas.quantity import Bound

VERSION = "3"


_ASIDE = frozenset({"formula", "capability", "note", "lang", "source_tier", "quote"})
"""Qualifiers that tell no claim from another."""


def compare(a: Said, b: Said) -> Compared:
    """How the two stand to each other. The order does not matter."""
    if a.vendor != b.vendor:
        return apart("two vendors" if a.vendor and b.vendor else "one does not say whose it is")
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
        return apart(f"two releases: {a.product} and {b.product}")
    return apart(f"two products: {a.product} and {b.product}")


def _absence(missing: Said, other: Said) -> Compared:
    of = missing.qualifiers.get("of", "")
    if other.metric == "capability" and other.qualifiers.get("capability") == "notdisclosed":
        same = other.qualifiers.get("of", "") == of
        return Compared(
            Relation.AGREE if same else Relation.NOT_COMPARABLE, "both say that nothing is published"
        )
    if word(other.metric) != of:
        return apart(f"what is said to be missing is another figure than {other.metric}")
    if missing.product and other.product and missing.product != other.product:
        return apart(f"two products: {missing.product} and {other.product}")
    return Compared(
        Relation.CONFLICT, f"one says that no {other.metric} is published; the other publishes {other.shown}"
    )


def _capability(a: Said, b: Said) -> Compared:
    if a.metric != b.metric:
        return apart(f"{a.metric} and {b.metric} are two things")
    names = a.qualifiers.get("capability", ""), b.qualifiers.get("capability", "")
    shown = a.spelled.get(names[0], "nothing named"), b.spelled.get(names[1], "nothing named")
    if names[0] != names[1]:
        return apart(f"two capabilities: {shown[0]} and {shown[1]}")
    if bool(a.low) == bool(b.low):
        return Compared(Relation.AGREE, f"both say the same of {shown[0]}")
    return Compared(Relation.CONFLICT, f"one says that it has {shown[0]}, the other that it has not")


def _other_thing(a: Said, b: Said) -> Compared | None:
    """Qualifiers and conditions that both name and that differ."""
    for key in sorted(set(a.qualifiers) & set(b.qualifiers) - _ASIDE):
        first, second = a.qualifiers[key], b.qualifiers[key]
        if first != second:
            return apart(f"{key} differs: {a.spelled[first]} and {b.spelled[second]}")
    if any(word(key) in ("validfrom", "validto") for key in (*a.qualifiers, *b.qualifiers)):
        return None
    for key in sorted(set(a.condition) & set(b.condition)):
        first, second = a.condition[key], b.condition[key]
        if first != second and not (key == "access" and "mixed" in (first, second) and a.metric != b.metric):
            return apart(f"the condition {key} differs: {a.spelled[first]} and {b.spelled[second]}")
    if a.baseline and b.baseline and a.baseline != b.baseline:
        return apart(f"they compare with {a.spelled[a.baseline]} and with {b.spelled[b.baseline]}")
    return None


_SLOPES = {"throughput_per_capacity": "fs_throughput", "iops_per_capacity": "fs_iops"}


_PRICES = {"price_per_accelerator_hour", "price_per_instance_hour"}


def may_compare(one: str, other: str) -> bool:
    """Whether claims of two metrics can bear on each other at all."""
    return "capability" in (one, other) or _SLOPES.get(one) == other or _SLOPES.get(other) == one


def _across_metrics(a: Said, b: Said) -> Compared:
    """Two metrics compare only where one is the slope of the other's formula or capacity, or by a stated count."""
    if {a.metric, b.metric} == _PRICES and a.unit == b.unit and (counted := _by_count(a, b)) is not None:
        return counted
    for slope, whole in ((a, b), (b, a)):
        if _SLOPES.get(slope.metric) != whole.metric or slope.figure is None:
            continue
        if whole.bound is Bound.FORMULA and (printed := _slope_of(whole)) is not None:
            return _two(slope, slope.figure, printed, f"the slope in {whole.formula}")
        capacity = _capacity(whole)
        if capacity is not None and whole.figure is not None:
            return _two(slope, slope.figure * capacity, whole.figure, f"{whole.shown} at that capacity")
    return apart(f"{a.metric} and {b.metric} are two metrics")


def _two(slope: Said, computed: Fraction, stated: Fraction, what: str) -> Compared:
    # A density per TB or per TiB differs by a tenth, and both spellings are used for either.
    more, less = (computed, stated) if computed > stated else (stated, computed)
    ratio = more / less if less else Fraction(0)
    if ratio and (ratio - 1 <= ROUNDED or abs(ratio - TIB) <= TIB * ROUNDED):
        return Compared(Relation.AGREE, f"{slope.shown} gives {what}")
    return Compared(Relation.CONFLICT, f"{slope.shown} does not give {what}")


_RATE = re.compile(r"\s*[kKMGT]i?[Bb](?:/s|ps)")
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
    # The slope's own unit where one stands behind it, else that of the whole: min{0.1 × TiB, 20} GB/s.
    own = _RATE.match(whole.formula, found.end("n") if found["n"] else found.end("m"))
    unit = [own[0].strip()] if own else _RATE.findall(whole.formula)
    if whole.metric == "fs_throughput":
        return (
            measure(str(number.numerator), unit[-1].strip() if unit else "MB/s").amount
            / number.denominator
            / 8
        )
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


_MACHINES = ("per_machine", "per_node", "per_instance")
_PART_OF: dict[str, tuple[str, ...]] = {
    "per_accelerator": (*_MACHINES, "per_supernode", "per_cluster"),
    "per_nic": _MACHINES,
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
    verdict = meet(a, b)
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
    return apart(f"two units, {a.unit} and {b.unit}, and no rate between them")


def _bases(a: Said, b: Said) -> Compared:
    if (counted := _by_count(a, b)) is not None:
        return counted
    figures = a.figure, b.figure
    for part, whole in ((a, b), (b, a)):
        if whole.basis in _PART_OF.get(part.basis, ()) and floor(part) > ceiling(whole) * (1 + ROUNDED):
            return Compared(
                Relation.CONFLICT,
                f"{part.shown} {part.basis} is more than {whole.shown} {whole.basis}: a part above its whole",
            )
    if "unspecified" in (a.basis, b.basis):
        if meet(a, b).relation is not Relation.CONFLICT:
            named = a.basis if b.basis == "unspecified" else b.basis
            return Compared(Relation.COMPATIBLE, f"one only adds the basis {named}")
        return apart(f"{a.shown} and {b.shown}: one does not say what it is a number of")
    if figures[0] == figures[1]:
        return apart(f"equal numbers of two bases, {a.basis} and {b.basis}")
    return apart(f"two bases, {a.basis} and {b.basis}, and no count between them")


_ADD_UP = frozenset({"bit/s", "byte/s", "byte", "1/s", "token/s", "CNY", "USD"})
"""Units of which a whole has as much as its parts together."""


def _by_count(a: Said, b: Said) -> Compared | None:
    """The part's figure times as many parts as are stated, against the whole's; None where no count is stated."""
    if a.unit not in _ADD_UP:
        return None
    for noun in NOUNS:
        first, second = _count(noun, a, b), _count(noun, b, a)
        if first is None or second is None or first == second == 1:
            continue
        part, whole = (a, b) if first <= second else (b, a)
        part = _times(part, Fraction(max(first, second), min(first, second)), whole.basis)
        whole = _without_counts(whole)
        verdict = meet(part, whole)
        return verdict if verdict.relation is not Relation.CONFLICT else _one_sided(part, whole) or verdict
    return None


def _count(noun: str, one: Said, other: Said) -> int | None:
    """How many of them the figure is the figure of, as it says or as the other, of a single one, says beside it."""
    if PARTS.get(one.basis) == noun:
        return 1
    return one.counts.get(noun) or (other.counts.get(noun) if PARTS.get(other.basis) == noun else None)


def _times(part: Said, count: Fraction, basis: str) -> Said:
    figures = {k: v * count for k, v in (("low", part.low), ("high", part.high)) if v is not None}
    shown = part.shown if count == 1 else f"{count} × {part.shown}"
    return replace(_without_counts(part), step=part.step * count, basis=basis, shown=shown, **figures)  # type: ignore[arg-type]


def _without_counts(one: Said) -> Said:
    return replace(one, qualifiers={k: v for k, v in one.qualifiers.items() if not is_count_key(k)})


def _one_sided(a: Said, b: Said) -> Compared | None:
    """What only one side says may be why the figures differ; None where a reader would see a conflict."""
    for key in ("workload", "load", "scale", "size", "protocol", "fault_class"):
        if (key in a.condition) != (key in b.condition):
            return apart(f"only one names its {key}")
    extra = [
        (a, b, sorted(set(a.qualifiers) - set(b.qualifiers) - _ASIDE)),
        (b, a, sorted(set(b.qualifiers) - set(a.qualifiers) - _ASIDE)),
    ]
    for special, general, keys in extra:
        if not keys:
            continue
        if is_ceiling(general) and floor(special) > ceiling(general) * (1 + ROUNDED):
            continue  # what holds of one tier is more than all tiers are said to have
        return apart(f"only one names its {', '.join(keys)}")
    if bool(a.baseline) != bool(b.baseline):
        return apart("only one names what it compares with")
    return None


__all__ = ["Compared", "Relation", "Said", "compare", "may_compare", "said"]
