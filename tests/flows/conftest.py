"""The command line run in this process, and a home that holds the demo."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from flows import cli, crawl
from flows.demo_server import DemoServer, demo_layers
from flows.fetch import Fetcher
from flows.progress import Silent
from flows.sources import find_sources, with_base
from warehouse.cards import builtin_cards
from warehouse.home import Home, open_home


class Outcome:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def objects(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Outcome]


@pytest.fixture
def koujing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs the command line in this process, in a home of its own."""
    monkeypatch.setenv("KOUJING_HOME", str(tmp_path / "home"))

    def run(*arguments: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["koujing", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        code = ended.value.code
        return Outcome(code if isinstance(code, int) else 0, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home that holds the demo's two days."""
    return play(tmp_path_factory.mktemp("played"))


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
