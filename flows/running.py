"""Starts a refresh from the command line: Prefect is set up and imported here, where a run happens."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import warnings
from pathlib import Path

from flows.model.settings import settings_from
from flows.own_cards import cards_of
from flows.printing import say
from flows.sources import find_sources
from flows.stopping import Stopping
from flows.summary import RunSummary
from schemas.errors import KoujingError
from warehouse.home import Home
from warehouse.lock import WriterLock

_NO_SERVER = re.compile(r"ephemeral Prefect API server|Failed to reach API")
_SETTINGS = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    # An error reaches the reader once, as our own sentence, and not again as a traceback in a log.
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_SERVER_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_INTERNAL_LEVEL": "CRITICAL",
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

    Ctrl-C and SIGTERM end the process: see `flows.stopping`. Raises DataFileError or LedgerHeldError at once,
    without waiting for Prefect to start, where the source list or a scorecard is wrong or another process
    writes; KoujingError where Prefect's server is not there or goes away.
    """
    with Stopping(), warnings.catch_warnings():
        find_sources(sources)
        cards_of(Home(home))
        settings_from()
        WriterLock.acquire(Home(home), wait_seconds, say).release()
        prepare(home)
        if "prefect" not in sys.modules:
            say("starting Prefect, which takes 10 to 20 seconds …")
        # Prefect and what it imports warn about themselves; none of it is the reader's to mend.
        warnings.simplefilter("ignore")
        from httpx import TransportError

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
        except TransportError as error:
            # Only the flow's own words with the server raise this; pages have theirs recorded.
            raise KoujingError(
                f"Prefect's server went away ({type(error).__name__}); what was stored until then is kept: "
                "koujing digest tells what the last run brought, and running again takes up the rest"
            ) from error


def prepare(home: Path) -> None:
    """Has Prefect keep to itself, before its first import: no telemetry, no log lines, its files in the home.

    What the user has set stays. With a PREFECT_API_URL runs are reported to that server; without one a server
    on loopback lives as long as this process. Raises KoujingError where its folder takes no files, on which
    that server would end without a word.
    """
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    if not os.environ.get("PREFECT_API_URL"):
        os.environ.setdefault("PREFECT_HOME", str(home / "prefect"))
        os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_ENABLED", "true")
        _require_folder(Path(os.environ["PREFECT_HOME"]).expanduser())


def _require_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = "it is a file" if folder.is_file() else error.strerror or str(error)
        raise KoujingError(
            f"Prefect cannot keep its files in {folder} ({reason}); "
            "move that away or make it writable, or set PREFECT_HOME to another folder"
        ) from None
    # A database of another user's, or of a root, in a folder that is ours.
    locked = [f for f in folder.glob("prefect.db*") if not (f.is_file() and os.access(f, os.R_OK | os.W_OK))]
    if locked:
        raise KoujingError(f"Prefect cannot write {locked[0]}; make it a writable file or move it away")
