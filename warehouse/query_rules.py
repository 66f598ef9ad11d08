"""What a query may name: an allow-list for functions that give tables, and the catalogs that DESCRIBE needs.

DuckDB has over a hundred table functions, and each release brings more; some read files, list settings or run
text as SQL. So only those listed here are open. Scalar functions are open but for the few that do such things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from schemas.errors import QueryError

LEDGER_ONLY = "a query reads the ledger only: no file and no extension"

OPEN_TABLE_FUNCTIONS = frozenset(
    {
        "claims_as_of",
        "duckdb_columns",
        "duckdb_constraints",
        "duckdb_functions",
        "duckdb_keywords",
        "duckdb_schemas",
        "duckdb_tables",
        "duckdb_types",
        "duckdb_views",
        "generate_series",
        "json_each",
        "json_tree",
        "range",
        "ranking_as_of",
        "repeat",
        "reweighted",
        "unnest",
    }
)
"""The functions that may stand after FROM. `histogram` may not: it takes a table's name as text."""

OPEN_CATALOG_VIEWS = frozenset(
    {
        "duckdb_columns",
        "duckdb_constraints",
        "duckdb_schemas",
        "duckdb_tables",
        "duckdb_types",
        "duckdb_views",
        "sqlite_master",
        "sqlite_schema",
    }
)
"""DuckDB's own views that may be read, beside those of information_schema."""

REFUSED_FUNCTIONS = frozenset(
    {
        "@@",
        "current_setting",
        "currval",
        "getenv",
        "json_execute_serialized_sql",
        "json_serialize_plan",
        "nextval",
        "pg_sleep",
        "query",
        "query_table",
        "set_config",
        "setval",
        "sleep_ms",
        "which_secret",
        "write_log",
    }
)
"""Functions in an expression that tell settings, run or plan text as SQL, act, or only pass time."""

_READING_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
"""What a WITH or a subquery may hold. DuckDB 2 lets a WITH insert, update, delete, and COPY to a file."""

# DuckDB lets a query read the open database's own file as bytes, whatever its settings.
_READS_FILES = re.compile(r"read_|parquet_|sniff_csv|glob$|.*[/\\]", re.DOTALL)
_DIVISION = frozenset({"/", "//"})
_OF_DUCKDB = re.compile(r"duckdb_|pg_|pragma_|sqlite_")
_INTERNAL = "__internal"


def require_open(tree: object) -> None:
    """Raises QueryError, naming it, where a parsed statement acts, or names what is not open to queries."""
    for kind, written in _names(tree):
        if kind == "node":
            if written not in _READING_NODES:
                acts = written.removesuffix("_NODE").removesuffix("_QUERY")
                raise QueryError(f"{acts} is not allowed, within a query neither")
            continue
        name = written.strip('"').casefold()
        if name in _DIVISION and kind == "function":
            continue
        if _READS_FILES.match(name):
            raise QueryError(LEDGER_ONLY)
        if not _is_open(kind, name):
            raise QueryError(f"{name} is not open to queries")


def _is_open(kind: str, name: str) -> bool:
    if kind == "table function":
        return name in OPEN_TABLE_FUNCTIONS
    if kind == "function":
        return name not in REFUSED_FUNCTIONS and not name.startswith(_INTERNAL)
    # By the name alone: a schema or catalog before it, or a WITH of the same name, changes nothing.
    return name in OPEN_CATALOG_VIEWS or not _OF_DUCKDB.match(name)


def _names(node: object) -> Iterator[tuple[str, str]]:
    """Every query within a parsed statement, and every name of a function or table; and which of them it is."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if str(node.get("type")).endswith("_NODE"):
                yield "node", str(node["type"])
            if node.get("type") == "TABLE_FUNCTION" and isinstance(node.get("function"), dict):
                yield "table function", str(node["function"].get("function_name"))
            for key, value in node.items():
                if key == "function_name" and isinstance(value, str):
                    yield "function", value
                elif key == "table_name" and isinstance(value, str):
                    yield "table", value
                elif isinstance(value, dict | list):
                    waiting.append(value)
        elif isinstance(node, list):
            waiting.extend(node)
