"""What a score rests on: score ← criterion ← claim ← quote ← snapshot ← address and date."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import typer

from flows import published
from flows.commands.options import Shown
from flows.derived_report import names, span, written
from flows.own_cards import chosen_cards
from flows.printing import as_json, heading, out, out_text, say
from schemas.errors import DataFileError, KoujingError
from schemas.ledger import StoredClaim
from schemas.record import plain
from schemas.rubric import Alternative, CriterionTerm, Fact
from schemas.scorecard import Dimension, Scorecard
from warehouse.cards import rests_on
from warehouse.derived import Derived, derived
from warehouse.home import Home
from warehouse.score_words import with_words

_PAGES = """
SELECT source_id, sha256, url, min(fetched_at) AS fetched_at FROM stored.snapshots GROUP BY ALL
"""


def explain_score(home: Home, vendor: str, dimension: str, scorecard: str | None, form: Shown) -> None:
    """Writes to stdout the chain of the vendor's score in the dimension, of each scorecard that has it.

    A usage error names the dimensions there are.
    """
    words = published.score_words(home)
    try:
        cards = [with_words(card, words) for card in chosen_cards(scorecard, home)]
    except DataFileError:
        raise
    except KoujingError as error:
        raise typer.BadParameter(str(error), param_hint="--scorecard") from None
    found = [(c, d) for c in cards for d in c.dimensions if d.id == dimension]
    if not found:
        known = sorted({d.id for c in cards for d in c.dimensions})
        raise typer.BadParameter(
            f"there is no dimension {dimension!r}; there are {', '.join(known)}", param_hint="DIMENSION"
        )
    facts = published.facts(home)
    pages = {(row["source_id"], row["sha256"]): row for row in published.rows(home, _PAGES)}
    chains = [_chain(card, part, vendor, facts, pages) for card, part in found]
    if form is Shown.JSON:
        out_text(f"{as_json(chains, indent=2)}\n")
        return
    for chain in chains:
        _print(chain)
    if not any(fact.stored.claim.vendor == vendor for fact in facts):
        say(f"nothing has been read for {vendor} yet")


def _chain(
    card: Scorecard, dimension: Dimension, vendor: str, facts: tuple[Fact, ...], pages: dict[Any, Any]
) -> dict[str, Any]:
    by_key = {fact.stored.claim.claim_key: fact for fact in facts}
    entry = card.editorial.get(vendor, {}).get(dimension.id)
    own = [fact for fact in facts if fact.stored.claim.vendor == vendor]
    found = derived(card, facts)
    chain: dict[str, Any] = {
        "scorecard": card.id,
        "name": card.name.en,
        "vendor": vendor,
        "dimension": dimension.id,
        "label": dimension.label.en,
        "weight": dimension.weight,
        "published": None,
        "derived": None,
        "criteria": [],
        "left_out": [],
    }
    if entry is not None:
        resting = [fact for fact in own if rests_on(dimension, fact.stored.claim, entry)]
        chain["published"] = {"score": entry.score, "rests_on": [_claim(f.stored, pages) for f in resting]}
    if found is not None and vendor in found.derivation.vendors:
        standing = next(s for s in found.evaluation.standings if s.vendor == vendor)
        score = next(d for d in standing.dimensions if d.dimension == dimension.id)
        chain["derived"] = {"low": str(score.score.low), "high": str(score.score.high)}
        chain["shown"] = span(written(score.score.low, 2), written(score.score.high, 2))
        terms = [t for t in found.derivation.terms if (t.vendor, t.dimension) == (vendor, dimension.id)]
        chain["criteria"] = [_criterion(term, found, by_key, pages) for term in terms]
        chain["left_out"] = [
            {"reason": e.reason, **_claim(by_key[e.claim_key].stored, pages)}
            for e in found.derivation.left_out
            if (stored := by_key[e.claim_key].stored).claim.vendor == vendor
            and rests_on(dimension, stored.claim)
        ]
    return chain


def _criterion(
    term: CriterionTerm, found: Derived, by_key: dict[str, Fact], pages: dict[Any, Any]
) -> dict[str, Any]:
    floor = max((min(a.values) for a in term.alternatives), default=term.missing)
    top = max((max(a.values) for a in term.alternatives), default=term.missing)
    labels = {flag.id: [w.en for w in flag.labels] for flag in found.derivation.open_flags}
    return {
        "criterion": term.criterion,
        "weight": str(term.weight),
        "low": str(floor),
        "high": str(top),
        "shown": span(written(floor, 2), written(top, 2)),
        "claims": [
            {
                # What never reaches the best of the others' certain scores moves nothing.
                "counts": max(alternative.values) >= floor,
                "scores": list(_scores(alternative, labels)),
                "converted": [
                    f"{c.given} × {c.times} = {c.becomes}. {c.why.en}"
                    for c in found.derivation.conversions
                    if c.claim_key == alternative.claim_key and c.criterion == term.criterion
                ],
                **_claim(by_key[alternative.claim_key].stored, pages),
            }
            for alternative in sorted(term.alternatives, key=lambda a: (-max(a.values), a.claim_key))
        ],
    }


def _scores(alternative: Alternative, labels: dict[str, list[str]]) -> Iterator[dict[str, Any]]:
    """Each score that the claim can give, with the readings under which it does (of one flag; of more, their names)."""
    if not alternative.flags:
        yield {"score": written(alternative.values[0], 2), "under": ""}
        return
    if len(alternative.flags) == 1:
        for value, label in zip(alternative.values, labels[alternative.flags[0]], strict=True):
            yield {"score": written(value, 2), "under": label}
        return
    ends = span(written(min(alternative.values), 2), written(max(alternative.values), 2))
    yield {
        "score": ends,
        "under": f"the readings of {', '.join(flag.partition(':')[2] for flag in alternative.flags)}",
    }


def _claim(stored: StoredClaim, pages: dict[Any, Any]) -> dict[str, Any]:
    claim = stored.claim
    page = pages.get((stored.source_id, stored.snapshot_sha256), {})
    return {
        "claim_key": claim.claim_key,
        "version": stored.version,
        "metric": claim.metric,
        "value": claim.text_value or claim.qualifiers.get("capability", ""),
        "quote": claim.evidence.quote,
        "snapshot_sha256": stored.snapshot_sha256,
        "url": page.get("url", ""),
        "fetched_at": page.get("fetched_at"),
        "said_since": stored.valid_from,
    }


def _print(chain: dict[str, Any]) -> None:
    english, chinese = names(chain["vendor"])
    heading(
        f"{english} · {chinese} · {chain['label']} ({chain['dimension']}) · {chain['name']} ({chain['scorecard']})"
    )
    weight = f"of the total it is {plain(chain['weight'] * 100)}%"
    if chain["published"] is not None:
        claims = chain["published"]["rests_on"]
        out(f"Published score {plain(chain['published']['score'])}; {weight}; it rests on:")
        for claim in claims:
            _print_claim(claim, "")
        if not claims:
            out("  no claim that was read yet")
    if chain["derived"] is None:
        out(f"No score is derived; {weight}")
        return
    out(f"Derived score {chain['shown']}; {weight}")
    for criterion in chain["criteria"]:
        out(
            f"← {criterion['criterion']}: {criterion['shown']}, {written(Fraction(criterion['weight']) * 100)}% of the dimension"
        )
        if not criterion["claims"]:
            out("  ← nothing stated")
        for claim in criterion["claims"]:
            told = ", ".join(
                f"{s['score']}{' if ' if s['under'] else ''}{s['under']}" for s in claim["scores"]
            )
            _print_claim(claim, f" scores {told}{'' if claim['counts'] else '; another claim scores more'}")
            for conversion in claim["converted"]:
                out(f"    converted: {conversion}")
    for claim in chain["left_out"]:
        _print_claim(claim, f" counts for nothing: {claim['reason']}")


def _print_claim(claim: dict[str, Any], told: str) -> None:
    out(f"  ← {claim['metric']} {claim['value']}{told} ({claim['claim_key']}, version {claim['version']})")
    fetched = claim["fetched_at"]
    when = f", fetched {fetched:%Y-%m-%d %H:%M} UTC" if fetched else ""
    out(f"    ← “{claim['quote']}”")
    out(f"    ← snapshot {claim['snapshot_sha256'][:12]} ← {claim['url']}{when}")
