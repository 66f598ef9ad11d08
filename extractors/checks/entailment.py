"""Whether a claim's fields follow from its words: the quote and its headers are read again, field by field."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import cache, lru_cache

from extractors.checks.measures import unit_of
from extractors.checks.running import Found
from extractors.fold import fold
from extractors.mention import Mention
from extractors.quantities import find_mentions
from extractors.sieve import Sieve
from extractors.subject import vendor_names
from schemas.check import Verdict
from schemas.claim import Claim
from schemas.quantity import Bound
from schemas.record import plain
from schemas.registry import registry

VERSION = "3"

_AS_WRITTEN = frozenset({Decimal(1), Decimal(8), Decimal("0.125")})
"""Bits for bytes and back; the unit of a header or of a metric may be either."""
_TIB = Decimal(2) ** 40 / Decimal(10) ** 12
_DENSITY = tuple(eights * size for eights in _AS_WRITTEN for size in (Decimal(1), _TIB, 1 / _TIB))
"""What may lie between a figure with its unit and the claim: it may be one per TB."""
_BINARY = tuple((Decimal(1024) / 1000) ** steps for steps in range(-4, 6))
_SECONDS = tuple(map(Decimal, ("60", "3600", "86400", "604800", "2592000", "31536000")))
_NEARLY = Decimal("1e-9")
_GROUPED = re.compile(r"\d[.,]\d{3}(?!\d)")
"""1.000 is a thousand, or one, by the language of the page, which the quote alone does not tell."""


def fields(claim: Claim, visible: str) -> dict[str, Callable[[], Found]]:
    """The check of each field, ready to be run. `visible` is the page's text with note marks blanked."""
    quote = visible[claim.evidence.start : claim.evidence.end]

    @lru_cache(maxsize=1)
    def mentions() -> tuple[Mention, ...]:
        return tuple(find_mentions(quote))

    return {
        "value": lambda: value(claim, mentions()),
        "unit": lambda: unit(claim, quote),
        "subject": lambda: subject(claim),
        "metric": lambda: metric(claim),
        "basis": lambda: basis(claim),
        "bound": lambda: bound(claim, mentions()),
    }


def value(claim: Claim, mentions: tuple[Mention, ...]) -> Found:
    """Whether the figure can be read again from the quote alone, digit for digit and letter for letter."""
    if claim.text_value is None:
        return Found(Verdict.STATED, "a capability is stated by its words")
    if claim.text_value not in claim.evidence.quote:
        return Found(Verdict.NOT_STATED, f"the quote does not hold {claim.text_value!r}")
    said = claim.high if claim.low is None else claim.low
    found = Found(Verdict.NOT_STATED, "the quote read alone gives no figure")
    for mention in mentions:
        figure = mention.high if mention.low is None else mention.low
        words = claim.evidence.quote[mention.start : mention.end]
        if words not in claim.text_value or not figure or not said:
            continue
        times = said / figure
        if not _may_be(times, words, has_unit=mention.has_unit) or not _is_same_end(claim, mention):
            if found.verdict is Verdict.NOT_STATED:
                found = Found(
                    Verdict.CONTRADICTED, f"{words!r} is not {plain(said)} {claim.unit} in any unit"
                )
            continue
        if times in _AS_WRITTEN and mention.has_unit:
            return Found(Verdict.STATED, "read again from the quote")
        found = Found(
            Verdict.DERIVED, "the figure is the quote's; its unit is in the words or headers around it"
        )
    return found


def _leading(number: Decimal) -> Decimal:
    """The number without its power of ten: 1 to 10."""
    leading = abs(number).scaleb(-number.adjusted())
    return leading / 10 if leading > 10 * (1 - _NEARLY) else leading


_UNITS = frozenset(
    _leading(reading)
    for unit in (*(eights * size for eights in _AS_WRITTEN for size in _BINARY), *_SECONDS)
    for reading in (unit, 1 / unit)
)
"""What a unit that stands elsewhere can make of a bare figure, beside powers of ten."""


def _may_be(times: Decimal, words: str, *, has_unit: bool) -> bool:
    """Whether a unit can lie between a figure as printed and as claimed; for 3.2 and 5 none does."""
    factors: Iterable[Decimal] = _DENSITY
    if not has_unit or _GROUPED.search(words):
        times, factors = _leading(times), _UNITS
    return any(abs(times / factor - 1) <= _NEARLY for factor in factors)


def _is_same_end(claim: Claim, mention: Mention) -> bool:
    """Whether a range ends where the quote's does."""
    if claim.bound is not Bound.RANGE or None in (claim.low, claim.high, mention.low, mention.high):
        return True
    low, high, first, last = claim.low, claim.high, mention.low, mention.high
    return bool(low and high and first and last) and abs(high * first / (low * last) - 1) <= _NEARLY  # type: ignore[operator]


