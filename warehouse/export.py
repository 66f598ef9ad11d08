"""What was published, as files that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import duckdb

from schemas.errors import LedgerError, QueryError
from warehouse.database import first_line
from warehouse.home import Home
from warehouse.migrate import shipped_views
from warehouse.query import ANOTHER_VERSION, UNKNOWN_NAME, is_of_another_version

ExportForm = Literal["parquet", "csv"]


def export(home: Home, folder: Path, form: ExportForm, views: tuple[str, ...] = ()) -> dict[str, int]:
    """Writes each view to `folder/<view>.<form>` and gives their rows by view; all views unless some are named.

    A file that is there is replaced as a whole. CSV holds lists, maps and JSON as text, times with their zone.
    Raises QueryError for an unknown view or an unpublished ledger, LedgerError where a file cannot be written.
    """
    known = tuple(shipped_views())
    if unknown := sorted(set(views) - set(known)):
        raise QueryError(f"there is no view {unknown[0]!r}; the views are {', '.join(known)}")
    if not home.published.exists():
        raise QueryError(f"nothing was published at {home.root} yet; run `koujing refresh` first")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with duckdb.connect(str(home.published), read_only=True) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            try:
                return {
                    view: _write(connection, view, folder / f"{view}.{form}", form) for view in views or known
                }
            except UNKNOWN_NAME as error:
                if is_of_another_version(connection):
                    raise QueryError(ANOTHER_VERSION) from error
                raise
    except (OSError, duckdb.Error) as error:
        raise LedgerError(
            f"the export to {folder} failed ({first_line(error)}); make room or choose another folder"
        ) from error


def _write(connection: duckdb.DuckDBPyConnection, view: str, path: Path, form: ExportForm) -> int:
    new = path.with_name(f".new-{path.name}")
    options = "FORMAT parquet, COMPRESSION zstd" if form == "parquet" else "FORMAT csv, HEADER"
    # COPY takes no parameters. A view's name is one of ours, and a quote in the path is doubled.
    place = str(new).replace("'", "''")
    try:
        connection.execute(f"COPY (SELECT * FROM {view}) TO '{place}' ({options})")  # noqa: S608 - names of ours
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
    count = connection.execute(f"SELECT count(*) FROM {view}").fetchone()  # noqa: S608 - a view of ours
    return int(count[0]) if count else 0
