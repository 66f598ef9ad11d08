from __future__ import annotations

import resource
import time
from pathlib import Path

import duckdb
import pytest
import yaml

from schemas.errors import QueryError
from warehouse.home import Home
from warehouse.ledger import Ledger
from warehouse.memory import bounded_memory
from warehouse.migrate import shipped_macros
from warehouse.query import MOST_CHARACTERS, DamagedFileError, run_query
from warehouse.query_rules import OPEN_CATALOG_VIEWS, OPEN_TABLE_FUNCTIONS, require_open

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases" / "sql_attacks.yaml").read_text("utf-8"))[
    "attacks"
]


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    home = Home(tmp_path_factory.mktemp("asked"))
    with Ledger.open(home) as ledger:
        ledger.publish()
    return home


def everything_in(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
@pytest.mark.parametrize("live", [False, True], ids=["published", "live"])
def test_an_attack_is_refused_and_leaves_nothing(published, tmp_path, case, live):
    secret = tmp_path / "outside"
    secret.write_text("secret\n")
    (tmp_path / "outside.csv").write_text("secret\n")
    names = {"file": str(secret), "out": str(tmp_path / "out"), "published": str(published.published)}
    sql = case["sql"]
    for name, value in names.items():
        sql = sql.replace(f"{{{name}}}", value)
    before = everything_in(published.root), everything_in(tmp_path)
    with pytest.raises(QueryError) as refusal:
        run_query(published, sql, live=live)
    assert case["says"] in str(refusal.value)
    assert "secret" not in str(refusal.value)
    assert str(published.root) not in str(refusal.value)
    assert (everything_in(published.root), everything_in(tmp_path)) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["outside", "outside.csv"]


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT 1 AS a", [(1,)]),
        ("FROM range(3)", [(0,), (1,), (2,)]),
        ("VALUES (1, 'x')", [(1, "x")]),
        ("WITH a AS (SELECT 2 AS b) SELECT b FROM a;", [(2,)]),
        ("PIVOT (SELECT 1 AS a, 2 AS b) ON a IN (1) USING sum(b)", [(2,)]),
        ("SELECT count(*) FROM claims", [(0,)]),
        ("SELECT 'query' AS \"query\"", [("query",)]),
        ("-- a remark\nSELECT 3", [(3,)]),
    ],
)
def test_reading_statements_are_answered(published, sql, rows):
    assert run_query(published, sql).rows == rows


@pytest.mark.parametrize(
    "sql",
    [
        "DESCRIBE claims",
        "SHOW TABLES",
        "SUMMARIZE claims",
        "EXPLAIN SELECT 1",
        "EXPLAIN ANALYZE SELECT 1",
        "EXPLAIN (FORMAT json) SELECT 1",
        "EXPLAIN (SELECT 1)",
        "SELECT * FROM duckdb_columns()",
        "FROM information_schema.columns",
        "FROM duckdb_tables",
        "SHOW ALL TABLES",
        "SELECT * FROM json_each('[1, 2]'), unnest([3])",
    ],
)
def test_statements_that_describe_are_answered(published, sql):
    assert len(run_query(published, sql).rows) >= 1


def test_every_view_of_duckdbs_own_is_open_by_name_or_refused():
    with duckdb.connect() as connection:
        views = connection.execute(
            "SELECT schema_name, view_name FROM duckdb_views() WHERE internal"
        ).fetchall()
        tables = connection.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions() "
            "WHERE function_type IN ('table', 'table_macro', 'pragma')"
        ).fetchall()
    refused = set()
    for schema, view in views:
        try:
            require_open({"type": "BASE_TABLE", "table_name": view})
        except QueryError:
            refused.add(view)
        else:
            assert schema == "information_schema" or view in OPEN_CATALOG_VIEWS
    assert {"pg_settings", "duckdb_databases", "duckdb_logs", "pragma_database_list"} <= refused
    for (function,) in tables:
        call = {"type": "TABLE_FUNCTION", "function": {"function_name": function}}
        if function not in OPEN_TABLE_FUNCTIONS:
            with pytest.raises(QueryError):
                require_open(call)
    assert {name for (name,) in tables} >= OPEN_TABLE_FUNCTIONS - set(shipped_macros())


def test_a_result_that_is_too_large_is_refused_with_the_way_out(published):
    sql = "SELECT repeat('x', 100000) FROM range(50)"
    with pytest.raises(QueryError, match="larger than 2 MB; add LIMIT"):
        run_query(published, sql, max_bytes=2 << 20)
    assert len(run_query(published, f"{sql} LIMIT 10", max_bytes=2 << 20).rows) == 10
    with pytest.raises(QueryError, match="larger than 1 MB"):
        run_query(published, "SELECT [{'a': repeat('x', 2000000)}]", max_bytes=1 << 20)
    assert len(run_query(published, "FROM range(12001)", max_bytes=8 << 20).rows) == 12001


def test_one_huge_value_stays_within_the_room_given(published):
    with bounded_memory(1 << 30), pytest.raises(QueryError, match="more memory than it may have; add LIMIT"):
        run_query(published, "SELECT repeat('x', 2000000000)", max_bytes=1 << 28)
    assert run_query(published, "SELECT 1").rows == [(1,)]


