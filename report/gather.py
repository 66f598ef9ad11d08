"""Reads all that a report says from the published file: a fixed number of queries, however many claims there are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from report.model import Card, CheckLine, Checks, Content, Figure, Place, Row
from review.disputes import Against, disputes
from review.questions import VendorList, lists
from schemas.errors import KoujingError
from schemas.rubric import Fact
from schemas.scorecard import Scorecard
from warehouse import facts as claim_facts
from warehouse.derived import Derived, derived
from warehouse.home import Home
from warehouse.query import Ask, reading
from warehouse.rows import OpenFlag, stored_claim
from warehouse.uncertainty.sensitivity import mean_scores, sensitivity

_MEMORY = "2GB"
_SECONDS = 300
_MOST_ASKED = 60

# The latest version of every claim in its page's order, whole, with where it stands now.
_CLAIMS = """
WITH open AS (
    SELECT claim_key, list(flag ORDER BY flag) AS open_names FROM open_flags GROUP BY claim_key
)
SELECT version.* REPLACE (MAP {} AS rules), claims.not_seen::INTEGER AS not_seen, claims.held, claims.roll_up,
    claims.reading, claims.why, claims.tier, claims.source_url, coalesce(open.open_names, []) AS open_names
FROM stored.claim_versions AS version
JOIN (
    SELECT claim_key, version, not_seen, held, roll_up, reading, why, tier, source_url FROM claims
) AS claims USING (claim_key, version)
LEFT JOIN open USING (claim_key)
ORDER BY version.source_id, version.evidence_start, version.claim_key
"""
# What stands for the claim, or does not bear on it, is counted; only the rest needs its reason.
_CHECKS = """
SELECT claim_key, count(*) FILTER (fine) AS passed,
    list([name, verdict, reason] ORDER BY name) FILTER (NOT fine) AS others
FROM (
    SELECT *, verdict IN ('EXACT', 'NORMALISED', 'STATED', 'DERIVED', 'OK', 'AGREE', 'SINGLE', 'T1', 'T2', 'NEW',
        'SAME', 'CHANGED', 'NOT_APPLICABLE', 'NO_BOUND') AS fine
    FROM checks
)
GROUP BY claim_key
"""
_OPEN = """
SELECT flag_id, claim_key, vendor, metric, flag, text_value, question_en, question_zh, readings, unit
FROM open_flags ORDER BY vendor, metric, flag_id
"""
# The only version of a claim says nothing that the claim does not.
_HISTORY = """
SELECT claim_key, version, valid_from, valid_to, corrected_at, cause, text_value, basis, bound, low, high, unit,
    quote, snapshot_sha256, run_id
FROM claim_history
WHERE claim_key IN (SELECT claim_key FROM stored.claim_versions WHERE version > 1)
ORDER BY claim_key, version
"""
_PAGES = """
SELECT page.*, last.reason AS last_reason,
    date_diff('day', there_at, (SELECT max(started_at) FROM runs)) AS days_since
FROM pages AS page
LEFT JOIN (
    SELECT source_id, arg_max(reason, visit_id) AS reason FROM stored.visits GROUP BY source_id
) AS last USING (source_id)
ORDER BY vendor, source_id
"""
_CHANGES = "FROM changes WHERE NOT first_visit ORDER BY change_id"
_DECISIONS = """
SELECT decision.*, version.vendor, version.metric, version.text_value
FROM stored.decisions AS decision JOIN stored.claim_versions AS version USING (claim_key, version)
WHERE decision.carried_from IS NULL -- what is repeated on a later version was said before
ORDER BY decision_id
"""
_SCORES = "FROM scores"
_AGAINST = """
SELECT claim_key, verdict, reason, detail::VARCHAR AS detail FROM checks
SEMI JOIN (SELECT claim_key FROM claims WHERE roll_up IN ('CONFLICTING', 'IMPLAUSIBLE')) USING (claim_key)
WHERE verdict IN ('CONFLICT', 'ABOVE_BOUND', 'FAIL') ORDER BY claim_key, name
"""
_SNAPSHOTS = """
SELECT sha256, arg_max(content_type, visit_id) AS content_type, arg_max(url, visit_id) AS url
FROM stored.snapshots GROUP BY sha256
"""


class Ledger:
    """The published file as it was when it was opened: a run that publishes in between changes nothing of it."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def rows(self, sql: str) -> list[dict[str, Any]]:
        """The rows of one of our own queries, by column name."""
        result = self._ask(sql, timeout_seconds=_SECONDS)
        return [dict(zip(result.columns, row, strict=True)) for row in result.rows]


