"""docs/cli.md: every command as it describes itself. `make docs` writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

from flows import cli
from flows.commands.examples import EXAMPLES
from tests.docs.fences import DOCS

PAGE = DOCS / "cli.md"
_HEAD = """\
<!-- Written by `make docs` from the program's own help; a test holds it to it. -->

# All commands

"""


def current() -> str:
    """The page as the program is now."""
    group: Any = typer.main.get_command(cli.app)
    with group.make_context("koujing", ["where"], resilient_parsing=True) as context:
        found = list(_commands(group, context, "koujing"))
        contents = "".join(
            f"| [`{name}`](#{_anchor(name)}) | {_first(command.help)} |\n" for name, command, _ in found
        )
        parts = [
            _HEAD,
            f"{group.help}\n\n{group.epilog}.\n\n",
            "| command | what it does |\n|---|---|\n",
            contents,
            "\nEach has `--help`. Before any command:\n\n",
            _options(group.get_params(context), context),
        ]
        parts += [_section(name, command, context) for name, command, context in found]
    return "".join(parts)


def _commands(group: Any, context: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Each command with its full name and its context, in the order of the program's own help."""
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        inner = command.make_context(word, [], parent=context, resilient_parsing=True)
        callable_itself = not hasattr(command, "list_commands") or command.invoke_without_command
        if callable_itself:
            yield f"{path} {word}", command, inner
        if hasattr(command, "list_commands"):
            yield from _commands(command, inner, f"{path} {word}")


def _section(name: str, command: Any, context: Any) -> str:
    usage = " ".join(_piece(piece) for piece in command.collect_usage_pieces(context))
    examples = EXAMPLES.get(name.removeprefix("koujing "), ())
    listed = "".join(f"{line}\n" for line in examples)
    return "".join(
        [
            f"\n## {name}\n\n{command.help}\n\n",
            f"```text\n{name} {usage}\n```\n\n",
            _options(command.get_params(context), context),
            f"\n```sh\n{listed}```\n" if examples else "",
        ]
    )


def _piece(piece: str) -> str:
    """A piece of the usage line without the second pair of brackets and braces that the library puts around it."""
    return re.sub(r"^\[\[(.*?)\](…?)\](?:\.\.\.)?$", r"[\1]\2", piece.strip("{}"))


def _options(parameters: list[Any], context: Any) -> str:
    rows = [record for parameter in parameters if (record := parameter.get_help_record(context))]
    return "| | |\n|---|---|\n" + "".join(
        f"| `{_cell(name)}` | {_cell(told).replace('<', '&lt;')} |\n"
        for name, told in rows
        if not name.endswith("--help")
    )


def _cell(text: str) -> str:
    """Text that ends no cell."""
    return text.replace("|", "\\|")


def _first(help_text: str) -> str:
    """The first sentence of a help, on one line."""
    return " ".join(help_text.split("\n\n")[0].split())


def _anchor(name: str) -> str:
    return name.replace(" ", "-")
