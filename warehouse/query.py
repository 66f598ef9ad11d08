"""Questions in SQL to the published file, which can neither write nor see anything else.

Four walls, each of which would do for most attacks: the file is opened read-only; DuckDB may touch no other
file, network or extension, and its settings are locked; only a single reading statement is let through; and
what the parsed statement names must be open to queries (see `warehouse.query_rules`).
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import duckdb

from schemas.errors import QueryError
from warehouse.database import first_line
from warehouse.home import Home
from warehouse.memory import TOO_LARGE
from warehouse.migrate import LAID, views_digest
from warehouse.query_rules import LEDGER_ONLY, require_open

MOST_CHARACTERS = 100_000

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "secret_directory": "",
    "temp_directory": "",
    "threads": "2",
}
_FIRST_BATCH = 32
_LARGEST_BATCH = 4_096
_BATCH_BYTES = 1 << 20
_EXPLAIN = re.compile(r"(?is)\A(?:\s|--[^\n]*\n|/\*.*?\*/)*explain\b(?:\s+analyze\b)?")
_MEMORY = re.compile(r"\d+(?:\.\d+)? ?[KMGT]i?B", re.IGNORECASE)
_OPTIONS = re.compile(r"\A\s*\([^()]*\)")
_HINT = re.compile(r"Candidate bindings: |Did you mean |LINE \d+: ")
_MARK = re.compile(r" *\^+")
_ABSOLUTE_PATH = re.compile(r"(?<![\w.])/(?:[^\s/\"'`]+/)+[^\s\"'`]*")
_QUOTED_ROOT = re.compile(r"""["'](?:/|~|[A-Za-z]:\\)""")


_DAMAGED = (
    duckdb.IOException,
    duckdb.FatalException,
    duckdb.InternalException,
    duckdb.SerializationException,
)
"""What DuckDB raises over a file that is cut off or overwritten, once it has opened it."""


UNKNOWN_NAME = (duckdb.BinderException, duckdb.CatalogException)
ANOTHER_VERSION = "this copy was published by another version of Koujing; `koujing refresh` or `koujing reextract` publishes it anew"


class DamagedFileError(QueryError):
    """The published file, or the ledger, is no whole database."""