def gather(home: Home, cards: Iterable[Scorecard]) -> Content:
    """Gives all that a report on the home says; QueryError where nothing was published yet.

    `cards`: the scorecards that count, in the order in which they are told. What open readings leave possible is
    computed here, from the published claims alone, so that the same file gives the same report.
    """
    with reading(home, memory_limit=_MEMORY) as ask:
        return _gathered(Ledger(ask), tuple(cards))


def _gathered(ledger: Ledger, known: tuple[Scorecard, ...]) -> Content:
    claims = ledger.rows(_CLAIMS)
    # By whom and of what, which is how every page lists them.
    in_order = sorted(claims, key=lambda row: (row["vendor"] or "", row["metric"], row["claim_key"]))
    figures = {row["claim_key"]: _figure(row) for row in in_order}
    runs = ledger.rows("FROM runs")
    facts = claim_facts.facts(
        map(stored_claim, claims),
        flag_rows := ledger.rows(claim_facts.FLAGS),
        ledger.rows(claim_facts.STANDING),
    )
    told = _cards(ledger, known, facts)
    pages = ledger.rows(_PAGES)
    stated = {figure.vendor for figure in figures.values() if figure.vendor is not None}
    watched = {str(page["vendor"]) for page in pages if page["vendor"] is not None}
    scored = {place.vendor for card in told for place in (*card.published, *card.by_claims)}
    return Content(
        at=runs[-1]["started_at"] if runs else None,
        last_run=runs[-1] if runs else None,
        runs=tuple(runs),
        cards=told,
        vendors=tuple(sorted(stated | watched | scored)),
        figures=figures,
        checks={row["claim_key"]: _checks(row) for row in ledger.rows(_CHECKS)},
        flags=_by(ledger.rows(_OPEN), "claim_key"),
        history=_by(ledger.rows(_HISTORY), "claim_key"),
        pages=tuple(pages),
        holds=tuple(ledger.rows("FROM holds WHERE open ORDER BY hold_id")),
        all_holds=tuple(ledger.rows("FROM holds ORDER BY hold_id")),
        raised=tuple(ledger.rows("FROM raised_flags")),
        changes=tuple(ledger.rows(_CHANGES)),
        moves=tuple(ledger.rows("FROM ranking_moves")),
        causes=_by(ledger.rows("FROM ranking_causes"), "ranking_id"),
        rankings=tuple(ledger.rows("FROM ranking_history ORDER BY ranking_id, place")),
        decisions=tuple(ledger.rows(_DECISIONS)),
        snapshot_types={row["sha256"]: (row["content_type"], row["url"]) for row in ledger.rows(_SNAPSHOTS)},
        questions=_questions(ledger, facts, flag_rows, pages, known),
    )


def _by(found: Iterable[Row], name: str) -> dict[Any, tuple[Row, ...]]:
    groups: dict[Any, list[Row]] = defaultdict(list)
    for row in found:
        groups[row[name]].append(row)
    return {key: tuple(group) for key, group in groups.items()}


def _figure(row: Mapping[str, Any]) -> Figure:
    qualifiers = dict(row["qualifiers"])
    capability = qualifiers.pop("capability", "") if row["metric"] == "capability" else ""
    return Figure(
        key=row["claim_key"],
        version=row["version"],
        vendor=row["vendor"],
        product=row["product"],
        metric=row["metric"],
        capability=capability,
        low=row["low"],
        high=row["high"],
        unit=row["unit"],
        text=row["text_value"] or "",
        bound=row["bound"],
        best_case=row["best_case"],
        basis=row["basis"],
        direction=row["direction"],
        condition=tuple(sorted(row["condition"].items())),
        qualifiers=tuple(sorted(qualifiers.items())),
        baseline=row["baseline"] or "",
        open_flags=tuple(row["open_names"]),
        quote=row["evidence_quote"],
        start=row["evidence_start"],
        end=row["evidence_end"],
        path=tuple(row["evidence_path"]),
        url=row["source_url"] or "",
        tier=row["tier"] or "",
        not_seen=row["not_seen"],
        held=row["held"],
        roll_up=row["roll_up"] or "UNSUPPORTED",
        reading=row["reading"] or "",
        why=row["why"] or "",
        since=row["valid_from"],
        source_id=row["source_id"],
        sha256=row["snapshot_sha256"],
        extractor=row["extractor"],
    )


