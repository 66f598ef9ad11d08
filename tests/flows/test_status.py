"""How a home does, for machines and for whoever keeps it."""

from __future__ import annotations

import json
import shutil
import threading
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from flows.doctor import examine
from flows.status import as_prometheus, metrics_server, status_of
from tests.flows.conftest import Run
from warehouse.home import Home, open_home
from warehouse.ledger import Ledger

NOON = datetime(2026, 5, 2, 12, tzinfo=UTC)


def test_a_home_that_was_never_refreshed_has_no_success(tmp_path: Path) -> None:
    status = status_of(open_home(tmp_path), NOON)
    assert (status.last_success, status.last_run, status.claims, status.open_flags) == (None, None, 0, 0)
    assert status.disk_free_bytes > 0
    told = as_prometheus(status)
    assert "\nkoujing_last_success_age_seconds " not in told
    assert "\nkoujing_claims 0\n" in told


def test_a_home_tells_its_last_run_and_what_is_open(played: Home) -> None:
    status = status_of(played, NOON)
    assert status.last_run is not None
    assert (status.last_run.run_id, status.last_run.gone, status.sources, status.failing) == (2, 1, 16, 1)
    assert status.held == 1
    assert status.last_success is not None
    assert status.last_success_age_seconds == (NOON - status.last_success).total_seconds()
    told = as_prometheus(status)
    assert '\nkoujing_last_run_pages{status="gone"} 1\n' in told
    assert f"\nkoujing_last_success_age_seconds {status.last_success_age_seconds:.15g}\n" in told
    names = [line.split()[2] for line in told.splitlines() if line.startswith("# TYPE")]
    assert len(names) == len(set(names))
    assert all(name.startswith("koujing_") for name in names)


def test_a_clock_that_was_put_back_gives_no_negative_age(played: Home) -> None:
    long_ago = status_of(played, NOON - timedelta(days=900))
    assert long_ago.last_success_age_seconds == 0.0


def test_only_a_run_that_came_to_its_end_is_a_success(played: Home, tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    shutil.copytree(played.root, home.root, dirs_exist_ok=True)
    before = status_of(home, NOON).last_success
    with Ledger.open(home) as ledger:
        for ending in ("failed", "done"):
            run = ledger.begin_run("no pages", NOON)
            ledger.end_run(run, NOON, ending)  # type: ignore[arg-type]
        ledger.publish()
    assert status_of(home, NOON).last_success == before


def test_prometheus_reads_it_over_http(played: Home) -> None:
    with metrics_server(played, 0, lambda: NOON) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        with urllib.request.urlopen(f"{base}/metrics") as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            told = answer.read().decode().partition("# HELP koujing_disk_free")[0]
        assert told == as_prometheus(status_of(played, NOON)).partition("# HELP koujing_disk_free")[0]
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{base}/etc/passwd")
        server.shutdown()


def test_status_and_digest_are_commands(koujing: Run, played: Home) -> None:
    home = ("--home", str(played.root))
    found = json.loads(koujing("status", "--json", *home).out)
    assert (found["held"], found["last_run"]["run_id"]) == (1, 2)
    assert "koujing_held_pages 1\n" in koujing("status", "--prometheus", *home).out
    assert "kingsoft-xingliu: gone" in koujing("digest", *home).out
    assert json.loads(koujing("digest", "--format", "json", "--run", "1", *home).out)["first_read"] == 16
    assert "KOUJING_DIGEST names nobody" in koujing("digest", "--send", *home).err


# --- doctor ------------------------------------------------------------------------------------------------


def found_in(home: Home, sources: str = "vendors") -> dict[str, tuple[str, str]]:
    return {finding.what: (finding.state, finding.told) for finding in examine(home, sources)}


def test_a_sound_home_is_well(played: Home) -> None:
    found = found_in(played)
    assert {what for what, (state, _) in found.items() if state == "bad"} == set()
    assert found["ledger"][1].startswith("all invariants hold, 2 runs")
    assert found["kept pages"] == ("ok", "18 bodies")
    assert found["last refresh"][0] == "warning"


def test_what_is_wrong_is_named_and_the_rest_is_looked_at_all_the_same(
    played: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = open_home(tmp_path / "home")
    shutil.copytree(played.root, home.root, dirs_exist_ok=True)
    home.published.write_bytes(b"not a database")
    (home.root / "scorecards").write_text("")
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:1/api")
    monkeypatch.setenv("KOUJING_DIGEST_LANGUAGE", "de")
    with Ledger.open(home):
        found = found_in(home, str(tmp_path / "none.yaml"))
    bad = {what for what, (state, _) in found.items() if state == "bad"}
    assert {"ledger", "sources", "scorecards", "Prefect", "digest"} <= bad
    assert found["writer"][0] == "warning"
    assert "is writing to the ledger" in found["writer"][1]
    assert "does not answer (ConnectError)" in found["Prefect"][1]
    assert found["versions"][0] == "ok"


def test_doctor_fails_where_a_run_would(koujing: Run, tmp_path: Path) -> None:
    well = koujing("doctor")
    assert well.code == 0, well.out
    (tmp_path / "home" / "sources.yaml").write_text("sources: [", encoding="utf-8")
    ill = koujing("doctor")
    assert (ill.code, "a run would fail: sources" in ill.err) == (1, True)
