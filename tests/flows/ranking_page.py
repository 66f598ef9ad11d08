"""docs/ranking.md with what its commands print. `python -m tests.flows.ranking_page` writes it anew."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "ranking.md"
_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
_CARD = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


def own_card(text: str) -> str:
    """The scorecard that stands on the page."""
    (found,) = _CARD.findall(text)
    return str(found)


def filled(text: str, printed: Callable[[list[str]], str]) -> str:
    """The page with each command followed by what it prints; `printed` takes the words after `koujing`."""

    def block(found: re.Match[str]) -> str:
        parts = []
        for line in found[1].splitlines():
            if line.startswith("$ "):
                output = _piped(line[2:], printed).strip("\n")
                parts.append(f"{line}\n{output}\n")
        return "```console\n" + "\n".join(parts) + "```"

    return _BLOCK.sub(block, text)


def _piped(line: str, printed: Callable[[list[str]], str]) -> str:
    """Runs a command whose output goes through head, cut and grep, which are done here."""
    command, *filters = re.split(r" \| ", line)
    output = _settled(printed(shlex.split(command)[1:]))
    for words in map(shlex.split, filters):
        output = _FILTERS[words[0]](output, words[1:])
    return output


def _head(text: str, words: list[str]) -> str:
    return "".join(text.lstrip("\n").splitlines(keepends=True)[: int(words[-1].lstrip("-"))])


def _after(text: str, words: list[str]) -> str:
    """`grep -A N WORD`, without the dashes between the parts."""
    lines = text.splitlines(keepends=True)
    near = {
        n
        for place, line in enumerate(lines)
        if words[2] in line
        for n in range(place, place + int(words[1]) + 1)
    }
    return "".join(lines[n] for n in sorted(near) if n < len(lines))


def _settled(text: str) -> str:
    """Without what differs from one serving of the demo's pages to the next: the port and what holds it."""
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:8000", text)
    text = re.sub(r"snapshot [0-9a-f]{12}", "snapshot 0123456789ab", text)
    text = re.sub(
        r"^.*?(\S*koujing) confirm ", lambda m: m[0].replace(m[1], "koujing"), text, flags=re.MULTILINE
    )
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)


def _write() -> None:
    from tests.demo_home import play

    with tempfile.TemporaryDirectory() as root:
        home = play(Path(root))
        text = PAGE.read_text(encoding="utf-8")
        folder = card_folder(home.root)

        def printed(words: list[str]) -> str:
            drop_card(folder, words, text)
            command = [sys.executable, "-m", "flows.cli", *words]
            environment = {**os.environ, "KOUJING_HOME": str(home.root), "PYTHONPATH": str(PAGE.parents[1])}
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=True,
                cwd=folder,
                env=environment,
            )
            return done.stdout

        PAGE.write_text(filled(text, printed), encoding="utf-8")


def card_folder(root: Path) -> Path:
    """The folder of the home's own scorecards, made where it is not there."""
    folder = root / "scorecards"
    folder.mkdir(exist_ok=True)
    return folder


def drop_card(folder: Path, words: list[str], text: str) -> None:
    """Puts the page's scorecard there before the first command that names it."""
    if any("small-files" in word for word in words):
        (folder / "small-files.yaml").write_text(own_card(text), encoding="utf-8")


_FILTERS: dict[str, Callable[[str, list[str]], str]] = {"head": _head, "grep": _after}


if __name__ == "__main__":
    _write()
