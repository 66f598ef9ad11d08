"""Brings a ledger file to the form that this version of Koujing writes.

`migrations/m001_….sql` and so on are applied in order, each in a transaction with its row in
`stored.schema_version`. `views/*.sql` are the readers' views: laid again whenever one of them differs.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files

from schemas.errors import SchemaTooNewError
from warehouse.database import Database

_NAME = re.compile(r"m(\d{3})_[a-z0-9_]+\.sql")


@dataclass(frozen=True)
class Migration:
    """One step: its number, counting from 1, its file name and its SQL."""

    version: int
    file: str
    sql: str


def shipped_migrations() -> tuple[Migration, ...]:
    """The steps that ship with this version, in order and without gaps (a test holds them to it)."""
    found = [
        Migration(int(name[1]), entry.name, entry.read_text(encoding="utf-8"))
        for entry in (files("warehouse") / "migrations").iterdir()
        if (name := _NAME.fullmatch(entry.name))
    ]
    return tuple(sorted(found, key=lambda migration: migration.version))


def shipped_views() -> dict[str, str]:
    """The SQL of each readers' view, by its name."""
    return _scripts("views")


def shipped_macros() -> dict[str, str]:
    """The SQL of each readers' macro, by its name."""
    return _scripts("macros")


def _scripts(folder_name: str) -> dict[str, str]:
    folder = files("warehouse") / folder_name
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return {name.removesuffix(".sql"): (folder / name).read_text(encoding="utf-8") for name in names}


def migrate(database: Database, migrations: tuple[Migration, ...] | None = None) -> int:
    """Leaves the ledger at the newest known version, which is returned; what it held is still there.

    Raises SchemaTooNewError where the file is past that version, and then changes nothing.
    """
    steps = shipped_migrations() if migrations is None else migrations
    newest = steps[-1].version if steps else 0
    found = _version_of(database)
    if found > newest:
        raise SchemaTooNewError(
            f"the ledger has schema version {found}, and this Koujing knows up to {newest}; "
            "upgrade Koujing, or choose another home"
        )
    for step in steps:
        if step.version > found:
            with database.transaction(f"the migration {step.file} failed"):
                database.run_script(step.sql)
                database.insert("stored.schema_version", [{"version": step.version, "file": step.file}])
    return newest


def reader_scripts() -> list[str]:
    """The SQL of all readers' macros and views, each after those that it uses."""
    macros = shipped_macros()
    # `moment` is used by the other macros; views only by those after them in the alphabet.
    return [macros["moment"], *macros.values(), *shipped_views().values()]


LAID = "SELECT sha256 FROM stored.laid_views"
"""Gives the digest of the views that a file has."""


def views_digest() -> str:
    """What tells the readers' views of this version from those of another."""
    return hashlib.sha256("\0".join(reader_scripts()).encode()).hexdigest()


def lay_views(database: Database) -> None:
    """Makes the readers' views and macros what this version ships. Does nothing where they already are."""
    digest = views_digest()
    laid = database.rows(LAID)
    if laid and laid[0]["sha256"] == digest:
        return
    with database.transaction("the views could not be laid"):
        for sql in reader_scripts():
            database.run_script(sql)
        database.execute("DELETE FROM stored.laid_views")
        database.insert("stored.laid_views", [{"sha256": digest}])


def _version_of(database: Database) -> int:
    with database.transaction("the schema version could not be read"):
        database.run_script(
            """
            CREATE SCHEMA IF NOT EXISTS stored;
            CREATE TABLE IF NOT EXISTS stored.schema_version (
                version INTEGER PRIMARY KEY, file VARCHAR NOT NULL);
            CREATE TABLE IF NOT EXISTS stored.laid_views (sha256 VARCHAR NOT NULL);
            """
        )
        return form_of(database)


def form_of(database: Database, catalog: str = "") -> int:
    """The schema version of the ledger, or of the one that is attached as `catalog` (with its dot)."""
    sql = f"SELECT coalesce(max(version), 0) AS v FROM {catalog}stored.schema_version"  # noqa: S608 - our names
    return int(database.rows(sql)[0]["v"])
