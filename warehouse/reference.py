"""Writes docs/sql.md: every view with the comments of its columns, and the questions of docs/sql_questions.yaml.

`python -m warehouse.reference` from the project's folder writes it anew; a test fails where it is stale.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from warehouse.home import open_home
from warehouse.ledger import Ledger
from warehouse.query import run_query

DOCS = Path(__file__).parents[1] / "docs"

_HEAD = """# The ledger in SQL

<!-- Written by `python -m warehouse.reference` from the views and docs/sql_questions.yaml; edit those. -->

`koujing sql` asks the published copy of the ledger, which a refresh replaces as a whole, so that neither waits for
the other. Any DuckDB 2 client may open that file read-only; `koujing where` shows where it lies. Numbers are exact
decimals in each metric's unit, times are in UTC. Everything that was ever read is in `claim_history`; the tables
behind the views are in the schema `stored` and may change from one version of Koujing to the next.
"""


def reference(views: Sequence[tuple[str, str, list[dict[str, str]]]], macros: Sequence[tuple[str, str]],
              questions: Sequence[dict[str, Any]]) -> str:  # fmt: skip
    """The page as Markdown. A view is its name, its comment and its columns' names, types and comments."""
    parts = [
        _HEAD,
        "## Views\n",
        _table(("view", "what it holds"), [(f"[{v}](#{v})", c) for v, c, _ in views]),
    ]
    parts += ["## Functions\n", _table(("function", "what it gives"), [(f"`{m}`", c) for m, c in macros])]
    parts.append(f"## {len(questions)} questions\n")
    for number, question in enumerate(questions, start=1):
        parts.append(f"### {number}. {question['ask']}\n")
        if "note" in question:
            parts.append(f"{question['note']}\n")
        parts.append(f"```sql\n{question['sql'].rstrip()}\n```\n")
    parts.append("## Columns\n")
    for view, comment, columns in views:
        rows = [(f"`{c['name']}`", c["type"], c["comment"]) for c in columns]
        parts += [f"### {view}\n", f"{comment}\n", _table(("column", "type", "what it holds"), rows)]
    return "\n".join(parts)


def read_questions(folder: Path = DOCS) -> list[dict[str, Any]]:
    """The questions in order, each with `ask` and `sql`, and `note` and `empty` where they apply."""
    found: list[dict[str, Any]] = yaml.safe_load((folder / "sql_questions.yaml").read_text(encoding="utf-8"))
    return found


def current_reference() -> str:
    """The page as it should be, from the views that this version lays."""
    with tempfile.TemporaryDirectory() as folder:
        home = open_home(Path(folder))
        with Ledger.open(home) as ledger:
            ledger.publish()
        views = run_query(
            home,
            """
            SELECT view_name, any_value(view.comment), list(
                {'name': column_name, 'type': data_type, 'comment': col.comment} ORDER BY column_index)
            FROM duckdb_views() AS view JOIN duckdb_columns() AS col
                ON col.table_name = view_name AND col.schema_name = view.schema_name
            WHERE NOT view.internal AND view.schema_name = 'main' GROUP BY view_name ORDER BY view_name
            """,
        ).rows
        macros = run_query(
            home,
            """
            SELECT DISTINCT function_name, comment FROM duckdb_functions()
            WHERE NOT internal AND function_type IN ('macro', 'table_macro') ORDER BY function_name
            """,
        ).rows
    return reference([(v[0], v[1], v[2]) for v in views], [(m[0], m[1]) for m in macros], read_questions())


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (DOCS / "sql.md").write_text(current_reference(), encoding="utf-8")
