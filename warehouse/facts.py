"""The claims as the rubric takes them: each with its open readings, its tier and where it stands after all checks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from schemas.flag import Flag
from schemas.ledger import StoredClaim
from schemas.rubric import Fact
from warehouse.rows import stored_flag

FLAGS = """
SELECT flag.*, answer.reading
FROM stored.flags AS flag
LEFT JOIN (FROM answers WHERE settles) AS answer
    ON answer.claim_key = flag.claim_key AND answer.version = flag.version AND answer.flag = flag.name
ORDER BY flag.claim_key, flag.name
"""
"""Every flag with the reading that a person settled it for; null where it is open."""

STANDING = """
SELECT standing.claim_key, standing.roll_up, standing.why,
    CASE WHEN standing.authority IN ('T1', 'T2', 'T3', 'T4') THEN standing.authority ELSE page.tier END AS tier
FROM claim_standing AS standing
JOIN (
    SELECT claim_key, source_id FROM stored.claim_versions
    QUALIFY row_number() OVER (PARTITION BY claim_key ORDER BY version DESC) = 1
) AS version USING (claim_key)
JOIN (
    SELECT source_id, arg_max(tier, revision) AS tier FROM stored.sources GROUP BY source_id
) AS page USING (source_id)
"""
"""Where each claim stands. A page that repeats another's words is of the tier that the checks gave it."""


def facts(
    claims: Iterable[StoredClaim],
    flag_rows: Iterable[Mapping[str, Any]],
    standing: Iterable[Mapping[str, Any]],
) -> tuple[Fact, ...]:
    """Puts the latest claims, the rows of `FLAGS` and those of `STANDING` together, in the claims' order."""
    flags: dict[tuple[str, int], list[Flag]] = defaultdict(list)
    for row in flag_rows:
        flags[row["claim_key"], row["version"]].append(_left(stored_flag(row), row["reading"]))
    by_key = {row["claim_key"]: row for row in standing}
    return tuple(
        Fact(
            stored=stored,
            flags=tuple(flags[stored.claim.claim_key, stored.version]),
            tier=by_key[stored.claim.claim_key]["tier"],
            roll_up=by_key[stored.claim.claim_key]["roll_up"],
            why=by_key[stored.claim.claim_key]["why"] or "",
        )
        for stored in claims
    )


def _left(flag: Flag, reading: str | None) -> Flag:
    """The flag with the settled reading alone, or as it is while it is open."""
    if reading is None:
        return flag
    return flag.model_copy(update={"readings": tuple(r for r in flag.readings if r.key == reading)})
