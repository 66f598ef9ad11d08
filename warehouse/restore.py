"""A ledger that is missing comes back from the published file, which is a whole copy of it."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import duckdb

from schemas.errors import LedgerError, LedgerHeldError
from warehouse.database import Database, first_line
from warehouse.home import Home
from warehouse.snapshots import sync_folder

_NOT_THE_FILE_S_FAULT = ("lock", "permission", "out of memory", "too many open files")


@dataclass(frozen=True)
class Restored:
    """What was done for a ledger that was missing or had lost something.

    `source`: the file it was rebuilt from. `set_aside`: files that could not be used, under their new names.
    `why`: what was wrong, to go after "the ledger".
    """

    source: Path | None = None
    set_aside: tuple[Path, ...] = ()
    why: str = "was missing"


def restore(home: Home) -> Restored:
    """Puts a copy of the published file where the ledger is missing; to be called by the writer alone.

    A published file that cannot be read is set aside, so that nothing replaces it. Raises LedgerError where
    the copy cannot be written or the published file is held by somebody else.
    """
    if home.published.is_dir():
        raise LedgerError(f"{home.published} is a folder, where the published file goes; move it away")
    if home.ledger.exists() and (home.ledger.is_dir() or home.ledger.stat().st_size):
        return Restored()
    try:
        # What a deleted ledger had not yet taken in belongs to no other file.
        aside = _set_aside(home.ledger.with_name(f"{home.ledger.name}.wal"))
        if not home.published.exists():
            return Restored(set_aside=aside)
        if not _is_readable(home.published):
            return Restored(set_aside=aside + _set_aside(home.published))
        _copy_back(home)
    except (OSError, duckdb.Error) as error:
        raise LedgerError(
            f"the ledger is missing and could not be rebuilt from {home.published} ({first_line(error)}); "
            "make room or make the home writable, and try again"
        ) from error
    return Restored(source=home.published, set_aside=aside)


def open_whole(home: Home, way_out: str) -> tuple[Database, Restored]:
    """Opens the ledger, whatever a killed or failing machine has left of its log; the writer alone may call it.

    DuckDB takes a log that was cut off for one that ends there, and then the ledger knows less than the
    published file. Such a ledger, and one whose log is damaged, is set aside with its log and rebuilt from the
    published file; pages that were not published yet are read again by the next run, from what it fetches.
    """
    log = home.ledger.with_name(f"{home.ledger.name}.wal")
    copy = home.ledger.with_name(f"{home.ledger.name}.wal.opening")
    had_log = log.is_file() and log.stat().st_size > 0
    try:
        if had_log:
            shutil.copyfile(log, copy)
        try:
            database = Database.open(home.ledger, way_out)
        except LedgerHeldError:
            raise
        except LedgerError as error:
            if not (had_log and "WAL" in str(error)):
                raise
            return _rebuild(home, log, way_out, "had a damaged log")
        if home.published.is_file() and _knows_less(database, home):
            database.close()
            if had_log:
                copy.replace(log)
            return _rebuild(home, log, way_out, "had lost what was published")
        return database, Restored()
    except OSError as error:
        raise LedgerError(f"{home.ledger} cannot be opened ({error.strerror or error}); {way_out}") from error
    finally:
        copy.unlink(missing_ok=True)


def _rebuild(home: Home, log: Path, way_out: str, why: str) -> tuple[Database, Restored]:
    aside = _set_aside(log)
    if not home.published.is_file():
        # What the log had not handed on to the file is gone; what is in the file is all that is left.
        return Database.open(home.ledger, way_out), Restored(set_aside=aside, why=why)
    aside += _set_aside(home.ledger)
    restored = restore(home)
    whole = Restored(source=restored.source, set_aside=aside + restored.set_aside, why=why)
    return Database.open(home.ledger, way_out), whole


def _knows_less(database: Database, home: Home) -> bool:
    """Whether something stands in the published file that the ledger does not have. Both only ever grow."""
    path = str(home.published).replace("'", "''")
    try:
        database.run_script(f"ATTACH '{path}' AS published (READ_ONLY)")
    except duckdb.Error:
        return False  # a damaged published file is replaced by the next publish
    try:
        there, here = (database.rows(_MARKS.format(name)) for name in ("published.", ""))
        return any((there[0][name] or 0) > (here[0][name] or 0) for name in there[0])
    except LedgerError:
        # The ledger has not even its tables, or the published file is none of ours.
        return _has_tables(database, "published") and not _has_tables(database, database.name())
    finally:
        database.run_script("DETACH published")


def _has_tables(database: Database, catalog: str) -> bool:
    rows = database.rows(
        "SELECT 1 AS one FROM duckdb_tables() WHERE database_name = ? AND table_name = 'claim_versions'",
        [catalog],
    )
    return bool(rows)


_MARKS = """
SELECT
    (SELECT max(run_id) FROM {0}stored.runs) AS run,
    (SELECT max(visit_id) FROM {0}stored.visits) AS visit,
    (SELECT max(change_id) FROM {0}stored.changes) AS change,
    (SELECT max(decision_id) FROM {0}stored.decisions) AS decision,
    (SELECT max(score_id) FROM {0}stored.scores) AS score,
    (SELECT count(*) FROM {0}stored.claim_versions) AS versions
"""


def _copy_back(home: Home) -> None:
    new = home.root / "restoring.duckdb"
    leftovers = (new, new.with_name(f"{new.name}.wal"))
    for leftover in leftovers:
        leftover.unlink(missing_ok=True)
    try:
        database = Database.open(new)
        try:
            # ATTACH takes no parameters. The path is the home's, and a quote in it is doubled.
            path = str(home.published).replace("'", "''")
            database.run_script(f"ATTACH '{path}' AS published (READ_ONLY)")
            database.run_script("COPY FROM DATABASE published TO restoring")
            database.run_script("CHECKPOINT restoring")
        finally:
            database.close()
        with new.open("rb") as file:
            os.fsync(file.fileno())
        new.replace(home.ledger)
        sync_folder(home.root)
    finally:
        for leftover in leftovers:
            leftover.unlink(missing_ok=True)


def _is_readable(published: Path) -> bool:
    """Whether every value of the file can be read, and it is a ledger."""
    try:
        with duckdb.connect(str(published), read_only=True) as connection:
            connection.execute("SELECT max(version) FROM stored.schema_version").fetchall()
            tables = connection.execute(
                "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal"
            ).fetchall()
            for schema, table in tables:
                connection.execute(f'SELECT bit_xor(hash(t)) FROM "{schema}"."{table}" AS t').fetchall()  # noqa: S608 - the file's own names
    except duckdb.Error as error:
        if any(words in str(error).lower() for words in _NOT_THE_FILE_S_FAULT):
            raise LedgerError(
                f"the ledger is missing and {published}, from which it would be rebuilt, cannot be opened "
                f"({first_line(error)}); end what holds it and try again"
            ) from error
        return False
    return True


def _set_aside(path: Path) -> tuple[Path, ...]:
    if not path.exists():
        return ()
    number = 1
    while (aside := path.with_name(f"{path.name}.unreadable-{number}")).exists():
        number += 1
    path.rename(aside)
    return (aside,)
