"""Page bodies as they came, each once, under the hash of its bytes."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import tempfile
import zlib
from pathlib import Path

from schemas.errors import LedgerError
from warehouse.home import Home

_SHA256 = re.compile(r"[0-9a-f]{64}")


def keep(home: Home, body: bytes) -> str:
    """Leaves the bytes on disk for good and gives their sha256.

    Identical bytes are stored once; a stored file that was damaged is written anew. Raises LedgerError where
    the disk refuses.
    """
    sha256 = hashlib.sha256(body).hexdigest()
    path = _path(home, sha256)
    if path.exists() and is_whole(home, sha256):
        return sha256
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_atomically(path, gzip.compress(body, mtime=0))
    except OSError as error:
        raise LedgerError(
            f"the snapshot {sha256[:12]} cannot be stored ({error.strerror or error}); "
            "make room or make the home writable"
        ) from error
    return sha256


def load(home: Home, sha256: str) -> bytes:
    """Gives the bytes that were kept under that hash; LedgerError where they are missing or damaged."""
    path = _path(home, sha256)
    try:
        body = gzip.decompress(path.read_bytes())
    except FileNotFoundError:
        raise LedgerError(f"there is no snapshot {sha256}; fetch its source again") from None
    except (OSError, EOFError, zlib.error) as error:
        raise LedgerError(f"the snapshot {sha256} is damaged ({error}); fetch its source again") from error
    if hashlib.sha256(body).hexdigest() != sha256:
        raise LedgerError(f"the snapshot {sha256} is damaged (its hash differs); fetch its source again")
    return body


def is_there(home: Home, sha256: str) -> bool:
    """Whether bytes are kept under that hash, whole or not."""
    try:
        return _path(home, sha256).stat().st_size > 0
    except OSError:
        return False


def is_whole(home: Home, sha256: str) -> bool:
    """Whether the bytes can be loaded."""
    try:
        load(home, sha256)
    except LedgerError:
        return False
    return True


def _path(home: Home, sha256: str) -> Path:
    # A hash read from elsewhere must not be able to name another folder.
    if not _SHA256.fullmatch(sha256):
        raise LedgerError(f"{sha256[:80]!r} is no sha256 (64 characters of 0-9 and a-f)")
    return home.snapshots / sha256[:2] / f"{sha256}.gz"


def _write_atomically(path: Path, content: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".new-", delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Makes a rename in the folder outlast a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
