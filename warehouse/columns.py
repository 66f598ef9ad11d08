"""Many rows at once into DuckDB: as Arrow where it is installed, else as one list a column. Never row by row."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

import duckdb

ARROW_FROM = 1_000
"""Rows from which building Arrow columns pays: below, the lists of a page are bound sooner."""

_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


def insert(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    types: Mapping[str, str],
    rows: Sequence[Mapping[str, object]],
) -> None:
    """Adds the rows, which all have the first one's columns. `types`: DuckDB's names of the columns' types."""
    names = list(rows[0])
    arrow = _arrow() if len(rows) >= ARROW_FROM else None
    fields = [_field(arrow, types[name]) for name in names] if arrow else []
    if arrow and all(fields):
        columns = [
            arrow.array([_item(row[name]) for row in rows], type=field)
            for name, field in zip(names, fields, strict=True)
        ]
        connection.register("incoming", arrow.Table.from_arrays(columns, names=names))
        try:
            connection.execute(f"INSERT INTO {table} ({', '.join(names)}) FROM incoming")
        finally:
            connection.unregister("incoming")
        return
    # One list a column: bound value by value, row after row, DuckDB takes a hundred times as long.
    # A dict bound as it is would become a STRUCT, whose field names ignore case; JSON keeps the keys.
    marks = [
        f"unnest(?::JSON[])::{types[name]}"
        if types[name].startswith("MAP")
        else f"unnest(?::{types[name]}[])"
        for name in names
    ]
    sql = f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(marks)}"
    connection.execute(sql, [[_bindable(row[name]) for row in rows] for name in names])


@cache
def _arrow() -> Any:
    """The module; None where it is not installed, because it weighs more than all the rest of Koujing."""
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        return None


def _field(arrow: Any, name: str) -> Any:
    """Arrow's type for DuckDB's; None for one that no table of ours has."""
    if size := _DECIMAL.fullmatch(name):
        return arrow.decimal128(int(size[1]), int(size[2]))
    known = {
        "VARCHAR": arrow.string,
        "JSON": arrow.string,
        "INTEGER": arrow.int32,
        "BIGINT": arrow.int64,
        "BOOLEAN": arrow.bool_,
        "TIMESTAMP WITH TIME ZONE": lambda: arrow.timestamp("us", tz="UTC"),
        "VARCHAR[]": lambda: arrow.list_(arrow.string()),
        "MAP(VARCHAR, VARCHAR)": lambda: arrow.map_(arrow.string(), arrow.string()),
    }
    return known[name]() if name in known else None


def _item(value: object) -> object:
    return list(value.items()) if isinstance(value, dict) else value


def _bindable(value: object) -> object:
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Decimal):
        return format(value, "f")  # in a list, decimals of different widths would be made one width
    return list(value) if isinstance(value, tuple) else value
