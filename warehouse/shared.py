"""The ledger that a team shares: a DuckLake whose catalog is a PostgreSQL database. Off unless the home names one.

Every home keeps a whole ledger of its own; the shared one is what they bring each other up to date through.
Everything is only ever added and is numbered, so that what one side lacks is found by looking.
"""

from __future__ import annotations

import contextlib
import importlib.util
import time
from dataclasses import dataclass
from pathlib import Path

import duckdb
from pydantic import Field, field_validator

from schemas.datafile import read_data_file
from schemas.errors import LedgerError, LedgerHeldError, SchemaTooNewError
from schemas.record import Record
from warehouse.database import Database, first_line
from warehouse.home import Home
from warehouse.migrate import form_of, reader_scripts

SETTING = "shared.yaml"
_OWN = ("schema_version", "laid_views")
"""Tables that say how a file is laid out, not what the ledger knows."""
_LOCK = "SELECT pg_try_advisory_xact_lock(20514, hashtext(current_database()))"
_HELD = "SELECT count(*)::INTEGER FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
_PAUSE_SECONDS = 0.2
_DIFFERENT_WAYS = (
    "this home's ledger and the shared one have gone different ways; move ledger.duckdb and koujing.duckdb away, "
    "and the next run takes the shared one"
)


class SharedSetting(Record):
    """`catalog`: how PostgreSQL is reached, in libpq's words. `files`: the folder of the data, the same for all."""

    catalog: str = Field(min_length=1)
    files: Path

    @field_validator("catalog")
    @classmethod
    def _no_secret(cls, value: str) -> str:
        if "password" in value.casefold():
            raise ValueError(
                "holds a password; keep it in ~/.pgpass or $PGPASSWORD, where libpq looks for it"
            )
        return value

    @field_validator("files")
    @classmethod
    def _everywhere_the_same(cls, value: Path) -> Path:
        if not value.is_absolute():
            raise ValueError("must be an absolute path, which every machine of the team sees")
        return value


def setting(home: Home) -> SharedSetting | None:
    """What `shared.yaml` in the home says; None where there is none. DataFileError where it is wrong."""
    path = home.root / SETTING
    return read_data_file(path, SharedSetting) if path.is_file() else None


