"""A ledger shared through PostgreSQL: two homes, one DuckLake, a server that the test starts and ends itself."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
import yaml

from flows.cli import main
from schemas.errors import DataFileError, LedgerError, LedgerHeldError, QueryError, SchemaTooNewError
from schemas.source import FetchStatus
from warehouse import shared
from warehouse.catching_up import catch_up
from warehouse.database import Database
from warehouse.home import open_home
from warehouse.ledger import Ledger
from warehouse.query import run_query

DOCS = Path(__file__).parents[2] / "docs"
ATTACKS = Path(__file__).parents[1] / "cases" / "sql_attacks.yaml"


def _extension_here(name):
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    return spec is not None and any(
        (Path(folder) / "extensions" / f"v{duckdb.__version__}").is_dir()
        for folder in spec.submodule_search_locations or ()
    )


def _initdb():
    found = [shutil.which("initdb"), *sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))]
    return next((Path(path) for path in found if path), None)


lake = pytest.mark.skipif(
    not (_extension_here("ducklake") and _extension_here("postgres_scanner")),
    reason=f"DuckDB {duckdb.__version__} has no DuckLake here; `make shared` runs these tests with one that has",
)
server = pytest.mark.skipif(_initdb() is None, reason="PostgreSQL is not installed (Debian: postgresql)")


@pytest.fixture(scope="module")
def postgres():
    """The connection words of a server of our own, on a socket alone."""
    folder = Path(tempfile.mkdtemp(prefix="koujing-pg-", dir="/tmp"))
    who = {}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        who = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
    tools = _initdb().parent

    def run(*command):
        subprocess.run(command, check=True, capture_output=True, cwd=folder, **who)

    data, log = folder / "data", folder / "log"
    run(tools / "initdb", "-D", data, "-U", "koujing", "--auth=trust", "-E", "UTF8", "--locale=C")
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    run(tools / "pg_ctl", "-D", data, "-o", options, "-l", log, "-w", "start")
    try:
        yield f"host={folder} user=koujing"
    finally:
        run(tools / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder)


@pytest.fixture
def team(postgres, tmp_path, request):
    """Makes homes that share one ledger; `request`'s test has a database of its own."""
    name = f"t{abs(hash(request.node.name))}"
    with duckdb.connect() as connection:
        shared._load(Database(connection), "postgres_scanner")
        connection.execute(f"ATTACH '{postgres} dbname=postgres' AS pg (TYPE postgres)")
        connection.execute(f"CALL postgres_execute('pg', 'CREATE DATABASE {name}', use_transaction=false)")
    (tmp_path / "files").mkdir()

    def member(folder):
        home = open_home(tmp_path / folder)
        catalog = f"{postgres} dbname={name}"
        (home.root / shared.SETTING).write_text(f'catalog: "{catalog}"\nfiles: {tmp_path / "files"}\n')
        return home

    return member


def one_night(home, begin, claims, source_id="page"):
    with Ledger.open(home) as ledger:
        visits = begin(home, ledger)
        visits.page(*claims, source_id=source_id)
        ledger.end_run(visits.run_id, visits.at, "done")
        ledger.publish()


KEYS = "SELECT claim_key, version, low FROM claim_history ORDER BY ALL"


