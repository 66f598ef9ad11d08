"""The command, and the report that a refresh leaves in the home."""

from __future__ import annotations

import sys

import pytest

from flows import cli
from flows.reporting import write_after_run
from warehouse.home import Home


def koujing(monkeypatch, capsys, *words):
    monkeypatch.setattr(sys, "argv", ["koujing", *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    told = capsys.readouterr()
    return ended.value.code or 0, told.out, told.err


def test_one_language_into_a_folder_of_ones_own_with_two_dates(monkeypatch, capsys, home, tmp_path):
    folder = tmp_path / "out"
    code, out, _ = koujing(
        monkeypatch,
        capsys,
        "--home",
        str(home.root),
        "report",
        "--out",
        str(folder),
        "--lang",
        "en",
        "--from",
        "2026-04-01",
        "--to",
        "2026-04-30",
    )
    assert code == 0
    assert out.startswith(f"{folder / 'index.html'}: ")
    assert not (folder / "zh").exists()
    text = (folder / "en" / "changes.html").read_text(encoding="utf-8")
    assert "From 2026-04-01 to 2026-04-30" in text


def test_one_date_alone_is_refused(monkeypatch, capsys, home):
    code, _, err = koujing(monkeypatch, capsys, "--home", str(home.root), "report", "--from", "2026-04-01")
    assert code == 2
    assert "give both --from and --to" in " ".join(err.split())


def test_a_run_goes_on_where_its_report_fails(monkeypatch, capsys, tmp_path):
    (tmp_path / "report").write_text("a file of somebody's")
    monkeypatch.delenv("KOUJING_REPORT", raising=False)
    assert write_after_run(Home(tmp_path)) is False
    assert "the report was not written" in capsys.readouterr().err


def test_a_refresh_writes_the_report_when_it_is_done(monkeypatch, tmp_path):
    from flows import refresh

    done = []
    summary = type("Summary", (), {"run_id": 1})()
    monkeypatch.setattr(refresh, "_refresh", lambda *_: done.append("refreshed") or summary)
    monkeypatch.setattr(refresh, "_show", lambda *_: done.append("shown"))
    monkeypatch.setattr(refresh, "write_after_run", lambda place: done.append(place.root) or True)
    monkeypatch.setattr(refresh, "report_run", lambda *_: done.append("told"))
    assert refresh.refresh.fn(home=str(tmp_path)) is summary
    assert done == ["refreshed", "shown", tmp_path.resolve(), "told"]


def test_a_run_writes_no_report_where_that_is_switched_off(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("KOUJING_REPORT", "0")
    assert write_after_run(Home(tmp_path)) is False
    assert capsys.readouterr().err == ""
