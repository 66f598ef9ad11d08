"""Every error that Koujing raises on purpose.

KoujingError                what went wrong and the way out, in one sentence each
├── DataFileError           a registry, source list or scorecard file is wrong: file, line, found, allowed
├── UnreadableError         bytes that cannot become a document (empty, binary, too large)
├── FetchError              a page could not be fetched; says whether to retry and whether the site refused
├── LedgerError             the ledger cannot be used; stops a run, never loses what is stored
│   ├── LedgerHeldError     another process holds it
│   └── SchemaTooNewError   the file was written by a later version of Koujing
└── QueryError              an SQL query that was refused or failed
"""

from __future__ import annotations


class KoujingError(Exception):
    """Ends a command with exit code 1 and its message on stderr."""


class DataFileError(KoujingError):
    """Names the file and line, what was found there and what is allowed.

    `line` is 1-based; 0 where the whole file is meant.
    """

    def __init__(self, file: str, line: int, found: str, allowed: str) -> None:
        self.file = file
        self.line = line
        self.found = found
        self.allowed = allowed
        where = f"{file}:{line}" if line else file
        super().__init__(f"{where}: {found}; {allowed}")


class UnreadableError(KoujingError):
    """Bytes that hold no readable page. The message is the reason that is recorded."""


class FetchError(KoujingError):
    """A page that could not be fetched.

    `retry`: the same request may succeed later. `refused`: the site said no (robots.txt, 401, 403, 429),
    so asking again at once would be rude. `status`: the HTTP status, where there was one.
    """

    def __init__(
        self, reason: str, *, retry: bool = False, refused: bool = False, status: int | None = None
    ) -> None:
        self.retry = retry
        self.refused = refused
        self.status = status
        super().__init__(reason)


class LedgerError(KoujingError):
    """The ledger cannot be opened, read or written as asked."""


class LedgerHeldError(LedgerError):
    """Another process is writing to the ledger."""


class SchemaTooNewError(LedgerError):
    """The ledger was written by a later version of Koujing."""


class QueryError(KoujingError):
    """An SQL query that was refused or failed."""
