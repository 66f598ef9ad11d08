"""What the desk knows of one claim: asked for by its key, so that it costs the same in a large ledger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from review.desk import State
from review.web.page_text import web_address, word_diff
from schemas.ledger import StoredClaim
from warehouse.reader import Reader
from warehouse.rows import stored_claim

_HISTORY = "SELECT *, 0 AS not_seen FROM stored.claim_versions WHERE claim_key = ? ORDER BY version"
_CHECKS = """
SELECT name, arg_max(verdict, recorded_at) AS verdict, arg_max(reason, recorded_at) AS reason FROM stored.checks
WHERE claim_key = ? AND version = ? GROUP BY name ORDER BY name
"""
_OTHERS = """
SELECT version.claim_key, version.product, version.low, version.high, version.unit, version.text_value, version.basis,
    version.evidence_quote AS quote, version.source_id
FROM stored.claim_versions AS version
WHERE vendor = ? AND metric = ? AND claim_key <> ?
QUALIFY row_number() OVER (PARTITION BY claim_key ORDER BY version DESC) = 1
ORDER BY product IS NOT DISTINCT FROM ?::VARCHAR DESC, source_id, claim_key LIMIT 30
"""
_PAGE = """
SELECT url, content_type, fetched_at FROM stored.snapshots WHERE source_id = ? AND sha256 = ?
ORDER BY visit_id LIMIT 1
"""
_SOURCE = "SELECT url, title, tier FROM stored.sources WHERE source_id = ? ORDER BY revision DESC LIMIT 1"
_SAID = "FROM stored.decisions WHERE claim_key = ? ORDER BY decision_id DESC LIMIT 50"
_REOPENED = "FROM reopened WHERE claim_key = ?"
_CONFLICTS = "FROM decision_conflicts WHERE claim_key = ?"


@dataclass(frozen=True)
class Version:
    """One version in the timeline. `diff`: its words against those of the version before."""

    stored: StoredClaim
    cause: str
    diff: list[tuple[str, str]]


@dataclass(frozen=True)
class Known:
    """All that is shown of a claim beside its page's text."""

    stored: StoredClaim
    history: list[Version]
    checks: list[dict[str, Any]]
    others: list[dict[str, Any]]
    said: list[dict[str, Any]]
    reopened: list[dict[str, Any]]
    conflicts: list[dict[str, Any]]
    source: dict[str, Any]
    page: dict[str, Any]
    link: str
    roll_up: str
    why: str


def known(state: State, claim_key: str) -> Known | None:
    """Everything about the claim; None where there is none of that key."""
    reader = state.reader
    rows = reader.rows(_HISTORY, [claim_key])
    if not rows:
        return None
    versions = [stored_claim(row) for row in rows]
    last = versions[-1]
    claim = last.claim
    source = _first(reader, _SOURCE, [last.source_id])
    page = _first(reader, _PAGE, [last.source_id, last.snapshot_sha256])
    others = reader.rows(_OTHERS, [claim.vendor, claim.metric, claim_key, claim.product])
    for other in others:
        other["roll_up"] = state.standings.get(other["claim_key"], ("", ""))[0]
    roll_up, why = state.standings.get(claim_key, ("", ""))
    said = reader.rows(_SAID, [claim_key])
    return Known(
        stored=last,
        history=[
            Version(
                v,
                row["cause"] or "page",
                word_diff(versions[i - 1].claim.evidence.quote, v.claim.evidence.quote) if i else [],
            )
            for i, (v, row) in enumerate(zip(versions, rows, strict=True))
        ][::-1],
        checks=reader.rows(_CHECKS, [claim_key, last.version]),
        others=others,
        said=said,
        reopened=reader.rows(_REOPENED, [claim_key]) if said else [],
        conflicts=reader.rows(_CONFLICTS, [claim_key]) if said else [],
        source=source,
        page=page,
        link=web_address(str(page.get("url") or source.get("url") or "")),
        roll_up=roll_up,
        why=why,
    )


def _first(reader: Reader, sql: str, values: list[object]) -> dict[str, Any]:
    rows = reader.rows(sql, values)
    return rows[0] if rows else {}
