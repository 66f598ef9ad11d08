"""A ledger that is missing comes back from the published file, which is a whole copy of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import duckdb

from schemas.errors import LedgerError
from warehouse.database import Database, first_line
from warehouse.home import Home
from warehouse.snapshots import sync_folder

_NOT_THE_FILE_S_FAULT = ("lock", "permission", "out of memory", "too many open files")


@dataclass(frozen=True)
class Restored:
    """What was done for a missing ledger.

    `source`: the file it was rebuilt from. `set_aside`: files that could not be used, under their new names.
    """

    source: Path | None = None
    set_aside: tuple[Path, ...] = ()


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
