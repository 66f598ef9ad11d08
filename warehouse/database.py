"""The writer's connection to the ledger file: transactions, rows in, rows out."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from schemas.errors import LedgerError, LedgerHeldError

Row = dict[str, Any]
"""A row by column name. DuckDB decides the types of the values, so they are not known here."""


class Database:
    """One DuckDB connection, used by one thread at a time. DuckDB's errors leave it as LedgerError."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._turn = threading.RLock()

    @classmethod
    def open(cls, path: Path) -> Database:
        """Opens the file, making it when missing; replays what a killed writer had committed."""
        try:
            connection = duckdb.connect(str(path))
            connection.execute("SET TimeZone = 'UTC'")
        except duckdb.Error as error:
            if "lock" in str(error).lower():
                raise LedgerHeldError(
                    f"another process reads {path} directly, which shuts out the writer; "
                    "end that query (read the published file instead) and try again"
                ) from error
            raise LedgerError(
                f"{path} cannot be opened as a ledger ({first_line(error)}); move it away to begin a new one"
            ) from error
        return cls(connection)

    def close(self) -> None:
        """Ends the connection. What was committed is kept."""
        with self._turn:
            self._connection.close()

    @contextlib.contextmanager
    def transaction(self, failure: str) -> Iterator[None]:
        """Stores all that the block does, or nothing; `failure` begins the LedgerError's sentence."""
        with self._turn:
            try:
                self._connection.execute("BEGIN")
                yield
                self._connection.execute("COMMIT")
            except BaseException as error:
                with contextlib.suppress(duckdb.Error):
                    self._connection.execute("ROLLBACK")
                if isinstance(error, duckdb.Error | UnicodeError):
                    raise LedgerError(f"{failure} ({first_line(error)}); nothing of it was stored") from error
                raise

    def execute(self, sql: str, values: Sequence[object] = ()) -> None:
        """Runs one statement for its effect."""
        with self._turn:
            self._connection.execute(sql, list(values))

    def run_script(self, sql: str) -> None:
        """Runs statements one after the other."""
        with self._turn:
            for statement in self._connection.extract_statements(sql):
                self._connection.execute(statement)

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Gives the result of a query."""
        with self._turn:
            try:
                result = self._connection.execute(sql, list(values))
                names = [column[0] for column in result.description]
                return [dict(zip(names, row, strict=True)) for row in result.fetchall()]
            except duckdb.Error as error:
                raise LedgerError(f"the ledger cannot be read ({first_line(error)})") from error

    def insert(self, table: str, rows: Sequence[Mapping[str, object]]) -> None:
        """Adds rows that all have the first one's columns. A dict becomes a MAP of texts."""
        if not rows:
            return
        first = rows[0]
        # A dict bound as it is would become a STRUCT, whose field names ignore case; JSON keeps the keys.
        marks = ["?::JSON::MAP(VARCHAR, VARCHAR)" if isinstance(v, dict) else "?" for v in first.values()]
        sql = f"INSERT INTO {table} ({', '.join(first)}) VALUES ({', '.join(marks)})"  # noqa: S608 - our names
        values = [[_bindable(row[name]) for name in first] for row in rows]
        with self._turn:
            self._connection.executemany(sql, values)

    def next_id(self, table: str, column: str) -> int:
        """The number after the highest in use. There is one writer, so nobody else takes it."""
        sql = f"SELECT coalesce(max({column}), 0) + 1 AS id FROM {table}"  # noqa: S608 - our names
        return int(self.rows(sql)[0]["id"])


def _bindable(value: object) -> object:
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return list(value) if isinstance(value, tuple) else value


def first_line(error: BaseException) -> str:
    """The first line of an error's message, without the query that DuckDB repeats under it."""
    return (str(error).splitlines() or [type(error).__name__])[0]
