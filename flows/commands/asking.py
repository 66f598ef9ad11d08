"""Commands that ask the published file: sql, flags, changes and where."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.options import (
    HomeOption,
    ShownRows,
    VendorOption,
    home_to_read,
    known_vendor,
    ledger_to_read,
    moment_of,
    put,
)
from flows.printing import Format, as_json, counted, is_terminal, out_text, say

if TYPE_CHECKING:
    from datetime import datetime

    from flows.published import ChangeEvent
    from review.queue import Queued
    from schemas.claim import Claim
    from warehouse.home import Home

_ENDINGS = {
    ".csv": ShownRows.CSV,
    ".json": ShownRows.JSON,
    ".jsonl": ShownRows.JSONL,
    ".txt": ShownRows.TABLE,
    "": ShownRows.TABLE,
}
_LARGEST_RESULT = 256 << 20
_MEMORY_ROOM = 3 << 29  # for DuckDB, the result and its text: one value may exceed all that DuckDB counts
_NUMBERS = re.compile(r"(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DECIMAL.*|DOUBLE|FLOAT|BIGNUM|NUMBER)\Z")


def sql(
    context: typer.Context,
    query: Annotated[
        str | None,
        typer.Argument(metavar="[QUERY]", help="One reading statement; without one a shell opens."),
    ] = None,
    form: Annotated[
        ShownRows | None,
        typer.Option("--format", help="Default: as --out ends (.csv, .json, .jsonl, .txt), else a table."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write there instead of to stdout.")
    ] = None,
    live: Annotated[
        bool, typer.Option("--live", help="The writer's own file, which works only while nobody writes.")
    ] = False,
    home: HomeOption = None,
) -> None:
    """Ask the ledger in SQL. It can read what was published, and nothing else.

    The views are described in docs/sql.md; DESCRIBE shows their columns. claims_as_of('2026-11-04') gives what
    sources had said by then, and claims_as_of('2026-11-04', '2026-11-20') what we believed of that on the 20th.
    Without a query a shell opens, with history and completion, or statements are read from a pipe.
    """
    form = form or _form_of(file)
    place = ledger_to_read(context, home)
    if query is not None:
        _answer(place, query, form.value, file, live=live)
        return
    if file is not None:
        raise typer.BadParameter("give a query to write its result to a file", param_hint="--out")
    _open_shell(place, form.value, live=live)


def _answer(place: Home, query: str, form: Format, file: Path | None = None, *, live: bool = False) -> None:
    from warehouse.memory import bounded_memory
    from warehouse.query import run_query

    with bounded_memory(_MEMORY_ROOM):
        result = run_query(place, query, live=live, max_bytes=_LARGEST_RESULT)
        kinds = zip(result.columns, result.types, strict=True)
        numeric = [name for name, kind in kinds if _NUMBERS.match(kind)]
        put(result.columns, result.rows, form, file=file, numeric=numeric)


def _open_shell(place: Home, form: Format, *, live: bool) -> None:
    from flows.sql_shell import Shell, typed_lines
    from warehouse.query import run_query

    listed = (
        "SELECT table_name, list(column_name ORDER BY column_index) FROM duckdb_columns() "
        "WHERE schema_name = 'main' AND NOT internal GROUP BY table_name ORDER BY table_name"
    )
    views = {name: tuple(columns) for name, columns in run_query(place, listed, live=live).rows}
    shell = Shell(
        lambda query: _answer(place, query, form, live=live),
        views,
        ("claims_as_of", "ranking_as_of", "reweighted"),
    )
    if is_terminal(sys.stdin):
        shell.welcome()
        with typed_lines(shell, place.root / "sql_history") as lines:
            shell.run(lines)
    else:
        shell.run(iter(sys.stdin))


def _form_of(file: Path | None) -> ShownRows:
    """What the file's name asks for; a usage error where its ending is none that we write."""
    ending = file.suffix.lower() if file else ""
    if ending not in _ENDINGS:
        known = ", ".join(name for name in _ENDINGS if name)
        raise typer.BadParameter(
            f"{ending} is no format that is written; end the name in {known}, or give --format",
            param_hint="--out",
        )
    return _ENDINGS[ending]


