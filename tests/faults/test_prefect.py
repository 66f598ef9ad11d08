from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.kill_refresh import ROOT


@pytest.mark.long
def test_a_stuck_flow_ends_at_its_timeout_and_a_killed_server_costs_a_run_nothing(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.prefect_faults", str(tmp_path / "home")],
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,
        timeout=400,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["stuck"] == "FlowRunTimeoutError"
    assert found["killed"] is True
    assert "Prefect's server went away" in found["server killed"]
    assert found["runs"] == [["stuck", "failed"], ["server killed", "done"]]
    # All sixteen pages of the day, read once: those that the stuck run stored and those that it left.
    assert (found["pages"], found["claims"]) == (16, 136)
