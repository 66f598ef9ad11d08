"""A home in one file, and back: the ledger as it stands with all its snapshots."""

from __future__ import annotations

import os
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from schemas.errors import LedgerError
from warehouse.home import Home
from warehouse.ledger import Ledger
from warehouse.snapshots import files, is_whole, sync_folder

LEDGER_NAME = "koujing.duckdb"


def backup(home: Home, file: Path, *, wait_seconds: float = 0) -> int:
    """Publishes the ledger and puts it and every snapshot into one tar file; gives the file's size in bytes.

    The file appears whole or not at all, and takes the place of one of that name. The user's own source list
    and scorecards come along. Raises LedgerHeldError where a run writes, LedgerError where there is nothing to
    back up or the file cannot be written.
    """
    if not (home.ledger.exists() or home.published.exists()):
        raise LedgerError(f"there is no ledger at {home.root} to back up")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with Ledger.open(home, wait_seconds=wait_seconds) as ledger:
            ledger.publish_if_behind()
            # Snapshots are kept before the pages that name them, so that none can be missing while we write.
            handle, name = tempfile.mkstemp(dir=file.parent, prefix=".new-")
            new = Path(name)
            try:
                with os.fdopen(handle, "wb") as stream:
                    with tarfile.open(fileobj=stream, mode="w") as tar:
                        for path in _kept(home):
                            tar.add(path, arcname=str(path.relative_to(home.root)), recursive=False)
                    stream.flush()
                    os.fsync(stream.fileno())
                new.replace(file)
                sync_folder(file.parent)
            finally:
                new.unlink(missing_ok=True)
    except OSError as error:
        raise LedgerError(
            f"the backup {file} cannot be written ({error.strerror or error}); make room or choose another place"
        ) from error
    return file.stat().st_size


def restore_backup(home: Home, file: Path) -> tuple[int, int]:
    """Puts a backup into an empty home; gives how many files came, and how many snapshots of them are damaged.

    The ledger itself is rebuilt from the published file when it is next opened. Raises LedgerError where the
    home holds a ledger already, or the file is no backup; then nothing is left behind.
    """
    if home.ledger.exists() or home.published.exists():
        raise LedgerError(f"{home.root} holds a ledger already; choose an empty folder with --home")
    try:
        with tempfile.TemporaryDirectory(dir=home.root, prefix=".restoring-") as folder:
            with tarfile.open(file, mode="r:") as tar:
                # The filter refuses what would leave the folder: absolute names, "..", links, devices.
                tar.extractall(folder, filter="data")
            found = sorted(path for path in Path(folder).rglob("*") if path.is_file())
            if not (Path(folder) / LEDGER_NAME).is_file():
                raise LedgerError(f"{file} is no backup of ours: it holds no {LEDGER_NAME}")
            # The published file last: where it lies, everything that it names lies too.
            for path in sorted(found, key=lambda path: path.name == LEDGER_NAME):
                target = home.root / path.relative_to(folder)
                target.parent.mkdir(parents=True, exist_ok=True)
                path.replace(target)
        sync_folder(home.root)
        Ledger.open(home).close()
    except tarfile.TarError as error:
        raise LedgerError(f"{file} is no backup ({error}); give a file that `koujing backup` made") from error
    except OSError as error:
        raise LedgerError(f"{file} cannot be restored ({error.strerror or error})") from error
    damaged = sum(not is_whole(home, path.stem) for path in files(home))
    return len(found), damaged


def _kept(home: Home) -> Iterator[Path]:
    yield home.published
    yield from files(home)
    yield from sorted(path for path in (home.root / "scorecards").glob("*.y*ml") if path.is_file())
    if (home.root / "sources.yaml").is_file():
        yield home.root / "sources.yaml"
