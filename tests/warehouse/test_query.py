from __future__ import annotations

import time
from pathlib import Path

import pytest
import yaml

from schemas.errors import QueryError
from warehouse.home import Home
from warehouse.ledger import Ledger
from warehouse.query import MOST_CHARACTERS, run_query

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
    ],
)
def test_statements_that_describe_are_answered(published, sql):
    assert len(run_query(published, sql).rows) >= 1


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
    with pytest.raises(QueryError, match="cannot be opened") as refusal:
        run_query(home, "SELECT 1")
    assert str(home.root) not in str(refusal.value)


def test_the_ledger_itself_answers_only_while_nobody_writes(home, ledger, visits, claim):
    visits.page(claim("a"))
    with pytest.raises(QueryError, match="a run is writing"):
        run_query(home, "FROM claims", live=True)
    ledger.close()
    assert run_query(home, "SELECT claim_key FROM claims", live=True).rows == [("a",)]
