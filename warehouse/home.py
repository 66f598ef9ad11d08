"""The folder in which everything that Koujing keeps lies."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from schemas.errors import LedgerError

HOME_VARIABLE = "KOUJING_HOME"


@dataclass(frozen=True)
class Home:
    """Where things lie under `root`. Knowing the places creates nothing; `open_home` makes the folder."""

    root: Path

    @property
    def ledger(self) -> Path:
        """The file that the one writer writes."""
        return self.root / "ledger.duckdb"

    @property
    def published(self) -> Path:
        """The copy that everybody reads, replaced as a whole after a run."""
        return self.root / "koujing.duckdb"

    @property
    def snapshots(self) -> Path:
        """The folder of page bodies, each under its sha256."""
        return self.root / "snapshots"

    @property
    def replies(self) -> Path:
        """The replies of models, so that the same question is paid for once. It may be deleted."""
        return self.root / "replies.duckdb"

    @property
    def lock(self) -> Path:
        """The file whose lock makes a process the writer."""
        return self.root / "writer.lock"


def open_home(path: Path | None = None, *, for_writing: bool = True) -> Home:
    """Makes the home when it is missing and gives it.

    `path` first, else $KOUJING_HOME, else the platform's folder for user data. Raises LedgerError where the
    path is a file, cannot be made, or (unless `for_writing` is false) takes no new files.
    """
    root = (path or _default_root()).expanduser()
    if root.exists() and not root.is_dir():
        raise LedgerError(f"{root} is a file, not a folder; give a folder with --home or ${HOME_VARIABLE}")
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LedgerError(
            f"the folder {root} cannot be made ({error.strerror or error}); "
            f"choose another with --home or ${HOME_VARIABLE}"
        ) from error
    if for_writing and not _takes_files(root):
        raise LedgerError(
            f"the folder {root} is read-only; make it writable or choose another "
            f"with --home or ${HOME_VARIABLE}"
        )
    return Home(root.resolve())


def _default_root() -> Path:
    named = os.environ.get(HOME_VARIABLE, "").strip()
    return Path(named) if named else platformdirs.user_data_path("koujing")


def _takes_files(root: Path) -> bool:
    # Root may write into a folder that nobody is meant to write into, so the mode is asked as well.
    if not os.access(root, os.W_OK | os.X_OK) or not root.stat().st_mode & 0o222:
        return False
    try:
        with tempfile.TemporaryFile(dir=root):
            return True
    except OSError:
        return False
