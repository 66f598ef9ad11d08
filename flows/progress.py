"""How a run shows that it moves: a bar on a terminal, one line a page elsewhere. Always on stderr."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from flows.printing import clean, counted, is_terminal
from flows.summary import PageRow
from schemas.ledger import ChangeKind, Hold, HoldReason
from schemas.source import FetchStatus

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress


class Progress(Protocol):
    """Told of a run as it goes. `fetched` may be called from several threads, `written` from one."""

    def begin(self, pages: int) -> None:
        """The run will visit so many pages."""

    def more(self, pages: int) -> None:
        """So many pages more: a source's links led to them. May be called from several threads."""

    def fetched(self, source_id: str) -> None:
        """A page was fetched, or could not be."""

    def written(self, row: PageRow) -> None:
        """A page is in the ledger."""

    def note(self, text: str) -> None:
        """Something that the reader should know."""


class Silent:
    """Shows nothing."""

    def begin(self, pages: int) -> None:
        """Nothing."""

    def more(self, pages: int) -> None:
        """Nothing."""

    def fetched(self, source_id: str) -> None:
        """Nothing."""

    def written(self, row: PageRow) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""


class Lines:
    """One line a page, for logs and pipes."""

    def __init__(self) -> None:
        self._pages = 0
        self._done = 0

    def begin(self, pages: int) -> None:
        """Remembers of how many pages each line counts."""
        self._pages, self._done = pages, 0

    def more(self, pages: int) -> None:
        """Adds them to the pages of which each line counts."""
        self._pages += pages

    def fetched(self, source_id: str) -> None:
        """Nothing: the page's line comes when it is in the ledger."""

    def written(self, row: PageRow) -> None:
        """Prints the page's line."""
        self._done += 1
        self.note(f"[{self._done}/{self._pages}] {told(row)}")

    def note(self, text: str) -> None:
        """Prints the text on a line."""
        sys.stderr.write(f"{clean(text)}\n")
        sys.stderr.flush()


class Bar:
    """A bar over fetching and writing, with failures standing above it. Use it as a context manager."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._bar: RichProgress | None = None
        self._task: int | None = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def begin(self, pages: int) -> None:
        """Puts the bar on the terminal."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
        )
        self._bar.start()
        # Each page counts twice: once fetched, once written.
        self._task = self._bar.add_task(self._label, total=2 * pages)

    def more(self, pages: int) -> None:
        """Makes the bar longer."""
        if self._bar is not None and self._task is not None:
            from rich.progress import TaskID

            task = self._bar.tasks[self._task]
            self._bar.update(TaskID(self._task), total=(task.total or 0) + 2 * pages)

    def fetched(self, source_id: str) -> None:
        """Moves the bar by half a page."""
        self._move(f"fetched {source_id}")

    def written(self, row: PageRow) -> None:
        """Moves the bar by half a page; a failure stays readable above it."""
        if row.reason or row.held:
            self.note(told(row))
        self._move(f"read {row.source_id}")

    def note(self, text: str) -> None:
        """Prints the text above the bar."""
        if self._bar is None:
            sys.stderr.write(f"{clean(text)}\n")
        else:
            self._bar.console.print(clean(text), markup=False, highlight=False)

    def _move(self, what: str) -> None:
        if self._bar is not None and self._task is not None:
            from rich.progress import TaskID

            description = f"{self._label}: {clean(what)}"[:60].ljust(60)
            self._bar.update(TaskID(self._task), advance=1, description=description)


def progress_for_stderr(label: str) -> Bar | Lines:
    """A bar where stderr is a terminal, lines where it is not."""
    return Bar(label) if is_terminal(sys.stderr) else Lines()


def told(row: PageRow) -> str:
    """One page in one line: status, source and what came of it."""
    first = row.first_visit and row.status is FetchStatus.CHANGED
    parts = [f"{'first read' if first else row.status.value:<10}", row.source_id]
    if row.reason:
        parts.append(f"({row.reason})")
    if row.held:
        parts.append(told_hold(row.held))
        return " ".join(parts)
    if first and not row.reason:
        parts.append(counted(row.claims or 0, "claim"))
    elif row.changes or (row.status is FetchStatus.CHANGED and not row.reason):
        kinds = ", ".join(
            f"{row.count(kind)} {kind.value.replace('_', ' ')}" for kind in ChangeKind if row.count(kind)
        )
        parts.append(kinds or "no claim changed (the words around them did)")
    return " ".join(parts)


_HELD = {
    HoldReason.GONE: "the page is gone",
    HoldReason.LOGIN_WALL: "the page asks for a login",
    HoldReason.SCRIPT_SHELL: "the page is the empty shell of a script",
    HoldReason.UNREADABLE: "the page could not be read",
    HoldReason.LOST_CLAIMS: "the page came without most of its claims",
}


def told_hold(hold: Hold) -> str:
    """Why nothing was taken from a page, and what would have been lost."""
    lost = f"{hold.claims_lost} of {counted(hold.claims_before, 'claim')} would be lost, and stand"
    return f"HELD: {_HELD[hold.reason]}; {lost}"