def flags(
    context: typer.Context,
    vendor: VendorOption = None,
    form: Annotated[ShownRows, typer.Option("--format")] = ShownRows.TABLE,
    home: HomeOption = None,
) -> None:
    """List what a person must settle before numbers compare, the most worthwhile question first.

    First come those that can decide who is first, then pairs, ranks and totals, over all scorecards; each says in
    one line what settling it can decide. The readings, the quote, the flag's id and where its claim stands after all
    checks are in json and jsonl.
    """
    known_vendor(vendor)
    from flows import published
    from flows.derived import review_queue
    from flows.own_cards import cards_of

    place = ledger_to_read(context, home)
    claims = tuple(c for c in published.claims(place) if vendor is None or c.claim.vendor == vendor)
    listed = review_queue(place, claims, cards_of(place))
    if not claims:
        say(f"nothing has been read for {vendor} yet" if vendor else "nothing has been read yet")
    elif not listed:
        say("no flag is open")
    if form in (ShownRows.JSON, ShownRows.JSONL):
        standings = published.standings(place)
        _put_objects([_flag_fields(q) | standings[q.flag.claim.claim.claim_key] for q in listed], form)
    elif listed or form is ShownRows.CSV:
        columns = ("vendor", "metric", "value", "flag", "why", "question", "page")
        put(columns, [_flag_row(q) for q in listed], "csv" if form is ShownRows.CSV else "table")


def _flag_row(queued: Queued) -> tuple[object, ...]:
    stored, flag = queued.flag.claim, queued.flag.flag
    claim = stored.claim
    return (
        claim.vendor,
        metric_of(claim),
        claim.text_value,
        flag.name,
        queued.why,
        flag.question.en,
        stored.source_id,
    )


def _flag_fields(queued: Queued) -> dict[str, object]:
    stored, flag = queued.flag.claim, queued.flag.flag
    claim = stored.claim
    return {
        "flag_id": flag.flag_id,
        "flag": flag.name,
        "vendor": claim.vendor,
        "product": claim.product,
        "metric": claim.metric,
        "text_value": claim.text_value,
        "low": claim.low,
        "high": claim.high,
        "unit": claim.unit,
        "question": flag.question.model_dump(),
        "readings": [reading.model_dump() for reading in flag.readings],
        "worth": queued.worth,
        "dimensions": queued.dimensions,
        "why": queued.why,
        "moves": _moves(queued),
        "quote": claim.evidence.quote,
        "source_id": stored.source_id,
        "claim_key": claim.claim_key,
        "not_seen": stored.not_seen,
    }


def _moves(queued: Queued) -> dict[str, object] | None:
    """What settling the flag can do to derived rankings, summed over the scorecards; null where nothing."""
    worth = queued.moves
    if worth is None:
        return None
    return {
        "winners": worth.winners,
        "pairs": worth.pairs,
        "contenders_out": worth.contenders_out,
        "places": worth.places,
        "narrowing": str(worth.narrowing),
        "scorecards": [effect.card for effect in worth.effects],
    }


def changes(
    context: typer.Context,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DATE|Nd", help="A date (2026-05-01, UTC) or a number of days (7d)."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also what pages said when they were read for the first time.")
    ] = False,
    ranking: Annotated[
        bool, typer.Option("--ranking", help="What moved in the rankings, and because of which claim.")
    ] = False,
    form: Annotated[ShownRows, typer.Option("--format")] = ShownRows.TABLE,
    home: HomeOption = None,
) -> None:
    """List what vendors changed, with the words before and after; with --ranking, what that did to the rankings.

    A page's first reading is no change and is left out, unless --all is given.
    """
    start = moment_of(since, "--since")
    from flows import published

    place = ledger_to_read(context, home)
    if ranking:
        _put_moves(place, start, form)
        return
    events = [e for e in published.changes(place) if start is None or e.at >= start]
    listed = [e for e in events if every or not e.first_visit]
    if form in (ShownRows.JSON, ShownRows.JSONL):
        standings = published.standings(place)
        _put_objects([_change_fields(e) | standings.get(e.change.claim_key, {}) for e in listed], form)
        return
    if listed or form is ShownRows.CSV:
        columns = ("changed_at", "vendor", "metric", "kind", "before", "after", "quote", "source")
        put(columns, [change_row(e) for e in listed], "csv" if form is ShownRows.CSV else "table")
    if not listed:
        say("nothing changed")
    if left := len(events) - len(listed):
        are = "is" if left == 1 else "are"
        say(f"{counted(left, 'claim')} of first readings {are} left out; --all lists them")