def test_the_bound_on_memory_ends_with_its_block():
    before = resource.getrlimit(resource.RLIMIT_AS)
    with bounded_memory(1 << 28):
        assert resource.getrlimit(resource.RLIMIT_AS) != before
    with pytest.raises(QueryError, match="more memory"), bounded_memory(1 << 28):
        bytearray(1 << 32)
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_columns_types_and_a_cut(published):
    result = run_query(published, "SELECT i, 1.50::DECIMAL(9,2) AS d FROM range(10) AS t(i)", max_rows=4)
    assert (result.columns, result.types) == (("i", "d"), ("BIGINT", "DECIMAL(9,2)"))
    assert ([row[0] for row in result.rows], result.cut) == ([0, 1, 2, 3], True)
    whole = run_query(published, "FROM range(4)", max_rows=4)
    assert (len(whole.rows), whole.cut) == (4, False)
    assert len(run_query(published, "FROM range(12001)").rows) == 12001
    assert run_query(published, "FROM range(5)", max_rows=0).rows == []


@pytest.mark.parametrize(
    "sql",
    ["SELECT count(*) FROM range(1000000000000) AS a(i) WHERE hash(i) = 1", "FROM range(1000000000000)"],
)
def test_a_query_without_end_is_stopped(published, sql):
    began = time.monotonic()
    with pytest.raises(QueryError, match=r"longer than 0\.3 s"):
        run_query(published, sql, timeout_seconds=0.3)
    assert time.monotonic() - began < 10


def test_a_query_that_wants_too_much_memory_fails_alone(published):
    with pytest.raises(QueryError, match=r"(?i)memory"):
        run_query(
            published,
            "SELECT length(list(i::VARCHAR || repeat('x', 99))) FROM range(10000000) t(i)",
            memory_limit="20MB",
        )
    assert run_query(published, "SELECT 1").rows == [(1,)]


def test_mistakes_are_explained(published):
    with pytest.raises(QueryError, match=r"(?i)syntax error"):
        run_query(published, "SELEC 1")
    with pytest.raises(QueryError, match="claimz"):
        run_query(published, "FROM claimz")
    with pytest.raises(QueryError, match="characters"):
        run_query(published, "SELECT 1" + " " * MOST_CHARACTERS)
    with pytest.raises(QueryError, match=r"(?i)parser"):
        run_query(published, "SELECT " + "(" * 40_000 + "1" + ")" * 40_000)
    with pytest.raises(QueryError, match="not valid Unicode"):
        run_query(published, "SELECT '\ud800'")
    with pytest.raises(QueryError, match="'much' is no size"):
        run_query(published, "SELECT 1", memory_limit="much")


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        (
            "SELECT vndor FROM claims",
            [
                'Binder Error: Referenced column "vndor" not found in FROM clause!',
                'Candidate bindings: "vendor", ',
                "LINE 1: SELECT vndor FROM claims",
                "               ^^^^^",
            ],
        ),
        (
            "FROM claim",
            [
                "Catalog Error: Table with name claim does not exist!",
                'Did you mean "claims"?',
                "LINE 1: FROM claim",
                "             ^^^^^",
            ],
        ),
        (
            "SELEC 1",
            ['Parser Error: syntax error at or near "SELEC"', "LINE 1: SELEC 1", "        ^^^^^"],
        ),
        (
            "SELECT 1\nFROM claims WHERE vndor = 3",
            [
                'Binder Error: Referenced column "vndor" not found in FROM clause!',
                'Candidate bindings: "vendor", ',
                "LINE 2: FROM claims WHERE vndor = 3",
                "                          ^^^^^",
            ],
        ),
        # Lines that hold a path, or that no hint begins, are left out.
        (
            "SELECT '/srv/secret', vndor FROM claims",
            ['Binder Error: Referenced column "vndor" not found in FROM clause!', "Candidate bindings: "],
        ),
        (
            "SELECT '/secret', vndor FROM claims",
            ['Binder Error: Referenced column "vndor" not found in FROM clause!', "Candidate bindings: "],
        ),
        ("SELECT error('a\nb\nDid you mean /srv/x?')", ["Invalid Input Error: a"]),
    ],
)
def test_duckdbs_own_hints_are_kept(published, sql, told):
    with pytest.raises(QueryError) as refused:
        run_query(published, sql)
    lines = str(refused.value).split("\n")
    assert len(lines) == len(told)
    for line, begins in zip(lines, told, strict=True):
        assert line.startswith(begins) if begins.endswith(" ") else line == begins


def test_before_the_first_run_the_way_is_shown(home):
    with pytest.raises(
        QueryError, match=r"no ledger at .* yet; run `koujing refresh` or `koujing demo` first"
    ):
        run_query(home, "SELECT 1")
    assert list(home.root.iterdir()) == []


def test_a_damaged_published_file_is_told(home):
    home.published.write_bytes(b"junk" * 5000)
    with pytest.raises(DamagedFileError, match="run `koujing refresh`, which publishes again") as refusal:
        run_query(home, "SELECT 1")
    assert str(home.root) not in str(refusal.value)


@pytest.mark.parametrize("kept", [0, 100, 5_000, 20_000])
def test_a_published_file_that_is_cut_off_is_told(home, ledger, visits, claim, kept):
    visits.page(claim("a"))
    ledger.publish()
    whole = home.published.read_bytes()
    home.published.write_bytes(whole[:kept])
    with pytest.raises(DamagedFileError, match="run `koujing refresh`, which publishes again"):
        run_query(home, "FROM stored.claim_versions")


def test_the_ledger_itself_answers_only_while_nobody_writes(home, ledger, visits, claim):
    visits.page(claim("a"))
    with pytest.raises(QueryError, match="a run is writing"):
        run_query(home, "FROM claims", live=True)
    ledger.close()
    assert run_query(home, "SELECT claim_key FROM claims", live=True).rows == [("a",)]


@pytest.mark.parametrize("query", ["SELECT 7 / 2", "SELECT 7 // 2", "SELECT vendor, low / 1e9 FROM claims"])
def test_division_is_no_path(visits, home, claim, query):
    visits.ledger.publish()
    run_query(home, query)
