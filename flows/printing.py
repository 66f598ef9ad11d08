"""Values on a terminal, in a pipe or in a file. What comes from a page is shown, never obeyed."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import isfinite
from typing import IO, Any, Literal

from schemas.errors import KoujingError
from schemas.record import plain

Format = Literal["table", "csv", "json", "jsonl"]

# Controls (escape sequences begin with one) and the marks that turn the direction of text.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[PX^_][^\x1b]*(?:\x1b\\)?|\x1b.?"
)
_NEVER_FOLDED = 24
_NEVER_NARROWER = 16
_BREAKS = re.compile(r"[\r\n\t\x0b\x0c\u0085\u2028\u2029]+")
_ODD_SPACES = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """The text without anything that a terminal would obey; breaks, tabs and odd spaces become spaces."""
    text = _ODD_SPACES.sub(" ", _BREAKS.sub(" ", _ESCAPES.sub("", text)))
    return _LONE_SURROGATES.sub("\ufffd", _UNSAFE.sub("", text))


def is_terminal(stream: IO[str]) -> bool:
    """Whether a person reads the stream on a terminal that can do more than plain lines."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def out(text: str = "") -> None:
    """Writes a line to stdout, without anything that a terminal would obey."""
    out_text(f"{clean(text)}\n")


def out_text(text: str) -> None:
    """Writes text that is safe already to stdout; ends the command quietly where nobody reads any more.

    KoujingError where stdout takes no more, as on a full disk.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _write_no_more()
        raise SystemExit(0) from None
    except OSError as error:
        _write_no_more()
        raise KoujingError(
            f"the output cannot be written ({error.strerror or error}); nothing more is"
        ) from None


def _write_no_more() -> None:
    """What Python would still flush at its end goes nowhere, and raises nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say(text: str) -> None:
    """Writes a line to stderr, for the person who typed the command."""
    sys.stderr.write(f"{clean(text)}\n")


def say_lines(text: str) -> None:
    """Writes each line of the text to stderr; for texts of DuckDB's, which mark a place under a line."""
    for line in text.split("\n"):
        say(line)


def heading(text: str) -> None:
    """Writes a heading to stdout: bold on a terminal, a line of its own elsewhere."""
    bold = is_terminal(sys.stdout) and not os.environ.get("NO_COLOR")
    out_text(f"\n\x1b[1m{clean(text)}\x1b[0m\n" if bold else f"\n{clean(text)}\n")


def counted(number: int, noun: str) -> str:
    """The number with its noun, in the plural where it is not one: 1 claim, 2 claims."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def cell(value: object) -> str:
    """A value in a table: numbers plain, nothing cut, lists and maps as JSON, null as nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return plain(value) if value.is_finite() else str(value)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return ", ".join(clean(item) for item in value)
    if isinstance(value, Mapping | list | tuple):
        return clean(json.dumps(jsonable(value), ensure_ascii=False))
    return clean(str(value))


def jsonable(value: object) -> Any:
    """The value as JSON knows it: decimals as plain strings, times as ISO text, bytes as hex."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Decimal):
        return plain(value) if value.is_finite() else str(value)
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [jsonable(item) for item in value]
    return str(value)


def as_json(value: object, *, indent: int | None = None) -> str:
    """The value as JSON text that a terminal shows and does not obey."""
    return json_safe(json.dumps(jsonable(value), ensure_ascii=False, indent=indent))


def json_safe(text: str) -> str:
    """JSON text with what a terminal would obey written as escapes, which mean the same in JSON."""
    escaped = _LONE_SURROGATES.sub(_escape, text)
    return re.sub("[\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]", _escape, escaped)


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def unique(names: Iterable[str]) -> list[str]:
    """The names, a repeated one with _2, _3 and so on, so that no JSON field hides another."""
    result: list[str] = []
    for name in names:
        candidate, count = name, 1
        while candidate in result:
            count += 1
            candidate = f"{name}_{count}"
        result.append(candidate)
    return result


def render(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    form: Format,
    *,
    terminal: bool = False,
    numeric: Iterable[str] = (),
) -> str:
    """The rows in that format, as one text that ends in a line break (empty for `jsonl` without rows)."""
    names = unique(map(clean, columns) if form == "table" else columns)
    if form == "table":
        return table(names, rows, terminal=terminal, numeric=numeric)
    if form == "csv":
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([_csv(value) for value in row] for row in rows)
        text = buffer.getvalue()
        return _UNSAFE.sub("", _ESCAPES.sub("", text)) if terminal else text
    objects = (dict(zip(names, row, strict=True)) for row in rows)
    if form == "jsonl":
        return "".join(f"{as_json(item)}\n" for item in objects)
    return f"{as_json(list(objects), indent=2)}\n"


def _csv(value: object) -> str:
    return value if isinstance(value, str) else cell(value)


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    terminal: bool = False,
    numeric: Iterable[str] = (),
) -> str:
    """Rows under their headings; no value is ever cut. `numeric`: the columns that stand flush right.

    A terminal's width is kept by folding long texts; in a pipe lines are as long as they must be.
    """
    columns = [clean(name) for name in columns]
    cells = [[cell(value) for value in row] for row in rows]
    right = {clean(name) for name in numeric}
    if terminal and (text := _folded(columns, cells, right)):
        return text
    widths = [max([width(name), *(width(row[place]) for row in cells)]) for place, name in enumerate(columns)]
    lines = []
    for row in [list(columns), ["-" * size for size in widths], *cells]:
        padded = [
            _padded(text, size, right=name in right)
            for text, size, name in zip(row, widths, columns, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    return "".join(f"{line}\n" for line in lines)


def width(text: str) -> int:
    """How many columns of a terminal the text takes: two for a Chinese character."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def _padded(text: str, size: int, *, right: bool) -> str:
    space = " " * (size - width(text))
    return space + text if right else text + space


def _folded(columns: Sequence[str], cells: list[list[str]], right: set[str]) -> str:
    """The table folded to the terminal's width; nothing where that would take numbers apart."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    folded = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(columns):
        longest = max([width(name), *(width(row[place]) for row in cells)])
        # Only a long text may be folded: half a number is another number.
        short = longest <= _NEVER_FOLDED
        folded.add_column(
            Text(name),
            justify="right" if name in right else "left",
            overflow="fold",
            no_wrap=short,
            min_width=longest if short else _NEVER_NARROWER,
        )
    for row in cells:
        folded.add_row(*(Text(text) for text in row))
    # Measured on a console without an edge, since one with an edge never owns to needing more.
    least = Console(file=io.StringIO(), width=100_000).measure(folded).minimum
    console = Console(file=io.StringIO(), force_terminal=True, color_system=None, width=_terminal_width())
    if least > console.width:
        return ""
    with console.capture() as captured:
        console.print(folded)
    return captured.get()


def _terminal_width() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
