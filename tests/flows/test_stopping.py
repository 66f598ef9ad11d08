"""Ctrl-C and SIGTERM, sent to processes of our own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from warehouse.home import Home
from warehouse.query import run_query

ROOT = Path(__file__).parents[2]
KOUJING = Path(sys.executable).with_name("koujing")


class Dripping(BaseHTTPRequestHandler):
    """Serves /fast whole; every other page never ends."""

    def do_GET(self) -> None:
        if self.path == "/robots.txt":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        try:
            self.wfile.write(b"<h1>SFS Turbo</h1><p>RDMA 3.2 Tbps</p>")
            while self.path != "/fast" and not self.server.ended.wait(0.1):  # type: ignore[attr-defined]
                self.wfile.write(b"<p>drip")
                self.wfile.flush()
        except OSError:
            pass

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        pass


@pytest.fixture
def dripping() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Dripping)
    server.ended = threading.Event()  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1]
    server.ended.set()  # type: ignore[attr-defined]
    server.shutdown()
    thread.join()
    server.server_close()


def wait_for(text: str, file: Path, seconds: float) -> None:
    until = time.monotonic() + seconds
    while text not in file.read_text(encoding="utf-8"):
        assert time.monotonic() < until, file.read_text(encoding="utf-8")
        time.sleep(0.05)


def is_gone(group: int) -> bool:
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
@pytest.mark.long
def test_a_run_that_is_stopped_ends_soon_with_its_ledger_closed(tmp_path: Path, dripping: int) -> None:
    home = Home(tmp_path / "home")
    listed = tmp_path / "list.yaml"
    # Two names of this machine are two hosts, so that the first page is written while the second drips.
    listed.write_text(
        f"sources:\n  - {{id: fast, url: 'http://127.0.0.1:{dripping}/fast'}}\n"
        f"  - {{id: slow, url: 'http://localhost:{dripping}/slow'}}\n"
    )
    errors = tmp_path / "stderr"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    with errors.open("w") as stderr:
        command = [KOUJING, "--home", home.root, "refresh", "--sources", listed, "--allow-loopback"]
        process = subprocess.Popen(
            [str(word) for word in command],
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=environment,
            start_new_session=True,
        )
        try:
            wait_for("[1/2]", errors, 150)
            # To this process alone, as no terminal does: what it started is for it to end.
            os.kill(process.pid, signal.SIGINT)
            out, _ = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (process.returncode, out) == (130, b"")
    lines = errors.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not line.startswith(("sources:", "starting Prefect", "[1/2]"))] == [
        "stopped by SIGINT: what was stored until then is kept, run it again"
    ]
    assert is_gone(process.pid)  # with all of its session, Prefect's server included
    assert run_query(home, "SELECT status FROM stored.runs", live=True).rows == [("failed",)]
    claims = run_query(home, "SELECT count(*) FROM stored.claim_versions", live=True).rows
    assert claims == [(1,)]


def stopped(code: str, *signals: signal.Signals) -> tuple[int, str, str, float]:
    """Runs the code until it prints `ready`, sends it the signals, and gives how it ended."""
    process = subprocess.Popen(
        [sys.executable, "-c", f"import sys, time\nfrom flows.stopping import Stopping, stoppable\n{code}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    began = time.monotonic()
    for sent in signals:
        process.send_signal(sent)
        time.sleep(0.3)
    out, err = process.communicate(timeout=30)
    return process.returncode, out, err, time.monotonic() - began


UNWINDS = """
with Stopping():
    try:
        with stoppable():
            try:
                print('ready', flush=True)
                time.sleep(60)
            finally:
                print('closed')
    finally:
        print('never reached')
"""
HANGS = """
with Stopping():
    said = 'ready\\n'
    while True:
        try:
            sys.stdout.write(said)
            sys.stdout.flush()
            said = ''
            time.sleep(60)
        except KeyboardInterrupt:
            pass
"""
SWALLOWS = """
with Stopping():
    try:
        print('ready', flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        print('swallowed')
print('never reached')
"""
TERM_LINE = "stopped by SIGTERM: what was stored until then is kept, run it again\n"


def test_the_flow_unwinds_and_then_the_process_leaves() -> None:
    code, out, err, _ = stopped(UNWINDS, signal.SIGTERM)
    assert (code, out, err) == (143, "closed\n", TERM_LINE)


def test_a_stop_that_somebody_swallows_still_stops() -> None:
    assert stopped(SWALLOWS, signal.SIGTERM)[:3] == (143, "swallowed\n", TERM_LINE)


def test_what_hangs_is_left_after_a_few_seconds() -> None:
    code, _, err, _ = stopped(HANGS, signal.SIGTERM)
    assert (code, err) == (143, TERM_LINE)


def test_a_second_signal_ends_it_at_once() -> None:
    code, _, err, _ = stopped(HANGS, signal.SIGINT, signal.SIGINT)
    assert (code, err.startswith("stopped by SIGINT")) == (130, True)


def test_afterwards_signals_are_what_they_were() -> None:
    code = "import signal\nbefore = signal.getsignal(signal.SIGTERM)\nwith Stopping(): pass\n"
    code += "assert signal.getsignal(signal.SIGTERM) is before\nprint('ready', flush=True)"
    assert stopped(code)[0] == 0