@dataclass
class Shared:
    """The shared ledger, attached to the connection of a home's own one. With `turn`, nobody else may push."""

    database: Database
    turn: duckdb.DuckDBPyConnection | None = None

    @classmethod
    def joined(
        cls, database: Database, where: SharedSetting, *, writes: bool, wait_seconds: float = 0
    ) -> Shared:
        """Attaches the shared ledger and pulls; raises LedgerError where it cannot be reached, or `pull` fails.

        `writes`: takes the team's turn, which ends with `close` or the process, however that ends. Raises
        LedgerHeldError where another machine has it for longer than `wait_seconds`.
        """
        for name in ("postgres_scanner", "ducklake"):
            _load(database, name)
        turn = _take_turn(database.beside(), where, wait_seconds) if writes else None
        try:
            database.execute(
                f"ATTACH {_text(f'ducklake:postgres:{where.catalog}')} AS shared "
                f"(DATA_PATH {_text(f'{where.files}/')}{'' if writes else ', READ_ONLY'})"
            )
        except duckdb.Error as error:
            if turn:
                turn.close()
            raise _unreachable(error) from error
        shared = cls(database, turn)
        try:
            shared.pull()
        except BaseException:
            shared.close()
            raise
        return shared

    def close(self) -> None:
        """Lets the next machine write."""
        if self.turn:
            # A connection that is closed within a transaction on a server that is gone ends the process.
            with contextlib.suppress(duckdb.Error):
                self.turn.execute("ROLLBACK")
            self.turn.close()
            self.turn = None

    def pull(self) -> None:
        """Adds what this home's ledger lacks, all of it or nothing.

        Raises LedgerError where this ledger holds another run or decision under a number that the shared one
        has given away, SchemaTooNewError where a later Koujing wrote the shared one.
        """
        there, here = self._form_there(), form_of(self.database)
        if there == 0:
            return
        if there > here:
            raise SchemaTooNewError("a later Koujing writes the shared ledger; upgrade this one")
        if there < here:
            return  # the next push brings it to this form, from a ledger that holds all of it
        self._require_one_way()
        own = f'"{self.database.name()}"'
        with self.database.transaction(_DIFFERENT_WAYS):
            self._copy_missing("shared", own)

    def push(self) -> None:
        """Adds what the shared ledger lacks, all of it or nothing; an older form of it is replaced as a whole.

        Raises LedgerError where the turn was lost meanwhile: the server was restarted, say. What was stored stays
        in this home, and the next run hands it over.
        """
        self._require_turn()
        own = f'"{self.database.name()}"'
        with self.database.transaction("the shared ledger could not be brought up to date"):
            if self._form_there() < form_of(self.database):
                self._lay_anew(own)
            else:
                self._require_one_way()
            self._copy_missing(own, "shared")
            self._lay_views(own)

    def _require_one_way(self) -> None:
        if self.database.rows(
            "SELECT 1 AS one FROM shared.stored.runs AS there JOIN stored.runs AS here USING (run_id) "
            "WHERE there.started_at <> here.started_at OR there.label <> here.label LIMIT 1"
        ):
            raise LedgerError(_DIFFERENT_WAYS)

    def _require_turn(self) -> None:
        with contextlib.suppress(duckdb.Error):
            held = self.turn and self.turn.execute(f"FROM postgres_query('team', {_text(_HELD)})").fetchone()
            if held and held[0]:
                return
        raise LedgerError(
            "the turn to write to the shared ledger was lost while this run went on; what it stored is kept and "
            "published here, and the next run hands it over"
        )

    def _copy_missing(self, source: str, target: str) -> None:
        # The end of a run is the one thing that is ever written over.
        self.database.execute(
            f"""
            UPDATE {target}.stored.runs AS here SET status = there.status, ended_at = there.ended_at
            FROM {source}.stored.runs AS there
            WHERE there.run_id = here.run_id AND here.status = 'running' AND there.status <> 'running'
            """  # noqa: S608 - names of our own
        )
        for table in self._tables():
            lacking = f"FROM {source}.stored.{table} EXCEPT ALL FROM {target}.stored.{table}"
            if table == "runs":
                lacking = f"FROM {source}.stored.runs ANTI JOIN {target}.stored.runs USING (run_id)"
            elif self._count(source, table) <= self._count(target, table):
                continue
            self.database.execute(f"INSERT INTO {target}.stored.{table} ({lacking})")

    def _lay_anew(self, own: str) -> None:
        """Tables without keys and checks, which DuckLake does not know; the ledger they come from has them."""
        self.database.execute("CREATE SCHEMA IF NOT EXISTS shared.stored")
        for table in (*_OWN, *self._tables()):
            self.database.execute(f"DROP TABLE IF EXISTS shared.stored.{table}")
            rows = "" if table == "schema_version" else " LIMIT 0"
            self.database.execute(f"CREATE TABLE shared.stored.{table} AS FROM {own}.stored.{table}{rows}")

    def _lay_views(self, own: str) -> None:
        """The readers' views and macros, for whoever opens the shared ledger with DuckDB alone."""
        laid = "SELECT sha256 FROM {}.stored.laid_views"
        if self.database.rows(laid.format("shared")) == self.database.rows(laid.format(own)):
            return
        self.database.execute("USE shared")
        try:
            for sql in reader_scripts():
                self.database.run_script(sql, leave_out=("COMMENT ON COLUMN", "COMMENT ON MACRO"))
        finally:
            self.database.execute(f"USE {own}")
        self.database.execute("DELETE FROM shared.stored.laid_views")
        self.database.execute(f"INSERT INTO shared.stored.laid_views FROM {own}.stored.laid_views")

    def _tables(self) -> list[str]:
        return [table for table in self.database.tables() if table not in _OWN]

    def _count(self, catalog: str, table: str) -> int:
        return int(
            self.database.rows(f"SELECT count(*) AS n FROM {catalog}.stored.{table}")[0]["n"]  # noqa: S608
        )

    def _form_there(self) -> int:
        """The schema version of the shared ledger; 0 where nothing was ever pushed."""
        known = self.database.rows(
            "SELECT 1 AS one FROM duckdb_tables() WHERE database_name = 'shared' AND table_name = 'schema_version'"
        )
        return form_of(self.database, "shared.") if known else 0


def _take_turn(
    connection: duckdb.DuckDBPyConnection, where: SharedSetting, wait_seconds: float
) -> duckdb.DuckDBPyConnection:
    """Holds the lock while the connection is open: PostgreSQL frees it when the process is gone."""
    until = time.monotonic() + wait_seconds
    try:
        connection.execute(f"ATTACH {_text(where.catalog)} AS team (TYPE postgres)")
        while True:
            connection.execute("BEGIN")
            row = connection.execute(f"FROM postgres_query('team', {_text(_LOCK)})").fetchone()
            if row and row[0]:
                return connection
            connection.execute("ROLLBACK")
            if time.monotonic() >= until:
                raise LedgerHeldError(
                    "another machine is writing to the shared ledger; wait for it to end and try again "
                    "(reading works meanwhile)"
                )
            time.sleep(_PAUSE_SECONDS)
    except duckdb.Error as error:
        connection.close()
        raise _unreachable(error) from error
    except BaseException:
        connection.close()
        raise


def _load(database: Database, name: str) -> None:
    """Loads an extension of DuckDB's: the one of a wheel beside us, else one that DuckDB has installed itself."""
    module = importlib.util.find_spec(f"duckdb_extension_{name}")
    here = Path(module.origin).parent if module and module.origin else Path()
    file = here / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
    try:
        database.execute(f"LOAD {_text(str(file))}" if file.is_file() else f"LOAD {name}")
    except duckdb.Error as error:
        raise LedgerError(
            f"{SETTING} names a shared ledger, and DuckDB {duckdb.__version__} has no extension {name} here "
            f"({first_line(error)}); install koujing[shared], which brings both of one version"
        ) from error


def _unreachable(error: duckdb.Error) -> LedgerError:
    return LedgerError(
        f"the shared ledger cannot be reached ({first_line(error)}); mend what {SETTING} says, or move that file "
        "away to work with this home's own copy"
    )


def _text(value: str) -> str:
    """A literal, where a statement takes no parameter."""
    return "'" + value.replace("'", "''") + "'"
