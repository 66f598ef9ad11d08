from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.kill_refresh import play


@pytest.mark.slow
@pytest.mark.long
def test_a_refresh_that_is_killed_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    found = play(4, seed=4, folder=tmp_path, kills_a_day=2)
    assert found.faults == []
    assert (found.kills, found.opened) == (4, 4)
