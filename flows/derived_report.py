"""A derived ranking for people and as fields: intervals, ranges of ranks, and what was left out and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from flows.printing import counted, out, out_text, table
from schemas.ledger import StoredClaim
from schemas.registry import registry
from schemas.uncertainty import Standing
from warehouse.derived import Derived, decimal

_MOST = 5


def print_derived(found: Derived, claims: Mapping[str, StoredClaim], note: str = "") -> None:
    """Writes the ranking to stdout, then what is tied, converted and left out."""
    derivation, evaluation = found.derivation, found.evaluation
    used = {a.claim_key for term in derivation.terms for a in term.alternatives}
    flags = counted(len(derivation.open_flags), "open flag")
    out(
        f"Derived from {counted(len(used), 'claim')}; {flags} leave scores open, so totals and ranks are ranges:"
    )
    if note:
        out(note)
    rows = [
        (
            span(str(s.best), str(s.worst)),
            *names(s.vendor),
            s.vendor,
            span(s.shown_low, s.shown_high),
            _likely(s),
        )
        for s in evaluation.standings
    ]
    columns = ("rank", "vendor", "厂商", "id", "total", "share of readings")
    out_text(table(columns, rows, numeric=("rank", "total")))
    for group in evaluation.tied:
        out(f"Tied under every reading: {', '.join(group)}")
    for missed in evaluation.not_computed:
        out(f"Not computed: {missed.what} of {missed.vendor} (limit {missed.limit}): {missed.reason}")
    conversions = [
        f"{_named(c.claim_key, claims)}: {c.given} × {c.times} = {c.becomes}. {c.why.en}"
        for c in derivation.conversions
    ]
    _listed("Converted", conversions)
    _listed("Left out", [f"{_named(e.claim_key, claims)}: {e.reason}" for e in derivation.left_out])


def derived_fields(found: Derived, claims: Mapping[str, StoredClaim], note: str = "") -> dict[str, object]:
    """The ranking as JSON's fields. Totals and shares stand as exact fractions beside what is shown."""
    card, evaluation, derivation = found.card, found.evaluation, found.derivation
    return {
        "scorecard": card.id,
        "name": card.name.model_dump(),
        "origin": card.origin.model_dump(),
        "variant": "derived",
        "weights": {name: written(weight) for name, weight in evaluation.weights.items()},
        "note": note,
        "open_flags": [flag.id for flag in derivation.open_flags],
        "placements": [
            {
                "best": s.best,
                "worst": s.worst,
                "vendor": s.vendor,
                "name": dict(zip(("en", "zh"), names(s.vendor), strict=True)),
                "shown": [s.shown_low, s.shown_high],
                "total": {"low": str(s.total.low), "high": str(s.total.high), "exact": s.total.exact},
                "mean": None if s.mean is None else str(s.mean),
                "rank_shares": None if s.rank_shares is None else [str(share) for share in s.rank_shares],
                "scores": {d.dimension: [str(d.score.low), str(d.score.high)] for d in s.dimensions},
            }
            for s in evaluation.standings
        ],
        "undecided": [
            {
                "first": pair.first,
                "second": pair.second,
                "shares": None if (shares := pair.shares()) is None else [str(share) for share in shares],
            }
            for pair in evaluation.undecided
        ],
        "tied": evaluation.tied,
        "left_out": [
            {"claim_key": e.claim_key, "what": _named(e.claim_key, claims), "reason": e.reason}
            for e in derivation.left_out
        ],
        "conversions": [c.model_dump() for c in derivation.conversions],
        "not_computed": [m.model_dump() for m in evaluation.not_computed],
    }


def names(vendor_id: str) -> tuple[str, str]:
    """The vendor's name in English and in Chinese."""
    vendor = registry().vendors.get(vendor_id)
    return (vendor.label.en, vendor.label.zh) if vendor else (vendor_id, vendor_id)


def written(number: Fraction, places: int | None = None) -> str:
    """A decimal rounded half up to `places`; without them, exact where twelve suffice, else the fraction."""
    shown = decimal(number, 12 if places is None else places)
    if places is not None:
        return format(shown, "f")
    return format(shown.normalize(), "f") if Fraction(shown) == number else str(number)


def percent(share: Fraction) -> str:
    """A share in whole percents, rounded half up; one that is neither none nor all never looks like it."""
    number = (Decimal(share.numerator * 100) / share.denominator).quantize(Decimal(1), rounding=ROUND_HALF_UP)
    if number == 0 and share > 0:
        return "<1%"
    return ">99%" if number == 100 and share < 1 else f"{number}%"


def span(low: str, high: str) -> str:
    """The two ends, or the one where they are the same."""
    return low if low == high else f"{low}–{high}"


def _likely(standing: Standing) -> str:
    """Which ranks in which share of the readings; nothing where there is one."""
    if standing.best == standing.worst:
        return ""
    if standing.rank_shares is None:
        return "not computed"
    shares = enumerate(standing.rank_shares, start=standing.best)
    return ", ".join(f"{rank}: {percent(share)}" for rank, share in shares if share)


def _listed(title: str, lines: Iterable[str]) -> None:
    lines = list(lines)
    for line in lines[:_MOST]:
        out(f"{title}: {line}")
    if (more := len(lines) - _MOST) > 0:
        out(f"{title}: {more} more, in --format json")


def _named(key: str, claims: Mapping[str, StoredClaim]) -> str:
    stored = claims.get(key)
    if stored is None:
        return key
    claim = stored.claim
    value = claim.text_value or claim.qualifiers.get("capability", "")
    return f"{claim.vendor} {claim.metric} {value}".strip()
