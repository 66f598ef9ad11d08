"""Nights on which something outside fails: no page is lost, none is doubled, and the next run takes up the rest."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from flows.crawl import run_refresh
from flows.demo_server import DemoServer, demo_layers
from flows.fetch import Fetcher, Limits
from flows.outcome import Fetched
from flows.progress import Silent
from flows.sources import find_sources, with_base
from flows.summary import RunSummary
from schemas.errors import LedgerError, LedgerHeldError
from schemas.source import Snapshot, Source, Visit
from tests.faults.kill_refresh import CHILD, ROOT, told
from warehouse import snapshots
from warehouse.cards import builtin_cards
from warehouse.home import Home, open_home
from warehouse.invariants import first_broken_in
from warehouse.query import run_query

NIGHT = datetime(2026, 5, 1, 3, tzinfo=UTC)
ONCE = Limits(tries=1, delay_seconds=0, failures=10_000)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[list[tuple[object, ...]]]:
    """What two nights of the demo leave when nothing fails."""
    home = open_home(tmp_path_factory.mktemp("undisturbed"))
    with DemoServer(demo_layers(1)) as site:
        for day in (1, 2):
            site.show(demo_layers(day))
            refresh(home, site, NIGHT + timedelta(days=day))
    return told(home)


def refresh(
    home: Home,
    site: DemoServer,
    at: datetime,
    *,
    progress: Any = None,
    fetcher: Any = None,
    wait_seconds: float = 0,
) -> RunSummary:
    moments = iter(at + timedelta(seconds=n) for n in range(100_000))
    listed = with_base(find_sources("demo"), site.base_url)
    with Fetcher(allow_loopback=True, limits=ONCE, now=lambda: next(moments)) as usual:
        return run_refresh(
            home,
            listed,
            fetcher(usual) if fetcher else usual,
            lambda: next(moments),
            progress or Silent(),
            cards=builtin_cards(),
            wait_seconds=wait_seconds,
        )


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return open_home(tmp_path / "home")


@pytest.fixture
def site() -> Iterator[DemoServer]:
    with DemoServer(demo_layers(1)) as served:
        yield served


class Hook(Silent):
    """Calls back when the given number of pages were fetched."""

    def __init__(self, number: int, call: Callable[[], None]) -> None:
        self._left, self._call = number, call

    def fetched(self, source_id: str) -> None:
        self._left -= 1
        if self._left == 0:
            self._call()


def statuses(summary: RunSummary) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in summary.pages:
        found[row.status.value] = found.get(row.status.value, 0) + 1
    return found


def test_two_refreshes_at_once_store_each_page_once(
    home: Home, site: DemoServer, undisturbed: list[list[tuple[object, ...]]]
) -> None:
    refused: list[str] = []

    def second() -> None:
        try:
            refresh(home, site, NIGHT)
        except LedgerHeldError as error:
            refused.append(str(error))

    waiting: list[RunSummary] = []
    late = threading.Thread(
        target=lambda: waiting.append(
            refresh(home, site, NIGHT + timedelta(days=1, hours=1), wait_seconds=60)
        )
    )

    def both() -> None:
        second()
        late.start()

    first = refresh(home, site, NIGHT + timedelta(days=1), progress=Hook(3, both))
    late.join()
    assert statuses(first) == {"changed": 16}
    assert f"process {os.getpid()} is writing to the ledger" in refused[0]
    assert statuses(waiting[0]) == {"unchanged": 16}
    site.show(demo_layers(2))
    refresh(home, site, NIGHT + timedelta(days=2))
    assert told(home) == undisturbed


@pytest.mark.long
def test_a_network_that_goes_in_mid_run_costs_that_night_s_pages_and_no_more(
    home: Home, site: DemoServer, undisturbed: list[list[tuple[object, ...]]]
) -> None:
    gone = threading.Event()

    class Cut:
        """The fetcher, until the network is gone; then addresses lead nowhere."""

        def __init__(self, fetcher: Fetcher) -> None:
            self._fetcher = fetcher

        def fetch(self, source: Source, last: Snapshot | None) -> Fetched:
            if gone.is_set():
                source = source.model_copy(
                    update={"url": source.url.replace(site.base_url, "http://127.0.0.1:9")}
                )
            return self._fetcher.fetch(source, last)

    first = refresh(home, site, NIGHT + timedelta(days=1), progress=Hook(5, gone.set), fetcher=Cut)
    assert statuses(first) == {"changed": 5, "failed": 11}
    gone.clear()
    again = refresh(home, site, NIGHT + timedelta(days=1, hours=1))
    assert statuses(again) == {"unchanged": 5, "changed": 11}
    site.show(demo_layers(2))
    refresh(home, site, NIGHT + timedelta(days=2))
    # The two nights that became three: the same claims, versions, events and ranks.
    assert told(home) == undisturbed


@pytest.mark.long
def test_a_server_that_flaps_changes_no_claim(
    home: Home, site: DemoServer, undisturbed: list[list[tuple[object, ...]]]
) -> None:
    class Flapping:
        """Every third request is reset, another third answered by a page of the server's own trouble."""

        turn = 0

        def __init__(self, fetcher: Fetcher) -> None:
            self._fetcher = fetcher

        def fetch(self, source: Source, last: Snapshot | None) -> Fetched:
            Flapping.turn += 1
            if Flapping.turn % 3 == 1:
                source = source.model_copy(
                    update={"url": source.url.replace(site.base_url, "http://127.0.0.1:9")}
                )
            if Flapping.turn % 3 == 2:
                failed = Visit(source_id=source.id, at=NIGHT, status="failed", http_status=503, reason="503")
                return Fetched(failed, url=source.url)
            return self._fetcher.fetch(source, last)

    seen: set[str] = set()
    for night in range(4):
        summary = refresh(home, site, NIGHT + timedelta(days=1, hours=night), fetcher=Flapping)
        assert statuses(summary)["failed"] >= 10
        assert summary.news == ()
        seen |= {row.source_id for row in summary.pages if row.status.value == "changed"}
    refresh(home, site, NIGHT + timedelta(days=1, hours=12))
    site.show(demo_layers(2))
    refresh(home, site, NIGHT + timedelta(days=2))
    assert len(seen) > 10
    assert told(home) == undisturbed


