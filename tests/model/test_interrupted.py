"""A run that is killed while it asks, and two that would ask at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.model.fake_server import FakeServer, Step, serving
from tests.model.test_bad_answers import whole
from tests.model.test_calling import model_at, outcome
from tests.model.test_refresh_with_model import rows
from warehouse.home import open_home
from warehouse.replies import Replies

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
PAGES = {
    name: f"<h1>Compute network</h1><p>All told {figure} Tbps.</p><p>Every node has eight RDMA cards.</p>"
    for name, figure in (("a", "3.2"), ("b", "1.6"), ("c", "0.8"))
}


def refreshing(home: Path, server: FakeServer) -> subprocess.Popen[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("KOUJING_")}
    env |= {"KOUJING_MODEL": "openai:small", "KOUJING_MODEL_URL": server.url, "KOUJING_MODEL_TIMEOUT": "60"}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.model.refresh_once", str(home), json.dumps(PAGES)],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def asked(server: FakeServer, number: int, process: subprocess.Popen[str]) -> None:
    """Waits until the server has been asked so often."""
    while len(server.requests) < number:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def hangs_at(number: int) -> Callable[[dict[str, Any]], Step]:
    """Answers rightly, but for one request that it lets wait."""
    seen: list[int] = []

    def answer(request: dict[str, Any]) -> Step:
        seen.append(1)
        return Step(hang=True) if len(seen) == number else Step(text=whole())

    return answer


@pytest.mark.long
def test_a_run_that_is_killed_while_it_asks_pays_for_no_reply_twice(tmp_path):
    with serving(answer=hangs_at(3)) as server:
        first = refreshing(tmp_path / "home", server)
        asked(server, 3, first)
        first.kill()
        first.communicate()
        second = refreshing(tmp_path / "home", server)
        out, error = second.communicate(timeout=120)
        assert second.returncode == 0, error
        assert json.loads(out) in ([[0, 1, 0], [0, 1, 0], [1, 0, 0]], [[1, 0, 0]])
        assert len(server.requests) == 4
    home = open_home(tmp_path / "home")
    assert rows(home, "SELECT text_value, basis FROM claims ORDER BY low") == [
        ("0.8 Tbps", "per_node"),
        ("1.6 Tbps", "per_node"),
        ("3.2 Tbps", "per_node"),
    ]


@pytest.mark.long
def test_of_two_runs_at_once_the_second_says_that_the_first_is_at_work(tmp_path):
    home = tmp_path / "home"
    with serving(answer=hangs_at(1)) as server:
        first = refreshing(home, server)
        asked(server, 1, first)
        second = refreshing(home, server)
        _, error = second.communicate(timeout=120)
        assert second.returncode == 1
        assert f"process {first.pid} is writing" in error
        with Replies(home / "replies.duckdb") as store:  # as `koujing eval` has it
            reason = outcome(model_at(server, store=store))
        server.released.set()
        out, error = first.communicate(timeout=120)
        assert first.returncode == 0, error
    assert "another run keeps its replies in" in str(reason)
    assert sum(calls for calls, _, _ in json.loads(out)) == 4, "three, and the one that was cut off again"
    assert rows(open_home(home), "SELECT count(*), count(DISTINCT basis) FROM claims") == [(3, 1)]
