"""A desk over a copy of the demo's home, asked as a browser asks."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

from flows.review_desk import HomeBackend
from review.web.app import create_app
from review.web.guard import Access
from warehouse.home import Home, open_home

BASE = "http://127.0.0.1:8390"
HERE = {"origin": BASE, "sec-fetch-site": "same-origin"}


@dataclass
class Browser:
    """Keeps cookies, follows no link by itself, and sends forms with the page's own token."""

    client: TestClient
    token: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def another(self) -> Browser:
        """A browser that knows nothing of this one, on the same desk."""
        return Browser(TestClient(self.client.app, base_url=BASE, raise_server_exceptions=False))

    def get(self, path: str, **more: Any):
        found = self.client.get(path, follow_redirects=False, **more)
        if token := re.search(r'name="token" value="([0-9a-f]{64})"', found.text):
            self.token = token[1]
        return found

    def page(self, path: str) -> BeautifulSoup:
        found = self.get(path)
        assert found.status_code == 200, (path, found.status_code)
        return BeautifulSoup(found.text, "lxml")

    def post(self, path: str, form: dict[str, Any], headers: dict[str, str] | None = None):
        return self.client.post(
            path,
            data={"token": self.token, **form},
            headers={**HERE, **(headers or {})},
            follow_redirects=False,
        )

    def flags(self) -> list[str]:
        links = self.page("/").select("tr[data-row] a")
        return [link["href"] for link in links]

    def form(self, flag: str) -> dict[str, str]:
        """The fields of the flag's own form, without a choice."""
        form = self.page(flag).select_one(".decide form")
        return {field["name"]: field["value"] for field in form.select("input[type=hidden]")}


@pytest.fixture
def copied(played: Home, tmp_path: Path) -> Home:
    shutil.copytree(played.root, tmp_path / "copy")
    return open_home(tmp_path / "copy")


@pytest.fixture(scope="session")
def browse() -> Callable[..., Browser]:
    """A browser on a desk over the home; by default ann's own, on this machine."""

    def open_desk(home: Home, access: Access | None = None, name: str = "ann") -> Browser:
        app = create_app(HomeBackend(home), access or Access(local_name=name))
        return Browser(TestClient(app, base_url=BASE, raise_server_exceptions=False))

    return open_desk


@pytest.fixture(scope="session")
def at_played(played: Home, browse: Callable[..., Browser]) -> Browser:
    """On the demo's home itself: for what must change nothing."""
    return browse(played)


@pytest.fixture
def browser(copied: Home, browse: Callable[..., Browser]) -> Browser:
    return browse(copied)
