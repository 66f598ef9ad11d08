"""Before a question is asked: takes over what others have pushed to the shared ledger since."""

from __future__ import annotations

import contextlib

from schemas.errors import LedgerHeldError
from warehouse import shared
from warehouse.home import Home
from warehouse.ledger import Ledger


def catch_up(home: Home) -> None:
    """Leaves the home's published file as new as the shared ledger. Does nothing where none is shared.

    Where a run of this home is writing, readers keep what it published last: they are never made to wait.
    Raises LedgerError where the shared ledger cannot be reached.
    """
    if shared.setting(home) is None:
        return
    with contextlib.suppress(LedgerHeldError), Ledger.open(home, for_team=False) as ledger:
        ledger.publish_if_behind()
