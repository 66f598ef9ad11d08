"""Two faults of Prefect itself, played in a process of its own: `python -m tests.faults.prefect_faults FOLDER`.

A flow that is stuck past its timeout ends, lets go of the ledger, and the next run does its work. A server that is
killed while a run is under way costs that run nothing: what it stored is published. Prints a JSON object of what
was found.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

from flows.demo_server import DemoServer, demo_layers
from flows.running import prepare
from warehouse.home import open_home
from warehouse.query import run_query

RUNS = "SELECT label, status FROM stored.runs ORDER BY run_id"
STUCK_SECONDS = 40.0
TIMEOUT_SECONDS = 15


def main() -> None:
    """Plays both and prints what came of them."""
    home = open_home(Path(sys.argv[1]))
    prepare(home.root)
    os.environ["PREFECT_CLIENT_MAX_RETRIES"] = "1"
    warnings.simplefilter("ignore")
    from prefect.server.api.server import SubprocessASGIServer

    from flows import fetch
    from flows.refresh import refresh
    from flows.running import run

    released = threading.Event()
    usual = fetch.Fetcher.fetch
    found: dict[str, Any] = {}

    def stuck(self: Any, source: Any, last: Any = None) -> Any:
        if source.id == "azure-nd-h100-v5":
            released.wait(STUCK_SECONDS)
        return usual(self, source, last)

    def kills(self: Any, source: Any, last: Any = None) -> Any:
        if source.id == "azure-nd-h100-v5":
            for server in list(SubprocessASGIServer._instances.values()):
                if server.server_process is not None:
                    server.server_process.kill()
                    server.server_process.wait()
                    found["killed"] = True
            time.sleep(0.5)
        return usual(self, source, last)

    with DemoServer(demo_layers(1)) as site:
        given = {"home": str(home.root), "sources": "demo", "base_url": site.base_url, "allow_loopback": True}
        fetch.Fetcher.fetch = stuck  # type: ignore[method-assign]
        try:
            refresh.with_options(timeout_seconds=TIMEOUT_SECONDS, retries=0)(**given, label="stuck")
            found["stuck"] = "came to its end"
        except Exception as error:  # noqa: BLE001 - told to the test
            found["stuck"] = type(error).__name__
        released.set()
        fetch.Fetcher.fetch = kills  # type: ignore[method-assign]
        try:
            run(home.root, "demo", label="server killed", base_url=site.base_url, allow_loopback=True)
            found["server killed"] = "came to its end"
        except Exception as error:  # noqa: BLE001 - told to the test
            found["server killed"] = f"{type(error).__name__}: {error}"
    found["runs"] = run_query(home, RUNS).rows
    found["pages"] = run_query(
        home, "SELECT count(DISTINCT source_id) FROM stored.visits WHERE status = 'changed'"
    ).rows[0][0]
    found["claims"] = run_query(home, "SELECT count(*) FROM claims").rows[0][0]
    sys.stdout.write(f"{json.dumps(found)}\n")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
