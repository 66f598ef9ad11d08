"""A benchmark that cannot run is found out by the tests, at a size that costs nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.bench import verification

PAGES = Path(__file__).parent / "cases" / "pages"


def test_verification_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = min(PAGES.glob("*.html"), key=lambda path: path.stat().st_size)
    shutil.copy(page, tmp_path)
    verification.run(tmp_path, (40,))
    assert "     40 claims:" in capsys.readouterr().out
