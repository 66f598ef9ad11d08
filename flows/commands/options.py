"""Options that several commands share, and what their values mean."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.printing import Format, is_terminal, out_text, render, say
from schemas.errors import KoujingError, LedgerError, QueryError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from warehouse.home import Home

HomeOption = Annotated[
    Path | None,
    typer.Option(
        "--home",
        metavar="PATH",
        help="Where everything is kept. Default: $KOUJING_HOME, else the platform's data folder.",
    ),
]
VendorOption = Annotated[
    str | None, typer.Option("--vendor", metavar="ID", help="Only this vendor, such as huawei-cloud.")
]


class Shown(StrEnum):
    """How a short result is shown."""

    TABLE = "table"
    JSON = "json"


class ShownLines(StrEnum):
    """How a result of one object a line is shown."""

    TABLE = "table"
    JSONL = "jsonl"


class ShownRows(StrEnum):
    """How rows are shown."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"


def chosen_home(context: typer.Context, path: Path | None) -> Path | None:
    """The folder named after the command, else the one named before it, else none."""
    named = path or context.find_root().obj
    return named if isinstance(named, Path) else None


def home_to_read(context: typer.Context, path: Path | None) -> Home:
    """The home, for a command that stores nothing."""
    from warehouse.home import open_home

    return open_home(chosen_home(context, path), for_writing=False)


def ledger_to_read(context: typer.Context, path: Path | None) -> Home:
    """The home, for a command that reads its ledger; QueryError with the demo's where only that one exists.

    Where it names a ledger that a team shares, its copy is as new as that one.
    """
    from warehouse.home import Home

    place = home_to_read(context, path)
    if (place.root / "shared.yaml").is_file():
        from warehouse.catching_up import catch_up

        catch_up(place)
    demo = Home(place.root / "demo")
    if chosen_home(context, path) is None and not place.published.exists() and demo.published.exists():
        again = shlex.join(["--home", str(demo.root), *sys.argv[1:]])
        raise QueryError(
            f"no ledger at {place.root} yet; the demo's is at {demo.root}: {command_name()} {again}"
        )
    return place


def command_name() -> str:
    """What to type to start us again, here."""
    if shutil.which("koujing"):
        return "koujing"
    if sys.argv and sys.argv[0].endswith("koujing"):
        return shlex.quote(sys.argv[0])
    return f"{shlex.quote(sys.executable)} -m flows.cli"


def home_to_write(context: typer.Context, path: Path | None, wait_seconds: float) -> Home:
    """The home, once nobody else writes to it; says so where there is waiting to do."""
    from warehouse.home import open_home
    from warehouse.lock import WriterLock

    place = open_home(chosen_home(context, path))
    WriterLock.acquire(place, wait_seconds, say).release()
    return place


def home_if_any(context: typer.Context, path: Path | None) -> Home | None:
    """The home, or None where it cannot be used, for a command that can do without."""
    try:
        return home_to_read(context, path)
    except LedgerError:
        if chosen_home(context, path) is not None:
            raise
        return None


def known_vendor(vendor: str | None) -> str | None:
    """The vendor's id as given; a usage error with the near ones where there is none such."""
    from schemas.registry import registry

    if vendor is not None:
        try:
            registry().vendor(vendor)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--vendor") from None
    return vendor


def moment_of(given: str | None, option: str, *, end: bool = False) -> datetime | None:
    """The moment that a date, a time or a number of days back names, in UTC; a usage error that says what is one.

    `end`: a date counts to its end instead of from its start.
    """
    if given is None:
        return None
    text = given.strip()
    try:
        if days := re.fullmatch(r"(\d{1,5})d", text):
            return datetime.now(UTC) - timedelta(days=int(days[1]))
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        if end and re.fullmatch(r"[\d-]+", text):
            moment += timedelta(days=1) - timedelta(microseconds=1)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise typer.BadParameter(
            f"{given!r} is neither a date such as 2026-05-01 nor a number of days such as 7d",
            param_hint=option,
        ) from None


def put(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    form: Format,
    *,
    file: Path | None = None,
    numeric: Iterable[str] = (),
) -> None:
    """Writes the rows to stdout, or to the file. Raises KoujingError where the file cannot be written."""
    put_text(
        render(columns, rows, form, terminal=file is None and is_terminal(sys.stdout), numeric=numeric), file
    )


def put_text(text: str, file: Path | None) -> None:
    """Writes the text to stdout, or to the file. Raises KoujingError where the file cannot be written."""
    if file is None:
        out_text(text)
        return
    write_file(file, text.encode())


def write_file(file: Path, body: bytes) -> None:
    """Writes the file. Raises KoujingError, with the way out, where it cannot be written."""
    try:
        file.write_bytes(body)
    except OSError as error:
        raise KoujingError(f"{file} cannot be written ({error.strerror or error}); choose another") from None
