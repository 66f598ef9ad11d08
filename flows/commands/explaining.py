"""Commands that say why: explain for one claim, questions for what to ask a vendor."""

from __future__ import annotations

import sys
from collections import defaultdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.commands.options import HomeOption, Shown, VendorOption, known_vendor, ledger_to_read, write_file
from flows.printing import as_json, counted, heading, is_terminal, out, out_text, say, table
from schemas.errors import KoujingError
from schemas.registry import registry

if TYPE_CHECKING:
    from warehouse.home import Home

_MOST_EXPLAINED = 20


_AGAINST = """
SELECT claim_key, verdict, reason, detail::VARCHAR AS detail FROM checks
SEMI JOIN (SELECT claim_key FROM claims WHERE roll_up IN ('CONFLICTING', 'IMPLAUSIBLE')) USING (claim_key)
WHERE verdict IN ('CONFLICT', 'ABOVE_BOUND', 'FAIL') ORDER BY claim_key, name
"""


class Paper(StrEnum):
    """How the buyer's list is written."""

    MD = "md"
    JSON = "json"
    DOCX = "docx"


class Language(StrEnum):
    """In which language."""

    EN = "en"
    ZH = "zh"


def explain(
    context: typer.Context,
    claim: Annotated[
        str | None,
        typer.Argument(
            metavar="[CLAIM_KEY|VENDOR]", help="The claim's key, as sql and flags give it, or a vendor."
        ),
    ] = None,
    dimension: Annotated[
        str | None,
        typer.Argument(metavar="[DIMENSION]", help="After a vendor: the dimension whose score is explained."),
    ] = None,
    scorecard: Annotated[
        str | None,
        typer.Option("--scorecard", metavar="ID|FILE", help="Of a dimension: only in this scorecard."),
    ] = None,
    vendor: VendorOption = None,
    metric: Annotated[str | None, typer.Option("--metric", metavar="NAME", help="Only this metric.")] = None,
    form: Annotated[Shown, typer.Option("--format")] = Shown.TABLE,
    home: HomeOption = None,
) -> None:
    """Say where a claim stands and why: its words, every check with its reason, its open questions.

    Give a claim's key, or a vendor, a metric or both. With a vendor and a dimension: what its score rests on, from
    the criteria to the claims, their words, and the pages with address and date.
    """
    known_vendor(vendor)
    if claim is not None and dimension is not None:
        from flows.explained import explain_score

        explain_score(ledger_to_read(context, home), str(known_vendor(claim)), dimension, scorecard, form)
        return
    if scorecard is not None:
        raise typer.BadParameter("give a vendor and a dimension with it", param_hint="--scorecard")
    if claim is None and vendor is None and metric is None:
        raise typer.BadParameter("give a claim's key, --vendor or --metric", param_hint="CLAIM_KEY")
    found = _explained(ledger_to_read(context, home), claim, vendor, metric)
    if not found and claim is not None:
        raise KoujingError(f"there is no claim {claim!r}; list them by --vendor or --metric")
    if form is Shown.JSON:
        out_text(f"{as_json(found, indent=2)}\n")
        return
    if not found:
        unknown = metric is not None and metric not in registry().metrics
        say(f"no claim fits; {metric!r} is no metric that Koujing knows" if unknown else "no claim fits")
    for entry in found[:_MOST_EXPLAINED]:
        _print_claim(entry)
    if (left := len(found) - _MOST_EXPLAINED) > 0:
        say(f"{counted(left, 'claim')} more; narrow it with --metric, or take --format json")


def _explained(home: Home, claim: str | None, vendor: str | None, metric: str | None) -> list[dict[str, Any]]:
    from flows import published

    wanted = {"claim_key": claim, "vendor": vendor, "metric": metric}
    claims = [
        row
        for row in published.rows(home, "FROM claims")
        if all(value is None or row[name] == value for name, value in wanted.items())
    ]
    keys = {row["claim_key"] for row in claims}
    checks: dict[str, list[dict[str, Any]]] = {key: [] for key in keys}
    for row in published.rows(
        home, "SELECT claim_key, name, verdict, reason, detail FROM checks ORDER BY name"
    ):
        if row["claim_key"] in keys:
            checks[row["claim_key"]].append({k: row[k] for k in ("name", "verdict", "reason", "detail")})
    flags: dict[str, list[dict[str, Any]]] = {key: [] for key in keys}
    for row in published.rows(home, "SELECT claim_key, flag, question_en, question_zh FROM open_flags"):
        if row["claim_key"] in keys:
            flags[row["claim_key"]].append({k: row[k] for k in ("flag", "question_en", "question_zh")})
    return [{**row, "checks": checks[row["claim_key"]], "open": flags[row["claim_key"]]} for row in claims]


def _print_claim(entry: dict[str, Any]) -> None:
    value = entry["text_value"] or entry["qualifiers"].get("capability", "")
    heading(f"{entry['vendor'] or 'nobody known'} · {entry['metric']} · {value}")
    reading = f" · {entry['reading']}" if entry["reading"] else ""
    out(f"{entry['roll_up']}{reading}{': ' + entry['why'] if entry['why'] else ''}")
    out(f"“{entry['quote']}” {entry['source_url'] or ''} ({entry['claim_key']})")
    rows = [(check["name"], check["verdict"], check["reason"]) for check in entry["checks"]]
    out_text(table(("check", "verdict", "reason"), rows, terminal=is_terminal(sys.stdout)))
    for flag in entry["open"]:
        out(f"open: {flag['flag']}. {flag['question_en']}")


def questions(
    context: typer.Context,
    vendor: VendorOption = None,
    form: Annotated[Paper, typer.Option("--format")] = Paper.MD,
    lang: Annotated[Language, typer.Option("--lang", help="The language of the list.")] = Language.EN,
    file: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write there instead of to stdout.")
    ] = None,
    home: HomeOption = None,
) -> None:
    """Write what to ask before buying, per vendor and topic, with the vendor's own words, and what to measure.

    The questions come from open flags, from what a number needs beside it and does not have, and from
    statements that contradict each other. docx needs --out.
    """
    known_vendor(vendor)
    if form is Paper.DOCX and file is None:
        raise typer.BadParameter("a Word document needs --out FILE", param_hint="--format")
    from flows import buyers_list

    listed = _lists(ledger_to_read(context, home), vendor)
    if not listed:
        say(f"nothing has been read for {vendor} yet" if vendor else "nothing has been read yet")
    if form is Paper.DOCX:
        body = buyers_list.as_docx(listed, lang.value)
    elif form is Paper.JSON:
        body = buyers_list.as_json_text(listed, lang.value).encode("utf-8")
    else:
        body = buyers_list.as_markdown(listed, lang.value).encode("utf-8")
    if file is None:
        out_text(body.decode("utf-8"))
        return
    write_file(file, body)


def _lists(home: Home, vendor: str | None) -> Any:
    from flows import published
    from flows.own_cards import cards_of
    from review.disputes import Against, disputes
    from review.questions import lists

    claims = tuple(c for c in published.claims(home) if vendor is None or c.claim.vendor == vendor)
    against: dict[str, list[Against]] = defaultdict(list)
    for row in published.rows(home, _AGAINST):
        against[row["claim_key"]].append(
            Against(verdict=row["verdict"], reason=row["reason"], detail=row["detail"] or "")
        )
    urls = {
        row["source_id"]: row["url"]
        for row in published.rows(
            home, "SELECT source_id, url FROM stored.sources ORDER BY source_id, revision"
        )
    }
    return lists(claims, published.open_flags(home, claims), disputes(against), urls, cards_of(home))
