"""Killed writers, logs that are cut off, full disks, old ledgers: nothing is lost, and what is wrong is said."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from schemas.errors import LedgerError
from warehouse.database import Database
from warehouse.home import Home, open_home
from warehouse.ledger import Ledger
from warehouse.migrate import lay_views
from warehouse.query import run_query

ROOT = Path(__file__).parents[2]
WRITE_AND_DIE = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from schemas.source import FetchStatus, Source, Visit
from warehouse.home import open_home
from warehouse.ledger import Ledger

ledger = Ledger.open(open_home(Path(sys.argv[1])))
at = datetime(2026, 5, 1, 3, tzinfo=UTC)
run = ledger.begin_run("killed", at)
for number in range(int(sys.argv[2])):
    source = Source(id=f"page-{number}", url=f"https://vendor.example/{number}")
    ledger.write_page(run, source, Visit(source_id=source.id, at=at, status=FetchStatus.FAILED, reason="x"), None)
    if number == 9:
        ledger.publish()
print("written", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(home: Home, pages: int = 30) -> Path:
    """A home whose writer was killed after so many pages, ten of them published; gives its log."""
    done = subprocess.run(
        [sys.executable, "-c", WRITE_AND_DIE, str(home.root), str(pages)],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "written\n"), done.stderr
    return home.root / "ledger.duckdb.wal"


def visited(ledger: Ledger) -> int:
    return ledger._database.rows("SELECT count(*) AS n FROM stored.visits")[0]["n"]


def test_what_was_acknowledged_outlasts_a_kill(home: Home) -> None:
    assert killed(home).stat().st_size > 0
    with Ledger.open(home) as ledger:
        assert (visited(ledger), ledger.restored_from, ledger.set_aside) == (30, None, ())


@pytest.mark.parametrize("part", [0.0, 0.002, 0.2])
def test_a_log_that_is_cut_off_before_what_was_published_is_set_aside(home: Home, part: float) -> None:
    log = killed(home)
    os.truncate(log, int(log.stat().st_size * part))
    with Ledger.open(home) as ledger:
        assert visited(ledger) == 10
        assert ledger.restored_from == home.published
        assert ledger.why_restored == "had lost what was published"
        names = {path.name for path in ledger.set_aside}
        assert names >= {"ledger.duckdb.unreadable-1"}
        assert all(path.exists() for path in ledger.set_aside)
    with Ledger.open(home) as ledger:
        assert (visited(ledger), ledger.restored_from) == (10, None)


def test_a_log_that_is_cut_off_after_what_was_published_loses_nothing_of_it(home: Home) -> None:
    log = killed(home)
    os.truncate(log, log.stat().st_size - 5)
    with Ledger.open(home) as ledger:
        assert 10 <= visited(ledger) < 30
        assert ledger.restored_from is None


def test_a_log_with_a_wrong_byte_is_set_aside_and_the_ledger_rebuilt(home: Home) -> None:
    log = killed(home)
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 0xFF
    log.write_bytes(content)
    with Ledger.open(home) as ledger:
        assert (visited(ledger), ledger.why_restored) == (10, "had a damaged log")
        assert [path.name for path in ledger.set_aside] == [
            "ledger.duckdb.wal.unreadable-1",
            "ledger.duckdb.unreadable-1",
        ]


PUBLISH_AND_DIE = """
import os, signal, sys
from pathlib import Path
from warehouse import publish
from warehouse.home import open_home
from warehouse.ledger import Ledger

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

ledger = Ledger.open(open_home(Path(sys.argv[1])))
where, name = {
    "checking the copy": (publish, "first_broken"),
    "syncing the copy": (publish.os, "fsync"),
    "putting the copy in place": (Path, "replace"),
    "after it is in place": (publish, "sync_folder"),
}[sys.argv[2]]
setattr(where, name, die)
ledger.publish()
"""


@pytest.mark.parametrize(
    ("moment", "published"),
    [
        ("checking the copy", 10),
        pytest.param("syncing the copy", 10, marks=pytest.mark.long),
        ("putting the copy in place", 10),
        pytest.param("after it is in place", 30, marks=pytest.mark.long),
    ],
)
def test_a_publisher_that_is_killed_leaves_the_old_file_or_the_new(
    home: Home, moment: str, published: int
) -> None:
    killed(home)
    done = subprocess.run(
        [sys.executable, "-c", PUBLISH_AND_DIE, str(home.root), moment], cwd=ROOT, timeout=60
    )
    assert done.returncode == -signal.SIGKILL
    assert run_query(home, "SELECT count(*) FROM stored.visits").rows == [(published,)]
    with Ledger.open(home) as ledger:
        assert (visited(ledger), ledger.restored_from, ledger.set_aside) == (30, None, ())
        ledger.publish_if_behind()
    assert run_query(home, "SELECT count(*) FROM stored.visits").rows == [(30,)]
    assert not list(home.root.glob("publishing*"))


def test_a_row_deleted_and_put_back_in_one_transaction_outlasts_a_kill(tmp_path: Path) -> None:
    # DuckDB once could not open the file again after this.
    file = tmp_path / "x.duckdb"
    code = (
        "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]);"
        "c.execute('CREATE TABLE t (id INTEGER PRIMARY KEY, v VARCHAR); INSERT INTO t VALUES (1, chr(97))');"
        "c.execute('BEGIN'); c.execute('DELETE FROM t WHERE id = 1');"
        "c.execute('INSERT INTO t VALUES (1, chr(98))'); c.execute('COMMIT'); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], timeout=60)
    assert done.returncode == -signal.SIGKILL
    with duckdb.connect(str(file)) as connection:
        assert connection.execute("SELECT * FROM t").fetchall() == [(1, "b")]


DISK_FULL = """
import random, resource, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from schemas.errors import LedgerError
from schemas.source import FetchStatus, Source, Visit
from warehouse import snapshots
from warehouse.home import open_home
from warehouse.ledger import Ledger

