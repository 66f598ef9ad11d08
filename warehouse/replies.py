"""The replies of models, kept across nights in a file of their own. It may be deleted; then they are asked again."""

from __future__ import annotations

import contextlib
import json
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from schemas.errors import LedgerError, LedgerHeldError
from warehouse.database import Database

_TABLE = """
CREATE SCHEMA IF NOT EXISTS stored;
CREATE TABLE IF NOT EXISTS stored.replies (
    question    VARCHAR PRIMARY KEY,
    reply       VARCHAR NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL
);
"""


class Replies:
    """Replies by the digest of their question. A file that cannot be read is set aside, and a new one begun.

    The file is opened when the first reply is looked up: until then another run may hold it. Raises LedgerHeldError
    then, where another still does.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: Database | None = None

    @property
    def _database(self) -> Database:
        self._open = self._open or _opened(self._path)
        return self._open

    def __enter__(self) -> Replies:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the use of the file; what was kept stays."""
        if self._open is not None:
            self._open.close()

    def get(self, question: str) -> dict[str, Any] | None:
        """The reply to that question; None where there is none, or none that can be read."""
        rows = self._database.rows("SELECT reply FROM stored.replies WHERE question = ?", [question])
        with contextlib.suppress(ValueError):
            found = json.loads(rows[0]["reply"]) if rows else None
            return found if isinstance(found, dict) else None
        return None

    def put(self, question: str, reply: dict[str, Any]) -> None:
        """Keeps the reply; one that is there already stays."""
        with self._database.transaction("the reply could not be kept"):
            self._database.execute(
                "INSERT INTO stored.replies VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [question, json.dumps(reply, ensure_ascii=False), datetime.now(UTC)],
            )

    def clear(self) -> None:
        """Forgets all of them."""
        self._database.execute("DELETE FROM stored.replies")


def _opened(path: Path) -> Database:
    try:
        database = Database.open(path, "move it away; the questions are then asked again")
    except LedgerHeldError as error:
        raise LedgerHeldError(
            f"another run keeps its replies in {path}; ask again when it has ended, or with another home"
        ) from error
    except LedgerError:
        path.replace(path.with_name(f"{path.name}.damaged"))
        path.with_name(f"{path.name}.wal").unlink(missing_ok=True)
        database = Database.open(path)
    database.run_script(_TABLE)
    return database
