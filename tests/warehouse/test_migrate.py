from __future__ import annotations

import duckdb
import pytest

from schemas.errors import LedgerError, SchemaTooNewError
from warehouse.database import Database
from warehouse.ledger import Ledger
from warehouse.migrate import Migration, migrate, shipped_macros, shipped_migrations, shipped_views

ONE = Migration(1, "m001_one.sql", "CREATE TABLE stored.one (x INTEGER); INSERT INTO stored.one VALUES (1);")
TWO = Migration(2, "m002_two.sql", "ALTER TABLE stored.one ADD COLUMN y INTEGER;")
BROKEN = Migration(3, "m003_broken.sql", "INSERT INTO stored.one VALUES (2, 2); SELECT no_such_thing;")


@pytest.fixture
def database(tmp_path):
    database = Database.open(tmp_path / "x.duckdb")
    yield database
    database.close()


def test_the_shipped_migrations_are_numbered_from_one_without_gaps():
    steps = shipped_migrations()
    assert [step.version for step in steps] == list(range(1, len(steps) + 1))
    assert steps[0].file == "m001_ledger.sql"


@pytest.mark.parametrize("start", [(), (ONE,), (ONE, TWO)])
def test_every_old_version_comes_up_to_date_with_what_it_held(database, start):
    migrate(database, start)
    assert migrate(database, (ONE, TWO)) == 2
    assert database.rows("SELECT * FROM stored.one") == [{"x": 1, "y": None}]
    assert [r["file"] for r in database.rows("SELECT file FROM stored.schema_version ORDER BY version")] == [
        "m001_one.sql",
        "m002_two.sql",
    ]


def test_a_step_that_fails_leaves_nothing(database):
    with pytest.raises(LedgerError, match=r"m003_broken\.sql failed"):
        migrate(database, (ONE, TWO, BROKEN))
    assert database.rows("SELECT count(*) AS n FROM stored.one") == [{"n": 1}]
    assert database.rows("SELECT max(version) AS v FROM stored.schema_version") == [{"v": 2}]


def test_a_ledger_from_a_later_version_is_refused_untouched(home):
    Ledger.open(home).close()
    with duckdb.connect(str(home.ledger)) as connection:
        connection.execute("INSERT INTO stored.schema_version VALUES (99, 'm099_later.sql')")
    with pytest.raises(SchemaTooNewError, match=r"schema version 99.*upgrade Koujing"):
        Ledger.open(home)
    with duckdb.connect(str(home.ledger)) as connection:
        connection.execute("DELETE FROM stored.schema_version WHERE version = 99")
    Ledger.open(home).close()


def test_every_view_and_each_of_its_columns_has_a_comment(home):
    Ledger.open(home).close()
    with duckdb.connect(str(home.ledger), read_only=True) as connection:
        views = dict(
            connection.execute("SELECT view_name, comment FROM duckdb_views() WHERE NOT internal").fetchall()
        )
        columns = connection.execute(
            "SELECT table_name, column_name, comment FROM duckdb_columns() "
            "WHERE NOT internal AND schema_name = 'main'"
        ).fetchall()
        macros = dict(
            connection.execute(
                "SELECT function_name, comment FROM duckdb_functions() "
                "WHERE NOT internal AND function_type IN ('macro', 'table_macro')"
            ).fetchall()
        )
    assert set(views) == set(shipped_views())
    assert set(views) >= {
        "claims",
        "claim_history",
        "open_flags",
        "ranking",
        "changes",
        "proposals",
        "holds",
        "checks",
        "claim_standing",
        "standing_by_vendor",
    }
    assert set(macros) == set(shipped_macros())
    assert [name for name, comment in macros.items() if not comment] == []
    assert [name for name, comment in views.items() if not comment] == []
    assert len(columns) > 80
    assert [(table, column) for table, column, comment in columns if not comment] == []


def test_views_are_laid_again_only_when_they_differ(home):
    Ledger.open(home).close()
    with duckdb.connect(str(home.ledger)) as connection:
        connection.execute("DROP VIEW proposals")
    Ledger.open(home).close()
    with duckdb.connect(str(home.ledger)) as connection:
        assert connection.execute(
            "SELECT count(*) FROM duckdb_views() WHERE view_name = 'proposals'"
        ).fetchone() == (0,)
        connection.execute("UPDATE stored.laid_views SET sha256 = 'older'")
    Ledger.open(home).close()
    with duckdb.connect(str(home.ledger)) as connection:
        assert connection.execute("SELECT count(*) FROM proposals").fetchone() == (0,)
