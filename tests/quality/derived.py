"""`python -m tests.quality.derived`: how the derived scorecards agree with the published ones.

Printed for the demo's site, for the labelled claims of the handed articles, and for those that the extractor finds in
them: totals beside the published ones, Kendall's tau, and the widest disagreements of each dimension. For these, the
published and the derived scores are each put on a scale from their lowest to their highest. Each flag is taken at its
first reading, as the extractor reads it for now.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from urllib.parse import urlsplit

from extractors.extract import extract
from extractors.flags import readings_of
from schemas.claim import Claim
from schemas.datafile import read_data_file
from schemas.ledger import StoredClaim
from schemas.rubric import CriterionTerm, Derivation, Fact
from schemas.scorecard import Scorecard
from schemas.source import SourceList
from tests.quality.evaluate import HANDED, ROOT
from warehouse.cards import builtin_cards
from warehouse.rubric import derive

DEMO_SITE = ROOT / "flows" / "demo_site" / "day1"
ARTICLES = ("000_", "002_", "003_")
_READ_AT = datetime(2026, 11, 4, tzinfo=UTC)


def fact(claim: Claim) -> Fact:
    """The claim as if its source were the vendor's own page: the articles print what official pages say."""
    stored = StoredClaim(
        claim=claim,
        version=1,
        source_id="page",
        snapshot_sha256="",
        valid_from=_READ_AT,
        recorded_at=_READ_AT,
    )
    return Fact(stored=stored, flags=tuple(readings_of(claim, name) for name in claim.flags))


def labelled(article: str) -> tuple[Fact, ...]:
    """The claims of the handed labels."""
    rows = (HANDED / "gold" / "seeds.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(fact(_claim(row)) for row in map(json.loads, rows) if row["source"].startswith(article))


def _claim(row: Mapping[str, object]) -> Claim:
    quote = str(row["quote"]) or "-"
    fields = {name: value for name, value in row.items() if name in Claim.model_fields and name != "evidence"}
    fields |= {
        "claim_key": row["id"],
        "evidence": {"quote": quote, "start": 0, "end": len(quote)},
        "extractor": "human",
    }
    return Claim.model_validate_json(json.dumps(fields))


def extracted(article: str) -> tuple[Fact, ...]:
    """The claims that the extractor finds."""
    (path,) = (HANDED / "seeds").glob(f"{article}*")
    return tuple(fact(claim) for claim in extract(path.read_bytes(), source=path.name, name=path.name).claims)


def demo() -> tuple[Fact, ...]:
    """The claims that the extractor finds on the demo's site, on its first day."""
    listed = read_data_file(ROOT / "warehouse" / "sources" / "demo.yaml", SourceList)
    facts = []
    for source in listed.sources:
        path = DEMO_SITE / urlsplit(source.url).path.lstrip("/")
        page = extract(
            path.read_bytes(), source=source.id, name=path.name, vendor=source.vendor, product=source.product
        )
        facts += [fact(claim) for claim in page.claims]
    return tuple(facts)


def first_reading(term: CriterionTerm) -> Fraction:
    """A criterion's score where every flag is taken at its first reading."""
    return max((a.values[0] for a in term.alternatives), default=term.missing)


def dimension_scores(found: Derivation) -> dict[str, dict[str, Fraction]]:
    """By dimension and vendor."""
    result: dict[str, dict[str, Fraction]] = {}
    for term in found.terms:
        row = result.setdefault(term.dimension, {})
        row[term.vendor] = row.get(term.vendor, Fraction(0)) + term.weight * first_reading(term)
    return result


def totals(found: Derivation) -> dict[str, Fraction]:
    """By vendor."""
    scores = dimension_scores(found)
    return {
        v: sum((d.weight * scores[d.id][v] for d in found.dimensions), Fraction(0)) for v in found.vendors
    }


def published(card: Scorecard) -> dict[str, dict[str, Fraction]]:
    """The published scores, by dimension and vendor."""
    return {d.id: {v: Fraction(s[d.id].score) for v, s in card.editorial.items()} for d in card.dimensions}


def published_totals(card: Scorecard) -> dict[str, Fraction]:
    """By vendor."""
    scores = published(card)
    return {
        v: sum((Fraction(d.weight) * scores[d.id][v] for d in card.dimensions), Fraction(0))
        for v in card.editorial
    }


def kendall(left: Mapping[str, Fraction], right: Mapping[str, Fraction]) -> Fraction:
    """Kendall's tau: pairs in the same order less pairs in opposite order, of all pairs; a tie counts for neither."""
    pairs = list(combinations(sorted(left), 2))
    signs = [_sign(left[a] - left[b]) * _sign(right[a] - right[b]) for a, b in pairs]
    return Fraction(sum(signs), len(pairs))


def _sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)


def disagreements(card: Scorecard, found: Derivation) -> list[tuple[str, str, Fraction, Fraction, Fraction]]:
    """Dimension, vendor, published and derived score, and the gap between their places from lowest to highest."""
    derived, given = dimension_scores(found), published(card)
    rows = []
    for dimension, scores in given.items():
        places, own = _places(scores), _places(derived[dimension])
        for vendor, score in scores.items():
            gap = own[vendor] - places[vendor]
            rows.append((dimension, vendor, score, derived[dimension][vendor], gap))
    return rows


def _places(scores: Mapping[str, Fraction]) -> dict[str, Fraction]:
    low, high = min(scores.values()), max(scores.values())
    return {v: (s - low) / (high - low) if high > low else Fraction(1, 2) for v, s in scores.items()}


def _shown(number: Fraction) -> str:
    return f"{Decimal(number.numerator) / Decimal(number.denominator):.2f}"


def report(name: str, card: Scorecard, facts: Iterable[Fact]) -> None:
    """Print one card on one set of claims."""
    found = derive(card, facts, vendors=card.editorial or None)
    own = totals(found)
    given = published_totals(card)
    tau = f"tau {_shown(kendall(given, own))}" if given else "no published scores"
    print(
        f"\n{card.id}, {name}: {tau}, {len(found.open_flags)} flags open, {len(found.left_out)} claims left out"
    )
    for vendor in sorted(own, key=lambda v: (-own[v], v)):
        print(
            f"  {_shown(own[vendor])}  {vendor}" + (f"  (published {_shown(given[vendor])})" if given else "")
        )
    if not given:
        return
    rows = disagreements(card, found)
    for dimension in card.dimensions:
        inside = sorted((r for r in rows if r[0] == dimension.id), key=lambda r: (-abs(r[4]), r[1]))[:2]
        told = "; ".join(
            f"{v} {_shown(s)} → {_shown(o)} ({'+' if g > 0 else ''}{_shown(g)})" for _, v, s, o, g in inside
        )
        scores = dimension_scores(found)[dimension.id]
        between = kendall(published(card)[dimension.id], scores)
        print(f"  {dimension.id}: tau {_shown(between)}; {told}")


def main() -> int:
    """Print the agreement of every shipped card: on the demo's site and, where they are, the handed articles."""
    site = demo()
    for card in builtin_cards():
        report("the demo's site", card, site)
    if not (HANDED / "gold" / "seeds.jsonl").is_file():
        print("the handed articles are not beside this checkout", file=sys.stderr)
        return 0
    for name, read in (("labelled claims", labelled), ("extracted claims", extracted)):
        first, *others = (read(article) for article in ARTICLES)
        for card in builtin_cards():
            # Published scores are of the first article; where there are none, the claims of all articles count.
            report(name, card, first if card.editorial else [f for facts in (first, *others) for f in facts])
    return 0


if __name__ == "__main__":
    sys.exit(main())
