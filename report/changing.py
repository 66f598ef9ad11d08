"""What changed, and when: claims with both quotes, flags opened, what people said, ranking moves with their causes, holds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from report.edition import Edition, Shown, clean, file_name
from report.model import Row
from report.numbers import span
from schemas.decision import WHOLE_CLAIM

_MOST = 150
_PERIODS = (("week", 7), ("month", 30))


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. `kind`: its word; `before` and `after`: what was said; `quotes`: in which words.

    `vendor` and `card`: whom and which scorecard it concerns, where it does; `shown`: the claim, where it is about one.
    """

    at: datetime
    kind: str
    label: str
    vendor: str | None
    card: str | None
    what: str
    before: str = ""
    after: str = ""
    quote_before: str = ""
    quote_after: str = ""
    note: str = ""
    href: str = ""
    shown: Shown | None = None
    run_id: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time, with what happened in it and not in the shorter ones before. `more`: how many are not listed."""

    id: str
    title: str
    total: int
    events: tuple[Event, ...]
    more: int


def events(edition: Edition) -> tuple[Event, ...]:
    """Everything that happened since the pages were first read, the newest first."""
    found = [*_claims(edition), *_flags(edition), *_decisions(edition), *_moves(edition), *_holds(edition)]
    return tuple(sorted(found, key=lambda e: (e.at, e.kind, e.name), reverse=True))


def periods(edition: Edition, found: Iterable[Event]) -> tuple[Period, ...]:
    """The events by the last run, 7 days, 30 days before it, and all before; each event once."""
    content = edition.content
    if content.at is None or content.last_run is None:
        return ()
    left = list(found)
    last = content.last_run["run_id"]
    result = [_period(edition, "run", [e for e in left if e.run_id == last or e.at >= content.at], 0)]
    told = result[0].total
    left = [e for e in left if not (e.run_id == last or e.at >= content.at)]
    for name, days in _PERIODS:
        start = content.at - timedelta(days=days)
        own = [e for e in left if e.at >= start]
        result.append(_period(edition, name, own, told))
        told += len(own)
        left = [e for e in left if e.at < start]
    result.append(_period(edition, "earlier", left, 0))
    return tuple(result)


def between(edition: Edition, found: Iterable[Event], start: datetime, end: datetime) -> Period:
    """What happened between two moments."""
    own = [e for e in found if start <= e.at <= end]
    title = edition.says("changes.between", start=edition.date(start), end=edition.date(end))
    return Period("between", title, len(own), tuple(own[:_MOST]), max(0, len(own) - _MOST))


def _period(edition: Edition, name: str, own: list[Event], before: int) -> Period:
    total = before + len(own)
    title = edition.says(f"changes.{name}")
    return Period(name, title, total, tuple(own[:_MOST]), max(0, len(own) - _MOST))


def _claims(edition: Edition) -> Iterable[Event]:
    figures = edition.content.figures
    for row in edition.content.changes:
        figure = figures.get(row["claim_key"])
        what = edition.what(figure) if figure else edition.metric(row["metric"] or "")
        shown = edition.shown(figure) if figure else None
        said = edition.text(figure) if figure and figure.metric == "capability" else ""
        kind = row["kind"]
        yield Event(
            at=row["changed_at"],
            kind=kind,
            label=edition.says.or_plain("change_kind", kind),
            vendor=row["vendor"],
            card=None,
            what=what,
            before=_value(edition, row, "before") or (said if kind == "not_seen" else ""),
            after="" if kind == "not_seen" else _value(edition, row, "after") or said,
            quote_before=row["quote_before"] or "",
            quote_after="" if kind == "not_seen" else row["quote_after"] or "",
            note=edition.says("changes.maybe_ours") if row["cause"] == "both" else "",
            href=shown.href if shown else "",
            shown=shown,
            run_id=row["run_id"],
            name=f"change {row['change_id']:09d}",
        )


def _value(edition: Edition, row: Row, when: str) -> str:
    text = clean(row[f"text_{when}"] or "")
    basis = row[f"basis_{when}"]
    if not text or not basis or basis == "unspecified":
        return text
    return f"{text} · {edition.basis(basis)}"


def _flags(edition: Edition) -> Iterable[Event]:
    figures = edition.content.figures
    for row in edition.content.raised:
        figure = figures.get(row["claim_key"])
        yield Event(
            at=row["recorded_at"],
            kind="flag_opened",
            label=edition.says("change_kind.flag_opened"),
            vendor=row["vendor"],
            card=None,
            what=edition.what(figure) if figure else edition.metric(row["metric"]),
            after=edition.flag(row["flag"]),
            note=row["question_zh"] if edition.language == "zh" else row["question_en"],
            href=edition.shown(figure).href if figure else "",
            shown=edition.shown(figure) if figure else None,
            run_id=row["run_id"],
            name=f"flag {row['flag_id']} {row['version']}",
        )


def _decisions(edition: Edition) -> Iterable[Event]:
    figures = edition.content.figures
    for row in edition.content.decisions:
        figure = figures.get(row["claim_key"])
        kind = f"said_{row['kind']}"
        yield Event(
            at=row["decided_at"],
            kind=kind,
            label=edition.says(f"change_kind.{kind}"),
            vendor=row["vendor"],
            card=None,
            what=edition.what(figure) if figure else edition.metric(row["metric"]),
            before="" if row["name"] == WHOLE_CLAIM else edition.flag(row["name"]),
            after=_said(edition, row),
            note=clean(row["note"] or ""),
            href=edition.shown(figure).href if figure else "",
            shown=edition.shown(figure) if figure else None,
            name=f"decision {row['decision_id']:09d}",
        )


def _said(edition: Edition, row: Row) -> str:
    what = row["reading"] or ", ".join(
        f"{name}: {text}" for name, text in json.loads(row["corrections"]).items()
    )
    return edition.says(
        "changes.said_what" if what else "changes.said", what=clean(what), who=clean(row["who"])
    )


def _moves(edition: Edition) -> Iterable[Event]:
    names = {card.id: edition.card_name(card) for card in edition.content.cards}
    for row in edition.content.moves:
        near = edition.content.causes.get(row["ranking_id"], ())
        own = [cause for cause in near if cause["vendor"] in (row["vendor"], None)]
        yield Event(
            at=row["ranked_at"],
            kind="moved",
            label=edition.says("change_kind.moved"),
            vendor=row["vendor"],
            card=row["scorecard"],
            what=f"{names.get(row['scorecard'], row['scorecard'])} · {edition.says('card.variant_' + row['variant'])}",
            before=_ranks(edition, row, "_before"),
            after=_ranks(edition, row, ""),
            note=_because(edition, own, near),
            href=f"cards/{file_name(row['scorecard'])}.html" if row["scorecard"] in names else "",
            run_id=row["run_id"],
            name=f"move {row['ranking_id']:09d} {row['vendor']}",
        )


def _ranks(edition: Edition, row: Row, when: str) -> str:
    if row[f"best{when}"] is None:
        return edition.says("cell.not_ranked")
    ranks = span(str(row[f"best{when}"]), str(row[f"worst{when}"]))
    return f"{ranks} · {span(row[f'shown_low{when}'], row[f'shown_high{when}'])}"


def _because(edition: Edition, own: list[Row], near: Iterable[Row]) -> str:
    joint = "；" if edition.language == "zh" else "; "
    if own:
        return joint.join(dict.fromkeys(_cause(edition, cause) for cause in own))
    others = sorted({edition.in_sentence(cause["vendor"]) for cause in near if cause["vendor"]})
    if others:
        return edition.says("cause.others", vendors=edition.says.listed(others))
    return edition.says("cause.unsaid")


def _cause(edition: Edition, cause: Mapping[str, object]) -> str:
    what = edition.capability(str(cause["capability"])) if cause["capability"] else ""
    if not what and cause["metric"]:
        what = edition.metric(str(cause["metric"]))
    kind = str(cause["kind"])
    return edition.says(
        f"cause.{kind}" if kind in _CAUSES else "cause.scored_otherwise",
        what=what,
        before=clean(str(cause["text_before"] or "")),
        after=clean(str(cause["text_after"] or "")),
        note=_note(edition, cause),
    ).strip()


def _note(edition: Edition, cause: Mapping[str, object]) -> str:
    """What a cause adds, as persons or the ledger wrote it; of a proposal its dimension and on what it rests."""
    note = clean(str(cause["note"] or ""))
    if cause["kind"] != "proposed":
        return note
    dimension, _, by = note.partition(", ")
    labels = {d.id: edition.word(d.label) for card in edition.content.cards for d in card.card.dimensions}
    how = edition.says("cause.by_peers" if by == "as peers state" else "cause.by_rubric")
    return f"{labels.get(dimension, dimension)}{'，' if edition.language == 'zh' else ', '}{how}"


_CAUSES = frozenset(
    {
        "counts",
        "counts_no_more",
        "changed",
        "settled",
        "proposed",
        "confirmed",
        "scorecard",
        "scored_otherwise",
    }
)


def _holds(edition: Edition) -> Iterable[Event]:
    for row in edition.content.all_holds:
        href = f"evidence/{file_name(row['source_id'])}.html"
        lost = edition.says("changes.would_lose", lost=row["claims_lost"], before=row["claims_before"])
        reason = edition.says.or_plain("hold_reason", row["reason"])
        yield Event(
            at=row["held_at"],
            kind="held",
            label=edition.says("change_kind.held"),
            vendor=row["vendor"],
            card=None,
            what=row["source_id"],
            after=reason,
            note=lost,
            href=href,
            run_id=row["run_id"],
            name=f"hold {row['hold_id']:09d}",
        )
        if row["released_at"] is not None:
            yield Event(
                at=row["released_at"],
                kind="released",
                label=edition.says("change_kind.released"),
                vendor=row["vendor"],
                card=None,
                what=row["source_id"],
                before=reason,
                after=edition.says.or_plain("release_how", row["how"] or ""),
                note=clean(row["note"] or ""),
                href=href,
                name=f"release {row['hold_id']:09d}",
            )
