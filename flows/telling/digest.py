"""What a run is worth telling: read from the published file alone, so that any past run can be told again."""

from __future__ import annotations

from datetime import datetime

from flows import published
from flows.commands.asking import metric_of
from schemas.claim import Claim
from schemas.errors import QueryError
from schemas.record import Record
from warehouse.home import Home

_MOVES = """
WITH standing AS (
    SELECT *, lag(ranking_id) OVER (PARTITION BY scorecard ORDER BY ranking_id) AS earlier
    FROM stored.rankings WHERE variant = 'standing'
),
ranked AS (SELECT * FROM standing WHERE run_id = {run} AND earlier IS NOT NULL)
SELECT
    ranked.scorecard, now.vendor, before.rank AS rank_before, now.rank, before.shown AS shown_before, now.shown
FROM ranked
JOIN stored.placements AS now ON now.ranking_id = ranked.ranking_id
LEFT JOIN stored.placements AS before ON before.ranking_id = ranked.earlier AND before.vendor = now.vendor
WHERE (now.rank, now.shown) IS DISTINCT FROM (before.rank, before.shown)
ORDER BY ranked.scorecard, now.rank, now.vendor
"""
_FLAGS = """
SELECT vendor, metric, text_value, flag AS name, question_en, question_zh, flag_id FROM raised_flags
WHERE run_id = {run} ORDER BY vendor, metric, flag_id
"""
_TROUBLES = """
WITH visit AS (
    SELECT visit.*, CASE WHEN visit.status = 'changed' AND page.reason <> '' THEN 'unreadable' ELSE visit.status END AS came,
        CASE WHEN visit.reason = '' THEN coalesce(page.reason, '') ELSE visit.reason END AS why
    FROM stored.visits AS visit LEFT JOIN stored.snapshots AS page USING (visit_id)
),
told AS (
    SELECT *, lag(came) OVER (PARTITION BY source_id ORDER BY visit_id) AS before FROM visit
),
source AS (
    SELECT * FROM stored.sources QUALIFY row_number() OVER (PARTITION BY source_id ORDER BY revision DESC) = 1
)
SELECT told.source_id, coalesce(source.url, '') AS url, told.came AS status, told.why AS reason,
    told.before IS DISTINCT FROM told.came AS is_new
FROM told LEFT JOIN source USING (source_id)
WHERE told.run_id = {run} AND told.came IN ('gone', 'failed', 'unreadable') ORDER BY told.visit_id
"""
_HELD = """
SELECT source_id, coalesce(source_url, '') AS url, reason, claims_lost, claims_before FROM holds
WHERE run_id = {run} AND open ORDER BY hold_id
"""


class ToldChange(Record):
    """A claim that a vendor changed. `before` and `after`: the values as written, "stated" of what has no number.

    "" where the page does not say it.
    """

    vendor: str
    metric: str
    kind: str
    before: str
    after: str
    source_id: str
    url: str


class Move(Record):
    """A vendor whose rank or total changed under a scorecard. None and "" where it was not ranked before."""

    scorecard: str
    vendor: str
    rank_before: int | None
    rank: int
    shown_before: str | None
    shown: str


class NewFlag(Record):
    """A question that the run's claims raise for the first time."""

    vendor: str | None
    metric: str
    text_value: str | None
    name: str
    question_en: str
    question_zh: str
    flag_id: str


class Trouble(Record):
    """A page that did not come, or could not be read. `is_new`: the visit before went otherwise."""

    source_id: str
    url: str
    status: str
    reason: str
    is_new: bool


class HeldPage(Record):
    """A page that this run began to hold."""

    source_id: str
    url: str
    reason: str
    claims_lost: int
    claims_before: int


class Digest(Record):
    """What one run brought, in the order in which it is told."""

    run_id: int
    label: str
    status: str
    at: datetime
    pages: int
    first_read: int
    changed: int
    failed: int
    changes: tuple[ToldChange, ...] = ()
    moves: tuple[Move, ...] = ()
    flags: tuple[NewFlag, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    held: tuple[HeldPage, ...] = ()

    @property
    def is_news(self) -> bool:
        """Whether anything happened. A page that fails as it failed the last time is none."""
        troubles = any(trouble.is_new for trouble in self.troubles)
        return bool(
            self.changes or self.moves or self.flags or self.held or troubles or self.status != "done"
        )


def digest_of(home: Home, run_id: int | None = None) -> Digest:
    """What a run brought; without a number the last one. QueryError where there is no such run."""
    runs = published.runs(home)
    found = [run for run in runs if run.run_id == run_id] if run_id is not None else list(runs[-1:])
    if not found:
        told = f"there is no run {run_id}" if run_id is not None else "nothing was run yet"
        raise QueryError(f'{told}; koujing sql "FROM stored.runs" lists the runs')
    run = found[0]

    def rows(sql: str) -> list[published.Row]:
        return list(published.rows(home, sql.format(run=run.run_id)))

    return Digest(
        run_id=run.run_id,
        label=run.label,
        status=run.status,
        at=run.started_at,
        pages=run.pages,
        first_read=run.first_read,
        changed=run.changed,
        failed=run.failed,
        changes=tuple(_changes(home, run.run_id)),
        moves=tuple(Move(**row) for row in rows(_MOVES)),
        flags=tuple(NewFlag(**row) for row in rows(_FLAGS)),
        troubles=tuple(Trouble(**row) for row in rows(_TROUBLES)),
        held=tuple(HeldPage(**row) for row in rows(_HELD)),
    )


def _changes(home: Home, run_id: int) -> list[ToldChange]:
    found = []
    for event in published.changes_of_run(home, run_id):
        claim = event.change.after or event.change.before
        if not event.is_news or claim is None:
            continue
        found.append(
            ToldChange(
                vendor=claim.vendor or "",
                metric=metric_of(claim),
                kind=event.change.kind.value,
                before=_value(event.change.before),
                after=_value(event.change.after),
                source_id=event.change.source_id,
                url=event.url,
            )
        )
    return found


def _value(claim: Claim | None) -> str:
    return (claim.text_value or "stated") if claim else ""