@dataclass(frozen=True)
class Result:
    """Column names, DuckDB's names of their types, and the rows. `cut`: there were more than `max_rows`."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    cut: bool = False


def run_query(
    home: Home,
    sql: str,
    *,
    live: bool = False,
    memory_limit: str = "512MB",
    timeout_seconds: float = 30.0,
    max_rows: int | None = None,
    max_bytes: int | None = None,
) -> Result:
    """Gives the result of one reading statement over what was last published.

    `live` asks the ledger file itself, which works only while nobody writes. Raises QueryError, which tells
    no path that the query does not name, where the statement is not a single reading one, fails, takes too
    long, or gives more than `max_bytes` of values as they lie in memory (`max_rows` cuts, this refuses).
    Under the first line of a failure stand DuckDB's own hints, each on a line.
    """
    with reading(home, live=live, memory_limit=memory_limit) as ask:
        return ask(sql, timeout_seconds=timeout_seconds, max_rows=max_rows, max_bytes=max_bytes)


class Ask(Protocol):
    """Gives the result of one reading statement; see `run_query`."""

    def __call__(
        self,
        sql: str,
        *,
        timeout_seconds: float = 30.0,
        max_rows: int | None = None,
        max_bytes: int | None = None,
    ) -> Result:
        """Raises QueryError as `run_query` does."""


@contextlib.contextmanager
def reading(home: Home, *, live: bool = False, memory_limit: str = "512MB") -> Iterator[Ask]:
    """Keeps the published file open for several questions, which all see the same state of it; see `run_query`."""
    file = home.ledger if live else home.published
    if not file.exists():
        raise QueryError(
            f"there is no ledger at {home.root} yet; run `koujing refresh` or `koujing demo` first"
        )
    if not _MEMORY.fullmatch(memory_limit):
        raise QueryError(f"the memory limit {memory_limit[:40]!r} is no size; write it like 512MB or 2GB")
    with _opened(file, memory_limit, live=live) as connection:

        def ask(
            sql: str,
            *,
            timeout_seconds: float = 30.0,
            max_rows: int | None = None,
            max_bytes: int | None = None,
        ) -> Result:
            return _answer(connection, file, home, sql, timeout_seconds, max_rows, max_bytes)

        yield ask


def _answer(
    connection: duckdb.DuckDBPyConnection,
    file: Path,
    home: Home,
    sql: str,
    timeout_seconds: float,
    max_rows: int | None,
    max_bytes: int | None,
) -> Result:
    if len(sql) > MOST_CHARACTERS:
        raise QueryError(f"the query has {len(sql)} characters; {MOST_CHARACTERS} are allowed")
    try:
        sql.encode()
    except UnicodeEncodeError:
        raise QueryError("the query is not valid Unicode text; remove the broken characters") from None
    try:
        _require_reading(connection, sql)
        return _fetch(connection, sql, timeout_seconds, max_rows, max_bytes)
    except duckdb.InterruptException:
        raise QueryError(
            f"the query took longer than {timeout_seconds:g} s; ask for less, or allow more time"
        ) from None
    except duckdb.PermissionException:
        raise QueryError(LEDGER_ONLY) from None
    except (duckdb.OutOfMemoryException, MemoryError):
        raise QueryError(TOO_LARGE) from None
    except _DAMAGED as error:
        raise _damaged(file, home, error) from None
    except duckdb.Error as error:
        told = [_without_paths(first_line(error), home), *_hints(str(error), home)]
        if isinstance(error, UNKNOWN_NAME) and is_of_another_version(connection):
            told.append(ANOTHER_VERSION)
        raise QueryError("\n".join(told)) from None


@contextlib.contextmanager
def _opened(file: Path, memory_limit: str, *, live: bool) -> Iterator[duckdb.DuckDBPyConnection]:
    try:
        connection = duckdb.connect(
            str(file), read_only=True, config={**_CONFIG, "memory_limit": memory_limit}
        )
    except duckdb.Error as error:
        # Another process has the file open for writing, or this one has.
        if live and ("lock" in str(error) or "different configuration" in str(error)):
            raise QueryError("a run is writing to the ledger; ask the published copy instead") from None
        raise _damaged(file, Home(file.parent), error) from None
    try:
        connection.execute("SET TimeZone = 'UTC'")
        # A name in a query must never find a variable of this program.
        connection.execute("SET python_enable_replacements = false")
        connection.execute("SET lock_configuration = true")
        yield connection
    finally:
        connection.close()


def is_of_another_version(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether the open file's views are none of this version's. False where it is no ledger."""
    with contextlib.suppress(duckdb.Error):
        laid = connection.execute(LAID).fetchone()
        return laid is not None and laid[0] != views_digest()
    return False


def _damaged(file: Path, home: Home, error: duckdb.Error) -> DamagedFileError:
    reason = _without_paths(first_line(error), home)
    return DamagedFileError(
        f"{file.name} cannot be read ({reason}); run `koujing refresh`, which publishes again"
    )


