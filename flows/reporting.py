"""The report at the end of a run: written into the home, and no reason for a run to fail."""

from __future__ import annotations

import os

from flows.own_cards import cards_of
from flows.printing import say
from schemas.errors import KoujingError
from warehouse.home import Home

SWITCH = "KOUJING_REPORT"
"""Set it to 0, and no run writes a report."""


def write_after_run(home: Home) -> bool:
    """Writes the report into the home's folder `report`, and says whether it did.

    Nothing where KOUJING_REPORT is 0. What goes wrong is said, and leaves the last report where it is.
    """
    if os.environ.get(SWITCH, "").strip() == "0":
        return False
    from report.site import write_report

    try:
        written = write_report(home, cards_of(home), home.root / "report")
    except (KoujingError, OSError, ValueError, LookupError, ArithmeticError) as error:
        say(f"the report was not written ({error}); the run itself is done: koujing report tries again")
        return False
    say(f"report: {written.folder / 'index.html'} ({written.files} files)")
    return True
