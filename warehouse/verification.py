"""What the ledger holds of verification: which groups of claims changed since, their rows in, verdicts out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from schemas.check import Check, Verdict
from schemas.ledger import StoredClaim
from schemas.source import Snapshot
from warehouse.database import Database
from warehouse.rows import check_row, stored_claim, stored_snapshot, utc

Topic = Callable[[str, str], str]
"""The topic of a metric; the second text is what a capability is silent about, else empty."""

_LATEST = """
latest AS (
    SELECT * FROM stored.claim_versions
    QUALIFY row_number() OVER (PARTITION BY claim_key ORDER BY version DESC) = 1
),
sighting AS (
    SELECT claim_key, arg_max(not_seen, sighting_id) AS not_seen FROM stored.sightings GROUP BY claim_key
),
page AS (
    SELECT * FROM stored.sources
    QUALIFY row_number() OVER (PARTITION BY source_id ORDER BY revision DESC) = 1
),
read AS (
    SELECT source_id, max(visited_at) AS last_read FROM stored.visits
    WHERE status IN ('changed', 'unchanged') GROUP BY source_id
),
standing AS (
    SELECT
        latest.* , coalesce(sighting.not_seen, 0)::INTEGER AS not_seen,
        coalesce(latest.qualifiers['of'], '') AS silent_about,
        coalesce(read.last_read > latest.valid_from, false) AS visited_since,
        page.url, page.tier, page.language, page.vendor AS page_vendor
    FROM latest
    LEFT JOIN sighting USING (claim_key)
    LEFT JOIN page USING (source_id)
    LEFT JOIN read USING (source_id)
)
"""
# Hashes of DuckDB's may differ from release to release: then everything is verified once more.
_STATES = f"""
WITH {_LATEST}
SELECT
    coalesce(vendor, '') AS vendor, metric, silent_about, count(*) AS claims,
    bit_xor(hash(claim_key, version, not_seen, visited_since, source_id, url, tier, language, page_vendor))::VARCHAR AS state,
    list(DISTINCT source_id) AS sources
FROM standing GROUP BY ALL
"""  # noqa: S608 - texts of our own
_MEMBERS = f"""
WITH {_LATEST}
SELECT * FROM standing
WHERE (coalesce(vendor, ''), metric, silent_about) IN (
    SELECT (v, m, s) FROM (SELECT unnest(?::VARCHAR[]) AS v, unnest(?::VARCHAR[]) AS m, unnest(?::VARCHAR[]) AS s))
ORDER BY claim_key
"""  # noqa: S608 - texts of our own
_STATEMENTS = f"""
WITH {_LATEST}
SELECT
    source_id,
    list(DISTINCT evidence_quote) FILTER (length(evidence_quote) >= 8) AS quotes,
    list(DISTINCT concat_ws('|', metric, low, high, basis, bound)) FILTER (metric <> 'capability') AS figures
