"""The writer's connection to the ledger file: transactions, rows in, rows out."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from schemas.errors import LedgerError, LedgerHeldError
from warehouse import columns

Row = dict[str, Any]
"""A row by column name. DuckDB decides the types of the values, so they are not known here."""


class Database:
    """One DuckDB connection, used by one thread at a time.

    DuckDB's errors leave a transaction and `rows` as LedgerError. A signal that arrives while DuckDB works
    leaves as KeyboardInterrupt: it is no trouble of the page that happens to be written.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._turn = threading.RLock()
        self._types: dict[str, dict[str, str]] = {}

    @classmethod
    def open(cls, path: Path, way_out: str = "move it away to begin a new one") -> Database:
        """Opens the file, making it when missing; replays what a killed writer had committed.

        `way_out` is what the LedgerError advises where the file is no ledger.
        """
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
                f"{path} cannot be opened as a ledger ({first_line(error)}); {way_out}"
            ) from error
        return cls(connection)

    def close(self) -> None:
        """Ends the connection. What was committed is kept."""
        with self._turn:
            self._connection.close()

    def beside(self) -> duckdb.DuckDBPyConnection:
        """Another connection to the same open file, with transactions of its own; to be closed before this one."""
        return self._connection.cursor()

    @contextlib.contextmanager
    def transaction(self, failure: str) -> Iterator[None]:
        """Stores all that the block does, or nothing; `failure` begins the LedgerError's sentence."""
        with self._turn:
            try:
                self.execute("BEGIN")
                yield
                self.execute("COMMIT")
            except BaseException as error:
                with contextlib.suppress(duckdb.Error, RuntimeError):
                    self._connection.execute("ROLLBACK")
                if isinstance(error, duckdb.Error | UnicodeError):
                    raise LedgerError(f"{failure} ({first_line(error)}); nothing of it was stored") from error
                raise

    def execute(self, sql: str, values: Sequence[object] = ()) -> None:
        """Runs one statement for its effect."""
        with self._turn, _interruptible():
            self._connection.execute(sql, list(values))

    def run_script(self, sql: str, *, leave_out: tuple[str, ...] = ()) -> None:
        """Runs statements one after the other, but for those that begin with one of `leave_out`."""
        self._types.clear()  # they may change what tables look like
        with self._turn, _interruptible():
            for statement in self._connection.extract_statements(sql):
                if not statement.query.lstrip().startswith(leave_out):
                    self._connection.execute(statement)

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Gives the result of a query."""
        with self._turn, _interruptible():
            try:
                result = self._connection.execute(sql, list(values))
                names = [column[0] for column in result.description]
                return [dict(zip(names, row, strict=True)) for row in result.fetchall()]
            except duckdb.InterruptException:
                raise
            except duckdb.Error as error:
                raise LedgerError(f"the ledger cannot be read ({first_line(error)})") from error

    def insert(self, table: str, rows: Sequence[Mapping[str, object]]) -> None:
        """Adds rows that all have the first one's columns. A dict becomes a MAP of texts."""
        if not rows:
            return
        types = self._column_types(table)
        with self._turn, _interruptible():
            columns.insert(self._connection, table, types, rows)

    def _column_types(self, table: str) -> dict[str, str]:
        if table in self._types:
            return self._types[table]
        schema, _, name = table.rpartition(".")
        found = self.rows(
            """
            SELECT column_name, data_type FROM duckdb_columns()
            WHERE database_name = current_database() AND schema_name = ? AND table_name = ?
            """,
            [schema, name],
        )
        self._types[table] = {column["column_name"]: column["data_type"] for column in found}
        return self._types[table]

    def tables(self) -> list[str]:
        """The names of the ledger's tables, without their schema `stored`."""
        rows = self.rows(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() "
            "AND schema_name = 'stored' ORDER BY table_name"
        )
        return [row["table_name"] for row in rows]

    def name(self) -> str:
        """What DuckDB calls the open file in queries that name a catalog."""
        return str(self.rows("SELECT current_database() AS name")[0]["name"])

    def next_id(self, table: str, column: str) -> int:
        """The number after the highest in use. There is one writer, so nobody else takes it."""
        sql = f"SELECT coalesce(max({column}), 0) + 1 AS id FROM {table}"  # noqa: S608 - our names
        return int(self.rows(sql)[0]["id"])


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Gives a signal its own exception back, for which DuckDB puts an error that names no cause."""
    try:
        yield
    except duckdb.InterruptException as error:
        raise KeyboardInterrupt from error
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise


def first_line(error: BaseException) -> str:
    """The first line of an error's message, without the query that DuckDB repeats under it."""
    return (str(error).splitlines() or [type(error).__name__])[0]
