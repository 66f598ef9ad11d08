"""A run of the ledger around a piece of work, for everything that writes outside a refresh."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from datetime import datetime

from schemas.errors import LedgerError
from warehouse.ledger import Ledger


@contextlib.contextmanager
def one_run(ledger: Ledger, label: str, clock: Callable[[], datetime]) -> Iterator[int]:
    """Begins a run and gives its number; it is done when the block ends and failed when the block raises.

    What the block stored stays either way; the next run takes up what it left. Publishing is the caller's.
    """
    run_id = ledger.begin_run(label, clock())
    try:
        yield run_id
        ledger.end_run(run_id, clock(), "done")
    except BaseException:
        with contextlib.suppress(LedgerError):  # why the work failed matters more
            ledger.end_run(run_id, clock(), "failed")
        raise
