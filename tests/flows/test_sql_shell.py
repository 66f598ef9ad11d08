from __future__ import annotations

import contextlib
import io
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.sql_shell import Shell
from schemas.errors import QueryError
from warehouse.home import Home

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., Any]


def shell(asked: list[str]) -> Shell:
    return Shell(asked.append, {"claims": ("vendor", "metric"), "changes": ("kind",)}, ("claims_as_of",))


def test_a_statement_ends_with_a_semicolon_and_may_take_several_lines() -> None:
    asked: list[str] = []
    shell(asked).run(iter(["SELECT 1;", "", "SELECT vendor", "FROM claims;", "FROM changes"]))
    assert asked == ["SELECT 1", "SELECT vendor\nFROM claims", "FROM changes"]


def test_quit_ends_it_and_commands_answer(capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[str] = []
    shell(asked).run(iter([".tables", ".columns claims", ".nonsense", ".quit", "SELECT 1;"]))
    assert asked == []
    printed = capsys.readouterr().out.splitlines()
    assert printed[:3] == ["claims (2 columns)", "changes (1 column)", "vendor  metric"]
    assert printed[3].startswith("A statement ends with ;")


def test_an_error_is_told_and_the_next_statement_asked(capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[str] = []

    def ask(query: str) -> None:
        if "bad" in query:
            raise QueryError("no such thing")
        asked.append(query)

    Shell(ask, {}).run(iter(["bad;", "SELECT 2;"]))
    assert (asked, capsys.readouterr().err) == (["SELECT 2"], "error: no such thing\n")


@pytest.mark.parametrize(
    ("begun", "found"),
    [
        ("cla", ["claims", "claims_as_of"]),
        ("ven", ["vendor"]),
        ("SEL", ["SELECT"]),
        ("sel", ["select"]),
        ("zzz", []),
    ],
)
def test_names_and_keywords_are_completed(begun: str, found: list[str]) -> None:
    assert shell([]).complete(begun) == found


def test_statements_are_read_from_a_pipe(koujing: Run, played: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT 1 AS one;\nSELECT nonsense;\nSELECT 2 AS two;"))
    outcome = koujing("--home", str(played.root), "sql", "--format", "csv")
    assert outcome.code == 0
    assert outcome.out.split() == ["one", "1", "two", "2"]
    assert outcome.err.startswith("error: ")


@pytest.mark.slow
def test_on_a_terminal_the_views_are_shown_and_history_is_kept(played: Home) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "flows.cli", "--home", str(played.root), "sql"],
        cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, b"SELECT 20260501000000 + 1 AS n;\n.quit\n")
    shown = b""
    with contextlib.suppress(OSError):  # the terminal's other end closes with the process
        while piece := os.read(ours, 4096):
            shown += piece
    assert process.wait(120) == 0
    os.close(ours)
    assert b"Views: answers, changes, checks, claim_history" in shown
    assert b"20260501000001" in shown
    assert "SELECT 20260501000000 + 1 AS n;" in (played.root / "sql_history").read_text()


def test_live_asks_the_writer_s_own_file(koujing: Run, played: Home) -> None:
    home = ("--home", str(played.root))
    counted = "SELECT count(*) AS n FROM claims"
    live = koujing(*home, "sql", "--live", counted)
    assert (live.code, live.out) == (0, koujing(*home, "sql", counted).out)
    refused = koujing(*home, "sql", "--live", "SELECT * FROM read_csv('/etc/passwd')")
    assert (refused.code, refused.out) == (1, "")
