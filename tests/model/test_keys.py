"""A key is looked for in everything that runs leave behind, Prefect's database and the report among it."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import duckdb
import pytest

from report.site import write_report
from tests.model.fake_server import Step, serving
from tests.model.test_bad_answers import whole
from warehouse.cards import builtin_cards
from warehouse.home import open_home

pytestmark = [pytest.mark.slow, pytest.mark.long]
ROOT = Path(__file__).parents[2]
CANARY = "canary-0123456789-key"
PAGE = "<h1>Compute network</h1><p>All told {} Tbps.</p><p>Every node has eight RDMA cards.</p>"
ECHOES = [  # what a careless server says back, and what ends the asking
    Step(status=418, text=f"I do not know Bearer {CANARY}"),
    Step(text=f"no JSON, and {CANARY}"),
    Step(text=whole()),
    Step(status=401, text=f"Incorrect API key provided: {CANARY}"),
]


class Quiet(SimpleHTTPRequestHandler):
    """Files of a folder, without a line for each request."""

    def log_message(self, *args: object) -> None:
        return


@pytest.fixture
def sources(tmp_path) -> Iterator[Path]:
    """A source list of four pages on loopback."""
    folder = tmp_path / "site"
    folder.mkdir()
    for figure in range(1, 5):
        (folder / f"{figure}.html").write_text(PAGE.format(f"{figure}.6"), encoding="utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    host = f"http://127.0.0.1:{server.server_address[1]}"
    listed = "".join(f"  - {{id: page-{n}, url: '{host}/{n}.html'}}\n" for n in range(1, 5))
    (tmp_path / "sources.yaml").write_text(f"sources:\n{listed}", encoding="utf-8")
    yield tmp_path / "sources.yaml"
    server.shutdown()
    server.server_close()


def everything_in(database: Path) -> str:
    """Each row of each table: in the file itself texts are packed."""
    with duckdb.connect(str(database), read_only=True) as opened:
        tables = opened.execute(
            "SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'"
        ).fetchall()
        return "".join(repr(opened.execute(f'FROM "{s}"."{t}"').fetchall()) for s, t in tables)


def test_a_key_is_in_nothing_that_two_runs_under_prefect_leave_behind(tmp_path, sources):
    # Prefect takes its ten seconds: only it has flow parameters, states of failed runs and logs in a database.
    loud = {
        "PREFECT_LOGGING_LEVEL": "DEBUG",
        "PREFECT_LOGGING_TO_API_ENABLED": "true",
        "PREFECT_LOGGING_EXTRA_LOGGERS": "openai,langchain_openai,langchain_core",
    }
    home = tmp_path / "home"
    with serving(*ECHOES) as server:
        env = {name: value for name, value in os.environ.items() if not name.startswith("KOUJING_")}
        env |= {"KOUJING_MODEL": "openai:small", "KOUJING_MODEL_URL": server.url, "KOUJING_MODEL_KEY": CANARY}
        env |= {"KOUJING_REPORT": "0"}  # one of a single card is written below, in a tenth of the time
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "tests.model.keys_run", str(home), str(sources)],
            capture_output=True, text=True, cwd=ROOT, timeout=240, env=env | loud,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert CANARY in server.headers[0]["authorization"], "the key is sent, and to nobody else"
    assert "KoujingError: the model openai:small cannot be used" in done.stderr, "the first run failed"
    assert "the provider refused the request (401)" in done.stdout
    assert CANARY not in done.stdout + done.stderr
    ledger = everything_in(home / "ledger.duckdb") + everything_in(home / "replies.duckdb")
    assert "3.6 Tbps" in ledger
    assert CANARY not in ledger
    write_report(open_home(home), builtin_cards()[:1], home / "report")
    files = {file: file.read_bytes() for file in home.rglob("*") if file.is_file()}
    assert any(b"openai" in body for file, body in files.items() if "prefect.db" in file.name)
    assert any(file.suffix == ".html" for file in files), "a report was written"
    assert [file for file, body in files.items() if CANARY.encode() in body] == []
