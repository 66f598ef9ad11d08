from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from schemas.errors import LedgerError
from warehouse.home import open_home


def test_a_missing_home_is_made(tmp_path):
    home = open_home(tmp_path / "a" / "b")
    assert home.root.is_dir()
    assert list(home.root.iterdir()) == []
    assert (home.ledger.name, home.published.name) == ("ledger.duckdb", "koujing.duckdb")
    assert (home.snapshots.name, home.lock.name) == ("snapshots", "writer.lock")


def test_the_path_goes_before_the_variable_and_that_before_the_platform(tmp_path, monkeypatch):
    monkeypatch.setenv("KOUJING_HOME", str(tmp_path / "named"))
    assert open_home(tmp_path / "given").root == tmp_path / "given"
    assert open_home().root == tmp_path / "named"
    monkeypatch.setenv("KOUJING_HOME", " ")
    monkeypatch.setattr(platformdirs, "user_data_path", lambda name: tmp_path / f"data-{name}")
    assert open_home().root == tmp_path / "data-koujing"


def test_a_home_that_is_a_file_is_refused(tmp_path):
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(LedgerError, match="is a file, not a folder; give a folder with --home"):
        open_home(file)
    with pytest.raises(LedgerError, match="cannot be made"):
        open_home(file / "below")
    assert file.read_text() == "mine"


def test_a_read_only_home_is_refused_for_writing_and_open_for_reading(tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o555)
    try:
        with pytest.raises(LedgerError, match="is read-only; make it writable"):
            open_home(folder)
        assert open_home(folder, for_writing=False).root == folder
    finally:
        folder.chmod(0o755)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a file system that takes no files")
def test_a_home_that_refuses_files_whatever_its_mode_is_refused():
    with pytest.raises(LedgerError, match=r"is read-only|cannot be made"):
        open_home(Path("/proc/self"))
