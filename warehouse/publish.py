"""The ledger's copy for readers: checked, complete, and put in place in one step."""

from __future__ import annotations

import contextlib
import os

import duckdb

from schemas.errors import LedgerError
from warehouse.copying import attached, files_of, make_copy, remove
from warehouse.database import Database, first_line
from warehouse.home import Home
from warehouse.invariants import first_broken
from warehouse.snapshots import sync_folder

_STATE = """
SELECT
    (SELECT max((run_id, status)) FROM {0}stored.runs) AS run,
    (SELECT max(visit_id) FROM {0}stored.visits) AS visit,
    (SELECT max(reading_id) FROM {0}stored.readings) AS reading,
    (SELECT max(change_id) FROM {0}stored.changes) AS change,
    (SELECT max(decision_id) FROM {0}stored.decisions) AS decision,
    (SELECT max(waiting_id) FROM {0}stored.waiting_decisions) AS waiting,
    (SELECT max(score_id) FROM {0}stored.scores) AS score,
    (SELECT max(word_id) FROM {0}stored.score_words) AS word,
    (SELECT max(ranking_id) FROM {0}stored.rankings) AS ranking,
    (SELECT max(hold_id) FROM {0}stored.releases) AS release,
    (SELECT max(verified_id) FROM {0}stored.verified) AS verified,
    (SELECT max(version) FROM {0}stored.schema_version) AS form,
    (SELECT sha256 FROM {0}stored.laid_views) AS views
"""
"""What a ledger and a whole copy of it have in common. Everything is numbered upwards and nothing is changed."""


def publish(database: Database, home: Home) -> None:
    """Replaces the file that readers open by a copy of the ledger as it stands.

    Readers are never blocked: who has the old file open keeps it. Raises LedgerError, naming the first row
    that breaks an invariant, and leaves the old file in place.
    """
    new = home.root / "publishing.duckdb"
    for path in (*files_of(new), home.published):
        if path.is_dir():
            raise LedgerError(
                f"{path} is a folder, where the published file goes; move it away (nothing was published)"
            )
    try:
        make_copy(database, new, last=home.published)
        with attached(database, new):
            broken = first_broken(database, "copy")
        if broken:
            raise LedgerError(f"{broken}; nothing was published, the old file is still in place")
        with new.open("rb") as file:
            os.fsync(file.fileno())
        new.replace(home.published)
        sync_folder(home.root)
    except (OSError, duckdb.Error) as error:
        kept = "the old file is still in place" if home.published.is_file() else "nothing was published"
        raise LedgerError(f"the ledger could not be published ({first_line(error)}); {kept}") from error
    finally:
        with contextlib.suppress(OSError):
            remove(new)


def is_current(database: Database, home: Home) -> bool:
    """Whether the published file holds all that the ledger does. False where it cannot be read."""
    if not home.published.is_file():
        return False
    path = str(home.published).replace("'", "''")
    try:
        database.run_script(f"ATTACH '{path}' AS copy (READ_ONLY)")
    except duckdb.Error:
        return False
    try:
        return database.rows(_STATE.format("copy.")) == database.rows(_STATE.format(""))
    except LedgerError:
        return False
    finally:
        database.run_script("DETACH copy")
