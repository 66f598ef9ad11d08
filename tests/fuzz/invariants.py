"""What holds for every input whatever: shared by the property tests and by `make fuzz`."""

from __future__ import annotations

import itertools

from extractors.extract import extract
from extractors.quantities import find_mentions, find_quantities


def check_page(body: bytes, name: str) -> None:
    """Whatever the bytes: a reason, or claims that stand on the page with keys and flags of their own."""
    got = extract(body, source="page", name=name)
    if got.document is None:
        assert got.reason
        assert got.claims == ()
        return
    document = got.document
    reached = 0
    for block in document.blocks:
        assert reached <= block.start < block.end <= len(document.text)
        reached = block.end
    for mark in document.marks:
        assert 0 <= mark.start < mark.end <= len(document.text)
    for claim in got.claims:
        span = claim.evidence
        assert document.text[span.start : span.end] == span.quote
        assert claim.text_value is None or claim.text_value in span.quote
    assert {flag.claim_key for flag in got.flags} <= {claim.claim_key for claim in got.claims}
    assert len({claim.claim_key for claim in got.claims}) == len(got.claims)


def check_quantities(text: str, lang: str) -> None:
    """Whatever the text: quantities in order, each where it says that it is."""
    for left, right in itertools.pairwise(find_mentions(text, lang=lang)):
        assert left.end <= right.start
    for quantity in find_quantities(text, lang=lang):
        assert text[quantity.start : quantity.end] == quantity.text
