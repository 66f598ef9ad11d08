"""Source lists as files that people keep: an entry is added or taken out, and the rest stays as it is."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

import yaml

from flows.sources import load_sources, same_page
from schemas.datafile import parse_data
from schemas.errors import DataFileError
from schemas.source import HOW_VISITED, Source, SourceList


def add_source(path: Path, source: Source) -> Source:
    """Appends a source to a list, which is made if it is missing; what stands there stays as it is.

    Raises DataFileError, and leaves the file alone, where the id or the address is already listed or the file
    is not one that can be added to.
    """
    before = load_sources(path).sources if path.exists() else ()
    _refuse_duplicate(path, before, source)
    old = path.read_text(encoding="utf-8") if before else "sources:\n"
    entry = yaml.safe_dump(
        [_entry(source)],
        allow_unicode=True,
        sort_keys=False,
        width=10_000,
    )
    indent = " " * (_entries(path, old).start_mark.column if before else 2)
    new = (
        old
        + ("" if old.endswith("\n") else "\n")
        + "".join(f"{indent}{line}\n" for line in entry.splitlines())
    )
    if not _says(new, (*before, source), path):
        raise DataFileError(
            str(path), 0, "nothing can be appended to this file as it is written", f"add by hand:\n{entry}"
        )
    _replace(path, new)
    return source


def _entry(source: Source) -> dict[str, object]:
    """What is said of the source in a list; how it is visited only where that is not as usual."""
    usual = {name for name in HOW_VISITED if getattr(source, name) == Source.model_fields[name].default}
    said = source.model_dump(exclude=usual, exclude_none=True)
    return {name: value for name, value in said.items() if value}


def remove_source(path: Path, source_id: str) -> Source:
    """Takes a source out of a list, and gives it. Comments outside the entry stay, those inside go with it.

    Raises DataFileError, and leaves the file alone, where there is no such id, where the list would be empty,
    or where the entry cannot be told from what stands around it.
    """
    if not path.exists():
        raise DataFileError(str(path), 0, "there is no such file", "name the list with --from")
    before = load_sources(path).sources
    place = next((place for place, source in enumerate(before) if source.id == source_id), None)
    if place is None:
        known = ", ".join(source.id for source in before)
        raise DataFileError(str(path), 0, f"no source is called {source_id!r}", f"there are {known}")
    if len(before) == 1:
        raise DataFileError(str(path), 0, f"{source_id} is the only source", "delete the file instead")
    old = path.read_text(encoding="utf-8")
    first, last = _lines_of(_entries(path, old), place, old.splitlines(keepends=True))
    lines = old.splitlines(keepends=True)
    new = "".join(lines[:first] + lines[last:])
    if not _says(new, before[:place] + before[place + 1 :], path):
        found = f"{source_id} cannot be taken out of this file as it is written"
        raise DataFileError(str(path), first + 1, found, "remove it by hand")
    _replace(path, new)
    return before[place]


def _lines_of(entries: yaml.SequenceNode, place: int, lines: list[str]) -> tuple[int, int]:
    """From which line to before which an entry stands, without the blank lines and comments after it."""
    starts = [_dash_above(lines, node.start_mark.line, entries.start_mark.column) for node in entries.value]
    last = starts[place + 1] if place + 1 < len(starts) else entries.end_mark.line
    if place + 1 == len(starts) and entries.end_mark.column:
        last = len(lines)  # the file ends without a line break
    while last > starts[place] + 1 and _is_outside(lines[last - 1], entries.start_mark.column):
        last -= 1
    return starts[place], last


def _is_outside(line: str, column: int) -> bool:
    """Whether a line is blank, or a comment that is not indented as the entry's own lines are."""
    text = line.lstrip(" ")
    return not text.strip() or (text.startswith("#") and len(line) - len(text) <= column)


def _dash_above(lines: list[str], line: int, column: int) -> int:
    """The line of the dash that begins an entry, which may stand alone over it."""
    while line and not lines[line].startswith(" " * column + "-"):
        line -= 1
    return line


def _says(text: str, sources: tuple[Source, ...], path: Path) -> bool:
    """Whether the text says these sources. Whatever odd YAML stood there, nothing else is written."""
    try:
        return parse_data(text, SourceList, name=str(path)).sources == sources
    except DataFileError:
        return False


def _refuse_duplicate(path: Path, before: Iterable[Source], source: Source) -> None:
    for other in before:
        if same_page(other.url) == same_page(source.url):
            raise DataFileError(
                str(path), 0, f"{source.url} is already listed as {other.id}", "edit that entry instead"
            )
        if other.id == source.id:
            raise DataFileError(
                str(path), 0, f"the id {source.id} already stands for {other.url}", "give another id"
            )


def _entries(path: Path, text: str) -> yaml.SequenceNode:
    """The list as YAML sees it. Its column is that of the dashes, so that an entry added to it lines up."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    entries = next((v for k, v in node.value if k.value == "sources"), None) if node else None
    if not isinstance(entries, yaml.SequenceNode) or entries.flow_style:
        raise DataFileError(
            str(path), 0, "the sources stand in brackets", "write each on lines of its own, after a hyphen"
        )
    return entries


def _replace(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="\n", dir=path.parent, prefix=".sources-", delete=False
        ) as file:
            file.write(text)
        new = Path(file.name)
        new.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        new.replace(path)
    except OSError as error:
        raise DataFileError(
            str(path), 0, f"cannot be written ({error.strerror})", "make it writable"
        ) from None
