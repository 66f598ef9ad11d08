"""What is wrong in the home is told at once, before Prefect starts."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows import running
from flows.demo import MARKER, run_demo
from schemas.errors import KoujingError
from warehouse.home import Home, open_home
from warehouse.ledger import Ledger
from warehouse.query import run_query

Run = Callable[..., Any]
LIST = "sources:\n  - {id: page, url: 'https://vendor.example/'}\n"


@pytest.fixture
def without_prefect(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("PREFECT_")]:
        monkeypatch.delenv(name)
    # What `prepare` sets is taken back when the test ends.
    monkeypatch.setattr(os, "environ", os.environ.copy())


@pytest.mark.usefixtures("without_prefect")
def test_prefects_folder_is_made(tmp_path: Path) -> None:
    running.prepare(tmp_path)
    assert os.environ["PREFECT_HOME"] == str(tmp_path / "prefect")
    assert list((tmp_path / "prefect").iterdir()) == []


@pytest.mark.usefixtures("without_prefect")
def test_a_file_in_the_place_of_prefects_folder_is_told_at_once(koujing: Run, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "prefect").write_text("")
    (home / "list.yaml").write_text(LIST)
    outcome = koujing("refresh", "--sources", str(home / "list.yaml"))
    assert (outcome.code, outcome.out) == (1, "")
    assert f"Prefect cannot keep its files in {home / 'prefect'} (it is a file)" in outcome.err
    assert not (home / "ledger.duckdb").exists()


@pytest.mark.usefixtures("without_prefect")
def test_a_database_that_prefect_cannot_use_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "prefect" / "prefect.db").mkdir(parents=True)
    with pytest.raises(KoujingError, match=r"Prefect cannot write .*prefect\.db"):
        running.prepare(tmp_path)


@pytest.mark.usefixtures("without_prefect")
def test_a_folder_that_cannot_be_made_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    os.environ["PREFECT_HOME"] = str(tmp_path / "file" / "prefect")
    with pytest.raises(KoujingError, match="Prefect cannot keep its files in"):
        running.prepare(tmp_path)


@pytest.mark.usefixtures("without_prefect")
def test_with_a_server_of_the_users_own_no_folder_is_needed(tmp_path: Path) -> None:
    (tmp_path / "prefect").write_text("")
    os.environ["PREFECT_API_URL"] = "http://127.0.0.1:9/api"
    running.prepare(tmp_path)
    assert "PREFECT_HOME" not in os.environ


@pytest.mark.parametrize("command", [("rank",), ("refresh", "--sources", "LIST"), ("flags",)])
def test_scorecards_that_are_a_file_are_told(koujing: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    home = open_home(tmp_path / "home")
    with Ledger.open(home) as ledger:
        ledger.publish()
    (home.root / "scorecards").write_text("mine")
    (tmp_path / "list.yaml").write_text(LIST)
    outcome = koujing(*(str(tmp_path / "list.yaml") if word == "LIST" else word for word in command))
    assert (outcome.code, outcome.out) == (1, "")
    assert f"{home.root / 'scorecards'}: it is a file; make it a folder of scorecards" in outcome.err
    assert "a file, and no folder" in koujing("where").out


def damaged(home: Home) -> None:
    home.published.write_bytes(home.published.read_bytes()[:5_000])


def test_a_damaged_published_file_is_told_with_the_way_out(koujing: Run, tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    with Ledger.open(home) as ledger:
        ledger.publish()
    damaged(home)
    for command in (("sql", "FROM claims"), ("flags",), ("changes",)):
        outcome = koujing(*command)
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.endswith("; run `koujing refresh`, which publishes again\n")


@pytest.mark.parametrize("keeps_ledger", [True, False])
def test_the_demo_publishes_again_over_a_damaged_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keeps_ledger: bool
) -> None:
    played: list[str] = []
    monkeypatch.setattr("flows.demo._play", lambda home, site, day, label: played.append(label))
    monkeypatch.setattr("flows.demo.print_report", lambda home: None)
    home = open_home(tmp_path / "demo")
    run_demo(home.root)
    assert (home.root / MARKER).exists()
    with Ledger.open(home) as ledger:
        from datetime import UTC, datetime

        at = datetime(2026, 5, 1, tzinfo=UTC)
        ledger.end_run(ledger.begin_run("day 1", at), at, "done")
        ledger.publish()
    damaged(home)
    if not keeps_ledger:
        home.ledger.unlink()
    played.clear()
    run_demo(home.root)
    assert played == (["day 2"] if keeps_ledger else ["day 1", "day 2"])
    if keeps_ledger:
        assert run_query(home, "SELECT label FROM stored.runs").rows == [("day 1",)]