home = open_home(Path(sys.argv[1]))
at = datetime(2026, 5, 1, 3, tzinfo=UTC)
with Ledger.open(home) as ledger:
    run = ledger.begin_run("full", at)
    # No file may grow past this size from here on: what a full disk does to a writer.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
    source = Source(id="late", url="https://vendor.example/late")
    visit = Visit(source_id="late", at=at, status=FetchStatus.FAILED, reason="x")
    page = lambda: ledger.write_page(run, source, visit, None)
    for what in (lambda: snapshots.keep(home, random.Random(1).randbytes(1 << 20)), ledger.publish, page):
        try:
            what()
        except LedgerError as error:
            print(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    page()
    ledger.publish()
print("closed")
"""


def test_a_full_disk_is_said_and_costs_nothing_that_was_stored(home: Home) -> None:
    killed(home)
    before = home.published.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", DISK_FULL, str(home.root), "4096"],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[0].startswith("the snapshot ")
    assert "make room" in said[0]
    assert said[1].startswith("the ledger could not be published")
    assert said[1].endswith("the old file is still in place")
    assert said[2].startswith("the page late could not be stored")
    assert said[2].endswith("nothing of it was stored")
    assert said[3] == "closed"
    assert home.published.read_bytes() != before  # stored and published again once there was room
    assert run_query(home, "SELECT count(*) FROM stored.visits").rows == [(31,)]


def test_a_folder_that_takes_no_files_is_said(home: Home) -> None:
    killed(home)
    home.root.chmod(0o555)
    try:
        with pytest.raises(LedgerError, match="is read-only; make it writable or choose another"):
            open_home(home.root)
        assert run_query(home, "SELECT count(*) FROM stored.visits").rows == [(10,)]
    finally:
        home.root.chmod(0o755)


def test_views_of_an_earlier_version_are_laid_anew(home: Home) -> None:
    Ledger.open(home).close()
    with duckdb.connect(str(home.ledger)) as connection:
        connection.execute("CREATE OR REPLACE VIEW claims AS SELECT 1 AS old")
        connection.execute("UPDATE stored.laid_views SET sha256 = 'earlier'")
    database = Database.open(home.ledger)
    lay_views(database)
    columns = [row["column_name"] for row in database.rows("DESCRIBE claims")]
    database.close()
    assert "old" not in columns


def test_a_backup_comes_back_whole_and_into_an_empty_home_only(home: Home, tmp_path: Path) -> None:
    from warehouse import snapshots
    from warehouse.backup import backup, restore_backup

    killed(home)
    kept = snapshots.keep(home, b"a page")
    (home.root / "sources.yaml").write_text("sources: []\n", encoding="utf-8")
    file = tmp_path / "backups" / "one.tar"
    assert backup(home, file) == file.stat().st_size
    shutil.rmtree(home.root)
    other = open_home(tmp_path / "other")
    assert restore_backup(other, file) == (3, 0)
    assert snapshots.load(other, kept) == b"a page"
    with Ledger.open(other) as ledger:
        assert visited(ledger) == 30
    with pytest.raises(LedgerError, match="holds a ledger already"):
        restore_backup(other, file)


@pytest.mark.parametrize("content", [b"", b"no tar at all" * 100])
def test_what_is_no_backup_leaves_the_home_as_it_was(tmp_path: Path, content: bytes) -> None:
    from warehouse.backup import restore_backup

    file = tmp_path / "x.tar"
    file.write_bytes(content)
    home = open_home(tmp_path / "home")
    with pytest.raises(LedgerError, match="is no backup"):
        restore_backup(home, file)
    assert list(home.root.iterdir()) == []


def test_a_backup_that_names_another_folder_is_refused(tmp_path: Path) -> None:
    import io
    import tarfile

    from warehouse.backup import restore_backup

    file = tmp_path / "evil.tar"
    with tarfile.open(file, "w") as tar:
        entry = tarfile.TarInfo("../evil.txt")
        entry.size = 4
        tar.addfile(entry, io.BytesIO(b"evil"))
    with pytest.raises(LedgerError, match="is no backup"):
        restore_backup(open_home(tmp_path / "home"), file)
    assert not (tmp_path / "evil.txt").exists()


def test_exports_hold_every_row(home: Home, tmp_path: Path) -> None:
    from warehouse.export import export

    killed(home)
    counts = export(home, tmp_path / "out", "parquet")
    assert counts["pages"] == 10
    read = duckdb.sql(
        f"SELECT count(*), min(visited_at) FROM '{tmp_path / 'out' / 'pages.parquet'}'"
    ).fetchall()
    assert read[0][0] == 10
    assert export(home, tmp_path / "out", "csv", ("runs",)) == {"runs": 1}
    assert (tmp_path / "out" / "runs.csv").read_text().startswith("run_id,label,status,")
