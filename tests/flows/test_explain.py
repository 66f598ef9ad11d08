"""`koujing explain` and `koujing questions` on a ledger of one page."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner

from extractors.extract import extract
from flows.cli import app
from flows.verification import verify_ledger
from schemas.source import FetchStatus, Snapshot, Source, Visit
from warehouse import snapshots
from warehouse.home import Home
from warehouse.ledger import Ledger

DAY = datetime(2026, 5, 1, tzinfo=UTC)
PAGE = "<html lang=zh><title>腾讯云 星脉</title><h1>腾讯云 星脉网络</h1><p>提供 3.2T RDMA 带宽。单文件系统吞吐最高 2TB/s。</p>"


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Home:
    home = Home(tmp_path_factory.mktemp("home"))
    source = Source(id="xingmai", vendor="tencent-cloud", url="https://cloud.tencent.com/xingmai")
    body = PAGE.encode()
    with Ledger.open(home) as ledger:
        run_id = ledger.begin_run("", DAY)
        shot = Snapshot(
            sha256=snapshots.keep(home, body),
            source_id="xingmai",
            url=source.url,
            fetched_at=DAY,
            size=len(body),
        )
        got = extract(body, source="xingmai", name="p.html", vendor="tencent-cloud")
        ledger.write_page(
            run_id, source, Visit(source_id="xingmai", at=DAY, status=FetchStatus.CHANGED, snapshot=shot), got
        )
        verify_ledger(ledger, home, DAY)
        ledger.end_run(run_id, DAY, "done")
        ledger.publish()
    return home


def run(home: Home, *arguments: str):
    return CliRunner().invoke(app, ["--home", str(home.root), *arguments])


def test_explain_shows_the_words_the_roll_up_and_every_check(home):
    got = run(home, "explain", "--metric", "rdma_bandwidth")
    assert got.exit_code == 0
    assert "tencent-cloud · rdma_bandwidth · 3.2T" in got.stdout
    assert "AMBIGUOUS · sources_differ: open: basis_unspecified, unit_truncated" in got.stdout
    assert "grounding            EXACT" in got.stdout
    assert "authority            T1" in got.stdout


def test_explain_by_key_in_json(home):
    (entry,) = json.loads(run(home, "explain", "--metric", "rdma_bandwidth", "--format", "json").stdout)
    (again,) = json.loads(run(home, "explain", entry["claim_key"], "--format", "json").stdout)
    assert again == entry
    assert len(entry["checks"]) == 14
    assert {flag["flag"] for flag in entry["open"]} == {"basis_unspecified", "unit_truncated"}


def test_explain_wants_to_know_what(home):
    assert run(home, "explain").exit_code == 2
    got = run(home, "explain", "nobody")
    assert got.exit_code == 1
    assert "there is no claim 'nobody'" in str(got.exception)


def test_questions_in_both_languages_and_on_paper(home, tmp_path):
    english, chinese = run(home, "questions").stdout, run(home, "questions", "--lang", "zh").stdout
    assert "“3.2T RDMA" in english
    assert "## Tencent Cloud" in english
    assert "## 腾讯云" in chinese
    assert run(home, "questions", "--format", "docx").exit_code == 2
    paper = tmp_path / "q.docx"
    assert run(home, "questions", "--format", "docx", "--out", str(paper)).exit_code == 0
    assert paper.read_bytes().startswith(b"PK")
    assert run(home, "questions", "--vendor", "azure").stderr.startswith(
        "nothing has been read for azure yet"
    )
    got = run(home, "questions", "--out", str(tmp_path / "no" / "q.md"))
    assert "cannot be written" in str(got.exception)