def _put_moves(place: Home, start: datetime | None, form: ShownRows) -> None:
    from flows.movements import moves

    found = moves(place, start)
    if form in (ShownRows.JSON, ShownRows.JSONL):
        _put_objects([{**m.row, "because": m.because, "causes": m.causes} for m in found], form)
        return
    if found or form is ShownRows.CSV:
        columns = ("ranked_at", "scorecard", "by", "vendor", "rank", "total", "because")
        rows = [
            (m.at, m.row["scorecard"], m.row["variant"], m.row["vendor"], m.ranks, m.totals, m.because)
            for m in found
        ]
        put(columns, rows, "csv" if form is ShownRows.CSV else "table")
    if not found:
        say("no ranking moved")


def change_row(event: ChangeEvent) -> tuple[object, ...]:
    """One event as the cells of a table."""
    change = event.change
    claim = change.after or change.before
    return (
        event.at,
        claim.vendor if claim else None,
        metric_of(claim),
        change.kind.value,
        change.before.text_value if change.before else None,
        change.after.text_value if change.after else None,
        claim.evidence.quote if claim else None,
        event.url,
    )


def metric_of(claim: Claim | None) -> str:
    """The claim's metric; of a capability which one, of an improvement of what."""
    if claim is None:
        return ""
    detail = {"capability": "capability", "relative_improvement": "of"}.get(claim.metric, "")
    name = claim.qualifiers.get(detail)
    return f"{claim.metric}: {name}" if name else claim.metric


def _change_fields(event: ChangeEvent) -> dict[str, object]:
    change = event.change
    claim = change.after or change.before
    return {
        "changed_at": event.at,
        "kind": change.kind.value,
        "vendor": claim.vendor if claim else None,
        "product": claim.product if claim else None,
        "metric": claim.metric if claim else None,
        "fields": change.fields,
        "before": _said(change.before),
        "after": _said(change.after),
        "source_id": change.source_id,
        "source_url": event.url,
        "first_visit": event.first_visit,
        "claim_key": change.claim_key,
        "run_id": event.run_id,
    }


def _said(claim: Claim | None) -> dict[str, object] | None:
    if claim is None:
        return None
    return {
        "text_value": claim.text_value,
        "low": claim.low,
        "high": claim.high,
        "unit": claim.unit,
        "basis": claim.basis,
        "quote": claim.evidence.quote,
    }


def _put_objects(objects: list[dict[str, object]], form: ShownRows) -> None:
    if form is ShownRows.JSON:
        out_text(f"{as_json(objects, indent=2)}\n")
    else:
        out_text("".join(f"{as_json(item)}\n" for item in objects))


def where(context: typer.Context, home: HomeOption = None) -> None:
    """Print where things are kept, whether they exist, and how large they are."""
    place = home_to_read(context, home)
    bodies = [path.stat().st_size for path in place.snapshots.rglob("*.gz")]
    rows = [
        ("home", place.root, "exists", ""),
        ("ledger", place.ledger, *_state(place.ledger)),
        ("published", place.published, *_state(place.published)),
        (
            "snapshots",
            place.snapshots,
            f"{len(bodies)} pages" if place.snapshots.exists() else "not yet",
            _size(sum(bodies)) if bodies else "",
        ),
        ("scorecards", place.root / "scorecards", *_folder(place.root / "scorecards")),
    ]
    put(("what", "path", "state", "size"), rows, "table", numeric=("size",))


def _state(path: Path) -> tuple[str, str]:
    return ("exists", _size(path.stat().st_size)) if path.exists() else ("not yet", "")


def _folder(path: Path) -> tuple[str, str]:
    if path.is_file():
        return "a file, and no folder", ""
    return (f"{len(list(path.glob('*.y*ml')))} files", "") if path.exists() else ("none of your own", "")


def _size(number: int) -> str:
    if number < 1024:
        return f"{number} B"
    return f"{number / 1024:.1f} KiB" if number < 1024**2 else f"{number / 1024**2:.1f} MiB"