@lake
@server
@pytest.mark.slow
class TestTwoHomesAndOneLedger:
    def test_what_one_writes_the_other_reads(self, team, begin, claim):
        ours, theirs = team("ours"), team("theirs")
        one_night(ours, begin, [claim("a"), claim("b", "400000000000")])
        catch_up(theirs)
        assert run_query(theirs, KEYS).rows == run_query(ours, KEYS).rows
        assert len(run_query(theirs, KEYS).rows) == 2

    def test_each_continues_what_the_other_wrote(self, team, begin, claim):
        ours, theirs = team("ours"), team("theirs")
        one_night(ours, begin, [claim("a")])
        one_night(theirs, begin, [claim("a", "1600000000000")])
        one_night(ours, begin, [claim("a", "800000000000")])
        catch_up(theirs)
        found = run_query(
            theirs, "SELECT version, low FROM claim_history WHERE claim_key = 'a' ORDER BY 1"
        ).rows
        assert [(version, int(low)) for version, low in found] == [
            (1, 3200000000000),
            (2, 1600000000000),
            (3, 800000000000),
        ]
        runs = "SELECT run_id, status FROM runs ORDER BY 1"
        assert run_query(theirs, runs).rows == run_query(ours, runs).rows == [(n, "done") for n in (1, 2, 3)]

    def test_the_questions_of_the_guide_get_the_same_answers(self, team, begin, claim):
        ours, theirs = team("ours"), team("theirs")
        one_night(ours, begin, [claim("a"), claim("b", "400000000000", vendor="huawei-cloud", product=None)])
        catch_up(theirs)
        questions = yaml.safe_load((DOCS / "sql_questions.yaml").read_text("utf-8"))
        assert len(questions) >= 25
        for question in questions:
            there, here = run_query(theirs, question["sql"]), run_query(ours, question["sql"])
            assert (there.columns, there.rows) == (here.columns, here.rows), question["ask"]

    def test_attacks_are_refused_with_this_duckdb_too(self, team, begin, claim, tmp_path):
        home = team("ours")
        one_night(home, begin, [claim("a")])
        (tmp_path / "outside").write_text("secret\n")
        for case in yaml.safe_load(ATTACKS.read_text("utf-8"))["attacks"]:
            sql = case["sql"].replace("{file}", str(tmp_path / "outside"))
            sql = sql.replace("{out}", str(tmp_path / "out")).replace("{published}", str(home.published))
            with pytest.raises(QueryError) as refused:
                run_query(home, sql)
            assert "secret" not in str(refused.value), case["name"]
        assert not (tmp_path / "out").exists()

    def test_the_command_asks_what_the_team_last_wrote(self, team, begin, claim, capsys, monkeypatch):
        ours, theirs = team("ours"), team("theirs")
        one_night(ours, begin, [claim("a")])
        monkeypatch.setattr(
            sys,
            "argv",
            ["koujing", "sql", "--home", str(theirs.root), "--format", "csv", "SELECT claim_key FROM claims"],
        )
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        assert capsys.readouterr().out.split() == ["claim_key", "a"]

    def test_duckdb_alone_reads_its_views_and_macros(self, team, begin, claim):
        home = team("ours")
        one_night(home, begin, [claim("a")])
        where = shared.setting(home)
        with duckdb.connect() as connection:
            for name in ("postgres_scanner", "ducklake"):
                shared._load(Database(connection), name)
            connection.execute(f"ATTACH 'ducklake:postgres:{where.catalog}' AS team (READ_ONLY)")
            connection.execute("USE team")
            assert connection.execute("SELECT claim_key FROM claims").fetchall() == [("a",)]
            assert connection.execute("SELECT claim_key FROM claims_as_of('2026-05-01')").fetchall() == [
                ("a",)
            ]
            assert connection.execute("SELECT claim_key FROM claims_as_of('2026-04-30')").fetchall() == []

    def test_one_writes_at_a_time_and_readers_do_not_wait(self, team, begin, claim):
        ours, theirs = team("ours"), team("theirs")
        one_night(ours, begin, [claim("a")])
        with Ledger.open(ours):
            with pytest.raises(LedgerHeldError, match="another machine is writing to the shared ledger"):
                Ledger.open(theirs)
            catch_up(theirs)
            assert len(run_query(theirs, KEYS).rows) == 1
        Ledger.open(theirs).close()

    def test_a_turn_that_was_lost_is_said_and_the_next_run_hands_over(self, team, begin, claim):
        ours, theirs = team("ours"), team("theirs")
        with Ledger.open(ours) as ledger:
            visits = begin(ours, ledger)
            visits.page(claim("a"))
            ledger.end_run(visits.run_id, visits.at, "done")
            ended = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = ''advisory''"
            ledger._database.execute(f"ATTACH '{shared.setting(ours).catalog}' AS admin (TYPE postgres)")
            ledger._database.rows(f"FROM postgres_query('admin', '{ended}')")
            with pytest.raises(LedgerError, match="turn to write to the shared ledger was lost"):
                ledger.publish()
        assert len(run_query(ours, KEYS).rows) == 1
        catch_up(theirs)
        assert not theirs.published.exists() or run_query(theirs, KEYS).rows == []
        with Ledger.open(ours) as ledger:
            ledger.publish()
        catch_up(theirs)
        assert len(run_query(theirs, KEYS).rows) == 1

    def test_nothing_is_pushed_twice(self, team, begin, claim):
        ours, theirs = team("ours"), team("theirs")
        one_night(ours, begin, [claim("a")])
        with Ledger.open(ours) as ledger:
            ledger.publish()
            ledger.publish()
        catch_up(theirs)
        assert len(run_query(theirs, KEYS).rows) == 1
        assert run_query(theirs, "SELECT count(*) FROM stored.visits").rows == [(1,)]

    def test_ledgers_that_went_different_ways_are_not_mixed(self, team, begin, claim):
        ours, theirs = team("ours"), team("theirs")
        word = (theirs.root / shared.SETTING).read_text()
        (theirs.root / shared.SETTING).unlink()
        with Ledger.open(theirs) as ledger:
            ledger.begin_run("alone", datetime(2026, 4, 1, tzinfo=UTC))
        (theirs.root / shared.SETTING).write_text(word)
        one_night(ours, begin, [claim("a")])
        with pytest.raises(LedgerError, match=r"have gone different ways; move ledger\.duckdb"):
            Ledger.open(theirs)
        theirs.ledger.unlink()
        theirs.published.unlink(missing_ok=True)
        catch_up(theirs)
        assert len(run_query(theirs, KEYS).rows) == 1

    def test_a_run_that_was_killed_ends_as_abandoned_everywhere(self, team, begin, claim):
        ours, theirs = team("ours"), team("theirs")
        with Ledger.open(ours) as ledger:
            begin(ours, ledger).page(claim("a"))
            ledger.publish()  # as the next run does with what a killed one left
        catch_up(theirs)
        one_night(theirs, begin, [claim("a")])
        catch_up(ours)
        assert run_query(ours, "SELECT run_id, status FROM runs ORDER BY 1").rows == [
            (1, "abandoned"),
            (2, "done"),
        ]

    def test_a_page_that_this_machine_has_no_bytes_of_is_fetched_again(self, team, begin, claim):
        ours, theirs = team("ours"), team("theirs")
        one_night(ours, begin, [claim("a")])
        with Ledger.open(theirs) as ledger:
            assert ledger.last_snapshot("page") is None
            visits = begin(theirs, ledger)
            visits.at = visits.at.replace(month=6)
            visits.page(claim("a"))
            assert [c.version for c in ledger.current_claims()] == [1]
            assert visits.visit(FetchStatus.UNCHANGED).changes == ()

    def test_a_shared_ledger_of_a_later_form_is_left_alone(self, team, begin, claim):
        ours, theirs = team("ours"), team("theirs")
        one_night(ours, begin, [claim("a")])
        with Ledger.open(ours) as ledger:
            ledger._database.execute("INSERT INTO shared.stored.schema_version VALUES (999, 'm999.sql')")
        with pytest.raises(SchemaTooNewError, match="a later Koujing writes the shared ledger"):
            Ledger.open(theirs)

    def test_one_of_an_earlier_form_is_brought_to_ours(self, team, begin, claim):
        ours, theirs = team("ours"), team("theirs")
        one_night(ours, begin, [claim("a")])
        with Ledger.open(ours) as ledger:
            ledger._database.execute("DELETE FROM shared.stored.schema_version WHERE version > 1")
            ledger._database.execute("ALTER TABLE shared.stored.claim_versions DROP COLUMN rules")
        one_night(ours, begin, [claim("a", "800000000000")])
        catch_up(theirs)
        assert len(run_query(theirs, KEYS).rows) == 2

    def test_a_server_that_is_away_is_named_with_the_way_out(self, team, begin, claim):
        home = team("ours")
        one_night(home, begin, [claim("a")])
        (home.root / shared.SETTING).write_text('catalog: "host=/nowhere dbname=none"\nfiles: /nowhere\n')
        with pytest.raises(LedgerError, match=r"cannot be reached .*move that file away to work with"):
            Ledger.open(home)
        (home.root / shared.SETTING).unlink()
        Ledger.open(home).close()


class TestTheSetting:
    def test_there_is_none_by_default(self, home):
        assert shared.setting(home) is None
        catch_up(home)
        assert not home.ledger.exists()

    @pytest.mark.parametrize(
        ("written", "says"),
        [
            ("catalog: dbname=k password=x\nfiles: /mnt/team\n", "holds a password"),
            ("catalog: dbname=k\nfiles: team\n", "absolute path"),
            ("catalog: dbname=k\n", "files"),
        ],
    )
    def test_a_wrong_one_is_refused_with_its_line(self, home, written, says):
        (home.root / shared.SETTING).write_text(written)
        with pytest.raises(DataFileError, match=says):
            shared.setting(home)

    @pytest.mark.skipif(_extension_here("ducklake"), reason="the extension is there")
    def test_without_the_extension_it_says_what_to_install(self, home):
        (home.root / shared.SETTING).write_text("catalog: dbname=k\nfiles: /mnt/team\n")
        with pytest.raises(LedgerError, match=r"install koujing\[shared\]"):
            Ledger.open(home)
        (home.root / shared.SETTING).unlink()
        Ledger.open(home).close()
