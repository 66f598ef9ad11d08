"""What must hold of every published file. A ledger that breaks one of these is not shown to anybody."""

from __future__ import annotations

from pathlib import Path

import duckdb

from schemas.errors import LedgerError
from warehouse.database import Database, first_line

_VERSION = "'version ' || version || ' of claim ' || claim_key AS what"
_SCORE = "'the score of ' || score.vendor || ' in ' || score.dimension"

INVARIANTS: dict[str, str] = {
    "has no snapshot": f"""
        SELECT {_VERSION} FROM {{0}}.stored.claim_versions AS v
        ANTI JOIN (
            SELECT sha256, source_id FROM {{0}}.stored.snapshots
            UNION SELECT snapshot_sha256, source_id FROM {{0}}.stored.readings
        ) AS s ON s.sha256 = v.snapshot_sha256 AND s.source_id = v.source_id""",
    "quotes nothing": f"""
        SELECT {_VERSION} FROM {{0}}.stored.claim_versions WHERE trim(evidence_quote) = ''""",
    "does not follow on the version before it": f"""
        SELECT {_VERSION} FROM {{0}}.stored.claim_versions
        QUALIFY version <> row_number() OVER (PARTITION BY claim_key ORDER BY version)""",
    "begins before the version that it follows": f"""
        SELECT {_VERSION} FROM {{0}}.stored.claim_versions
        QUALIFY valid_from < lag(valid_from) OVER (PARTITION BY claim_key ORDER BY version)""",
    "was recorded before the version that it follows": f"""
        SELECT {_VERSION} FROM {{0}}.stored.claim_versions
        QUALIFY recorded_at < lag(recorded_at) OVER (PARTITION BY claim_key ORDER BY version)""",
    "moved to another source": """
        SELECT 'claim ' || claim_key AS what FROM {0}.stored.claim_versions
        GROUP BY claim_key HAVING min(source_id) <> max(source_id)""",
    "is of a source that is not listed": f"""
        SELECT {_VERSION} FROM {{0}}.stored.claim_versions
        ANTI JOIN {{0}}.stored.sources USING (source_id)""",
    "is of a run that is not in the ledger": f"""
        SELECT {_VERSION} FROM {{0}}.stored.claim_versions ANTI JOIN {{0}}.stored.runs USING (run_id)""",
    "is raised on no version of a claim": """
        SELECT 'the flag ' || flag_id || ' of version ' || version AS what FROM {0}.stored.flags
        ANTI JOIN {0}.stored.claim_versions USING (claim_key, version)""",
    "settles no flag": """
        SELECT 'decision ' || decision_id || ' on ' || flag_id AS what FROM {0}.stored.decisions
        ANTI JOIN {0}.stored.flags USING (claim_key, version, name) WHERE name <> 'claim'""",
    "speaks of no version of a claim": """
        SELECT 'decision ' || decision_id || ' on ' || flag_id AS what FROM {0}.stored.decisions
        ANTI JOIN {0}.stored.claim_versions USING (claim_key, version)""",
    "takes back no decision": """
        SELECT 'decision ' || one.decision_id || ' on ' || one.flag_id AS what FROM {0}.stored.decisions AS one
        ANTI JOIN {0}.stored.decisions AS other ON other.decision_id = one.undoes WHERE one.kind = 'undone'""",
    "names a version that is not in the ledger": """
        SELECT 'event ' || change_id || ' of claim ' || claim_key AS what FROM (
            SELECT change_id, claim_key, unnest([version_before, version_after]) AS version
            FROM {0}.stored.changes)
        ANTI JOIN {0}.stored.claim_versions USING (claim_key, version) WHERE version IS NOT NULL""",
    "tells of a change without both its versions": """
        SELECT 'event ' || change_id || ' of claim ' || claim_key AS what FROM {0}.stored.changes
        WHERE kind = 'changed' AND (version_before IS NULL OR version_after IS NULL OR len(fields) = 0)""",
    "ends no hold": """
        SELECT 'the release of hold ' || hold_id AS what FROM {0}.stored.releases
        ANTI JOIN {0}.stored.holds USING (hold_id)""",
    "is held twice at once": """
        SELECT 'the page ' || source_id AS what FROM {0}.stored.holds
        ANTI JOIN {0}.stored.releases USING (hold_id) GROUP BY source_id HAVING count(*) > 1""",
    "rests on a claim that is not in the ledger": f"""
        SELECT {_SCORE} || ' (' || claim_key || ')' AS what
        FROM {{0}}.stored.score_claims LEFT JOIN {{0}}.stored.scores AS score USING (score_id)
        ANTI JOIN {{0}}.stored.claim_versions USING (claim_key)""",
    "is marked as resting on a changed claim and names none": f"""
        SELECT {_SCORE} AS what FROM {{0}}.stored.scores AS score ANTI JOIN {{0}}.stored.score_claims USING (score_id)
        WHERE status <> 'standing'""",
    "does not start at rank 1": """
        SELECT 'the ranking ' || ranking_id || ' of ' || scorecard AS what
        FROM {0}.stored.rankings LEFT JOIN {0}.stored.placements USING (ranking_id)
        WHERE variant <> 'derived' GROUP BY ALL HAVING coalesce(min(rank), 0) <> 1""",
    # Equal totals share a rank and the next one counts on: 1, 2, 2, 4. Totals are stored rounded, so that two which
    # differ only past the last place may stand on two ranks; a better rank never has the smaller total.
    "has a rank out of order": """
        SELECT 'the ranking ' || ranking_id || ' of ' || scorecard || ' (' || vendor || ')' AS what
        FROM {0}.stored.placements JOIN {0}.stored.rankings USING (ranking_id)
        QUALIFY total > min(total) OVER (
                PARTITION BY ranking_id ORDER BY rank RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
            OR rank <> 1 + count(*) OVER (
                PARTITION BY ranking_id ORDER BY rank RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
                - count(*) OVER (PARTITION BY ranking_id, rank)""",
    "is derived and has no vendor that can be first": """
        SELECT 'the ranking ' || ranking_id || ' of ' || scorecard AS what
        FROM {0}.stored.rankings LEFT JOIN {0}.stored.derived_places USING (ranking_id)
        WHERE variant = 'derived' GROUP BY ALL HAVING coalesce(min(best), 0) <> 1""",
    "is derived from a version that is not in the ledger": """
        SELECT 'the score of ' || vendor || ' in ' || dimension || ' (' || claim_key || ')' AS what
        FROM {0}.stored.derived_claims ANTI JOIN {0}.stored.claim_versions USING (claim_key, version)""",
}
"""Each query gives the rows of which its key is true. {0} stands for the catalog that is looked at."""


def first_broken(database: Database, catalog: str) -> str | None:
    """The first row that breaks an invariant, with what is wrong with it; None where all hold."""
    for failure, sql in INVARIANTS.items():
        if broken := database.rows(f"{sql.format(catalog)} ORDER BY what LIMIT 1"):
            return f"{broken[0]['what']} {failure}"
    return None


def first_broken_in(file: Path) -> str | None:
    """What `first_broken` finds in a published file, which stays as it is. LedgerError where it cannot be read."""
    try:
        database = Database(duckdb.connect(str(file), read_only=True))
    except duckdb.Error as error:
        raise LedgerError(f"{file.name} cannot be read ({first_line(error)})") from None
    try:
        return first_broken(database, database.name())
    finally:
        database.close()
