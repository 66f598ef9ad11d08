"""Tells Prefect's server that claims changed, so that its automation ranks again. Without a server nothing is told."""

from __future__ import annotations

import os
from collections.abc import Iterable

from schemas.errors import KoujingError
from warehouse.home import Home

EVENT = "koujing.claim.changed"
RANKED = "koujing.ranked"
"""The label that tells whether whoever announces has ranked on the change already: true or false."""

_MOST_KEYS = 1000


def announce(home: Home, keys: Iterable[str], *, by: str, ranked: bool) -> bool:
    """Sends one event for all the claims, and says whether there was a server to send it to.

    `by`: what changed them, such as refresh, release or a reviewer's name. The automation of the deployment `rerank`
    starts on events that are not `ranked`. Raises KoujingError where a server is named and cannot be told.
    """
    changed = sorted(set(keys))
    if not changed or not os.environ.get("PREFECT_API_URL"):
        return False
    from prefect.events import emit_event
    from prefect.events.worker import EventsWorker

    told = emit_event(
        event=EVENT,
        resource={
            "prefect.resource.id": f"koujing.home.{home.root.name}",
            "prefect.resource.name": str(home.root),
            RANKED: "true" if ranked else "false",
        },
        payload={"claims": len(changed), "keys": changed[:_MOST_KEYS], "by": by},
    )
    if told is None:
        raise KoujingError(
            "Prefect's server was not told of the change; see whether PREFECT_API_URL is right"
        )
    # Else the process could end before the event has left it.
    EventsWorker.instance().wait_until_empty()
    return True
