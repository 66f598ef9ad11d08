"""Ledgers of every earlier schema version, with rows in every table that it had: not one cell is lost.

`tests/cases/migrations/at_00N.sql` holds what version N could store and N - 1 could not.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from schemas.errors import QueryError
from schemas.source import FetchStatus, Source, Visit
from warehouse.database import Database
from warehouse.export import export
from warehouse.ledger import Ledger
from warehouse.migrate import migrate, shipped_migrations, shipped_views
from warehouse.query import run_query

CASES = Path(__file__).parents[1] / "cases" / "migrations"
VERSIONS = [step.version for step in shipped_migrations()]
LAYOUT = {"schema_version", "laid_views"}


def old_ledger(home, version):
    """A ledger that was begun with version 1 and used with each version up to this one; open."""
    elsewhere = home.root / "old.duckdb"
    database = Database.open(elsewhere)
    for step in shipped_migrations()[:version]:
        migrate(database, shipped_migrations()[: step.version])
        database.run_script((CASES / f"at_{step.version:03}.sql").read_text(encoding="utf-8"))
    database.close()
    elsewhere.rename(home.ledger)
    return Database.open(home.ledger)


def cells(database, columns_of):
    """By table, its rows in these columns as texts, each with how often it stands there."""
    return {
        table: Counter(
            tuple(row.values())
            for row in database.rows(
                f"SELECT {', '.join(f'{c}::VARCHAR AS {c}' for c in columns)} FROM stored.{table}"
            )
        )
        for table, columns in columns_of.items()
    }


def columns_of(database):
    return {
        table: [row["column_name"] for row in database.rows(f"DESCRIBE stored.{table}")]
        for table in database.tables()
        if table not in LAYOUT
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_every_cell_of_an_earlier_version_is_still_there(home, version):
    database = old_ledger(home, version)
    columns = columns_of(database)
    before = cells(database, columns)
    database.close()
    assert {table for table, rows in before.items() if not rows} == set()
    if version < 3:  # the one thing that a step renames: a check of the value is called so since version 3
        before["checks"] = Counter(
            {
                tuple("entailment.value" if cell == "value" else cell for cell in row): count
                for row, count in before["checks"].items()
            }
        )
    with Ledger.open(home) as ledger:
        after = cells(ledger._database, columns)
    assert after == before


@pytest.mark.parametrize("version", [1, 2, VERSIONS[-1]])
def test_a_ledger_of_an_earlier_version_is_published_and_goes_on(home, version):
    old_ledger(home, version).close()
    with Ledger.open(home) as ledger:
        ledger.publish()
        assert ledger.last_readers()["page"] == ("b" * 64, "grammar@1")
        assert (version > 1) == ("wall" in ledger.last_readers())
        at = datetime(2026, 5, 4, 3, tzinfo=UTC)
        run = ledger.begin_run("after", at)
        source = Source(id="page", vendor="alibaba-cloud", url="https://vendor.example/page")
        visit = Visit(source_id="page", at=at, status=FetchStatus.UNCHANGED)
        (back,) = ledger.write_unchanged(run, [(source, visit)])
        assert [change.kind.value for change in back.changes] == ["seen_again"]
        assert [flag.flag.flag_id for flag in ledger.open_flags()] == ["k:unit_truncated"]
    for view in shipped_views():
        run_query(home, f"FROM {view}")
    history = "SELECT version, low::BIGINT, cause, quote FROM claim_history WHERE claim_key = 'k' ORDER BY 1"
    assert run_query(home, history).rows == [
        (1, 1600000000000, "page", "RDMA 1"),
        (2, 3200000000000, "page", "RDMA 2"),
    ]
    kinds = "SELECT kind FROM changes WHERE source_id = 'page' ORDER BY change_id"
    assert run_query(home, kinds).rows == [("new",), ("changed",), ("not_seen",)]
    as_of = "SELECT low::BIGINT FROM claims_as_of('2026-05-01')"
    assert run_query(home, as_of).rows == [(1600000000000,)]
    assert run_query(home, "SELECT rank, shown FROM ranking").rows == [(1, "4.36")]
    if version > 1:
        assert run_query(home, "SELECT source_id FROM holds WHERE open").rows == [("wall",)]
        assert run_query(home, "SELECT kind, fields FROM rereadings").rows == [("changed", ["bound", "low"])]


def test_what_version_1_knew_of_its_readings_is_made_of_its_snapshots(home):
    old_ledger(home, 1).close()
    with Ledger.open(home) as ledger:
        rows = ledger._database.rows(
            "SELECT run_id, snapshot_sha256, claims FROM stored.readings ORDER BY reading_id"
        )
    assert [tuple(row.values()) for row in rows] == [(1, "a" * 64, 1), (2, "b" * 64, 1)]


def test_a_copy_of_an_earlier_version_says_what_publishes_it_anew(home, tmp_path):
    database = old_ledger(home, 2)
    database.run_script(
        "CREATE VIEW claims AS FROM stored.claim_versions; INSERT INTO stored.laid_views VALUES ('x')"
    )
    database.close()
    home.ledger.rename(home.published)
    assert run_query(home, "SELECT count(*) FROM claims").rows == [(4,)]
    with pytest.raises(QueryError, match=r'"roll_up" not found[^`]*`koujing refresh` or `koujing reextract`'):
        run_query(home, "SELECT roll_up FROM claims")
    with pytest.raises(QueryError, match="published by another version of Koujing"):
        export(home, tmp_path / "out", "csv")
    with Ledger.open(home) as ledger:
        ledger.publish()
    assert export(home, tmp_path / "out", "csv")["claims"] == 2
    with pytest.raises(QueryError) as refused:
        run_query(home, "SELECT nonsense FROM claims")
    assert "another version" not in str(refused.value)


def test_each_version_brings_its_own_rows():
    held = sorted(path.name for path in CASES.glob("at_*.sql"))
    assert held == [f"at_{version:03}.sql" for version in VERSIONS]


def test_no_migration_was_edited_after_it_landed():
    lines = (CASES / "written.txt").read_text(encoding="utf-8").splitlines()
    written = {name: digest for digest, name in (line.split() for line in lines if not line.startswith("#"))}
    now = {step.file: hashlib.sha256(step.sql.encode("utf-8")).hexdigest() for step in shipped_migrations()}
    assert now == written


def test_a_ledger_that_version_5_gave_the_column_itself_comes_up_too(home):
    elsewhere = home.root / "old.duckdb"
    database = Database.open(elsewhere)
    migrate(database, shipped_migrations()[:7])
    database.run_script("ALTER TABLE stored.snapshots ADD COLUMN rendered BOOLEAN DEFAULT false")
    database.close()
    elsewhere.rename(home.ledger)
    with Ledger.open(home) as ledger:
        (row,) = ledger._database.rows("SELECT max(version) AS version FROM stored.schema_version")
        assert row["version"] == VERSIONS[-1]
