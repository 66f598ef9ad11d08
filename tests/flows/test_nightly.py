"""The nightly refresh under Prefect: its schedule where clocks change, its deployments, its event and what it starts."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from flows.ranking_anew import rank_anew
from warehouse.cards import builtin_cards
from warehouse.home import Home, open_home
from warehouse.query import run_query

ROOT = Path(__file__).parents[2]
KOUJING = Path(sys.executable).with_name("koujing")
# Nights on which clocks are put forward and back: schedule, zone, the day before, local times of three runs.
NIGHTS = [
    ("30 1 * * *", "Europe/London", "2026-10-24", ["24 01:30 +0100", "25 01:30 +0100", "26 01:30 +0000"]),
    ("30 1 * * *", "Europe/London", "2026-03-28", ["28 01:30 +0000", "29 02:30 +0100", "30 01:30 +0100"]),
    ("30 2 * * *", "Europe/Berlin", "2026-10-24", ["24 02:30 +0200", "25 02:30 +0200", "26 02:30 +0100"]),
    ("30 2 * * *", "Europe/Berlin", "2026-03-28", ["28 02:30 +0100", "29 03:30 +0200", "30 02:30 +0200"]),
    ("30 1 * * *", "America/New_York", "2026-10-31", ["31 01:30 -0400", "01 01:30 -0400", "02 01:30 -0500"]),
    ("30 2 * * *", "America/New_York", "2026-03-07", ["07 02:30 -0500", "08 03:30 -0400", "09 02:30 -0400"]),
    ("0 3 * * *", "Asia/Shanghai", "2026-03-28", ["29 03:00 +0800", "30 03:00 +0800", "31 03:00 +0800"]),
]
REPEATED = """
import json, sys
from datetime import UTC, datetime, timedelta
from flows.serving import coming
found = []
for cron, zone, day, _ in json.loads(sys.argv[1]):
    start = datetime.fromisoformat(day).replace(tzinfo=UTC)
    first = coming(cron, zone, 3, start)
    # A scheduler looks again and again; what it finds later is never another moment on the same date.
    seen = {m.astimezone(UTC) for hour in range(72) for m in coming(cron, zone, 3, start + timedelta(hours=hour))}
    dates = sorted(m.astimezone(first[0].tzinfo).date() for m in seen)
    found.append([[f"{m:%d %H:%M %z}" for m in first], len(dates) == len(set(dates))])
print(json.dumps(found))
"""


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        "KOUJING_HOME": str(folder / "home"),
        "PREFECT_HOME": str(folder / "prefect"),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
        **more,
    }


@pytest.mark.slow
def test_each_date_has_one_run_where_clocks_are_put_forward_or_back(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", REPEATED, json.dumps(NIGHTS)],
        capture_output=True,
        text=True,
        env=environment(tmp_path),
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[expected, True] for *_, expected in NIGHTS]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--cron", "61 3 * * *"), "no schedule: "),
        (("--timezone", "Asia/Nowhere"), "no schedule: "),
        (("--after", "soon"), "it like 2026-10-25"),
    ],
)
def test_a_schedule_that_is_none_is_refused(arguments: tuple[str, ...], told: str, tmp_path: Path) -> None:
    command = [str(KOUJING), "nightly", "when", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(tmp_path))
    assert (done.returncode != 0, told in done.stderr, "Traceback" in done.stderr) == (True, True, False)


def test_the_deployments_of_a_team_are_those_that_are_served() -> None:
    listed = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]
    nightly, rerank = listed
    assert (nightly["name"], nightly["entrypoint"]) == ("nightly", "flows/refresh.py:refresh")
    assert nightly["schedules"] == [{"cron": "0 3 * * *", "timezone": "Asia/Shanghai"}]
    assert nightly["concurrency_limit"] == 1
    assert (rerank["name"], rerank["entrypoint"]) == ("rerank", "flows/rerank.py:rerank")
    assert rerank["triggers"][0]["expect"] == ["koujing.claim.changed"]
    assert rerank["triggers"][0]["match"] == {"koujing.ranked": "false"}


def test_a_home_is_ranked_anew_by_what_it_holds(played: Home, tmp_path: Path) -> None:
    home = open_home(tmp_path / "home")
    shutil.copytree(played.root, home.root, dirs_exist_ok=True)
    ranks = "SELECT scorecard, rank, vendor, total FROM ranking ORDER BY ALL"
    marked = "SELECT scorecard, vendor, dimension, status FROM scores ORDER BY ALL"
    before = [run_query(home, query).rows for query in (ranks, marked)]
    ranked = rank_anew(home, lambda: datetime(2026, 6, 1, tzinfo=UTC), cards=builtin_cards())
    assert {result.scorecard for result in ranked} == {card.id for card in builtin_cards() if card.editorial}
    assert [run_query(home, query).rows for query in (ranks, marked)] == before
    last = "SELECT label, status FROM stored.runs ORDER BY run_id DESC LIMIT 1"
    assert run_query(home, last).rows == [("rerank", "done")]


def test_nobody_is_told_where_there_is_no_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from flows.announcing import announce

    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    assert announce(Home(tmp_path), ["a"], by="a reviewer", ranked=False) is False
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:1/api")
    assert announce(Home(tmp_path), [], by="a reviewer", ranked=False) is False


# --- with a server -----------------------------------------------------------------------------------------


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(what: Callable[[], Any], seconds: float, process: subprocess.Popen[str]) -> Any:
    """What the call gives once it gives anything; a failure where it does not in time or the process ends."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if found := what():
                return found
        except (httpx.HTTPError, OSError, LookupError):
            pass
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        time.sleep(0.5)
    pytest.fail("it did not come in time")


