"""The front door: `koujing`. Commands live in flows/commands; each imports what it needs when it runs."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core

from flows.commands import (
    asking,
    confirming,
    explaining,
    keeping,
    models,
    nightly,
    ranking,
    reading,
    report,
    scorecards,
    settling,
    snapshots,
    verifying,
    visiting,
    watching,
)
from flows.commands.examples import examples
from flows.printing import clean, say, say_lines
from schemas.errors import KoujingError, QueryError

_UsageError: type[Exception] = typer.BadParameter.__base__ or typer.BadParameter
"""What Typer raises for wrong usage; it has no public name, and another home from release to release."""


class _CleanGroup(typer.core.TyperGroup):
    """Repeats what was typed wrong without anything that a terminal would obey."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _cleaned():
            return super().make_context(*args, **kwargs)

    def invoke(self, *args: Any, **kwargs: Any) -> Any:
        with _cleaned():
            return super().invoke(*args, **kwargs)


@contextlib.contextmanager
def _cleaned() -> Iterator[None]:
    try:
        yield
    except _UsageError as error:
        vars(error)["message"] = clean(str(vars(error).get("message", "")))
        raise


app = typer.Typer(
    name="koujing",
    cls=_CleanGroup,
    help=(
        "Reads what cloud vendors publish about their training clusters, says what each number is a number "
        "of, keeps every version, and ranks again when a claim changes."
    ),
    epilog="Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted. Start with: koujing demo",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_NAMES = {"evaluate": "eval"}
for _command in (
    visiting.demo,
    visiting.refresh,
    reading.extract,
    reading.quantities,
    asking.sql,
    asking.flags,
    settling.resolve,
    ranking.rank,
    confirming.proposals,
    confirming.confirm,
    asking.changes,
    explaining.explain,
    explaining.questions,
    report.report,
    verifying.verify,
    keeping.held,
    keeping.release,
    keeping.reextract,
    keeping.export,
    keeping.backup,
    keeping.restore,
    watching.status,
    watching.digest,
    watching.doctor,
    models.evaluate,
    asking.where,
):
    _name = _NAMES.get(_command.__name__, _command.__name__)
    app.command(_name, epilog=examples(_name))(_command)
app.add_typer(visiting.sources, name="sources")
app.add_typer(settling.decisions, name="decisions")
app.add_typer(settling.review, name="review")
app.add_typer(nightly.nightly, name="nightly")
app.add_typer(snapshots.snapshots, name="snapshots")
app.add_typer(scorecards.scorecards, name="scorecards")
app.add_typer(models.prompts, name="prompts")


def _print_version(wanted: bool) -> None:
    if wanted:
        try:
            release = version("koujing")
        except PackageNotFoundError:  # run from a folder that was never installed
            release = "unknown"
        sys.stdout.write(f"koujing {release}\n")
        raise typer.Exit


@app.callback()
def _before(
    context: typer.Context,
    home: Annotated[
        Path | None,
        typer.Option(
            "--home",
            metavar="PATH",
            help="Where everything is kept. Default: $KOUJING_HOME, else the platform's data folder.",
        ),
    ] = None,
    show_version: Annotated[  # noqa: ARG001 - its callback does the work
        bool,
        typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version),
    ] = False,
) -> None:
    context.obj = home


def main() -> None:
    """Runs the command line and ends the process: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that knows no Chinese gets escapes instead of a traceback.
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name="koujing")
    except QueryError as error:
        say_lines(f"error: {error}")
        raise SystemExit(1) from None
    except KoujingError as error:
        say(f"error: {error}")
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError:
        # What Python would still flush at its end goes nowhere, and raises nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None


if __name__ == "__main__":
    main()
