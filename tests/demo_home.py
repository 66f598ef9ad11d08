"""The home that holds the demo's two days, at times that are always the same."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from flows import crawl
from flows.demo_server import DemoServer, demo_layers
from flows.fetch import Fetcher
from flows.progress import Silent
from flows.sources import find_sources, with_base
from warehouse.cards import builtin_cards
from warehouse.home import Home, open_home


def play(root: Path) -> Home:
    """Makes the home that holds the demo's two days, by the refresh without Prefect."""
    home = open_home(root)
    moments = iter(datetime(2026, 5, 1, 3, tzinfo=UTC) + timedelta(seconds=n) for n in range(100_000))
    with (
        DemoServer(demo_layers(1)) as site,
        Fetcher(allow_loopback=True, now=lambda: next(moments)) as fetcher,
    ):
        listed = with_base(find_sources("demo"), site.base_url)
        for day in (1, 2):
            site.show(demo_layers(day))
            crawl.run_refresh(
                home, listed, fetcher, lambda: next(moments), Silent(), cards=builtin_cards(), label=str(day)
            )
    return home
