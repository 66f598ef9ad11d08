"""The command that checks: what the ledger holds, or cases from a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from flows.commands.options import HomeOption, ledger_to_read, put
from flows.printing import as_json, counted, out_text, say
from schemas.errors import KoujingError

_STDIN = "-"
_LONGEST_LINE = 1 << 20


def verify(
    context: typer.Context,
    cases: Annotated[
        str | None,
        typer.Option(
            "--cases", metavar="FILE|-", help="Cases, one JSON object a line; - for standard input."
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Run every check of the ledger again, also where nothing changed.")
    ] = False,
    home: HomeOption = None,
) -> None:
    """Verify what the ledger holds, where it changed; with --cases, judge cases and touch no ledger.

    A case with `a` and `b` is a pair of claims: conflict or no_conflict. One with `parts` is a calculation:
    consistent, inconsistent or not_comparable. Each gives one JSON object with id, verdict and reason. A line
    that cannot be read is named on stderr, the others still run, and the exit code is then 1.
    """
    if cases is not None and every:
        raise typer.BadParameter("cases touch no ledger; leave out --all or --cases", param_hint="--all")
    if cases is None:
        _verify_ledger(context, home, every=every)
    else:
        _judge(cases)


def _verify_ledger(context: typer.Context, path: Path | None, *, every: bool) -> None:
    from datetime import UTC, datetime

    from flows import published
    from flows.verification import verify_ledger
    from warehouse.ledger import Ledger

    place = ledger_to_read(context, path)
    if not place.ledger.exists() and not place.published.exists():
        raise KoujingError(f"no ledger at {place.root} yet; koujing refresh makes one")
    with Ledger.open(place) as ledger:
        done = verify_ledger(ledger, place, datetime.now(UTC), every=every)
        ledger.publish()
    if not done.groups and not done.verdicts:
        say("nothing changed since it was verified last; --all runs every check again")
    else:
        say(
            f"{counted(done.claims, 'claim')} held against the others in {counted(done.groups, 'group')}; "
            f"{counted(done.verdicts, 'verdict')} new or changed"
        )
    columns = ("vendor", "roll_up", "claims", "share")
    rows = [[row[name] for name in columns] for row in published.rows(place, "FROM standing_by_vendor")]
    put(columns, rows, "table", numeric=("claims", "share"))


def _judge(cases: str) -> None:
    from extractors.checks.cases import judge_case

    read = unread = 0
    lines: dict[str, int] = {}
    for number, line in _lines(cases):
        try:
            case = _object(line)
            verdict, reason = judge_case(case)
        except ValueError as error:
            unread += 1
            say(f"{cases}, line {number}: {error}")
            continue
        read += 1
        name = as_json(case.get("id", number))
        if (first := lines.setdefault(name, number)) != number:
            say(f"{cases}, line {number}: the id {name} stands on line {first} already; both are judged")
        out_text(f"{as_json({'id': case.get('id', number), 'verdict': verdict, 'reason': reason})}\n")
    if not read and not unread:
        say(f"{cases} holds no case")
    if unread:
        say(f"{counted(unread, 'line')} could not be read")
        raise typer.Exit(1)


def _lines(cases: str) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something, each with its number from 1."""
    try:
        with sys.stdin.buffer if cases == _STDIN else Path(cases).open("rb") as file:
            for number, line in enumerate(file, start=1):
                text = line.removeprefix(b"\xef\xbb\xbf").strip() if number == 1 else line.strip()
                if text:
                    yield number, text
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise KoujingError(f"{cases} cannot be read ({reason or error}); give a file of cases or -") from None


def _object(line: bytes) -> Mapping[str, object]:
    if len(line) > _LONGEST_LINE:
        raise ValueError(f"it has {len(line)} bytes; {_LONGEST_LINE} are allowed")
    try:
        case = json.loads(line, parse_float=str)  # the figure as printed: 4.50 is no 4.5, and no binary float
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"it is no JSON ({str(error)[:80]}); a case is one JSON object on a line of its own"
        ) from None
    if not isinstance(case, dict):
        raise ValueError("it is no JSON object; a case is one on a line of its own")
    return case
