"""Capability mentions as claims: each once for a product (in an article, once for a vendor and section)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from extractors.capabilities import find_capabilities
from extractors.context import EXTRACTOR, Context
from extractors.fold import fold
from extractors.page import Page
from extractors.subject import Subject, nearest_subject, vendor_names
from extractors.whose import first_of_row, named_before
from schemas.claim import Claim, Evidence
from schemas.quantity import Bound

_WE = re.compile(r"\b(?:[Ww]e|[Oo]ur)\b|我们|我們|弊社|当社")


def capability_claims(page: Page, context: Context) -> Iterator[Claim]:
    """Every capability that the page states, with its clause as the quote."""
    seen: set[tuple[str | None, str | None, str, str | None]] = set()
    vendors_named = bool(vendor_names(page.folded))
    at_block, last_named = -1, Subject(None, None)
    for found in find_capabilities(page):
        block = page.document.blocks[found.block]
        before = page.folded[max(block.start, found.cue_start - 400) : found.cue_start]
        if context.subject.vendor and _WE.search(before[-40:]):
            before = ""  # what "we" do is the page's own, whoever was named before
        headings = fold("\n".join(block.headings if context.article else block.headings[1:]))
        rows = "\n".join(fold(h.text) for h in block.cell.row_headers) if block.cell else ""
        columns = "\n".join(fold(h.text) for h in block.cell.col_headers) if block.cell else ""
        subject = context.subject if context.subject.vendor else last_named
        if found.block != at_block:
            at_block, last_named = found.block, named_before(page, found.block)
            subject = context.subject if context.subject.vendor else last_named
        for text, rule in ((before, "sentence"), (rows, "row"), (columns, "column"), (headings, "heading")):
            named = first_of_row(text) if found.block in page.flat_headers else nearest_subject(text, "")
            foreign = named.vendor_rule.endswith("(by product)") and context.subject.vendor
            if named.vendor is not None and foreign in (None, "", False, named.vendor):
                subject = replace(named, vendor_rule=rule, product_rule=rule if named.product else "")
                break
        if subject.vendor is None and (context.article and vendors_named):
            continue  # a general remark in an article about several vendors
        place = block.headings[-1] if context.article and block.headings else subject.product
        key = (subject.vendor, place, found.name, found.of)
        if key in seen:
            continue
        seen.add(key)
        qualifiers = {"capability": found.name} | ({"of": found.of} if found.of else {})
        on_request = found.name in ("allowlist_only", "by_ticket_only")
        flags = (
            ("on_request_only",)
            if on_request
            else ("not_disclosed",)
            if found.name == "not_disclosed"
            else ()
        )
        yield Claim(
            claim_key="draft",
            source=context.source,
            vendor=subject.vendor,
            product=subject.product,
            metric="capability",
            low=Decimal(1),
            unit="bool",
            text_value=None,
            bound=Bound.EXACT,
            basis="unspecified",
            qualifiers=qualifiers,
            evidence=Evidence(
                quote=page.document.text[found.start : found.end],
                start=found.start,
                end=found.end,
                path=tuple(block.headings),
            ),
            flags=flags,
            extractor=EXTRACTOR,
            rules={"metric": "cue", "vendor": subject.vendor_rule or "not named"},
        )
