"""A complete copy of the ledger in another file: the last one with what it lacks, or one that is written anew.

Both have the same rows. The first costs by what is new, and not by what there is. It is taken only where every row
of every table is found to be the ledger's, so that nothing that was done to the last one is carried on.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb

from schemas.errors import LedgerError
from warehouse.database import Database

_BY_CLAIM = dict.fromkeys(("claim_versions", "flags", "checks"), " ORDER BY claim_key, version")
"""Tables whose rows lie by claim in the copy, as they are asked for: a claim is found without reading the others.

In the ledger they lie by night. DuckDB knows the least and the greatest key of each stretch of rows."""

_MOST_LOOSE = 20
"""Where more than one row in so many was added behind those that lie by claim, the copy is written anew."""

_LAID = "rows that lie by claim: "
_SINCE = {"checks": "recorded_at"}
"""Tables without a key, and the time by which what is new in them is found."""

_FORM = r"""
SELECT
    (SELECT list(step ORDER BY step) FROM {0}.stored.schema_version AS step) AS steps,
    (SELECT list(laid ORDER BY laid) FROM {0}.stored.laid_views AS laid) AS laid,
    (SELECT list((table_name, column_name, data_type) ORDER BY table_name, column_name) FROM duckdb_columns()
        WHERE database_name = '{0}' AND NOT internal) AS columns,
    (SELECT list((view_name, length(sql), list_sort(regexp_extract_all(sql, '\w+'))) ORDER BY view_name)
        FROM duckdb_views() WHERE database_name = '{0}' AND NOT internal) AS views,
    (SELECT list((function_name, macro_definition) ORDER BY function_name, macro_definition) FROM duckdb_functions()
        WHERE database_name = '{0}' AND NOT internal) AS macros
"""
"""Views are compared word by word: DuckDB prints the columns of an EXCLUDE now in one order and now in another."""


def make_copy(database: Database, new: Path, last: Path) -> None:
    """Leaves in the file `new`, closed, all that the ledger holds. `last`: the copy before it, if there is one.

    Raises LedgerError, OSError or DuckDB's errors, and may then leave half a file behind.
    """
    if last.is_file() and _brought_up(database, new, last):
        return
    remove(new)
    with attached(database, new):
        _write_anew(database)
        database.run_script("CHECKPOINT copy")


@contextlib.contextmanager
def attached(database: Database, path: Path) -> Iterator[None]:
    """Within the block the file is open beside the ledger, as the catalog `copy`."""
    # ATTACH takes no parameters. The path is the home's, and a quote in it is doubled.
    database.run_script(f"ATTACH '{str(path).replace(chr(39), chr(39) * 2)}' AS copy")
    try:
        yield
    finally:
        database.run_script("DETACH copy")


def files_of(path: Path) -> tuple[Path, Path]:
    """A database file and its log."""
    return path, path.with_name(f"{path.name}.wal")


def remove(path: Path) -> None:
    """Deletes a database file and its log, as far as they are there."""
    for leftover in files_of(path):
        leftover.unlink(missing_ok=True)


def _write_anew(database: Database) -> None:
    ledger = database.name()
    database.run_script(f'COPY FROM DATABASE "{ledger}" TO copy (SCHEMA)')
    for table in database.tables():
        order = _BY_CLAIM.get(table, "")
        database.execute(f'INSERT INTO copy.stored.{table} FROM "{ledger}".stored.{table}{order}')
    laid = _rows_of(database, "copy.stored.claim_versions")
    database.execute(f"COMMENT ON TABLE copy.stored.claim_versions IS '{_LAID}{laid}'")


def _brought_up(database: Database, new: Path, last: Path) -> bool:
    """Whether `new` is now the last copy with what it lacked, and so a whole one."""
    remove(new)
    shutil.copyfile(last, new)
    ledger = f'"{database.name()}"'
    try:
        with attached(database, new):
            if database.rows(_FORM.format("copy")) != database.rows(_FORM.format(database.name())):
                return False
            with database.transaction("the copy could not be brought up to date"):
                _add_lacking(database, ledger)
            if _is_loose(database) or any(
                _print_of(database, f"copy.stored.{table}") != _print_of(database, f"{ledger}.stored.{table}")
                for table in database.tables()
            ):
                return False
            database.run_script("CHECKPOINT copy")
    except (LedgerError, duckdb.Error):
        return False  # the last copy is damaged, or no copy of this ledger; writing anew tells what else it may be
    return True


def _add_lacking(database: Database, ledger: str) -> None:
    # The end of a run is the one thing that is ever written over.
    database.execute(
        f"UPDATE copy.stored.runs AS there SET status = here.status, ended_at = here.ended_at "  # noqa: S608 - our names
        f"FROM {ledger}.stored.runs AS here WHERE here.run_id = there.run_id AND here.status <> there.status"
    )
    keys = {
        row["table_name"]: ", ".join(row["key"])
        for row in database.rows(
            "SELECT table_name, constraint_column_names AS key FROM duckdb_constraints() "
            "WHERE database_name = 'copy' AND constraint_type = 'PRIMARY KEY'"
        )
    }
    for table in database.tables():
        here, there = f"{ledger}.stored.{table}", f"copy.stored.{table}"
        if _rows_of(database, here) == _rows_of(database, there):
            continue
        if table in keys:
            lacking = f"FROM {here} ANTI JOIN {there} USING ({keys[table]})"
        elif at := _SINCE.get(table):
            last = database.rows(f"SELECT max({at}) AS at FROM {there}")[0]["at"]  # noqa: S608 - our names
            since = f"WHERE {at} >= '{last or '-infinity'}'"
            lacking = f"FROM {here} {since} EXCEPT ALL FROM {there} {since}"
        else:
            lacking = f"FROM {here} EXCEPT ALL FROM {there}"
        database.execute(f"INSERT INTO {there} FROM ({lacking}){_BY_CLAIM.get(table, '')}")


def _is_loose(database: Database) -> bool:
    """Whether too many rows do not lie by claim, or nobody knows how many."""
    (row,) = database.rows(
        "SELECT comment FROM duckdb_tables() WHERE database_name = 'copy' AND table_name = 'claim_versions'"
    )
    comment = str(row["comment"] or "")
    laid = int(comment.removeprefix(_LAID)) if comment.startswith(_LAID) else 0
    rows = _rows_of(database, "copy.stored.claim_versions")
    return (rows - laid) * _MOST_LOOSE > rows


def _rows_of(database: Database, table: str) -> int:
    return int(database.rows(f"SELECT count(*) AS n FROM {table}")[0]["n"])  # noqa: S608 - our names


def _print_of(database: Database, table: str) -> object:
    """What two tables with the same rows have in common, whatever the order of either, and others do not."""
    return database.rows(f"SELECT count(*) AS n, sum(hash(row)) AS print FROM {table} AS row")  # noqa: S608 - our names
