"""Starts a refresh from the command line: Prefect is set up and imported here, where a run happens."""

from __future__ import annotations

import os
import re
import sys
import warnings
from pathlib import Path

from flows.printing import say
from flows.sources import find_sources
from flows.summary import RunSummary
from schemas.errors import KoujingError
from warehouse.cards import load_cards
from warehouse.home import Home
from warehouse.lock import WriterLock

_NO_SERVER = re.compile(r"ephemeral Prefect API server|Failed to reach API")
_SETTINGS = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    # An error reaches the reader once, as our own sentence, and not again as a traceback in a log.
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_SERVER_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_TO_API_ENABLED": "false",
    # A busy machine needs more than the 20 seconds that Prefect gives its server on loopback.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
}


def run(
    home: Path,
    sources: str,
    *,
    label: str = "",
    base_url: str = "",
    contact: str = "",
    allow_loopback: bool = False,
    wait_seconds: float = 0,
) -> RunSummary:
    """Runs the flow here and now and gives its summary. See `flows.refresh.refresh`.

    Raises DataFileError or LedgerHeldError at once, without waiting for Prefect to start, where the source
    list or a scorecard is wrong or another process writes.
    """
    find_sources(sources)
    load_cards(home / "scorecards")
    WriterLock.acquire(Home(home), wait_seconds).release()
    prepare(home)
    if "prefect" not in sys.modules:
        say("starting Prefect, which takes 10 to 20 seconds …")
    with warnings.catch_warnings():
        # Prefect and what it imports warn about themselves; none of it is the reader's to mend.
        warnings.simplefilter("ignore")
        from flows.refresh import refresh

        try:
            return refresh(
                home=str(home),
                sources=sources,
                label=label,
                base_url=base_url,
                contact=contact,
                allow_loopback=allow_loopback,
                wait_seconds=wait_seconds,
            )
        except RuntimeError as error:
            if not _NO_SERVER.search(str(error)):
                raise
            raise KoujingError(
                f"Prefect's server did not answer ({error}); try again on a less busy machine, "
                "or see whether PREFECT_API_URL is right"
            ) from error


def prepare(home: Path) -> None:
    """Has Prefect keep to itself, before its first import: no telemetry, no log lines, its files in the home.

    What the user has set stays. With a PREFECT_API_URL runs are reported to that server; without one a server
    on loopback lives as long as this process.
    """
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    if not os.environ.get("PREFECT_API_URL"):
        os.environ.setdefault("PREFECT_HOME", str(home / "prefect"))
        os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_ENABLED", "true")
