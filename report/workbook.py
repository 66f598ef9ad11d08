"""The report as an Excel workbook. A cell that begins like a formula is text, here and where it is copied to."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal

import xlsxwriter

from report.changing import Event
from report.charts.of_all import coverage_rows
from report.edition import Edition
from report.standing import matrices, rank_rows

_LONGEST = 32_000
"""A cell holds 32,767 characters."""
_FORMULA = re.compile(r"\s*[=+\-@]|[\t\r]")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_NO_TIME = datetime(1980, 1, 1, tzinfo=UTC)

Cell = str | int | Decimal | None


def as_workbook(edition: Edition, found: Sequence[Event]) -> bytes:
    """The workbook: rankings, scores, every claim, open questions, changes, pages, coverage; the same bytes each time."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(
        out,
        {
            "in_memory": True,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        },
    )
    at = edition.content.at or _NO_TIME
    book.set_properties({"title": edition.says("site.title"), "created": at.replace(tzinfo=None)})
    writer = _Writer(book)
    for name, heads, rows in _sheets(edition, found):
        writer.sheet(edition.says(f"workbook.{name}"), heads, rows)
    book.close()
    return out.getvalue()


class _Writer:
    def __init__(self, book: xlsxwriter.Workbook) -> None:
        self._book = book
        self._bold = book.add_format({"bold": True, "bottom": 1})
        # The mark with which Excel itself keeps what looks like a formula as text.
        self._text = book.add_format({"quote_prefix": True})

    def sheet(self, name: str, heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
        sheet = self._book.add_worksheet(name)
        sheet.freeze_panes(1, 1)
        for column, head in enumerate(heads):
            sheet.write_string(0, column, head, self._bold)
        last = 0
        for last, row in enumerate(rows, start=1):
            for column, cell in enumerate(row):
                if isinstance(cell, str):
                    text = safe(cell)
                    if text:
                        sheet.write_string(
                            last, column, text, self._text if looks_like_formula(text) else None
                        )
                elif cell is not None:
                    # A sheet has no other numbers than these; the exact one stands in the text beside it.
                    sheet.write_number(last, column, float(cell))
        sheet.autofilter(0, 0, max(last, 1), max(len(heads) - 1, 0))
        sheet.set_column(0, max(len(heads) - 1, 0), 18)


def safe(text: str) -> str:
    """The text as a cell can hold it."""
    return _NOT_XML.sub("", text)[:_LONGEST]


def looks_like_formula(text: str) -> bool:
    """Whether a spreadsheet could take it for a formula, here or after it was saved as something simpler."""
    return _FORMULA.match(text) is not None


def _sheets(
    edition: Edition, found: Sequence[Event]
) -> Iterable[tuple[str, list[str], Iterable[Sequence[Cell]]]]:
    says, content = edition.says, edition.content

    def heads(*names: str) -> list[str]:
        return [says(name if "." in name else f"column.{name}") for name in names]

    yield (
        "rankings",
        heads("nav.cards", "vendor", "by_published", "by_claims", "share"),
        (
            (edition.card_name(card), edition.vendor(row.vendor), row.published, row.claims, row.shares)
            for card in content.cards
            for row in rank_rows(edition, card)
        ),
    )
    yield (
        "scores",
        heads("nav.cards", "kind", "vendor", "dimension", "score", "weight"),
        (
            (
                edition.card_name(card),
                matrix.title,
                edition.vendor(row.vendor),
                edition.word(dimension.label),
                score.text,
                dimension.weight,
            )
            for card in content.cards
            for matrix in matrices(edition, card)
            for row in matrix.rows
            for score, dimension in zip(row.cells, card.card.dimensions, strict=True)
        ),
    )
    yield "claims", _claim_heads(edition), _claims(edition)
    yield (
        "questions",
        heads("vendor", "metric", "worded", "flag", "workbook.key"),
        (
            (
                edition.vendor(flag["vendor"]),
                edition.metric(flag["metric"]),
                flag["text_value"],
                flag["question_zh"] if edition.language == "zh" else flag["question_en"],
                flag["claim_key"],
            )
            for flags in content.flags.values()
            for flag in flags
        ),
    )
    yield (
        "changes",
        heads("when", "event", "vendor", "what", "before", "after", "because"),
        (
            (
                edition.moment(e.at),
                e.label,
                edition.vendor(e.vendor) if e.vendor else "",
                e.what,
                _with_quote(e.before, e.quote_before),
                _with_quote(e.after, e.quote_after),
                e.note,
            )
            for e in found
        ),
    )
    yield (
        "pages",
        heads("page", "vendor", "tier", "workbook.address", "status", "there", "claims"),
        (
            (
                page["source_id"],
                edition.vendor(page["vendor"]),
                page["tier"],
                page["source_url"],
                says.or_plain("status", page["status"] or ""),
                edition.moment(page["there_at"]),
                page["claims"],
            )
            for page in content.pages
        ),
    )
    yield (
        "coverage",
        [says("column.metric"), *(edition.vendor(vendor) for vendor in content.vendors)],
        ((row.label, *(says(f"coverage.{said}") for said in row.says)) for row in coverage_rows(edition)),
    )


def _with_quote(text: str, quote: str) -> str:
    return f"{text} “{quote}”".strip() if quote else text


def _claim_heads(edition: Edition) -> list[str]:
    names = (
        "column.vendor workbook.product column.metric column.worded column.normalised workbook.low workbook.high "
        "workbook.unit column.basis column.marks column.stands column.tier column.since column.quote "
        "workbook.address workbook.key"
    )
    return [edition.says(name) for name in names.split()]


def _claims(edition: Edition) -> Iterable[Sequence[Cell]]:
    for figure in edition.content.figures.values():
        shown = edition.shown(figure)
        yield (
            edition.vendor(figure.vendor),
            figure.product,
            edition.what(figure),
            shown.text,
            shown.normalised,
            figure.low,
            figure.high,
            figure.unit,
            shown.basis,
            " · ".join(mark.text for mark in shown.marks),
            edition.says.or_plain("roll_up", figure.roll_up),
            figure.tier,
            shown.since,
            figure.quote,
            figure.url,
            figure.key,
        )
