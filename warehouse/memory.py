"""A bound on the memory of this process, for work whose need nobody can foresee."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Iterator
from pathlib import Path

from schemas.errors import QueryError

TOO_LARGE = (
    "the query needs more memory than it may have; add LIMIT, or ask for fewer columns or shorter values"
)


@contextlib.contextmanager
def bounded_memory(room: int) -> Iterator[None]:
    """Lets the process take `room` bytes more than it has; what would take more raises QueryError instead.

    The bound holds for every thread while the block runs. Where the platform has none (it needs Linux's
    /proc and RLIMIT_AS), the block runs without.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with contextlib.suppress(OSError, ValueError):
        bound = _in_use() + room
        if soft == resource.RLIM_INFINITY or bound < soft:
            resource.setrlimit(resource.RLIMIT_AS, (bound, hard))
    try:
        yield
    except MemoryError:
        raise QueryError(TOO_LARGE) from None
    finally:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _in_use() -> int:
    """The process's address space in bytes; OSError where there is no telling."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * resource.getpagesize()
