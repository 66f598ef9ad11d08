"""Decisions in a file: one JSON object a line, so that a team can keep and merge them in git."""

from __future__ import annotations

from pydantic import ValidationError

from schemas.decision import DecisionLine
from schemas.errors import DataFileError


def read_lines(text: str, name: str) -> tuple[DecisionLine, ...]:
    """The lines of a file. DataFileError, naming the line, where one is no decision; empty lines are skipped."""
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            parsed = DecisionLine.model_validate_json(line)
            parsed.decision  # noqa: B018 - raises where its parts do not fit together
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(step) for step in first["loc"])
            told = f"{where}: {first['msg']}" if where else first["msg"]
            raise DataFileError(
                name, number, told, "a line is what `koujing decisions export` writes"
            ) from None
        found.append(parsed)
    return tuple(found)
