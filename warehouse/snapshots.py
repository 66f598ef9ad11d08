"""Page bodies as they came, each once, under the hash of its bytes."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import sys
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import LedgerError
from warehouse.home import Home

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_LEVEL = 9
_WITH_CHECKSUM: dict[int, int] = {
    zstd.CompressionParameter.compression_level: _LEVEL,
    zstd.CompressionParameter.checksum_flag: 1,
}
_SHA256 = re.compile(r"[0-9a-f]{64}")


def keep(home: Home, body: bytes) -> str:
    """Leaves the bytes on disk for good and gives their sha256.

    Identical bytes are stored once; a stored file that was damaged is written anew. Raises LedgerError where
    the disk refuses.
    """
    sha256 = hashlib.sha256(body).hexdigest()
    path = _path(home, sha256)
    if is_whole(home, sha256):
        return sha256
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_atomically(path, zstd.compress(body, options=_WITH_CHECKSUM))
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
        body = _unpacked(path)
    except FileNotFoundError:
        raise LedgerError(f"there is no snapshot {sha256}; fetch its source again") from None
    except (OSError, EOFError, zlib.error, zstd.ZstdError) as error:
        raise LedgerError(f"the snapshot {sha256} is damaged ({error}); fetch its source again") from error
    if hashlib.sha256(body).hexdigest() != sha256:
        raise LedgerError(f"the snapshot {sha256} is damaged (its hash differs); fetch its source again")
    return body


def is_there(home: Home, sha256: str) -> bool:
    """Whether bytes are kept under that hash, whole or not."""
    path = _path(home, sha256)
    for place in (path, _earlier(path)):
        try:
            if place.stat().st_size > 0:
                return True
        except OSError:
            continue
    return False


def is_whole(home: Home, sha256: str) -> bool:
    """Whether the bytes can be loaded."""
    try:
        load(home, sha256)
    except LedgerError:
        return False
    return True


def files(home: Home) -> list[Path]:
    """The files of all kept bodies, in order; the stem of each is its hash."""
    return sorted(path for path in home.snapshots.rglob("*") if path.suffix in (".zst", ".gz"))


@dataclass(frozen=True, slots=True)
class Integrity:
    """What a look at every kept body found. `missing` and `damaged` are hashes that the ledger names."""

    whole: int
    damaged: tuple[str, ...]
    missing: tuple[str, ...]
    unnamed: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether everything that the ledger names can be loaded."""
        return not (self.damaged or self.missing)


def check(home: Home, named: frozenset[str]) -> Integrity:
    """Reads every kept body and says which are not what their hash says, given those that the ledger names.

    `unnamed`: bodies that no page of the ledger has (a run was killed between keeping and writing); harmless.
    """
    found = {path.stem for path in files(home)}
    damaged = tuple(sorted(name for name in found if not is_whole(home, name)))
    return Integrity(
        whole=len(found) - len(damaged),
        damaged=damaged,
        missing=tuple(sorted(named - found)),
        unnamed=tuple(sorted(found - named)),
    )


def _path(home: Home, sha256: str) -> Path:
    # A hash read from elsewhere must not be able to name another folder.
    if not _SHA256.fullmatch(sha256):
        raise LedgerError(f"{sha256[:80]!r} is no sha256 (64 characters of 0-9 and a-f)")
    return home.snapshots / sha256[:2] / f"{sha256}.zst"


def _unpacked(path: Path) -> bytes:
    if path.exists():
        return zstd.decompress(path.read_bytes())
    return gzip.decompress(_earlier(path).read_bytes())


def _earlier(path: Path) -> Path:
    """Where the same bytes lie in a home that an earlier version filled."""
    return path.with_suffix(".gz")


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
