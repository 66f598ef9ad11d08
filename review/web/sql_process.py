"""A reader's own query in a process of its own, which ends with it: nothing that it does reaches the desk."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

_SECONDS = 15
_MOST_ROWS = 200
_LARGEST = 8 << 20
_MEMORY = 1 << 30
_LONGEST_CELL = 2_000


def ask(root: Path, sql: str) -> dict[str, object]:
    """Gives `columns`, `rows` (of texts; None for null) and `cut`, or `error`. Never raises over the query."""
    try:
        done = subprocess.run(  # noqa: S603 - our own module; the query goes in by stdin
            [sys.executable, "-I", "-m", "review.web.sql_process", str(root)],
            input=sql.encode("utf-8", "replace"),
            capture_output=True,
            timeout=_SECONDS,
            env={"PATH": ""},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"the query took longer than {_SECONDS} s; ask for less"}
    if done.returncode or len(done.stdout) > _LARGEST:
        return {"error": "the query needed more than it may have; ask for less"}
    found = json.loads(done.stdout)
    return dict(found)


def answer(root: Path, sql: str) -> dict[str, object]:
    """What this process does with the query."""
    from schemas.errors import QueryError
    from warehouse.home import Home
    from warehouse.memory import bounded_memory
    from warehouse.query import run_query

    try:
        with bounded_memory(_MEMORY):
            result = run_query(
                Home(root),
                sql,
                memory_limit="256MB",
                timeout_seconds=_SECONDS - 5,
                max_rows=_MOST_ROWS,
                max_bytes=_LARGEST // 4,
            )
    except QueryError as error:
        return {"error": str(error)}
    rows = [[None if value is None else str(value)[:_LONGEST_CELL] for value in row] for row in result.rows]
    return {"columns": list(result.columns), "rows": rows, "cut": result.cut, "types": list(result.types)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(answer(Path(sys.argv[1]), sys.stdin.read())))
