"""The published file, kept open for many small questions of our own; what is published meanwhile is opened anew."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from schemas.errors import QueryError
from warehouse.database import first_line
from warehouse.home import Home

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
    "threads": "2",
    "memory_limit": "1GB",
}


def stamp(home: Home) -> tuple[int, int, int]:
    """What differs after each publishing; all 0 before the first."""
    try:
        state = home.published.stat()
    except OSError:
        return (0, 0, 0)
    return (state.st_ino, state.st_mtime_ns, state.st_size)


class Reader:
    """One state of the published file, readable by many threads, whatever is published after it was opened."""

    def __init__(self, home: Home) -> None:
        if not home.published.exists():
            raise QueryError(
                f"there is no ledger at {home.root} yet; run `koujing refresh` or `koujing demo` first"
            )
        # DuckDB shares what it has open under one path, so this state gets a name of its own, and loses it at once.
        own = home.root / f"reading-{os.getpid()}-{secrets.token_hex(6)}.duckdb"
        try:
            os.link(home.published, own)
            self._connection = duckdb.connect(str(own), read_only=True, config=_CONFIG)
            self._connection.execute("SET TimeZone = 'UTC'")
        except (OSError, duckdb.Error) as error:
            raise QueryError(f"the published file cannot be read ({first_line(error)})") from error
        finally:
            Path(own).unlink(missing_ok=True)

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[dict[str, Any]]:
        """Gives the rows of one of our own queries, by column name."""
        cursor = self._connection.cursor()
        try:
            found = cursor.execute(sql, list(values))
            names = [column[0] for column in found.description]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
        except duckdb.Error as error:
            raise QueryError(f"the published file cannot be read ({first_line(error)})") from error
        finally:
            cursor.close()
