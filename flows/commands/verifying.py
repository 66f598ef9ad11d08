"""The command that checks cases: verify --cases."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from flows.printing import as_json, counted, out_text, say
from schemas.errors import KoujingError

_STDIN = "-"
_LONGEST_LINE = 1 << 20


def verify(
    cases: Annotated[
        str,
        typer.Option(
            "--cases", metavar="FILE|-", help="Cases, one JSON object a line; - for standard input."
        ),
    ],
) -> None:
    """Say of pairs of claims whether they conflict, and of statements whether their arithmetic holds.

    A case with `a` and `b` is a pair: conflict or no_conflict. One with `parts` is a calculation: consistent,
    inconsistent or not_comparable. Each gives one JSON object with id, verdict and reason. A line that cannot
    be read is named on stderr, the others still run, and the exit code is then 1.
    """
    from extractors.checks.cases import judge_case

    unread = 0
    for number, line in _lines(cases):
        try:
            case = _object(line)
            verdict, reason = judge_case(case)
        except ValueError as error:
            unread += 1
            say(f"{cases}, line {number}: {error}")
            continue
        out_text(f"{as_json({'id': case.get('id', number), 'verdict': verdict, 'reason': reason})}\n")
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
        raise ValueError(f"it is no JSON ({str(error)[:80]})") from None
    if not isinstance(case, dict):
        raise ValueError("it is no JSON object")
    return case
