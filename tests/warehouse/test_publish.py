from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from schemas.errors import LedgerError
from schemas.ranking import DimensionScore, Placement, Ranking
from schemas.source import FetchStatus
from warehouse.home import open_home
from warehouse.invariants import INVARIANTS
from warehouse.ledger import Ledger
from warehouse.query import run_query

ROOT = Path(__file__).resolve().parents[2]
READ = """
import sys
from pathlib import Path
from warehouse.home import Home
from warehouse.query import run_query
print(run_query(Home(Path(sys.argv[1])), "SELECT count(*) FROM claims").rows)
"""


def read_elsewhere(home):
    done = subprocess.run(
        [sys.executable, "-c", READ, str(home.root)], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_another_process_reads_what_was_published_while_the_writer_goes_on(visits, home, claim):
    visits.page(claim("a"))
    visits.ledger.publish()
    visits.page(claim("a"), claim("b", metric="port_speed"))
    assert read_elsewhere(home) == "[(1,)]"
    visits.ledger.publish()
    assert read_elsewhere(home) == "[(2,)]"


READ_ON = """
import sys
from pathlib import Path
from warehouse.home import Home
from warehouse.query import run_query
home, seen = Home(Path(sys.argv[1])), []
print("ready", flush=True)
while not seen or seen[-1] < int(sys.argv[2]):
    # Each page is one visit, one claim and one event: a torn copy would have them in other numbers.
    ((visits, claims, events),) = run_query(home, "SELECT (SELECT count(*) FROM stored.visits), "
        "(SELECT count(*) FROM claims), (SELECT count(*) FROM changes)").rows
    assert visits == claims == events >= max(seen, default=0), (visits, claims, events, seen)
    seen.append(visits)
print(len(seen))
"""


@pytest.mark.long
def test_who_reads_without_pause_while_much_is_published_never_sees_half(visits, home, claim):
    visits.page(claim("k0"), source_id="s0")
    visits.ledger.publish()
    reader = subprocess.Popen(
        [sys.executable, "-c", READ_ON, str(home.root), "15"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert reader.stdout.readline() == "ready\n"
    for number in range(1, 15):
        visits.page(claim(f"k{number}"), source_id=f"s{number}")
        visits.ledger.publish()
    out, errors = reader.communicate(timeout=60)
    assert reader.returncode == 0, errors
    assert int(out) > 1


def test_a_reader_who_has_the_old_file_open_keeps_it(visits, home, claim):
    visits.page(claim("a"))
    visits.ledger.publish()
    with duckdb.connect(str(home.published), read_only=True) as reader:
        visits.page(claim("a", low="5"))
        visits.ledger.publish()
        assert reader.execute("SELECT low FROM claims").fetchone() == (Decimal(3200000000000),)
    assert run_query(home, "SELECT low FROM claims").rows == [(Decimal(5),)]


def test_the_copy_has_the_views_with_their_comments_and_nothing_is_left_over(visits, home, claim, flag):
    visits.page(claim("a", flags=("unit_truncated",)), flags=(flag("a"),))
    visits.page(claim("a", low="5", flags=("unit_truncated",)), flags=(flag("a"),))
    visits.ledger.publish()
    rows = run_query(
        home, "SELECT version, low, valid_from, valid_to FROM claim_history ORDER BY version"
    ).rows
    assert [row[0] for row in rows] == [1, 2]
    assert rows[0][3] == rows[1][2]
    assert rows[1][3] is None
    (change,) = run_query(home, "SELECT fields, low_before, low_after, source_url FROM changes OFFSET 1").rows
    assert change == (["low"], Decimal(3200000000000), Decimal(5), "https://vendor.example/page")
    questions = run_query(home, "SELECT question_en, question_zh, readings->0->>'low' FROM open_flags").rows
    assert questions == [("Which unit?", "什么单位？", "3200000000000")]
    commented = "SELECT count(*) FROM duckdb_columns() WHERE table_name = 'claims' AND comment IS NOT NULL"
    assert run_query(home, commented).rows == [(32,)]
    names = {path.name for path in home.root.iterdir()}
    assert names - {"ledger.duckdb.wal"} == {"ledger.duckdb", "koujing.duckdb", "snapshots", "writer.lock"}


BREAKS = [
    (
        "UPDATE stored.claim_versions SET snapshot_sha256 = repeat('f', 64)",
        "version 1 of claim a has no snapshot",
    ),
    ("UPDATE stored.claim_versions SET evidence_quote = ' '", "version 1 of claim a quotes nothing"),
    ("UPDATE stored.claim_versions SET version = 3", "version 3 of claim a does not follow"),
    (
        "UPDATE stored.score_claims SET claim_key = 'x'",
        r"score of aws in d \(x\) rests on a claim that is not in",
    ),
    (
        (
            "INSERT INTO stored.claim_versions FROM (SELECT * REPLACE (2 AS version, valid_from - INTERVAL 1 DAY AS "
            "valid_from) FROM stored.claim_versions)"
        ),
        "version 2 of claim a begins before the",
    ),
    (
        (
            "INSERT INTO stored.claim_versions SELECT * REPLACE (2 AS version, recorded_at - INTERVAL 1 DAY AS "
            "recorded_at) FROM stored.claim_versions"
        ),
        "version 2 of claim a was recorded before",
    ),
    ("DELETE FROM stored.sources", "version 1 of claim a is of a source that is not listed"),
    ("UPDATE stored.claim_versions SET run_id = 77", "version 1 of claim a is of a run that is not"),
    (
        "INSERT INTO stored.flags VALUES ('a', 9, 'n', 'a:n', 'q', 'q', '[]')",
        "flag a:n of version 9 is raised on no version",
    ),
    (
        "INSERT INTO stored.decisions VALUES (1, 'a:n', 'a', 1, 'n', 'r', 'Li', '', now(), 'reading', '{}', '', '', NULL, NULL, '')",
        "decision 1 on a:n settles no flag",
    ),
    (
        "INSERT INTO stored.decisions VALUES (1, 'b:claim', 'b', 1, 'claim', '', 'Li', '', now(), 'rejected', '{}', '', '', NULL, NULL, '')",
        "decision 1 on b:claim speaks of no version of a claim",
    ),
    (
        "INSERT INTO stored.decisions VALUES (1, 'a:claim', 'a', 1, 'claim', '', 'Li', '', now(), 'undone', '{}', '', '', 7, NULL, '')",
        "decision 1 on a:claim takes back no decision",
    ),
    ("UPDATE stored.changes SET version_after = 5", "event 1 of claim a names a version that is not"),
    ("UPDATE stored.changes SET kind = 'changed'", "event 1 of claim a tells of a change without both"),
    (
        "INSERT INTO stored.releases VALUES (4, 1, 1, 'kept', 'Li', '', now())",
        "the release of hold 4 ends no hold",
    ),
    (
        "INSERT INTO stored.holds SELECT n, 1, 'page', 1, NULL, 'gone', 1, 1, now() FROM range(1, 3) AS r(n)",
        "the page page is held twice",
    ),
    (
        "DELETE FROM stored.score_claims; UPDATE stored.scores SET status = 'stale'",
        "the score of aws in d is marked as resting on a changed claim and names none",
    ),
    (
        "INSERT INTO stored.placements VALUES (1, 'ucloud', 5, '5.00', 2)",
        r"ranking 1 of s \(ucloud\) has a rank out of order",
    ),
    (
        "INSERT INTO stored.placements VALUES (1, 'ucloud', 3, '3.00', 3)",
        r"ranking 1 of s \(ucloud\) has a rank out of order",
    ),
    ("UPDATE stored.placements SET rank = 2", "ranking 1 of s does not start at rank 1"),
    ("DELETE FROM stored.placements", "ranking 1 of s does not start at rank 1"),
    (
        "UPDATE stored.rankings SET variant = 'derived'",
        "the ranking 1 of s is derived and has no vendor that can be first",
    ),
    (
        "INSERT INTO stored.derived_claims VALUES (1, 'aws', 'd', 'c', 'a', 7, 1, 2, [])",
        r"the score of aws in d \(a\) is derived from a version that is not",
    ),
]


@pytest.mark.parametrize(("damage", "message"), BREAKS)
def test_a_broken_ledger_is_not_published(visits, home, claim, damage, message):
    ledger = visits.ledger
    visits.page(claim("a"))
    score = DimensionScore(vendor="aws", dimension="d", score=Decimal(4), claim_keys=("a",))
    ledger.store_scores(visits.run_id, "s", (score,), visits.at)
    placement = Placement(vendor="aws", total=Decimal(4), shown="4.00", rank=1)
    ranking = Ranking(scorecard="s", variant="standing", weights={"d": Decimal(1)}, placements=(placement,))
    ledger.store_ranking(visits.run_id, ranking, visits.at)
    ledger.publish()
    before = home.published.read_bytes()
    ledger._database.run_script(damage)
    with pytest.raises(LedgerError, match=message):
        ledger.publish()
    assert home.published.read_bytes() == before
    assert not (home.root / "publishing.duckdb").exists()


def test_a_claim_on_two_sources_is_not_published(visits, claim):
    visits.page(claim("a"), body=b"x")
    visits.page(claim("b", metric="port_speed"), source_id="other", body=b"x")
    visits.page(claim("b", low="7", metric="port_speed"), source_id="other", body=b"y")
    visits.ledger._database.execute(
        "UPDATE stored.claim_versions SET source_id = 'page', snapshot_sha256 = (SELECT min(sha256) "
        "FROM stored.snapshots WHERE source_id = 'page') WHERE claim_key = 'b' AND version = 1"
    )
    with pytest.raises(LedgerError, match="claim b moved to another source"):
        visits.ledger.publish()


def test_a_publish_that_was_killed_does_not_hinder_the_next(visits, home, claim):
    visits.page(claim("a"))
    (home.root / "publishing.duckdb").write_bytes(b"half")
    (home.root / "publishing.duckdb.wal").write_bytes(b"half")
    visits.ledger.publish()
    assert run_query(home, "SELECT claim_key FROM claims").rows == [("a",)]


def test_a_home_with_a_quote_in_its_name(tmp_path, claim):
    home = open_home(tmp_path / 'it\'s "mine"')
    with Ledger.open(home) as ledger:
        ledger.publish()
    assert run_query(home, "SELECT count(*) FROM claims").rows == [(0,)]


def test_every_invariant_has_a_ledger_that_breaks_it():
    messages = " ".join(message for _, message in BREAKS) + "moved to another source"
    assert len(BREAKS) >= len(INVARIANTS)
    assert [failure for failure in INVARIANTS if " ".join(failure.split()[:3]) not in messages] == []


def test_ranks_that_are_shared_are_in_order(visits, home):
    places = [
        Placement(vendor=vendor, total=Decimal(total), shown=total, rank=rank)
        for vendor, total, rank in (("aws", "5", 1), ("azure", "4", 2), ("ucloud", "4", 2), ("gcp", "1", 4))
    ]
    ranking = Ranking(scorecard="s", variant="standing", weights={"d": Decimal(1)}, placements=tuple(places))
    visits.ledger.store_ranking(visits.run_id, ranking, visits.at)
    visits.ledger.publish()
    assert run_query(home, "SELECT rank FROM ranking").rows == [(1,), (2,), (2,), (4,)]


def test_what_is_published_already_is_not_published_again(visits, home, claim):
    visits.page(claim("a"))
    visits.ledger.publish_if_behind()
    first = home.published.stat().st_ino
    visits.ledger.publish_if_behind()
    assert home.published.stat().st_ino == first
    visits.visit(FetchStatus.FAILED)
    visits.ledger.publish_if_behind()
    assert home.published.stat().st_ino != first
    home.published.write_bytes(b"garbage")
    visits.ledger.publish_if_behind()
    assert run_query(home, "SELECT claim_key FROM claims").rows == [("a",)]
