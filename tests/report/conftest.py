"""A home that holds the demo's two days, and the report on it; both made once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flows.reporting import SWITCH, write_after_run
from report.edition import Edition
from report.gather import gather
from report.model import Content
from warehouse.cards import builtin_cards
from warehouse.home import Home


@pytest.fixture(scope="session")
def home(played: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The demo's two days; the report is written into it."""
    return Home(Path(shutil.copytree(played.root, tmp_path_factory.mktemp("report") / "home")))


@pytest.fixture(scope="session")
def content(home: Home) -> Content:
    return gather(home, builtin_cards())


@pytest.fixture(scope="session")
def english(content: Content) -> Edition:
    return Edition(content, "en")


@pytest.fixture(scope="session")
def chinese(content: Content) -> Edition:
    return Edition(content, "zh")


@pytest.fixture(scope="session")
def site(home: Home) -> Path:
    """The report in both languages, as a run leaves it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(SWITCH, raising=False)
        assert write_after_run(home)
    return home.root / "report"
