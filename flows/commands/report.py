"""The command that writes the report."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from flows.commands.options import HomeOption, ledger_to_read, moment_of
from flows.printing import out


class Languages(StrEnum):
    """In which languages the report is written."""

    ZH = "zh"
    EN = "en"
    BOTH = "both"


def report(
    context: typer.Context,
    folder: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="The folder to write. Default: report in the home."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--from", metavar="DATE|Nd", help="Also tell what changed from then on …"),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--to", metavar="DATE", help="… until then; a date counts to its end (UTC)."),
    ] = None,
    lang: Annotated[Languages, typer.Option("--lang", help="In which languages.")] = Languages.BOTH,
    home: HomeOption = None,
) -> None:
    """Write what was read as a site that opens from disk: rankings, tables, changes, and the proof of every number.

    The folder is replaced as a whole; one that holds something else is refused. A refresh writes the report into
    the home by itself, unless KOUJING_REPORT is 0.
    """
    from flows.own_cards import cards_of
    from report.site import write_report
    from report.words import LANGUAGES

    start, end = moment_of(since, "--from"), moment_of(until, "--to", end=True)
    if (start is None) != (end is None):
        raise typer.BadParameter("give both --from and --to, or neither", param_hint="--from")
    place = ledger_to_read(context, home)
    asked = (start, end) if start is not None and end is not None else None
    languages = tuple(each for each in LANGUAGES if lang in (Languages.BOTH, each))
    written = write_report(
        place, cards_of(place), (folder or place.root / "report").absolute(), languages, asked
    )
    out(f"{written.folder / 'index.html'}: {written.files} files, {written.bytes / 1e6:.1f} MB")
