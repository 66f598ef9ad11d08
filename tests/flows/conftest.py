"""The command line run in this process, and a home that holds the demo."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from flows import cli


class Outcome:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def objects(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Outcome]


@pytest.fixture
def koujing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs the command line in this process, in a home of its own."""
    monkeypatch.setenv("KOUJING_HOME", str(tmp_path / "home"))

    def run(*arguments: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["koujing", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        code = ended.value.code
        return Outcome(code if isinstance(code, int) else 0, captured.out, captured.err)

    return run
