"""What the published file holds, as records. Reading never waits for a run, and never stops one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from schemas.claim import Claim
from schemas.ledger import Change, ChangeKind, Hold, StoredClaim
from schemas.ranking import DimensionScore, Proposal, ScoreStatus, ScoreWord
from schemas.record import Record
from schemas.rubric import Fact
from warehouse import facts as claim_facts
from warehouse.holds import stored_hold
from warehouse.home import Home
from warehouse.query import run_query
from warehouse.rows import OPEN_FLAGS, OpenFlag, open_flag, stored_claim
from warehouse.score_words import WORDS, word_of

Row = dict[str, Any]
"""A row by column name. DuckDB decides the types of the values, so they are not known here."""

_OWN_MEMORY = "2GB"
_OWN_SECONDS = 300.0
_LATEST = """
WITH sighting AS (
    SELECT claim_key, arg_max(not_seen, sighting_id) AS not_seen FROM stored.sightings GROUP BY claim_key
)
SELECT version.*, coalesce(sighting.not_seen, 0)::INTEGER AS not_seen
FROM stored.claim_versions AS version LEFT JOIN sighting USING (claim_key)
QUALIFY row_number() OVER (PARTITION BY claim_key ORDER BY version DESC) = 1
ORDER BY source_id, evidence_start, claim_key
"""
_LAST_DONE = "(SELECT coalesce(max(run_id), 0) FROM stored.runs WHERE status = 'done')"
# An abandoned or failed run stored its pages and never came to rank on them.
_UNRANKED = f"FROM stored.changes WHERE run_id > {_LAST_DONE}"
_VERSIONS = """
SELECT *, 0 AS not_seen FROM stored.claim_versions WHERE claim_key IN (SELECT claim_key {which})
"""
_STALE_SCORES = """
SELECT score.*, (
    SELECT coalesce(list(claim_key ORDER BY claim_key), []) FROM stored.score_claims AS claim
    WHERE claim.score_id = score.score_id
) AS claim_keys
FROM stored.scores AS score
WHERE status <> 'standing'
    AND run_id = (SELECT max(run_id) FROM stored.scores AS later WHERE later.scorecard = score.scorecard)
ORDER BY score_id
"""
_OPEN_PROPOSALS = """
SELECT proposal.* FROM stored.proposals AS proposal
ANTI JOIN stored.score_words AS word
    ON word.scorecard = proposal.scorecard AND word.vendor = proposal.vendor
    AND word.dimension = proposal.dimension AND word.run_id > proposal.run_id
ORDER BY proposal_id
"""
_RUNS = """
WITH visit AS (
    SELECT *, status = 'changed' AND row_number() OVER (
        PARTITION BY source_id, status ORDER BY visit_id) = 1 AS first_read
    FROM stored.visits
),
unread AS (
    SELECT visit_id, reason <> '' AS unread FROM stored.snapshots
)
SELECT
    run.run_id, run.label, run.status, run.started_at,
    count(visit.visit_id)::INTEGER AS pages,
    count(*) FILTER (visit.first_read)::INTEGER AS first_read,
    count(*) FILTER (visit.status = 'changed' AND NOT visit.first_read)::INTEGER AS changed,
    count(*) FILTER (visit.status = 'unchanged')::INTEGER AS unchanged,
    count(*) FILTER (visit.status = 'gone')::INTEGER AS gone,
    count(*) FILTER (visit.status = 'failed')::INTEGER AS failed,
    count(*) FILTER (unread.unread)::INTEGER AS unread
FROM stored.runs AS run
LEFT JOIN visit ON visit.run_id = run.run_id
LEFT JOIN unread ON unread.visit_id = visit.visit_id
GROUP BY ALL ORDER BY run.run_id
"""


_ASKED = """
SELECT
    label, any_value(model) AS model, sum(blocks)::INTEGER AS blocks, sum(sent)::INTEGER AS sent,
    sum(calls)::INTEGER AS calls, sum(hits)::INTEGER AS hits, sum(filled)::INTEGER AS filled,
    sum(len(undone))::INTEGER AS undone
FROM stored.asked JOIN stored.runs USING (run_id)
GROUP BY run_id, label ORDER BY run_id
"""


class AskedCounts(Record):
    """What a run asked a model. `filled`: claims that it settled; `undone`: passages left for another night."""

    label: str
    model: str
    blocks: int
    sent: int
    calls: int
    hits: int
    filled: int
    undone: int


class RunCounts(Record):
    """A run and what its visits brought. `unread`: pages that came and could not be read."""

    run_id: int
    label: str
    status: str
    started_at: datetime
    pages: int
    first_read: int
    changed: int
    unchanged: int
    gone: int
    failed: int
    unread: int


class ChangeEvent(Record):
    """One event of the ledger, with when it was found and in which run."""

    change: Change
    at: datetime
    run_id: int
    first_visit: bool
    cause: str
    url: str

    @property
    def is_news(self) -> bool:
        """Whether the vendor did it: neither a first reading nor a correction of our own."""
        return not self.first_visit and self.cause != "extractor"


def rows(home: Home, sql: str) -> Iterator[Row]:
    """Gives the rows of one of our own queries; QueryError where nothing was published yet."""
    # Where every claim stands takes more memory than a reader's query may have, in a large ledger.
    result = run_query(home, sql, memory_limit=_OWN_MEMORY, timeout_seconds=_OWN_SECONDS)
    for row in result.rows:
        yield dict(zip(result.columns, row, strict=True))


def claims(home: Home) -> tuple[StoredClaim, ...]:
    """The latest version of every claim, those no longer seen included, in their pages' order."""
    return tuple(stored_claim(row) for row in rows(home, _LATEST))


