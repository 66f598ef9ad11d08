"""Whose number it is, for one mention: the sentence, the row, the column, the paragraph, the heading, the page."""

from __future__ import annotations

from dataclasses import replace

from extractors.context import Context
from extractors.page import Page
from extractors.scopes import Surroundings
from extractors.subject import Subject, nearest_subject, product_names, vendor_names
from schemas.document import Block, BlockKind


def carry(block: Block, text: str, carried: Subject, context: Context) -> Subject:
    """The subject that a heading (or a row's first words) sets for what follows it."""
    if block.kind is BlockKind.HEADING and block.level > 1:
        named = nearest_subject("", text)
        foreign = named.vendor_rule.endswith("(by product)") and context.subject.vendor not in (
            None,
            named.vendor,
        )
        if named.vendor is not None and not foreign:
            return replace(named, vendor_rule="heading", product_rule="heading" if named.product else "")
        return context.subject if context.subject.vendor else Subject(None, None)
    return carried


def only_vendor(text: str) -> Subject | None:
    """The one vendor that a paragraph is about, for the next that says only "it"."""
    named = {vendor for vendor, _, _ in vendor_names(text)}
    return Subject(named.pop(), None, "paragraph before") if len(named) == 1 else None


def subject_of(around: Surroundings, carried: Subject, context: Context) -> Subject:
    """Whose number it is: the sentence, the row, the column, the paragraph, the heading, the page, in that order."""
    if any(s.name == "flat" for s in around.scopes):
        row = around.text_of("earlier") + around.before
        vendor = vendor_names(row)[0][0] if vendor_names(row) else None
        if vendor is not None:
            own = [p for v, p, _, _ in product_names(row) if v == vendor]
            return Subject(vendor, own[-1] if own else None, "row", "row" if own else "")
    rows = " ".join(s.text for s in around.scopes if s.name == "row")
    columns = " ".join(s.text for s in around.scopes if s.name == "column")
    earlier = around.text_of("earlier")
    for text, rule in (
        (around.before, "sentence"),
        (rows, "row"),
        (columns, "column"),
        (earlier, "paragraph"),
    ):
        named = nearest_subject(text, "")
        if named.vendor is None:
            continue
        if named.vendor_rule.endswith("(by product)") and context.subject.vendor not in (None, named.vendor):
            continue  # on a vendor's own page a name that another vendor also uses is the page's own
        if context.subject.vendor in (None, named.vendor) or rule != "paragraph":
            product = named.product or (
                carried.product if carried.vendor == named.vendor else
                context.subject.product if context.subject.vendor == named.vendor else None
            )  # fmt: skip
            return Subject(named.vendor, product, rule, rule if named.product else carried.product_rule)
    if carried.vendor is not None:
        return carried
    return context.subject


def named_before(page: Page, index: int) -> Subject:
    """The one vendor that the paragraphs before this one, in its section, are about."""
    for block in reversed(page.document.blocks[max(0, index - 4) : index]):
        if block.kind is BlockKind.HEADING:
            break
        if named := only_vendor(page.folded[block.start : block.end]):
            return named
    return Subject(None, None)


def first_of_row(row: str) -> Subject:
    """The vendor whose name opens a row of a flattened table."""
    named = vendor_names(row)
    return Subject(named[0][0], None, "row") if named else Subject(None, None)
