"""Faults that others were seen to have in tracking, decoding and merging: ours give the right outcome."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from extractors.extract import extract
from schemas.ledger import ChangeKind
from schemas.source import FetchStatus, Snapshot, Source, Visit
from tests.quality.evaluate import HANDED
from warehouse import snapshots
from warehouse.query import run_query

CASES = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "changes" / "known_faults.yaml").read_text(encoding="utf-8")
)["cases"]
KINDS = {"change", "encoding", "dedup", "duckdb-crash"}
HERE = {"K02": "tests/warehouse/test_faults.py: a row deleted and put back in one transaction, then a kill"}


def crawl(home, ledger, run_id, one, at):
    """What follows from the crawl, and what the page was read as; None where its bytes are those of last time."""
    body = one["text"].encode(one.get("as", "utf-8"))
    source = Source(
        id=one["page"],
        vendor="alibaba-cloud",
        url=f"https://vendor.example/{one['page']}",
        language=one.get("language", "zh"),
    )
    kind = f"text/html; charset={one['declared']}" if "declared" in one else "text/html"
    digest = snapshots.keep(home, body)
    last = ledger.last_snapshot(source.id)
    same = last is not None and last.sha256 == digest
    snapshot = Snapshot(
        sha256=digest, source_id=source.id, url=source.url, fetched_at=at, content_type=kind, size=len(body)
    )
    read = extract(body, source=source.id, content_type=kind, name=source.url, vendor=source.vendor)
    status = FetchStatus.UNCHANGED if same else FetchStatus.CHANGED
    visit = Visit(source_id=source.id, at=at, status=status, snapshot=snapshot)
    return ledger.write_page(run_id, source, visit, None if same else read), read


@pytest.mark.parametrize("case", CASES, ids=[f"{case['like']}: {case['name']}" for case in CASES])
def test_a_fault_of_others_is_none_of_ours(home, ledger, case):
    at = datetime(2026, 5, 1, 3, tzinfo=UTC)
    run_id = ledger.begin_run("cases", at)
    told, read = [], None
    for night, one in enumerate(case["crawls"]):
        changes, read = crawl(home, ledger, run_id, one, at + timedelta(days=night))
        kinds = [change.kind for change in changes.changes]
        assert set(kinds) <= {ChangeKind.NEW, ChangeKind.CHANGED}
        assert changes.first_visit or ChangeKind.NEW not in kinds
        told.append(kinds.count(ChangeKind.CHANGED))
    assert told == case["changed"]
    standing = ledger.current_claims()
    assert sorted([s.claim.metric, s.claim.text_value] for s in standing) == case["values"]
    assert {s.not_seen for s in standing} == {0}
    assert read.document.text.count("\ufffd") == case.get("broken", 0)
    for name in ("encoding", "encoding_from"):
        assert name not in case or getattr(read.document, name) == case[name]
    ledger.end_run(run_id, at + timedelta(days=9), "done")
    ledger.publish()
    pairs = run_query(home, "SELECT one_basis, other_basis FROM possible_duplicates").rows
    assert sorted(map(list, pairs)) == case.get("duplicates", [])
    assert run_query(home, "SELECT count(*) FROM claims").rows == [(len(case["values"]),)]


def test_every_kind_that_was_handed_over_has_a_case():
    handed = HANDED / "gold" / "known_faults.jsonl"
    if not handed.is_file():
        pytest.skip("the list of known faults is not beside this clone")
    faults = [json.loads(line) for line in handed.read_text(encoding="utf-8").splitlines()]
    expected = {fault["id"] for fault in faults if fault["kind"] in KINDS}
    assert expected == {case["like"] for case in CASES} | HERE.keys()
