"""`koujing sql` without a query: statements one after the other, with history and completion."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from flows.printing import counted, out, say_lines
from schemas.errors import KoujingError

_HISTORY_LINES = 2000
_KEYWORDS = (
    "SELECT FROM WHERE GROUP BY ORDER LIMIT JOIN LEFT USING ON AS AND OR NOT IN IS NULL DESC ASC DISTINCT COUNT "
    "MIN MAX SUM AVG HAVING QUALIFY WITH CASE WHEN THEN ELSE END DESCRIBE SUMMARIZE LIKE ILIKE BETWEEN"
).split()
_HELP = """A statement ends with ; and may take several lines. .tables shows the views, .columns VIEW what one holds,
.quit or Ctrl-D ends. Tab completes names; the arrow keys bring back what was asked before."""

Ask = Callable[[str], None]


class Shell:
    """Reads statements and asks them. `columns`: the names of each view's columns, by view."""

    def __init__(
        self, ask: Ask, columns: dict[str, tuple[str, ...]], functions: tuple[str, ...] = ()
    ) -> None:
        self._ask = ask
        self._columns = columns
        names = {*columns, *functions, *(name for found in columns.values() for name in found)}
        self._words = sorted([*names, *_KEYWORDS], key=str.casefold)

    def complete(self, text: str) -> list[str]:
        """The names and keywords that begin so, in the case in which a keyword was begun."""
        low = text.casefold()
        found = [word for word in self._words if word.casefold().startswith(low)]
        return [word.lower() if text.islower() and word in _KEYWORDS else word for word in found]

    def run(self, lines: Iterator[str]) -> None:
        """Asks each statement of the lines until they end or say .quit. An error is told, and the next one asked."""
        waiting: list[str] = []
        for line in lines:
            text = line.strip()
            if not waiting and text.startswith("."):
                if text in (".quit", ".exit", ".q"):
                    return
                self._command(text)
            elif text or waiting:
                waiting.append(line.rstrip("\n"))
                if text.endswith(";"):
                    self._ask_all("\n".join(waiting))
                    waiting = []
        if waiting:
            self._ask_all("\n".join(waiting))

    def _ask_all(self, statement: str) -> None:
        try:
            self._ask(statement.rstrip().rstrip(";"))
        except KoujingError as error:
            say_lines(f"error: {error}")

    def _command(self, text: str) -> None:
        name, _, argument = text.partition(" ")
        if name == ".tables":
            for view, columns in self._columns.items():
                out(f"{view} ({counted(len(columns), 'column')})")
        elif name == ".columns" and argument.strip() in self._columns:
            out("  ".join(self._columns[argument.strip()]))
        else:
            for line in _HELP.splitlines():
                out(line)

    def welcome(self) -> None:
        """Shows the views and how to go on."""
        out(f"Views: {', '.join(self._columns)}")
        for line in _HELP.splitlines():
            out(line)


@contextlib.contextmanager
def typed_lines(shell: Shell, history: Path, prompt: str = "koujing> ") -> Iterator[Iterator[str]]:
    """The lines that a person types, with history kept in the file and completion; a Ctrl-C drops the line.

    Where the platform has no readline, lines come without either.
    """
    try:
        import readline
    except ImportError:
        yield _asked(prompt)
        return
    with contextlib.suppress(OSError):
        readline.read_history_file(history)
    readline.set_history_length(_HISTORY_LINES)
    found: list[str] = []

    def completer(text: str, state: int) -> str | None:
        nonlocal found
        if state == 0:
            found = shell.complete(text)
        return found[state] if state < len(found) else None

    readline.set_completer(completer)
    readline.set_completer_delims(" \t\n,()=<>+-*/;.")
    readline.parse_and_bind("tab: complete")
    try:
        yield _asked(prompt)
    finally:
        readline.set_completer(None)
        with contextlib.suppress(OSError):
            readline.write_history_file(history)


def _asked(prompt: str) -> Iterator[str]:
    while True:
        try:
            yield input(prompt)
        except EOFError:
            sys.stdout.write("\n")
            return
        except KeyboardInterrupt:
            sys.stdout.write("\n")
