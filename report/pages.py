"""What each page of the site shows: the values that its template is filled with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from report.edition import Edition, file_name
from report.evidence import EvidencePage
from report.honesty import cautions
from report.model import Card
from report.numbers import percent, shown, span
from report.paging import Page
from report.standing import flag_lines, lead, matrices, matrix, pair_lines, rank_history, turn_lines
from report.tables import dimension_tables
from schemas.record import plain

_MOST_LEFT_OUT = 50
_MOST_FIGURES = 150
_MOST_ASKS = 40


def pages(edition: Edition, evidence: Iterable[EvidencePage]) -> Iterator[Page]:
    """Every page of an edition, the front page first."""
    content = edition.content
    yield front(edition)
    for card in content.cards:
        yield card_page(edition, card)
        yield from dimension_pages(edition, card)
    for vendor in content.vendors:
        yield vendor_page(edition, vendor)
    for page in evidence:
        yield evidence_page(edition, page)
    yield index(edition, "cards", [(edition.card_href(c), edition.card_name(c)) for c in content.cards])
    yield index(edition, "vendors", [(edition.vendor_href(v), edition.vendor(v)) for v in content.vendors])
    yield index(
        edition,
        "dimensions",
        [
            (edition.dimension_href(c, d), f"{edition.word(d.label)} · {edition.card_name(c)}")
            for c in content.cards
            for d in c.card.dimensions
        ],
    )


def index(edition: Edition, name: str, entries: list[tuple[str, str]]) -> Page:
    """A list of links: all scorecards, all vendors, all dimensions."""
    return Page(f"{name}.html", "index.html", edition.says(f"nav.{name}"), {"entries": entries})


def front(edition: Edition) -> Page:
    """The front page: who leads on which card, by how much, and what is undecided."""
    content = edition.content
    run = content.last_run["run_id"] if content.last_run else None
    values = {
        "leads": [lead(edition, card) for card in content.cards],
        "changed": sum(change["run_id"] == run for change in content.changes),
        "moved": sum(m["run_id"] == run and m["variant"] != "proposed" for m in content.moves),
        "files": [
            ("report.md", edition.says("front.markdown")),
            ("report.xlsx", edition.says("front.workbook")),
            ("changes.html", edition.says("front.feeds")),
        ],
        "cautions": cautions(edition),
    }
    return Page("index.html", "front.html", edition.says("site.title"), values)


def card_page(edition: Edition, card: Card) -> Page:
    """A scorecard's page."""
    content = edition.content
    history, vendors = rank_history(edition, card)
    values = {
        "card": card,
        "entry": lead(edition, card),
        "history": history,
        "history_vendors": vendors,
        "labels": {d.id: edition.word(d.label) for d in card.card.dimensions},
        "matrices": matrices(edition, card),
        "pairs": pair_lines(edition, card),
        "worths": flag_lines(edition, card),
        "turns": turn_lines(edition, card),
        "left_out": [
            {"vendor": row["vendor"], "reason": row["reason"], "shown": edition.shown(figure)}
            for row in card.left_out[:_MOST_LEFT_OUT]
            if (figure := content.figures.get(row["claim_key"])) is not None
        ],
    }
    return Page(edition.card_href(card), "card.html", edition.card_name(card), values)


def dimension_pages(edition: Edition, card: Card) -> Iterator[Page]:
    """A page for each dimension of a scorecard."""
    published = {row.vendor: row.cells for row in matrix(edition, card, "published").rows}
    claims = {row.vendor: row.cells for row in matrix(edition, card, "claims").rows}
    for place, dimension in enumerate(card.card.dimensions):
        metrics, capabilities = dimension_tables(edition, dimension)
        values = {
            "card": card,
            "dimension": dimension,
            "weight": percent(dimension.weight),
            "metrics": metrics,
            "stated": [table for table in metrics if table.stated],
            "silent": [table.label for table in metrics if not table.stated],
            "capabilities": capabilities,
            "published": {
                v: published[v][place].text if v in published else "" for v in edition.content.vendors
            },
            "claims": {
                v: (claims[v][place].text, claims[v][place].order)
                if v in claims
                else (edition.says("cell.not_ranked"), "")
                for v in edition.content.vendors
            },
        }
        title = f"{edition.word(dimension.label)} · {edition.card_name(card)}"
        yield Page(edition.dimension_href(card, dimension), "dimension.html", title, values)


