"""A capability that a model points at: taken where a word for it stands in the quote and is not denied there."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from extractors.capabilities import clause_of, is_denied
from extractors.context import Context
from extractors.cues import capability_cues
from extractors.fold import fold
from extractors.model.answers import CapabilityAnswer
from extractors.model.passages import Passage
from extractors.page import Page
from extractors.subject import Subject, nearest_subject, product_names
from schemas.claim import Claim, Evidence
from schemas.quantity import Bound


def capability_claim(
    page: Page,
    context: Context,
    passage: Passage,
    answer: CapabilityAnswer,
    quoted: Callable[[Passage, str], str],
) -> Claim | str:
    """The claim, or why there is none. `quoted` says why words may not be quoted, and nothing where they may."""
    if reason := quoted(passage, answer.quote):
        return reason
    place = passage.text.find(answer.quote)
    if place < 0:
        return "the quote stands over the passage, not in it"
    block = page.document.blocks[passage.block]
    text = page.folded[block.start : block.end]
    first = passage.start + place - block.start
    last = first + len(answer.quote)
    for (capability, against), cues in capability_cues().of(text):
        if capability.name != answer.capability:
            continue
        for match in cues.finditer(text, first, last):
            start, end = clause_of(text, match.start(), match.end())
            if against is not None and against.search(text[start:end]):
                return f"the words beside it rule out {answer.capability}"
            if is_denied(page, passage.block, text, match.start(), match.end()):
                return f"the words deny {answer.capability}, or say it of a rival"
            return _claim(page, context, passage, answer, quoted, block.start + start, block.start + end)
    return f"the quote holds no word for {answer.capability}"


def _claim(
    page: Page,
    context: Context,
    passage: Passage,
    answer: CapabilityAnswer,
    quoted: Callable[[Passage, str], str],
    start: int,
    end: int,
) -> Claim | str:
    subject = context.subject
    named = nearest_subject(page.folded[page.document.blocks[passage.block].start : start], "")
    if named.vendor is not None and context.subject.vendor in (None, named.vendor):
        subject = named
    product = subject.product
    if answer.product_quote:
        if reason := quoted(passage, answer.product_quote):
            return reason
        products = {(v, p) for v, p, _, _ in product_names(fold(answer.product_quote))}
        own = {(v, p) for v, p in products if subject.vendor in (None, v)}
        if len(own) == 1:
            vendor, product = own.pop()
            subject = Subject(
                vendor, product, subject.vendor_rule or "product", f"model: {answer.product_quote}"
            )
    if subject.vendor is None:
        return "the words do not say whose it is"
    return Claim(
        claim_key="draft",
        source=context.source,
        vendor=subject.vendor,
        product=product,
        metric="capability",
        low=Decimal(1),
        unit="bool",
        text_value=None,
        bound=Bound.EXACT,
        basis="unspecified",
        qualifiers={"capability": answer.capability},
        evidence=Evidence(
            quote=page.document.text[start:end],
            start=start,
            end=end,
            path=tuple(page.document.blocks[passage.block].headings),
        ),
        flags=("on_request_only",) if answer.capability in ("allowlist_only", "by_ticket_only") else (),
        extractor="",
        rules={"metric": f"model: {answer.quote}", "vendor": subject.vendor_rule or "not named"},
    )
