from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flows import demo
from flows.demo import MARKER, run_demo
from schemas.errors import LedgerError, LedgerHeldError
from warehouse.home import open_home
from warehouse.ledger import Ledger
from warehouse.query import run_query

ROOT = Path(__file__).parents[2]
KOUJING = Path(sys.executable).with_name("koujing")


def koujing(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "KOUJING_"))
    }
    return subprocess.run(
        [str(KOUJING), "--home", str(home), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        timeout=240,
    )


def counts(printed: str, run: str) -> list[str]:
    """The numbers after a run's label in the table of the crawl."""
    line = next(line for line in printed.splitlines() if line.startswith(f"{run}  "))
    return line.removeprefix(run).split()


def totals(printed: str) -> list[tuple[str, str, str]]:
    """Rank, id and total of each row under published scores; those of derived rankings end in shares, or are ranges."""
    rows: list[tuple[str, str, str]] = []
    published = False
    for line in printed.splitlines():
        if line.startswith("rank "):
            published = line.endswith("total")
        elif published and line.strip()[:1].isdigit():
            row = line.split()
            rows.append((row[0], row[-2], row[-1]))
    return rows


@pytest.mark.slow
@pytest.mark.long
def test_the_demo_tells_its_story_and_reuses_it_the_second_time(tmp_path: Path) -> None:
    home = tmp_path / "demo"
    first = koujing(home, "demo")
    assert first.returncode == 0, first.stderr

    pages, *rest = counts(first.stdout, "day 1")
    assert rest == [pages, "0", "0", "0", "0", "0"]
    assert counts(first.stdout, "day 2") == [pages, "0", "2", str(int(pages) - 3), "1", "0", "0"]
    assert "(not stated) → 2 TB/s" in first.stdout
    assert "(not stated) → 3000 万" in first.stdout
    assert "a page that is gone retracts nothing" in first.stdout
    assert "huawei-cloud, storage_io: 4.1 is stale: of 3 claims under it" in first.stdout
    assert "Proposal for huawei-cloud, storage_io: 4.1 → 4.6." in first.stdout
    assert "Open flags:" in first.stdout
    assert "No model was asked: the rules alone read these pages." in first.stdout
    assert totals(first.stdout) == [
        ("1", "alibaba-cloud", "4.76"),
        ("2", "volcengine", "4.61"),
        ("3", "tencent-cloud", "4.54"),
        ("4", "huawei-cloud", "4.52"),
        ("5", "baidu-ai-cloud", "4.50"),
        ("6", "ucloud", "3.81"),
        ("1", "alibaba-cloud", "4.76"),
        ("2", "huawei-cloud", "4.61"),
        ("2", "volcengine", "4.61"),
        ("4", "tencent-cloud", "4.54"),
        ("5", "baidu-ai-cloud", "4.50"),
        ("6", "ucloud", "3.81"),
        ("1", "ucloud", "4.55"),
        ("2", "volcengine", "4.36"),
        ("3", "tencent-cloud", "4.24"),
        ("4", "baidu-ai-cloud", "4.13"),
        ("5", "alibaba-cloud", "4.02"),
        ("6", "huawei-cloud", "3.90"),
    ]
    assert "Traceback" not in first.stderr
    assert f"[{pages}/{pages}]" in first.stderr

    # No claim of another page has changed, and those of the page that is gone are kept.
    changed = "SELECT DISTINCT source_id FROM changes WHERE NOT first_visit AND kind = '{}'"
    opened = open_home(home)
    assert run_query(opened, changed.format("new")).rows == [("huawei-sfs-turbo",)]
    assert run_query(opened, changed.format("changed")).rows == []
    assert run_query(opened, changed.format("not_seen")).rows == []
    ((gone, reason),) = run_query(opened, "SELECT source_id, reason FROM holds WHERE open").rows
    assert (gone, reason) == ("kingsoft-xingliu", "gone")
    kept = f"SELECT count(*) FILTER (held AND seen), count(*) FROM claims WHERE source_id = '{gone}'"
    ((held, every),) = run_query(opened, kept).rows
    assert held == every > 0

    again = koujing(home, "demo")
    assert again.returncode == 0, again.stderr
    assert "Reused: day 1 and day 2" in again.stdout
    assert counts(again.stdout, "day 2 again") == [pages, "0", "0", str(int(pages) - 1), "1", "0", "0"]
    assert totals(again.stdout) == totals(first.stdout)
    assert run_query(opened, changed.format("new")).rows == [("huawei-sfs-turbo",)]

    # Starting over leaves nothing of what an earlier demo stored.
    demo._claim(opened, fresh=True)
    assert (opened.ledger.exists(), opened.published.exists()) == (False, False)


@pytest.mark.slow
@pytest.mark.long
def test_a_source_list_of_ones_own_goes_the_same_way(tmp_path: Path) -> None:
    from flows.demo_server import DemoServer

    site = tmp_path / "site"
    site.mkdir()
    (site / "page.html").write_text(
        "<title>UCloud</title><p>单机 RDMA 网络带宽 800 Gbps</p>", encoding="utf-8"
    )
    with DemoServer([site]) as server:
        listed = tmp_path / "list.yaml"
        listed.write_text(
            f"sources:\n  - {{id: good, vendor: ucloud, url: '{server.base_url}/page.html'}}\n"
            f"  - {{id: refused, url: 'http://127.0.0.1:9/'}}\n",
            encoding="utf-8",
        )
        done = koujing(tmp_path / "home", "refresh", "--sources", str(listed), "--allow-loopback")
        assert done.returncode == 0, done.stderr
        assert "1 read for the first time, 0 changed, 0 unchanged, 0 gone, 1 failed" in done.stdout
        assert "ranked ten-thousand-cards (for the first time)" in done.stdout
    assert "Traceback" not in done.stderr
    assert koujing(tmp_path / "home", "sql", "SELECT low FROM claims", "--format", "csv").stdout == (
        "low\n800000000000\n"
    )


@pytest.mark.slow
def test_a_wrong_source_list_or_a_held_home_is_refused_before_anything_starts(tmp_path: Path) -> None:
    listed = tmp_path / "list.yaml"
    listed.write_text("sources:\n  - {id: a, url: 'ftp://vendor.example/'}\n")
    wrong = koujing(tmp_path / "home", "refresh", "--sources", str(listed))
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert "list.yaml:2:" in wrong.stderr
    with Ledger.open(open_home(tmp_path / "home")):
        held = koujing(tmp_path / "home", "refresh", "--sources", "demo")
    assert (held.returncode, held.stdout) == (1, "")
    assert "is writing to the ledger" in held.stderr
    assert "Traceback" not in held.stderr


@pytest.mark.slow
def test_prefect_finds_the_flow_by_its_path_and_no_file_of_ours_hides_another(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from importlib.metadata import packages_distributions\n"
        "from pathlib import Path\n"
        "from prefect.flows import load_flow_from_entrypoint\n"
        "flow = load_flow_from_entrypoint('flows/refresh.py:refresh')\n"
        "ours = {path.stem for path in Path('flows').iterdir()} - {'__init__', '__pycache__', 'py'}\n"
        "print(flow.name, sorted(flow.parameters.properties))\n"
        "print(sorted(ours & (set(packages_distributions()) | sys.stdlib_module_names)))"
    )
    environment = {**os.environ, "PREFECT_HOME": str(tmp_path), "PREFECT_LOGGING_LEVEL": "CRITICAL"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,
    )
    assert done.stdout.splitlines() == [
        "refresh ['allow_loopback', 'base_url', 'contact', 'home', 'label', 'sources', 'wait_seconds']",
        "[]",
    ], done.stderr


def test_somebody_s_real_ledger_is_never_taken_for_the_demo_s(tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    with Ledger.open(home):
        pass
    for fresh in (False, True):
        with pytest.raises(LedgerError, match="holds a ledger that no demo made"):
            run_demo(home.root, fresh=fresh)
    assert home.ledger.exists()
    assert not (home.root / MARKER).exists()


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Has the demo play its days by name only, and gives the names."""
    labels: list[str] = []
    monkeypatch.setattr(demo, "_play", lambda home, site, day, label: labels.append(label))
    monkeypatch.setattr(demo, "print_report", lambda home: None)
    return labels


def test_fresh_removes_what_the_demo_made_and_nothing_else(tmp_path: Path, played: list[str]) -> None:
    run_demo(tmp_path)
    home = open_home(tmp_path)
    with Ledger.open(home) as ledger:
        ledger.publish()
    (tmp_path / "mine.txt").write_text("mine")
    run_demo(tmp_path, fresh=True)
    assert not home.ledger.exists()
    assert not home.published.exists()
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert played == ["day 1", "day 2"] * 2


def test_fresh_leaves_a_home_alone_to_which_a_run_writes(tmp_path: Path, played: list[str]) -> None:
    run_demo(tmp_path)
    home = open_home(tmp_path)
    with Ledger.open(home), pytest.raises(LedgerHeldError):
        run_demo(tmp_path, fresh=True)
    assert home.ledger.exists()


def test_another_edition_of_the_pages_sets_the_old_ledger_aside(
    tmp_path: Path, played: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run_demo(tmp_path)
    home = open_home(tmp_path)
    with Ledger.open(home):
        pass
    (tmp_path / MARKER).write_text("another edition\n")
    run_demo(tmp_path)
    assert not home.ledger.exists()
    assert (tmp_path / "earlier-1" / "ledger.duckdb").exists()
    assert "another edition" in capsys.readouterr().err
    run_demo(tmp_path)
    assert not (tmp_path / "earlier-2").exists()


@pytest.mark.parametrize(
    ("done", "expected"),
    [((), ["day 1", "day 2"]), (("day 1",), ["day 2"]), (("day 1", "day 2"), ["day 2 again"])],
)
def test_only_days_that_were_not_finished_are_played(
    tmp_path: Path, played: list[str], done: tuple[str, ...], expected: list[str]
) -> None:
    run_demo(tmp_path)
    played.clear()
    from datetime import UTC, datetime

    at = datetime(2026, 5, 1, tzinfo=UTC)
    with Ledger.open(open_home(tmp_path)) as ledger:
        for label in done:
            ledger.end_run(ledger.begin_run(label, at), at, "done")
        ledger.end_run(ledger.begin_run("day 2", at), at, "failed")
        ledger.publish()
    run_demo(tmp_path)
    assert played == expected
