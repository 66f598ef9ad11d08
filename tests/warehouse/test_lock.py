from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from schemas.errors import LedgerError, LedgerHeldError
from warehouse.ledger import Ledger
from warehouse.lock import WriterLock

ROOT = Path(__file__).resolve().parents[2]


def second_process(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


HOLD = """
import sys, time
from pathlib import Path
from warehouse.home import Home
from warehouse.ledger import Ledger
from warehouse.lock import WriterLock
with Ledger.open(Home(Path(sys.argv[1]))) as ledger:
    print("open", flush=True)
    time.sleep(60)
"""

DIE_IN_TRANSACTION = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from warehouse.home import Home
from warehouse.ledger import Ledger
from warehouse.lock import WriterLock
at = datetime(2026, 5, 1, tzinfo=UTC)
ledger = Ledger.open(Home(Path(sys.argv[1])))
run = ledger.begin_run("doomed", at)
with ledger._database.transaction("x"):
    ledger._database.execute("UPDATE stored.runs SET label = 'half'")
    row = {"run_id": 99, "label": "half", "started_at": at, "status": "done"}
    ledger._database.insert("stored.runs", [row])
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_one_process_cannot_open_the_ledger_twice(home, ledger):
    with pytest.raises(LedgerHeldError, match=f"process {os.getpid()} is writing.*wait for it to end"):
        Ledger.open(home)
    ledger.close()
    ledger.close()
    Ledger.open(home).close()


def test_another_process_is_named_and_its_death_frees_the_lock(home):
    holder = second_process(HOLD, str(home.root))
    try:
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(LedgerHeldError, match=f"process {holder.pid} is writing"):
            Ledger.open(home, wait_seconds=0.1)
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.communicate()
    with Ledger.open(home, wait_seconds=5) as ledger:
        assert ledger.current_claims() == ()


def test_a_writer_killed_in_a_transaction_leaves_nothing_of_it(home):
    doomed = second_process(DIE_IN_TRANSACTION, str(home.root))
    _, errors = doomed.communicate(timeout=60)
    assert doomed.returncode == -signal.SIGKILL, errors
    with Ledger.open(home) as ledger:
        rows = ledger._database.rows("SELECT run_id, label, status FROM stored.runs")
        assert rows == [{"run_id": 1, "label": "doomed", "status": "running"}]
        ledger.begin_run("next", datetime.fromisoformat("2026-05-02T00:00:00+00:00"))
        rows = ledger._database.rows("SELECT status FROM stored.runs ORDER BY run_id")
        assert [row["status"] for row in rows] == ["abandoned", "running"]


def test_a_file_that_is_no_ledger_is_refused_and_left_alone(home):
    home.ledger.write_bytes(b"not a database at all" * 1000)
    with pytest.raises(LedgerError, match="cannot be opened as a ledger"):
        Ledger.open(home)
    assert home.ledger.read_bytes()[:5] == b"not a"
    home.ledger.unlink()
    Ledger.open(home).close()


def test_who_waits_is_told_for_whom_once_and_goes_on_when_it_ends(home):
    holder = second_process(HOLD, str(home.root))
    told: list[str] = []

    def tell(sentence: str) -> None:
        told.append(sentence)
        holder.send_signal(signal.SIGKILL)

    assert holder.stdout.readline() == "open\n"
    try:
        WriterLock.acquire(home, 20, tell).release()
    finally:
        holder.kill()
        holder.communicate()
    assert told == [f"process {holder.pid} is writing to the ledger; waiting up to 20 s for it to end"]


def test_a_lock_that_a_dead_process_left_holds_up_nobody(home):
    home.lock.write_text("999999\n")
    told: list[str] = []
    WriterLock.acquire(home, 0, told.append).release()
    assert told == []
