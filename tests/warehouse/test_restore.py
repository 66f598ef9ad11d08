from __future__ import annotations

import shutil
import threading

import duckdb
import pytest

from schemas.errors import LedgerError
from warehouse import restore
from warehouse.ledger import Ledger
from warehouse.query import run_query


@pytest.fixture
def published(visits, home, claim):
    visits.page(claim("a"))
    visits.ledger.publish()
    visits.ledger.close()
    return home


@pytest.mark.parametrize("loss", ["deleted", "emptied"])
def test_a_missing_ledger_is_rebuilt_from_the_published_file(published, loss):
    home = published
    home.ledger.unlink()
    if loss == "emptied":
        home.ledger.touch()
    with Ledger.open(home) as ledger:
        assert (ledger.restored_from, ledger.set_aside) == (home.published, ())
        assert [c.claim.claim_key for c in ledger.current_claims()] == ["a"]
        ledger.publish()
    assert run_query(home, "SELECT claim_key FROM claims").rows == [("a",)]
    with duckdb.connect(str(home.ledger)) as connection, pytest.raises(duckdb.ConstraintException):
        connection.execute("INSERT INTO stored.claim_versions FROM stored.claim_versions")
    with Ledger.open(home) as ledger:
        assert (ledger.restored_from, ledger.set_aside) == (None, ())
    assert not list(home.root.glob("restoring*"))


def test_an_unreadable_published_file_is_set_aside(published):
    home = published
    for number in (1, 2):
        home.ledger.unlink()
        home.published.write_bytes(b"garbage" * 5000)
        with Ledger.open(home) as ledger:
            aside = home.root / f"koujing.duckdb.unreadable-{number}"
            assert (ledger.restored_from, ledger.set_aside) == (None, (aside,))
            assert ledger.current_claims() == ()
        assert aside.read_bytes()[:7] == b"garbage"
        assert not home.published.exists()


def test_a_database_that_is_no_ledger_is_set_aside(home):
    with duckdb.connect(str(home.published)) as connection:
        connection.execute("CREATE TABLE mine (x INTEGER)")
    with Ledger.open(home) as ledger:
        assert [path.name for path in ledger.set_aside] == ["koujing.duckdb.unreadable-1"]


def test_the_log_of_a_deleted_ledger_goes_into_no_other_file(published):
    home = published
    home.ledger.unlink()
    wal = home.root / "ledger.duckdb.wal"
    wal.write_bytes(b"of another file")
    with Ledger.open(home) as ledger:
        assert ledger.restored_from == home.published
        assert [path.name for path in ledger.set_aside] == ["ledger.duckdb.wal.unreadable-1"]


def test_a_disk_that_refuses_leaves_the_published_file(published, monkeypatch):
    home = published
    home.ledger.unlink()

    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(restore, "_copy_back", full)
    with pytest.raises(LedgerError, match=r"could not be rebuilt from .*No space left"):
        Ledger.open(home)
    assert home.published.is_file()
    assert not home.ledger.exists()


def test_a_damaged_ledger_is_advised_on_and_comes_back(published):
    home = published
    home.ledger.write_bytes(b"not a database" * 1000)
    with pytest.raises(LedgerError, match=r"move it away; the next run rebuilds it from koujing\.duckdb"):
        Ledger.open(home)
    home.ledger.rename(home.root / "away")
    with Ledger.open(home) as ledger:
        assert len(ledger.current_claims()) == 1


def test_folders_in_the_way_are_named(published):
    home = published
    in_the_way = home.root / "publishing.duckdb"
    in_the_way.mkdir()
    with Ledger.open(home) as ledger:
        with pytest.raises(LedgerError, match=r"publishing\.duckdb is a folder"):
            ledger.publish()
        in_the_way.rmdir()
        home.published.unlink()
        home.published.mkdir()
        with pytest.raises(LedgerError, match=r"koujing\.duckdb is a folder.*nothing was published"):
            ledger.publish()
    shutil.move(home.ledger, home.root / "away")
    with pytest.raises(LedgerError, match=r"koujing\.duckdb is a folder"):
        Ledger.open(home)


def test_an_interrupt_within_duckdb_is_no_error_of_the_ledger(ledger):
    done = threading.Event()

    def interrupt() -> None:
        while not done.wait(0.05):
            ledger._database._connection.interrupt()

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt), ledger._database.transaction("the page could not be stored"):
            ledger._database.rows("SELECT count(*) FROM range(100000000000) AS t(a) WHERE hash(a) % 7 = 1")
    finally:
        done.set()
        thread.join()
    assert ledger.current_claims() == ()
