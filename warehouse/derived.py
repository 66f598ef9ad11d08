"""Derived rankings in the ledger: kept with all they rest on, and only when that differs from what was kept last."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

from schemas.record import plain
from schemas.rubric import Derivation, Fact
from schemas.scorecard import Scorecard
from schemas.uncertainty import Evaluation, Interval
from warehouse.database import Database
from warehouse.rows import as_json, utc
from warehouse.rubric import derive
from warehouse.uncertainty.evaluate import evaluate

_PLACES = 12


@dataclass(frozen=True, slots=True)
class Derived:
    """What a card makes of the claims. `inputs`: a digest of all it rests on; the same one gives the same ranking."""

    card: Scorecard
    derivation: Derivation
    evaluation: Evaluation
    versions: dict[str, int]
    inputs: str


def derived(
    card: Scorecard, facts: tuple[Fact, ...], weights: Mapping[str, Fraction] | None = None
) -> Derived | None:
    """Gives what the card makes of the claims; None where it has no rubric, or nobody to rank.

    `weights`: by dimension, instead of the card's own.
    """
    if card.rubric is None:
        return None
    derivation = derive(card, facts)
    if not derivation.vendors or not any(term.alternatives for term in derivation.terms):
        return None
    return Derived(
        card=card,
        derivation=derivation,
        evaluation=evaluate(derivation, weights),
        versions={fact.stored.claim.claim_key: fact.stored.version for fact in facts},
        inputs=digest(card, derivation, facts),
    )


def digest(card: Scorecard, derivation: Derivation, facts: Iterable[Fact]) -> str:
    """Gives a digest of the card and of the claims that count: their versions, open readings and scores.

    Reasons for leaving a claim out do not take part: one may count the visits since it was last seen.
    """
    used = {a.claim_key for term in derivation.terms for a in term.alternatives}
    left = {entry.claim_key for entry in derivation.left_out}
    known = {fact.stored.claim.claim_key: fact for fact in facts}
    content = {
        "card": card.model_dump(mode="json"),
        "terms": [
            (t.vendor, t.dimension, t.criterion, str(t.weight), str(t.missing), alternatives)
            for t in derivation.terms
            for alternatives in [[(a.claim_key, a.flags, [str(v) for v in a.values]) for a in t.alternatives]]
        ],
        "claims": [
            (key, known[key].stored.version, key in used, [len(f.readings) for f in known[key].flags])
            for key in sorted(used | left)
        ],
        "conversions": [c.model_dump(mode="json") for c in derivation.conversions],
    }
    return hashlib.sha256(as_json(content).encode()).hexdigest()


def last_inputs(database: Database, scorecard: str) -> str | None:
    """The digest of the card's latest derived ranking; None where none was kept."""
    rows = database.rows(
        """
        SELECT derived.inputs FROM stored.derived_rankings AS derived JOIN stored.rankings USING (ranking_id)
        WHERE scorecard = ? ORDER BY ranking_id DESC LIMIT 1
        """,
        [scorecard],
    )
    return str(rows[0]["inputs"]) if rows else None


def last_scores(database: Database, scorecard: str) -> dict[tuple[str, str], Interval]:
    """The scores of the card's latest derived ranking, by vendor and dimension, to twelve places."""
    rows = database.rows(
        """
        FROM stored.derived_scores WHERE ranking_id = (
            SELECT max(ranking_id) FROM stored.rankings WHERE scorecard = ? AND variant = 'derived')
        """,
        [scorecard],
    )
    return {
        (row["vendor"], row["dimension"]): Interval(low=Fraction(row["low"]), high=Fraction(row["high"]))
        for row in rows
    }