def _checks(row: Mapping[str, Any]) -> Checks:
    return Checks(row["passed"], tuple(CheckLine(*line) for line in row["others"] or ()))


def _questions(
    ledger: Ledger,
    facts: tuple[Fact, ...],
    flag_rows: Iterable[Row],
    pages: Iterable[Row],
    cards: tuple[Scorecard, ...],
) -> tuple[VendorList, ...]:
    """What to ask each vendor, from what is open, missing or contradicted."""
    settled = {
        (row["claim_key"], row["name"], row["version"]) for row in flag_rows if row["reading"] is not None
    }
    asked = tuple(_asked_about(facts))
    keys = {fact.stored.claim.claim_key for fact in asked}
    open_flags = [
        OpenFlag.model_construct(flag=flag, claim=fact.stored)  # both are sound already
        for fact in asked
        for flag in fact.flags
        if (flag.claim_key, flag.name, fact.stored.version) not in settled
    ]
    against: dict[str, list[Against]] = defaultdict(list)
    for row in ledger.rows(_AGAINST):
        if row["claim_key"] in keys:
            against[row["claim_key"]].append(
                Against(verdict=row["verdict"], reason=row["reason"], detail=row["detail"] or "")
            )
    urls = {page["source_id"]: page["source_url"] or "" for page in pages}
    return lists((fact.stored for fact in asked), open_flags, disputes(against), urls, cards)


def _asked_about(facts: tuple[Fact, ...]) -> Iterator[Fact]:
    """The claims that questions are asked about: of one vendor and metric so many that nobody reads further."""
    seen: Counter[tuple[str | None, str]] = Counter()
    for fact in facts:
        kind = (fact.stored.claim.vendor, fact.stored.claim.metric)
        seen[kind] += 1
        if seen[kind] <= _MOST_ASKED or kind[1] == "capability":
            yield fact


def _cards(ledger: Ledger, cards: tuple[Scorecard, ...], facts: tuple[Fact, ...]) -> tuple[Card, ...]:
    ranked = _by(ledger.rows("FROM ranking"), "scorecard")
    scored = _by(ledger.rows(_SCORES), "scorecard")
    proposed = _by(ledger.rows("FROM proposals"), "scorecard")
    last = {row["scorecard"]: row["run_id"] for row in ledger.rows("FROM ranking")}
    told = []
    for card in cards:
        places = tuple(
            Place(row["vendor"], row["rank"], row["rank"], row["shown"], row["shown"])
            for row in ranked.get(card.id, ())
        )
        scores = {(row["vendor"], row["dimension"]): row for row in scored.get(card.id, ())} if places else {}
        found = derived(card, facts)
        turns, of = _turns(card, scores, found)
        told.append(
            Card(
                card=card,
                published=places,
                scores=scores,
                derived=found,
                turns=turns,
                turns_of=of,
                left_out=_left_out(found, facts),
                proposals=tuple(p for p in proposed.get(card.id, ()) if p["run_id"] == last.get(card.id)),
            )
        )
    return tuple(told)


def _turns(card: Scorecard, scores: Mapping[tuple[str, str], Row], found: Derived | None) -> Any:
    """Which weights turn which pair, and of which scores that is said: published ones where there are any."""
    if scores:
        table: dict[str, dict[str, Fraction]] = {}
        for (vendor, dimension), row in scores.items():
            table.setdefault(vendor, {})[dimension] = Fraction(row["score"])
        weights = {d.id: Fraction(d.weight) for d in card.dimensions}
        return sensitivity(table, weights), "published"
    if found is not None:
        try:
            return sensitivity(mean_scores(found.evaluation), found.evaluation.weights), "derived"
        except KoujingError:
            return None, ""  # its means were not computed, which the page says
    return None, ""


def _left_out(found: Derived | None, facts: tuple[Fact, ...]) -> tuple[Row, ...]:
    if found is None:
        return ()
    by_key = {fact.stored.claim.claim_key: fact for fact in facts}
    return tuple(
        {
            "claim_key": entry.claim_key,
            "vendor": by_key[entry.claim_key].stored.claim.vendor,
            "reason": entry.reason,
        }
        for entry in found.derivation.left_out
    )
