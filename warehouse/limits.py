"""What the ledger takes of one page, so that no page and no number can stop a run or cost the rest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from schemas.check import Check
from schemas.claim import Claim
from schemas.errors import LedgerError
from schemas.extraction import MOST_CLAIMS, Extraction
from schemas.flag import Flag
from schemas.source import FetchStatus, Visit
from warehouse.rows import stored_decimal

_QUOTE_CHARACTERS = 80


def within_limits(visit: Visit, extraction: Extraction | None) -> tuple[Visit, Extraction | None]:
    """Gives the visit and the reading as the ledger can take them; the visit's reason says what was left out.

    A page with too many claims becomes a failed visit without a reading. Claims with numbers too large to
    store are left out, with their flags and checks. What is within the limits comes back as it is.
    """
    if extraction is None:
        return visit, None
    if len(extraction.claims) > MOST_CLAIMS:
        reason = f"more than {MOST_CLAIMS:,} claims on one page"
        failed = {"status": FetchStatus.FAILED, "reason": _joined(visit.reason, reason), "snapshot": None}
        return visit.model_copy(update=failed), None
    out = {index for index, claim in enumerate(extraction.claims) if not _fits(claim)}
    if not out:
        return visit, extraction
    flag_owners = owners(extraction.flags, extraction.claims)
    check_owners = owners(extraction.checks, extraction.claims)
    kept = {
        "claims": tuple(c for index, c in enumerate(extraction.claims) if index not in out),
        "flags": tuple(f for f, index in zip(extraction.flags, flag_owners, strict=True) if index not in out),
        "checks": tuple(
            c for c, index in zip(extraction.checks, check_owners, strict=True) if index not in out
        ),
    }
    quote = " ".join(extraction.claims[min(out)].evidence.quote.split())
    if len(quote) > _QUOTE_CHARACTERS:
        quote = f"{quote[:_QUOTE_CHARACTERS]}…"
    reason = (
        f"1 claim left out: a number too large to store (quote “{quote}”)"
        if len(out) == 1
        else f"{len(out):,} claims left out: numbers too large to store (the first quote: “{quote}”)"
    )
    return (
        visit.model_copy(update={"reason": _joined(visit.reason, reason)}),
        extraction.model_copy(update=kept),
    )


def owners(findings: Sequence[Flag] | Sequence[Check], claims: Sequence[Claim]) -> list[int]:
    """The index of the claim that each finding belongs to.

    Where several claims of the page proposed one key, the findings go to them in the page's order, and a flag
    only to those that carry its name. Raises LedgerError for a finding of no claim.
    """
    proposed: dict[str, list[int]] = defaultdict(list)
    for index, claim in enumerate(claims):
        proposed[claim.claim_key].append(index)
    bearing: dict[tuple[str, str], list[int]] = {}
    met: dict[tuple[str, str], int] = defaultdict(int)
    result: list[int] = []
    for finding in findings:
        name = finding.claim_key, finding.name
        if name not in bearing:
            indices = proposed.get(finding.claim_key, [])
            if isinstance(finding, Flag):
                indices = [index for index in indices if finding.name in claims[index].flags]
            if not indices:
                raise LedgerError(
                    f"the {finding.name} of {finding.claim_key} belongs to no claim of the page"
                )
            bearing[name] = indices
        indices = bearing[name]
        result.append(indices[min(met[name], len(indices) - 1)])
        met[name] += 1
    return result


def _fits(claim: Claim) -> bool:
    try:
        stored_decimal(claim.low, "the low")
        stored_decimal(claim.high, "the high")
    except LedgerError:
        return False
    return True


def _joined(before: str, reason: str) -> str:
    return f"{before}; {reason}" if before else reason