def put_derived(database: Database, run_id: int, derived: Derived, note: str, at: datetime) -> None:
    """Keeps the ranking, which is under the card's own weights, with its intervals, ranks, shares, claims, conversions and what was left out."""
    ranking_id = database.next_id("stored.rankings", "ranking_id")
    evaluation, derivation = derived.evaluation, derived.derivation
    database.insert(
        "stored.rankings",
        [
            {
                "ranking_id": ranking_id,
                "run_id": run_id,
                "scorecard": derivation.card,
                "variant": "derived",
                "weights": as_json({d.id: plain(d.weight) for d in derived.card.dimensions}),
                "note": note,
                "recorded_at": utc(at),
            }
        ],
    )
    tables: dict[str, list[dict[str, object]]] = {
        "stored.derived_rankings": [{"inputs": derived.inputs, "open_flags": len(derivation.open_flags)}],
        "stored.derived_places": _places(evaluation),
        "stored.derived_scores": _scores(evaluation),
        "stored.derived_pairs": _pairs(evaluation),
        "stored.derived_claims": list(_claims(derived)),
        "stored.derived_left_out": [
            {"claim_key": e.claim_key, "version": derived.versions[e.claim_key], "reason": e.reason}
            for e in derivation.left_out
        ],
        "stored.derived_conversions": [
            {**c.model_dump(exclude={"why"}), "why_en": c.why.en, "why_zh": c.why.zh}
            for c in derivation.conversions
        ],
    }
    for name, rows in tables.items():
        database.insert(name, [{"ranking_id": ranking_id, **row} for row in rows])


def _places(evaluation: Evaluation) -> list[dict[str, object]]:
    return [
        {
            "place": place,
            "vendor": s.vendor,
            "best": s.best,
            "worst": s.worst,
            "low": decimal(s.total.low),
            "high": decimal(s.total.high),
            "mean": None if s.mean is None else decimal(s.mean),
            "exact": s.total.exact,
            "shown_low": s.shown_low,
            "shown_high": s.shown_high,
            "rank_shares": None if s.rank_shares is None else [str(share) for share in s.rank_shares],
        }
        for place, s in enumerate(evaluation.standings, start=1)
    ]


def _scores(evaluation: Evaluation) -> list[dict[str, object]]:
    return [
        {
            "vendor": s.vendor,
            "dimension": d.dimension,
            "low": decimal(d.score.low),
            "high": decimal(d.score.high),
            "mean": None if d.mean is None else decimal(d.mean),
        }
        for s in evaluation.standings
        for d in s.dimensions
    ]


def _pairs(evaluation: Evaluation) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for pair in evaluation.undecided:
        shares = pair.shares()
        ahead, tied, behind = (None, None, None) if shares is None else map(str, shares)
        rows.append(_pair(pair.first, pair.second, (ahead, tied, behind), always=False))
    for group in evaluation.tied:
        rows += [_pair(one, other, ("0", "1", "0"), always=True) for one, other in combinations(group, 2)]
    return rows


def _pair(first: str, second: str, shares: tuple[Any, Any, Any], *, always: bool) -> dict[str, object]:
    return {
        "first": first,
        "second": second,
        "first_ahead": shares[0],
        "tied": shares[1],
        "second_ahead": shares[2],
        "always_tied": always,
    }


def _claims(derived: Derived) -> Iterable[dict[str, object]]:
    for term in derived.derivation.terms:
        by_key: dict[str, tuple[list[Fraction], set[str]]] = {}
        for alternative in term.alternatives:  # one claim may answer two measures of a criterion
            values, flags = by_key.setdefault(alternative.claim_key, ([], set()))
            values += alternative.values
            flags |= set(alternative.flags)
        for key, (values, flags) in sorted(by_key.items()):
            yield {
                "vendor": term.vendor,
                "dimension": term.dimension,
                "criterion": term.criterion,
                "claim_key": key,
                "version": derived.versions[key],
                "low": decimal(min(values)),
                "high": decimal(max(values)),
                "flags": sorted(flags),
            }


def decimal(number: Fraction, places: int = _PLACES) -> Decimal:
    """The fraction rounded half up, to twelve places as columns hold it; negative numbers do not occur."""
    units = int(number * 10**places + Fraction(1, 2))
    return Decimal((0, tuple(int(digit) for digit in str(units)), -places))
