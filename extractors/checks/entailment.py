"""Whether a claim's fields follow from its words: the quote and its headers are read again, field by field."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cache, lru_cache

from extractors.checks.running import Found
from extractors.fold import fold
from extractors.mention import Mention
from extractors.quantities import find_mentions
from extractors.sieve import Sieve
from extractors.subject import vendor_names
from schemas.check import Verdict
from schemas.claim import Claim
from schemas.quantity import Bound
from schemas.registry import registry

VERSION = "2"

# bits for bytes and back; the unit of a header or of a metric may be either
_AS_WRITTEN = frozenset({Decimal(1), Decimal(8), Decimal("0.125")})


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
        if (
            claim.evidence.quote[mention.start : mention.end] not in claim.text_value
            or not figure
            or not said
        ):
            continue
        if said / figure in _AS_WRITTEN and mention.has_unit:
            return Found(Verdict.STATED, "read again from the quote")
        found = Found(
            Verdict.DERIVED, "the figure is the quote's; its unit is in the words or headers around it"
        )
    return found


def unit(claim: Claim, quote: str) -> Found:
    """Whether the unit stands in the quote, in its headers, or comes from the metric's custom."""
    written = claim.unit_as_written
    if claim.text_value is None:
        return Found(Verdict.STATED, "a capability has no unit")
    if written and written in quote:
        return Found(Verdict.STATED, f"{written} stands in the quote")
    if written and any(written in text for text in claim.evidence.path):
        return Found(Verdict.DERIVED, f"{written} stands in the headers")
    if written:
        return Found(Verdict.DERIVED, f"{written}: {_rule(claim, 'unit', 'from the words around the quote')}")
    return Found(Verdict.NOT_STATED, f"no unit is written; {claim.unit} is the metric's own")


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
    return Found(Verdict.DERIVED, _rule(claim, "basis", "from the words around the quote"))


def bound(claim: Claim, mentions: tuple[Mention, ...]) -> Found:
    """How the number limits the quantity: read again from the quote, or from words outside it."""
    if claim.text_value is None:
        return Found(Verdict.STATED, "a capability has no bound")
    again = {m.bound for m in mentions}
    if claim.bound in again:
        return Found(Verdict.STATED, f"{claim.bound.value} is read again from the quote")
    if not again or again == {Bound.EXACT}:
        return Found(Verdict.DERIVED, f"{claim.bound.value} by words outside the quote")
    others = ", ".join(sorted(again))
    return Found(
        Verdict.DERIVED, f"{claim.bound.value} by words outside the quote, which alone reads as {others}"
    )


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