@pytest.mark.long
def test_a_page_that_a_full_disk_refuses_ends_the_run_and_the_next_takes_up_the_rest(
    home: Home, site: DemoServer, undisturbed: list[list[tuple[object, ...]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    keep, kept = snapshots.keep, []

    def full(place: Home, body: bytes) -> str:
        if len(kept) == 6:
            raise OSError(errno.ENOSPC, "No space left on device")
        kept.append(keep(place, body))
        return kept[-1]

    monkeypatch.setattr(snapshots, "keep", full)
    with pytest.raises((OSError, LedgerError), match="No space left"):
        refresh(home, site, NIGHT + timedelta(days=1))
    last = "SELECT status FROM stored.runs ORDER BY run_id DESC LIMIT 1"
    assert run_query(home, last, live=True).rows == [("failed",)]
    monkeypatch.setattr(snapshots, "keep", keep)
    refresh(home, site, NIGHT + timedelta(days=1, hours=1))
    site.show(demo_layers(2))
    refresh(home, site, NIGHT + timedelta(days=2))
    assert told(home) == undisturbed


LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (SIZE, SIZE))
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "kilobytes",
    [4, pytest.param(300, marks=pytest.mark.long), pytest.param(2000, marks=pytest.mark.long)],
)
@pytest.mark.long
def test_a_process_whose_files_may_not_grow_fails_and_leaves_a_ledger_that_goes_on(
    home: Home, site: DemoServer, undisturbed: list[list[tuple[object, ...]]], kilobytes: int
) -> None:
    command = [sys.executable, "-c", LIMITED.replace("SIZE", str(kilobytes * 1024)) + CHILD]
    done = subprocess.run(
        [*command, str(home.root), site.base_url], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode != 0
    for day in (1, 2):
        site.show(demo_layers(day))
        refresh(home, site, datetime.now(UTC) + timedelta(days=day))
    assert first_broken_in(home.published) is None
    assert told(home) == undisturbed


@pytest.mark.parametrize(
    "jump",
    [
        timedelta(days=-30),
        pytest.param(timedelta(hours=-1), marks=pytest.mark.long),
        pytest.param(timedelta(days=400), marks=pytest.mark.long),
    ],
)
@pytest.mark.long
def test_a_clock_that_jumps_loses_and_doubles_nothing(
    home: Home, site: DemoServer, undisturbed: list[list[tuple[object, ...]]], jump: timedelta
) -> None:
    for day in (1, 2):
        site.show(demo_layers(day))
        refresh(home, site, NIGHT + timedelta(days=1) + (jump if day == 2 else timedelta()))
    assert first_broken_in(home.published) is None
    assert told(home) == undisturbed
    quiet = refresh(home, site, NIGHT + timedelta(days=3))
    assert quiet.news == ()
    assert told(home) == undisturbed


@pytest.mark.long
def test_a_clock_that_jumps_inside_a_run_ends_it_as_any_other(
    home: Home, site: DemoServer, undisturbed: list[list[tuple[object, ...]]]
) -> None:
    moments = [NIGHT + timedelta(days=1, seconds=n) for n in range(10)]
    jumping = iter([*moments, *(NIGHT - timedelta(days=9) + timedelta(seconds=n) for n in range(100_000))])
    with Fetcher(allow_loopback=True, limits=ONCE, now=lambda: next(jumping)) as fetcher:
        listed = with_base(find_sources("demo"), site.base_url)
        run_refresh(home, listed, fetcher, lambda: next(jumping), Silent(), cards=builtin_cards())
    site.show(demo_layers(2))
    refresh(home, site, NIGHT + timedelta(days=2))
    assert first_broken_in(home.published) is None
    assert told(home) == undisturbed
