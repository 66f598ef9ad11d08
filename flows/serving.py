"""Serves the nightly refresh by Prefect's own scheduler: with the server that is named, or one of its own on loopback."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

import httpx

from flows.announcing import EVENT, RANKED
from flows.printing import say
from flows.running import prepare
from schemas.errors import KoujingError

if TYPE_CHECKING:
    from prefect.deployments.runner import RunnerDeployment

_READY_SECONDS = 120.0
_PAUSE_SECONDS = 1.0
_ENOUGH_RUNS = {"PREFECT_FLOWS_DEFAULT_RETRIES": "1", "PREFECT_FLOWS_DEFAULT_RETRY_DELAY_SECONDS": "300"}
"""A nightly run that fails as a whole is tried once more, five minutes later: it takes up what the first one left."""


def coming(cron: str, timezone: str, count: int, after: datetime | None = None) -> list[datetime]:
    """The next moments at which a schedule starts a run, in its own time zone's clock, as Prefect reckons them.

    Raises KoujingError where the schedule or the time zone is none.
    """
    import asyncio
    from zoneinfo import ZoneInfo

    from prefect.server.schemas.schedules import CronSchedule

    try:
        schedule = CronSchedule(cron=cron, timezone=timezone)
    except ValueError as error:
        told = str(error).splitlines()
        raise KoujingError(f"no schedule: {told[2].strip() if len(told) > 2 else told[0]}") from None
    dates = asyncio.run(schedule.get_dates(n=count, start=after or datetime.now(UTC)))
    return [moment.astimezone(ZoneInfo(timezone)) for moment in dates]


def serve_nightly(
    home: Path, sources: str, *, cron: str, timezone: str, contact: str = "", port: int = 4200
) -> None:
    """Registers the deployments `nightly` and `rerank` and runs what is due, until it is ended.

    Without PREFECT_API_URL a Prefect server of its own is started on loopback at `port`, and again where it ends.
    """
    prepare(home)
    for name, value in _ENOUGH_RUNS.items():
        os.environ.setdefault(name, value)
    named = os.environ.get("PREFECT_API_URL")
    # So that the server that is started here is ended too, before Prefect's runner takes the signal over.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with contextlib.nullcontext(named) if named else _own_server(port) as url:
        os.environ["PREFECT_API_URL"] = url
        from prefect.settings import PREFECT_API_URL, temporary_settings

        # Where Prefect was imported before its server was there, the environment alone would come too late.
        with temporary_settings({PREFECT_API_URL: url}):
            _serve(home, sources, cron=cron, timezone=timezone, contact=contact)


def _serve(home: Path, sources: str, *, cron: str, timezone: str, contact: str) -> None:
    from prefect import serve
    from prefect.events import DeploymentEventTrigger
    from prefect.schedules import Cron
    from prefect.types.entrypoint import EntrypointType

    from flows.refresh import refresh
    from flows.rerank import rerank

    nightly = refresh.to_deployment(
        "nightly",
        schedule=Cron(cron, timezone=timezone),
        parameters={
            "home": str(home),
            "sources": sources,
            "contact": contact,
            "label": "nightly",
            "wait_seconds": 600,
        },
        tags=["koujing", "nightly"],
        concurrency_limit=1,
        description="Visits every source, stores what changed, ranks again, publishes.",
        entrypoint_type=EntrypointType.MODULE_PATH,
    )
    again = rerank.to_deployment(
        "rerank",
        parameters={"home": str(home)},
        tags=["koujing"],
        concurrency_limit=1,
        description="Ranks again where a reviewer or another process changed claims.",
        triggers=[
            DeploymentEventTrigger(
                name="koujing: rank again where claims changed", expect={EVENT}, match={RANKED: "false"}
            )
        ],
        entrypoint_type=EntrypointType.MODULE_PATH,
    )
    say(f"serving: {cron} ({timezone}); Prefect at {os.environ['PREFECT_API_URL'].removesuffix('/api')}")
    # Outside of an event loop they are deployments and no promises of such, which types cannot tell.
    serve(*cast("tuple[RunnerDeployment, ...]", (nightly, again)), print_starting_message=False)


@contextlib.contextmanager
def _own_server(port: int) -> Iterator[str]:
    """A Prefect server on loopback, kept up until the block is left."""
    _require_free(port)
    ending = threading.Event()
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    url = f"http://127.0.0.1:{port}/api"
    say("starting a Prefect server, which takes 10 to 20 seconds …")
    running = [_start(command)]

    def keep_up() -> None:
        while not ending.wait(_PAUSE_SECONDS):
            if running[0].poll() is not None and not ending.is_set():
                say(f"Prefect's server ended with {running[0].returncode}; it is started again")
                running[0] = _start(command)

    keeper = threading.Thread(target=keep_up, name="prefect server", daemon=True)
    keeper.start()
    try:
        _wait_for(url)
        yield url
    finally:
        ending.set()
        keeper.join()
        running[0].terminate()
        try:
            running[0].wait(10)
        except subprocess.TimeoutExpired:
            running[0].kill()


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603 - our own words


def _wait_for(url: str) -> None:
    until = time.monotonic() + _READY_SECONDS
    while time.monotonic() < until:
        try:
            if httpx.get(f"{url}/health", timeout=5, trust_env=False).is_success:
                return
        except httpx.HTTPError:
            time.sleep(_PAUSE_SECONDS / 2)
    raise KoujingError(f"Prefect's server did not answer at {url} within {_READY_SECONDS:g} s")


def _require_free(port: int) -> None:
    with contextlib.closing(socket.socket()) as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            raise KoujingError(
                f"port {port} is taken; give another with --port, "
                f"or set PREFECT_API_URL=http://127.0.0.1:{port}/api if a Prefect server is there"
            ) from None
