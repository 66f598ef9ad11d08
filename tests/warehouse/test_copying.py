"""The published copy, brought up to date from the last one: always the ledger's rows, whatever the last one was."""

from __future__ import annotations

from datetime import timedelta

import duckdb
import pytest

from warehouse import copying
from warehouse.query import run_query


def rows_of(path):
    with duckdb.connect(str(path), read_only=True) as connection:
        tables = connection.execute(
            "SELECT schema_name || '.' || table_name FROM duckdb_tables() ORDER BY ALL"
        ).fetchall()
        return {
            table: sorted(map(repr, connection.execute(f"FROM {table}").fetchall())) for (table,) in tables
        }


@pytest.fixture
def published(visits, home, claim, flag):
    """Two claims on two pages, once published; `rows_of` of the ledger needs it closed."""
    visits.page(claim("a", flags=("unit_truncated",)), flags=(flag("a"),))
    visits.page(*(claim(f"b{n}", str(n), path=(f"row {n}",)) for n in range(60)), source_id="other")
    visits.ledger.publish()
    return visits


def same(visits):
    visits.ledger.close()
    return rows_of(visits.home.ledger) == rows_of(visits.home.published)


def never(*_):
    raise AssertionError("the copy was written anew")


def go_on(visits, claim, flag):
    visits.page(claim("a", "5", flags=("unit_truncated",)), flags=(flag("a"),))
    visits.reread(claim("a", "6", extractor="grammar@2"))
    visits.ledger.end_run(visits.run_id, visits.at, "done")


def test_only_what_is_new_is_written(published, claim, flag, monkeypatch):
    monkeypatch.setattr(copying, "_write_anew", never)
    go_on(published, claim, flag)
    published.ledger.publish()
    assert run_query(published.home, "SELECT status FROM runs").rows == [("done",)]
    published.run_id = published.ledger.begin_run("next", published.at)
    published.page(claim("a", "7", flags=("unit_truncated",)), flags=(flag("a"),))
    published.ledger.publish()
    assert run_query(published.home, "SELECT max(version) FROM claim_history").rows == [(4,)]
    assert same(published)


@pytest.mark.parametrize(
    "done_to_it",
    [
        "UPDATE stored.claim_versions SET low = 1 WHERE claim_key = 'b7'",
        "UPDATE stored.runs SET label = 'mine'",
        "DELETE FROM stored.claim_versions WHERE claim_key = 'b7'",
        "DELETE FROM stored.changes",
        "INSERT INTO stored.checks VALUES ('a', 1, 'mine', '1', 'EXACT', '', now(), '', '')",
        "INSERT INTO stored.sightings VALUES (99, 'a', 1, now(), 1, 'gone')",
        "CREATE TABLE stored.mine AS SELECT 1 AS x",
        "CREATE TABLE mine AS SELECT 1 AS x",
        "CREATE VIEW mine AS SELECT 1 AS x",
        "CREATE OR REPLACE VIEW runs AS SELECT 1 AS x",
        "CREATE MACRO mine(x) AS x",
        "DROP VIEW runs",
        "ALTER TABLE stored.runs ADD COLUMN mine INTEGER",
        "COMMENT ON TABLE stored.claim_versions IS NULL",
        "UPDATE stored.laid_views SET sha256 = 'older'",
    ],
)
def test_nothing_that_was_done_to_the_last_copy_is_carried_on(published, claim, flag, done_to_it):
    go_on(published, claim, flag)
    with duckdb.connect(str(published.home.published)) as connection:
        connection.execute(done_to_it)
    published.ledger.publish()
    with duckdb.connect(str(published.home.published), read_only=True) as connection:
        mine = "SELECT count(*) FROM duckdb_{} WHERE {}_name = 'mine'"
        for kind in ("tables()", "views()", "functions()", "columns()"):
            name = kind[:-3]
            assert connection.execute(mine.format(kind, name)).fetchone() == (0,)
        assert connection.execute("SELECT status FROM runs").fetchall() == [("done",)]
    assert same(published)


@pytest.mark.parametrize("kept", [0, 100, 5_000, 300_000])
def test_a_damaged_last_copy_is_replaced(published, claim, flag, kept):
    go_on(published, claim, flag)
    whole = published.home.published.read_bytes()
    published.home.published.write_bytes(whole[:kept] + b"\x5a" * max(len(whole) - kept, 0))
    published.ledger.publish()
    assert same(published)


def test_a_last_copy_of_another_ledger_is_replaced(published, claim, flag, tmp_path, begin):
    from warehouse.home import open_home
    from warehouse.ledger import Ledger

    other = open_home(tmp_path / "other")
    with Ledger.open(other) as ledger:
        begin(other, ledger).page(claim("of another", "9"))
        ledger.publish()
    other.published.replace(published.home.published)
    published.ledger.publish()
    assert same(published)


def test_where_many_rows_are_new_the_copy_is_laid_by_claim_again(published, claim, monkeypatch):
    written = []
    anew = copying._write_anew
    monkeypatch.setattr(copying, "_write_anew", lambda database: (written.append(1), anew(database)))
    published.page(*(claim(f"b{n}", str(n + 100), path=(f"row {n}",)) for n in range(30)), source_id="other")
    published.ledger.publish()
    published.ledger.publish()
    assert written == [1]
    keys = [row[0] for row in run_query(published.home, "SELECT claim_key FROM stored.claim_versions").rows]
    assert keys == sorted(keys)
    assert same(published)


def test_verdicts_from_before_the_clock_was_set_back_are_in_the_copy(published, claim, flag):
    published.at -= timedelta(days=400)
    published.page(claim("late", metric="port_speed"), source_id="third")
    published.ledger._database.execute(
        "INSERT INTO stored.checks SELECT * REPLACE ('2020-01-01'::TIMESTAMPTZ AS recorded_at) FROM stored.checks"
    )
    published.ledger.publish()
    assert same(published)
