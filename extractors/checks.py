"""The checks that need only the page: grounding, the value read again from its quote, the stated condition, authority."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from decimal import Decimal

from extractors.quantities import find_mentions
from schemas.check import Check, Verdict
from schemas.claim import Claim
from schemas.document import Document
from schemas.quantity import Bound
from schemas.source import Tier

VERSION = "1"


def check_claim(claim: Claim, document: Document, visible: str, tier: Tier) -> tuple[Check, ...]:
    """One row a check. A check that cannot run gives CHECK_FAILED with its reason, never a pass.

    `visible` is the document's text with note marks blanked (`document.masked`).
    """
    runs: tuple[tuple[str, Callable[[], tuple[Verdict, str]]], ...] = (
        ("grounding", lambda: ground(claim.evidence.quote, claim.evidence.start, document)),
        ("value", lambda: _value(claim, visible)),
        ("condition", lambda: _condition(claim)),
        ("authority", lambda: (Verdict(tier), "the source list says so")),
    )
    out = []
    for name, run in runs:
        try:
            verdict, reason = run()
        except Exception as error:  # noqa: BLE001 - a check that breaks is recorded, whatever broke it
            verdict, reason = Verdict.CHECK_FAILED, f"{type(error).__name__}: {error}"
        out.append(
            Check(claim_key=claim.claim_key, name=name, version=VERSION, verdict=verdict, reason=reason)
        )
    return tuple(out)


def ground(quote: str, start: int | None, document: Document) -> tuple[Verdict, str]:
    """Where the quote stands: at its offset, elsewhere once, several times, only hidden, or nowhere.

    Only exact characters or their NFKC forms with white space folded count; near misses are ABSENT.
    """
    text = document.text
    if start is not None and text[start : start + len(quote)] == quote:
        return Verdict.EXACT, f"the page's text at {start}"
    times = text.count(quote)
    if times == 1:
        return Verdict.EXACT, f"the page's text at {text.index(quote)}"
    if times > 1:
        return Verdict.NOT_UNIQUE, f"stands {times} times on the page and no place was given"
    wanted = _normal(quote)
    times = _normal(text).count(wanted) if wanted else 0
    if times == 1:
        return Verdict.NORMALISED, "stands on the page but for white space or character width"
    if times > 1:
        return Verdict.NOT_UNIQUE, f"stands {times} times on the page but for white space or character width"
    for hidden in document.hidden:
        if wanted and wanted in _normal(hidden.text):
            return Verdict.HIDDEN_TEXT, f"stands only in hidden text ({hidden.reason})"
    return Verdict.ABSENT, "does not stand on the page"


def _normal(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip()


# bits for bytes and back; the unit of a header or of a metric may be either
_AS_WRITTEN = frozenset({Decimal(1), Decimal(8), Decimal("0.125")})


def _value(claim: Claim, visible: str) -> tuple[Verdict, str]:
    """Whether the figure can be read again from the quote alone, digit for digit and letter for letter."""
    if claim.text_value is None:
        return Verdict.STATED, "a capability is stated by its words"
    if claim.text_value not in claim.evidence.quote:
        return Verdict.NOT_STATED, f"the quote does not hold {claim.text_value!r}"
    quote = visible[claim.evidence.start : claim.evidence.end]
    said = claim.high if claim.low is None else claim.low
    verdict = Verdict.NOT_STATED, "the quote read alone gives another figure"
    for mention in find_mentions(quote):
        figure = mention.high if mention.low is None else mention.low
        if (
            claim.evidence.quote[mention.start : mention.end] not in claim.text_value
            or not figure
            or not said
        ):
            continue
        if said / figure in _AS_WRITTEN and mention.has_unit:
            return Verdict.STATED, "read again from the quote"
        verdict = Verdict.DERIVED, "the figure is the quote's; its unit is in the words or headers around it"
    return verdict


def _condition(claim: Claim) -> tuple[Verdict, str]:
    if claim.condition:
        return Verdict.STATED, ", ".join(f"{k}: {v}" for k, v in claim.condition.items())
    if claim.bound is Bound.FORMULA:
        return Verdict.STATED, "the formula names the capacity"
    return Verdict.NOT_STATED, "the page says nothing of how it was measured"
