"""What all tests share."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from warehouse.database import Database
from warehouse.home import Home, open_home
from warehouse.ledger import Ledger

# A run's report has tests of its own; the others, and the commands that they start, do without its seconds.
os.environ.setdefault("KOUJING_REPORT", "0")


@pytest.fixture(scope="session", autouse=True)
def _new_ledgers_are_copies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A new ledger in this process is a copy of one that was made once, as users' are.

    To lay the schema, the views and their comments takes a third of a second, and tests do it a thousand times.
    """
    home = open_home(tmp_path_factory.mktemp("template"))
    with Ledger.open(home):
        pass
    as_it_is = Database.open.__func__  # type: ignore[attr-defined]

    def open_copy(cls: type[Database], path: Path, *more: Any, **named: Any) -> Database:
        log = path.with_name(path.name + ".wal")
        if path.name == home.ledger.name and not path.exists() and not log.exists():
            with contextlib.suppress(OSError):  # what is wrong with the folder is for the real one to say
                shutil.copyfile(home.ledger, path)
        return as_it_is(cls, path, *more, **named)  # type: ignore[no-any-return]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "open", classmethod(open_copy))
        yield


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home that holds the demo's two days, for reading; who writes takes a copy."""
    from tests.demo_home import play  # what it imports is much, and only some tests need it

    return play(tmp_path_factory.mktemp("played"))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser for all tests of a file."""
    place = shutil.which("chromium")
    if place is None:
        pytest.skip("there is no chromium here; on Debian: apt install chromium")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=place, args=["--no-sandbox"])
        yield browser
        browser.close()