def has_claims(home: Home) -> bool:
    """Whether any page that stated a claim was read. False where nothing was published yet."""
    return home.published.exists() and any(rows(home, "SELECT 1 FROM stored.claim_versions LIMIT 1"))


def standings(home: Home) -> dict[str, dict[str, object]]:
    """By claim key, where the claim stands after all checks: its `roll_up` and its `reading` for a buyer."""
    listed = rows(home, "SELECT claim_key, roll_up, reading FROM claim_standing")
    return {row["claim_key"]: {name: row[name] for name in ("roll_up", "reading")} for row in listed}


def open_flags(home: Home, latest: tuple[StoredClaim, ...]) -> tuple[OpenFlag, ...]:
    """The flags of `latest` that nobody has settled."""
    by_key = {stored.claim.claim_key: stored for stored in latest}
    return tuple(
        open_flag(row, by_key[row["claim_key"]])
        for row in rows(home, OPEN_FLAGS)
        if row["claim_key"] in by_key and by_key[row["claim_key"]].version == row["version"]
    )


def facts(home: Home) -> tuple[Fact, ...]:
    """The latest version of every claim as the rubric takes it; none where nothing was published yet."""
    if not home.published.exists():
        return ()
    return claim_facts.facts(claims(home), rows(home, claim_facts.FLAGS), rows(home, claim_facts.STANDING))


def score_words(home: Home) -> tuple[ScoreWord, ...]:
    """The last word that a person said on each published score; none where nothing was published yet."""
    return tuple(word_of(row) for row in rows(home, WORDS)) if home.published.exists() else ()


def open_proposals(home: Home) -> tuple[Proposal, ...]:
    """The proposals on whose score nobody has said a word since, oldest first."""
    return tuple(
        Proposal(
            scorecard=row["scorecard"],
            vendor=row["vendor"],
            dimension=row["dimension"],
            standing=row["standing"],
            proposed=row["proposed"],
            peers=tuple(row["peers"]),
            claim_keys=tuple(row["claim_keys"]),
            reason=row["reason"],
        )
        for row in rows(home, _OPEN_PROPOSALS)
    )


def stale_scores(home: Home, scorecard: str) -> tuple[DimensionScore, ...]:
    """The card's latest scores that rest on claims changed since, as the last run that ranked it left them."""
    return tuple(
        DimensionScore(
            vendor=row["vendor"],
            dimension=row["dimension"],
            score=row["score"],
            status=ScoreStatus.STALE,
            claim_keys=tuple(row["claim_keys"]),
        )
        for row in rows(home, _STALE_SCORES)
        if row["scorecard"] == scorecard
    )


def held(home: Home) -> tuple[Hold, ...]:
    """The pages that are held, oldest first."""
    return tuple(stored_hold(row) for row in rows(home, "FROM holds WHERE open ORDER BY hold_id"))


def runs(home: Home) -> tuple[RunCounts, ...]:
    """Every run with what its visits brought, oldest first."""
    return tuple(RunCounts(**row) for row in rows(home, _RUNS))


def asked(home: Home) -> tuple[AskedCounts, ...]:
    """What each run asked a model, oldest first; none for runs that asked none."""
    return tuple(AskedCounts(**row) for row in rows(home, _ASKED))


def changes(home: Home) -> tuple[ChangeEvent, ...]:
    """Everything that sources did, in the order in which it was found."""
    return _events(home, "FROM stored.changes WHERE cause <> 'extractor'")


def changes_of_run(home: Home, run_id: int) -> tuple[ChangeEvent, ...]:
    """What `changes` gives, of one run alone, however many there were before."""
    return _events(home, f"FROM stored.changes WHERE cause <> 'extractor' AND run_id = {run_id:d}")


def unranked_changes(home: Home) -> tuple[ChangeEvent, ...]:
    """The events of runs that ended before they ranked, since the last run that did."""
    return _events(home, _UNRANKED)


def _events(home: Home, which: str) -> tuple[ChangeEvent, ...]:
    found = list(rows(home, f"SELECT * {which} ORDER BY change_id"))
    if not found:
        return ()
    urls = {
        row["source_id"]: row["url"]
        for row in rows(home, "SELECT source_id, url FROM stored.sources ORDER BY source_id, revision")
    }
    versions: dict[tuple[str, int], Claim] = {}
    for row in rows(home, _VERSIONS.format(which=which)):
        claim = stored_claim(row).claim
        versions[claim.claim_key, row["version"]] = claim
    return tuple(
        ChangeEvent(
            change=Change(
                kind=ChangeKind(row["kind"]),
                claim_key=row["claim_key"],
                source_id=row["source_id"],
                fields=tuple(row["fields"]),
                before=versions.get((row["claim_key"], row["version_before"] or 0)),
                after=versions.get((row["claim_key"], row["version_after"] or 0)),
            ),
            at=row["recorded_at"],
            run_id=row["run_id"],
            first_visit=row["first_visit"],
            cause=row["cause"],
            url=urls.get(row["source_id"], ""),
        )
        for row in found
    )
