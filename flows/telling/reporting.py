"""Tells those whom the environment names what a run brought. What goes wrong in telling is said and ends nothing."""

from __future__ import annotations

from datetime import datetime

from flows.printing import say
from flows.telling.channels import tell, telling_from
from flows.telling.digest import Digest, Trouble, digest_of
from schemas.errors import KoujingError
from warehouse.home import Home


def report_run(home: Home, run_id: int) -> None:
    """Sends the digest of a run to the targets of KOUJING_DIGEST; nothing where nothing happened."""
    try:
        telling = telling_from()
        failures = tell(digest_of(home, run_id), telling) if telling.targets else ()
    except KoujingError as error:
        failures = (f"no digest was sent: {error}",)
    for failure in failures:
        say(failure)


def report_failure(label: str, reason: str, at: datetime) -> None:
    """Sends word of a run that failed as a whole, of which the published file knows nothing."""
    trouble = Trouble(source_id="refresh", url="", status="failed", reason=reason, is_new=True)
    digest = Digest(
        run_id=0,
        label=label,
        status="failed",
        at=at,
        pages=0,
        first_read=0,
        changed=0,
        failed=0,
        troubles=(trouble,),
    )
    try:
        for failure in tell(digest, telling_from()):
            say(failure)
    except KoujingError as error:
        say(f"no digest was sent: {error}")