def unit(claim: Claim, quote: str) -> Found:
    """Whether the unit stands in the quote, in its headers, or comes from the metric's custom."""
    written = claim.unit_as_written
    if claim.text_value is None:
        return Found(Verdict.STATED, "a capability has no unit")
    if written and (kinds := _other_kind(written, claim.unit)):
        return Found(Verdict.CONTRADICTED, f"{written} measures {kinds}, and {claim.unit} does not")
    if written and written in quote:
        return Found(Verdict.STATED, f"{written} stands in the quote")
    if written and any(written in text for text in claim.evidence.path):
        return Found(Verdict.DERIVED, f"{written} stands in the headers")
    if written:
        return Found(Verdict.DERIVED, f"{written}: {_rule(claim, 'unit', 'from the words around the quote')}")
    return Found(Verdict.NOT_STATED, f"no unit is written; {claim.unit} is the metric's own")


def _other_kind(written: str, unit: str) -> str:
    """Data or time, where the written unit measures it and the claim's unit does not; else nothing."""
    names = dict(unit_of(written).dimensions)
    if names in ({"bit": 1}, {"bit": 1, "s": -1}) and not ("bit" in unit or "byte" in unit):
        return "data"
    return "time" if names == {"s": 1} and unit != "s" else ""


def subject(claim: Claim) -> Found:
    """Whose claim it is: named in the quote or over it, known from the source list, or not said."""
    if claim.vendor is None:
        return Found(Verdict.NOT_STATED, "the page does not say whose it is")
    words = (claim.evidence.quote, *claim.evidence.path)
    named = {vendor for text in words for vendor, _, _ in vendor_names(fold(text))}
    if claim.vendor in named:
        return Found(Verdict.STATED, "the vendor is named beside the figure")
    rule = _rule(claim, "vendor", "not named")
    if len(named) == 1 and rule != "source":
        other = next(iter(named))
        return Found(
            Verdict.NOT_STATED, f"the words beside the figure name {other}; {claim.vendor} by: {rule}"
        )
    return Found(Verdict.DERIVED, f"{claim.vendor} by: {rule}")


def metric(claim: Claim) -> Found:
    """What is measured: by a cue in the quote, by one around it, or not by any word."""
    if claim.metric == "capability":
        return Found(Verdict.STATED, f"the words name {claim.qualifiers.get('capability', 'a capability')}")
    quote = fold(claim.evidence.quote)
    strong = _first(_strong_cues(claim.metric), quote)
    if strong:
        return Found(Verdict.STATED, f"{strong!r} stands in the quote")
    rule = _rule(claim, "metric", "")
    if rule:
        return Found(Verdict.DERIVED, rule)
    return Found(Verdict.NOT_STATED, f"no word of the page names {claim.metric}")


def basis(claim: Claim) -> Found:
    """What it is a number of: by a word, by the metric itself, or not said."""
    if claim.basis == "unspecified":
        return Found(Verdict.NOT_STATED, "the page does not say what it is a number of")
    quote = fold(claim.evidence.quote)
    cue = _first(_basis_cues(claim.basis), quote)
    if cue:
        return Found(Verdict.STATED, f"{cue!r} stands in the quote")
    if claim.basis == registry().metric(claim.metric).default_basis:
        return Found(Verdict.DERIVED, f"{claim.metric} is always {claim.basis}")
    if "basis" not in claim.rules and (other := _other_basis(claim.basis, quote)):
        return Found(Verdict.CONTRADICTED, f"{other[1]!r} in the quote says {other[0]}")
    return Found(Verdict.DERIVED, _rule(claim, "basis", "from the words around the quote"))


def _other_basis(own: str, quote: str) -> tuple[str, str] | None:
    """The first basis that the quote names, and the words, where it does not name its own."""
    for name in registry().bases:
        if name != own and (cue := _first(_basis_cues(name), quote)):
            return name, cue
    return None


def bound(claim: Claim, mentions: tuple[Mention, ...]) -> Found:
    """How the number limits the quantity: read again from the quote, or from words outside it."""
    if claim.text_value is None:
        return Found(Verdict.STATED, "a capability has no bound")
    again = {m.bound for m in mentions}
    if claim.bound in again:
        return Found(Verdict.STATED, f"{claim.bound.value} is read again from the quote")
    if not again or again == {Bound.EXACT}:
        return Found(Verdict.DERIVED, f"{claim.bound.value} by words outside the quote")
    return Found(Verdict.CONTRADICTED, f"the quote reads as {', '.join(sorted(again))}")


def _rule(claim: Claim, name: str, otherwise: str) -> str:
    return claim.rules.get(name) or otherwise


@cache
def _strong_cues(name: str) -> Sieve[str]:
    return Sieve((cue, [cue]) for cue in registry().metric(name).cues.strong)


@cache
def _basis_cues(name: str) -> Sieve[str]:
    return Sieve((cue, [cue]) for cue in registry().basis(name).cues)


def _first(cues: Sieve[str], quote: str) -> str | None:
    """What stands in the quote of the first cue, in the registry's order, that it holds."""
    return next((found[0] for _, cue in cues.of(quote) if (found := cue.search(quote))), None)