def vendor_page(edition: Edition, vendor: str) -> Page:
    """A vendor's page: where it stands, all it states, its pages, its open questions."""
    content = edition.content
    figures = content.of_vendor(vendor)
    listed = sorted(
        figures, key=lambda f: (f.not_seen > 0, f.metric == "capability", f.metric, f.basis, f.key)
    )
    counts = Counter(figure.source_id for figure in figures)
    values = {
        "vendor": vendor,
        "feed": edition.feed_href("vendor", vendor),
        "ranks": [_vendor_ranks(edition, card, vendor) for card in content.cards],
        "figures": [edition.shown(figure) for figure in listed[:_MOST_FIGURES]],
        "figures_count": len(figures),
        "more": max(0, len(listed) - _MOST_FIGURES),
        "pages": [
            {
                "source_id": row["source_id"],
                "href": f"evidence/{file_name(row['source_id'])}.html",
                "url": row["source_url"] or "",
                "tier": row["tier"] or "",
                "status": edition.says.or_plain("status", row["status"] or ""),
                "there": edition.moment(row["there_at"]),
                "held": row["held"],
                "claims": counts.get(row["source_id"], 0),
            }
            for row in content.pages
            if row["vendor"] == vendor or row["source_id"] in counts
        ],
        "asks": _asks(edition, vendor),
    }
    return Page(edition.vendor_href(vendor), "vendor.html", edition.vendor(vendor), values)


def _vendor_ranks(edition: Edition, card: Card, vendor: str) -> dict[str, Any]:
    says = edition.says
    published = next((p for p in card.published if p.vendor == vendor), None)
    claims = next((p for p in card.by_claims if p.vendor == vendor), None)
    standing = (
        next((s for s in card.evaluation.standings if s.vendor == vendor), None) if card.evaluation else None
    )
    derived = {d.dimension: d.score for d in standing.dimensions} if standing else {}
    scores = []
    for dimension in card.card.dimensions if published or claims else ():
        row = card.scores.get((vendor, dimension.id))
        found = derived.get(dimension.id)
        scores.append(
            {
                "dimension": dimension,
                "published": plain(row["score"]) if row else "",
                "claims": span(shown(found.low), shown(found.high)) if found else "",
                "rests_on": _rests_on(edition, card, vendor, dimension.id, row),
            }
        )
    return {
        "card": card,
        "published": f"{published.best} · {published.shown_low}" if published else says("cell.not_ranked"),
        "claims": (
            f"{span(str(claims.best), str(claims.worst))} · {span(claims.shown_low, claims.shown_high)}"
            if claims
            else says("cell.not_ranked")
        ),
        "scores": scores,
    }


def _rests_on(edition: Edition, card: Card, vendor: str, dimension: str, row: Any) -> list[Any]:
    """The claims under a score: those that the published one names, else those that count for the derived one."""
    keys = list(row["claim_keys"]) if row else []
    if not keys and card.derived:
        keys = [
            alternative.claim_key
            for term in card.derived.derivation.terms
            if (term.vendor, term.dimension) == (vendor, dimension)
            for alternative in term.alternatives
        ]
    figures = edition.content.figures
    return [edition.shown(figures[key]) for key in dict.fromkeys(keys) if key in figures][:12]


def _asks(edition: Edition, vendor: str) -> list[dict[str, Any]]:
    """The vendor's open questions, equal ones together, each with the figures that raise it."""
    groups: dict[str, list[str]] = {}
    for figure in edition.content.of_vendor(vendor):
        if figure.not_seen:
            continue
        for flag in edition.content.flags.get(figure.key, ()):
            question = flag["question_zh"] if edition.language == "zh" else flag["question_en"]
            groups.setdefault(question, []).append(figure.key)
    figures = edition.content.figures
    return [
        {"question": question, "figures": [edition.shown(figures[key]) for key in keys[:_MOST_ASKS]]}
        for question, keys in groups.items()
    ]


def evidence_page(edition: Edition, page: EvidencePage) -> Page:
    """A vendor's page with its claims, and its text with the claims marked."""
    located = {key for text in page.texts for piece in text.pieces for key in piece.keys}
    values = {
        "evidence": page,
        "figures": [edition.shown(figure) for figure in page.figures],
        "located": located,
        "flags": edition.content.flags,
        "history": edition.content.history,
    }
    title = edition.says("evidence.title", page=page.source_id)
    return Page(f"evidence/{file_name(page.source_id)}.html", "evidence.html", title, values)
