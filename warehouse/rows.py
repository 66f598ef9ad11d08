"""Records as the ledger's rows, and rows as records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any

from pydantic import TypeAdapter

from schemas.check import Check
from schemas.claim import Claim, Direction, Evidence
from schemas.errors import LedgerError
from schemas.flag import Flag, Reading
from schemas.ledger import StoredClaim
from schemas.quantity import Bound
from schemas.record import Record, Words
from schemas.source import Redirect, Snapshot

_STEP = Decimal("1e-12")
_DIGITS = Context(prec=38, rounding=ROUND_HALF_UP)
_READINGS = TypeAdapter(tuple[Reading, ...])


OPEN_FLAGS = """
SELECT flag.*, answer.kind AS marked, answer.who AS marked_by, answer.note AS marked_why
FROM stored.flags AS flag
LEFT JOIN answers AS answer
    ON answer.claim_key = flag.claim_key AND answer.version = flag.version AND answer.flag = flag.name
WHERE NOT coalesce(answer.settles, false)
ORDER BY claim_key, name
"""
"""The flags of all versions that no reading settles, with what a reviewer said who could not tell."""


class OpenFlag(Record):
    """A flag that nobody has settled, with the claim that raises it.

    `marked`: `unsure` or `ask_vendor` where a reviewer (`marked_by`, `marked_why`) could not tell; else empty.
    """

    flag: Flag
    claim: StoredClaim
    marked: str = ""
    marked_by: str = ""
    marked_why: str = ""


def stored_decimal(number: Decimal | None, what: str, step: Decimal = _STEP) -> Decimal | None:
    """The number as the ledger holds it: rounded half up at `step`, twelve decimals unless said otherwise.

    Raises LedgerError, naming `what`, where it has more digits before the point than a column takes.
    """
    if number is None:
        return None
    try:
        return number.quantize(step, context=_DIGITS)
    except InvalidOperation:
        raise LedgerError(f"{what} is {number}, which is too large for the ledger (26 digits)") from None


def utc(moment: datetime) -> datetime:
    """The moment in UTC. Raises LedgerError where it names no time zone."""
    if moment.tzinfo is None:
        raise LedgerError(f"the time {moment.isoformat()} has no time zone; pass it in UTC")
    return moment.astimezone(UTC)


def claim_row(stored: StoredClaim, run_id: int) -> dict[str, object]:
    """The row of one version in `stored.claim_versions`."""
    claim = stored.claim
    return {
        "claim_key": claim.claim_key,
        "version": stored.version,
        "source_id": stored.source_id,
        "snapshot_sha256": stored.snapshot_sha256,
        "run_id": run_id,
        "valid_from": utc(stored.valid_from),
        "recorded_at": utc(stored.recorded_at),
        "source": claim.source,
        "vendor": claim.vendor,
        "product": claim.product,
        "metric": claim.metric,
        "low": stored_decimal(claim.low, f"the low of {claim.claim_key}"),
        "high": stored_decimal(claim.high, f"the high of {claim.claim_key}"),
        "unit": claim.unit,
        "text_value": claim.text_value,
        "unit_as_written": claim.unit_as_written,
        "bound": str(claim.bound),
        "best_case": claim.best_case,
        "basis": claim.basis,
        "direction": str(claim.direction),
        "condition": claim.condition,
        "baseline": claim.baseline,
        "qualifiers": claim.qualifiers,
        "evidence_quote": claim.evidence.quote,
        "evidence_start": claim.evidence.start,
        "evidence_end": claim.evidence.end,
        "evidence_path": claim.evidence.path,
        "flags": claim.flags,
        "extractor": claim.extractor,
        "rules": claim.rules,
    }


def stored_claim(row: Mapping[str, Any]) -> StoredClaim:
    """The version that a row of `stored.claim_versions` (with its `not_seen`) holds.

    The claim is not validated again: what was stored stays readable when the registry drops a name.
    """
    claim = Claim.model_construct(
        claim_key=row["claim_key"],
        source=row["source"],
        vendor=row["vendor"],
        product=row["product"],
        metric=row["metric"],
        low=_short(row["low"]),
        high=_short(row["high"]),
        unit=row["unit"],
        text_value=row["text_value"],
        unit_as_written=row["unit_as_written"],
        bound=Bound(row["bound"]),
        best_case=row["best_case"],
        basis=row["basis"],
        direction=Direction(row["direction"]),
        condition=dict(row["condition"]),
        baseline=row["baseline"],
        qualifiers=dict(row["qualifiers"]),
        evidence=Evidence.model_construct(
            quote=row["evidence_quote"],
            start=row["evidence_start"],
            end=row["evidence_end"],
            path=tuple(row["evidence_path"]),
        ),
        flags=tuple(row["flags"]),
        extractor=row["extractor"],
        rules=dict(row["rules"]),
    )
    return StoredClaim(
        claim=claim,
        version=row["version"],
        source_id=row["source_id"],
        snapshot_sha256=row["snapshot_sha256"],
        valid_from=row["valid_from"],
        recorded_at=row["recorded_at"],
        not_seen=row["not_seen"],
    )


def _short(number: Decimal | None) -> Decimal | None:
    """Without the zeros that the column adds, and without an exponent."""
    if number is None:
        return None
    number = number.normalize(_DIGITS)
    return number.quantize(Decimal(1), context=_DIGITS) if number == number.to_integral_value() else number


def flag_row(flag: Flag, version: int) -> dict[str, object]:
    """The row of one flag in `stored.flags`."""
    return {
        "claim_key": flag.claim_key,
        "version": version,
        "name": flag.name,
        "flag_id": flag.flag_id,
        "question_en": flag.question.en,
        "question_zh": flag.question.zh,
        "readings": _READINGS.dump_json(flag.readings).decode(),
    }


def stored_flag(row: Mapping[str, Any]) -> Flag:
    """The flag that a row of `stored.flags` holds."""
    return Flag(
        claim_key=row["claim_key"],
        name=row["name"],
        question=Words(en=row["question_en"], zh=row["question_zh"]),
        readings=_READINGS.validate_json(row["readings"]),
    )


def open_flag(row: Mapping[str, Any], claim: StoredClaim) -> OpenFlag:
    """The open flag that a row of `OPEN_FLAGS` holds."""
    marks = {name: row[name] or "" for name in ("marked", "marked_by", "marked_why")}
    return OpenFlag(flag=stored_flag(row), claim=claim, **marks)


def check_row(check: Check, version: int, at: datetime) -> dict[str, object]:
    """The row of one check in `stored.checks`."""
    return {
        "claim_key": check.claim_key,
        "version": version,
        "name": check.name,
        "check_version": check.version,
        "verdict": str(check.verdict),
        "reason": check.reason,
        "inputs": check.inputs,
        "detail": check.detail,
        "recorded_at": at,
    }


_WRAPPED = frozenset({"headers", "redirects", "encoding_notes"})


def snapshot_row(snapshot: Snapshot, visit_id: int, *, written: bool, reason: str) -> dict[str, object]:
    """The row of one fetched page in `stored.snapshots`."""
    return {
        "visit_id": visit_id,
        **snapshot.model_dump(exclude={"fetched_at", "headers", "redirects"}),
        "headers": as_json(snapshot.headers),
        "redirects": as_json([hop.model_dump() for hop in snapshot.redirects]),
        "encoding_notes": list(snapshot.encoding_notes),
        "fetched_at": utc(snapshot.fetched_at),
        "written": written,
        "reason": reason,
    }


def stored_snapshot(row: Mapping[str, Any]) -> Snapshot:
    """The snapshot that a row of `stored.snapshots` holds; the row may be one of an earlier version's file."""
    return Snapshot(
        **{name: row[name] for name in Snapshot.model_fields if name in row and name not in _WRAPPED},
        headers=json.loads(row.get("headers") or "{}"),
        redirects=tuple(Redirect(**hop) for hop in json.loads(row.get("redirects") or "[]")),
        encoding_notes=tuple(row.get("encoding_notes") or ()),
    )


def as_json(content: object) -> str:
    """JSON text with stable key order; numbers that are decimals are written as text."""
    return json.dumps(content, ensure_ascii=False, sort_keys=True, default=str)
