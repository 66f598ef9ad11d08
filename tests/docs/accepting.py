"""Whether the program takes a command as a page writes it: the words are parsed and nothing is run."""

from __future__ import annotations

import shlex
from typing import Any

import typer

from flows import cli

_GROUP: Any = typer.main.get_command(cli.app)


def accept(words: list[str]) -> None:
    """Parses the words behind `koujing`. Raises what Typer raises for wrong usage where they are not taken."""
    context = _GROUP.make_context("koujing", list(words))
    with context:
        name, command, rest = _GROUP.resolve_command(context, [*context._protected_args, *context.args])
        while hasattr(command, "resolve_command") and rest:
            name, command, rest = command.resolve_command(context, rest)
        command.make_context(name, list(rest), parent=context).close()


def ours(line: str) -> list[str] | None:
    """The words behind `koujing` of a line that a reader would type; None where it is another program's."""
    for stage in line.split(" < ")[0].split(" | "):
        words = shlex.split(stage)
        while words and "=" in words[0]:  # a setting before the command
            words = words[1:]
        if words[:1] == ["koujing"]:
            return words[1:]
    return None


def is_command(words: list[str]) -> bool:
    """Whether the first words name a command, as a sentence does that speaks of one."""
    group, known = _GROUP, False
    for word in words:
        commands = getattr(group, "commands", {})
        if word not in commands:
            break
        group, known = commands[word], True
    return known