@pytest.fixture
def served(tmp_path: Path, played: Home) -> Iterator[tuple[subprocess.Popen[str], Home, str]]:
    """`koujing nightly serve` with a server of its own, over the demo's ledger."""
    home = open_home(tmp_path / "home")
    shutil.copytree(played.root, home.root, dirs_exist_ok=True)
    port = free_port()
    command = [str(KOUJING), "nightly", "serve", "--sources", "vendors", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--cron", "0 3 29 2 *", "--timezone", "Europe/Berlin"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(tmp_path),
        cwd=tmp_path,
        start_new_session=True,
    )
    try:
        yield process, home, f"http://127.0.0.1:{port}/api"
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def server_process(port: int) -> int:
    listed = subprocess.run(
        ["ps", "-eww", "-o", "pid,args"], capture_output=True, text=True
    ).stdout.splitlines()
    lines = [line.split() for line in listed if f"--port {port}" in line and "server start" in line]
    return int(lines[0][0])


@pytest.mark.long
def test_a_reviewer_s_change_ranks_again_though_the_server_was_killed_between(
    served: tuple[subprocess.Popen[str], Home, str], tmp_path: Path
) -> None:
    process, home, url = served

    def deployments() -> list[dict[str, Any]]:
        found = httpx.post(f"{url}/deployments/filter", json={}, timeout=10).json()
        return found if len(found) == 2 else []

    by_name = {one["name"]: one for one in until(deployments, 120, process)}
    nightly, rerank = by_name["nightly"], by_name["rerank"]
    assert nightly["schedules"][0]["schedule"]["cron"] == "0 3 29 2 *"
    assert nightly["schedules"][0]["schedule"]["timezone"] == "Europe/Berlin"
    assert (sorted(nightly["tags"]), nightly["parameters"]["label"]) == (["koujing", "nightly"], "nightly")
    assert nightly["global_concurrency_limit"]["limit"] == 1

    port = int(url.split(":")[2].partition("/")[0])
    os.kill(server_process(port), signal.SIGKILL)
    time.sleep(1)
    until(lambda: httpx.get(f"{url}/health", timeout=5).is_success, 120, process)

    told = (
        "import sys; from pathlib import Path; from flows.announcing import announce; from warehouse.home import Home\n"
        "print(announce(Home(Path(sys.argv[1])), ['a', 'b'], by='a reviewer', ranked=sys.argv[2] == 'ranked'))"
    )

    def announce(how: str) -> None:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", told, str(home.root), how],
            capture_output=True,
            text=True,
            env=environment(tmp_path, PREFECT_API_URL=url),
            cwd=ROOT,
        )
        assert done.stdout == "True\n", done.stderr

    def labels() -> list[str]:
        return [row[0] for row in run_query(home, "SELECT label FROM stored.runs ORDER BY run_id").rows]

    announce("ranked")
    announce("unranked")
    until(lambda: "rerank" in labels(), 120, process)
    assert labels().count("rerank") == 1
    artifacts = until(lambda: httpx.post(f"{url}/artifacts/filter", json={}, timeout=10).json(), 60, process)
    assert {one["key"] for one in artifacts} == {"koujing-rankings"}
    assert rerank["entrypoint"].endswith("rerank")
