"""Where a claim stands against its page: new, said again, said differently, or no longer there."""

from __future__ import annotations

from extractors.checks.running import Found
from schemas.check import Verdict

VERSION = "1"


def check(version: int, not_seen: int, visited_since: bool) -> Found:
    """`not_seen`: visits in a row without it. `visited_since`: its page was read again after it was first said."""
    if not_seen:
        visits = "visit" if not_seen == 1 else "visits"
        return Found(
            Verdict.NOT_SEEN,
            f"not on its page for {not_seen} {visits}; that is no retraction",
            {"visits": not_seen},
        )
    if version > 1:
        return Found(Verdict.CHANGED, f"stated differently before; this is wording {version}")
    if visited_since:
        return Found(Verdict.SAME, "said on every visit since it was first seen")
    return Found(Verdict.NEW, "seen on one visit so far")
