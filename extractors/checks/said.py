"""One claim made ready to be compared: numbers exact and in the metric's unit, words in one spelling.

Any field may be missing; what is missing is taken as not said.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache

from extractors.checks.counting import counts, is_count_key
from extractors.checks.measures import first_number, read_number, unit_of
from extractors.checks.spelling import key_of, one_spelling, word
from extractors.quantities import find_quantities
from schemas.quantity import Bound
from schemas.record import plain
from schemas.registry import registry


@dataclass(frozen=True, slots=True)
class Said:
    """One claim, with its numbers exact and its words in one spelling. `step`: one unit of the last digit printed."""

    vendor: str
    product: str
    metric: str
    low: Fraction | None
    high: Fraction | None
    unit: str
    text: str
    step: Fraction
    bound: Bound
    best_case: bool
    basis: str
    direction: str
    condition: Mapping[str, str]
    baseline: str
    qualifiers: Mapping[str, str]
    flags: frozenset[str] = frozenset()
    formula: str = ""
    shown: str = ""
    spelled: Mapping[str, str] = field(default_factory=dict)
    """Of the words that are compared in one spelling, how they were written."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """By thing (accelerator, nic, port …), how many of it the claim says that it speaks of."""

    @property
    def figure(self) -> Fraction | None:
        """The one number that stands for it: its low, or the cap of a formula."""
        return self.high if self.low is None else self.low


_FIELDS = frozenset(
    "id claim_key source source_id source_tier vendor product metric low high unit text_value unit_as_written bound "
    "best_case basis direction condition baseline qualifiers evidence quote flags extractor rules lang page alt "
    "optional tier url source_url why kind path".split()
)


def said(claim: Mapping[str, object]) -> Said:
    """The claim in the contract's form, of which any field may be missing.

    ValueError where it has neither a number nor words that hold one.
    """
    metric = str(claim.get("metric") or "other")
    text = str(claim.get("text_value") or "")
    bound = _bound(claim)
    basis = str(claim.get("basis") or "unspecified")
    qualifiers = {**_texts(claim.get("qualifiers"), "qualifiers"), **_extra(claim)}
    condition = _texts(claim.get("condition"), "condition")
    low, high, unit = _numbers(claim, metric, text)
    if low is not None and high is not None and high < low:
        raise ValueError(f"its high, {claim.get('high')}, is below its low, {claim.get('low')}")
    vendor, product = _vendor(claim.get("vendor")), _product(claim.get("vendor"), claim.get("product"))
    words = _Words(_names_of(vendor, product))
    return Said(
        vendor=vendor,
        product=product,
        metric=metric,
        low=low,
        high=high,
        unit=unit,
        text=text,
        step=_step(text, low if high is None or low is not None else high),
        bound=bound,
        best_case=claim.get("best_case") is True,
        basis=basis,
        direction=str(claim.get("direction") or "unspecified"),
        condition=words.under_their_keys(condition),
        baseline=words.of("baseline", str(claim.get("baseline") or "")),
        qualifiers=words.under_their_keys(qualifiers),
        flags=frozenset(map(str, _list(claim.get("flags")))),
        formula=qualifiers.get("formula", text if bound is Bound.FORMULA else ""),
        shown=text or _shown(low if low is not None else high, unit),
        spelled=words.spelled,
        counts=counts(basis, text, {**qualifiers, **condition}),
    )


class _Words:
    """Words in the spelling in which they are compared; `spelled` keeps how they were written."""

    def __init__(self, product: tuple[str, ...]) -> None:
        self.product = product
        self.spelled: dict[str, str] = {}

    def of(self, key: str, text: str) -> str:
        compared = one_spelling(key, text, self.product)
        self.spelled[compared] = text
        return compared

    def under_their_keys(self, texts: Mapping[str, str]) -> dict[str, str]:
        out: dict[str, str] = {}
        for key, text in texts.items():
            # {"gpu": "8"} counts, {"gpu": "H100"} names the model.
            name = key if text.isdigit() and is_count_key(key) else key_of(key)
            name = key if name in texts and name != key else name
            out[name] = self.of(name, text)
        return out


def _bound(claim: Mapping[str, object]) -> Bound:
    name = str(claim.get("bound") or "exact")
    if name not in set(Bound):
        raise ValueError(f"{name!r} is no bound; there are {', '.join(Bound)}")
    return Bound(name)


def _texts(value: object, name: str) -> dict[str, str]:
    if value is None or value in ("", []):
        return {}
    if not isinstance(value, Mapping):
        raise ValueError(f"its {name} is no object: {str(value)[:60]!r}")
    return {str(k): str(v) for k, v in value.items() if v not in (None, "", [], {})}


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


def _extra(claim: Mapping[str, object]) -> dict[str, str]:
    """Fields that the contract does not have (date, region…) separate claims as qualifiers do."""
    return {k: str(v) for k, v in claim.items() if k not in _FIELDS and isinstance(v, str | int) and v != ""}


def _numbers(
    claim: Mapping[str, object], metric: str, text: str
) -> tuple[Fraction | None, Fraction | None, str]:
    known = registry().metrics.get(metric)
    unit = str(claim.get("unit") or (known.unit if known else ""))
    ends = [claim.get("low"), claim.get("high")]
    if ends == [None, None]:
        if metric == "capability":
            return Fraction(1), None, unit
        if not text:
            raise ValueError("it has no number")
        got = _from_text(text)
        return got[0], None, unit if _kind(unit) == got[1] or not known else known.unit
    # A multiple is no share, though both are numbers without dimension: what is canonical already stays.
    canonical = known is None or unit in (known.unit, *known.units) or known.unit in ("", "bool")
    target = None if known is None or canonical else unit_of(known.unit)
    out: list[Fraction | None] = []
    for end in ends:
        if end is None:
            out.append(None)
            continue
        number = read_number(end)[0]
        if target is not None:
            meaning = unit_of(unit)
            if meaning.dimensions == target.dimensions:
                number = number * meaning.factor / target.factor
        out.append(number)
    same = target is not None and unit_of(unit).dimensions == target.dimensions
    return out[0], out[1], known.unit if known and same else unit


def _kind(unit: str) -> object:
    return unit_of(unit).dimensions


def _from_text(text: str) -> tuple[Fraction, object]:
    """The figure that the words hold, in the canonical unit of what they measure."""
    for quantity in find_quantities(text):
        figure = quantity.low if quantity.low is not None else quantity.high
        if figure is not None:
            return Fraction(figure), _kind(quantity.unit)
    return first_number(text), ()


_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")


@lru_cache(maxsize=65536)
def printed(text: str) -> tuple[Fraction, int] | None:
    """The first number of the words as it is printed, with its decimal places."""
    found = _DIGITS.search(unicodedata.normalize("NFKC", text))
    if found is None:
        return None
    digits = found[0].replace(",", "")
    return Fraction(digits), len(digits.partition(".")[2])


def _step(text: str, figure: Fraction | None) -> Fraction:
    """What one unit of the last printed digit is worth, in the canonical unit; 0 where that is not known."""
    if figure is None or not (got := printed(text)) or not got[0]:
        return Fraction(0)
    return abs(figure / got[0]) * Fraction(1, 10 ** got[1])


@cache
def _names() -> tuple[dict[str, str], dict[tuple[str, str], str]]:
    vendors: dict[str, str] = {}
    products: dict[tuple[str, str], str] = {}
    for vendor in registry().vendors.values():
        for name in (vendor.id, vendor.label.en, vendor.label.zh, *vendor.names):
            vendors.setdefault(word(name), vendor.id)
        for product in vendor.products:
            for name in (product.id, *product.names):
                products.setdefault((vendor.id, word(name)), product.id)
    return vendors, products


def _vendor(value: object) -> str:
    name = str(value or "")
    return _names()[0].get(word(name), word(name))


def _product(vendor: object, value: object) -> str:
    name = str(value or "")
    return _names()[1].get((_vendor(vendor), word(name)), name.casefold().strip())


@lru_cache(maxsize=512)
def _names_of(vendor: str, product: str) -> tuple[str, ...]:
    """The names of the product, the longest first."""
    known = registry().vendors.get(vendor)
    found = next((p for p in known.products if p.id == product), None) if known else None
    return tuple(sorted({found.id, *found.names}, key=len, reverse=True)) if found else ()


def _shown(figure: Fraction | None, unit: str) -> str:
    if figure is None:
        return "a figure"
    return f"{plain(Decimal(figure.numerator) / Decimal(figure.denominator))} {unit}".strip()