def _require_reading(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    if "\0" in sql:  # some versions of DuckDB read on behind one, and others stop there
        raise QueryError("the query holds a NUL character; leave it out")
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise QueryError(f"the query holds {len(statements)} statements; give exactly one")
    kind = _kind(statements[0])
    if kind == "EXPLAIN":
        sql = _explained(connection, sql)
    elif kind != "SELECT":
        raise QueryError(
            f"{kind} is not allowed; a query is a single SELECT, FROM, WITH, VALUES, DESCRIBE, SHOW, "
            "SUMMARIZE or EXPLAIN (a PIVOT names its values with IN)"
        )
    serialized = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
    tree = json.loads(serialized[0]) if serialized else {"error": True}
    if tree.get("error"):
        raise QueryError("the query is of a kind that cannot be checked; write it as a plain SELECT")
    require_open(tree)


def _kind(statement: duckdb.Statement) -> str:
    """What the statement is, in DuckDB's word; some it has no word for in Python."""
    try:
        return statement.type.name
    except ValueError:
        return "such a statement"


def _explained(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    """The statement that an EXPLAIN explains; only a reading one is let through."""
    opening = _EXPLAIN.match(sql)
    rest = sql[opening.end() :] if opening else ""
    for candidate in (rest, _OPTIONS.sub("", rest)):
        with contextlib.suppress(duckdb.Error):
            statements = connection.extract_statements(candidate)
            if len(statements) == 1 and _kind(statements[0]) == "SELECT":
                return candidate
    raise QueryError("EXPLAIN is allowed before a single SELECT only")


def _fetch(
    connection: duckdb.DuckDBPyConnection,
    sql: str,
    timeout_seconds: float,
    max_rows: int | None,
    max_bytes: int | None,
) -> Result:
    until = time.monotonic() + timeout_seconds
    timer = threading.Timer(timeout_seconds, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        cursor = connection.execute(sql)
        description = cursor.description or []
        rows: list[tuple[Any, ...]] = []
        size, batch_rows = 0, _FIRST_BATCH
        while max_rows is None or len(rows) <= max_rows:
            batch = cursor.fetchmany(batch_rows)
            if not batch:
                break
            rows += batch
            # A result that is already computed is handed over without heeding the interrupt.
            if time.monotonic() > until:
                raise duckdb.InterruptException("too long")
            if max_bytes is not None:
                batch_size = sum(_size(row) for row in batch)
                size += batch_size
                if size > max_bytes:
                    raise QueryError(
                        f"the result is larger than {max_bytes / 2**20:.0f} MB; "
                        "add LIMIT, or ask for fewer columns or shorter values"
                    )
                # Rows of a megabyte come one by one, small ones by the thousand.
                fitting = _BATCH_BYTES * len(batch) // max(batch_size, 1)
                batch_rows = min(max(fitting, 1), 4 * batch_rows, _LARGEST_BATCH)
            else:
                batch_rows = _LARGEST_BATCH
    finally:
        timer.cancel()
    cut = max_rows is not None and len(rows) > max_rows
    return Result(
        columns=tuple(column[0] for column in description),
        types=tuple(str(column[1]) for column in description),
        rows=rows[:max_rows] if cut else rows,
        cut=cut,
    )


def _size(value: object) -> int:
    """The bytes that a value takes in memory, with all that it holds."""
    size = sys.getsizeof(value)
    if isinstance(value, dict):
        return size + sum(_size(key) + _size(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return size + sum(map(_size, value))
    return size


def _hints(message: str, home: Home) -> list[str]:
    """DuckDB's own help under an error's first line: near names, and the place in the query.

    A line that holds a path is left out, and the mark under it with it.
    """
    kept: list[str] = []
    above_kept = False
    for line in message.splitlines()[1:]:
        is_help = bool(_HINT.match(line)) and not _holds_path(line, home)
        if is_help or (above_kept and _MARK.fullmatch(line)):
            kept.append(line)
        above_kept = is_help and line.startswith("LINE ")
    return kept


def _holds_path(line: str, home: Home) -> bool:
    return bool(_ABSOLUTE_PATH.search(line) or _QUOTED_ROOT.search(line)) or str(home.root) in line


def _without_paths(message: str, home: Home) -> str:
    """The message with every path of one form: whose guess at the home's path is right is told nothing by it."""
    ours = re.sub(rf"{re.escape(str(home.root))}[^\s\"'`]*", "…", message)
    return _ABSOLUTE_PATH.sub("…", ours)