FROM standing GROUP BY source_id ORDER BY source_id
"""  # noqa: S608 - texts of our own


@dataclass(frozen=True, slots=True)
class Group:
    """Claims of one vendor and topic that are not yet verified as they stand. `parts`: (metric, silent about)."""

    vendor: str
    topic: str
    state: str
    claims: int
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Member:
    """A claim of a group, with what is known of its page."""

    stored: StoredClaim
    visited_since: bool
    url: str
    tier: str
    language: str
    page_vendor: str | None


@dataclass(frozen=True, slots=True)
class Statements:
    """What a page says as a whole: its quotes, and its figures without their words."""

    quotes: frozenset[str] = frozenset()
    figures: frozenset[str] = frozenset()


def unverified(
    database: Database,
    topic_of: Topic,
    versions: str,
    of_source: Callable[[str], str],
    *,
    every: bool = False,
) -> tuple[Group, ...]:
    """The groups whose claims, pages or checks differ from what was verified last; all of them with `every`.

    `of_source` tells what else is known of a page (that it repeats another); where that changes, its claims'
    groups are verified again.
    """
    found: dict[tuple[str, str], list[dict[str, object]]] = defaultdict(list)
    for row in database.rows(_STATES):
        found[row["vendor"], topic_of(row["metric"], row["silent_about"])].append(row)
    known = {
        (row["vendor"], row["topic"]): row["state"]
        for row in database.rows(
            "SELECT vendor, topic, arg_max(state, verified_id) AS state FROM stored.verified GROUP BY ALL"
        )
    }
    groups = []
    for (vendor, topic), rows in sorted(found.items()):
        rows.sort(key=lambda row: (str(row["metric"]), str(row["silent_about"])))
        notes = sorted(
            {note for row in rows for source in _texts(row["sources"]) if (note := of_source(source))}
        )
        state = "/".join(
            [versions, *(f"{row['metric']}:{row['claims']}:{row['state']}" for row in rows), *notes]
        )
        if every or known.get((vendor, topic)) != state:
            parts = tuple((str(row["metric"]), str(row["silent_about"])) for row in rows)
            count = sum(int(str(row["claims"])) for row in rows)
            groups.append(Group(vendor, topic, state, count, parts))
    return tuple(groups)


def _texts(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def members(
    database: Database, groups: Sequence[Group], topic_of: Topic
) -> dict[tuple[str, str], list[Member]]:
    """By vendor and topic, the claims of the groups as they stand."""
    keys = [(group.vendor, *part) for group in groups for part in group.parts]
    columns = [list(column) for column in zip(*keys, strict=True)] if keys else [[], [], []]
    result: dict[tuple[str, str], list[Member]] = defaultdict(list)
    for row in database.rows(_MEMBERS, columns):
        member = Member(
            stored=stored_claim(row),
            visited_since=row["visited_since"],
            url=row["url"] or "",
            tier=row["tier"] or "T4",
            language=row["language"] or "",
            page_vendor=row["page_vendor"],
        )
        result[row["vendor"] or "", topic_of(row["metric"], row["silent_about"])].append(member)
    return result


def statements(database: Database) -> dict[str, Statements]:
    """By source, what the page says as a whole, for finding out which page repeats which."""
    return {
        row["source_id"]: Statements(frozenset(row["quotes"] or ()), frozenset(row["figures"] or ()))
        for row in database.rows(_STATEMENTS)
    }


_FAILED = str(Verdict.CHECK_FAILED)
_ON_PAGE = ("", "page")
"""The group under which it is kept that all claims have the checks of their page in these versions."""


def unread_by(
    database: Database, versions: dict[str, str], *, every: bool = False
) -> dict[tuple[str, str], list[StoredClaim]]:
    """By source and snapshot, the claims whose rows of these checks are missing, of another version, or failed to run.

    Whoever writes a page writes its checks: all claims are looked at only where the versions are not those of last
    time, else those with a check that could not run.
    """
    names = list(versions)
    whole = every or _state(database, _ON_PAGE) != _written(versions)
    failed = (
        database.rows("SELECT DISTINCT claim_key FROM stored.checks WHERE verdict = ?", [_FAILED])
        if not whole
        else []
    )
    if not whole and not failed:
        return {}
    rows = database.rows(
        f"""
        WITH {_LATEST},
        checked AS (
            SELECT claim_key, version, name, arg_max(check_version, recorded_at) AS check_version,
                arg_max(verdict, recorded_at) AS verdict
            FROM stored.checks GROUP BY claim_key, version, name
        ),
        wanted AS (SELECT unnest(?::VARCHAR[]) AS name, unnest(?::VARCHAR[]) AS check_version),
        current AS (
            SELECT claim_key, version, count(*) AS n FROM checked JOIN wanted USING (name, check_version)
            WHERE verdict <> ? GROUP BY claim_key, version
        )
        SELECT standing.* FROM standing LEFT JOIN current USING (claim_key, version)
        WHERE (? OR coalesce(current.n, 0) < ?) AND (? OR claim_key IN (SELECT unnest(?::VARCHAR[])))
        ORDER BY source_id, snapshot_sha256, claim_key
        """,  # noqa: S608 - texts of our own
        [
            names,
            [versions[name] for name in names],
            _FAILED,
            every,
            len(names),
            whole,
            [row["claim_key"] for row in failed],
        ],
    )
    result: dict[tuple[str, str], list[StoredClaim]] = defaultdict(list)
    for row in rows:
        result[row["source_id"], row["snapshot_sha256"]].append(stored_claim(row))
    return result


def _state(database: Database, group: tuple[str, str]) -> str:
    rows = database.rows(
        "SELECT arg_max(state, verified_id) AS state FROM stored.verified WHERE vendor = ? AND topic = ?",
        list(group),
    )
    return rows[0]["state"] or ""


def _written(versions: dict[str, str]) -> str:
    return ",".join(f"{name}:{version}" for name, version in sorted(versions.items()))


def put_versions(database: Database, versions: dict[str, str], at: datetime) -> None:
    """Keeps that all claims have the checks of their page in these versions. Within a transaction."""
    if _state(database, _ON_PAGE) != _written(versions):
        state = Group(*_ON_PAGE, state=_written(versions), claims=0, parts=())
        _put_groups(database, (state,), at)


def _put_groups(database: Database, groups: Sequence[Group], at: datetime) -> None:
    first = database.next_id("stored.verified", "verified_id")
    rows = [
        {
            "verified_id": number,
            "vendor": group.vendor,
            "topic": group.topic,
            "state": group.state,
            "claims": group.claims,
            "recorded_at": utc(at),
        }
        for number, group in enumerate(groups, start=first)
    ]
    database.insert("stored.verified", rows)


def snapshot_of(database: Database, source_id: str, sha256: str) -> Snapshot | None:
    """The snapshot as it was fetched from the source; None where the ledger knows of none."""
    rows = database.rows(
        "SELECT * FROM stored.snapshots WHERE source_id = ? AND sha256 = ? ORDER BY visit_id DESC LIMIT 1",
        [source_id, sha256],
    )
    return stored_snapshot(rows[0]) if rows else None


def put_checks(
    database: Database,
    groups: Sequence[Group],
    checks: Iterable[Check],
    versions: dict[str, int],
    at: datetime,
) -> int:
    """Keeps the verdicts that are not those of last time, and that the groups are verified; gives how many were new.

    `versions`: the version of each claim that the checks are of. To be called within a transaction.
    """
    checks = list(checks)
    rows = database.rows(
        """
        SELECT claim_key, version, name, max(recorded_at) AS recorded_at,
            arg_max((check_version, inputs, verdict), recorded_at) AS last, last[1] AS check_version,
            last[2] AS inputs, last[3] AS verdict
        FROM stored.checks WHERE claim_key IN (SELECT unnest(?::VARCHAR[])) GROUP BY claim_key, version, name
        """,
        [list({check.claim_key for check in checks})],
    )
    known = {
        (row["claim_key"], row["version"], row["name"]): (row["check_version"], row["inputs"], row["verdict"])
        for row in rows
    }
    new = [
        check
        for check in checks
        if known.get((check.claim_key, versions[check.claim_key], check.name))
        != (check.version, check.inputs, str(check.verdict))
    ]
    # The last row of a check counts: where the clock was set back, a new row still comes after those before it.
    after = max((row["recorded_at"] for row in rows), default=None)
    then = utc(at) if after is None else max(utc(at), utc(after) + timedelta(microseconds=1))
    database.insert("stored.checks", [check_row(c, versions[c.claim_key], then) for c in new])
    _put_groups(database, groups, at)
    return len(new)
